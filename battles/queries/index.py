"""Lists of battles, and the frozen values that all readers of battles hand out. Two
queries a list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any

from django.db.models import F, Prefetch, Q, QuerySet
from django.utils import timezone

from accounts.access import owns
from accounts.owner import NOBODY, Owner
from accounts.pagination import RowsPage, load_page
from battles import access
from battles.combatants import LockedCombatant
from battles.models import Battle, BattleSide, BattleStatus, BattleVisibility
from battles.result_rules import waiting
from battles.results import ResultStep, is_silent
from battles.secret_lists import hide_lists, may_hide
from engine.battles.battle_summary import Summary, summary
from engine.battles.rules import BattleRules
from engine.battles.types import BattleState, Event, Field, SideState
from engine.records import (
    NamedValues,
    Texts,
    copy_fields,
    frozen_dataclass,
    keyword_dataclass,
)
from engine.types.systems import Scenario
from rulesdata import registry
from rulesdata.agreements import PlayedRuling
from warbands.queries.lists import system_name

# What the readers of battles hand out: frozen values that know nothing of the database.

NO_NAME = "a side without a name"


@keyword_dataclass
class SideHeader:
    """A side as lists name it.

    ``is_mine``: its warband is the reader's. ``points`` is None where nobody counts them.
    """

    key: str
    name: str
    army_name: str
    owner_name: str
    is_quick: bool
    size: int
    points: int | None
    is_mine: bool


@keyword_dataclass
class BattleSideRecord(SideHeader):
    """A side with everybody in it.

    ``is_secret``: its list is secret from the reader, who is told counts and results alone.
    ``state`` is what the events came to; ``warband`` the token of a roster the reader may open, or
    "".
    """

    army: str
    warband_id: int | None
    warband: str
    snapshot_id: int | None
    models: int
    leadership: int | None
    fighters: tuple[LockedCombatant, ...]
    state: SideState
    is_secret: bool = False

    @property
    def out(self) -> int:
        return self.state.out


@keyword_dataclass
class EventRecord(Event):
    """An event as it was stored.

    ``verdict``: "" it counts, "undone", or why it was set aside; ``author`` a name or "".

    ``position`` is the order of arrival; the order that counts is the fold's.
    """

    position: int
    author: str
    verdict: str


@keyword_dataclass
class ResultStepRecord(ResultStep):
    """One entry of the result's history.

    ``winner`` is a side's key, None for nobody.

    ``figures`` are what the events came to then: ``{"turn", "sides": {key: {"out", "size"}}}``.
    """

    # Readers know nobody as None, as everywhere in records; rows and rules as "".
    winner: str | None  # type: ignore[assignment]
    number: int
    figures: NamedValues
    author: str


@frozen_dataclass
class ResultRecord:
    """The result as it is now.

    ``status`` is open, proposed, confirmed, disputed or void; ``number`` how many steps.

    ``may`` says by verb what this reader may do next, and under "accept" whether they confirm as an
    organiser.
    ``how_name`` is the ending in words.
    """

    status: str
    winner: str | None
    winner_name: str
    how: str
    how_name: str
    side: str
    confirm_by: datetime | None
    number: int
    steps: tuple[ResultStepRecord, ...]
    may: Mapping[str, bool]

    @property
    def status_label(self) -> str:
        return str(BattleStatus(self.status).label)

    @property
    def stands(self) -> bool:
        """Whether it counts for records and careers."""
        return self.status == BattleStatus.CONFIRMED


@dataclass(frozen=True, kw_only=True)
class BattleHeader:
    """What lists and pages name a battle by."""

    token: str
    system: str
    system_name: str
    scenario_name: str
    sides: Sequence[SideHeader]
    visibility: str
    club_name: str
    fought_date: date

    @property
    def title(self) -> str:
        """The sides against each other: "The Ferrymen against Night Watch"."""
        return " against ".join(side.name or NO_NAME for side in self.sides)


@dataclass(frozen=True, kw_only=True)
class BattleRecord(BattleHeader):
    """A battle with everything in it, for the page, the report, the JSON and every export.

    ``key`` is the battle's key, empty for those who may not record. ``position`` counts the events
    stored, those that were set aside included. ``state`` is the fold of ``events`` under ``rules``.
    """

    key: str = field(repr=False)
    variant: str | None
    scenario: str | None
    scenario_record: Scenario | None
    house_rules: Mapping[str, bool]
    house_rule_names: Texts
    ruling_layers: NamedValues
    played_rulings: tuple[PlayedRuling, ...]
    note: str
    attacker: str
    first: str
    owner_name: str
    club_id: int | None
    confirm_days: int
    version: int
    position: int
    sides: tuple[BattleSideRecord, ...]
    rules: BattleRules
    field: Field
    events: tuple[EventRecord, ...]
    state: BattleState
    result: ResultRecord
    may_record: bool
    may_share: bool

    @cached_property
    def summary(self) -> Summary:
        """Timeline, casualties, kills, tests and dice, by a fold of its own."""
        return summary(self.rules, self.field, self.events)

    @property
    def is_closed(self) -> bool:
        """Whether no more events are taken: the result is final or void."""
        return self.result.status in (BattleStatus.CONFIRMED, BattleStatus.VOID)

    @cached_property
    def fighters(self) -> Mapping[str, LockedCombatant]:
        """Combatant id to combatant, of all sides."""
        return {fighter.id: fighter for side in self.sides for fighter in side.fighters}

    @property
    def open_sides(self) -> tuple[BattleSideRecord, ...]:
        """The sides without a list that this reader may still bring one for.

        Nothing is recorded yet, and no side is theirs.
        """
        has_begun = self.position or self.result.status != BattleStatus.OPEN
        if has_begun or not self.may_record or any(side.is_mine for side in self.sides):
            return ()
        return tuple(side for side in self.sides if side.is_quick and not side.owner_name)

    def side_name(self, key: str | None) -> str:
        """The name of a side, "" for none."""
        return next((side.name for side in self.sides if side.key == key), "")

    def combatant_name(self, key: str | None) -> str:
        """The name of a combatant, "" for none."""
        fighter = self.fighters.get(key or "")
        return fighter.name if fighter else ""


@keyword_dataclass
class RowSide(SideHeader):
    """A side of a row: ``out`` of ``size`` are out; ``is_winner`` under the present result."""

    out: int
    is_winner: bool


@dataclass(frozen=True, kw_only=True)
class BattleRow(BattleHeader):
    """One line of a list of battles. ``turn_told`` is "turn 3", or empty before the first."""

    sides: tuple[RowSide, ...]
    status: str
    winner: str | None
    how: str
    how_name: str
    turn_told: str
    events: int
    is_mine: bool
    waits_for_me: bool
    confirm_by: datetime | None
    updated_at: datetime

    @property
    def status_label(self) -> str:
        return str(BattleStatus(self.status).label)


BattlePage = RowsPage[BattleRow]


# Lists of battles: two queries each (rows, and their sides), never a count of the whole
# table.

PER_PAGE = 20
NEWEST = ("-updated_at", "-id")
_SIDE = [
    *("battle_id", "key", "name", "army_name", "size", "points", "is_quick", "owner_id"),
    *("owner_key", "position", "owner__name", "snapshot_id"),
]


def own_battles(
    actor: Owner, *, status: str = "", page: int = 1, per_page: int = PER_PAGE
) -> BattlePage:
    """The battles the actor takes part in, the last changed first; ``status`` narrows them down.

    Two queries.
    """
    rows = Battle.objects.filter(access.taken_part_by(actor))
    if status:
        rows = rows.filter(with_status(status, timezone.now()))
    return _page(actor, rows, page, per_page)


def club_battles(
    actor: Owner, club_id: int, *, is_member: bool, per_page: int = PER_PAGE
) -> BattlePage:
    """A club's battles: for its members all but the private ones, for others the public ones.

    Two queries.
    """
    visibilities = access.OPENED if is_member else (BattleVisibility.PUBLIC,)
    rows = Battle.objects.filter(access.opened_to(actor, visibilities), club_id=club_id)
    return _page(actor, rows, per_page=per_page)


def public_battles(actor: Owner, *, page: int = 1, per_page: int = PER_PAGE) -> BattlePage:
    """The battles everybody may find. Two queries."""
    rows = Battle.objects.filter(access.opened_to(actor, [BattleVisibility.PUBLIC]))
    return _page(actor, rows, page, per_page)


def current_battles(actor: Owner) -> tuple[BattleRow, ...]:
    """The actor's battles that are being played or wait for an answer, the last changed first.

    Two queries.
    """
    now = timezone.now()
    current = with_status(BattleStatus.OPEN, now) | with_status(BattleStatus.PROPOSED, now)
    return _page(
        actor, Battle.objects.filter(access.taken_part_by(actor)).filter(current)
    ).rows


def waiting_for(actor: Owner) -> int:
    """How many results wait for this actor's answer, at most 100. One query."""
    now = timezone.now()
    # Who answers is no secret, whatever they brought.
    rows = Battle.objects.filter(
        access.taken_part_by(actor), status=BattleStatus.PROPOSED, confirm_by__gt=now
    )
    return sum(
        _awaits_actor(actor, row, list(row.sides.all()), now)
        for row in _with_sides(rows)[:100]
    )


def with_status(status: str, now: datetime) -> Q:
    """The battles that have this status now, silence heard."""
    if status == BattleStatus.CONFIRMED:
        return Q(status=status) | overdue(now)
    if status == BattleStatus.PROPOSED:
        return Q(status=status) & ~overdue(now)
    return Q(status=status)


def overdue(now: datetime) -> Q:
    """The battles whose result silence has confirmed, as `battles.results.is_silent` has it."""
    return Q(status=BattleStatus.PROPOSED, confirm_by__lte=now)


def current_status(battle: Battle, now: datetime) -> str:
    """The status a battle has now, silence heard."""
    return BattleStatus.CONFIRMED if is_silent(battle, now) else battle.status


def _with_sides(rows: QuerySet[Battle]) -> QuerySet[Battle]:
    """Rows of a list with their sides; reading the whole state takes far longer."""
    sides = BattleSide.objects.select_related("owner").only(*_SIDE).order_by("position")
    return rows.defer("locked", "state").prefetch_related(Prefetch("sides", sides))


def _page(
    actor: Owner, rows: QuerySet[Battle], page: int = 1, per_page: int = PER_PAGE
) -> BattlePage:
    """Return a page of battles with their sides, the newest first.

    Two queries, and those of `hide_lists`.
    """
    now = timezone.now()
    rows = rows.select_related("club").annotate(side_states=F("state__sides"))
    rows = _with_sides(rows).order_by(*NEWEST)
    battles = load_page(rows, lambda row: row, page=page, per_page=per_page)
    hide_lists(
        actor, [side for row in battles.rows if may_hide(row) for side in row.sides.all()]
    )
    return replace(battles, rows=tuple(_row(actor, row, now) for row in battles.rows))


def _row(actor: Owner, battle: Any, now: datetime) -> BattleRow:
    """Return a battle of a list, with what it asks of the actor."""
    sides = list(battle.sides.all())
    status = current_status(battle, now)
    rules = _rules(battle) if battle.turn else None
    turn_name = rules.turn_name.lower() if rules else "turn"
    return copy_fields(
        BattleRow,
        battle,
        system_name=system_name(battle.system),
        sides=tuple(
            copy_fields(
                RowSide,
                side,
                owner_name=side.owner.display_name if side.owner else "",
                out=(battle.side_states or {}).get(side.key, {"out": 0})["out"],
                is_mine=owns(actor, side),
                is_winner=bool(battle.winner) and battle.winner == side.key,
            )
            for side in sides
        ),
        status=status,
        winner=battle.winner or None,
        how_name=ending_name(battle),
        turn_told=f"{turn_name} {battle.turn}" if battle.turn else "",
        events=battle.events_count,
        club_name=battle.club.name if battle.club else "",
        is_mine=access.takes_part(actor, battle, sides),
        waits_for_me=_awaits_actor(actor, battle, sides, now),
        confirm_by=battle.confirm_by if status == BattleStatus.PROPOSED else None,
    )


def _awaits_actor(
    actor: Owner, battle: Battle, sides: Sequence[BattleSide], now: datetime
) -> bool:
    """Whether a result waits for the answer of one of the actor's sides.

    Whoever plays the side that proposed it is taken for the person who did.
    """
    # Without a time to answer in, an organiser alone is asked.
    if current_status(battle, now) != BattleStatus.PROPOSED or battle.confirm_by is None:
        return False
    owners = {side.key: Owner(side.owner_id, side.owner_key) for side in sides}
    proposer = owners.get(battle.proposed_by, NOBODY)
    unanswered = waiting(sides, battle.proposed_by, proposer)
    return any(side.key in unanswered and owns(actor, side) for side in sides)


def ending_name(battle: Battle) -> str:
    """How a battle ended, in words."""
    rules = _rules(battle) if battle.how else None
    ending = rules.endings.get(battle.how) if rules else None
    return ending.name if ending else battle.how


def _rules(battle: Battle) -> BattleRules | None:
    """The tables of its system; None for one that is no longer there."""
    try:
        return registry.rules_of(battle)
    except registry.UnknownKey:
        return None
