"""Single games of a round: changed, locked, added, removed.

Swapping players between them is `swapping`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from accounts.errors import Refusal, WrongState
from accounts.owner import Owner
from battles.operations.setup import checked_system
from campaigns.models import (
    ClubEvent,
    Entry,
    EntryStatus,
    Fixture,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.operations.events import checked_pool
from campaigns.operations.locked_rows import (
    SHOWN,
    check_running,
    entrant_names,
    entry_ids,
    find_entries,
    find_fixture,
    find_round,
    fixtures_of,
    is_begun,
)
from campaigns.operations.log import lock_organised_event, write_event, write_log
from campaigns.operations.notify import notify_fixtures, notify_removed
from campaigns.operations.pairing_rows import assign_tables, last_table, scenario_names
from campaigns.queries.pairing import load_pool
from engine.tournament.types import Pairing, games_between
from warbands.operations.transaction import UNSET, Unset

NEEDS_REASON = "It is published: say why, players will want to know."
NAMES = {
    "attacker_id": "attacker",
    "is_kept": "lock",
    "is_friendly": "whether it counts",
    "plays_at": "date",
    "scenario_name": "",
}
TOLD = {"table", "scenario", "plays_at"}
"""What those who play are told of, once the round is published."""


def change_fixture(
    actor: Owner,
    token: str,
    fixture: str,
    *,
    table: int | Unset | None = UNSET,
    scenario: str | Unset = UNSET,
    attacker: str | Unset = UNSET,
    is_kept: bool | Unset = UNSET,
    is_friendly: bool | Unset = UNSET,
    plays_at: datetime | Unset | None = UNSET,
    expected: int | None = None,
    reason: str = "",
    is_preview: bool = False,
) -> int:
    """Where, over what and by whom a game is played; what is left out stays.

    Returns the event's version.

    Who stands at the ``table`` already goes to the one that is left. ``attacker`` is an entry's
    token, "" for nobody. Scenario and attacker stay once the battle is set up. Whether a published
    game counts changes for a ``reason``. ``is_preview`` asks all of this and changes nothing.
    Raises Refusal naming the field, NotFound, NotAllowed, Stale.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        row = find_fixture(event, fixture)
        columns: dict[str, Any] = {}
        if table is not UNSET:
            columns["table"] = _checked_table(event, row, table)
        if scenario is not UNSET:
            columns |= _checked_scenario(actor, event, row, scenario)
        if attacker is not UNSET:
            columns["attacker_id"] = _checked_attacker(event, row, attacker)
        for name, value in (
            ("is_kept", is_kept),
            ("is_friendly", is_friendly),
            ("plays_at", plays_at),
        ):
            if value is not UNSET:
                columns[name] = value
        changed = {name: value for name, value in columns.items() if getattr(row, name) != value}
        if not changed:
            return event.version
        if "is_friendly" in changed:
            _check_reason(row, reason)
        _check_not_begun(row, changed)
        if is_preview:
            return event.version
        if changed.get("table") is not None:
            _make_room(row, changed["table"])
        Fixture.objects.filter(pk=row.pk).update(**changed, version=F("version") + 1)
        write_event(event)
        told = ", ".join(NAMES.get(name, name) for name in changed if NAMES.get(name, name))
        words = f"Changed {told} of {entrant_names(row)}, round {row.round.number}."
        write_log(
            event,
            actor,
            "change_fixture",
            words,
            subject=row.token,
            reason=reason,
            changes=_changes(row, changed),
        )
        if TOLD & set(changed):
            notify_fixtures(event, row.round, [row.pk], actor)
        return event.version


def add_fixture(
    actor: Owner,
    token: str,
    number: int,
    one: str,
    other: str,
    *,
    third: str = "",
    table: int | None = None,
    scenario: str = "",
    attacker: str = "",
    is_friendly: bool = False,
    plays_at: datetime | None = None,
    expected: int | None = None,
    reason: str = "",
) -> str:
    """One more game by hand between entries; returns its token.

    Without a table it takes the lowest that is free.

    Who sat out and plays it has no bye any more. Where everybody plays one game a round, a second
    one is friendly. Raises Refusal naming the field, NotFound, NotAllowed, Stale.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        check_running(event)
        row = find_round(event, number)
        if row.status == RoundStatus.CLOSED:
            raise WrongState(f"{row} is closed. Open it again, then add a game.")
        players = _checked_players(event, [one, other, *([third] if third else [])])
        others = fixtures_of(row)
        _check_once(event, row, others, players, is_friendly)
        byes = [
            mate.pk
            for mate in others
            if mate.other_id is None and mate.one_id in {p.pk for p in players}
        ]
        Fixture.objects.filter(pk__in=byes).delete()
        fixture = Fixture(
            round=row, position=_next_position(row), is_kept=True, is_friendly=is_friendly
        )
        fixture.one, fixture.other = players[:2]
        fixture.third = players[2] if third else None
        fixture.plays_at = plays_at
        fixture.is_rematch = have_met(event, number, players)
        fixture.reason = manual_pairing_reason(fixture.is_rematch)
        fixture.attacker_id = _checked_attacker(event, fixture, attacker)
        for name, value in _checked_scenario(actor, event, fixture, scenario).items():
            setattr(fixture, name, value)
        fixture.table = (
            _free_table(event, others) if table is None else _checked_table(event, fixture, table)
        )
        if fixture.table is not None:
            _make_room(fixture, fixture.table)
        fixture.save()
        if row.status == RoundStatus.PLANNED and event.method != PairingMethod.ROBIN:
            Round.objects.filter(pk=row.pk).update(status=RoundStatus.DRAFT)
        Entry.objects.filter(pk__in=[p.pk for p in players], joined__gt=number).update(
            joined=number
        )
        write_event(event)
        words = (
            f"Added {entrant_names(fixture)} to round "
            f"{number}{', friendly' if is_friendly else ''}."
        )
        write_log(event, actor, "add_fixture", words, subject=fixture.token, reason=reason)
        notify_fixtures(event, row, [fixture.pk], actor)
        return fixture.token


def remove_fixture(
    actor: Owner, token: str, fixture: str, *, reason: str = "", expected: int | None = None
) -> int:
    """Take a game out of its round, as long as nothing of it is played.

    Returns the event's version.

    A published one needs a ``reason``. Raises Refusal, NotFound, NotAllowed, Stale.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        row = find_fixture(event, fixture)
        if is_begun(row):
            names = entrant_names(row)
            sentence = (
                f"{names} has begun and stays. Decide that it does not count, or make its battle "
                "void."
            )
            raise WrongState(sentence)
        _check_reason(row, reason)
        words = f"Took {entrant_names(row)} out of round {row.round.number}."
        Fixture.objects.filter(pk=row.pk).delete()
        write_event(event)
        write_log(event, actor, "remove_fixture", words, subject=fixture, reason=reason)
        notify_removed(event, row, actor, reason)
        return event.version


# What others ask too


def have_met(event: ClubEvent, number: int, players: Sequence[Entry]) -> bool:
    """Whether two of them met in another round. One query."""
    known = load_pool(event, number, players, timezone.now()).players
    pairs = [(one, other) for place, one in enumerate(known) for other in known[place + 1 :]]
    return any(games_between(one, other) for one, other in pairs)


def manual_pairing_reason(is_rematch: bool) -> str:
    """Why two meet whom an organiser put together."""
    return f"Put together by hand, {'met' if is_rematch else 'not met'} before."


def check_reason_given(row: Round, reason: str) -> None:
    """What is published is changed for a reason. Raises Refusal."""
    if row.status in SHOWN and not reason.strip():
        raise Refusal(NEEDS_REASON, field="reason")


# Checking


def _check_reason(row: Fixture, reason: str) -> None:
    check_reason_given(row.round, reason)


def _check_not_begun(row: Fixture, changed: dict[str, Any]) -> None:
    if row.battle_id is not None and changed.keys() & {"scenario", "attacker_id"}:
        field = "scenario" if "scenario" in changed else "attacker"
        raise Refusal(
            f"The battle of {entrant_names(row)} is set up already: the {field} stays.", field=field
        )


def _checked_players(event: ClubEvent, tokens: Sequence[str]) -> list[Entry]:
    if len(set(tokens)) != len(tokens):
        raise Refusal("Nobody meets themselves. Choose somebody else.", field="other")
    found = find_entries(event, tokens)
    gone = [found[token].name for token in tokens if found[token].status == EntryStatus.DROPPED]
    if gone:
        raise Refusal(f"{gone[0]} dropped out. Take them back in first.", field="other")
    return [found[token] for token in tokens]


def _check_once(
    event: ClubEvent,
    row: Round,
    others: Sequence[Fixture],
    players: Sequence[Entry],
    is_friendly: bool,
) -> None:
    """In rounds where everybody has one game, only a friendly one may come on top."""
    if is_friendly or event.method not in (PairingMethod.ROBIN, PairingMethod.SWISS):
        return
    games = [one for one in others if one.other_id is not None and not one.is_friendly]
    for player in players:
        if any(player.pk in entry_ids(one) for one in games):
            raise Refusal(
                (
                    f"{player.name} has a game in {row} already. Make this one friendly, or swap "
                    "the players."
                ),
                field="is_friendly",
            )


def _checked_table(event: ClubEvent, row: Fixture, table: int | None) -> int | None:
    if table is None:
        return None
    most = last_table(event)
    if row.other_id is None:
        raise Refusal("Who sits out needs no table.", field="table")
    if isinstance(table, bool) or not isinstance(table, int) or not 1 <= table <= most:
        raise Refusal(
            f"The table must be a number from 1 to {most}; there are no more here.", field="table"
        )
    return table


def _checked_scenario(actor: Owner, event: ClubEvent, row: Fixture, key: str) -> dict[str, Any]:
    if key and row.other_id is None:
        raise Refusal("Who sits out needs no scenario.", field="scenario")
    if key and key != row.scenario:
        known = [*event.scenarios, *row.round.scenarios]
        try:
            checked_pool(
                actor, checked_system(event.system, event.variant or None), [key], kept=known
            )
        except Refusal as refusal:
            raise Refusal(refusal.message, field="scenario") from None
    return {"scenario": key, "scenario_name": scenario_names(event, [key]).get(key, "")}


def _checked_attacker(event: ClubEvent, row: Fixture, token: str) -> int | None:
    if not token:
        return None
    for entry in (row.one, row.other, row.third):
        if entry is not None and entry.token == token and row.other_id is not None:
            return entry.pk
    raise Refusal("Only somebody who plays in it attacks.", field="attacker")


def _make_room(row: Fixture, table: int) -> None:
    """Whoever stands at the table goes to the one that becomes free."""
    Fixture.objects.filter(round=row.round, table=table).exclude(pk=row.pk).update(
        table=row.table, version=F("version") + 1
    )


def _free_table(event: ClubEvent, others: Sequence[Fixture]) -> int | None:
    return assign_tables([Pairing("a", "b")], [one.table for one in others], last_table(event))[
        0
    ].table


def _next_position(row: Round) -> int:
    return int(Fixture.objects.filter(round=row).aggregate(last=Max("position"))["last"] or 0) + 1


def _changes(row: Fixture, changed: dict[str, Any]) -> dict[str, list[Any]]:
    return {
        name: [_log_value(getattr(row, name)), _log_value(value)] for name, value in changed.items()
    }


def _log_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
