"""The ways two of them can meet, and what an option of a warrior changes there.

A system has those ways whose calls it knows; nobody asks for its name. An option is measured
against the plain opponent of the system.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import (
    Any,
    NamedTuple,
    Protocol,
)

from engine.calls import available
from engine.choices import ChoiceGroup
from engine.records import (
    TextByKey,
    TextPairs,
    Texts,
)
from engine.roster import Agreement, RosterEntry
from engine.rules import CombatRules
from engine.types.lists import CHAMPION, Army
from engine.types.systems import System
from odds import (
    duels,
    regiments,
    warriors,
)
from odds.circumstances import Circumstance, Encounter
from odds.combat_profiles import (
    CombatProfile,
    combat_profile_of,
    plain_combat_profile,
)
from odds.exhibits import (
    Exhibit,
    Headline,
    percent,
)
from rulesdata import registry

KEPT = 4000
Reading = tuple[tuple[str, Fraction], ...]


class FightMode(Protocol):
    """One way to meet: the call a system must know, the sections its rulings stand in, what it
    measures.

    ``LEFT_OUT`` says what its figures do not count. ``BOTH_STRIKE`` are the measures of a fight in
    which both strike, None where it is one roll.
    """

    @property
    def CALL(self) -> str: ...
    @property
    def SECTIONS(self) -> Texts: ...
    @property
    def MEASURES(self) -> TextPairs: ...
    @property
    def HEADLINES(self) -> TextPairs: ...
    @property
    def MISSILE_MEASURES(self) -> frozenset[str]: ...
    @property
    def YARDSTICK(self) -> Texts: ...
    @property
    def WORTH(self) -> tuple[tuple[str, str, tuple[tuple[str, Any], ...]], ...]: ...
    @property
    def BOTH_STRIKE(self) -> tuple[str, str] | None: ...
    @property
    def LEFT_OUT(self) -> str: ...
    @property
    def SUFFERED(self) -> TextPairs: ...

    def lacks(self, attacker: CombatProfile, target: CombatProfile) -> str: ...

    def circumstances(
        self,
        system: System,
        rules: CombatRules,
        attacker: CombatProfile,
        target: CombatProfile,
    ) -> tuple[Circumstance, ...]: ...

    def exhibits(self, encounter: Encounter) -> tuple[Exhibit, ...]: ...

    def measured(self, encounter: Encounter, measure: str) -> Fraction | None: ...


BOUTS: tuple[FightMode, ...] = (warriors, regiments, duels)


def fight_mode_of(rules: CombatRules) -> FightMode | None:
    """The way two meet under these rules, or None where its text knows none."""
    known = available(rules)
    return next((bout for bout in BOUTS if bout.CALL in known), None)


def headlines_of(bout: FightMode, encounter: Encounter) -> tuple[Headline, ...]:
    """Return the few chances that sum a pair up, those that there are."""
    found = (
        (title, bout.measured(encounter, measure)) for measure, title in bout.HEADLINES
    )
    return tuple(Headline(title, chance) for title, chance in found if chance is not None)


class UnknownSubject(LookupError):
    """There is no such warrior, warband, starter or profile, or it is not this visitor's to see."""


def ruleset(address: str) -> System:
    """Return the rules of an address: a system's key, and a variant's behind a full stop.

    Raises UnknownSubject.
    """
    system, _, variant = address.partition(".")
    try:
        return registry.load_system(system, variant or None)
    except registry.UnknownKey as error:
        raise UnknownSubject(str(error)) from None


# What an option changes, in one line


def yardstick_words(system: System) -> str:
    """Whom everything is measured against, in words; empty where the system names nobody."""
    stick = system.yardstick
    if stick is None:
        return ""
    bout = fight_mode_of(registry.combat_rules(system.key, system.variant, system.agreed))
    names = [name for name in (bout.YARDSTICK if bout else ()) if name in stick.stats]
    figures = ", ".join(f"{name} {stick.stats[name]}" for name in names)
    return f"{stick.name} ({figures}{f', save {stick.save}+' if stick.save else ''})"


class _Armed(NamedTuple):
    """A warrior as its figures are kept: rules with what was agreed, list and edition, profile,
    options.
    """

    system: str
    variant: str | None
    agreed: Agreement
    army: str
    edition: str
    profile: str
    options: Texts


def effects(
    system: System, army: str, entry: RosterEntry, groups: tuple[ChoiceGroup, ...]
) -> TextByKey:
    """Return a line for each option that changes an odds figure of this warrior, by its key.

    Taking one of an exclusive group leaves the others of it. What is taken is measured against
    going without it.
    """
    found = {}
    options = tuple(sorted(entry.options))
    rules = (system.key, system.variant, system.agreed)
    warrior = _Armed(*rules, army, registry.edition_of(army), entry.profile, options)
    for group in groups:
        rivals = tuple(c.key for c in group.choices) if group.is_exclusive else ()
        for choice in group.choices:
            if line := _effect(warrior, choice.key, rivals):
                found[choice.key] = line
    return found


def _system_of(warrior: _Armed) -> System:
    return registry.load_system(warrior.system, warrior.variant, warrior.agreed)


@lru_cache(KEPT)
def _effect(warrior: _Armed, key: str, rivals: Texts) -> str:
    army = registry.fielded_army(_system_of(warrior), warrior.army)
    if not _changes_a_roll(army, warrior.profile, key):
        return ""
    without = tuple(option for option in warrior.options if option != key)
    # An option that is taken is measured against going without it.
    base = without if key in warrior.options else warrior.options
    taken = (*(option for option in without if option not in rivals), key)
    before = _reading(warrior._replace(options=tuple(sorted(base))))
    after = _reading(warrior._replace(options=tuple(sorted(taken))))
    changes = [f"{what} {_from_to(was, now)}" for what, was, now in _changed(before, after)]
    return ", ".join(changes[:2])


def _changes_a_roll(army: Army, profile_key: str, key: str) -> bool:
    """Return whether the option changes a roll of the system's yardstick fight."""
    profile = army.profiles.get(profile_key)
    if profile is None:
        return False
    option = next((o for o in profile.all_options if o.key == key), None)
    if option is None:
        return key == CHAMPION
    return bool(option.items or option.mount or option.effect or option.grants)


def _changed(before: Reading, after: Reading) -> Iterator[tuple[str, Fraction, Fraction]]:
    was, now, seen = dict(before), dict(after), set[tuple[str, str]]()
    for what in dict.fromkeys((*was, *now)):
        old, new = was.get(what, Fraction(0)), now.get(what, Fraction(0))
        told = percent(old), percent(new)
        if told[0] != told[1] and told not in seen:
            seen.add(told)
            yield what, old, new


def _from_to(old: Fraction, new: Fraction) -> str:
    return f"{percent(old)} to {percent(new)}"


@lru_cache(KEPT)
def _reading(warrior: _Armed) -> Reading:
    """Return the figures of a warrior against the yardstick, and of the yardstick against it."""
    system = _system_of(warrior)
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    bout, stick = fight_mode_of(rules), system.yardstick
    army = registry.fielded_army(system, warrior.army)
    entry = RosterEntry(warrior.profile, options=warrior.options)
    one = combat_profile_of(entry, army, system)
    if bout is None or stick is None or one is None:
        return ()
    other = plain_combat_profile(stick.name, stick.stats, stick.save, system)
    return tuple(_figures(bout, Encounter(system, rules, one, other, {})))


def _figures(bout: FightMode, encounter: Encounter) -> Iterator[tuple[str, Fraction]]:
    for what, measure, given in bout.WORTH:
        chance = _best(bout, encounter._replace(given=dict(given)), measure)
        if chance is not None:
            yield what, chance
    back = encounter._replace(attacker=encounter.target, target=encounter.attacker)
    for what, measure in bout.SUFFERED:
        chance = _best(bout, back, measure)
        if chance is not None:
            yield what, chance


def _best(bout: FightMode, encounter: Encounter, measure: str) -> Fraction | None:
    """Return the best chance that any weapon of the attacker has, its mount's left out."""
    attacker, name = encounter.attacker, "weapon"
    weapons = attacker.melee
    if measure in bout.MISSILE_MEASURES:
        weapons, name = attacker.missiles, "missile"
    # A mount strikes whatever its rider was given, so an option is not measured by it.
    own = [held.key for held in weapons if not held.key.startswith("mount-")]
    met = [encounter._replace(given={**encounter.given, name: key}) for key in own]
    found = (bout.measured(one, measure) for one in met)
    return max((chance for chance in found if chance is not None), default=None)
