"""The list's own equipment rules: what clashes, what needs something, what may be picked next and why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.equipment import REACHES, armour_gives, carried_weapon
from engine.selection import Selection, command_prices, option_points, stat_lines
from engine.types import CHAMPION, COMMAND, Army, Option, Profile, System


@dataclass(frozen=True, slots=True)
class OptionFault:
    """A broken equipment rule: ``reason`` finishes a sentence; ``remove`` or ``add`` are keys that would mend it."""

    kind: str
    reason: str
    remove: tuple[str, ...] = ()
    add: tuple[str, ...] = ()


def implied(selection: Selection) -> tuple[Option, ...]:
    """Free defaults that count without being listed: those of groups from which nothing else was taken."""
    profile = selection.profile
    if profile is None:
        return ()
    taken = {o.group for o in (*selection.options, *selection.champions_options) if o.group}
    options = profile.options + (
        profile.champion.options if profile.champion and selection.has_champion else ()
    )
    return tuple(o for o in options if o.is_default and not o.points and o.group not in taken)


def name_of(key: str, profile: Profile, army: Army) -> str:
    """The printed name of something a roster may list."""
    for option in profile.all_options:
        if option.key == key:
            return option.name
    if key in command_prices(profile):
        return command_prices(profile)[key][0]
    item = army.magic_items.get(key.removeprefix("magic/"))
    return item.name if item else key.replace("-", " ")


def conflicts(
    selection: Selection, army: Army, bearers: Mapping[str, int]
) -> Iterator[OptionFault]:
    """Choices that may not stand together: exclusive groups, exclusions, too many, magic beyond the allowance.

    ``bearers`` says how many of the roster carry each magic item (``bearers_of``).
    """
    profile = selection.profile
    if profile is None:
        return
    taken = (*selection.options, *selection.champions_options)
    yield from _group_conflicts(taken)
    for option in taken:
        for key in option.excludes:
            if selection.has(key):
                yield OptionFault(
                    "conflict",
                    f"{option.name} and {name_of(key, profile, army)} do not go together",
                    (key,),
                )
    for option in taken:
        times, most = (
            selection.bought[option.key],
            (option.maximum or 1) if option.per == "each" else 1,
        )
        if times > most:
            yield OptionFault(
                "conflict",
                f"{option.name} is taken {times} times, the list allows {most}",
                (option.key,),
            )
    for key in selection.command:
        if selection.bought[key] > 1:
            yield OptionFault(
                "conflict",
                f"{name_of(key, profile, army)} is taken {selection.bought[key]} times",
                (key,),
            )
    yield from _magic_conflicts(selection, bearers)


def _group_conflicts(taken: tuple[Option, ...]) -> Iterator[OptionFault]:
    groups: dict[tuple[str, bool], list[Option]] = {}
    for option in taken:
        if option.group and option.is_exclusive:
            groups.setdefault((option.group, option.is_champions), []).append(option)
    for options in groups.values():
        if len(options) > 1:
            names = " and ".join(o.name for o in options)
            yield OptionFault(
                "conflict", f"only one of {names} may be taken", tuple(o.key for o in options[1:])
            )


def _magic_conflicts(selection: Selection, bearers: Mapping[str, int]) -> Iterator[OptionFault]:
    profile = selection.profile
    if profile is None or not selection.magic_items:
        return
    allowance = profile.magic_allowance or 0
    spent = sum(item.points * selection.bought[item.option_key] for item in selection.magic_items)
    if spent > allowance:
        keys = tuple(item.option_key for item in selection.magic_items)
        may = f"at most {allowance} points of magic items" if allowance else "no magic items"
        yield OptionFault("conflict", f"it may carry {may} and carries {spent}", keys)
    for item in selection.magic_items:
        times = selection.bought[item.option_key]
        if times > 1:
            yield OptionFault(
                "conflict", f"{item.name} is carried {times} times", (item.option_key,)
            )
        if item.is_unique and (count := bearers.get(item.option_key, 0)) > 1:
            yield OptionFault(
                "conflict",
                f"there is one {item.name} and {count} warriors carry it",
                (item.option_key,),
            )


def bearers_of(selections: Iterable[Selection]) -> Mapping[str, int]:
    """How many warriors of a roster carry each magic item, by option key."""
    bearers: Counter[str] = Counter()
    for selection in selections:
        for item in selection.magic_items:
            bearers[item.option_key] += selection.entry.count
    return bearers


def missing(selection: Selection, army: Army) -> Iterator[OptionFault]:
    """What a choice needs and lacks, and groups from which one must be taken."""
    profile = selection.profile
    if profile is None:
        return
    free = {o.key for o in implied(selection)}
    for option in (*selection.options, *selection.champions_options):
        for key in option.requires:
            if not selection.has(key) and key not in free:
                yield OptionFault(
                    "requirement",
                    f"{option.name} needs {name_of(key, profile, army)}",
                    (option.key,),
                    (key,),
                )
        if option.requires_any and not any(
            selection.has(k) or k in free for k in option.requires_any
        ):
            names = " or ".join(name_of(k, profile, army) for k in option.requires_any)
            yield OptionFault(
                "requirement",
                f"{option.name} needs {names}",
                (option.key,),
                option.requires_any[:1],
            )
    if selection.champions_options and not selection.has_champion:
        names = " and ".join(o.name for o in selection.champions_options)
        yield OptionFault(
            "requirement",
            f"{names} is for the champion",
            tuple(o.key for o in selection.champions_options),
            (CHAMPION,),
        )
    for group, options in required_groups(profile).items():
        barred = all(_is_barred(option, selection) for option in options)
        if (
            not barred
            and not any(selection.has(o.key) for o in options)
            and not any(o.is_default and not o.points for o in options)
        ):
            names = ", ".join(o.name for o in options)
            yield OptionFault(
                "requirement",
                f"one must be chosen of {group.replace('-', ' ')}: {names}",
                (),
                (cheapest(options).key,),
            )


def _is_barred(option: Option, selection: Selection) -> bool:
    """Whether something taken rules the option out, from either side."""
    return any(selection.has(key) for key in option.excludes) or any(
        option.key in o.excludes for o in selection.options
    )


def cheapest(options: list[Option]) -> Option:
    """The default if there is one, else the one with the lowest price."""
    return next((o for o in options if o.is_default), min(options, key=lambda o: o.points))


def required_groups(profile: Profile) -> dict[str, list[Option]]:
    """Groups of the profile's own options from which the list makes you take one."""
    groups: dict[str, list[Option]] = {}
    for option in profile.options:
        if option.group and option.is_required:
            groups.setdefault(option.group, []).append(option)
    return groups


def listed_on_purchase(profile: Profile) -> tuple[str, ...]:
    """Option keys written down when the profile is added: defaults that have a price of their own."""
    return tuple(o.key for o in profile.options if o.is_default and o.points)


def first_count(profile: Profile, army: Army, system: System) -> int:
    """How many miniatures an entry begins with: one, or the smallest unit where the entries are regiments."""
    if system.regiments is None or profile.category in army.characters or profile.unit_size is None:
        return 1
    return profile.unit_size[0] or system.regiments.smallest


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the option picker. ``points`` is its price now, ``why_not`` a sentence when it may not be taken.

    ``detail`` says in a few words what it gives (``Strength +1``, ``save 4+``); ``change`` is what one miniature's
    price would change by, rivals put away; with ``is_once`` the price of the whole entry, whatever its number.
    """

    key: str
    name: str
    points: int
    is_taken: bool
    times: int = 0
    maximum: int = 1
    why_not: str = ""
    swaps: tuple[str, ...] = ()
    note: str = ""
    change: int = 0
    detail: str = ""
    is_once: bool = False


@dataclass(frozen=True, slots=True)
class ChoiceGroup:
    """Choices under one heading. ``is_exclusive``: choose one; ``has_none``: nothing is a choice too."""

    key: str
    name: str
    is_exclusive: bool
    has_none: bool
    choices: tuple[Choice, ...]
    is_required: bool = False

    @property
    def nothing_taken(self) -> bool:
        return not any(c.is_taken for c in self.choices)


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
    """All this warrior may take, by group, with prices, what is out and why; magic items are not listed here."""
    profile = selection.profile
    if profile is None:
        return ()
    free = {o.key for o in implied(selection)}
    groups: dict[tuple[str, bool, bool], list[Option]] = {}
    for option in profile.options:
        exclusive = bool(option.group and option.is_exclusive)
        heading = option.group if exclusive else _KIND_GROUPS.get(option.kind, "Other")
        groups.setdefault((heading, exclusive, False), []).append(option)
    if profile.champion:
        for option in profile.champion.options:
            groups.setdefault(
                (f"{profile.champion.name}: {option.group or 'options'}", bool(option.group), True),
                [],
            ).append(option)
    found = [_group(key, options, selection, army, free) for key, options in groups.items()]
    return (*_command_group(selection, army.unit_options_once), *found)


def _group(
    key: tuple[str, bool, bool],
    options: list[Option],
    selection: Selection,
    army: Army,
    free: set[str],
) -> ChoiceGroup:
    heading, exclusive, _ = key
    name = heading.replace("-", " ")
    required = any(o.is_required for o in options)
    return ChoiceGroup(
        key=heading,
        name=name[:1].upper() + name[1:],
        is_exclusive=exclusive,
        has_none=exclusive
        and not any(o.is_default and not o.points for o in options)
        and not required,
        choices=tuple(
            _choice(o, options if exclusive else [], selection, army, free) for o in options
        ),
        is_required=required,
    )


def _choice(
    option: Option, rivals: list[Option], selection: Selection, army: Army, free: set[str]
) -> Choice:
    profile = selection.profile
    assert profile is not None
    times = selection.bought.get(option.key, 0)
    points = option_points(option, {**selection.bought, option.key: 1})
    swapped = sum(
        option_points(r, selection.bought) * selection.bought.get(r.key, 0)
        for r in rivals
        if r.key != option.key
    )
    clashes = [k for k in option.excludes if selection.has(k)]
    clashes += [
        o.key for o in selection.options if option.key in o.excludes and o.key not in clashes
    ]
    why = ""
    if clashes:
        why = f"Not together with {' or '.join(name_of(k, profile, army) for k in clashes)}."
    elif option.requires_any and not any(
        selection.has(k) or k in free for k in option.requires_any
    ):
        why = f"Needs {' or '.join(name_of(k, profile, army) for k in option.requires_any)}."
    elif any(not selection.has(k) and k not in free for k in option.requires):
        why = f"Needs {' and '.join(name_of(k, profile, army) for k in option.requires)}."
    elif option.is_champions and not selection.has_champion:
        why = "Only for the champion."
    return Choice(
        key=option.key,
        name=option.name,
        points=points,
        is_taken=bool(times) or option.key in free,
        times=times,
        maximum=(option.maximum or 1) if option.per == "each" else 1,
        why_not="" if times else why,
        swaps=tuple(clashes) if clashes and not times else (),
        note=_note(option, selection, army),
        change=0 if times else points - swapped,
        detail=_detail(option, selection, army),
        is_once=army.unit_options_once and option.per == "unit",
    )


def _note(option: Option, selection: Selection, army: Army) -> str:
    """What a buyer should know that no figure says."""
    words = []
    if option.requires_army:
        words.append(f"Only in these armies: {', '.join(option.requires_army)}.")
    if option.per == "unit":
        is_once = army.unit_options_once
        words.append(
            "One price for the whole regiment."
            if is_once
            else "Printed as one price for a regiment; one warrior pays it in full."
        )
    traits = {
        trait for key in option.items if key in army.weapons for trait in army.weapons[key].traits
    }
    if "mounted_only" in traits and not selection.is_mounted:
        words.append("For riders only, and this warrior is on foot.")
    if "foot_only" in traits and selection.is_mounted:
        words.append("On foot only, and this warrior rides.")
    return " ".join(words)


def _detail(option: Option, selection: Selection, army: Army) -> str:
    """What an option brings: its items, or else what it changes in the stat line."""
    items = [item_detail(key, selection, army) for key in option.items]
    changes = [f"{stat} {figure}".replace("-", "−") for stat, figure in option.effect.items()]
    return ", ".join(filter(None, items)) or ", ".join(changes)


def item_detail(key: str, selection: Selection, army: Army) -> str:
    """A few words on a weapon or a piece of armour in this warrior's hands: range, Strength, notes, or save."""
    if armour := army.armour.get(key):
        if armour.save:
            return f"save {armour.save}+"
        return f"save {armour.improves} better" if armour.improves else armour_gives(armour)
    weapon = army.weapons.get(key)
    if weapon is None:
        return ""
    words = []
    if weapon.range is not None:
        words.append(
            f"{weapon.range}″"
            if isinstance(weapon.range, int)
            else REACHES.get(weapon.range, weapon.range)
        )
    if weapon.strength not in (None, "user"):
        words.append(f"Strength {weapon.strength}".replace("-", "−"))
    strength = next((line.stats.get(army.strength_stat) for line in stat_lines(selection)), None)
    return ", ".join((*words, *carried_weapon(weapon, strength, selection.is_mounted).notes))


def _command_group(selection: Selection, is_once: bool) -> tuple[ChoiceGroup, ...]:
    profile = selection.profile
    assert profile is not None
    prices = command_prices(profile)
    choices = tuple(
        Choice(
            key,
            prices[key][0],
            prices[key][1],
            selection.has(key),
            selection.bought.get(key, 0),
            change=0 if selection.has(key) else prices[key][1],
            is_once=is_once,
        )
        for key in COMMAND
        if key in prices
    )
    return (ChoiceGroup("command", "Command", False, False, choices),) if choices else ()
