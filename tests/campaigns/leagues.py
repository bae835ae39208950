"""Leagues, club nights and campaigns to test with, made through the real operations.

Keyword arguments only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Club
from accounts.owner import Owner
from campaigns.models import ClubEvent, Entry, EventKind, Fixture, PairingMethod, Round
from campaigns.operations.entries import add_entry
from campaigns.operations.events import create_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import RoundDraft, add_round
from campaigns.queries.records import EventTerms
from tests.factories import SYSTEM, make_club, make_legal_warband, make_person, make_user

NAMES = (
    "Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz", "Gwen", "Hugo", "Ines", "Jan", "Kate",
    "Leo",
)  # fmt: skip


@dataclass
class League:
    """An event with who runs it and who is in it, in the order they entered."""

    event: ClubEvent
    organiser: Owner
    entries: list[Entry]
    club: Club

    @property
    def token(self) -> str:
        return self.event.token

    def fresh(self) -> ClubEvent:
        self.event.refresh_from_db()
        return self.event

    def entry(self, name: str) -> Entry:
        return Entry.objects.get(event=self.event, name=name)

    def player(self, name: str) -> Owner:
        return player_of(self.entry(name))

    def ask(self, expected: int | None = None, **details: Any) -> ChangeRequest:
        """What the organiser asks of it; `details` as of ChangeRequest."""
        return ChangeRequest(self.organiser, self.token, expected, **details)

    def by(self, name: str, **details: Any) -> ChangeRequest:
        return ChangeRequest(self.player(name), self.token, **details)

    def round(self, number: int) -> Round:
        return Round.objects.get(event=self.event, number=number)

    def fixtures(self, number: int) -> list[Fixture]:
        rows = Fixture.objects.filter(round__event=self.event, round__number=number)
        return list(rows.select_related("one", "other", "third").order_by("position"))

    def fixture(self, number: int, name: str) -> Fixture:
        return next(row for row in self.fixtures(number) if name in names_in(row))


def names_in(fixture: Fixture) -> tuple[str, ...]:
    return tuple(
        one.name for one in (fixture.one, fixture.other, fixture.third) if one is not None
    )


def player_of(entry: Entry) -> Owner:
    return Owner(user_id=entry.user_id)


def make_draft(**fields: Any) -> EventTerms:
    """What a Swiss league of the main system agrees on; `fields` as of EventTerms."""
    usual: Mapping[str, Any] = {
        "name": "Autumn league",
        "kind": EventKind.LEAGUE,
        "method": PairingMethod.SWISS,
        "system": SYSTEM,
    }
    return EventTerms(**{"points_limit": 200, **usual, **fields})


def make_event(
    *, organiser: Owner | None = None, club: Club | None = None, **fields: Any
) -> ClubEvent:
    organiser = organiser or make_person()
    club = club or make_club(owner=organiser)
    return ClubEvent.objects.get(
        token=create_event(organiser, club.slug, make_draft(**fields))
    )


def make_entry(
    *,
    event: ClubEvent,
    organiser: Owner,
    name: str = "",
    user_id: int | None = None,
    warband: str = "",
) -> Entry:
    return Entry.objects.get(
        token=add_entry(
            ChangeRequest(organiser, event.token),
            name=name,
            user_id=user_id,
            warband=warband,
        )
    )


def make_league(
    *,
    players: int = 8,
    guests: int = 0,
    organiser: Owner | None = None,
    names: Sequence[str] = NAMES,
    with_warbands: bool = False,
    **fields: Any,
) -> League:
    """A league of a club with so many members in it and then so many guests; `fields` as for
    `make_draft`.

    Members are called Ada, Ben, Cleo and so on, past the names "Player 13"; guests "Guest 1".
    `with_warbands`: each member brings a legal warband of 100 points that everybody with its link
    may read.
    """
    organiser = organiser or make_person(user=make_user(name="Olga"))
    called = [
        names[place] if place < len(names) else f"Player {place + 1}"
        for place in range(players)
    ]
    members = [make_person(user=make_user(name=name)) for name in called]
    club = make_club(owner=organiser, members=members)
    event = make_event(organiser=organiser, club=club, **fields)
    entries = [
        make_entry(
            event=event,
            organiser=organiser,
            user_id=member.user_id,
            warband=_own_warband(member, with_warbands),
        )
        for member in members
    ]
    entries += [
        make_entry(event=event, organiser=organiser, name=f"Guest {n + 1}")
        for n in range(guests)
    ]
    return League(ClubEvent.objects.get(pk=event.pk), organiser, entries, club)


def make_night(*, players: int = 8, **fields: Any) -> League:
    usual: Mapping[str, Any] = {
        "name": "Thursday",
        "kind": EventKind.NIGHT,
        "method": PairingMethod.PRESENT,
    }
    return make_league(players=players, **{**usual, **fields})


def make_campaign(*, players: int = 4, **fields: Any) -> League:
    usual: Mapping[str, Any] = {
        "name": "The long winter",
        "kind": EventKind.CAMPAIGN,
        "method": PairingMethod.CHALLENGE,
    }
    return make_league(players=players, **{**usual, **fields})


def make_round(league: League, **fields: Any) -> Round:
    """One more round of the event, planned; `fields` as for `add_round`."""
    return league.round(add_round(league.ask(), RoundDraft(**fields)))


def _own_warband(member: Owner, with_warbands: bool) -> str:
    return (
        make_legal_warband(actor=member, visibility="link").token if with_warbands else ""
    )
