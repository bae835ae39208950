"""What the options of an army list need and rule out, and what a new entry begins with.

An option may exclude others, need others, belong to a group of which one is taken, and be for
the champion alone. Nothing here stops a purchase: a fault is told, and the option stays bought.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from engine.records import NumberByKey, Texts, frozen_dataclass, grouped
from engine.roster import RosterEntry
from engine.selection import Selection, command_prices, select
from engine.types.lists import CHAMPION, MAGIC_PREFIX, Army, Option, Profile
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
    groups = {
        o.group for o in (*selection.options, *selection.champions_options) if o.group
    }
    # A champion's defaults come with the champion, and an entry without one has none of them.
    offered = profile.all_options if selection.has_champion else profile.options
    return tuple(o for o in offered if is_free_default(o) and o.group not in groups)


def is_free_default(option: Option) -> bool:
    """Return whether an option costs nothing and is there unless another is chosen."""
    return option.is_default and not option.points


class Buyer(NamedTuple):
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
        return conjunction.join(find_name(key, self.profile, self.army) for key in keys)


def build_buyer(selection: Selection, profile: Profile, army: Army) -> Buyer:
    """Return an entry as somebody who may take options."""
    return Buyer(selection, profile, army, {option.key for option in implied(selection)})


def find_name(key: str, profile: Profile, army: Army) -> str:
    """Return the printed name of an option, a command model or a magic item."""
    if option := find_option(profile, key):
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

    ``bearers`` says how many of the roster carry each magic item (``count_bearers``).
    """
    profile = selection.profile
    if profile is None:
        return
    bought = (*selection.options, *selection.champions_options)
    exclusive = [option for option in bought if option.shuts_out]
    groups = grouped(((option.group, option.is_champions), option) for option in exclusive)
    for rivals_taken in groups.values():
        if len(rivals_taken) > 1:
            names = " and ".join(option.name for option in rivals_taken)
            keys = tuple(option.key for option in rivals_taken[1:])
            yield OptionFault(f"only one of {names} may be taken", keys)
    for option in bought:
        for key in filter(selection.has, option.excludes):
            reason = f"{option.name} and {find_name(key, profile, army)} do not go together"
            yield OptionFault(reason, (key,))
    yield from _bought_too_often(selection, profile, army)
    yield from _magic_conflicts(selection, profile, bearers)


def _bought_too_often(
    selection: Selection, profile: Profile, army: Army
) -> Iterator[OptionFault]:
    """Yield options and command models of which there are more than the list allows."""
    for option in (*selection.options, *selection.champions_options):
        times, most = selection.bought[option.key], most_bought(option)
        if times > most:
            reason = f"{option.name} is taken {times} times, the list allows {most}"
            yield OptionFault(reason, (option.key,))
    for key in selection.command:
        times = selection.bought[key]
        if times > 1:
            reason = f"{find_name(key, profile, army)} is taken {times} times"
            yield OptionFault(reason, (key,))


def most_bought(option: Option) -> int:
    """Return how often the option may be bought: once, unless sold by the piece."""
    # Without a printed most, even what is sold by the piece is bought once.
    return option.maximum or 1 if option.per == "each" else 1


def _magic_conflicts(
    selection: Selection, profile: Profile, bearers: NumberByKey
) -> Iterator[OptionFault]:
    """Yield faults of magic items: points over the allowance, and repeated items."""
    items, allowance = selection.magic_items, profile.magic_allowance or 0
    # An allowance spent exactly is spent within the rules.
    if items and selection.magic_spent > allowance:
        may = (
            f"at most {allowance} points of magic items" if allowance else "no magic items"
        )
        reason = f"it may carry {may} and carries {selection.magic_spent}"
        yield OptionFault(reason, tuple(item.option_key for item in items))
    for item in items:
        key = item.option_key
        times, carriers = selection.bought[key], bearers.get(key, 0)
        if times > 1:
            yield OptionFault(f"{item.name} is carried {times} times", (key,))
        if item.is_unique and carriers > 1:
            reason = f"there is one {item.name} and {carriers} models carry it"
            yield OptionFault(reason, (key,))


def count_bearers(selections: Iterable[Selection]) -> NumberByKey:
    """Return how many warriors of a roster carry each magic item, by option key."""
    bearers = Counter[str]()
    for selection in selections:
        for item in selection.magic_items:
            bearers[item.option_key] += selection.entry.count
    return bearers


def missing(selection: Selection, army: Army) -> Iterator[OptionFault]:
    """Yield what a choice needs and lacks, and groups from which one must be taken."""
    profile = selection.profile
    if profile is None:
        return
    buyer = build_buyer(selection, profile, army)
    for option in (*selection.options, *selection.champions_options):
        for key in option.requires:
            if not buyer.has(key):
                reason = f"{option.name} needs {buyer.names((key,), '')}"
                yield OptionFault(reason, (option.key,), (key,))
        if option.requires_any and lacks_any(option, buyer):
            reason = f"{option.name} needs {buyer.names(option.requires_any, ' or ')}"
            yield OptionFault(reason, (option.key,), option.requires_any[:1])
    if selection.champions_options and not selection.has_champion:
        names = " and ".join(o.name for o in selection.champions_options)
        keys = tuple(o.key for o in selection.champions_options)
        yield OptionFault(f"{names} is for the champion", keys, (CHAMPION,))
    yield from _open_groups(selection, profile)


def _open_groups(selection: Selection, profile: Profile) -> Iterator[OptionFault]:
    """Yield groups from which one option must be taken and none is."""
    for group, options in required_groups(profile).items():
        # A free default answers for its group. One whose options are all ruled out asks nothing.
        if any(is_free_default(o) or selection.has(o.key) for o in options):
            continue
        if not all(find_clashes(option, selection) for option in options):
            names = ", ".join(o.name for o in options)
            reason = f"one must be chosen of {group.replace('-', ' ')}: {names}"
            yield OptionFault(reason, (), (cheapest(options).key,))


def lacks_any(option: Option, buyer: Buyer) -> bool:
    """Return whether the entry has none of the options of which this one needs any."""
    return not any(map(buyer.has, option.requires_any))


def find_clashes(option: Option, selection: Selection) -> Texts:
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


def find_option(profile: Profile | None, key: str) -> Option | None:
    """Return the profile's option of that key, else its champion's."""
    options = profile.all_options if profile else ()
    return next((option for option in options if option.key == key), None)


def rivals(option: Option | None, profile: Profile | None) -> frozenset[str]:
    """Return the keys of the options that may not be had beside this one: those of its group."""
    if option is None or profile is None or not option.shuts_out:
        return frozenset()
    # Where its champion is sold an option of the same key, the key means the profile's own.
    by_key = {other.key: other for other in reversed(profile.all_options)}
    return frozenset(
        other.key
        for other in by_key.values()
        if other.shuts_out
        and (other.group, other.is_champions) == (option.group, option.is_champions)
        and other.key != option.key
    )


def with_option(entry: RosterEntry, key: str, army: Army) -> RosterEntry:
    """Return the entry with one more option, command model or magic item.

    Rivals of an option go, and a free default needs no listing.
    """
    profile = army.profiles.get(entry.profile)
    option = find_option(profile, key)
    shut_out = rivals(option, profile)
    left = tuple(listed for listed in entry.options if listed not in shut_out)
    bare = replace(entry, options=left)
    is_there = key in left or option in implied(select(army, bare))
    # Sold by the piece, it is listed once for each piece.
    if is_there and not (option and option.per == "each"):
        return bare
    return replace(entry, options=(*left, key))


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
