"""What of a foreign list our army lists have: which army it is of, its units, and their options.

Nothing uncertain is taken: a name that fits two entries is a suggestion.
"""

import difflib
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from decimal import Decimal
from typing import Literal, TypeVar

from engine.records import TextByKey, Texts, frozen_dataclass, grouped
from engine.selection import command_prices, option_points, purchase_names
from engine.text import unique_names
from engine.types.lists import CHAMPION, MUSICIAN, STANDARD_BEARER, Army, Profile
from interchange.catalogues import plain_name
from interchange.tree import (
    LEADER_OPTIONS,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    own_id,
    written_id,
)

# Names and ids of other tools' lists, compared with those of our armies, and which army
# it is.

How = Literal["id", "name", "alias", "learned", "chosen", "carried", "suggested", "none"]
LEAD_LEAST = 2
# Named by text and not by the site's address: a list reads the same on every site.
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "muster-roll/1")


@frozen_dataclass
class Aliases:
    """What else an army and what it sells are called in the lists of other tools.

    ``units`` and ``options`` are by their id or name; an option "" is carried anyway. ``learned``
    and ``learned_options`` (by profile and name) are what somebody chose before; ``option_origins``
    are by profile and id.
    """

    known_as: Texts = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    learned: Mapping[str, str] = field(default_factory=dict)
    learned_options: Mapping[tuple[str, str], str] = field(default_factory=dict)
    option_origins: Mapping[tuple[str, str], str] = field(default_factory=dict)


@frozen_dataclass
class Suggestion:
    """An entry of ours that may be meant; it is never taken by itself."""

    key: str
    name: str
    points: int


@frozen_dataclass
class Match:
    """What was found: a key of ours ("" where nothing is to be bought), how, or suggestions."""

    key: str
    how: How
    suggestions: tuple[Suggestion, ...] = ()

    @property
    def is_found(self) -> bool:
        """Return whether the army has it for certain."""
        return self.how not in {"suggested", "none"}


def id_of(army: Army, *keys: str) -> str:
    """Return the id that our files write for an entry of an army."""
    return _id_of(army.collection, army.key, *keys)


def _id_of(*keys: str) -> str:
    """Return the id of an entry by its collection, its army and its own keys."""
    return str(uuid.uuid5(_SPACE, "/".join(keys)))


@frozen_dataclass
class ArmyNames:
    """What an army is called, and the names of its profiles by key: their own and their model's.

    It needs no army list, so that finding the army of a list reads none.
    """

    key: str
    name: str
    collection: str
    units: Mapping[str, tuple[str, str]]
    aliases: Aliases = Aliases()
    is_based: bool = False

    @classmethod
    def of(cls, army: Army, aliases: Aliases) -> "ArmyNames":
        """Return the names of an army list."""
        units = {
            key: (profile.name, profile.model_name)
            for key, profile in army.profiles.items()
        }
        return cls(army.key, army.name, army.collection, units, aliases)


class NameIndex:
    """The units of an army by id and by plain name."""

    def __init__(self, names: ArmyNames) -> None:
        self.army, aliases = names, names.aliases
        self.prefix = plain_name(names.name).removeprefix("the ")
        # Our own files name entries by ids of their own, so that they come back for certain.
        keys = (names.collection, names.key)
        self.ids = {_id_of(*keys, key): key for key in names.units}
        self.ids |= {own_id(key): key for key in names.units}
        written = unique_names({key: of[::-1] for key, of in names.units.items()}).items()
        self.ids |= {written_id(name): key for key, name in written}
        self.ids |= {k: v for k, v in aliases.origins.items() if v in names.units}
        units = names.units.items()
        self.own = grouped((plain_name(name), key) for key, (name, _) in units)
        self.names = grouped(
            (plain, key)
            for key, both in units
            for plain in set(map(plain_name, both)) - {""}
        )
        self.others = _names_of_keys(aliases.units, names.units)
        self.learned = _names_of_keys(aliases.learned, names.units)

    def unit(self, unit: ForeignUnit) -> Match:
        """Return the profile that a unit is for certain; suggestions carry no price."""
        if key := first_key(unit.ids, self.ids):
            return Match(key, "id")
        plain = plain_name(unit.name)
        # "Dark Elf Shades" are its Shades; a model's name would be too little then.
        short = plain.removeprefix(f"{self.prefix} ")
        has_short = short in self.own or short in self.others
        if match := self._certain(plain) or (has_short and self._certain(short)):
            return match
        learned = self.learned.get(plain, "")
        return Match(learned, "learned" if learned else "none")

    def _certain(self, plain: str) -> Match | None:
        """Return what a name stands for: a profile's own, an alias, then a model's."""
        keys = self.own.get(plain, [])
        if len(keys) == 1:
            return Match(keys[0], "name")
        if other := self.others.get(plain):
            return Match(other, "alias")
        models = [] if keys else self.names.get(plain, [])
        if len(models) != 1:
            return None
        # Another profile's name may have all its words: an orc's or a savage orc's boar chariot.
        name_words = set(plain.split())
        is_in_another = any(
            name_words <= set(name.split()) for name, of in self.own.items() if of != models
        )
        return None if is_in_another else Match(models[0], "name")

    def share(self, units: Iterable[ForeignUnit]) -> int:
        """Return how many of the units the army has for certain."""
        return sum(self.unit(unit).is_found for unit in units)


def _names_of_keys(names: Mapping[str, str], keys: Collection[str]) -> TextByKey:
    """Return keys by plain name, without those that an army does not have."""
    return {plain_name(name): key for name, key in names.items() if key in keys}


def first_key(ids: Iterable[str], keys: Mapping[str, str]) -> str:
    """Return our key of the first id that has one; empty where none has."""
    return next((keys[id_] for id_ in ids if id_ in keys), "")


@frozen_dataclass
class ArmyChoice:
    """An army that may be meant: how many of the units it has."""

    key: str
    name: str
    share: int


def rank_armies(
    tree: ForeignRoster, names: Iterable[ArmyNames]
) -> tuple[str, tuple[ArmyChoice, ...]]:
    """Return the army that a list is of ("" where that is not certain), and all by their share.

    A club's list over an army has all its units, so it is offered and never taken.
    """
    armies = tuple(names)
    choices = sorted(
        (
            ArmyChoice(army.key, army.name, NameIndex(army).share(tree.units))
            for army in armies
        ),
        key=lambda choice: (-choice.share, choice.name),
    )
    printed = {army.key: army for army in armies if not army.is_based}
    # Whether the list names the army itself, as its tool or as we call it.
    theirs = {plain_name(section.army) for section in tree.sections}
    theirs |= {plain_name(f"{tree.form}:{section.army_id}") for section in tree.sections}
    theirs.discard("")
    named_keys = [
        key
        for key, army in printed.items()
        if not theirs.isdisjoint(map(plain_name, (army.name, *army.aliases.known_as)))
    ]
    if len(named_keys) == 1:
        return named_keys[0], tuple(choices)
    ranked = [choice for choice in choices if choice.key in printed]
    return _clearly_first(ranked, len(tree.units)), tuple(choices)


def _clearly_first(ranked: Sequence[ArmyChoice], units: int) -> str:
    """Return the army that has half of the units, and some more than the next; else empty.

    Two armies of one game share units, so the first must be ahead of the second.
    """
    first, second, *_ = (*(choice.share for choice in ranked), 0, 0)
    is_ahead = len(ranked) == 1 or first - second >= LEAD_LEAST
    return ranked[0].key if first and first * 2 >= units and is_ahead else ""


# Units and options of one army

SUGGESTIONS_SHOWN = 3
LIKENESS_LEAST = 72  # percent
COMPARISONS_MAX = 20_000  # of one list; who sends more of them gets no suggestions
_STANDARDS = ("standard bearer", "standard", "banner bearer", "banner")

K = TypeVar("K")


class ArmyIndex:
    """The entries of an army list: its names, and what may be meant by others."""

    def __init__(self, army: Army, aliases: Aliases) -> None:
        self.army, self.aliases = army, aliases
        self.names = NameIndex(ArmyNames.of(army, aliases))
        self.comparisons = iter(range(COMPARISONS_MAX))
        self.similar = SimilarNames(self.names.names, self.comparisons)

    def unit(self, unit: ForeignUnit) -> Match:
        """Return the profile that a unit is, or what may be meant."""
        match = self.names.unit(unit)
        if match.is_found:
            return match
        plain, names = plain_name(unit.name), self.names.names
        near = [plain] if plain in names else self.similar.likest(plain)
        profiles = self.army.profiles
        listed = [key for key in names.get(plain, ()) if not profiles[key].is_refused]
        if len(listed) == 1:
            # Somebody of the list may have the name of a hired sword whom it cannot hire.
            return Match(listed[0], "name")
        # Of those that share a name, the one of the nearest price comes first.
        each = unit.points / max(1, unit.count)
        places: dict[str, int] = {}
        for place, name in enumerate(near):
            for key in names[name]:
                places.setdefault(key, place)
        candidates = [profiles[key] for key in places]
        candidates.sort(
            key=lambda profile: (places[profile.key], abs(profile.points - each))
        )
        return not_found(
            Suggestion(profile.key, profile.name, profile.points)
            for profile in candidates[:SUGGESTIONS_SHOWN]
        )


class ProfileIndex:
    """What a profile may buy, by id and by plain name, and what it carries anyway."""

    def __init__(self, index: ArmyIndex, profile: Profile) -> None:
        army, aliases = index.army, index.aliases
        self.army, self.profile = army, profile
        self.sold: dict[str, tuple[str, int]] = {
            option.key: (option.name, option_points(option, ()))
            for option in profile.all_options
        }
        self.sold |= command_prices(profile)
        self.items: dict[str, tuple[str, int]] = {
            item.option_key: (item.name, item.points) for item in army.magic_items.values()
        }
        self.ids = self._ids(aliases)
        self.names = grouped(
            (plain_name(name), key) for key, (name, _) in self.sold.items()
        )
        # An item that it may not carry is only suggested.
        allowance = profile.magic_allowance or 0
        of_items = [(plain_name(name), key) for key, (name, _) in self.items.items()]
        self.names_of_items = grouped(
            (plain, key) for plain, key in of_items if self.items[key][1] <= allowance
        )
        self.all_names = {**grouped(of_items), **self.names}
        self.similar = SimilarNames(self.all_names, index.comparisons)
        self.aliases = {plain_name(name): key for name, key in aliases.options.items()}
        learned = aliases.learned_options.items()
        self.learned = {name: key for (of, name), key in learned if of == profile.key}
        self.carried = frozenset(map(plain_name, self._carried()))

    def _ids(self, aliases: Aliases) -> TextByKey:
        """Return the keys of all that it may buy by their ids, and by the names in our texts."""
        army, profile = self.army, self.profile
        everything = {**self.items, **self.sold}
        ids = {id_of(army, profile.key, key): key for key in everything}
        ids |= {own_id(key): key for key in everything}
        written = purchase_names(army, profile).items()
        ids |= {written_id(name): key for key, name in written}
        origins = aliases.option_origins.items()
        return ids | {origin: key for (of, origin), key in origins if of == profile.key}

    def _carried(self) -> Iterator[str]:
        """Yield the names of what a profile has without buying it: bought again for nothing it
        would be another choice than theirs.
        """
        profile, army = self.profile, self.army
        things = {key: weapon.name for key, weapon in army.weapons.items()}
        things |= {key: piece.name for key, piece in army.armour.items()}
        yield from (things[key] for key in profile.default_items if key in things)
        yield from (*profile.special_rules, *profile.default_upgrades, *profile.lores)
        yield from (profile.name, profile.model_name, *LEADER_OPTIONS)
        if profile.is_wizard:
            yield from ("wizard", f"level {profile.wizard_level} wizard")

    def part(self, part: ForeignPart) -> Match:
        """Return the option, member of a command or magic item that a part is."""
        if key := first_key(part.ids, self.ids):
            return Match(key, "id")
        plain = plain_name(part.name)
        # What it has anyway is not bought a second time.
        if plain in self.carried and not (part.points != 0 and plain in self.names):
            return Match("", "carried")
        price = part.points / max(1, part.count)
        if key := self._command(part, plain) or self._named(plain, price):
            return Match(key, "name")
        if match := self._by_other_name(plain):
            return match
        keys = self.all_names.get(plain) or [
            key for name in self.similar.likest(plain) for key in self.all_names[name]
        ]
        prices = {**self.items, **self.sold}
        return not_found(Suggestion(key, *prices[key]) for key in keys[:SUGGESTIONS_SHOWN])

    def _by_other_name(self, plain: str) -> Match | None:
        """Return what the army's aliases say of this name; an empty key is carried anyway. Else
        what somebody chose for it before, where the profile sells that yet.
        """
        key = self.aliases.get(plain)
        if key is not None:
            name = plain_name(key)
            if not key or name in self.carried:
                return Match("", "carried")
            # One profile sells a spear, another spears, and a third carries one.
            if sold := key if key in self.sold else self._named(name):
                return Match(sold, "alias")
        key = self.learned.get(plain, "")
        is_sold = key in self.sold or key in self.items
        return Match(key, "learned") if is_sold else None

    def _named(self, plain: str, price: Decimal | None = None) -> str:
        """Return the only option of this name, or of this name and price, else the only magic item
        of it.
        """
        for names in (self.names, self.names_of_items):
            keys = names.get(plain, ())
            if len(keys) > 1 and names is self.names:
                keys = [key for key in keys if self.sold[key][1] == price]
            if len(keys) == 1:
                return keys[0]
        return ""

    def _command(self, part: ForeignPart, plain: str) -> str:
        """Return the key of a champion, musician or standard bearer, by name or mark."""
        is_champion = part.group == "champion" or "champion" in part.name.lower()
        champion = self.profile.champion
        is_named = champion is not None and plain == plain_name(champion.name)
        roles = {
            CHAMPION: is_champion or is_named,
            MUSICIAN: plain == MUSICIAN,
            STANDARD_BEARER: plain in _STANDARDS,
        }
        return next((key for key in roles if roles[key] and key in self.sold), "")


def not_found(suggestions: Iterable[Suggestion]) -> Match:
    """Return that nothing was found for certain, with what may be meant."""
    offered = tuple(suggestions)
    return Match("", "suggested" if offered else "none", offered)


class SimilarNames:
    """Names by how their words begin and end, so that few are compared letter by letter.

    ``comparisons`` are those that are left, shared by all that a list is compared with.
    """

    def __init__(self, names: Iterable[str], comparisons: Iterator[int]) -> None:
        self.names, self.comparisons = list(names), comparisons
        numbered = enumerate(self.names)
        self.places = grouped((end, n) for n, name in numbered for end in _word_ends(name))

    def likest(self, plain: str) -> list[str]:
        """Return the names most like this one, the likest first; words in any order.

        A name whose words are all in the other ("Shades" in "Dark Elf Shades") comes after these.
        """
        near = set[int]().union(*(self.places.get(end, ()) for end in _word_ends(plain)))
        names = [
            self.names[place]
            for place, _ in zip(sorted(near), self.comparisons, strict=False)
        ]
        # "Captain of Lamps" is like "Lamp Captain": the order of words says little.
        by_words: TextByKey = {" ".join(sorted(name.split())): name for name in names}
        sorted_words = sorted(plain.split())
        similar = difflib.get_close_matches(
            " ".join(sorted_words), by_words, SUGGESTIONS_SHOWN, LIKENESS_LEAST / 100
        )
        within = [name for name in names if is_within(set(sorted_words), set(name.split()))]
        results = dict.fromkeys([by_words[name] for name in similar] + within)
        return list(results)[:SUGGESTIONS_SHOWN]


def _word_ends(name: str) -> set[str]:
    """Return the first and the last three letters of each word; a slip leaves most of them."""
    name_words = name.split()
    return {word[:3] for word in name_words} | {word[-3:] for word in name_words}


def is_within(words: Set[str], others: Set[str]) -> bool:
    """Return whether all words of one name are in the other."""
    return bool(words and others) and (words <= others or others <= words)
