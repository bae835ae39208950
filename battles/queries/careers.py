"""What a warband's battles come to: its record, the careers of its warriors, and each opponent.

Nothing is stored.

Only results that stand are counted, of battles that the reader may open; those that are not for
lists are counted without being named.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
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
from battles.results import NO_TOTALS, CareerTotals
from battles.secret_lists import hide_lists
from engine.records import Fields, Texts, grouped
from warbands.models import Warband, Warrior
from warbands.queries.records import NO_NAME
from warbands.queries.warbands import find_warband
from warbands.sheet.difference import difference

LISTED_MAX = 50
_FIGHTER = ("side_id", "warrior_id", "number", "name", "title", "kills", "is_out")


Fought = Sequence[tuple[BattleSide, Sequence[BattleSide]]]
"""The sides of a warband in its counted battles, the latest first, each with the other sides."""


def load_career(actor: Owner, token: str) -> Fields | None:
    """A warband across its battles, the latest first; None where the actor may not open the
    warband. Six queries, and two more for a warband that grows.

    ``hidden`` counted battles are not listed for the reader, ``recorded`` ones have casualties.
    """
    warband = find_warband(actor, token)
    if warband is None:
        return None
    fought = _counted_battles(actor, warband)
    sides = [side for side, _ in fought]
    listed = [
        (side, others)
        for side, others in fought
        if access.is_listed(actor, side.battle, (side, *others))
    ][:LISTED_MAX]
    changes = _changes([side for side, _ in listed])
    return {
        "warband": warband.token,
        "name": warband.name or NO_NAME,
        "tally": sum(map(totals_of_side, sides), NO_TOTALS),
        "warriors": _warriors(actor, warband, sides),
        "battles": [
            {
                "side": side,
                "battle": side.battle,
                "opponents": [other.name for other in others],
                "tally": totals_of_side(side),
                "how_name": ending_name(side.battle),
                "changes": changes.get(side.pk, ()),
                "is_recorded": _is_recorded(side),
            }
            for side, others in listed
        ],
        "hidden": len(fought) - len(listed),
        "recorded": sum(map(_is_recorded, sides)),
        "opponents": _opponents(actor, fought),
    }


def _opponents(actor: Owner, fought: Fought) -> list[Fields]:
    """A warband against each opponent, those met most often first. ``warband`` is the opponent's
    token, "" where the reader may not open it.

    Warbands of the same name are one opponent only where they are the same warband; quick sides go
    by their name.
    """
    # The name counts only without a warband: it may change, and two players may choose the same.
    meetings = defaultdict(list)
    for side, others in fought:
        for other in others:
            name = "" if other.warband_id else other.name.casefold()
            meetings[other.warband_id, name].append((side, other))
    rows = [_head_to_head(actor, pairs) for pairs in meetings.values()]
    return sorted(rows, key=lambda row: (-row["tally"].battles, row["name"]))


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
    battles = Battle.objects.filter(
        access.readable_by(actor), with_status("confirmed", now)
    )
    fallen = BattleCombatant.objects.filter(is_out=True, battle=OuterRef("battle"))
    rows = BattleSide.objects.filter(warband__in=warband_ids, battle__in=battles)
    return list(
        rows.select_related("battle")
        .defer("battle__locked", "battle__state")
        .annotate(
            kills=Sum("combatants__kills"),
            gone=Count("combatants", filter=Q(combatants__is_out=True)),
            # Where the record has nobody out, nobody counted: the result alone was entered.
            has_casualties=Exists(fallen),
        )
        .order_by("-battle__fought_date", "-battle_id")
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
    totals: dict[int, dict[Member, CareerTotals]] = {}
    for side, row in _fighters(sides):
        _add_battle(totals.setdefault(side.warband_id or 0, {}), side, row)
    return totals


def _fighters(sides: Iterable[BattleSide]) -> list[tuple[BattleSide, Any]]:
    """The rows of those who stand in a warband with their side, in the order of the sides.

    Lists that are secret are left out. One query.
    """
    by_id = {side.pk: side for side in sides if not side.hides_list}
    places = {pk: place for place, pk in enumerate(by_id)}
    rows = BattleCombatant.objects.filter(side__in=list(by_id), warrior_id__isnull=False)
    fighters = [
        (by_id[row.side_id], row) for row in rows.values_list(*_FIGHTER, named=True)
    ]
    return sorted(fighters, key=lambda fighter: places[fighter[0].pk])


def _add_battle(totals: dict[Member, CareerTotals], side: BattleSide, row: Any) -> None:
    """Count the battle of a side for one who fought in it."""
    member = (row.warrior_id, row.number)
    battle = totals_of_outcome(side.battle.winner, side.key, row.kills, int(row.is_out))
    totals[member] = totals.get(member, NO_TOTALS) + battle


def _counted_battles(actor: Owner, warband: Warband) -> Fought:
    """The counted battles of a warband. Three queries."""
    sides = _counted_rows(actor, [warband.pk], timezone.now())
    rows = BattleSide.objects.filter(battle__in=[side.battle_id for side in sides])
    rows = rows.select_related("owner", "warband").order_by("battle_id", "position")
    hide_lists(actor, [*sides, *rows])
    by_battle = grouped((row.battle_id, row) for row in rows)
    return [
        (side, [row for row in by_battle[side.battle_id] if row.pk != side.pk])
        for side in sides
    ]


def _warriors(actor: Owner, warband: Warband, sides: Sequence[BattleSide]) -> list[Fields]:
    """Everybody who fought, in the order of the warband as it is now, those who are gone after
    them, each with the newest name. Two queries.
    """
    entries = Warrior.objects.filter(warband=warband).order_by("position", "pk")
    places = {pk: place for place, pk in enumerate(entries.values_list("pk", flat=True))}
    latest: dict[Member, Any] = {}
    tallies: dict[Member, CareerTotals] = {}
    recorded: Counter[Member] = Counter()
    # The latest battle first, so that the first name met is the one a warrior has now.
    for side, row in _fighters(sides):
        latest.setdefault((row.warrior_id, row.number), row)
        _add_battle(tallies, side, row)
        recorded[row.warrior_id, row.number] += _is_recorded(side)
    is_grown = sides and warband.is_grown
    growth = battle_follower().grown_careers(actor, warband) if is_grown else {}
    return [
        {
            "fighter": latest[member],
            "tally": tallies[member],
            "is_there": member[0] in places,
            "recorded": recorded[member],
            # Models of a group share what they have learned, so the first of them tells it.
            "growth": growth.pop(member[0] or 0, None),
        }
        for member in sorted(
            tallies, key=lambda member: (places.get(member[0] or 0, len(places)), *member)
        )
    ]


def _changes(listed: Sequence[BattleSide]) -> dict[int, Texts]:
    """For each side, what was different from the warband's battle before it.

    One query, however many snapshots.
    """
    ids = [side.snapshot_id for side in listed if side.snapshot_id]
    rows = Snapshot.objects.filter(pk__in=ids).only("sheet")
    sheets = {row.pk: row.sheet for row in rows}
    # Reading a sheet takes long, so each one is read once and only where it is compared.
    load = cache(lambda pk: load_locked_sheet(sheets.get(pk)))
    changes: dict[int, Texts] = {}
    for side, previous in pairwise(listed):
        if side.snapshot_id != previous.snapshot_id:
            before, after = load(previous.snapshot_id), load(side.snapshot_id)
            changes[side.pk] = difference(before, after) if before and after else ()
    return changes


def _head_to_head(
    actor: Owner, meetings: Sequence[tuple[BattleSide, BattleSide]]
) -> Fields:
    """The record against one opponent. Where a third side won, neither of the two did."""
    last_side, latest = meetings[0]
    warband, tally = latest.warband, NO_TOTALS
    for side, other in meetings:
        winner = side.battle.winner
        is_theirs = winner in (side.key, other.key)
        tally += totals_of_outcome(winner if is_theirs else "", side.key)
    is_open = warband is not None and (
        owns(actor, warband)
        or (warband.owner_id is not None and warband.visibility == BattleVisibility.PUBLIC)
    )
    return {
        "warband": warband.token if warband is not None and is_open else "",
        "name": latest.name,
        "owner_name": latest.owner.display_name if latest.owner else "",
        "tally": tally,
        "last_date": last_side.battle.fought_date,
    }
