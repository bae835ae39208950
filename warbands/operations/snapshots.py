"""The roster before a change, as an event keeps it: enough to put every row back as it was, prices paid included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.roster import Roster, RosterEntry
from warbands.queries.rows import WarriorRows


@dataclass(frozen=True, slots=True)
class PaidPrices:
    """What one miniature of an entry paid, and each of its holdings in order."""

    each: int
    holdings: tuple[int, ...] = ()


def make_snapshot(roster: Roster, rows: WarriorRows) -> dict[str, Any]:
    """The roster as plain JSON, with ids and prices paid."""
    paid = rows.paid
    return {
        "variant": roster.variant,
        "name": roster.name,
        "points_limit": roster.points_limit,
        "scenario": roster.scenario,
        "house_rules": dict(roster.house_rules),
        "note": roster.note,
        "tags": list(roster.tags),
        "warriors": [_entry(entry, rows, paid) for entry in roster.warriors],
    }


def _entry(entry: RosterEntry, rows: WarriorRows, paid: Mapping[int, int]) -> dict[str, Any]:
    number = entry.id or 0
    return {
        "id": number,
        "profile": entry.profile,
        "name": entry.name,
        "count": entry.count,
        "leader": entry.is_leader,
        "lore": entry.lore,
        "note": entry.note,
        "options": list(entry.options),
        "paid": paid[number],
        "kept": entry.kept,
        "paid_options": [holding.paid for holding in rows.holdings.get(number, ())],
    }


def restore_snapshot(
    now: Roster, before: Mapping[str, Any]
) -> tuple[Roster, dict[int, PaidPrices]]:
    """The roster a snapshot holds, and what was paid by warrior id. System and army never change."""
    warriors = before["warriors"]
    roster = Roster(
        system=now.system,
        army=now.army,
        name=before["name"],
        points_limit=before["points_limit"],
        variant=before["variant"],
        scenario=before["scenario"],
        house_rules=before["house_rules"],
        note=before["note"],
        tags=tuple(before.get("tags", ())),
        warriors=tuple(
            RosterEntry(
                profile=w["profile"],
                name=w["name"],
                count=w["count"],
                is_leader=w["leader"],
                options=tuple(w["options"]),
                lore=w["lore"],
                note=w["note"],
                id=w["id"],
                kept=w.get("kept"),
            )
            for w in warriors
        ),
    )
    return roster, {w["id"]: PaidPrices(w["paid"], tuple(w["paid_options"])) for w in warriors}
