"""Who could still be entered in an event, and what somebody could bring to it. One query each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import Membership
from accounts.owner import Owner
from battles.models import BattleCombatant
from campaigns.fixture_totals import SIDES
from campaigns.models import CareerStep, Entry, EventKind, Fixture, FixtureStatus, ListLock
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import load_fixture_records
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord, FixtureRecord
from campaigns.queries.round_lists import (
    ListOfRound,
    WaiverRow,
    lists_by_round,
    load_waivers,
)
from engine.errors import Refusal
from engine.records import ChoiceList, Fields, Texts, copy_fields, frozen_dataclass, grouped
from engine.tournament.campaign_steps import FATE, PAY, RECRUITS, Steps, read_steps
from jobs.personal_data import DataFile
from warbands.access import listed_to
from warbands.models import Warband
from warbands.queries.lists import army_name
from warbands.queries.records import NO_NAME

MEMBERS_MAX = 500
WARBANDS_MAX = 100


def load_candidates(event: ClubEventRecord) -> Sequence[tuple[int, str]]:
    """The people of the club who are not entered, (id, name) by name; the first 500. One query."""
    entered = Entry.objects.filter(event_id=event.id, user=OuterRef("user"))
    rows = Membership.objects.filter(
        ~Exists(entered), club_id=event.club_id
    ).select_related("user")
    first = rows.order_by("user__name", "pk")[:MEMBERS_MAX]
    found = [(row.user_id, row.user.display_name) for row in first]
    # The database knows no letters beyond its own order, and not everybody has given a name.
    return sorted(found, key=lambda one: (one[1].casefold(), one[0]))


def load_choices(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord | None = None
) -> Choices:
    """(token, name) of the warbands an entry could bring, as far as the actor is shown them.

    One query.

    Of a member their own; of a guest, and without an entry, the actor's.
    """
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
    found = rows.order_by("-updated_at", "-id").values_list(
        "token", "name", "system", "army", "points"
    )[:WARBANDS_MAX]
    return tuple(
        (token, f"{name or NO_NAME}, {army_name(system, army)}, {points} points")
        for token, name, system, army, points in found
    )


@frozen_dataclass
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


@frozen_dataclass
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
    if event is None:
        return None
    entries = load_entries(actor, event)
    mine = next((one for one in entries if one.token == entry), None)
    if mine is None:
        return None
    every = load_fixture_records(event.id, timezone.now())
    played = [one for one in every if mine.id in one.ids]
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


def steps_of(event: ClubEventRecord) -> Steps:
    """What comes after a battle here; nothing where this release cannot read it any more."""
    if event.kind != EventKind.CAMPAIGN:
        return Steps()
    # Steps were checked when they were set; an older release may have known other kinds.
    try:
        return read_steps(event.steps)
    except Refusal:
        return Steps()


def _game(one: FixtureRecord, entry_id: int, names: Mapping[int, str]) -> EntryFixture:
    result = "bye" if one.is_bye else ""
    if one.is_final and one.is_game:
        result = result_words(one, entry_id)
    # Totals are stored by side: for the second one they are the other way round.
    lost, put_out = one.out_one, one.out_other
    if one.one_id != entry_id:
        lost, put_out = put_out, lost
    return EntryFixture(one, one.opponents(entry_id, names), result, lost, put_out)


NAMES = {FATE: "Fate", PAY: "Pay", RECRUITS: "Recruit"}


@frozen_dataclass
class StepRow:
    """One step as it was taken.

    ``revoked`` is why it counts no more; ``is_stale``: its result says otherwise now.
    """

    id: int
    kind: str
    kind_name: str
    words: str
    amount: int
    fixture: str
    round: int
    by: str
    at: datetime
    is_revoked: bool
    revoked: str
    is_stale: bool


@frozen_dataclass
class DueSteps:
    """What a battle still asks for: the fallen whose fate is not rolled as (key, name), pay, places
    for recruits.
    """

    fixture: str
    round: int
    opponents: str
    fallen: Choices
    pay: int | None
    recruits: int

    def __bool__(self) -> bool:
        return bool(self.fallen or self.recruits or self.pay is not None)


@frozen_dataclass
class StepLedger:
    """The steps of an entry, the latest first, what they come to, and what is due."""

    rows: tuple[StepRow, ...]
    unit: str
    total: int
    gone: Texts
    due: tuple[DueSteps, ...]


def load_ledger(
    steps: Steps,
    entry: EntryRecord,
    played: Sequence[FixtureRecord],
    names: Mapping[int, str],
    *,
    may_take: bool,
) -> StepLedger:
    """The ledger of an entry, ``played`` being its fixtures; what is due only where the reader
    ``may_take`` a step.

    Two queries.
    """
    by_token = {one.token: one for one in played}
    taken = list(
        CareerStep.objects.filter(entry=entry.id)
        .select_related("author", "fixture")
        .order_by("-pk")
        .defer("entry__name")
    )
    # A step that was taken back stays to be read, and counts for nothing.
    held = [row for row in taken if row.revoked_at is None]
    return StepLedger(
        rows=tuple(_row(row, entry, by_token) for row in taken),
        unit=_unit_of(steps, taken),
        total=sum(row.amount for row in held if row.kind == PAY),
        gone=tuple(row.what.get("who", "") for row in held if row.what.get("is_gone")),
        due=_due(steps, entry, played, names, held) if may_take else (),
    )


def _unit_of(steps: Steps, taken: Sequence[CareerStep]) -> str:
    """What is paid in; what was paid in last, where nothing is paid any more."""
    paid_in = (row.what.get("unit", "") for row in taken if row.kind == PAY)
    return steps.pay.unit if steps.pay else next(paid_in, "")


def result_words(one: FixtureRecord | Fixture, entry_id: int) -> str:
    """What a fixture that stands is to one of its entries."""
    if one.winner_id is None:
        return "drawn"
    return "won" if one.winner_id == entry_id else "lost"


def _row(
    row: CareerStep, entry: EntryRecord, by_token: Mapping[str, FixtureRecord]
) -> StepRow:
    one = by_token.get(row.fixture.token if row.fixture else "")
    return copy_fields(
        StepRow,
        row,
        kind_name=NAMES.get(row.kind, row.kind),
        words=row.what.get("words", ""),
        fixture=one.token if one else "",
        round=one.round_number if one else 0,
        by=row.author.display_name if row.author else "",
        is_revoked=row.revoked_at is not None,
        revoked=row.what.get("revoked", ""),
        is_stale=one is not None
        and row.revoked_at is None
        and _is_other(one, entry.id, row),
    )


def _is_other(one: FixtureRecord, entry_id: int, row: CareerStep) -> bool:
    """Whether the result does not stand, or is another one than was paid for."""
    paid_for = row.what.get("result") if row.kind == PAY else None
    return not one.is_final or (bool(paid_for) and result_words(one, entry_id) != paid_for)


def _due(
    steps: Steps,
    entry: EntryRecord,
    played: Sequence[FixtureRecord],
    names: Mapping[int, str],
    held: Sequence[CareerStep],
) -> tuple[DueSteps, ...]:
    """One for each battle that stands and still asks for something, the latest first.

    One query, none where nothing comes after a battle.
    """
    if not steps:
        return ()
    fought = [one for one in played if one.is_final and one.is_game]
    fallen = _fallen(fought, entry.id) if steps.fate else {}
    taken: defaultdict[str, list[CareerStep]] = defaultdict(list)
    for row in held:
        taken[row.fixture.token if row.fixture else ""].append(row)
    due = [
        DueSteps(
            fixture=one.token,
            round=one.round_number,
            opponents=one.opponents(entry.id, names),
            **_open_steps(
                steps,
                result_words(one, entry.id),
                fallen.get(one.battle_id or 0, ()),
                taken[one.token],
            ),
        )
        for one in reversed(fought)
    ]
    return tuple(filter(None, due))


def _open_steps(
    steps: Steps, result: str, fallen: Choices, taken: Sequence[CareerStep]
) -> Fields:
    """What a battle of this result still asks for: fates not rolled, pay, how many recruits."""
    kinds = Counter(row.kind for row in taken)
    rolled = {row.what.get("combatant") for row in taken if row.kind == FATE}
    pay = None if kinds[PAY] else steps.pay
    return {
        "fallen": tuple(pair for pair in fallen if pair[0] not in rolled),
        "pay": pay.of(result) if pay else None,
        "recruits": max(0, steps.recruits - kinds[RECRUITS]),
    }


def _fallen(fought: Sequence[FixtureRecord], entry_id: int) -> dict[int, ChoiceList]:
    """By battle, those of the entry's side that were put out of action. One query."""
    # The side an entry had in each battle: only its own fallen are asked about.
    sides = {
        one.battle_id: SIDES[one.ids.index(entry_id)] for one in fought if one.battle_id
    }
    rows = BattleCombatant.objects.filter(battle__in=list(sides), is_out=True)
    fallen = rows.order_by("position").values_list("battle_id", "side__key", "key", "name")
    return grouped(
        (battle, (key, name))
        for battle, side, key, name in fallen
        if sides.get(battle) == side
    )


def event_files(user_id: int) -> Iterator[DataFile]:
    """Each event they are in: their entry, the lists they handed in, their campaign steps."""
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
                "warband": row.warband.token if row.warband else None,
                "entered_at": row.created_at,
                "lists": [_list_data(lock) for lock in locks.order_by("pk")],
                "steps": list(CareerStep.objects.filter(entry=row).order_by("pk").values()),
            },
        )


def _list_data(lock: ListLock) -> dict[str, object]:
    roster = lock.snapshot.document if lock.snapshot else None
    return {"round": lock.round.number, "roster": roster}
