"""Which warbands of a club's list keep prices from before, and what the new ones would make of
them.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.db.models import Exists, OuterRef

from accounts.owner import Owner
from engine.records import Texts, frozen_dataclass, grouped
from engine.roster import RosterEntry
from engine.selection import Selection, points_over, price_kept, select, total_points
from rulesdata import registry
from rulesdata.queries.clubs import ClubHead, load_club_list
from warbands.access import repriced_by
from warbands.models import Warband, Warrior, WarriorOption
from warbands.queries.records import NO_NAME
from warbands.roster_fields import entry_of

SHOWN_MAX = 200


@frozen_dataclass
class WarbandPrices:
    """A warband that keeps prices: its points now and at today's prices; ``over`` is by how much
    that is too many.
    """

    token: str
    version: int
    name: str
    owner: str
    is_mine: bool
    warriors: Texts
    points: int
    points_then: int
    limit: int | None

    @property
    def over(self) -> int:
        return points_over(self.limit, self.points_then)

    @property
    def difference(self) -> int:
        return self.points_then - self.points


@frozen_dataclass
class PricesPage:
    """The warbands a change of prices touches.

    ``hidden``: so many more are not shown to the club.
    """

    club: ClubHead
    list_token: str
    list_name: str
    rows: tuple[WarbandPrices, ...]
    hidden: int


def load_prices(actor: Owner, slug: str, token: str) -> PricesPage:
    """Every warband of the list that keeps a price, for the list's club.

    Seven queries, whatever their number.

    Raises NotInTheBook for those outside the club.
    """
    club, own = load_club_list(actor, slug, token)
    # Exists, not a join: a warband with several kept prices stands here once.
    keeping = Exists(Warrior.objects.filter(warband=OuterRef("pk"), keeps_price=True))
    touched = Warband.objects.filter(keeping, army=token, archived_at=None)
    mine = (
        touched.filter(repriced_by(actor, club.id))
        .select_related("owner")
        .order_by("name_key", "pk")
    )
    warbands = list(mine[:SHOWN_MAX])
    entries = entries_by_warband([warband.pk for warband in warbands])
    rows = tuple(
        _warband_prices(actor, warband, entries.get(warband.pk, [])) for warband in warbands
    )
    return PricesPage(club, token, own.file.name, rows, touched.count() - len(rows))


def load_points_today(tokens: Iterable[str]) -> dict[str, int]:
    """What those of some warbands that keep a price would cost today, by token.

    Three queries, one where none does.
    """
    keeping = Exists(Warrior.objects.filter(warband=OuterRef("pk"), keeps_price=True))
    warbands = list(Warband.objects.filter(keeping, token__in=list(tokens)))
    entries = entries_by_warband([one.pk for one in warbands]) if warbands else {}
    found = {}
    for one in warbands:
        # A club may have put its list away since.
        with suppress(registry.UnknownKey):
            found[one.token] = _points_today(one, entries.get(one.pk, ()))
    return found


def _points_today(warband: Warband, entries: Iterable[RosterEntry]) -> int:
    """What a warband costs at the prices of its list, whatever it keeps from before."""
    army = registry.load_army(warband.system, warband.army, warband.variant or None)
    then = [select(army, replace(entry, kept=None)) for entry in entries]
    return total_points(then, warband.points_limit, registry.system_of(warband))


def options_by_warrior(**wanted: Any) -> Mapping[int, list[str]]:
    """The option keys of these warriors' holdings, in order. One query."""
    held = WarriorOption.objects.filter(**wanted).order_by("position", "pk")
    return grouped(held.values_list("warrior_id", "key"))


def entries_by_warband(ids: Sequence[int]) -> Mapping[int, list[RosterEntry]]:
    """The entries of several warbands in order. Two queries."""
    options = options_by_warrior(warrior__warband__in=ids)
    rows = Warrior.objects.filter(warband__in=ids).order_by("position", "pk")
    return grouped((row.warband_id, entry_of(row, options.get(row.pk, ()))) for row in rows)


def _warband_prices(
    actor: Owner, warband: Warband, entries: list[RosterEntry]
) -> WarbandPrices:
    system = registry.system_of(warband)
    army = registry.load_army(warband.system, warband.army, warband.variant or None)
    now = [select(army, entry) for entry in entries]
    return WarbandPrices(
        token=warband.token,
        version=warband.version,
        name=warband.name or NO_NAME,
        owner=warband.owner.display_name if warband.owner else "",
        is_mine=actor.user_id is not None and warband.owner_id == actor.user_id,
        warriors=tuple(_kept_words(one) for one in now if price_kept(one)),
        points=total_points(now, warband.points_limit, system),
        points_then=_points_today(warband, entries),
        limit=warband.points_limit,
    )


def _kept_words(selection: Selection) -> str:
    """An entry with the price it keeps and today's."""
    count, each = selection.entry.count, selection.points_each
    times = f"{count}× " if count > 1 else ""
    return f"{times}{selection.label}: {each} each, now {each - price_kept(selection)}"
