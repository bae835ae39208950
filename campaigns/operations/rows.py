"""The rounds, fixtures and entries of a locked event: found, named, and made of pairings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from django.db.models import F, Model, QuerySet

from accounts.errors import NotAllowed, NotFound, WrongState
from accounts.tokens import is_token
from battles.models import REASON_MAX
from campaigns import access
from campaigns.models import (
    ROUNDS_MAX,
    SHOWN,
    TABLES_MAX,
    ClubEvent,
    Entry,
    EventStatus,
    Fixture,
    Round,
)
from campaigns.operations.log import LockedEvent
from campaigns.queries.records import ARCHIVED, REOPEN
from engine.tournament.types import Pairing
from engine.words import join_words
from warbands import rulebook

R = TypeVar("R", bound=Model)


def check_not_archived(event: ClubEvent) -> None:
    """Raise WrongState for an event in the archive."""
    if event.archived_at is not None:
        raise WrongState(ARCHIVED)


def check_running(event: ClubEvent) -> None:
    """Raise WrongState for an event that is over or archived."""
    check_not_archived(event)
    if event.status == EventStatus.FINISHED:
        raise WrongState(REOPEN)


def update_row(row: Model, **columns: Any) -> None:
    """Write columns of a row, of a fixture its next version too. The row in hand stays as it is."""
    if isinstance(row, Fixture):
        columns["version"] = F("version") + 1
    type(row)._default_manager.filter(pk=row.pk).update(**columns)


def find_by_token(rows: QuerySet[R], token: str, what: str) -> R:
    """The row of this token among these; raises NotFound naming ``what``."""
    # Anything else cannot be in the table, and some of it no database takes.
    row = rows.filter(token=token).order_by().first() if is_token(token) else None
    if row is None:
        raise NotFound(what)
    return row


def find_round(event: ClubEvent, number: int) -> Round:
    """The round of that number; raises NotFound."""
    row = (
        Round.objects.filter(event=event, number=number).first()
        if 0 < number <= ROUNDS_MAX
        else None
    )
    if row is None:
        raise NotFound("round")
    # The event in hand is locked and up to date; following the key would read it again.
    row.event = event
    return row


def find_fixture(event: ClubEvent, token: str) -> Fixture:
    """The fixture with its round and who is in it; raises NotFound."""
    rows = Fixture.objects.filter(round__event=event)
    row = find_by_token(
        rows.select_related("round", "one", "other", "third"), token, "fixture"
    )
    row.round.event = event
    return row


def find_entries(event: ClubEvent, tokens: Iterable[str]) -> dict[str, Entry]:
    """The entries of these tokens; raises NotFound where one is missing. One query."""
    wanted = {token for token in tokens if is_token(token)}
    found = {row.token: row for row in Entry.objects.filter(event=event, token__in=wanted)}
    if set(found) != set(tokens):
        raise NotFound("entry")
    return found


def find_entry(event: ClubEvent, token: str) -> Entry:
    """The entry of this token; raises NotFound."""
    return find_entries(event, [token])[token]


def own_entry(change: LockedEvent) -> Entry | None:
    """The entry of whoever asks, None for who is not in the event. One query at most."""
    if change.actor.user_id is None:
        return None
    return Entry.objects.filter(event=change.event, user_id=change.actor.user_id).first()


def join_from_round(entries: Iterable[Entry], number: int) -> None:
    """Who was to be paired from a later round on plays from this one on."""
    later = Entry.objects.filter(pk__in=[one.pk for one in entries], joined__gt=number)
    later.update(joined=number)


def fixtures_of(row: Round) -> list[Fixture]:
    """Those of a round in their order, with who is in them. One query."""
    found = (
        Fixture.objects.filter(round=row)
        .select_related("one", "other", "third")
        .order_by("position", "id")
    )
    return list(found)


def entrant_names(fixture: Fixture) -> str:
    """Who meets there: "Ada against Ben", "Ada, Ben and Cleo", "Ada, with a bye"."""
    names = [one.name for one in fixture.sides]
    if len(names) == 1:
        return f"{names[0]}, with a bye"
    if len(names) == 2:
        return fixture.title
    return join_words(names)


# Pairings of the engine as fixtures


def scenario_names(event: ClubEvent, keys: Iterable[str]) -> dict[str, str]:
    """What each is called; "" for one that is gone. A person's own take a query each."""
    found = {key: rulebook.load_scenario(event.system, key) for key in set(keys) if key}
    return {key: one.name if one else "" for key, one in found.items()}


def last_table(event: ClubEvent) -> int:
    """The number of the last table."""
    return event.tables or TABLES_MAX


def assign_tables(
    pairings: Iterable[Pairing], taken: Iterable[int | None], most: int
) -> list[Pairing]:
    """Each game at the lowest table that is free, up to ``most``; past that at none, which an
    organiser is told.
    """
    # Tables are numbered from 1; the lowest that is free keeps a small round together.
    used = {table for table in taken if table is not None}
    free = iter([number for number in range(1, most + 1) if number not in used])
    return [one if one.is_bye else replace(one, table=next(free, None)) for one in pairings]


def kept_pairing(fixture: Fixture) -> Pairing:
    """A fixture that stays, as the engine takes it."""
    one, *more = (str(pk) for pk in fixture.side_ids)
    return Pairing(
        one,
        more[0] if more else None,
        third=more[1] if len(more) > 1 else None,
        attacker=str(fixture.attacker_id) if fixture.attacker_id else None,
        scenario=fixture.scenario or None,
        reason=fixture.reason,
        is_rematch=fixture.is_rematch,
        is_kept=True,
        table=fixture.table,
    )


def insert_pairings(
    event: ClubEvent,
    row: Round,
    pairings: Sequence[Pairing],
    entries: Mapping[int, Entry],
    first: int = 1,
) -> list[Fixture]:
    """A fixture of each, in this order from position ``first`` on. One statement."""
    # Names are asked for together: a scenario of a person’s own takes a query.
    names = scenario_names(event, (one.scenario or "" for one in pairings))
    rows = [
        Fixture(
            round=row,
            position=position,
            table=one.table,
            one=entries[int(one.one)],
            other=entries[int(one.other)] if one.other else None,
            third=entries[int(one.third)] if one.third else None,
            attacker_id=int(one.attacker) if one.attacker else None,
            scenario=one.scenario or "",
            scenario_name=names.get(one.scenario or "", ""),
            reason=one.reason[:REASON_MAX],
            is_rematch=one.is_rematch,
            is_kept=one.is_kept,
        )
        for position, one in enumerate(pairings, start=first)
    ]
    return Fixture.objects.bulk_create(rows)


def playable_fixture(change: LockedEvent, fixture: str) -> Fixture:
    """One of the event's fixtures, for those who play it and for organisers.

    Raises NotFound for what the actor cannot read (drafts are the organisers'), NotAllowed for
    everybody else.
    """
    actor, event = change.actor, change.event
    rows = Fixture.objects.filter(round__event=event).select_related(
        "round__event", "battle", "one__warband", "other__warband", "third__warband"
    )
    row = find_by_token(rows, fixture, "fixture")
    is_organiser = access.may_organise(actor, event)
    if row.round.status not in SHOWN and not is_organiser:
        raise NotFound("fixture")
    plays = any(access.plays_as(actor, entry) for entry in row.sides)
    if not (is_organiser or plays):
        raise NotAllowed(
            "Only the players of this game and organisers of the club can report it."
        )
    return row
