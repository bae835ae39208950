"""Answers of the battles' API: records as plain JSON. Nothing is worked out here."""

from __future__ import annotations

from typing import Any

from campaigns.bundle import bundle_of, event_data
from campaigns.operations import RecordedEvents
from campaigns.queries import (
    BattleRecord,
    CareerTotals,
    Consequences,
    EventRecord,
    ResultRecord,
    ResultStepRecord,
    TallyChange,
)
from engine.battles.types import BattleState


def opened(record: BattleRecord) -> dict[str, Any]:
    """A battle that was set up."""
    return {
        "id": record.token,
        "key": record.key,
        "sides": [
            {
                "id": side.key,
                "name": side.name,
                "combatants": [
                    {"id": f.id, "name": f.name, "profile": f.profile} for f in side.fighters
                ],
            }
            for side in record.sides
        ],
    }


def bundle(record: BattleRecord) -> dict[str, Any]:
    """A whole battle, as a recorder goes on with it."""
    return {**bundle_of(record), "result": result(record.result), "may_record": record.may_record}


def recorded(done: RecordedEvents) -> dict[str, Any]:
    """What became of each event."""
    return {
        "events": [
            {"id": one.id, "status": one.outcome, "reason": one.reason, "stored": one.stored}
            for one in done.answers
        ],
        "position": done.position,
    }


def later(events: tuple[EventRecord, ...], position: int) -> dict[str, Any]:
    """Events that arrived after a position."""
    return {"events": [event_data(event) for event in events], "position": position}


def state(told: BattleState) -> dict[str, Any]:
    """What the events come to, without what was said about each of them."""
    data = told.to_json()
    del data["verdicts"]
    return data


def result(record: ResultRecord) -> dict[str, Any]:
    """The result with its history."""
    return {
        "status": str(record.status),
        "winner": record.winner,
        "how": record.how,
        "confirm_by": record.confirm_by,
        "number": record.number,
        "steps": [_step(step) for step in record.steps],
    }


def _step(step: ResultStepRecord) -> dict[str, Any]:
    return {
        "number": step.number,
        "verb": step.verb,
        "side": step.side or None,
        "winner": step.winner,
        "how": step.how,
        "reason": step.reason,
        "figures": step.figures,
        "is_silent": step.is_silent,
        "author": step.author,
        "at": step.at,
    }


def preview(told: Consequences) -> dict[str, Any]:
    """Everything a step would change."""
    return {
        "preview": True,
        "sentences": list(told.sentences),
        "before": _moment(told.before),
        "after": _moment(told.after),
        "warbands": [_change_answer(change) for change in told.warbands],
        "warriors": [
            {**_change_answer(change), "warrior": change.warrior_id} for change in told.warriors
        ],
        "standings": [],
        "later": [
            {"side": one.side, "id": one.token, "title": one.title, "fought_date": one.fought_date}
            for one in told.later
        ],
    }


def _moment(told: tuple[str, str | None, str]) -> dict[str, Any]:
    return dict(zip(("status", "winner", "how"), told, strict=True))


def _change_answer(change: TallyChange) -> dict[str, Any]:
    sides = {"side": change.side, "name": change.name}
    return {**sides, "before": _tally(change.before), "after": _tally(change.after)}


def _tally(tally: CareerTotals) -> dict[str, int]:
    return {
        name: getattr(tally, name) for name in ("battles", "won", "drawn", "lost", "kills", "out")
    }
