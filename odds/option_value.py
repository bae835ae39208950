"""What an option changes, in one line, measured against the plain opponent of the system."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from engine.choices import ChoiceGroup
from engine.roster import RosterEntry
from engine.types.lists import CHAMPION, Army, Option
from engine.types.systems import System
from odds.circumstances import Encounter
from odds.combat_profiles import combat_profile_of, plain_combat_profile
from odds.exhibits import percent
from odds.fight_modes import FightMode, fight_mode_of
from rulesdata import registry

KEPT = 4000
Reading = tuple[tuple[str, Fraction], ...]


def yardstick_words(system: System) -> str:
    """Whom everything is measured against, in words; empty where the system names nobody."""
    stick = system.yardstick
    if stick is None:
        return ""
    bout = fight_mode_of(registry.combat_rules(system.key, system.variant))
    names = [name for name in (bout.YARDSTICK if bout else ()) if name in stick.stats]
    figures = ", ".join(f"{name} {stick.stats[name]}" for name in names)
    return f"{stick.name} ({figures}{f', save {stick.save}+' if stick.save else ''})"


class _Armed(NamedTuple):
    """A warrior as its figures are kept: rules by address, list and edition, profile, options."""

    address: str
    army: str
    edition: str
    profile: str
    options: tuple[str, ...]


def effects(
    address: str, army: str, entry: RosterEntry, groups: tuple[ChoiceGroup, ...]
) -> dict[str, str]:
    """Return a line for each option that changes an odds figure of this warrior, by its key.

    Taking one of an exclusive group leaves the others of it. What is taken is measured against
    going without it.
    """
    found = {}
    options = tuple(sorted(entry.options))
    warrior = _Armed(address, army, registry.edition_of(army), entry.profile, options)
    for group in groups:
        rivals = tuple(c.key for c in group.choices) if group.is_exclusive else ()
        for choice in group.choices:
            if line := _effect(warrior, choice.key, rivals):
                found[choice.key] = line
    return found


@lru_cache(KEPT)
def _effect(warrior: _Armed, key: str, rivals: tuple[str, ...]) -> str:
    system_key, _, variant = warrior.address.partition(".")
    army = registry.load_army(system_key, warrior.army, variant or None)
    if not _changes_a_roll(army, warrior.profile, key):
        return ""
    without = tuple(option for option in warrior.options if option != key)
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
    option: Option | None = next((o for o in profile.all_options if o.key == key), None)
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
    system_key, _, variant = warrior.address.partition(".")
    system = registry.load_system(system_key, variant or None)
    rules = registry.combat_rules(system_key, variant or None)
    bout, stick = fight_mode_of(rules), system.yardstick
    army = registry.load_army(system_key, warrior.army, variant or None)
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
    own = [held.key for held in weapons if not held.key.startswith("mount-")]
    met = [encounter._replace(given={**encounter.given, name: key}) for key in own]
    found = (bout.measured(one, measure) for one in met)
    return max((chance for chance in found if chance is not None), default=None)
