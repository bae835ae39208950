"""What an entry has bought, read against its profile: known and unknown keys, receipt, lines, wizard level, Leadership.

One miniature pays the base price plus everything listed, whatever a finding says about the choice. An option printed
with one price for a whole regiment is paid in full by the one miniature where every model is a unit of its own
(Warhammer Skirmish, THE SKIRMISH FORCE), and once for the entry where the system's entries are regiments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from engine.roster import RosterEntry
from engine.types import (
    CHAMPION,
    MAGIC_PREFIX,
    MUSICIAN,
    STANDARD_BEARER,
    Army,
    Figure,
    MagicItem,
    Option,
    Profile,
    StatLine,
)

KEPT = "price/kept"


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """One line of what makes up a price: ``points`` for one miniature, all ``times`` together.

    ``is_once``: the points are for the whole entry, however many miniatures it has.
    """

    key: str
    label: str
    points: int
    times: int = 1
    is_once: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """An entry read against its army list. ``profile`` is None when the list has no such profile."""

    index: int
    entry: RosterEntry
    profile: Profile | None
    bought: Mapping[str, int]
    options: tuple[Option, ...] = ()
    champions_options: tuple[Option, ...] = ()
    magic_items: tuple[MagicItem, ...] = ()
    command: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    receipt: tuple[ReceiptLine, ...] = ()
    mount: Profile | None = None
    wizard_level: int | None = 0
    leadership: int | None = None

    @property
    def points_each(self) -> int:
        """What one miniature pays."""
        return sum(line.points for line in self.receipt if not line.is_once)

    @property
    def points_once(self) -> int:
        """What is paid once for the entry: its standard, its musician."""
        return sum(line.points for line in self.receipt if line.is_once)

    @property
    def points(self) -> int:
        """What all miniatures of the entry pay together."""
        return self.points_each * self.entry.count + self.points_once

    @property
    def miniatures(self) -> int:
        """How many miniatures the entry puts on the table, those that options bring along included."""
        brought = sum(option.miniatures * self.bought[option.key] for option in self.options)
        return self.entry.count * ((self.profile.miniatures if self.profile else 1) + brought)

    @property
    def has_champion(self) -> bool:
        return CHAMPION in self.command

    @property
    def is_wizard(self) -> bool:
        """Whether it casts spells: a stated or bought level, or a wizard whose level no source states."""
        if self.profile is None:
            return False
        return bool(self.wizard_level) or (self.profile.is_wizard and self.wizard_level is None)

    @property
    def is_mounted(self) -> bool:
        """Whether a rider sits on something: a mount bought, or a profile that is a rider with its mount."""
        if self.profile is None:
            return False
        return self.mount is not None or any(line.role == "rider" for line in self.profile.lines)

    @property
    def label(self) -> str:
        """What people call it: its own name, else the miniature's, else the key the list does not know."""
        return self.entry.name or self.title

    @property
    def title(self) -> str:
        """The kind of miniature: the champion's name if bought, else the model's name."""
        if self.profile is None:
            return self.entry.profile
        if self.has_champion and self.profile.champion:
            return self.profile.champion.name
        return self.profile.model_name or self.profile.name

    def has(self, key: str) -> bool:
        return key in self.bought


def select(army: Army, entry: RosterEntry, index: int = 0) -> Selection:
    """Read one entry against its army list. Unknown keys are kept in ``unknown`` and pay nothing."""
    bought = Counter(entry.options)
    profile = army.profiles.get(entry.profile)
    if profile is None:
        return Selection(index, entry, None, bought, unknown=tuple(bought))
    own = {option.key: option for option in profile.options}
    champions = {o.key: o for o in profile.champion.options} if profile.champion else {}
    command_prices = _command_prices(profile)
    options: list[Option] = []
    champions_options: list[Option] = []
    items: list[MagicItem] = []
    command: list[str] = []
    unknown: list[str] = []
    receipt = [ReceiptLine("", profile.model_name or profile.name, profile.points)]
    for key, times in bought.items():
        magic = (
            army.magic_items.get(key.removeprefix(MAGIC_PREFIX))
            if key.startswith(MAGIC_PREFIX)
            else None
        )
        if key in own or key in champions:
            option = own.get(key) or champions[key]
            (options if key in own else champions_options).append(option)
            is_once = army.unit_options_once and option.per == "unit"
            receipt.append(
                ReceiptLine(key, option.name, option_points(option, bought) * times, times, is_once)
            )
        elif key in command_prices:
            command.append(key)
            name, price = command_prices[key]
            receipt.append(ReceiptLine(key, name, price * times, times, army.unit_options_once))
        elif magic is not None:
            items.append(magic)
            receipt.append(ReceiptLine(key, magic.name, magic.points * times, times))
        else:
            unknown.append(key)
            receipt.append(ReceiptLine(key, f"{key} (not in this list)", 0, times))
    receipt += _kept_line(entry, receipt)
    mount_key = next((o.mount for o in options if o.mount), "")
    return Selection(
        index=index,
        entry=entry,
        profile=profile,
        bought=bought,
        options=tuple(options),
        champions_options=tuple(champions_options),
        magic_items=tuple(items),
        command=tuple(command),
        unknown=tuple(unknown),
        receipt=tuple(receipt),
        mount=army.ridden(mount_key) if mount_key else None,
        wizard_level=_wizard_level(profile, options, bought),
        leadership=_leadership(profile, CHAMPION in command, army.leadership_stat),
    )


def _kept_line(entry: RosterEntry, receipt: list[ReceiptLine]) -> list[ReceiptLine]:
    """What makes the receipt come to the price an entry keeps from before; nothing where that is today's."""
    today = sum(line.points for line in receipt if not line.is_once)
    if entry.kept is None or entry.kept == today:
        return []
    return [ReceiptLine(KEPT, "Price kept from before", entry.kept - today)]


def price_kept(selection: Selection) -> int:
    """How much more than today's price one miniature counts, below 0 for less, because it keeps an earlier one."""
    return sum(line.points for line in selection.receipt if line.key == KEPT)


def option_points(option: Option, bought: Mapping[str, int]) -> int:
    """The price of one purchase of the option beside the others bought (some get cheaper or dearer together)."""
    for other, points in option.points_with:
        if other in bought:
            return points
    return option.points


def _command_prices(profile: Profile) -> dict[str, tuple[str, int]]:
    prices: dict[str, tuple[str, int]] = {}
    if profile.champion:
        prices[CHAMPION] = (f"{profile.champion.name} (champion)", profile.champion.points)
    if profile.musician_points is not None:
        prices[MUSICIAN] = ("Musician", profile.musician_points)
    if profile.standard_bearer_points is not None:
        prices[STANDARD_BEARER] = ("Standard bearer", profile.standard_bearer_points)
    return prices


def command_prices(profile: Profile) -> Mapping[str, tuple[str, int]]:
    """Champion, musician and standard bearer this profile may buy: key to (name, points)."""
    return _command_prices(profile)


def _wizard_level(profile: Profile, options: list[Option], bought: Mapping[str, int]) -> int | None:
    """The stated level, or the highest bought; one sold by the piece adds one for each. None: not stated anywhere."""
    stated = profile.wizard_level
    if stated is None and not profile.is_wizard:
        stated = 0
    levels = [o for o in options if o.kind == "magic-level"]
    fixed = [o.level for o in levels if o.level is not None]
    added = sum(bought[o.key] for o in levels if o.level is None)
    if not levels:
        return stated
    return max([stated or 0, *fixed]) + added


def _leadership(profile: Profile, has_champion: bool, stat: str) -> int | None:
    """The champion's, else the riders', else the crew's, else the model's own, never the mount's; None for a dash."""
    if has_champion and profile.champion and profile.champion.stats:
        own = profile.champion.stats.get(stat)
        if isinstance(own, int):
            return own
    values = {
        role: [v for v in _figures(profile, role, stat) if isinstance(v, int)]
        for role in ("rider", "crew", "model")
    }
    return next(
        (max(found) for found in (values["rider"], values["crew"], values["model"][:1]) if found),
        None,
    )


def _figures(profile: Profile, role: str, stat: str) -> list[Figure]:
    return [line.stats.get(stat) for line in profile.lines if line.role == role]


def stat_lines(selection: Selection) -> tuple[StatLine, ...]:
    """The lines to print: the champion's for the model's, effects of options worked in, then mount and additions."""
    profile = selection.profile
    if profile is None:
        return ()
    lines = list(profile.lines)
    if selection.has_champion and profile.champion and profile.champion.stats and lines:
        lines[0] = StatLine(
            profile.champion.name, profile.champion.stats, lines[0].role, lines[0].count
        )
    for option in selection.options:
        if option.effect and lines:
            first = lines[0]
            changed = {k: changed_figure(first.stats.get(k), v) for k, v in option.effect.items()}
            lines[0] = StatLine(
                first.name, {**first.stats, **changed}, first.role, first.count, first.barded_move
            )
        lines.extend(option.adds_lines)
    if selection.mount:
        lines.extend(
            StatLine(line.name, line.stats, "mount", line.count, line.barded_move)
            for line in selection.mount.lines
        )
    return tuple(lines)


def changed_figure(figure: Figure, change: Figure) -> Figure:
    """A signed text (``+1``) adds to a number; anything else takes its place."""
    if (
        isinstance(change, str)
        and change[:1] in "+-"
        and change[1:].isdigit()
        and isinstance(figure, int)
    ):
        return figure + int(change)
    return change


def select_all(army: Army, entries: tuple[RosterEntry, ...]) -> tuple[Selection, ...]:
    """Every entry of a roster read against the list, in order."""
    return tuple(select(army, entry, index) for index, entry in enumerate(entries))
