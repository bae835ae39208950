"""Two events of one club with the same players, and whether the rows of one of them changed.

Keyword arguments only.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.utils import timezone

from accounts.models import Club
from accounts.owner import Owner
from battles.models import (
    Battle,
    BattleCombatant,
    BattleEvent,
    BattleSide,
    ResultEntry,
    Snapshot,
)
from campaigns.models import (
    CalendarEdition,
    CampaignWarband,
    ClubEvent,
    Entry,
    EventLog,
    EventStatus,
    Fixture,
    FixtureStatus,
    GrowthRow,
    ListLock,
    Presence,
    Round,
    RoundStatus,
    Waiver,
)
from campaigns.operations.entries import add_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.round_lists import hand_in_list
from tests.campaigns.leagues import League, make_entry, make_event, names_in
from tests.campaigns.results import put_up, report
from tests.factories import make_club, make_legal_warband, make_person, make_user
from warbands.models import Warband, WarbandEvent, Warrior, WarriorOption

NAMES = ("Ada", "Ben", "Cleo", "Dora")
PAIRS = (("Ada", "Ben"), ("Cleo", "Dora"))
GUEST = "Zoe"
WAIVED = "type.cavalry"
# The rows that belong to an event, by how they lead to it.
TABLES: Mapping[type[Model], str] = {
    ClubEvent: "pk", Entry: "event", Round: "event", EventLog: "event",
    CalendarEdition: "event", GrowthRow: "event", Presence: "round__event",
    Fixture: "round__event", ListLock: "round__event", Waiver: "entry__event",
    CampaignWarband: "entry__event", Battle: "fixture__round__event",
    BattleSide: "battle__fixture__round__event",
    BattleCombatant: "battle__fixture__round__event",
    BattleEvent: "battle__fixture__round__event",
    ResultEntry: "battle__fixture__round__event", Snapshot: "lists__round__event",
    Warband: "entries__event", Warrior: "warband__entries__event",
    WarriorOption: "warrior__warband__entries__event",
    WarbandEvent: "warband__entries__event",
}  # fmt: skip


def pairs(league: League, number: int) -> list[tuple[str, ...]]:
    """The names of those who meet in each game of a round."""
    return [names_in(one) for one in league.fixtures(number)]


def rows_of(league: League) -> dict[str, list[Any]]:
    """Every row that belongs to an event, by its table."""
    return {
        model.__name__: list(
            model._default_manager.filter(**{path: league.event.pk}).order_by("pk").values()
        )
        for model, path in TABLES.items()
    }


@contextmanager
def untouched(league: League) -> Iterator[None]:
    """Whatever is done within, no row of this event is another one after it."""
    before = rows_of(league)
    yield
    after = rows_of(league)
    assert {name: after[name] for name in after if after[name] != before[name]} == {}


@dataclass
class TwoEvents:
    """The event in which something is done, and the other one, which has everything already."""

    here: League
    other: League

    @property
    def asked(self) -> ChangeRequest:
        return ChangeRequest(self.here.organiser, self.here.token, reason="It was so.")

    def by(self, name: str) -> ChangeRequest:
        return ChangeRequest(self.here.player(name), self.here.token)


def _league(*, organiser: Owner, club: Club, members: list[Owner], **fields: Any) -> League:
    event = make_event(organiser=organiser, club=club, **fields)
    entries = [
        make_entry(event=event, organiser=organiser, user_id=one.user_id) for one in members
    ]
    return League(ClubEvent.objects.get(pk=event.pk), organiser, entries, club)


def fill(*, league: League) -> None:
    """Give an event a closed, a published and a drawn round, and another one far behind them.

    It has results, ticks, a list, a waiver, a calendar and a guest, and its log is long.
    """
    asked = league.ask(reason="It was so.")
    add_entry(asked, name=GUEST)
    for number in (1, 2, 3, 9):
        put_up(league, number, [("Ada", "Ben"), ("Cleo", "Dora"), (GUEST,)])
    games = Fixture.objects.filter(round__event=league.event)
    games.update(table=1)
    report(league, league.fixture(1, "Ada"), "Ben")
    report(league, league.fixture(2, "Cleo"), "", by=league.player("Cleo"))
    league.event.rounds.filter(number=1).update(status=RoundStatus.CLOSED)
    league.event.rounds.filter(number=3).update(status=RoundStatus.DRAFT)
    games.filter(round__number=3).update(status=FixtureStatus.OPEN)
    games.filter(round__number=9).update(position=50)
    for entry in league.event.entries.all():
        Presence.objects.create(round=league.round(2), entry=entry, is_here=False)
    warband = make_legal_warband(actor=league.player("Ada"))
    hand_in_list(league.by("Ada"), 2, warband.token)
    Waiver.objects.create(entry=league.entry("Ada"), code=WAIVED, reason="Why not.")
    CalendarEdition.objects.create(event=league.event, user=None, number=4)
    ClubEvent.objects.filter(pk=league.event.pk).update(
        status=EventStatus.RUNNING, version=90
    )
    EventLog.objects.filter(event=league.event).update(version=90)
    Entry.objects.filter(event=league.event).update(joined=2, warband=warband)
    league.event.rounds.update(lists_due_at=timezone.now())


def make_two(*, shares_people: bool = True, **fields: Any) -> TwoEvents:
    """Two events with four players of the same names: one is full of everything, one has nothing.

    ``shares_people``: they are of one club and the same persons, else of two clubs. `fields` are of
    the event in which something will be done.
    """
    organiser = make_person(user=make_user(name="Olga"))
    members = [make_person(user=make_user(name=name)) for name in NAMES]
    club = make_club(owner=organiser, members=members)
    other = _league(organiser=organiser, club=club, members=members, name="Other league")
    fill(league=other)
    if not shares_people:
        organiser = make_person(user=make_user(name="Otto"))
        members = [make_person(user=make_user(name=name)) for name in NAMES]
        club = make_club(owner=organiser, members=members, name="Other club")
    here = _league(organiser=organiser, club=club, members=members, **fields)
    return TwoEvents(here, other)
