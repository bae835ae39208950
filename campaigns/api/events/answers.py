"""Answers about clubs' events: records as plain JSON. Nothing is worked out here."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from campaigns.queries.events.records import ClubEventRecord, EntryRecord, EventRow
from campaigns.queries.events.schedule import ScheduledFixture, ScheduledRound
from campaigns.queries.events.standings import StandingRow, StandingsRecord

_ROW = (
    "name",
    "kind",
    "status",
    "points_limit",
    "visibility",
    "entries",
    "round",
    "is_archived",
    "is_mine",
)
_SAME = (
    "version",
    "name",
    "description",
    "place",
    "kind",
    "method",
    "system",
    "odd",
    "visibility",
    "status",
    "points_limit",
    "legs",
    "rounds_planned",
    "tables",
    "confirm_days",
    "needs_list",
    "is_secret",
    "has_core",
    "is_archived",
    "may_organise",
    "updated_at",
)
_FIGURES = (
    "place",
    "moved",
    "points",
    "played",
    "won",
    "drawn",
    "lost",
    "byes",
    "unplayed",
    "put_out",
    "models_lost",
    "points_destroyed",
)


def event_row(row: EventRow) -> dict[str, Any]:
    """An event in a list."""
    told = {name: getattr(row, name) for name in (*_ROW, "may_organise", "updated_at")}
    return {"id": row.token, "club": row.club_slug, **told}


def event(record: ClubEventRecord) -> dict[str, Any]:
    """An event with all it agrees on."""
    return {
        "id": record.token,
        "club": record.club_slug,
        **{name: getattr(record, name) for name in _SAME},
        "variant": record.variant or None,
        "scenarios": list(record.scenarios),
        "house_rules": dict(record.house_rules),
        "levels": dict(record.levels),
        "scoring": asdict(record.scoring),
        "tie_breaks": list(record.tie_breaks),
        "entry": record.mine or None,
    }


def entry(record: EntryRecord) -> dict[str, Any]:
    """Somebody in an event."""
    told = {
        name: getattr(record, name)
        for name in ("name", "is_guest", "is_mine", "is_dropped", "joined", "dropped")
    }
    return {"id": record.token, **told, "warband": record.warband or None, "army": record.army_name}


def round_row(record: ScheduledRound) -> dict[str, Any]:
    """A round without its fixtures."""
    same = ("number", "status", "points_limit", "starts_at", "lists_due_at", "published_at", "seed")
    told = {name: getattr(record, name) for name in same}
    return {**told, "name": record.title, "scenarios": list(record.scenarios)}


def fixture(record: ScheduledFixture) -> dict[str, Any]:
    """Who meets whom, and what it came to."""
    figures = [(record.out_one, record.destroyed_one), (record.out_other, record.destroyed_other)]
    pairs = zip((record.one, record.other), figures, strict=True)
    same = (
        "version",
        "table",
        "scenario_name",
        "reason",
        "status",
        "how",
        "is_friendly",
        "is_rematch",
    )
    return {
        "id": record.token,
        "round": record.round.number,
        **{name: getattr(record, name) for name in (*same, "plays_at", "played_at")},
        "entries": [_name(side) for side in record.sides],
        "attacker": _id(record.attacker),
        "scenario": record.scenario or None,
        "decision": record.decision or None,
        "winner": _id(record.winner),
        "figures": {
            side.token: {"out": out, "destroyed": gone}
            for side, (out, gone) in pairs
            if side is not None
        },
        "confirm_by": record.waits_until,
        "battle": record.battle or None,
    }


def standings(record: StandingsRecord) -> dict[str, Any]:
    """The table as it is now."""
    return {
        "event": record.event.token,
        "round": record.round,
        "tie_breaks": list(record.event.tie_breaks),
        "results": [_standing(row) for row in record.rows],
    }


def _standing(row: StandingRow) -> dict[str, Any]:
    told = {name: getattr(row, name) for name in _FIGURES}
    return {**told, "entry": _name(row.entry), "ties": list(row.ties), "explained": row.explained}


def _name(record: EntryRecord) -> dict[str, str]:
    return {"id": record.token, "name": record.name}


def _id(record: EntryRecord | None) -> str | None:
    return None if record is None else record.token
