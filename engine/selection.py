"""Selections: the entries of a roster read against their army list, with what each costs."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.records import NumberByKey, TextByKey, Texts, frozen_dataclass
from engine.roster import EntryGrowth, RosterEntry
from engine.text import unique_names
from engine.types.lists import (
    CHAMPION,
    MAGIC_PREFIX,
    MUSICIAN,
    STANDARD_BEARER,
    Army,
    MagicItem,
    Option,
    Profile,
)
from engine.types.systems import System

# One miniature pays the base price plus everything listed, whatever a finding says about
# the choice. An option printed with one price for a whole regiment is paid in full by the
# one miniature where every model is a unit of its own (Warhammer Skirmish, THE SKIRMISH
# FORCE), and once for the entry where the system's entries are regiments.

KEPT = (
    "price/kept"  # the key of a receipt's line; no option of a list has a slash in its own
)


@frozen_dataclass
class ReceiptLine:
    """One line of a price: ``points`` of one miniature for all ``times`` together.

    ``is_once``: the points are those of the whole entry, however many miniatures it has.
    """

    key: str
    label: str
    points: int
    times: int = 1
    is_once: bool = False

    @property
    def each(self) -> int:
        """Return the points of one piece."""
        return self.points // self.times

    def total(self, count: int) -> int:
        """Return what an entry of so many miniatures pays for it."""
        return self.points if self.is_once else self.points * count


@frozen_dataclass
class Selection:
    """An entry read against its army list.

    ``profile`` is None when the list has no such profile. ``bought`` counts every key listed, the
    tuples hold those the list knows, in the order of purchase, and ``unknown`` the others.
    ``wizard_level`` is None where no source states it, ``leadership`` where a dash is printed. A
    hired sword is paid ``is_beside`` the points limit unless its list says otherwise.
    """

    index: int
    entry: RosterEntry
    profile: Profile | None
    bought: NumberByKey
    options: tuple[Option, ...] = ()
    champions_options: tuple[Option, ...] = ()
    magic_items: tuple[MagicItem, ...] = ()
    command: Texts = ()
    unknown: Texts = ()
    receipt: tuple[ReceiptLine, ...] = ()
    mount: Profile | None = None
    wizard_level: int | None = 0
    leadership: int | None = None
    is_beside: bool = False

    @property
    def points_each(self) -> int:
        """Return what one miniature pays."""
        return points_each(self.receipt)

    @property
    def points_once(self) -> int:
        """Return what is paid once for the entry: its standard, its musician."""
        return sum(line.points for line in self.receipt if line.is_once)

    @property
    def points(self) -> int:
        """Return what all miniatures of the entry pay together."""
        return self.points_each * self.entry.count + self.points_once

    @property
    def miniatures(self) -> int:
        """Return how many miniatures take the table, those that options bring included."""
        brought = sum(
            option.miniatures * self.bought[option.key] for option in self.options
        )
        return self.entry.count * (
            (self.profile.miniatures if self.profile else 1) + brought
        )

    @property
    def magic_spent(self) -> int:
        """Return the points of magic items that one miniature carries."""
        return sum(item.points * self.bought[item.option_key] for item in self.magic_items)

    @property
    def has_champion(self) -> bool:
        """Return whether the champion was bought."""
        return CHAMPION in self.command

    @property
    def is_wizard(self) -> bool:
        """Return whether it casts spells, a wizard of no stated level included."""
        if self.profile is None:
            return False
        return bool(self.wizard_level) or (
            self.profile.is_wizard and self.wizard_level is None
        )

    @property
    def is_mounted(self) -> bool:
        """Return whether it rides: a mount was bought, or the profile has a rider."""
        if self.profile is None:
            return False
        return self.mount is not None or any(
            line.role == "rider" for line in self.profile.lines
        )

    @property
    def label(self) -> str:
        """Return what people call it: its own name, else its title."""
        return self.entry.name or self.title

    @property
    def title(self) -> str:
        """Return the kind of miniature: the champion's name if bought, else the model's.

        An entry whose profile the list does not know is called by that key.
        """
        if self.profile is None:
            return self.entry.profile
        if self.has_champion and self.profile.champion:
            return self.profile.champion.title or self.profile.champion.name
        return self.profile.shown_title

    def has(self, key: str) -> bool:
        """Return whether the entry lists an option, a command model or a magic item."""
        return key in self.bought


def select(army: Army, entry: RosterEntry, index: int = 0) -> Selection:
    """Return one entry read against its list; ``index`` is its place in the roster.

    Unknown keys are kept in ``unknown`` and pay nothing.
    """
    bought = Counter(entry.options)
    profile = army.profiles.get(entry.profile)
    if profile is None:
        return Selection(index, entry, None, bought, unknown=tuple(bought))
    purchases = _sort_purchases(army, profile, bought)
    receipt = purchases["receipt"]
    # What is paid once for the entry is never kept: an earlier price is that of one miniature.
    today = points_each(receipt)
    if entry.kept is not None and entry.kept != today:
        receipt.append(ReceiptLine(KEPT, "Old price", entry.kept - today))
    leadership = _leadership(profile, purchases["command"], army.leadership_stat)
    if leadership is not None and entry.growth:
        leadership = grown_figure(leadership, entry.growth, army.leadership_stat)
    mount_key = next((o.mount for o in purchases["options"] if o.mount), "")
    return Selection(
        index=index,
        entry=entry,
        profile=profile,
        bought=bought,
        mount=army.ridden(mount_key) if mount_key else None,
        wizard_level=_wizard_level(profile, purchases["options"], bought),
        leadership=leadership,
        is_beside=profile.is_hired and not army.hired_in_limit,
        **{name: tuple(values) for name, values in purchases.items()},
    )


def _sort_purchases(
    army: Army, profile: Profile, bought: NumberByKey
) -> dict[str, list[Any]]:
    """Return what an entry bought as fields of a selection, in the order of purchase."""
    champion, prices = profile.champion, command_prices(profile)
    options = {option.key: option for option in profile.options}
    champions = {option.key: option for option in champion.options} if champion else {}
    base = profile.base_terms.points(profile.points, bought)
    purchases: dict[str, list[Any]] = {
        "options": [],
        "champions_options": [],
        "magic_items": [],
        "command": [],
        "unknown": [],
        "receipt": [ReceiptLine("", profile.shown_title, base)],
    }
    for key, times in bought.items():
        is_once = False
        item = army.magic_items.get(key.removeprefix(MAGIC_PREFIX))
        # A profile's own option comes first where its champion is sold one of the same key.
        if option := options.get(key) or champions.get(key):
            purchases["options" if key in options else "champions_options"].append(option)
            name, points = option.name, option_points(option, bought)
            is_once = army.sells_once(option)
        elif key in prices:
            purchases["command"].append(key)
            name, points = prices[key]
            is_once = army.unit_options_once
        elif item and key.startswith(MAGIC_PREFIX):
            purchases["magic_items"].append(item)
            name, points = item.name, item.points
        else:
            purchases["unknown"].append(key)
            name, points = f"{key} (not in this list)", 0
        line = ReceiptLine(key, name, points * times, times, is_once)
        purchases["receipt"].append(line)
    return purchases


def change_without(army: Army, selection: Selection, keys: Container[str]) -> int:
    """Return what the points of a whole entry change by when it puts some options away.

    It is mostly below 0.
    """
    left = tuple(key for key in selection.entry.options if key not in keys)
    return change_to(army, selection, left)


def change_to(army: Army, selection: Selection, options: Texts) -> int:
    """Return what the points of a whole entry change by when it lists these options instead.

    An entry that comes to list others pays today's prices.
    """
    entry = selection.entry
    if options == entry.options:
        return 0
    after = select(army, replace(entry, options=options, kept=None))
    return after.points - selection.points


def points_each(receipt: Iterable[ReceiptLine]) -> int:
    """Return what one miniature pays by its receipt, without what is paid once for the entry."""
    return sum(line.points for line in receipt if not line.is_once)


def price_kept(selection: Selection) -> int:
    """Return how much more than today's price one miniature counts, below 0 for less.

    It is 0 unless the entry keeps an earlier price.
    """
    return sum(line.points for line in selection.receipt if line.key == KEPT)


def option_points(option: Option, bought: Container[str]) -> int:
    """Return the points of one purchase of the option beside the others bought.

    Some options get cheaper or dearer together.
    """
    return option.terms.points(option.points, bought)


def command_prices(profile: Profile) -> Mapping[str, tuple[str, int]]:
    """Return the command models a profile may buy: key to (name, points)."""
    prices: dict[str, tuple[str, int]] = {}
    if profile.champion:
        prices[CHAMPION] = (f"{profile.champion.name} (champion)", profile.champion.points)
    if profile.musician_points is not None:
        prices[MUSICIAN] = ("Musician", profile.musician_points)
    if profile.standard_bearer_points is not None:
        prices[STANDARD_BEARER] = ("Standard bearer", profile.standard_bearer_points)
    return prices


def purchase_names(army: Army, profile: Profile) -> TextByKey:
    """Return a name by key for all that a profile may buy; no two of them have the same."""
    names = {item.option_key: item.name for item in army.magic_items.values()}
    names |= {option.key: option.name for option in profile.all_options}
    names |= {key: name for key, (name, _) in command_prices(profile).items()}
    return unique_names({key: (name,) for key, name in names.items()})


def profile_names(army: Army) -> TextByKey:
    """Return a name by key for all profiles of an army: the model's, unless others share it."""
    return unique_names({p.key: (p.model_name, p.name) for p in army.profiles.values()})


def _wizard_level(
    profile: Profile, options: list[Option], bought: NumberByKey
) -> int | None:
    """Return the wizard's level, or None where it is not stated anywhere.

    The highest of the stated and the bought levels counts; a level that is sold by the piece adds
    one for each.
    """
    # A wizard without a printed level has an unknown one, everybody else has none.
    stated = profile.wizard_level
    if stated is None and not profile.is_wizard:
        stated = 0
    levels = [option for option in options if option.kind == "magic-level"]
    if not levels:
        return stated
    by_piece = [option for option in levels if option.level is None]
    highest = max(stated or 0, *(option.level or 0 for option in levels))
    return highest + sum(bought[option.key] for option in by_piece)


def _leadership(profile: Profile, command: Container[str], stat: str) -> int | None:
    """Return the Leadership of an entry, or None for a dash.

    It is the champion's, else the highest of the riders, else of the crew, else the first model's,
    and never the mount's.
    """
    if CHAMPION in command and profile.champion and profile.champion.stats:
        printed = profile.champion.stats.get(stat)
        if isinstance(printed, int):
            return printed
    figures: dict[str, list[int]] = {"rider": [], "crew": [], "model": []}
    for line in profile.lines:
        figure = line.stats.get(stat)
        if isinstance(figure, int) and line.role in figures:
            figures[line.role].append(figure)
    best = figures["rider"] or figures["crew"]
    return max(best) if best else next(iter(figures["model"]), None)


def grown_figure(printed: int, growth: EntryGrowth, stat: str) -> int:
    """Return a figure of a stat line as a campaign has changed it, never below 0."""
    # The difference counts, not the figure: a champion's own line grows as much.
    return max(0, printed + growth.stat_change(stat))


def select_all(army: Army, entries: tuple[RosterEntry, ...]) -> tuple[Selection, ...]:
    """Return every entry of a roster read against the list, in order."""
    return tuple(select(army, entry, index) for index, entry in enumerate(entries))


def counts_points(limit: int | None, system: System) -> bool:
    """Return whether a roster counts points.

    Where the system makes points optional, it does so only under a limit.
    """
    return limit is not None or not system.are_points_optional


def points_left(limit: int | None, total: int) -> int | None:
    """Return the points still to spend, below 0 when too many are spent; None without a limit."""
    return None if limit is None else limit - total


def points_over(limit: int | None, total: int) -> int:
    """Return how far a total is above the limit; 0 where it fits or there is none."""
    return max(0, -(points_left(limit, total) or 0))


def total_models(selections: Iterable[Selection]) -> int:
    """Return how many miniatures all entries bring to the table."""
    return sum(s.miniatures for s in selections)


def total_points(selections: Iterable[Selection], limit: int | None, system: System) -> int:
    """Return the points of all entries, 0 where none are counted."""
    return limited_points(selections, limit) if counts_points(limit, system) else 0


def limited_points(selections: Iterable[Selection], limit: int | None) -> int:
    """Return the points of all entries; under a limit without those that are paid beside it."""
    return sum(s.points for s in selections if limit is None or not s.is_beside)


# The figure that a list adds up beside its points, such as a warband rating.


def second_price(selection: Selection, army: Army) -> int:
    """Return the second price of an entry: of each miniature with what it bought, and what the
    entry pays once.
    """
    if selection.profile is None:
        return 0
    each, once = selection.profile.base_terms.second, 0
    for option in (*selection.options, *selection.champions_options):
        bought = option.terms.second * selection.bought[option.key]
        if army.sells_once(option):
            once += bought
        else:
            each += bought
    return each * selection.entry.count + once


def total_second(selections: Iterable[Selection], army: Army) -> int:
    """Return the second price of a roster, 0 where its list has none."""
    if army.second_price is None:
        return 0
    return sum(second_price(selection, army) for selection in selections)
