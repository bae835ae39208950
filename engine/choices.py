"""Equipment rules of an army list: clashes, needs, and what may be picked next.

An option may exclude others, need others, belong to a group of which one is taken, and be for
the champion alone. Nothing here stops a purchase: a fault is told, and the option stays bought.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.equipment import REACHES, armour_gives, carried_weapon
from engine.records import NumberByKey, Texts, frozen_dataclass, grouped
from engine.selection import (
    Selection,
    change_without,
    command_prices,
    option_points,
    profile_points,
)
from engine.stat_lines import stat_lines
from engine.types.lists import (
    CHAMPION,
    COMMAND,
    MAGIC_PREFIX,
    Armour,
    Army,
    MagicItem,
    Option,
    Profile,
)
from engine.types.systems import System


@frozen_dataclass
class OptionFault:
    """A broken equipment rule.

    ``reason`` finishes a sentence, ``remove`` and ``add`` are keys of options that would mend it.
    """

    reason: str
    remove: Texts = ()
    add: Texts = ()


def implied(selection: Selection) -> tuple[Option, ...]:
    """Return the free defaults that count without being listed in the roster.

    A default counts as long as nothing else was taken of its group.
    """
    profile = selection.profile
    if profile is None:
        return ()
    taken = {o.group for o in (*selection.options, *selection.champions_options) if o.group}
    # A champion's defaults come with the champion, and an entry without one has none of them.
    offered = profile.all_options if selection.has_champion else profile.options
    return tuple(o for o in offered if _is_free_default(o) and o.group not in taken)


def _is_free_default(option: Option) -> bool:
    return option.is_default and not option.points


class _Buyer(NamedTuple):
    """An entry of a known profile, with the keys of the free defaults that count."""

    selection: Selection
    profile: Profile
    army: Army
    free: Container[str]

    def has(self, key: str) -> bool:
        """Return whether the entry has an option, bought or as a free default."""
        return self.selection.has(key) or key in self.free

    def names(self, keys: Iterable[str], conjunction: str) -> str:
        """Return printed names joined by a word, such as "shield or pavise"."""
        return conjunction.join(name_of(key, self.profile, self.army) for key in keys)


def _buyer(selection: Selection, profile: Profile, army: Army) -> _Buyer:
    return _Buyer(selection, profile, army, {option.key for option in implied(selection)})


def name_of(key: str, profile: Profile, army: Army) -> str:
    """Return the printed name of an option, a command model or a magic item."""
    for option in profile.all_options:
        if option.key == key:
            return option.name
    prices, item = (
        command_prices(profile),
        army.magic_items.get(key.removeprefix(MAGIC_PREFIX)),
    )
    if key in prices:
        return prices[key][0]
    return item.name if item else key.replace("-", " ")


def conflicts(
    selection: Selection, army: Army, bearers: NumberByKey
) -> Iterator[OptionFault]:
    """Yield choices that may not stand together, and what is bought too often.

    ``bearers`` says how many of the roster carry each magic item (``bearers_of``).
    """
    profile = selection.profile
    if profile is None:
        return
    taken = (*selection.options, *selection.champions_options)
    yield from _group_conflicts(taken)
    yield from _exclusions(taken, selection, army)
    for option in taken:
        times, most = selection.bought[option.key], _maximum(option)
        if times > most:
            reason = f"{option.name} is taken {times} times, the list allows {most}"
            yield OptionFault(reason, (option.key,))
    for key in selection.command:
        times = selection.bought[key]
        if times > 1:
            reason = f"{name_of(key, profile, army)} is taken {times} times"
            yield OptionFault(reason, (key,))
    yield from _magic_conflicts(selection, bearers)


def _exclusions(
    taken: Iterable[Option], selection: Selection, army: Army
) -> Iterator[OptionFault]:
    """Yield a fault for each thing the entry has that an option it took excludes."""
    profile = selection.profile
    assert profile is not None
    for option in taken:
        for key in filter(selection.has, option.excludes):
            reason = f"{option.name} and {name_of(key, profile, army)} do not go together"
            yield OptionFault(reason, (key,))


def _maximum(option: Option) -> int:
    """Return how often the option may be bought: once, unless sold by the piece."""
    # Without a printed most, even what is sold by the piece is bought once.
    return option.maximum or 1 if option.per == "each" else 1


def _group_conflicts(taken: tuple[Option, ...]) -> Iterator[OptionFault]:
    """Yield a fault for each group of options in which more than one is taken."""
    exclusive = [option for option in taken if option.shuts_out]
    groups = grouped(((one.group, one.is_champions), one) for one in exclusive)
    for options in groups.values():
        if len(options) > 1:
            names = " and ".join(o.name for o in options)
            yield OptionFault(
                f"only one of {names} may be taken", tuple(o.key for o in options[1:])
            )


def _magic_conflicts(selection: Selection, bearers: NumberByKey) -> Iterator[OptionFault]:
    """Yield faults of magic items: points over the allowance, and repeated items."""
    profile, items = selection.profile, selection.magic_items
    if profile is None or not items:
        return
    allowance = profile.magic_allowance or 0
    spent = selection.magic_spent
    # An allowance spent exactly is spent within the rules.
    if spent > allowance:
        may = (
            f"at most {allowance} points of magic items" if allowance else "no magic items"
        )
        keys = tuple(item.option_key for item in items)
        yield OptionFault(f"it may carry {may} and carries {spent}", keys)
    for item in items:
        yield from _repeated_item(item, selection.bought[item.option_key], bearers)


def _repeated_item(
    item: MagicItem, times: int, bearers: NumberByKey
) -> Iterator[OptionFault]:
    """Yield an item that is carried twice, or is the only one and has several bearers."""
    if times > 1:
        yield OptionFault(f"{item.name} is carried {times} times", (item.option_key,))
    carriers = bearers.get(item.option_key, 0)
    if item.is_unique and carriers > 1:
        reason = f"there is one {item.name} and {carriers} models carry it"
        yield OptionFault(reason, (item.option_key,))


def bearers_of(selections: Iterable[Selection]) -> NumberByKey:
    """Return how many warriors of a roster carry each magic item, by option key."""
    bearers: Counter[str] = Counter()
    for selection in selections:
        for item in selection.magic_items:
            bearers[item.option_key] += selection.entry.count
    return bearers


def missing(selection: Selection, army: Army) -> Iterator[OptionFault]:
    """Yield what a choice needs and lacks, and groups from which one must be taken."""
    profile = selection.profile
    if profile is None:
        return
    yield from _unmet_needs(_buyer(selection, profile, army))
    if selection.champions_options and not selection.has_champion:
        names = " and ".join(o.name for o in selection.champions_options)
        keys = tuple(o.key for o in selection.champions_options)
        yield OptionFault(f"{names} is for the champion", keys, (CHAMPION,))
    for group, options in required_groups(profile).items():
        if _is_undecided(options, selection):
            names = ", ".join(o.name for o in options)
            reason = f"one must be chosen of {group.replace('-', ' ')}: {names}"
            yield OptionFault(reason, (), (cheapest(options).key,))


def _unmet_needs(buyer: _Buyer) -> Iterator[OptionFault]:
    """Yield, for each option taken, every key it needs and lacks."""
    for option in (*buyer.selection.options, *buyer.selection.champions_options):
        for key in option.requires:
            if not buyer.has(key):
                reason = f"{option.name} needs {buyer.names((key,), '')}"
                yield OptionFault(reason, (option.key,), (key,))
        if option.requires_any and _lacks_any(option, buyer):
            reason = f"{option.name} needs {buyer.names(option.requires_any, ' or ')}"
            yield OptionFault(reason, (option.key,), option.requires_any[:1])


def _lacks_any(option: Option, buyer: _Buyer) -> bool:
    """Return whether the entry has none of the options of which this one needs any."""
    return not any(map(buyer.has, option.requires_any))


def _is_undecided(options: list[Option], selection: Selection) -> bool:
    """Return whether a group that asks for a choice has none.

    A free default answers for its group. A group whose options are all ruled out asks nothing.
    """
    is_answered = any(_is_free_default(o) or selection.has(o.key) for o in options)
    return not is_answered and not all(_clashes(o, selection) for o in options)


def _clashes(option: Option, selection: Selection) -> Texts:
    """Return the keys of everything taken that rules the option out, each once.

    A list prints an exclusion at one of the two options; it holds for both.
    """
    excluded = [key for key in option.excludes if selection.has(key)]
    excluding = [other.key for other in selection.options if option.key in other.excludes]
    return tuple(dict.fromkeys(excluded + excluding))


def cheapest(options: list[Option]) -> Option:
    """Return the default if there is one, else the option with the lowest price."""
    return next((o for o in options if o.is_default), min(options, key=lambda o: o.points))


def required_groups(profile: Profile) -> dict[str, list[Option]]:
    """Return the groups of a profile's own options from which one must be taken."""
    return grouped(
        (option.group, option)
        for option in profile.options
        if option.group and option.is_required
    )


def listed_on_purchase(profile: Profile) -> Texts:
    """Return the keys a new entry begins with: defaults that cost points."""
    return tuple(o.key for o in profile.options if o.is_default and o.points)


def first_count(profile: Profile, army: Army, system: System) -> int:
    """Return how many miniatures an entry begins with.

    It is one, or the smallest unit where entries are regiments; characters stand alone there too.
    """
    if (
        system.regiments is None
        or profile.category in army.characters
        or profile.unit_size is None
    ):
        return 1
    return profile.unit_size[0] or system.regiments.smallest


@frozen_dataclass
class Choice:
    """One line of the option picker.

    ``points`` is its price now and ``why_not`` a sentence when it may not be taken; ``swaps`` are
    the keys to put away first. ``detail`` says in a few words what it gives (``Strength +1``).
    ``change`` is what one miniature's price would change by, its rivals put away; with ``is_once``
    that is the price of the whole entry, whatever its number.
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
    is_once: bool = False


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

    Magic items are not among them, nor what campaigns alone sell and it does not have.
    """
    profile = selection.profile
    if profile is None:
        return ()
    buyer = _buyer(selection, profile, army)
    sold = (
        one for one in profile.all_options if not one.is_trade_only or buyer.has(one.key)
    )
    groups = grouped((_heading(one, profile), one) for one in sold)
    found = [_group(key, options, buyer) for key, options in groups.items()]
    return (*_command_group(selection, is_once=army.unit_options_once), *found)


_Heading = tuple[str, bool]  # the heading, and whether one of the group is chosen


def _heading(option: Option, profile: Profile) -> _Heading:
    """Return an option's heading, and whether only one under it may be taken."""
    if option.is_champions and profile.champion:
        return f"{profile.champion.name}: {option.group or 'options'}", bool(option.group)
    if option.group and option.is_exclusive:
        return option.group, option.shuts_out
    return _KIND_GROUPS.get(option.kind, "Other"), False


def _group(key: _Heading, options: list[Option], buyer: _Buyer) -> ChoiceGroup:
    """Return the choices under one heading, with one for nothing where that may be."""
    heading, exclusive = key
    name = heading.replace("-", " ")
    required = any(o.is_required for o in options)
    # Where a free default stands in the group, choosing that default is choosing nothing.
    has_default = any(_is_free_default(o) for o in options)
    has_none = exclusive and not has_default and not required
    rivals = options if exclusive else []
    return ChoiceGroup(
        key=heading,
        name=name[:1].upper() + name[1:],
        is_exclusive=exclusive,
        nothing=_nothing(options, buyer) if has_none else None,
        choices=tuple(_choice(option, rivals, buyer) for option in options),
        is_required=required,
    )


def _nothing(options: list[Option], buyer: _Buyer) -> Choice:
    """Return the choice to take none of a group, with what the entry then pays less."""
    keys = {option.key for option in options}
    return Choice(
        key="",
        name="Nothing",
        points=0,
        is_taken=not any(map(buyer.has, keys)),
        change=change_without(buyer.army, buyer.selection, keys),
        is_once=True,
    )


def _choice(option: Option, rivals: list[Option], buyer: _Buyer) -> Choice:
    """Return an option as this buyer sees it: its price, and what speaks against it."""
    selection, army = buyer.selection, buyer.army
    times = selection.bought.get(option.key, 0)
    points = option_points(option, (*selection.bought, option.key))
    is_open = not times
    clashes = _clashes(option, selection) if is_open else ()
    return Choice(
        key=option.key,
        name=option.name,
        points=points,
        is_taken=option.key in selection.bought or option.key in buyer.free,
        times=times,
        maximum=_maximum(option),
        why_not=_why_not(option, clashes, buyer) if is_open else "",
        swaps=clashes,
        note=_note(option, selection, army),
        change=_change(option, rivals, buyer) if is_open else 0,
        detail=_detail(option, selection, army),
        is_once=army.sells_once(option),
    )


def _change(option: Option, rivals: list[Option], buyer: _Buyer) -> int:
    """Return what a price changes by when the option is bought in its rivals' place."""
    bought = buyer.selection.bought
    others = [rival for rival in rivals if rival.key in bought and rival.key != option.key]
    gone = sum(option_points(other, bought) * bought[other.key] for other in others)
    after = {*bought, option.key} - {other.key for other in others}
    base = profile_points(buyer.profile, after) - profile_points(buyer.profile, bought)
    return option_points(option, (*bought, option.key)) - gone + base


def _why_not(option: Option, clashes: Sequence[str], buyer: _Buyer) -> str:
    """Return the first reason that speaks against taking the option, or an empty text."""
    # A clash is told before a need: it can be mended by a swap on the spot.
    if clashes:
        return f"Not together with {buyer.names(clashes, ' or ')}."
    if option.requires_any and _lacks_any(option, buyer):
        return f"Needs {buyer.names(option.requires_any, ' or ')}."
    if not all(map(buyer.has, option.requires)):
        return f"Needs {buyer.names(option.requires, ' and ')}."
    if option.is_champions and not buyer.selection.has_champion:
        return "Only for the champion."
    return ""


def _note(option: Option, selection: Selection, army: Army) -> str:
    """Return what a buyer should know that no figure says, as sentences."""
    words = [option.words] if option.words else []
    if option.requires_army:
        words.append(f"Only in these armies: {', '.join(option.requires_army)}.")
    if army.sells_once(option):
        words.append("One price for the whole regiment.")
    elif option.per == "unit":
        # Warhammer Skirmish, THE SKIRMISH FORCE: every model is a unit of its own.
        words.append("The list has one price for a regiment. One model pays it in full.")
    if option.rarity:
        words.append(f"Rare in campaigns: found on {option.rarity} or more.")
    if riding := _riding_note(option, selection, army):
        words.append(riding)
    return " ".join(words)


def _riding_note(option: Option, selection: Selection, army: Army) -> str:
    """Return a sentence for a rider's weapon on foot, or one of foot in the saddle."""
    if not option.items:
        return ""
    weapons = [army.weapons[key] for key in option.items if key in army.weapons]
    needed = "foot_only" if selection.is_mounted else "mounted_only"
    if not any(needed in weapon.traits for weapon in weapons):
        return ""
    if selection.is_mounted:
        return "On foot only, and this model rides."
    return "For riders only, and this model is on foot."


def _detail(option: Option, selection: Selection, army: Army) -> str:
    """Return what an option brings: its items, or else its changes of the stat line."""
    items = [item_detail(key, selection, army) for key in option.items]
    changes = [
        f"{stat} {figure}".replace("-", "−") for stat, figure in option.effect.items()
    ]
    return ", ".join(filter(None, items)) or ", ".join(changes)


def item_detail(key: str, selection: Selection, army: Army) -> str:
    """Return a few words on a weapon or a piece of armour in this warrior's hands.

    A weapon gives range in inches, Strength and notes, armour its save or what else it does.
    """
    if armour := army.armour.get(key):
        return _armour_detail(armour)
    weapon = army.weapons.get(key)
    if weapon is None:
        return ""
    words = [] if weapon.range is None else [_reach(weapon.range)]
    if weapon.strength not in (None, "user"):
        words.append(f"Strength {weapon.strength}".replace("-", "−"))
    strength = next(
        (line.stats.get(army.strength_stat) for line in stat_lines(selection, army)), None
    )
    return ", ".join(
        (*words, *carried_weapon(weapon, strength, is_mounted=selection.is_mounted).notes)
    )


def _armour_detail(armour: Armour) -> str:
    if armour.save:
        return f"save {armour.save}+"
    return f"save {armour.improves} better" if armour.improves else armour_gives(armour)


def _reach(reach: int | str) -> str:
    return f"{reach}″" if isinstance(reach, int) else REACHES.get(reach, reach)


def _command_group(selection: Selection, *, is_once: bool) -> tuple[ChoiceGroup, ...]:
    """Return the group of champion, musician and standard bearer, if any is sold."""
    assert selection.profile is not None
    prices = command_prices(selection.profile)
    choices = []
    for key in [key for key in COMMAND if key in prices]:
        name, points = prices[key]
        is_taken = selection.has(key)
        choice = Choice(
            key=key,
            name=name,
            points=points,
            is_taken=is_taken,
            times=selection.bought.get(key, 0),
            change=0 if is_taken else points,
            is_once=is_once,
        )
        choices.append(choice)
    if not choices:
        return ()
    group = ChoiceGroup(
        "command", "Command", is_exclusive=False, nothing=None, choices=tuple(choices)
    )
    return (group,)
