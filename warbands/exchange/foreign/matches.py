"""What of a foreign list an army list of ours has. What is uncertain is suggested.

Nothing uncertain is taken: a name that fits two entries is a suggestion.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TypeVar

from engine.records import TextByKey
from engine.selection import command_prices, option_points
from engine.types.lists import CHAMPION, MUSICIAN, STANDARD_BEARER, Army, Profile
from warbands.exchange.foreign.names import (
    Aliases,
    ArmyNames,
    Match,
    NameIndex,
    Suggestion,
    first_known,
    id_of,
    plain_name,
)
from warbands.exchange.foreign.tree import (
    LEADER_OPTIONS,
    ForeignPart,
    ForeignUnit,
    own_id,
)

SUGGESTIONS_SHOWN = 3
LIKENESS_LEAST = 72  # percent
COMPARISONS_MAX = 20_000  # of one list; who sends more of them gets no suggestions
_STANDARDS = ("standard bearer", "standard", "banner bearer", "banner")

K = TypeVar("K")


class ArmyIndex:
    """The entries of an army list: its names, and what may be meant by others."""

    def __init__(
        self,
        army: Army,
        aliases: Aliases,
    ) -> None:
        self.army, self.aliases = army, aliases
        self.known = NameIndex(ArmyNames.of(army, aliases))
        self.comparisons = iter(range(COMPARISONS_MAX))
        self.similar = SimilarNames(self.known.names, self.comparisons)

    def unit(self, unit: ForeignUnit) -> Match:
        """Return the profile that a unit is, or what may be meant."""
        match = self.known.unit(unit)
        if match.is_found:
            return match
        plain, named = plain_name(unit.name), self.known.names
        near = [plain] if plain in named else self.similar.likest(plain)
        # Of those that share a name, the one of the nearest price comes first.
        each = unit.points / max(1, unit.count)
        places: dict[str, int] = {}
        for place, name in enumerate(near):
            new = (key for key in self.known.names[name] if key not in places)
            places |= dict.fromkeys(new, place)
        found = [self._suggestion(key) for key in places]
        found.sort(key=lambda one: (places[one.key], abs(one.points - each)))
        return not_found(tuple(found[:SUGGESTIONS_SHOWN]))

    def _suggestion(self, key: str) -> Suggestion:
        """Return a profile as something that may be meant."""
        profile = self.army.profiles[key]
        return Suggestion(key, profile.name, profile.points)


class ProfileIndex:
    """What a profile may buy, by id and by plain name, and what it carries anyway."""

    def __init__(
        self,
        index: ArmyIndex,
        profile: Profile,
    ) -> None:
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
        everything = [*self.sold, *self.items]
        self.ids = {id_of(army, profile.key, key): key for key in everything}
        self.ids |= {own_id(key): key for key in everything}
        origins = aliases.option_origins.items()
        self.ids |= {origin: key for (of, origin), key in origins if of == profile.key}
        self.names = _by_name(self.sold)
        self.names_of_items = _by_name(self.items)
        self.all_names = {**self.names_of_items, **self.names}
        self.similar = SimilarNames(self.all_names, index.comparisons)
        # What is bought again for nothing would be another choice than theirs.
        self.carried = frozenset(map(plain_name, self._carried()))
        self.aliases = {plain_name(name): key for name, key in aliases.options.items()}
        learned = aliases.learned_options.items()
        self.learned = {name: key for (of, name), key in learned if of == profile.key}

    def _carried(self) -> Iterable[str]:
        """Yield the names of what a profile has without buying it."""
        profile, army = self.profile, self.army
        names = {key: weapon.name for key, weapon in army.weapons.items()}
        names |= {key: piece.name for key, piece in army.armour.items()}
        yield from (names[key] for key in profile.default_items if key in names)
        yield from (*profile.special_rules, *profile.default_upgrades)
        yield from (profile.name, profile.model_name, *sorted(LEADER_OPTIONS))
        if profile.is_wizard:
            yield from ("wizard", f"level {profile.wizard_level} wizard")
        yield from profile.lores

    def part(self, part: ForeignPart) -> Match:
        """Return the option, member of a command or magic item that a part is."""
        if key := first_known(part.ids, self.ids):
            return Match(key, "id")
        plain = plain_name(part.name)
        # What it has anyway is not bought a second time.
        if plain in self.carried and not (part.points != 0 and plain in self.names):
            return Match("", "carried")
        if key := self._command(part, plain) or self._named(plain):
            return Match(key, "name")
        found = self._by_alias(plain) or self._learned(plain)
        return found or not_found(self._suggestions(plain))

    def _named(self, plain: str) -> str:
        """Return the only option of this name, else the only magic item of it."""
        for names in (self.names, self.names_of_items):
            keys = names.get(plain, ())
            if len(keys) == 1:
                return keys[0]
        return ""

    def _by_alias(self, plain: str) -> Match | None:
        """Return what the army's aliases say of this name; an empty key is carried anyway.

        One profile sells a spear, another spears, and a third carries one.
        """
        key = self.aliases.get(plain)
        if key is None:
            return None
        name = plain_name(key)
        if not key or name in self.carried:
            return Match("", "carried")
        found = key if key in self.sold else self._named(name)
        return Match(found, "alias") if found else None

    def _learned(self, plain: str) -> Match | None:
        """Return what somebody chose for this name before, where the profile sells it yet."""
        key = self.learned.get(plain, "")
        is_sold = key in self.sold or key in self.items
        return Match(key, "learned") if is_sold else None

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
        names = self.all_names
        keys = names.get(plain) or [
            key for name in self.similar.likest(plain) for key in names[name]
        ]
        prices = {**self.items, **self.sold}
        return tuple(Suggestion(key, *prices[key]) for key in keys[:SUGGESTIONS_SHOWN])


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


class SimilarNames:
    """Names by how their words begin and end, so that few are compared letter by letter.

    ``comparisons`` are those that are left, shared by all that a list is compared with.
    """

    def __init__(self, names: Iterable[str], comparisons: Iterator[int]) -> None:
        self.names, self.comparisons = list(names), comparisons
        self.places: dict[str, set[int]] = {}
        for place, name in enumerate(self.names):
            for end in _word_ends(name):
                self.places.setdefault(end, set()).add(place)

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
        words = sorted(plain.split())
        similar = difflib.get_close_matches(
            " ".join(words), by_words, SUGGESTIONS_SHOWN, LIKENESS_LEAST / 100
        )
        within = [name for name in names if is_within(set(words), set(name.split()))]
        results = dict.fromkeys([by_words[name] for name in similar] + within)
        return list(results)[:SUGGESTIONS_SHOWN]


def _word_ends(name: str) -> set[str]:
    """Return the first and the last three letters of each word; a slip leaves most of them."""
    words = name.split()
    return {word[:3] for word in words} | {word[-3:] for word in words}


def is_within(one: Set[str], other: Set[str]) -> bool:
    """Return whether all words of one name are in the other."""
    return bool(one and other) and (one <= other or other <= one)
