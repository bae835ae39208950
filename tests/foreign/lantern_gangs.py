"""A made-up army of a made-up game, and the files of it in other tools' forms."""

from pathlib import Path

from engine.types.lists import (
    Armour,
    Army,
    Category,
    Champion,
    MagicItem,
    Option,
    Profile,
    Stat,
    StatLine,
    Weapon,
)
from warbands.exchange.foreign.matches import Aliases, ArmyIndex

MADE = Path(__file__).parent / "made"
CATALOGUE_FILES = ("lantern-gangs.gst", "lantern-armoury.cat", "lantern-wardens.cat")
OPTIONS = (
    Option("oil-blade", "Oil Blade", 10, group="blades", is_exclusive=True),
    Option("long-hook", "Long Hook", 5),
    Option("whistle", "Whistle", 2, per="each", maximum=3),
    Option("great-owl", "Great Owl", 15),
    Option(
        "hand-weapon", "Hand weapon", 0, is_default=True, group="blades", is_exclusive=True
    ),
)


def profile(key: str, name: str, points: int, **others: object) -> Profile:
    """A kind of miniature with a stat line, sold every option."""
    values: dict[str, object] = {"options": OPTIONS, "category": "ganger", **others}
    line = StatLine(name, {"M": 4, "Ld": 7})
    return Profile(
        key,
        name,
        "the-wardens",
        troop_type="infantry",
        points=points,
        lines=(line,),
        **values,
    )


def wardens(*, unit_options_once: bool = False) -> Army:
    """The Wardens: a captain, lamplighters with a command, an owl keeper, two kinds of runners."""
    sergeant = Champion(
        "Lamp Sergeant", 6, options=(Option("brass-horn", "Brass Horn", 4),)
    )
    found = (
        profile(
            "lamp-captain", "Lamp Captain", 60, category="boss", lores=("Lore of Lamps",)
        ),
        profile(
            "lamplighters",
            "Lamplighters",
            20,
            model_name="Lamplighter",
            champion=sergeant,
            musician_points=4,
            standard_bearer_points=6,
            default_items=("dagger",),
            magic_allowance=25,
            special_rules=("Night Eyes",),
        ),
        profile("owl-keeper", "Owl Keeper", 12),
        profile("roof-runners", "Roof Runners", 8, model_name="Runner"),
        profile("mud-runners", "Mud Runners", 9, model_name="Runner"),
    )
    return Army(
        "the-wardens",
        "The Wardens",
        "lanterns",
        profiles={one.key: one for one in found},
        mounts={},
        magic_items={"ever-lamp": MagicItem("ever-lamp", "Ever Lamp", "talisman", 20)},
        weapons={"dagger": Weapon("dagger", "Dagger", "melee")},
        armour={"oilskin": Armour("oilskin", "Oilskin", 6)},
        stats=(Stat("M", "Move"), Stat("Ld", "Leadership")),
        categories=(
            Category("boss", "Boss", "Bosses", is_character=True),
            Category("ganger", "Ganger", "Gangers"),
        ),
        unit_options_once=unit_options_once,
    )


ALIASES = Aliases(
    known_as=("owb:wardens",),
    origins={"origin-captain": "lamp-captain"},
    units={"Fog Engine": "mud-runners"},
    options={"Slings": "whistle", "Rope": ""},
)


def index(*, unit_options_once: bool = False) -> ArmyIndex:
    return ArmyIndex(wardens(unit_options_once=unit_options_once), ALIASES)


def made(name: str) -> bytes:
    return (MADE / name).read_bytes()
