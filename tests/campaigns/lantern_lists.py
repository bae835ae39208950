"""A club's own list of Lantern Gangs, with what only campaigns sell, find and hire."""

from typing import Any

from accounts.models import Club
from accounts.owner import Owner
from engine.records import JsonObject
from rulesdata.operations.own_lists import change_own_list
from tests.factories import SYSTEM
from tests.rulesdata.own_lists import make_list, unit_record

CATEGORIES = [
    {"id": "heroes", "name": "Heroes", "character": True},
    {"id": "henchmen", "name": "Henchmen", "alike": True},
    {"id": "hired-hands", "name": "Hired hands"},
]
LIMITS = [{"id": "owls", "name": "Owl keepers", "of": {"units": ["owl-keeper"]}, "max": 1}]


def option(key: str, name: str, points: int, **others: Any) -> JsonObject:
    return {"id": key, "name": name, "points": points, "kind": "other", **others}


OPTIONS = [
    option("hook", "Long hook", 5),
    option("lamp", "Night lamp", 12, rarity=8),
    option("oil", "Fine oil", 3, trade_only=True),
    option("badge", "Guild badge", 0, trade_only=True),
]


def lantern_units() -> list[JsonObject]:
    """A captain, lighters, an owl keeper, a hired rat catcher and a rare diver."""

    def unit(key: str, name: str, category: str, points: int, **others: Any) -> JsonObject:
        return unit_record(
            id=key, name=name, category=category, points=points, options=OPTIONS, **others
        )

    return [
        unit("captain", "Lamp captain", "heroes", 60, starting_experience=20),
        unit("lighter", "Lighter", "henchmen", 20),
        unit("owl-keeper", "Owl keeper", "heroes", 30),
        unit("catcher", "Rat catcher", "hired-hands", 18, hired={"upkeep": 7}),
        unit("diver", "Canal diver", "heroes", 25, rarity=9),
    ]


def make_lantern_list(club: Club, organiser: Owner) -> str:
    own = make_list(club=club, actor=organiser, name="The Wardens", base="")

    def write(data: JsonObject, _: JsonObject) -> None:
        data |= {"currency": {"name": "gold crowns", "short": "gc"}}
        data |= {"categories": CATEGORIES, "limits": LIMITS, "units": lantern_units()}

    change_own_list(organiser, str(own.token), write)
    return str(own.token)


def lantern_roster(army: str) -> JsonObject:
    """A captain and three lighters with a hook each: 135 of the purse."""
    return {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": army,
        "name": "The Wardens",
        "warriors": [
            {"profile": "captain", "name": "Wick", "leader": True},
            {"profile": "lighter", "count": 3, "options": ["hook"]},
        ],
    }
