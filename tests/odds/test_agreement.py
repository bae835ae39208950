"""One warrior has the same odds wherever they stand: on the page, in the builder's line of an
option, in load-outs and match-ups, with the arms and the save that the sheet prints.
"""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from accounts.owner import NOBODY
from engine.choices import picker
from engine.option_rules import with_option
from engine.roster import Roster, RosterEntry
from engine.selection import select
from engine.types.lists import Army
from engine.types.systems import System
from odds.circumstances import Encounter, read
from odds.combat_profiles import MOUNT, plain_combat_profile, read_combat_profile
from odds.exhibits import percent
from odds.fight_modes import effects
from rulesdata import registry
from tests.conftest import Soak
from tests.systems import systems_with
from warbands.queries.odds import build_match_up, build_page, pair_under
from warbands.queries.odds_subjects import (
    OddsSubject,
    OddsWarband,
    find_odds_subject,
    open_options,
    own_load_outs,
)
from warbands.sheet.build import build_sheet

# Where the page tells what a fight is first measured by: the key of its table, the rows.
TOLD = {
    "melee": ("phase", {"Out of action"}),
    "unit_attacks": ("phase", {"A casualty, each"}),
    "duel_ranged": ("melee", {"Defender goes down", "A tie: both go down"}),
}
BOOKS = [system for system in systems_with("combat", "yardstick") if system.collections]


def page_chance(met: Encounter) -> Fraction:
    key, rows = TOLD[met.mode.CALL]
    table = next((t for t in met.mode.exhibits(met) if t.key == key), None)
    lines = table.outcomes if table else ()
    return sum((line.chance for line in lines if line.name in rows), Fraction(0))


def best_chance(met: Encounter, *, mounts: bool = True) -> Fraction:
    weapons = [w for w in met.attacker.melee if mounts or not w.key.startswith(MOUNT)]
    settings = [{**met.settings, "weapon": weapon.key} for weapon in weapons]
    return max(page_chance(met._replace(settings=each)) for each in settings)


def made_up(system: System, source: random.Random) -> OddsSubject:
    """A unit of any list with options that go together."""
    key = source.choice(sorted(registry.army_names(system.key)))
    army = registry.load_army(system.key, key, system.variant)
    profile = source.choice(list(army.profiles.values()))
    entry = RosterEntry(profile.key)
    for option in open_options(profile):
        if source.random() < 0.4:
            entry = with_option(entry, option.key, army)
    open_keys = {option.key for option in open_options(profile)}
    chosen = tuple(k for k in dict.fromkeys(entry.options) if k in open_keys)
    address = f"p:{system.address}:{key}:{profile.key}"
    return find_odds_subject(NOBODY, address, chosen)


def check_line(system: System, army: Army, met: Encounter, entry: RosterEntry) -> bool:
    """Whether the builder's lines say what the page says against the plain warrior; False where
    there are none.
    """
    stick, groups = system.yardstick, picker(select(army, entry), army)
    assert stick
    plain = plain_combat_profile(stick.name, stick.stats, stick.save, system)
    lines = effects(system, army.key, entry, groups)
    word = met.mode.WORTH[0][0]
    for group in groups:
        for choice in group.choices:
            if choice.key in entry.options or choice.key not in lines:
                continue
            rivals = [c.key for c in group.choices if group.is_exclusive]
            kept = tuple(key for key in entry.options if key not in rivals)
            chances = []
            for options in (entry.options, (*kept, choice.key)):
                bearer = replace(entry, options=options)
                fighter = read_combat_profile(bearer, army, system)
                assert fighter
                asked = met.mode.circumstances(system, met.rules, fighter, plain)
                settings, _ = read(asked, {}, is_asked=False)
                against = met._replace(attacker=fighter, target=plain, settings=settings)
                chances.append(percent(best_chance(against, mounts=False)))
            old, new = chances
            says = lines[choice.key].startswith(f"{word} {old} to {new}")
            assert says == (old != new), (entry, choice.key, lines[choice.key], chances)
    return bool(lines)


@pytest.mark.parametrize("system", BOOKS, ids=[system.address for system in BOOKS])
def test_a_warrior_has_the_same_odds_everywhere(system: System, soak: Soak) -> None:
    source, wanted = random.Random(system.address), soak(4, 500)
    fights = lines = 0
    while fights < wanted:
        first, second = made_up(system, source), made_up(system, source)
        met = pair_under(first, second, system)
        if not isinstance(met, Encounter):
            continue
        army = registry.fielded_army(system, first.army)
        page = build_page(first, second, {"book": system.address}, is_asked=False)
        told = page_chance(page["encounter"])
        measure, name = met.mode.HEADLINES[0]
        beside = {
            chance.name: chance.chance
            for book, chances in page["beside"]
            for chance in chances
            if book.address == system.address
        }
        assert beside.get(name, Fraction(0)) == told, first
        [column] = own_load_outs(page["encounter"], first, [None])
        if column["load_out"]:
            assert column["load_out"].chance == best_chance(page["encounter"]), first
        sides = [
            OddsWarband(
                "w:x",
                "",
                Roster(
                    system.key, s.army, warriors=(s.entry,), variant=system.variant or ""
                ),
            )
            for s in (first, second)
        ]
        table = build_match_up(*sides, {"measure": measure}, is_asked=False)
        [(_, [cell])] = table["rows"]
        assert (cell["percent"] if cell else percent(Fraction(0))) == percent(told), first
        lines += check_line(system, army, met, first.entry)
        roster = Roster(
            system.key, first.army, warriors=(first.entry,), variant=system.variant or ""
        )
        [warrior] = build_sheet(roster, system, army).warriors
        fighter = page["encounter"].attacker
        arms = {weapon.key: weapon for weapon in warrior.arms}
        for held in (h for h in fighter.melee if h.key in arms):
            printed, *others = arms[held.key].strength, *arms[held.key].further
            strengths = {printed, *(strength for strength, _ in others)}
            assert held.strength() in strengths or not isinstance(printed, int), first
        if system.saves:
            assert warrior.save == fighter.save, first
        fights += 1
    assert lines
