"""Who could still be entered in an event, and what somebody could bring to it. One query each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import Membership
from accounts.owner import Owner
from campaigns.models import Entry, EventKind, FixtureStatus
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.list_changes import ListOfRound, lists_by_round
from campaigns.queries.records import ClubEventRecord, EntryRecord, FixtureRecord
from campaigns.queries.results import load_fixture_records
from campaigns.queries.round_lists import WaiverRow, load_waivers
from campaigns.queries.steps import StepLedger, load_ledger, result_words
from engine.errors import Refusal
from engine.tournament.campaign_steps import Steps, read_steps
from warbands.access import listed_to
from warbands.models import Warband
from warbands.queries.lists import army_name
from warbands.queries.records import NO_NAME

MEMBERS_MAX = 500
WARBANDS_MAX = 100


@dataclass(frozen=True, slots=True)
class EntryCandidate:
    """A member of the club who is not entered."""

    user_id: int
    name: str


def load_candidates(event: ClubEventRecord) -> tuple[EntryCandidate, ...]:
    """The members of the club who are not entered, by name; the first 500. One query."""
    entered = Entry.objects.filter(event_id=event.id, user=OuterRef("user"))
    rows = Membership.objects.filter(~Exists(entered), club_id=event.club_id).select_related("user")
    found = [
        EntryCandidate(row.user_id, row.user.display_name)
        for row in rows.order_by("user__name", "pk")[:MEMBERS_MAX]
    ]
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.user_id)))


def load_choices(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord | None = None
) -> tuple[tuple[str, str], ...]:
    """(token, name) of the warbands an entry could bring, as far as the actor is shown them.

    One query.

    Of a member their own; of a guest, and without an entry, the actor's.
    """
    owner_id = actor.user_id if entry is None or entry.user_id is None else entry.user_id
    if owner_id is None:
        return ()
    rows = Warband.objects.filter(
        listed_to(actor),
        owner_id=owner_id,
        archived_at=None,
        system=event.system,
        variant=event.variant,
    )
    found = rows.order_by("-updated_at", "-id").values_list(
        "token", "name", "system", "army", "points"
    )[:WARBANDS_MAX]
    return tuple(
        (token, f"{name or NO_NAME}, {army_name(system, army)}, {points} points")
        for token, name, system, army, points in found
    )


@dataclass(frozen=True, slots=True)
class EntryFixture:
    """A game of an entry, and what it was to them.

    ``result`` is won, drawn, lost or bye, "" where none stands; ``state`` tells why not.
    """

    record: FixtureRecord
    opponents: str
    result: str
    out: int
    put_out: int

    @property
    def state(self) -> str:
        return str(FixtureStatus(self.record.status).label)


@dataclass(frozen=True, slots=True)
class PlayerPage:
    """An entry as its page tells it. ``may_take``: the reader rolls and earns for it."""

    event: ClubEventRecord
    entry: EntryRecord
    lists: tuple[ListOfRound, ...]
    games: tuple[EntryFixture, ...]
    waivers: tuple[WaiverRow, ...]
    steps: Steps
    ledger: StepLedger
    may_take: bool

    @property
    def score(self) -> str:
        """How its games went: "3 won, 1 drawn, 2 lost"."""
        counted = [game.result for game in self.games if game.record.counts]
        return ", ".join(f"{counted.count(word)} {word}" for word in WORDS)


WORDS = ("won", "drawn", "lost")


def load_player(actor: Owner, token: str, entry: str) -> PlayerPage | None:
    """One entry of an event, or None where there is none or the actor may not read it.

    Seven queries at most.
    """
    event = load_event(actor, token)
    entries = load_entries(actor, event) if event else ()
    mine = next((one for one in entries if one.token == entry), None)
    if event is None or mine is None:
        return None
    played = _fixtures_of_entry(event, mine)
    names = {one.id: one.name for one in entries}
    steps, may_take = steps_of(event), mine.is_mine or event.may_organise
    return PlayerPage(
        event=event,
        entry=mine,
        lists=lists_by_round(actor, event, mine),
        games=tuple(_game(one, mine.id, names) for one in reversed(played)),
        waivers=load_waivers(event, mine),
        steps=steps,
        ledger=load_ledger(steps, mine, played, names, may_take=may_take),
        may_take=may_take,
    )


def _fixtures_of_entry(event: ClubEventRecord, mine: EntryRecord) -> list[FixtureRecord]:
    """Those of published rounds, the earliest first. One query."""
    every = load_fixture_records(event.id, timezone.now())
    return [one for one in every if mine.id in one.ids]


def steps_of(event: ClubEventRecord) -> Steps:
    """What comes after a battle here; nothing where this release cannot read it any more."""
    if event.kind != EventKind.CAMPAIGN:
        return Steps()
    try:
        return read_steps(event.steps)
    except Refusal:
        return Steps()


def _game(one: FixtureRecord, entry_id: int, names: Mapping[int, str]) -> EntryFixture:
    result = "bye" if one.is_bye else ""
    if one.is_final and one.is_game:
        result = result_words(one, entry_id)
    lost, put_out = one.out_one, one.out_other
    if one.one_id != entry_id:
        lost, put_out = put_out, lost
    return EntryFixture(one, one.opponents(entry_id, names), result, lost, put_out)
