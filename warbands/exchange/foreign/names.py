"""Names and ids of other tools' lists, compared with those of our armies, and which army it is."""

import unicodedata
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Literal

import re2

from engine.records import TextByKey, Texts, frozen_dataclass
from engine.types.lists import Army
from warbands.exchange.foreign.tree import ForeignRoster, ForeignUnit, own_id

How = Literal["id", "name", "alias", "learned", "chosen", "carried", "suggested", "none"]
LEAD_LEAST = 2
WORDS_MOST = 12
# Named by text and not by the site's address: a list reads the same on every site.
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "muster-roll/1")
_BRACKETS = re2.compile(r"\([^)]*\)|\{[^}]*\}|\[[^\]]*\]")
_APOSTROPHES = dict.fromkeys(map(ord, "'’`´"))
# Both sides are compared in this form, so that a word that is no plural harms nothing.
# Each with the letters that a word must have at least.
_PLURALS = (("ies", "y", 4), ("ves", "f", 4), ("men", "man", 3), ("s", "", 4))


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


@lru_cache(maxsize=20_000)
def plain_name(text: str) -> str:
    """Return a name as it is compared: no marks, brackets, signs or plural endings."""
    text = _BRACKETS.sub(" ", text.replace("&", " and "))
    letters = unicodedata.normalize("NFKD", text).lower().translate(_APOSTROPHES)
    kept = (sign for sign in letters if not unicodedata.combining(sign))
    words = "".join(sign if sign.isalnum() else " " for sign in kept).split()
    return " ".join(_singular(word) for word in words[:WORDS_MOST])


def _singular(word: str) -> str:
    """Return a word as its singular is compared: harpies, wolves, swordsmen, shields."""
    for plural, single, letters in _PLURALS:
        if len(word) >= letters and word.endswith(plural):
            return word.removesuffix(plural) + single
    return word


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
        units = {key: (one.name, one.model_name) for key, one in army.profiles.items()}
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
        self.ids |= {k: v for k, v in aliases.origins.items() if v in names.units}
        self.own: dict[str, list[str]] = {}
        self.names: dict[str, list[str]] = {}
        for key, (name, model) in names.units.items():
            self.own.setdefault(plain_name(name), []).append(key)
            for plain in {plain_name(name), plain_name(model)} - {""}:
                self.names.setdefault(plain, []).append(key)
        self.others = _known_names(aliases.units, names.units)
        self.learned = _known_names(aliases.learned, names.units)

    def unit(self, unit: ForeignUnit) -> Match:
        """Return the profile that a unit is for certain; suggestions carry no price."""
        if key := first_known(unit.ids, self.ids):
            return Match(key, "id")
        plain = plain_name(unit.name)
        if match := self._certain(plain) or self._short(plain):
            return match
        learned = self.learned.get(plain, "")
        return Match(learned, "learned" if learned else "none")

    def _certain(self, plain: str) -> Match | None:
        """Return what a name stands for: a profile's own, an alias, then a model's."""
        keys, other = self.own.get(plain, []), self.others.get(plain)
        if len(keys) == 1:
            return Match(keys[0], "name")
        if other:
            return Match(other, "alias")
        models = [] if keys else self.names.get(plain, [])
        is_sure = len(models) == 1 and not self._is_in_another(plain, models[0])
        return Match(models[0], "name") if is_sure else None

    def _is_in_another(self, plain: str, key: str) -> bool:
        """Return whether another profile's name has all its words: an orc's or a savage orc's boar
        chariot.
        """
        words = set(plain.split())
        return any(
            words <= set(name.split()) for name, of in self.own.items() if of != [key]
        )

    def _short(self, plain: str) -> Match | None:
        """Return what a name is without the army's in front: "Dark Elf Shades" are its Shades.

        A model's name would be too little then.
        """
        short = plain.removeprefix(f"{self.prefix} ")
        return self._certain(short) if short in self.own or short in self.others else None

    def share(self, units: Iterable[ForeignUnit]) -> int:
        """Return how many of the units the army has for certain."""
        return sum(self.unit(unit).is_found for unit in units)


def _known_names(names: Mapping[str, str], known: Collection[str]) -> TextByKey:
    """Return keys by plain name, without those that an army does not have."""
    return {plain_name(name): key for name, key in names.items() if key in known}


def first_known(ids: Iterable[str], known: Mapping[str, str]) -> str:
    """Return our key of the first id that is known; empty where none is."""
    return next((known[one] for one in ids if one in known), "")


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
    known = tuple(names)
    choices = sorted(
        (ArmyChoice(one.key, one.name, NameIndex(one).share(tree.units)) for one in known),
        key=lambda one: (-one.share, one.name),
    )
    own = {one.key: one for one in known if not one.is_based}
    named = [key for key, one in own.items() if _is_named(tree, one)]
    if len(named) == 1:
        return named[0], tuple(choices)
    ranked = [one for one in choices if one.key in own]
    return _clearly_first(ranked, len(tree.units)), tuple(choices)


def _clearly_first(ranked: Sequence[ArmyChoice], units: int) -> str:
    """Return the army that has half of the units, and some more than the next; else empty.

    Two armies of one game share units, so the first must be ahead of the second.
    """
    first, second, *_ = (*(one.share for one in ranked), 0, 0)
    is_ahead = len(ranked) == 1 or first - second >= LEAD_LEAST
    return ranked[0].key if first and first * 2 >= units and is_ahead else ""


def _is_named(tree: ForeignRoster, army: ArmyNames) -> bool:
    """Return whether the list names the army itself, as its tool or as we call it."""
    known = {plain_name(name) for name in (army.name, *army.aliases.known_as)}
    said = set()
    for section in tree.sections:
        said |= {plain_name(section.army), plain_name(f"{tree.form}:{section.army_id}")}
    return bool(known & (said - {""}))
