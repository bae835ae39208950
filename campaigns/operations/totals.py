"""Keeping what a fixture says in step with its battle: worked out anew after every step of a
result.
"""

from __future__ import annotations

from typing import Any

from django.db.models import F

from accounts.owner import NOBODY, Owner
from battles.models import Battle, BattleStatus, ResultEntry, ResultVerb
from battles.replay import log_of, rules_of
from battles.results import ResultStep
from campaigns.fixture_totals import Faces, fixture_columns, side_entries, thrown_faces
from campaigns.models import Fixture
from campaigns.operations.log import write_log

PAIR = ("round__event", "one", "other", "third")
WORDS: dict[str, str] = {ResultVerb.PROPOSE: "Reported"}


def refresh_fixture(battle: Battle) -> Fixture | None:
    """The totals of the fixture this battle is played for; returns it, None where there is none.

    Call it within a transaction that holds the battle's lock, with the row as it was written last.
    One query, and up to three more where there is a fixture.
    """
    rows = Fixture.objects.select_for_update(of=("self",)).filter(battle_id=battle.pk)
    fixture = rows.select_related(*PAIR).order_by().first()
    if fixture is not None:
        write_fixture(fixture, battle)
    return fixture


def write_fixture(fixture: Fixture, battle: Battle | None) -> bool:
    """Write what the fixture comes to, and its next version, where it is something else; returns
    whether it was.
    """
    wanted = totals_of(fixture, battle)
    changed = {name: value for name, value in wanted.items() if getattr(fixture, name) != value}
    if not changed:
        return False
    Fixture.objects.filter(pk=fixture.pk).update(**changed, version=F("version") + 1)
    for name, value in changed.items():
        setattr(fixture, name, value)
    fixture.version += 1
    return True


def totals_of(fixture: Fixture, battle: Battle | None) -> dict[str, Any]:
    """What the columns that hold totals should say. Up to two queries."""
    if battle is None or battle.status == BattleStatus.OPEN:
        return fixture_columns(fixture, battle, None, {})
    first = (
        ResultEntry.objects.filter(battle=battle)
        .order_by("number")
        .values_list("at", flat=True)
        .first()
    )
    return fixture_columns(fixture, battle, first, _thrown_faces(battle))


def _thrown_faces(battle: Battle) -> Faces:
    if not battle.events_count:
        return {}
    log = log_of(battle)
    return thrown_faces(log.rules, log.field, log.events)


def log_step(fixture: Fixture, battle: Battle, entry: ResultStep) -> None:
    """A line of the event's log about one step of a fixture's result: who, what, why."""
    verb = (
        "Confirmed by silence"
        if entry.is_silent
        else WORDS.get(entry.verb, str(ResultVerb(entry.verb).label))
    )
    actor = Owner(user_id=entry.author_id) if entry.author_id else NOBODY
    words = (
        f"{verb}: {fixture.title}, round {fixture.round.number}{_outcome(fixture, battle, entry)}."
    )
    changes = (
        {"winner": entry.winner, "how": entry.how, "status": battle.status} if entry.how else {}
    )
    reason = "" if entry.is_silent else entry.reason
    write_log(
        fixture.round.event,
        actor,
        f"result_{entry.verb}",
        words,
        subject=fixture.token,
        reason=reason,
        changes=changes,
    )


def _outcome(fixture: Fixture, battle: Battle, entry: ResultStep) -> str:
    if not entry.how:
        return ""
    ending = rules_of(battle).endings.get(entry.how)
    name = ending.name if ending else entry.how
    pk = side_entries(fixture).get(entry.winner)
    won = next((one for one in fixture.sides if one.pk == pk), None)
    return f", {won.name} won ({name})" if won else f", nobody won ({name})"
