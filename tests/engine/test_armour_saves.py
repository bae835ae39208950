"""The armour save of every unit whose save two sources state or that was worked out from its
default equipment.

The figures were written down from the lists' sources, so that a changed rule or a lost piece of
equipment shows here. A save of 1+ is rolled as 2+, because a natural 1 always fails (ruling G11),
but Strength must work it off first.
"""

from dataclasses import replace

import pytest

from engine.equipment import Save, armour_save
from engine.records import NamedValues
from engine.roster import RosterEntry
from engine.selection import select
from engine.types.systems import System
from rulesdata import registry

SAVES: dict[str, dict[int | None, str]] = {
    "bretonnians": {
        2: "knights-errant knights-of-the-realm questing-knights grail-knights",
        3: "pegasus-knights",
        5: (
            "bretonnian-lord paladin men-at-arms "
            "grail-reliquae-with-battle-pilgrims-battle-pilgrims "
            "grail-reliquae-with-battle-pilgrims-grail-reliquae"
        ),
        6: "mounted-yeomen",
    },
    "chaos": {
        None: "bloodthirster chariot-of-chaos tuskgor-chariot",
        2: "knights-of-chaos",
        4: (
            "sorcerer-of-chaos exalted-sorcerer-of-chaos lord-of-chaos exalted-champion-of-chaos "
            "aspiring-champion-of-chaos dragon-ogre-shaggoth"
        ),
        5: "warriors-of-chaos bestigor-herd dragon-ogres",
        6: (
            "marauders-horsemen bloodletters beast-herd-gors chaos-ogres centigors "
            "mounted-daemonettes"
        ),
    },
    "chaos-dwarfs": {
        None: "sorcerer-lord chaos-dwarf-lord chaos-dwarf-hero chaos-dwarf-sorcerer",
        4: "chaos-dwarf-warriors",
        5: "black-orcs",
        6: "death-rocket bull-centaurs earthshaker orc-boyz goblins hobgoblin-wolf-riders",
    },
    "daemonic-legions": {
        None: "bloodthirster changebringers plagueriders pleasureseekers",
        3: "chariot-of-khorne",
        5: "bloodcrushers chariot-of-nurgle chariot-of-slaanesh chariot-of-tzeentch",
        6: "bloodletters mounted-daemonettes",
    },
    "dark-elves": {
        None: "cold-one-chariots",
        2: "cold-one-knights",
        4: "war-hydra",
        5: "corsairs dark-riders executioners black-guard",
        6: "dark-elf-warriors reaper-bolt-throwers",
    },
    "dogs-of-war": {
        3: "heavy-cavalry",
        6: "pikemen light-cavalry dwarfs paymasters-bodyguard",
    },
    "dwarfs": {
        None: "lord runelord thane runesmith engineer gyrocopter",
        3: "ironbreakers",
        4: "longbeards",
        5: "miners hammerers",
        6: (
            "dwarf-warriors crossbowmen thunderers rangers cannon bolt-throwers "
            "stone-thrower flame-cannon organ-gun"
        ),
    },
    "high-elves": {
        None: "tiranoc-chariots",
        2: "dragon-princes-of-caledor",
        4: "silver-helms",
        5: "spearmen ellyrian-reavers swordmasters-of-hoeth phoenix-guard",
        6: "lothern-sea-guard shadow-warriors repeater-bolt-throwers white-lions-of-chrace",
    },
    "lizardmen": {
        None: "skink-chief terradons",
        3: "saurus-cavalry",
        4: "kroxigor stegadon",
        5: (
            "saurus-oldblood saurus-scar-veteran saurus-warriors temple-guard "
            "salamander-hunting-pack"
        ),
    },
    "ogre-kingdoms": {
        4: "gnoblar-scraplauncher rhinox-cavalry",
        5: "ironguts",
        6: "tyrant bruiser hunter leadbelchers maneaters",
    },
    "orcs-and-goblins": {
        None: "goblin-wolf-chariots snotling-pump-wagon orc-boar-chariot",
        3: "orc-boar-boyz orc-boar-boyz-biguns",
        4: "savage-orc-boar-boyz savage-orc-boar-boyz-biguns",
        5: "black-orc-regiment",
        6: "goblins orc-boyz goblin-wolf-riders night-goblins orc-boyz-biguns",
    },
    "skaven": {
        None: "warplock-jezzails doomwheel",
        5: "clanrats stormvermin",
        6: "giant-rats rat-ogres",
    },
    "the-empire": {
        1: "templar-grand-master knightly-orders",
        4: "greatswords",
        5: "swordsmen pistoliers",
        6: "spearmen halberdiers",
    },
    "tomb-kings": {
        None: "chariots ushabti tomb-scorpion bone-giant",
        4: "skeleton-heavy-horsemen",
        5: "tomb-guard",
        6: "skeleton-light-horsemen",
    },
    "vampire-counts": {
        None: "black-coach",
        3: "black-knights",
        5: "grave-guard",
        6: "skeletons",
    },
    "wood-elves": {
        3: "treeman-ancient treeman",
        4: "tree-kin",
        5: "eternal-guard wild-riders-of-kurnous",
        6: "glade-riders warhawk-riders",
    },
}


def test_table_is_whole() -> None:
    keys = [
        (army, one)
        for army, rows in SAVES.items()
        for one in " ".join(rows.values()).split()
    ]
    assert len(keys) == len(set(keys)) == 159


@pytest.mark.parametrize("army_key", SAVES)
def test_save_from_default_equipment(system: System, army_key: str) -> None:
    army = registry.load_army(system.key, army_key)
    expected = {key: save for save, keys in SAVES[army_key].items() for key in keys.split()}
    assert expected == {
        key: armour_save(select(army, RosterEntry(key)), army, system.saves).number
        for key in expected
    }


@pytest.mark.parametrize(
    "printed, number, is_told", [(1, 1, True), (3, 3, True), (4, 4, False), (5, 4, False)]
)
def test_printed_save_counts_where_it_is_better(system, printed, number, *, is_told):
    save = _printed(system, {"armour_save": printed}, system.saves)
    assert save.number == number
    assert any(part.label == "printed save" for part in save.parts) is is_told


def test_no_save_is_better_than_one_plus(system: System) -> None:
    assert _printed(system, {"armour_save": 0}, {"no_save": 7}).number == 1


def _printed(system: System, figures: dict[str, int], rules: NamedValues) -> Save:
    army = registry.load_army(system.key, "chaos")
    plain = army.profiles["sorcerer-of-chaos"]
    profile = replace(plain, figures={**plain.figures, **figures})
    found = replace(army, profiles={profile.key: profile})
    return armour_save(select(found, RosterEntry(profile.key)), found, rules)
