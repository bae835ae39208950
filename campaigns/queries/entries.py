"""Who could still be entered in an event, what somebody could bring, and where a roster leads.

One query each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef
from django.urls import reverse

from accounts.models import Membership
from accounts.owner import Owner
from campaigns.fixture_totals import OUT
from campaigns.models import (
    CampaignWarband,
    Entry,
    EntryStatus,
    EventKind,
    EventStatus,
    Fixture,
    ListLock,
    Round,
)
from campaigns.queries.events import load_entries, load_entry, load_event
from campaigns.queries.fixtures import load_fixtures, load_round_rows, load_ticks
from campaigns.queries.records import (
    RESULTS,
    Choices,
    ClubEventRecord,
    EntryRecord,
)
from campaigns.queries.round_lists import (
    ListOfRound,
    lists_by_round,
    load_waivers,
)
from engine.records import frozen_dataclass, named_values
from jobs.personal_data import DataFile
from warbands.access import listed_to
from warbands.hooks import RosterUse
from warbands.models import Warband
from warbands.queries.lists import army_name, currency_of, find_list_limit
from warbands.queries.records import WarbandRecord, marked_name

MEMBERS_MAX = 500
WARBANDS_MAX = 100
OFFERED_MOST = 3
"""How many campaigns the page of a roster names; whoever plays in more begins at theirs."""


def load_candidates(event: ClubEventRecord) -> Sequence[tuple[int, str]]:
    """The people of the club who are not entered, (id, name) by name; the first 500. One query."""
    entered = Entry.objects.filter(event_id=event.id, user=OuterRef("user"))
    members = Membership.objects.filter(~Exists(entered), club_id=event.club_id)
    first = members.select_related("user").order_by("user__name", "pk")[:MEMBERS_MAX]
    # The database knows no letters beyond its own order, and not everybody has given a name.
    return sorted(
        ((row.user_id, row.user.display_name) for row in first),
        key=lambda member: (member[1].casefold(), member[0]),
    )


def load_choices(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord | None = None
) -> Choices:
    """(token, name) of the warbands an entry could bring, as far as the actor is shown them.

    One query.

    For a member they are the member's own; for a guest, and without an entry, the actor's. Copies
    of other events are left out.
    """
    return tuple(
        (roster.token, f"{roster.name}, {roster.points} {roster.unit}")
        for roster in load_priced_choices(actor, event, entry)
        if roster.event in ("", event.token)
    )


class PricedRoster(NamedTuple):
    """A roster that may be brought: its token, its name with its army, and its price.

    ``event`` is the token of the campaign whose copy it is, "" for any other roster; ``limit`` that
    of its list.
    """

    token: str
    name: str
    points: int
    unit: str
    event: str = ""
    limit: int | None = None


def load_priced_choices(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord | None
) -> tuple[PricedRoster, ...]:
    """Return all of them with the price apart from the name, copies last. One query."""
    # Organisers bring for a guest what they have themselves.
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
    first = rows.order_by("is_grown", "-updated_at", "-id")[:WARBANDS_MAX]
    return tuple(
        PricedRoster(
            row.token,
            f"{marked_name(row.name, is_grown=row.is_grown)}, {army_name(row.system, row.army)}",
            row.points,
            currency_of(row.system, row.army).name,
            row.event or "",
            find_list_limit(row.system, row.army),
        )
        for row in first.annotate(event=F("campaign_warband__entry__event__token"))
    )


@frozen_dataclass
class Desk:
    """Who has paid and who is here for the round that comes next.

    ``round`` is None before any is added; ``takes_ticks``: somebody can be here for one. ``rows``
    are players, each with whether they are here, None where nobody has said so yet.
    """

    event: ClubEventRecord
    round: Round | None
    takes_ticks: bool
    rows: tuple[tuple[EntryRecord, bool | None], ...]

    @property
    def here(self) -> int:
        return sum(is_here is True for _, is_here in self.rows)

    @property
    def paid(self) -> int:
        return sum(entry.is_paid is True for entry, _ in self.rows)


def load_desk(actor: Owner, token: str) -> Desk:
    """The desk of an event. Four queries. Raises NotFound."""
    event = load_event(actor, token)
    rounds = load_round_rows(event.id)
    current = next((row for row in rounds if not row.is_closed), None)
    ticks = load_ticks(current.id) if current else {}
    playing = (entry for entry in load_entries(actor, event) if entry.is_playing)
    return Desk(
        event=event,
        round=current,
        takes_ticks=current is not None or not rounds,
        rows=tuple(
            (entry, ticks.get(entry.id))
            for entry in sorted(playing, key=lambda entry: entry.name.casefold())
        ),
    )


@frozen_dataclass
class EntryFixture:
    """A game of an entry, and what it was to them.

    ``result`` is won, drawn, lost or bye, "" without one.
    """

    record: Fixture
    opponents: str
    result: str
    out: int
    put_out: int


@frozen_dataclass
class PlayerPage:
    """An entry as its page tells it. ``may_change``: the reader may change the entry."""

    event: ClubEventRecord
    entry: EntryRecord
    lists: tuple[ListOfRound, ...]
    games: tuple[EntryFixture, ...]
    waivers: tuple[Any, ...]
    may_change: bool

    @property
    def score(self) -> str:
        """How its games went: "3 won, 1 drawn, 2 lost"."""
        counted = [game.result for game in self.games if game.record.counts]
        return ", ".join(f"{counted.count(word)} {word}" for word in RESULTS)


def load_player(actor: Owner, token: str, entry: str) -> PlayerPage:
    """One entry of an event. Seven queries at most. Raises NotFound."""
    event = load_event(actor, token)
    entries = load_entries(actor, event)
    player = next((row for row in entries if row.token == entry), None)
    # Who waits for a place is not among them.
    player = player or load_entry(actor, event, entry)
    names = {row.id: row.name for row in entries}
    games = []
    for game in reversed(load_fixtures(event.id)):
        if player.id in game.ids:
            result = "bye" if game.is_bye else ""
            if game.is_reported and game.is_game:
                result = game.result_for(player.id)
            # The engine counts a game in the same way: of three nobody knows who put out whom.
            out = dict(zip(game.ids, named_values(game, *OUT).values(), strict=False))
            lost = out.pop(player.id)
            put_out = sum(out.values()) if game.third_id is None else 0
            opponents = game.opponents(player.id, names)
            games.append(EntryFixture(game, opponents, result, lost, put_out))
    return PlayerPage(
        event=event,
        entry=player,
        lists=lists_by_round(event, player),
        games=tuple(games),
        waivers=load_waivers(event, player),
        may_change=player.is_mine or event.may_organise,
    )


def event_files(user_id: int) -> Iterator[DataFile]:
    """Each event they are in: their entry, the lists they handed in."""
    rows = Entry.objects.filter(user=user_id).select_related("event", "warband")
    for row in rows.order_by("pk"):
        locks = ListLock.objects.filter(entry=row).select_related("snapshot", "round")
        yield (
            f"events/{row.event.token}",
            {
                "event": row.event.name,
                "kind": row.event.kind,
                "name": row.name,
                "status": row.status,
                "is_paid": row.is_paid,
                "warband": row.warband.token if row.warband else None,
                "entered_at": row.created_at,
                "lists": [
                    {
                        "round": lock.round.number,
                        "roster": lock.snapshot.document if lock.snapshot else None,
                    }
                    for lock in locks.order_by("pk")
                ],
            },
        )


# Where a roster leads


def load_campaign_uses(actor: Owner, record: WarbandRecord) -> tuple[RosterUse, ...]:
    """Return the campaign of a warband, else those of its system in which its player has none, the
    latest first. One query; none without an account.
    """
    if actor.user_id is None:
        return ()
    if record.is_grown:
        copies = CampaignWarband.objects.filter(warband_id=record.id)
        return tuple(
            RosterUse(
                "",
                label=f"Open it in {copy.entry.event.name}",
                address=reverse(
                    "campaign-warband", args=[copy.entry.event.token, copy.entry.token]
                ),
            )
            for copy in copies.select_related("entry__event")
        )
    roster = record.roster
    living = CampaignWarband.objects.filter(entry=OuterRef("pk"), closed_at=None)
    rows = Entry.objects.filter(
        ~Exists(living),
        user_id=actor.user_id,
        event__kind=EventKind.CAMPAIGN,
        event__growth_position__gt=0,
        event__archived_at=None,
        event__status__in=(EventStatus.OPEN, EventStatus.RUNNING),
        event__system=roster.system,
        event__variant=roster.variant or "",
        status=EntryStatus.ACTIVE,
    )
    latest = rows.select_related("event").order_by("-event__created_at", "-id")
    return tuple(
        RosterUse(
            words=f"You play in {row.event.name} and have no warband there yet.",
            label="Found your warband with this roster",
            address=f"{reverse('warband-found', args=[row.event.token, row.token])}"
            f"?warband={record.token}",
        )
        for row in latest[:OFFERED_MOST]
    )
