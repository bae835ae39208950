"""The option picker: what an entry may take next, by group, with prices and reasons against it."""

from collections.abc import Sequence

from engine.equipment import REACHES, armour_gives, carried_weapon
from engine.option_rules import (
    Buyer,
    build_buyer,
    find_clashes,
    find_option,
    is_free_default,
    lacks_any,
    most_bought,
    rivals,
    with_option,
)
from engine.records import Texts, frozen_dataclass, grouped
from engine.selection import (
    KEPT,
    ReceiptLine,
    Selection,
    change_to,
    change_without,
    command_prices,
    option_points,
)
from engine.stat_lines import stat_lines
from engine.text import capital
from engine.types.lists import COMMAND, Army, Option, Profile


@frozen_dataclass
class Choice:
    """One line of the option picker.

    ``points`` is its price now and ``why_not`` a sentence when it may not be taken; ``swaps`` are
    the keys to put away first. ``detail`` says in a few words what it gives (``Strength +1``).
    ``change`` is what the points of the whole entry would change by, its rivals put away.
    """

    key: str
    name: str
    points: int
    is_taken: bool
    times: int = 0
    maximum: int = 1
    why_not: str = ""
    swaps: Texts = ()
    note: str = ""
    change: int = 0
    detail: str = ""


@frozen_dataclass
class ChoiceGroup:
    """Choices under one heading.

    ``is_exclusive``: choose one; ``nothing`` is the choice to take none, where there is one.
    """

    key: str
    name: str
    is_exclusive: bool
    nothing: Choice | None
    choices: tuple[Choice, ...]
    is_required: bool = False


_KIND_GROUPS = {
    "weapon": "Weapons",
    "armour": "Armour",
    "shield": "Shield",
    "mount": "Mount",
    "upgrade": "Upgrades",
    "magic-level": "Magic",
    "crew": "Crew",
    "other": "Other",
}


def picker(selection: Selection, army: Army) -> tuple[ChoiceGroup, ...]:
    """Return all this warrior may take, by group, with prices and reasons against it.

    Magic items are not among them, nor what it does not have and campaigns alone sell or nobody
    sells any more.
    """
    profile = selection.profile
    if profile is None:
        return ()
    buyer = build_buyer(selection, profile, army)
    sold = (
        option
        for option in profile.all_options
        if buyer.has(option.key) or not (option.is_trade_only or option.is_put_away)
    )
    groups = grouped((_heading(option, profile), option) for option in sold)
    sold_groups = [
        _group(heading, options, buyer, is_exclusive=is_exclusive)
        for (heading, is_exclusive), options in groups.items()
    ]
    return (*_command_group(buyer), *sold_groups)


def _heading(option: Option, profile: Profile) -> tuple[str, bool]:
    """Return an option's heading, and whether only one under it may be taken."""
    if option.is_champions and profile.champion:
        return f"{profile.champion.name}: {option.group or 'options'}", option.shuts_out
    if option.group and option.is_exclusive:
        return option.group, option.shuts_out
    return _KIND_GROUPS.get(option.kind, "Other"), False


def _group(
    heading: str, options: list[Option], buyer: Buyer, *, is_exclusive: bool
) -> ChoiceGroup:
    """Return the choices under one heading, with one for nothing where that may be."""
    required, nothing = any(o.is_required for o in options), None
    # Where a free default stands in the group, choosing that default is choosing nothing.
    if is_exclusive and not required and not any(map(is_free_default, options)):
        keys = {option.key for option in options}
        nothing = Choice(
            key="",
            name="Nothing",
            points=0,
            is_taken=not any(map(buyer.has, keys)),
            change=change_without(buyer.army, buyer.selection, keys),
        )
    return ChoiceGroup(
        key=heading,
        name=capital(heading.replace("-", " ")),
        is_exclusive=is_exclusive,
        nothing=nothing,
        choices=tuple(_choice(option, buyer) for option in options),
        is_required=required,
    )


def _choice(option: Option, buyer: Buyer) -> Choice:
    """Return an option as this buyer sees it: its price, and what speaks against it."""
    selection, army = buyer.selection, buyer.army
    times = selection.bought.get(option.key, 0)
    points = option_points(option, (*selection.bought, option.key))
    line = ReceiptLine(option.key, option.name, points, 1, army.sells_once(option))
    is_open = not times
    clashes = find_clashes(option, selection) if is_open else ()
    items = [item_detail(key, selection, army) for key in option.items]
    changes = [
        f"{stat} {figure}".replace("-", "−") for stat, figure in option.effect.items()
    ]
    return Choice(
        key=option.key,
        name=option.name,
        points=points,
        is_taken=option.key in selection.bought or option.key in buyer.free,
        times=times,
        maximum=most_bought(option),
        why_not=_why_not(option, clashes, buyer) if is_open else "",
        swaps=clashes,
        note=_note(option, selection, army),
        change=change_with(line, buyer) if is_open else 0,
        detail=", ".join(filter(None, items)) or ", ".join(changes),
    )


def change_with(line: ReceiptLine, buyer: Buyer) -> int:
    """Return what an entry's points change by when it buys more; ``line`` is its price of today.

    Rivals of an option go, and so does a price kept from before.
    """
    selection, profile, army = buyer.selection, buyer.profile, buyer.army
    entry = selection.entry
    if not profile.has_fixed_prices:
        return change_to(army, selection, with_option(entry, line.key, army).options)
    if line.key in buyer.free:
        return 0
    # No other price changes, so the entry need not be read anew for each of its choices.
    gone = {KEPT, *rivals(find_option(profile, line.key), profile)}
    saved = sum(had.total(entry.count) for had in selection.receipt if had.key in gone)
    return line.total(entry.count) - saved


def _why_not(option: Option, clashes: Sequence[str], buyer: Buyer) -> str:
    """Return the first reason that speaks against taking the option, or an empty text."""
    # A clash is told before a need: it can be mended by a swap on the spot.
    if clashes:
        return f"Not together with {buyer.names(clashes, ' or ')}."
    if option.requires_any and lacks_any(option, buyer):
        return f"Needs {buyer.names(option.requires_any, ' or ')}."
    if not all(map(buyer.has, option.requires)):
        return f"Needs {buyer.names(option.requires, ' and ')}."
    if option.is_champions and not buyer.selection.has_champion:
        return "Only for the champion."
    return ""


def _note(option: Option, selection: Selection, army: Army) -> str:
    """Return what a buyer should know that no figure says, as sentences."""
    sentences = [option.words] if option.words else []
    if option.requires_army:
        sentences.append(f"Only in these armies: {', '.join(option.requires_army)}.")
    if army.sells_once(option):
        sentences.append("One price for the whole regiment.")
    elif option.per == "unit":
        # Warhammer Skirmish, THE SKIRMISH FORCE: every model is a unit of its own.
        sentences.append(
            "The list has one price for a regiment. One model pays it in full."
        )
    if option.rarity:
        sentences.append(f"Rare in campaigns: found on {option.rarity} or more.")
    weapons = [army.weapons[key] for key in option.items if key in army.weapons]
    barring = "foot_only" if selection.is_mounted else "mounted_only"
    if any(barring in weapon.traits for weapon in weapons):
        sentences.append(
            "On foot only, and this model rides."
            if selection.is_mounted
            else "For riders only, and this model is on foot."
        )
    return " ".join(sentences)


def item_detail(key: str, selection: Selection, army: Army) -> str:
    """Return a few words on a weapon or a piece of armour in this warrior's hands.

    A weapon gives range in inches, Strength and notes, armour its save or what else it does.
    """
    if armour := army.armour.get(key):
        if armour.save:
            return f"save {armour.save}+"
        return f"save {armour.improves} better" if armour.improves else armour_gives(armour)
    weapon = army.weapons.get(key)
    if weapon is None:
        return ""
    details = []
    if isinstance(weapon.range, int):
        details.append(f"{weapon.range}″")
    elif weapon.range is not None:
        details.append(REACHES.get(weapon.range, weapon.range))
    if weapon.strength not in (None, "user"):
        details.append(f"Strength {weapon.strength}".replace("-", "−"))
    lines = stat_lines(selection, army)
    strength = lines[0].stats.get(army.strength_stat) if lines else None
    notes = carried_weapon(weapon, strength, is_mounted=selection.is_mounted).notes
    return ", ".join((*details, *notes))


def _command_group(buyer: Buyer) -> tuple[ChoiceGroup, ...]:
    """Return the group of champion, musician and standard bearer, if any is sold."""
    selection, prices = buyer.selection, command_prices(buyer.profile)
    choices = []
    for key in COMMAND:
        if key not in prices:
            continue
        name, points = prices[key]
        line = ReceiptLine(key, name, points, 1, buyer.army.unit_options_once)
        is_taken = selection.has(key)
        choices.append(
            Choice(
                key=key,
                name=name,
                points=points,
                is_taken=is_taken,
                times=selection.bought.get(key, 0),
                change=0 if is_taken else change_with(line, buyer),
            )
        )
    group = ChoiceGroup(
        "command", "Command", is_exclusive=False, nothing=None, choices=tuple(choices)
    )
    return (group,) if choices else ()
