"""The ways two of them can meet, and what an option of a warrior changes there.

A system has those ways whose calls it knows; nobody asks for its name. An option is measured
against the plain opponent of the system.

A way is a module with the functions ``lacks``, ``circumstances``, ``exhibits`` and ``measured``. It
names the CALL a system must know, the SECTIONS its rulings stand in and what it measures. WORTH is
what an option may change (words, measure and circumstances), SUFFERED what the plain opponent does
in return, whose figures YARDSTICK names. LEFT_OUT says what is not counted. BOTH_STRIKE are the
measures of a fight in which both strike: what a blow does, and what keeps the one it was struck at
from striking back; None where it is one roll.
"""

from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

from engine.calls import available
from engine.choices import ChoiceGroup
from engine.records import TextByKey, Texts
from engine.roster import Agreement, RosterEntry
from engine.rules import CombatRules
from engine.types.lists import CHAMPION, Army, Profile
from engine.types.systems import System
from odds import duels, regiments, warriors
from odds.circumstances import Encounter
from odds.combat_profiles import MOUNT, plain_combat_profile, read_combat_profile
from odds.exhibits import percent
from rulesdata import registry

KEPT = 4000
Reading = tuple[tuple[str, Fraction], ...]


def find_fight_mode(rules: CombatRules) -> ModuleType | None:
    """The way two meet under these rules, or None where its text knows none."""
    calls = available(rules)
    modes = (warriors, regiments, duels)
    return next((mode for mode in modes if mode.CALL in calls), None)


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
    mode = find_fight_mode(registry.combat_rules(system.key, system.variant, system.agreed))
    names = [name for name in (mode.YARDSTICK if mode else ()) if name in stick.stats]
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

    def load(self) -> tuple[System, Army]:
        system = registry.load_system(self.system, self.variant, self.agreed)
        return system, registry.fielded_army(system, self.army)


def effects(
    system: System, army: str, entry: RosterEntry, groups: tuple[ChoiceGroup, ...]
) -> TextByKey:
    """A line for each option that changes an odds figure of this warrior, by its key.

    Taking one of an exclusive group leaves the others of it. What is taken is measured against
    going without it.
    """
    options = tuple(sorted(entry.options))
    rules = (system.key, system.variant, system.agreed)
    warrior = _Armed(*rules, army, registry.get_edition(army), entry.profile, options)
    lines = {}
    for group in groups:
        rivals = tuple(c.key for c in group.choices) if group.is_exclusive else ()
        for choice in group.choices:
            if line := _effect(warrior, choice.key, rivals):
                lines[choice.key] = line
    return lines


def _changes_a_roll(profile: Profile, key: str) -> bool:
    """Whether dice could feel an option of the profile."""
    option = next((o for o in profile.all_options if o.key == key), None)
    if option is None:
        return key == CHAMPION
    return bool(option.items or option.mount or option.effect or option.grants)


@lru_cache(KEPT)
def _effect(warrior: _Armed, key: str, rivals: Texts) -> str:
    _, army = warrior.load()
    profile = army.profiles.get(warrior.profile)
    if profile is None or not _changes_a_roll(profile, key):
        return ""
    without = tuple(option for option in warrior.options if option != key)
    # An option that is taken is measured against going without it.
    options_before = without if key in warrior.options else warrior.options
    options_after = (*(option for option in without if option not in rivals), key)
    before = dict(_reading(warrior._replace(options=tuple(sorted(options_before)))))
    after = dict(_reading(warrior._replace(options=tuple(sorted(options_after)))))
    # A change of the same figures is named once, after the first that it happens to.
    changes: TextByKey = {}
    for name in dict.fromkeys((*before, *after)):
        old, new = (percent(figures.get(name, Fraction(0))) for figures in (before, after))
        if old != new:
            changes.setdefault(f"{old} to {new}", name)
    lines = [f"{name} {change}" for change, name in changes.items()]
    return ", ".join(lines[:2])


@lru_cache(KEPT)
def _reading(warrior: _Armed) -> Reading:
    """The figures of a warrior against the yardstick, and of the yardstick against it."""
    system, army = warrior.load()
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    mode, stick = find_fight_mode(rules), system.yardstick
    entry = RosterEntry(warrior.profile, options=warrior.options)
    profile = read_combat_profile(entry, army, system)
    if mode is None or stick is None or profile is None:
        return ()
    plain = plain_combat_profile(stick.name, stick.stats, stick.save, system)
    encounter = Encounter(mode, system, rules, profile, plain, {})
    back = encounter._replace(attacker=plain, target=profile)
    chances = [
        (name, _best(encounter._replace(settings=settings), measure))
        for name, measure, settings in mode.WORTH
    ]
    chances += [(name, _best(back, measure)) for name, measure in mode.SUFFERED]
    return tuple((name, chance) for name, chance in chances if chance is not None)


def _best(encounter: Encounter, measure: str) -> Fraction | None:
    """The best chance that any weapon of the attacker has, its mount's left out."""
    weapons, name = encounter.attacker.melee, "weapon"
    if measure in encounter.mode.MISSILE_MEASURES:
        weapons, name = encounter.attacker.missiles, "missile"
    chances = (
        encounter._replace(settings={**encounter.settings, name: weapon.key}).measured(
            measure
        )
        for weapon in weapons
        # A mount strikes whatever its rider was given, so an option is not measured by it.
        if not weapon.key.startswith(f"{MOUNT}-")
    )
    return max((chance for chance in chances if chance is not None), default=None)
