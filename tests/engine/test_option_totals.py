"""What the picker shows beside an option is what the roster costs once it is taken."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.choices import picker
from engine.option_rules import with_option
from engine.roster import RosterEntry
from engine.selection import Selection, select, select_all
from engine.starters import build_starter
from engine.types.lists import Army, PriceCase, PriceTerms
from engine.types.systems import System
from rulesdata import registry
from tests.engine.test_made_up_rosters import CASES, entry_of, roster_of


def differing(one: Selection, army: Army) -> Iterator[tuple[str, int, int]]:
    """Yield each choice whose change is another than that of the price, with both."""
    entry = one.entry
    for group in picker(one, army):
        keys = {choice.key for choice in group.choices}
        for choice in (group.nothing, *group.choices):
            if choice is None or choice.times:
                continue
            left = tuple(key for key in entry.options if key not in keys)
            after = (
                with_option(entry, choice.key, army)
                if choice.key
                else replace(entry, options=left)
            )
            # Who buys other things gives up the price kept from before.
            kept = entry.kept if after.options == entry.options else None
            change = select(army, replace(after, kept=kept)).points - one.points
            if choice.change != change:
                yield f"{entry}: {choice.key}", choice.change, change


@pytest.mark.parametrize("name,system", CASES)
def test_each_option_shows_what_it_changes(name: str, system: System) -> None:
    army = registry.load_army(system.key, name, system.variant)
    starter = build_starter(system, army).warriors
    made_up = roster_of(random.Random(f"roster of {name}"), system.key, army).warriors
    kept = tuple(replace(one, count=2, kept=7) for one in starter)
    for one in select_all(army, (*starter, *kept, *made_up)):
        assert not list(differing(one, army))


@pytest.mark.parametrize("once", [False, True])
def test_prices_that_depend_on_others_are_counted(empire: Army, once: bool) -> None:
    chance = random.Random("dear together")
    captain = empire.profiles["captain"]
    own = [option.key for option in captain.options]
    for _ in range(20):
        options = tuple(
            replace(
                option,
                per=chance.choice(("model", "unit")),
                terms=PriceTerms((PriceCase(chance.randrange(20), (chance.choice(own),)),)),
            )
            for option in captain.options
        )
        base = PriceTerms((PriceCase(60, ("champion",)), PriceCase(40, (own[0],))))
        profile = replace(captain, options=options, base_terms=base, musician_points=4)
        army = replace(empire, profiles={"captain": profile}, unit_options_once=once)
        one = select(army, entry_of(chance, profile, army))
        assert not list(differing(one, army))


@pytest.mark.parametrize("army_key, entry, option, total", [
    ("bretonnians", RosterEntry("bretonnian-lord", count=2, kept=107), "shield", 226),
    (
        "wood-elves",
        RosterEntry("wood-elf-highborn", count=2, options=("light-armour",)),
        "wild-rider-kindred",
        390,
    ),
    (
        "orcs-and-goblins",
        RosterEntry("goblin-wolf-chariots", count=2, options=("spears",)),
        "extra-goblin-crewman",
        134,
    ),
])  # fmt: skip
def test_a_kept_price_and_others_that_change_are_counted(
    system: System, army_key: str, entry: RosterEntry, option: str, total: int
) -> None:
    army = registry.load_army(system.key, army_key)
    one = select(army, entry)
    choices = (choice for group in picker(one, army) for choice in group.choices)
    (change,) = (choice.change for choice in choices if choice.key == option)
    assert one.points + change == total
