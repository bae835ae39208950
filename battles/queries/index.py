"""Lists of battles: two queries each (rows, and their sides), never a count of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from django.db.models import F, Prefetch, Q, QuerySet
from django.utils import timezone

from accounts.access import owns
from accounts.owner import NOBODY, Owner
from battles import access
from battles.models import Battle, BattleSide, BattleStatus, BattleVisibility
from battles.queries.records import BattlePage, BattleRow, RowSide
from battles.result_rules import waiting
from battles.results import is_silent
from battles.secret_lists import hide_lists, may_hide
from engine.battles.rules import BattleRules
from engine.records import copy_fields
from rulesdata import registry
from warbands.queries.lists import system_name

PER_PAGE = 20
PAGES_MAX = 100
NEWEST = ("-updated_at", "-id")
_SIDE = [
    *("battle_id", "key", "name", "army_name", "size", "points", "is_quick", "owner_id"),
    *("owner_key", "position", "owner__name", "snapshot_id"),
]


def battles_of(
    actor: Owner, *, status: str = "", page: int = 1, per_page: int = PER_PAGE
) -> BattlePage:
    """The battles the actor takes part in, the last changed first; ``status`` narrows them down.

    Two queries.
    """
    rows = Battle.objects.filter(access.taken_part_by(actor))
    if status:
        is_known = status in BattleStatus.values
        rows = rows.filter(with_status(status, timezone.now())) if is_known else rows.none()
    return _page(actor, rows, page, per_page)


def club_battles(
    actor: Owner, club_id: int, *, is_member: bool, per_page: int = PER_PAGE
) -> BattlePage:
    """A club's battles: for its members all but the private ones, for others the public ones.

    Two queries.
    """
    shown = access.OPENED if is_member else (BattleVisibility.PUBLIC,)
    rows = Battle.objects.filter(access.opened_to(actor, shown), club_id=club_id)
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
    asked = with_status(BattleStatus.OPEN, now) | with_status(BattleStatus.PROPOSED, now)
    return _page(
        actor, Battle.objects.filter(access.taken_part_by(actor)).filter(asked)
    ).rows


def waiting_for(actor: Owner) -> int:
    """How many results wait for this actor's answer, at most 100. One query."""
    now = timezone.now()
    asked = Battle.objects.filter(
        access.taken_part_by(actor), status=BattleStatus.PROPOSED, confirm_by__gt=now
    )
    # Who answers is no secret, whatever they brought.
    rows = asked.defer("locked", "state")
    rows = rows.prefetch_related(Prefetch("sides", queryset=_side_rows()))[:100]
    return sum(_awaits_actor(actor, row, list(row.sides.all()), now) for row in rows)


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


def status_of(battle: Battle, now: datetime) -> str:
    """The status a battle has now, silence heard."""
    return BattleStatus.CONFIRMED if is_silent(battle, now) else battle.status


def _side_rows() -> QuerySet[BattleSide]:
    return BattleSide.objects.select_related("owner").only(*_SIDE).order_by("position")


def _page(
    actor: Owner, rows: QuerySet[Battle], page: int = 1, per_page: int = PER_PAGE
) -> BattlePage:
    """Return a page of battles with their sides, the newest first.

    Two queries, and those of `hide_lists`.
    """
    now = timezone.now()
    # An offset costs more the further it goes, so lists end after so many pages.
    number = min(max(page, 1), PAGES_MAX)
    start = (number - 1) * per_page
    # Of the state a list tells no more than the sides: reading all of it takes far longer.
    asked = (
        rows.select_related("club")
        .defer("locked", "state")
        .annotate(side_states=F("state__sides"))
        .order_by(*NEWEST)
        .prefetch_related(Prefetch("sides", queryset=_side_rows()))
    )
    # One row more than is shown tells whether there is another page.
    found = list(asked[start : start + per_page + 1])
    battles = [row for row in found if may_hide(row)]
    hide_lists(actor, list(chain.from_iterable(row.sides.all() for row in battles)))
    told = tuple(_row(actor, row, now) for row in found[:per_page])
    return BattlePage(told, number, per_page, len(found) > per_page and number < PAGES_MAX)


def _row(actor: Owner, battle: Battle, now: datetime) -> BattleRow:
    """Return a battle of a list, with what it asks of the actor."""
    sides = list(battle.sides.all())
    status = status_of(battle, now)
    return copy_fields(
        BattleRow,
        battle,
        system_name=system_name(battle.system),
        sides=tuple(_row_side(actor, battle, side) for side in sides),
        status=status,
        winner=battle.winner or None,
        how_name=ending_name(battle),
        turn_told=turn_words(battle),
        events=battle.events_count,
        club_name=battle.club.name if battle.club else "",
        is_mine=access.takes_part(actor, battle, sides),
        waits_for_me=_awaits_actor(actor, battle, sides, now),
        confirm_by=battle.confirm_by if status == BattleStatus.PROPOSED else None,
    )


def _row_side(actor: Owner, battle: Any, side: BattleSide) -> RowSide:
    """Return a side of a row of `_page`."""
    stored = (battle.side_states or {}).get(side.key)
    return copy_fields(
        RowSide,
        side,
        owner_name=side.owner.display_name if side.owner else "",
        out=stored["out"] if stored else 0,
        is_mine=owns(actor, side),
        is_winner=bool(battle.winner) and battle.winner == side.key,
    )


def _awaits_actor(
    actor: Owner, battle: Battle, sides: Sequence[BattleSide], now: datetime
) -> bool:
    """Whether a result waits for the answer of one of the actor's sides.

    Whoever plays the side that proposed it is taken for the person who did.
    """
    # Without a time to answer in, an organiser alone is asked.
    if status_of(battle, now) != BattleStatus.PROPOSED or battle.confirm_by is None:
        return False
    found = next((side for side in sides if side.key == battle.proposed_by), None)
    proposer = Owner(found.owner_id, found.owner_key) if found else NOBODY
    asked = waiting(sides, battle.proposed_by, proposer)
    return any(side.key in asked and owns(actor, side) for side in sides)


def ending_name(battle: Battle) -> str:
    """How a battle ended, in words."""
    rules = _rules(battle) if battle.how else None
    ending = rules.endings.get(battle.how) if rules else None
    return ending.name if ending else battle.how


def turn_words(battle: Battle) -> str:
    """The turn a battle has come to, in its system's own word ("round 3"); empty before the first."""
    if not battle.turn:
        return ""
    rules = _rules(battle)
    return f"{rules.turn_name.lower() if rules else 'turn'} {battle.turn}"


def _rules(battle: Battle) -> BattleRules | None:
    """The tables of its system; None for one that is no longer there."""
    try:
        return registry.rules_of(battle)
    except registry.UnknownKey:
        return None
