"""What a warband's battles come to: its record, the careers of its warriors, and each opponent.

Nothing is stored.

Only results that stand are counted, of battles that the reader may open; those that are not for
lists are counted without being named.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.utils import timezone

from accounts.access import owns
from accounts.owner import Owner
from battles import access
from battles.hooks import Member, battle_follower
from battles.models import Battle, BattleCombatant, BattleSide, BattleVisibility, Snapshot
from battles.queries.battles import load_locked_sheet
from battles.queries.index import ending_name, with_status
from battles.results import (
    NO_TOTALS,
    Career,
    CareerBattle,
    CareerTotals,
    GrownCareer,
    HeadToHead,
    WarriorCareer,
)
from battles.secret_lists import hide_lists
from engine.records import Texts, copy_fields, frozen_dataclass, grouped
from warbands.models import Warband, Warrior
from warbands.queries.records import NO_NAME
from warbands.queries.warbands import find_warband
from warbands.sheet.difference import difference
from warbands.sheet.structure import RosterSheet

LISTED_MAX = 50
_FIGHTER = ("side_id", "warrior_id", "number", "name", "title", "kills", "is_out")


@frozen_dataclass
class _CountedBattle:
    """A counted battle of a warband: its own side, with what the events came to, and the others."""

    battle: Battle
    side: BattleSide
    others: tuple[BattleSide, ...]
    tally: CareerTotals

    @property
    def is_recorded(self) -> bool:
        """Whether somebody recorded its casualties."""
        return _is_recorded(self.side)


def career_of(actor: Owner, token: str) -> Career | None:
    """A warband across its battles, the latest first; None where the actor may not open the
    warband. Six queries, and two more for a warband that grows.
    """
    warband = find_warband(actor, token)
    if warband is None:
        return None
    fought = _counted_battles(actor, warband)
    listed = [
        one
        for one in fought
        if access.is_listed(actor, one.battle, (one.side, *one.others))
    ][:LISTED_MAX]
    changes = _changes(listed)
    grown: Mapping[int, GrownCareer] = {}
    if fought and warband.is_grown:
        grown = battle_follower().grown_careers(actor, warband)
    return Career(
        warband=warband.token,
        name=warband.name or NO_NAME,
        system=warband.system,
        tally=add_totals(one.tally for one in fought),
        warriors=_warriors(warband, fought, grown),
        battles=tuple(_battle(one, changes.get(one.side.pk, ())) for one in listed),
        hidden=len(fought) - len(listed),
        recorded=sum(one.is_recorded for one in fought),
        opponents=_opponents(actor, fought),
    )


def _opponents(actor: Owner, fought: Sequence[_CountedBattle]) -> tuple[HeadToHead, ...]:
    """A warband against each opponent, those met most often first.

    Warbands of the same name are one opponent only where they are the same warband; quick sides go
    by their name.
    """
    # The name counts only without a warband: it may change, and two players may choose the same.
    found: dict[tuple[int | None, str], list[tuple[_CountedBattle, BattleSide]]] = {}
    for one in fought:
        for other in one.others:
            name = "" if other.warband_id else other.name.casefold()
            found.setdefault((other.warband_id, name), []).append((one, other))
    rows = [_head_to_head(actor, met) for met in found.values()]
    return tuple(sorted(rows, key=lambda row: (-row.tally.battles, row.name)))


def add_totals(tallies: Iterable[CareerTotals]) -> CareerTotals:
    """The tallies together."""
    return sum(tallies, NO_TOTALS)


def totals_of_outcome(winner: str, side: str, kills: int = 0, out: int = 0) -> CareerTotals:
    """One battle for a side, by who won it ("" nobody)."""
    won, drawn = bool(winner) and winner == side, not winner
    lost = not won and not drawn
    return CareerTotals(1, int(won), int(drawn), int(lost), kills, out)


def counted_sides(
    actor: Owner, warband_ids: Sequence[int], now: datetime
) -> list[BattleSide]:
    """The sides of these warbands in battles that count for this reader, with kills and losses; the
    latest first.
    """
    sides = _counted_rows(actor, warband_ids, now)
    hide_lists(actor, sides)
    return sides


def _counted_rows(
    actor: Owner, warband_ids: Sequence[int], now: datetime
) -> list[BattleSide]:
    """Return the warbands' sides in confirmed battles, the newest first.

    Only battles the actor may read count. Rows have kills and models out. One query.
    """
    battles = Battle.objects.filter(access.readable_by(actor)).filter(
        with_status("confirmed", now)
    )
    rows = BattleSide.objects.filter(
        warband__in=warband_ids, battle__in=battles
    ).select_related("battle")
    fallen = BattleCombatant.objects.filter(is_out=True)
    summed = rows.annotate(
        kills=Sum("combatants__kills"),
        gone=Count("combatants", filter=Q(combatants__is_out=True)),
        # Where the record has nobody out, nobody counted: the result alone was entered.
        has_casualties=Exists(fallen.filter(battle=OuterRef("battle"))),
    )
    return list(
        summed.defer("battle__locked", "battle__state").order_by(
            "-battle__fought_date", "-battle_id"
        )
    )


def totals_of_side(side: BattleSide) -> CareerTotals:
    """What one side of `counted_sides` adds to its warband's record."""
    kills, out = getattr(side, "kills", 0) or 0, getattr(side, "gone", 0)
    return totals_of_outcome(side.battle.winner, side.key, kills, out)


def _is_recorded(side: BattleSide) -> bool:
    """Whether anybody of the battle of a side of `_counted_rows` was recorded as out."""
    return bool(getattr(side, "has_casualties", False))


def totals_of_warriors(
    sides: Sequence[BattleSide],
) -> dict[int, dict[Member, CareerTotals]]:
    """What each warrior's battles come to, by warband. One query."""
    found: dict[int, dict[Member, CareerTotals]] = {}
    by_id = {side.pk: side for side in sides if not side.hides_list}
    for row in _fighters_of(by_id):
        side = by_id[row.side_id]
        members = found.setdefault(side.warband_id or 0, {})
        _add_battle(members, side, row)
    return found


def _fighters_of(sides: Iterable[int]) -> list[Any]:
    """The rows of those who stand in a warband, by the keys of their sides. One query."""
    rows = BattleCombatant.objects.filter(side__in=list(sides), warrior_id__isnull=False)
    return list(rows.values_list(*_FIGHTER, named=True))


def _add_battle(totals: dict[Member, CareerTotals], side: BattleSide, row: Any) -> None:
    """Count the battle of a side for one who fought in it."""
    member = (row.warrior_id, row.number)
    one = totals_of_outcome(side.battle.winner, side.key, row.kills, int(row.is_out))
    totals[member] = totals.get(member, NO_TOTALS) + one


def _counted_battles(actor: Owner, warband: Warband) -> list[_CountedBattle]:
    """The counted battles of a warband. Three queries."""
    sides = _counted_rows(actor, [warband.pk], timezone.now())
    rows = BattleSide.objects.filter(battle__in=[side.battle_id for side in sides])
    rows = rows.select_related("owner", "warband").order_by("battle_id", "position")
    found = list(rows)
    hide_lists(actor, [*sides, *found])
    others = grouped((row.battle_id, row) for row in found)
    return [
        _CountedBattle(
            side.battle,
            side,
            tuple(o for o in others.get(side.battle_id, ()) if o.pk != side.pk),
            totals_of_side(side),
        )
        for side in sides
    ]


def _warriors(
    warband: Warband, fought: Sequence[_CountedBattle], grown: Mapping[int, GrownCareer]
) -> tuple[WarriorCareer, ...]:
    """Everybody who fought, in the order of the warband as it is now, those who are gone after
    them. Two queries.
    """
    own = Warrior.objects.filter(warband=warband).order_by("position", "pk")
    there = {pk: place for place, pk in enumerate(own.values_list("pk", flat=True))}
    latest: dict[Member, Any] = {}
    tallies: dict[Member, CareerTotals] = {}
    recorded: Counter[Member] = Counter()
    sides = {one.side.pk: one.side for one in fought if not one.side.hides_list}
    order = {pk: place for place, pk in enumerate(sides)}
    # The latest battle first, so that the first name met is the one a warrior has now.
    for row in sorted(_fighters_of(sides), key=lambda row: order[row.side_id]):
        latest.setdefault((row.warrior_id, row.number), row)
        _add_battle(tallies, sides[row.side_id], row)
        recorded[row.warrior_id, row.number] += _is_recorded(sides[row.side_id])
    careers = [
        copy_fields(
            WarriorCareer,
            latest[member],
            tally=tally,
            is_there=latest[member].warrior_id in there,
            recorded=recorded[member],
        )
        for member, tally in tallies.items()
    ]
    careers.sort(
        key=lambda c: (there.get(c.warrior_id or 0, len(there)), c.warrior_id, c.number)
    )
    # Models of a group share what they have learned, so the first of them tells it.
    growth = dict(grown)
    return tuple(
        replace(career, growth=growth.pop(career.warrior_id or 0, None))
        for career in careers
    )


def _battle(one: _CountedBattle, changes: Texts) -> CareerBattle:
    """Return a confirmed battle for a career: opponents, result, and models out."""
    battle, side = one.battle, one.side
    results = ("won", "drawn", "lost")
    return copy_fields(
        CareerBattle,
        battle,
        opponents=tuple(other.name for other in one.others),
        result=next(result for result in results if getattr(one.tally, result)),
        how_name=ending_name(battle),
        out=one.tally.out,
        size=side.size,
        kills=one.tally.kills,
        changes=changes,
        is_recorded=one.is_recorded,
    )


def _changes(listed: Sequence[_CountedBattle]) -> dict[int, Texts]:
    """For each side, what was different from the warband's battle before it.

    One query, however many snapshots.
    """
    ids = {one.side.snapshot_id for one in listed if one.side.snapshot_id}
    sheets = {
        row.pk: row.sheet for row in Snapshot.objects.filter(pk__in=ids).only("sheet")
    }
    # Reading a sheet takes long, so each one is read once and only where it is compared.
    load = cache(lambda pk: load_locked_sheet(sheets.get(pk)))
    found: dict[int, Texts] = {}
    for later, earlier in pairwise(listed):
        before, after = earlier.side.snapshot_id, later.side.snapshot_id
        if before != after:
            found[later.side.pk] = _difference(load(before), load(after))
    return found


def _difference(before: RosterSheet | None, after: RosterSheet | None) -> Texts:
    return difference(before, after) if before and after else ()


def _head_to_head(
    actor: Owner, met: Sequence[tuple[_CountedBattle, BattleSide]]
) -> HeadToHead:
    """The record against one opponent. Where a third side won, neither of the two did."""
    latest = met[0][1]
    warband = latest.warband
    tally = NO_TOTALS
    for one, other in met:
        winner = one.battle.winner if one.battle.winner in (one.side.key, other.key) else ""
        tally += totals_of_outcome(winner, one.side.key)
    is_open = warband is not None and (
        owns(actor, warband)
        or (warband.owner_id is not None and warband.visibility == BattleVisibility.PUBLIC)
    )
    return copy_fields(
        HeadToHead,
        latest,
        warband=warband.token if warband is not None and is_open else "",
        owner_name=latest.owner.display_name if latest.owner else "",
        tally=tally,
        last_date=met[0][0].battle.fought_date,
    )
