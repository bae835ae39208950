"""The rounds, fixtures and entries of a locked event: found, named, and made of pairings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db.models import F, Model
from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from accounts.tokens import get_row, is_token
from battles.models import REASON_MAX
from campaigns import access
from campaigns.models import (
    ROUNDS_MAX,
    SHOWN,
    TABLES_MAX,
    ClubEvent,
    Entry,
    EntryStatus,
    EventStatus,
    Fixture,
    Presence,
    Round,
)
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    organised_event,
    round_area,
)
from campaigns.queries.fixtures import load_ticks
from campaigns.queries.records import ARCHIVED, REOPEN
from engine.records import Fields
from engine.text import join_words
from engine.tournament.types import Pairing
from rulesdata.queries.scenarios import load_carried_scenario

PLACES = ("one", "other", "third")
"""The columns of those who meet in a fixture."""


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


def find_round(event: ClubEvent, number: int) -> Round:
    """The round of that number; raises NotFound."""
    rows = Round.objects.filter(event=event, number=number)
    row = rows.first() if 0 < number <= ROUNDS_MAX else None
    if row is None:
        raise NotFound("round")
    # The event in hand is locked and up to date; following the key would read it again.
    row.event = event
    return row


@contextmanager
def organised_round(
    request: ChangeRequest, number: int
) -> Iterator[tuple[LockedEvent, Round]]:
    """A round whose event is locked, for those who run it.

    Raises NotFound, NotAllowed, and Stale if somebody changed the round since the version expected.
    """
    with organised_event(request, round_area(number)) as change:
        yield change, find_round(change.event, number)


PLAN_FIRST = "plan_first"


def plan_first_round(change: LockedEvent) -> Round:
    """Round 1, for lists or ticks that come before anybody added a round; `add_round` takes it."""
    row = Round.objects.create(event=change.event, number=1)
    change.log(PLAN_FIRST, "Planned round 1.")
    return row


def find_fixture(event: ClubEvent, token: str) -> Fixture:
    """The fixture with its round and who is in it; raises NotFound."""
    rows = Fixture.objects.filter(round__event=event)
    row = get_row(rows.select_related("round", *PLACES), token, "fixture")
    row.round.event = event
    return row


def find_entries(event: ClubEvent, tokens: Iterable[str]) -> dict[str, Entry]:
    """The entries of these tokens; raises NotFound where one is missing. One query."""
    valid = {token for token in tokens if is_token(token)}
    rows = Entry.objects.filter(event=event, token__in=valid)
    entries = {entry.token: entry for entry in rows}
    if set(entries) != set(tokens):
        raise NotFound("entry")
    return entries


def find_entry(event: ClubEvent, token: str) -> Entry:
    """The entry of this token; raises NotFound."""
    return find_entries(event, [token])[token]


def check_playing(entry: Entry, field: str) -> None:
    """Raise Refusal for who dropped out or has no place yet."""
    if entry.status == EntryStatus.DROPPED:
        raise Refusal(f"{entry.name} dropped out. Let them rejoin first.", field=field)
    if entry.status == EntryStatus.WAITING:
        sentence = f"{entry.name} is on the waiting list. Give them a place first."
        raise Refusal(sentence, field=field)


def own_entry(change: LockedEvent) -> Entry | None:
    """The entry of whoever asks, None for who is not in the event. One query at most."""
    if change.actor.user_id is None:
        return None
    return Entry.objects.filter(event=change.event, user_id=change.actor.user_id).first()


def write_presence(row: Round, ticks: Mapping[Entry, bool]) -> None:
    """Write the ticks that are not so already, in one statement.

    No line of the log and no new version: a tick stands for itself and makes nobody's page stale.
    """
    stored = load_ticks(row.pk)
    now = timezone.now()
    changed = [
        Presence(round=row, entry=entry, is_here=is_here, at=now)
        for entry, is_here in ticks.items()
        if stored.get(entry.pk) != is_here
    ]
    if changed:
        Presence.objects.bulk_create(
            changed,
            update_conflicts=True,
            unique_fields=["round", "entry"],
            update_fields=["is_here", "at"],
        )


def join_from_round(entries: Iterable[Entry], number: int) -> None:
    """Who was to be paired from a later round on plays from this one on."""
    ids = [entry.pk for entry in entries]
    Entry.objects.filter(pk__in=ids, joined__gt=number).update(joined=number)


def list_fixtures(row: Round) -> list[Fixture]:
    """Those of a round in their order, with who is in them. One query."""
    rows = Fixture.objects.filter(round=row).select_related(*PLACES)
    return list(rows.order_by("position", "id"))


def changed_columns(row: Model, columns: Fields) -> Fields:
    """Return those of the columns in which a row differs."""
    return {name: value for name, value in columns.items() if getattr(row, name) != value}


def entrant_names(fixture: Fixture) -> str:
    """Who meets there: "Ada against Ben", "Ada, Ben and Cleo", "Ada, with a bye"."""
    names = [entry.name for entry in fixture.sides]
    if len(names) == 1:
        return f"{names[0]}, with a bye"
    return fixture.title if len(names) == 2 else join_words(names)


# Pairings of the engine as fixtures


def scenario_names(event: ClubEvent, keys: Iterable[str]) -> dict[str, str]:
    """What each is called; "" for one that is gone. A person's own take a query each."""
    names = {}
    for key in filter(None, set(keys)):
        scenario = load_carried_scenario(event.system, key)
        names[key] = scenario.name if scenario else ""
    return names


def last_table(event: ClubEvent) -> int:
    """The number of the last table."""
    return event.tables or TABLES_MAX


def assign_tables(
    pairings: Iterable[Pairing], used: Sequence[int | None], most: int
) -> list[Pairing]:
    """Each game at the lowest table that is free, up to ``most``; past that at none, which an
    organiser is told.
    """
    # Tables are numbered from 1; the lowest that is free keeps a small round together.
    free = (number for number in range(1, most + 1) if number not in used)
    return [
        pairing if pairing.is_bye else replace(pairing, table=next(free, None))
        for pairing in pairings
    ]


def insert_pairings(
    event: ClubEvent,
    row: Round,
    pairings: Sequence[Pairing],
    entries: Mapping[int, Entry],
    first: int = 1,
) -> list[Fixture]:
    """A fixture of each, in this order from position ``first`` on. One statement."""
    # Names are asked for together: a scenario of a person’s own takes a query.
    names = scenario_names(event, (pairing.scenario or "" for pairing in pairings))
    rows = []
    for position, pairing in enumerate(pairings, start=first):
        players = (entries[int(player_id)] for player_id in pairing.ids)
        scenario = pairing.scenario or ""
        fixture = Fixture(
            round=row,
            position=position,
            table=pairing.table,
            attacker_id=int(pairing.attacker) if pairing.attacker else None,
            scenario=scenario,
            scenario_name=names.get(scenario, ""),
            reason=pairing.reason[:REASON_MAX],
            is_rematch=pairing.is_rematch,
            **dict(zip(PLACES, players, strict=False)),
        )
        rows.append(fixture)
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
    row = get_row(rows, fixture, "fixture")
    is_organiser = access.may_organise(actor, event)
    if row.round.status not in SHOWN and not is_organiser:
        raise NotFound("fixture")
    if not (is_organiser or any(access.plays_as(actor, entry) for entry in row.sides)):
        raise NotAllowed(
            "Only the players of this game and organisers of the club can report it."
        )
    return row
