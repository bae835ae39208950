"""What an option changes, in one line: measured against the plain opponent that the system names,
and kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from engine.choices import ChoiceGroup
from engine.roster import RosterEntry
from engine.types import CHAMPION, Army, Option, System
from odds.combat_profiles import CombatProfile, combat_profile_of, plain_combat_profile
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


def effects(
    address: str, army: str, entry: RosterEntry, groups: tuple[ChoiceGroup, ...]
) -> dict[str, str]:
    """A line for each option that changes an odds figure of this warrior, by the option's key.

    Taking one of an exclusive group leaves the others of it. What is taken is measured against
    going without it.
    """
    found = {}
    edition = registry.edition_of(army)
    for group in groups:
        rivals = tuple(c.key for c in group.choices) if group.is_exclusive else ()
        for choice in group.choices:
            line = _effect(
                address,
                army,
                edition,
                entry.profile,
                tuple(sorted(entry.options)),
                choice.key,
                rivals,
            )
            if line:
                found[choice.key] = line
    return found


@lru_cache(KEPT)
def _effect(
    address: str,
    army_key: str,
    edition: str,
    profile: str,
    options: tuple[str, ...],
    key: str,
    rivals: tuple[str, ...],
) -> str:
    system_key, _, variant = address.partition(".")
    army = registry.load_army(system_key, army_key, variant or None)
    if not _changes_a_roll(army, profile, key):
        return ""
    without = tuple(option for option in options if option != key)
    base = without if key in options else options
    taken = (*(option for option in without if option not in rivals), key)
    before = _reading(address, army_key, edition, profile, tuple(sorted(base)))
    after = _reading(address, army_key, edition, profile, tuple(sorted(taken)))
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
def _reading(
    address: str, army_key: str, edition: str, profile: str, options: tuple[str, ...]
) -> Reading:
    """The figures of a warrior against the yardstick, and of the yardstick against it."""
    system_key, _, variant = address.partition(".")
    system = registry.load_system(system_key, variant or None)
    rules = registry.combat_rules(system_key, variant or None)
    bout, stick = fight_mode_of(rules), system.yardstick
    army = registry.load_army(system_key, army_key, variant or None)
    one = combat_profile_of(RosterEntry(profile, options=options), army, system)
    if bout is None or stick is None or one is None:
        return ()
    other = plain_combat_profile(stick.name, stick.stats, stick.save, system)
    return tuple(_figures(bout, system, one, other))


def _figures(
    bout: FightMode, system: System, one: CombatProfile, other: CombatProfile
) -> Iterator[tuple[str, Fraction]]:
    rules = registry.combat_rules(system.key, system.variant)

    def best(
        attacker: CombatProfile, target: CombatProfile, measure: str, **given: object
    ) -> Fraction | None:
        shoots = measure in bout.MISSILE_MEASURES
        name = "missile" if shoots else "weapon"
        keys = [
            h.key
            for h in (attacker.missiles if shoots else attacker.melee)
            if not h.key.startswith("mount-")
        ]
        found = (
            bout.measured(system, rules, attacker, target, {**given, name: key}, measure)
            for key in keys
        )
        return max((chance for chance in found if chance is not None), default=None)

    for what, measure, given in bout.WORTH:
        chance = best(one, other, measure, **dict(given))
        if chance is not None:
            yield what, chance
    for what, measure in bout.SUFFERED:
        chance = best(other, one, measure)
        if chance is not None:
            yield what, chance
