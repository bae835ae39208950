"""What of a foreign list an army of ours has: by id, by name, by alias. The rest is suggested.

Nothing uncertain is taken: a name that fits two entries is a suggestion.
"""

import difflib
import re
import unicodedata
import uuid
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import field
from decimal import Decimal
from typing import Literal, TypeVar

from engine.records import TextByKey, Texts, frozen_dataclass
from engine.selection import command_prices, option_points
from engine.types.lists import CHAMPION, MUSICIAN, STANDARD_BEARER, Army, Profile
from warbands.exchange.foreign.tree import ForeignPart, ForeignRoster, ForeignUnit, own_id

How = Literal["id", "name", "alias", "chosen", "carried", "suggested", "none"]
SUGGESTIONS_SHOWN = 3
LIKENESS_LEAST = 72  # percent
LEAD_LEAST = 2
WORDS_MOST = 12
# Named by text and not by the site's address: a list reads the same on every site.
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "muster-roll/1")
_BRACKETS = re.compile(r"\([^)]*\)|\{[^}]*\}|\[[^\]]*\]")
_STANDARDS = ("standard bearer", "standard", "banner bearer", "banner")

K = TypeVar("K")


@frozen_dataclass
class Aliases:
    """What else an army and what it sells are called in the lists of other tools.

    ``units`` and ``options`` are by their id or name; an option "" is carried anyway.
    """

    known_as: Texts = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)


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


def plain_name(text: str) -> str:
    """Return a name as it is compared: no marks, brackets, signs or plural endings."""
    text = _BRACKETS.sub(" ", text.replace("&", " and "))
    letters = unicodedata.normalize("NFKD", text).lower()
    letters = re.sub(r"['’`´]", "", letters)
    kept = (sign for sign in letters if not unicodedata.combining(sign))
    words = re.sub(r"[^\w]+|_", " ", "".join(kept)).split()
    return " ".join(_singular(word) for word in words[:WORDS_MOST])


def _singular(word: str) -> str:
    """Return a word without the s of its plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def id_of(army: Army, *keys: str) -> str:
    """Return the id that our files write for an entry of an army."""
    return str(uuid.uuid5(_SPACE, "/".join((army.collection, army.key, *keys))))


class ArmyIndex:
    """The entries of an army by id and by plain name."""

    def __init__(
        self,
        army: Army,
        aliases: Aliases,
    ) -> None:
        self.army, self.aliases = army, aliases
        # Our own files name entries by ids of their own, so that they come back for certain.
        self.ids = {id_of(army, key): key for key in army.profiles}
        self.ids |= {own_id(key): key for key in army.profiles}
        self.ids |= {k: v for k, v in aliases.origins.items() if v in army.profiles}
        self.names: dict[str, list[str]] = {}
        for key, profile in army.profiles.items():
            for name in {plain_name(profile.name), plain_name(profile.model_name)} - {""}:
                self.names.setdefault(name, []).append(key)
        self.units = {plain_name(name): key for name, key in aliases.units.items()}

    def unit(self, unit: ForeignUnit) -> Match:
        """Return the profile that a unit is."""
        if key := first_known(unit.ids, self.ids):
            return Match(key, "id")
        plain = plain_name(unit.name)
        keys = self._named(plain)
        if len(keys) == 1:
            return Match(keys[0], "name")
        if key := self.units.get(plain, ""):
            return Match(key, "alias")
        if keys:
            return not_found(map(self._suggestion, keys))
        each = unit.points / max(1, unit.count)
        return not_found(self._like(plain, each))

    def _named(self, plain: str) -> list[str]:
        """Return the profiles of this name.

        A profile's own name goes before the model's name of another.
        """
        keys = self.names.get(plain, [])
        own = [key for key in keys if plain_name(self.army.profiles[key].name) == plain]
        return own or keys

    def _like(
        self,
        plain: str,
        each: Decimal,
    ) -> tuple[Suggestion, ...]:
        """Return the profiles whose names are most like this one.

        Of names that are equally like it, the one of the nearest price comes first.
        """
        near = likest(plain, self.names)
        keys = dict.fromkeys(key for name in near for key in self.names[name])
        found = [self._suggestion(key) for key in keys]
        likeness = {key: place for place, key in enumerate(keys)}
        found.sort(key=lambda one: (likeness[one.key], abs(one.points - each)))
        return tuple(found[:SUGGESTIONS_SHOWN])

    def _suggestion(self, key: str) -> Suggestion:
        """Return a profile as something that may be meant."""
        profile = self.army.profiles[key]
        return Suggestion(key, profile.name, profile.points)

    def share(self, units: Iterable[ForeignUnit]) -> int:
        """Return how many of the units the army has for certain."""
        return sum(self.unit(unit).is_found for unit in units)


class ProfileIndex:
    """What a profile may buy, by id and by plain name, and what it carries anyway."""

    def __init__(
        self,
        army: Army,
        profile: Profile,
        aliases: Aliases,
    ) -> None:
        self.army, self.profile = army, profile
        self.sold: dict[str, tuple[str, int]] = {
            option.key: (option.name, option_points(option, ()))
            for option in profile.all_options
        }
        self.sold |= command_prices(profile)
        self.items: dict[str, tuple[str, int]] = {
            item.option_key: (item.name, item.points) for item in army.magic_items.values()
        }
        everything = [*self.sold, *self.items]
        self.ids = {id_of(army, profile.key, key): key for key in everything}
        self.ids |= {own_id(key): key for key in everything}
        self.names = _by_name(self.sold)
        self.names_of_items = _by_name(self.items)
        # What is bought again for nothing would be another choice than theirs.
        self.carried = frozenset(map(plain_name, self._carried()))
        self.aliases = {plain_name(name): key for name, key in aliases.options.items()}

    def _carried(self) -> Iterable[str]:
        """Yield the names of what a profile has without buying it."""
        profile, army = self.profile, self.army
        names = {key: weapon.name for key, weapon in army.weapons.items()}
        names |= {key: piece.name for key, piece in army.armour.items()}
        yield from (names[key] for key in profile.default_items if key in names)
        yield from (*profile.special_rules, *profile.default_upgrades)
        yield from (profile.name, profile.model_name, "general", "leader")
        yield from profile.lores

    def part(self, part: ForeignPart) -> Match:
        """Return the option, member of a command or magic item that a part is."""
        if key := first_known(part.ids, self.ids):
            return Match(key, "id")
        plain = plain_name(part.name)
        # What it has anyway is not bought a second time.
        if plain in self.carried and not self._costs(part, plain):
            return Match("", "carried")
        if key := self._command(part, plain) or self._named(plain):
            return Match(key, "name")
        return self._by_alias(plain) or not_found(self._suggestions(plain))

    def _named(self, plain: str) -> str:
        """Return the only option of this name, else the only magic item of it."""
        for names in (self.names, self.names_of_items):
            keys = names.get(plain, ())
            if len(keys) == 1:
                return keys[0]
        return ""

    def _by_alias(self, plain: str) -> Match | None:
        """Return what the army's aliases say of this name; an empty key is carried anyway."""
        key = self.aliases.get(plain)
        if key == "":
            return Match("", "carried")
        return Match(key, "alias") if key and key in self.sold else None

    def _costs(
        self,
        part: ForeignPart,
        plain: str,
    ) -> bool:
        """Return whether it was paid for, though the profile has one of that name already."""
        return part.points != 0 and plain in self.names

    def _command(
        self,
        part: ForeignPart,
        plain: str,
    ) -> str:
        """Return the key of a champion, musician or standard bearer, by name or mark."""
        is_champion = part.group == "champion" or "champion" in part.name.lower()
        champion = self.profile.champion
        named = champion is not None and plain == plain_name(champion.name)
        if CHAMPION in self.sold and (is_champion or named):
            return CHAMPION
        if MUSICIAN in self.sold and plain == MUSICIAN:
            return MUSICIAN
        return (
            STANDARD_BEARER if STANDARD_BEARER in self.sold and plain in _STANDARDS else ""
        )

    def _suggestions(self, plain: str) -> tuple[Suggestion, ...]:
        """Return the options and magic items that may be meant."""
        names = {**self.names_of_items, **self.names}
        keys = names.get(plain) or [
            key for one in likest(plain, names) for key in names[one]
        ]
        prices = {**self.items, **self.sold}
        return tuple(Suggestion(key, *prices[key]) for key in keys[:SUGGESTIONS_SHOWN])


def first_known(ids: Iterable[str], known: Mapping[str, str]) -> str:
    """Return our key of the first id that is known; empty where none is."""
    return next((known[one] for one in ids if one in known), "")


def not_found(suggestions: Iterable[Suggestion]) -> Match:
    """Return that nothing was found for certain, with what may be meant."""
    found = tuple(suggestions)
    return Match("", "suggested" if found else "none", found)


def _by_name(sold: Mapping[str, tuple[str, int]]) -> dict[str, list[str]]:
    """Return the keys of each plain name."""
    found: dict[str, list[str]] = {}
    for key, (name, _) in sold.items():
        found.setdefault(plain_name(name), []).append(key)
    return found


def likest(plain: str, names: Collection[str]) -> list[str]:
    """Return the names most like this one, the likest first; words in any order.

    A name whose words are all in the other ("Shades" in "Dark Elf Shades") comes after these.
    """
    # "Captain of Lamps" is like "Lamp Captain": the order of words says little.
    wanted = " ".join(sorted(plain.split()))
    by_words: TextByKey = {" ".join(sorted(name.split())): name for name in names}
    near = difflib.get_close_matches(
        wanted,
        list(by_words),
        SUGGESTIONS_SHOWN,
        LIKENESS_LEAST / 100,
    )
    words = set(plain.split())
    within = [name for name in names if is_within(words, set(name.split()))]
    found = dict.fromkeys([by_words[one] for one in near] + within)
    return list(found)[:SUGGESTIONS_SHOWN]


def is_within(one: Set[str], other: Set[str]) -> bool:
    """Return whether all words of one name are in the other."""
    return bool(one and other) and (one <= other or other <= one)


@frozen_dataclass
class ArmyChoice:
    """An army that may be meant: how many of the units it has."""

    key: str
    name: str
    share: int


def rank_armies(
    tree: ForeignRoster, indexes: Mapping[str, ArmyIndex]
) -> tuple[str, tuple[ArmyChoice, ...]]:
    """Return the army that a list is of ("" where that is not certain), and all by their share."""
    shares = sorted(
        (
            ArmyChoice(key, index.army.name, index.share(tree.units))
            for key, index in indexes.items()
        ),
        key=lambda one: (-one.share, one.name),
    )
    named = [key for key, index in indexes.items() if _is_named(tree, index)]
    if len(named) == 1:
        return named[0], tuple(shares)
    # Two armies of one game share units, so the first must be ahead of the second.
    first, second = shares[0].share, shares[1].share if len(shares) > 1 else 0
    is_clear = first * 2 >= len(tree.units) and (
        len(shares) == 1 or first - second >= LEAD_LEAST
    )
    return (shares[0].key if first and is_clear else ""), tuple(shares)


def _is_named(tree: ForeignRoster, index: ArmyIndex) -> bool:
    """Return whether the list names the army itself, as its tool or as we call it."""
    known = {plain_name(name) for name in (index.army.name, *index.aliases.known_as)}
    said = set()
    for section in tree.sections:
        said |= {plain_name(section.army), plain_name(f"{tree.form}:{section.army_id}")}
    return bool(known & (said - {""}))
