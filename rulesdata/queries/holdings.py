"""What a unit carries, may take and may be led by, as lines with a price, a doubt and what the
guidelines say beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine import choices
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.records import frozen_dataclass
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, command_prices, select
from engine.types.lists import CHAMPION, Figure, Option, Profile
from rulesdata import text
from rulesdata.queries.lookup import Unit, grouped


@frozen_dataclass
class Advice:
    """The guidelines that a purchase would go against.

    ``anchor`` is the first one's place on the system's page.
    """

    titles: str
    level: str
    anchor: str


@frozen_dataclass
class Item:
    """A line with a dotted leader: ``value`` is its price or *included*; ``doubts`` are numbers of
    the margin notes.

    Without points it has neither leader nor value.
    """

    name: str
    value: str
    note: str = ""
    doubts: tuple[int, ...] = ()
    advice: Advice | None = None


@frozen_dataclass
class ItemGroup:
    """Options under one heading; ``rule`` says how many of them may be taken."""

    name: str
    rule: str
    items: tuple[Item, ...]


def signed_price(points: int) -> str:
    """A price that is added: +13, −2, +0."""
    return f"−{-points}" if points < 0 else f"+{points}"


def about(names: Iterable[str], doubts: tuple[str, ...]) -> tuple[int, ...]:
    """Numbers of the doubts that speak of one of these names, from 1."""
    wanted = [name.casefold() for name in names if name]
    return tuple(
        n for n, doubt in enumerate(doubts, 1) if any(name in doubt.casefold() for name in wanted)
    )


def strength_of(unit: Unit) -> Figure:
    """The Strength of its first line that is no mount's."""
    fighters = (line for line in unit.profile.lines if line.role != "mount")
    first = next(fighters, None)
    return first.stats.get(unit.army.strength_stat) if first else None


def _is_mounted(unit: Unit) -> bool | None:
    """True for riders, False for men on foot who may buy no mount, None where it depends."""
    if any(line.role == "rider" for line in unit.profile.lines):
        return True
    return None if any(option.mount for option in unit.profile.options) else False


def carries(unit: Unit, doubts: tuple[str, ...]) -> tuple[Item, ...]:
    strength = strength_of(unit)
    items = [
        Item(
            text.item_name(unit.army, key),
            "included",
            text.item_words(unit.army, key, strength, _is_mounted(unit)),
            about([text.item_name(unit.army, key)], doubts),
        )
        for key in unit.profile.default_items
    ]
    items += [
        Item(name, "included", "", about([name], doubts)) for name in unit.profile.default_upgrades
    ]
    if unit.profile.is_barded:
        items.append(Item("Barding", "included", "counted in the save"))
    return tuple(items)


def takes(
    options: tuple[Option, ...],
    unit: Unit,
    doubts: tuple[str, ...],
    advice: Mapping[str, tuple[Finding, ...]],
) -> tuple[ItemGroup, ...]:
    """Options as the list groups them: what stands alone first, then each group of which only one
    is taken.
    """
    groups = grouped(options, lambda o: o.group if o.is_exclusive else "")
    # What stands alone comes first, wherever the list has it.
    ordered = {"": groups.pop("", []), **groups}
    return tuple(
        ItemGroup(
            text.key_words(name) if len(members) > 1 else "",
            _group_rule(name, members),
            tuple(_option_item(o, unit, doubts, advice) for o in members),
        )
        for name, members in ordered.items()
        if members
    )


def _group_rule(name: str, members: list[Option]) -> str:
    required = any(o.is_required for o in members)
    if not name or len(members) == 1:
        return "must be taken" if name and required else ""
    count = text.number_word(len(members))
    return f"one of these {count} must be taken" if required else f"at most one of these {count}"


def _option_item(
    option: Option, unit: Unit, doubts: tuple[str, ...], advice: Mapping[str, tuple[Finding, ...]]
) -> Item:
    return Item(
        option.name,
        _option_price(option, unit),
        text.option_words(option, unit.profile, unit.army, strength_of(unit), _is_mounted(unit)),
        about([option.name], doubts),
        _advised(advice.get(option.key, ())),
    )


def _option_price(option: Option, unit: Unit) -> str:
    """What an option adds; nothing where the list has no points, a word where the text sells it
    without a price.
    """
    if option.points:
        return signed_price(option.points)
    if option.is_default:
        return "included"
    if not unit.army.has_points:
        return ""
    return "no price" if any(option.key == own.key for own in unit.system.options) else "free"


def command(
    unit: Unit, doubts: tuple[str, ...], advice: Mapping[str, tuple[Finding, ...]]
) -> tuple[Item, ...]:
    items = []
    champion = unit.profile.champion
    for key, (name, points) in command_prices(unit.profile).items():
        note, noted = "", about([key.replace("-", " ")], doubts)
        if key == CHAMPION and champion and champion.stats is None:
            note = "no source prints its stat line"
        elif key == CHAMPION and champion and champion.is_always_present:
            note = "the list always has one"
        value = signed_price(points) if points else "free"
        items.append(Item(name, value, note, noted, _advised(advice.get(key, ()))))
    return tuple(items)


def magic(unit: Unit, doubts: tuple[str, ...]) -> tuple[Item, ...]:
    profile = unit.profile
    items = []
    if profile.is_wizard or profile.wizard_level:
        level = "not stated" if profile.wizard_level is None else str(profile.wizard_level)
        note = "none unless bought" if profile.wizard_level == 0 else ""
        items.append(Item("Wizard level", level, note, about(["wizard"], doubts)))
    if profile.magic_allowance:
        items.append(Item("Magic items", f"up to {profile.magic_allowance} pts"))
    return tuple(items)


def _advised(findings: tuple[Finding, ...]) -> Advice | None:
    against = [f for f in findings if f.level != "note"]
    if not against:
        return None
    titles = text.joined_and((f.title or f.code).lower() for f in against)
    return Advice(titles, against[0].level, against[0].code.replace(".", "-"))


# What the guidelines say

# These speak of a whole warband, or of a choice not yet made.
_NOT_THE_UNITS = ("points.", "leader.", "option.")


def usual_options(profile: Profile) -> tuple[str, ...]:
    """What the unit is looked at with: priced defaults, and the first choice of each group that
    needs one.
    """
    keys = list(choices.listed_on_purchase(profile))
    for options in choices.required_groups(profile).values():
        free = any(o.is_default and not o.points for o in options)
        if not free and not any(o.key in keys for o in options):
            keys.append(choices.cheapest(options).key)
    return tuple(keys)


def _findings(unit: Unit, options: tuple[str, ...]) -> tuple[Finding, ...]:
    size = unit.profile.unit_size if unit.system.regiments else None
    entry = RosterEntry(unit.profile.key, count=(size[0] or 1) if size else 1, options=options)
    roster = Roster(unit.system.key, unit.army.key, variant=unit.system.variant, warriors=(entry,))
    return tuple(
        f for f in check(roster, unit.system, unit.army) if not f.code.startswith(_NOT_THE_UNITS)
    )


def advice_on(unit: Unit) -> dict[str, tuple[Finding, ...]]:
    """What the guidelines find on the unit alone (under the empty key), and what each purchase
    would add to that.
    """
    if unit.profile.key not in unit.army.profiles:
        return {}
    usual = usual_options(unit.profile)
    alone = _findings(unit, usual)
    known = {f.code for f in alone}
    found = {"": alone}
    keys = [*command_prices(unit.profile), *(o.key for o in unit.profile.all_options)]
    for key in keys:
        found[key] = tuple(f for f in _findings(unit, (*usual, key)) if f.code not in known)
    return found


def usual_selection(unit: Unit) -> Selection:
    """The unit as it is looked at: with its usual options."""
    options = usual_options(unit.profile)
    return select(unit.army, RosterEntry(unit.profile.key, options=options))
