"""The packs hold what was counted when they were made: units, lines, options, prices, references,
wording.
"""

from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.selection import select
from rulesdata import registry
from rulesdata.checks import check_packs
from rulesdata.checks.lists import count_totals
from rulesdata.pack_files.collections import read_collection
from rulesdata.pack_files.folders import PACKS

SYSTEM = "warhammer-skirmish"


@pytest.fixture(scope="module")
def collection():
    return read_collection(PACKS / "lists" / "whfb6")


def armies():
    return [registry.load_army(SYSTEM, key) for key in registry.list_army_keys(SYSTEM)]


def test_every_pack_is_in_order():
    assert check_packs() == []


def test_all_sixteen_armies_are_there(collection):
    assert set(collection.armies) == set(registry.list_army_keys(SYSTEM))
    assert len(collection.armies) == 16
    units = [unit for army in collection.armies.values() for unit in army.units]
    assert len(units) == 465 + 58  # with mounts
    assert sum(bool(unit.incomplete) for unit in units) == 7
    assert sum(bool(unit.corrected) for unit in units) == 34


def test_every_price_adds_up_to_the_stated_totals(collection):
    for key, army in collection.armies.items():
        stated = collection.collection.totals[key].model_dump()
        items = collection.magic_items[key]
        assert count_totals(army, items) == stated, key
        loaded = registry.load_army(SYSTEM, key).magic_items
        assert len(loaded) == stated["magic_items"], key


def test_engine_values_carry_every_unit_price_and_option(collection):
    for army in armies():
        records = {**army.profiles, **army.mounts}
        assert len(records) == len(collection.armies[army.key].units)
        for unit in collection.armies[army.key].units:
            profile = records[unit.id]
            assert profile.points == unit.points
            assert [(o.key, o.points) for o in profile.options] == [
                (o.id, o.points) for o in unit.options
            ]
            champions = unit.champion.options if unit.champion else []
            assert [
                (o.key, o.points) for o in profile.all_options[len(unit.options) :]
            ] == [(o.id, o.points) for o in champions]
        stated = collection.collection.totals[army.key]
        assert sum(i.points for i in army.magic_items.values()) == stated.magic_item_points


@pytest.mark.parametrize("army,profile,options,points", [
    ("the-empire", "steam-tank", (), 250),
    ("the-empire", "steam-tank", ("main-cannon", "steam-gun"), 300),
    ("the-empire", "steam-tank", ("volley-gun", "steam-gun"), 325),
    ("the-empire", "steam-tank", ("mortar-and-swivel-guns",), 200),
    ("the-empire", "emperor-karl-franz", (), 765),
    ("the-empire", "emperor-karl-franz", ("reikland-runefang",), 765),
    ("the-empire", "emperor-karl-franz", ("ghal-maraz",), 845),
    ("daemonic-legions", "chariot-of-khorne", (), 170),
    ("daemonic-legions", "chariot-of-nurgle", (), 150),
    ("bretonnians", "the-fay-enchantress", (), 545),
    ("bretonnians", "paladin", (), 60),
    ("bretonnians", "paladin", ("barded-warhorse",), 74),
    ("bretonnians", "bretonnian-lord", ("barded-warhorse",), 131),
    ("bretonnians", "paladin", ("magic/virtue-of-audacity-60",), 120),
    ("chaos", "daemon-prince", ("wizard-level", "wizard-level"), 380),
    ("orcs-and-goblins", "goblin-wolf-chariots", ("spears", "extra-goblin-crewman"), None),
    (
        "the-empire",
        "halberdiers",
        ("champion", "musician", "standard-bearer", "shields"),
        32,
    ),
])  # fmt: skip
def test_price_of_a_choice(army, profile, options, points):
    selection = select(
        registry.load_army(SYSTEM, army), RosterEntry(profile, options=options)
    )
    assert selection.unknown == ()
    if points is None:  # the two crew-dependent prices: 4 for spears beside an extra goblin
        assert [line.points for line in selection.receipt if line.key == "spears"] == [4]
    else:
        assert selection.points_each == points


@pytest.mark.parametrize("army,profile,miniatures", [
    ("skaven", "giant-rats", 7), ("skaven", "rat-ogres", 2),
    ("skaven", "warplock-jezzails", 1),
    ("skaven", "ratling-gun", 1),
    ("lizardmen", "salamander-hunting-pack", 4),
    ("lizardmen", "stegadon", 1),
    ("dark-elves", "war-hydra", 3),
    ("dark-elves", "cauldron-of-blood", 1),
    ("the-empire", "great-cannon", 1),
    ("tomb-kings", "chariots", 1),
    ("the-empire", "halberdiers", 1),
])  # fmt: skip
def test_miniatures_of_packs_teams_and_machines(army, profile, miniatures):
    assert registry.load_army(SYSTEM, army).profiles[profile].miniatures == miniatures


def test_figures_that_an_option_brings_along_are_counted():
    army = registry.load_army(SYSTEM, "orcs-and-goblins")
    assert select(army, RosterEntry("night-goblins", count=3)).miniatures == 3
    assert (
        select(
            army, RosterEntry("night-goblins", options=("fanatics", "fanatics"))
        ).miniatures
        == 3
    )
    bully = select(army, RosterEntry("goblin-rock-lobber", options=("orc-bully",)))
    assert bully.miniatures == 1  # one more for the crew of a machine


def test_what_no_skirmish_can_use_is_kept_but_not_offered():
    hidden = [p for army in armies() for p in army.profiles.values() if not p.is_offered]
    assert all(p.not_offered_because for p in hidden)
    for army in armies():
        for p in army.profiles.values():
            unfit = (
                p.is_special_character
                or p.is_regiment_of_renown
                or p.incomplete
                or p.upgrade_of
                or p.requires_army
            )
            assert p.is_offered == (
                not unfit and p.points > 0 and p.key != "scrag-the-slaughterer"
            ), p.key


def test_every_army_offers_a_hero_and_core_troops():
    for army in armies():
        offered = [p for p in army.profiles.values() if p.is_offered]
        categories = {p.category for p in offered} | {
            other for p in offered for other, _ in p.category_when
        }
        assert {"hero", "core"} <= categories, (
            army.key
        )  # Chaos troops are core under a General of their kind


def test_wizard_levels_of_one_choice_are_never_required():
    found = [
        o
        for army in armies()
        for p in army.profiles.values()
        for o in p.options
        if o.group == "wizard-level"
    ]
    assert len(found) >= 31
    assert not any(o.is_required for o in found)


def test_unstated_wizard_levels_stay_unstated():
    unstated = [
        p
        for army in armies()
        for p in army.profiles.values()
        if p.is_wizard and p.wizard_level is None
    ]
    assert "butcher" in {p.key for p in unstated}
    assert len([p for p in unstated if not p.is_special_character]) == 16


def test_mount_options_may_point_to_other_records():
    pairs = [
        (army, o)
        for army in armies()
        for p in army.profiles.values()
        for o in p.options
        if o.mount
    ]
    assert all(army.ridden(o.mount) for army, o in pairs)
    assert len([o for army, o in pairs if o.mount not in army.mounts]) == 25


def test_doubts_and_corrections_stay_visible():
    profiles = [p for army in armies() for p in {**army.profiles, **army.mounts}.values()]
    assert sum(bool(p.doubts) for p in profiles) >= 120
    assert sum(bool(p.corrected) for p in profiles) == 34
    assert all(text.endswith(".") for p in profiles for text in (*p.doubts, *p.corrected))


def test_registry_names_what_it_does_not_know():
    with pytest.raises(registry.UnknownSystem, match="no rule system 'chess'"):
        registry.load_system("chess")
    with pytest.raises(registry.UnknownArmy, match="no army 'romans'"):
        registry.load_army(SYSTEM, "romans")
    with pytest.raises(LookupError):
        registry.load_army(SYSTEM, "../the-empire")


def test_registry_reads_once_until_it_is_told_to_forget():
    first = registry.load_army(SYSTEM, "dwarfs")
    assert registry.load_army(SYSTEM, "dwarfs") is first
    registry.clear_cache()
    assert registry.load_army(SYSTEM, "dwarfs") is not first
    assert Roster(SYSTEM, "dwarfs").army in registry.army_names(SYSTEM)


def worse_champions(army):
    """Units whose champion is worse at something than the model he leads, without a doubt told."""
    for unit in army.profiles.values():
        if unit.champion is None or unit.champion.stats is None or unit.doubts:
            continue
        led = unit.lines[0].stats
        # The figures of a machine are not those of whoever fights from it.
        if unit.troop_type in ("chariot", "war-machine"):
            continue
        figures = unit.champion.stats.items()
        both = [(stat, one, led[stat]) for stat, one in figures if stat in led]
        numbers = [pair for pair in both if all(isinstance(one, int) for one in pair[1:])]
        if any(own < other for _, own, other in numbers):
            yield unit.key


@pytest.mark.parametrize("army", armies(), ids=lambda army: army.key)
def test_no_champion_is_worse_than_those_he_leads(army):
    assert list(worse_champions(army)) == []


def test_worse_champion_would_be_found():
    army = registry.load_army(SYSTEM, "daemonic-legions")
    unit = army.profiles["bloodletters"]
    assert unit.champion is not None
    weak = replace(unit.champion, stats={**unit.champion.stats, "Ld": 8})
    changed = replace(army, profiles={"bloodletters": replace(unit, champion=weak)})
    assert list(worse_champions(changed)) == ["bloodletters"]


def test_further_copy_of_a_virtue_costs_more_and_is_named_so():
    army = registry.load_army(SYSTEM, "bretonnians")
    copies = defaultdict(list)
    for item in army.magic_items.values():
        if item.type == "virtue":
            assert item.is_unique
            copies[item.name.partition(" (")[0]].append(item)
    assert len(copies) == 14
    for name, items in copies.items():
        items.sort(key=lambda item: item.points)
        first, *others = items
        assert first.name == name
        for place, item in enumerate(others, start=2):
            assert item.points == place * first.points
            assert item.name.startswith(f"{name} ({place}")


def test_second_bearer_of_a_virtue_at_the_first_price_is_found():
    army, system = registry.load_army(SYSTEM, "bretonnians"), registry.load_system(SYSTEM)
    virtue = ("knights-vow", "barded-warhorse", "magic/virtue-of-the-joust")
    two = Roster(
        SYSTEM, "bretonnians", warriors=(RosterEntry("paladin", options=virtue),) * 2
    )
    found = [one for one in check(two, system, army) if one.code == "option.conflict"]
    assert len(found) == 2
    assert "there is one Virtue of the Joust" in found[0].message


@pytest.mark.parametrize("army,unit,words", [
    ("bretonnians", "bretonnian-lord", "on foot"),
    ("bretonnians", "paladin", "on foot"),
    ("high-elves", "dragon", "Forest Dragon"),
])  # fmt: skip
def test_uncertain_figure_says_so(army, unit, words):
    book = registry.load_army(SYSTEM, army)
    profile = {**book.profiles, **book.mounts}[unit]
    assert any(words in doubt for doubt in profile.doubts)
    assert "Forest" not in profile.lines[0].name


def test_no_two_units_of_a_list_are_called_alike() -> None:
    lists = [
        (system, registry.load_army(system.key, key, system.variant))
        for system in registry.rulesets()
        for key in registry.army_names(system.key)
    ]
    assert len(lists) > 50
    for system, army in lists:
        units = army.profiles.values()
        titles = [unit.title for unit in units]
        titles += [unit.champion.title for unit in units if unit.champion]
        shared = [title for title, times in Counter(titles).items() if times > 1]
        assert shared == [], (system.full_name, army.name)
    orcs = registry.load_army("warhammer-skirmish", "orcs-and-goblins").profiles
    assert (orcs["orc-boyz"].title, orcs["orc-arrer-boyz"].title) == (
        "Orc Boyz",
        "Orc Arrer Boyz",
    )
    assert orcs["orc-boyz"].model_name == "Orc"
