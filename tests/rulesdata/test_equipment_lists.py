"""Equipment lists, prices that hang on what is bought, second prices: from a list's file to what a
warband pays (docs/interchange.md, "Own lists").
"""

from typing import Any

import pytest

from engine.choices import picker
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.selection import select, select_all, total_second
from engine.types.lists import Army, Currency, SecondPrice
from rulesdata import registry
from rulesdata.checks import lists
from rulesdata.own_lists import OwnList, build_army, read_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.schema.lists import OwnListFile
from tests.factories import SYSTEM
from tests.rulesdata.own_lists import unit_record

SHELF = registry.find_printed_lists("whfb6", "")


def option(key: str, points: int, **others: Any) -> dict[str, Any]:
    return {"id": key, "name": key.title(), "points": points, "kind": "weapon", **others}


def document(*units: dict[str, Any], **others: Any) -> dict[str, Any]:
    """The Wardens, whose armoury sells a hook, a net, a lamp and a net of the finest."""
    armoury = {
        "id": "armoury",
        "name": "Armoury",
        "options": [
            option("hook", 3), option("net", 5, excludes=["hook"]),
            option("lamp", 2, second=1), option("weights", 1, requires_any=["net", "hook"]),
        ],
    }  # fmt: skip
    named = units or (unit_record(id="guard", equipment=[{"list": "armoury"}], second=5),)
    return {
        "army": "wardens",
        "name": "Wardens",
        "collection": "whfb6",
        "edition": 6,
        "equipment": [armoury],
        "units": list(named),
        **others,
    }


def built(data: dict[str, Any]) -> Army:
    file, faults = read_own_list(Document(data), SHELF)
    assert faults == []
    assert file is not None
    blank = OwnListFile(army="x", name="x", edition=6)
    return build_army(OwnList("own-t", "1", "whfb6", 1, "Quay", file, blank), SHELF)


def faults_of(data: dict[str, Any]) -> list[str]:
    _, faults = read_own_list(Document(data), SHELF)
    return [f"{one.key}: {one.message}" for one in faults]


def points(army: Army, *options: str, unit: str = "guard", count: int = 1) -> int:
    return select(army, RosterEntry(unit, count=count, options=options)).points


def findings(army: Army, *entries: RosterEntry) -> list[Finding]:
    roster = Roster("Watch", SYSTEM, army.key, warriors=entries)
    found = check(roster, registry.load_system(SYSTEM), army)
    return [one for one in found if one.code.startswith("list.")]


def test_a_unit_buys_what_its_list_sells() -> None:
    army = built(document())
    guard = army.profiles["guard"]
    keys = [one.key for one in guard.options]
    assert keys == ["shield", "hook", "net", "lamp", "weights"]
    assert points(army, "hook", "lamp") == 9 + 3 + 2
    assert points(army, "hook", "lamp", count=3) == 3 * (9 + 3 + 2)


def test_units_share_the_options_of_a_list() -> None:
    named = {"equipment": [{"list": "armoury"}]}
    units = (unit_record(id="guard", **named), unit_record(id="clerk", **named))
    army = built(document(*units))
    first, second = (army.profiles[key].options[1] for key in ("guard", "clerk"))
    assert first is second


def test_a_unit_leaves_things_out_and_has_prices_of_its_own() -> None:
    named = {"list": "armoury", "without": ["hook"], "prices": {"net": 7, "lamp": -1}}
    army = built(document(unit_record(id="guard", equipment=[named])))
    options = {one.key: one for one in army.profiles["guard"].options}
    assert list(options) == ["shield", "net", "lamp", "weights"]
    assert (options["net"].excludes, options["weights"].requires_any) == ((), ("net",))
    assert points(army, "net", "lamp") == 9 + 7 - 1


def test_an_option_of_the_unit_takes_the_place_of_a_lists() -> None:
    own = unit_record(id="guard", options=[option("hook", 8)])
    army = built(document({**own, "equipment": [{"list": "armoury"}]}))
    assert [one.key for one in army.profiles["guard"].options].count("hook") == 1
    assert points(army, "hook") == 9 + 8


@pytest.mark.parametrize("named, expected", [
    ([{"list": "stable"}], "units/guard/equipment: 'stable' is no equipment list"),
    ([{"list": "armoury"}] * 2, "units/guard/equipment/number 2: 'armoury' stands twice"),
    (
        [{"list": "armoury", "without": ["lance"]}],
        "units/guard/equipment/number 1/without: 'lance' is no option of this equipment list",
    ),
    (
        [{"list": "armoury", "prices": {"lance": 3}}],
        "units/guard/equipment/number 1/prices: 'lance' is no option of this equipment list",
    ),
    (
        [{"list": "armoury", "without": ["hook", "net"]}],
        "units/guard/equipment/number 1/without: 'weights' of this list needs 'net'",
    ),
])  # fmt: skip
def test_what_a_unit_says_of_a_list_is_checked(named, expected):
    found = faults_of(document(unit_record(id="guard", equipment=named)))
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_two_lists_of_a_unit_sell_different_things() -> None:
    stable = {"id": "stable", "name": "Stable", "options": [option("lamp", 4)]}
    both = [{"list": "armoury"}, {"list": "stable"}]
    data = document(unit_record(id="guard", equipment=both))
    data["equipment"].append(stable)
    assert faults_of(data) == [
        "units/guard/equipment/number 2: 'lamp' is in 'armoury' too: leave it out of one of them by "
        "without"
    ]
    both[1]["without"] = ["lamp"]
    assert faults_of(data) == []


@pytest.mark.parametrize("broken, expected", [
    (option("hook", 1, requires=["lance"]), "options/hook/requires: 'lance' is no option"),
    (option("hook", 1, items=["lance-x"]), "options/hook/items: 'lance-x' is no weapon"),
    (
        option("champion", 1),
        "options/champion/id: this word is kept for the command models",
    ),
    (option("hook", 1, effect={"Q": 1}), "options/hook/effect: 'Q' is no stat"),
    (
        option("hook", 1, points_if=[{"without": ["lance"], "points": 1}]),
        "options/hook/points_if: 'lance' is no option",
    ),
])  # fmt: skip
def test_options_of_a_list_are_checked(broken: dict[str, Any], expected: str) -> None:
    data = document()
    data["equipment"] = [{"id": "armoury", "name": "Armoury", "options": [broken]}]
    assert any(one.startswith(f"equipment/armoury/{expected}") for one in faults_of(data))


def test_the_lists_of_all_units_together_have_a_limit(monkeypatch):
    monkeypatch.setattr(lists, "EQUIPMENT_PLACES_MAX", 4)
    assert faults_of(document()) == []
    monkeypatch.setattr(lists, "EQUIPMENT_PLACES_MAX", 3)
    assert "found 4" in faults_of(document())[0]


@pytest.mark.parametrize("limit, bought, messages", [
    ({"of": {}, "max": 2}, ("hook", "lamp"), []),
    ({"of": {}, "max": 1}, ("hook", "lamp"), ["2 of Gear; the army list allows 1."]),
    ({"of": {"options": ["hook"]}, "max": 1}, ("hook", "lamp"), []),
    (
        {"of": {}, "max": 1, "per": "each-unit"},
        ("hook", "lamp"),
        ["Boatman (Core): 2 of Gear; the army list allows 1."],
    ),
])  # fmt: skip
def test_a_list_limits_what_is_bought_of_it(limit, bought, messages):
    clerk = unit_record(id="clerk", options=[option("hook", 3), option("lamp", 2)])
    guard = unit_record(id="guard", equipment=[{"list": "armoury"}])
    data = document(guard, clerk)
    data["equipment"][0]["limits"] = [{"id": "gear", "name": "Gear", **limit}]
    army = built(data)
    # A clerk buys the same by options of its own, which are not of the list.
    gang = RosterEntry("guard", options=bought), RosterEntry("clerk", options=bought)
    assert [one.message for one in findings(army, *gang)] == messages


def test_a_unit_costs_another_price_with_and_without_options() -> None:
    cases = [
        {"with": ["hook", "lamp"], "points": 4},
        {"with": "hook", "points": 7},
        {"without": ["shield", "lamp"], "points": 8},
    ]
    named = {"equipment": [{"list": "armoury"}]}
    army = built(document(unit_record(id="guard", points_if=cases, **named)))
    assert points(army) == 8
    assert points(army, "shield") == 9 + 2
    assert points(army, "hook") == 7 + 3
    assert points(army, "hook", "lamp") == 4 + 3 + 2


def test_the_picker_says_what_the_whole_price_changes_by() -> None:
    cases = [{"with": "hook", "points": 7}]
    named = {"equipment": [{"list": "armoury"}]}
    army = built(document(unit_record(id="guard", points_if=cases, **named)))
    groups = picker(select(army, RosterEntry("guard")), army)
    hook = next(one for group in groups for one in group.choices if one.key == "hook")
    assert (hook.points, hook.change) == (3, 3 - 2)


def test_an_option_costs_another_price_without_others() -> None:
    cheap = option(
        "rope", 6, points_if=[{"with": "hook", "without": ["lamp"], "points": 1}]
    )
    own = unit_record(id="guard", options=[cheap], equipment=[{"list": "armoury"}])
    army = built(document(own))
    assert points(army, "rope") == 9 + 6
    assert points(army, "rope", "hook") == 9 + 1 + 3
    assert points(army, "rope", "hook", "lamp") == 9 + 6 + 3 + 2


@pytest.mark.parametrize("cases, expected", [
    ([{"points": 3}], "units/guard/points_if/number 1"),
    ([{"with": "lance", "points": 3}], "units/guard/points_if: 'lance' is no option"),
    ([{"without": ["lance"], "points": 3}], "units/guard/points_if: 'lance'"),
    ([{"with": "hook", "points": -1}], "units/guard/points_if/number 1/points"),
])  # fmt: skip
def test_prices_of_a_unit_are_checked(cases: list[Any], expected: str) -> None:
    named = {"equipment": [{"list": "armoury"}]}
    data = document(unit_record(id="guard", points_if=cases, **named))
    found = faults_of(data)
    assert len(found) == 1
    assert found[0].startswith(expected)


PRICES = {
    "currency": {"name": "gold crowns", "short": "gc"},
    "second_price": {"name": "Warband rating", "short": "rating", "max": 17},
    "default_limit": 500,
}


def test_a_list_says_what_its_prices_are() -> None:
    plain, priced = built(document()), built(document(**PRICES))
    assert (plain.currency, plain.second_price, plain.default_limit) == (
        Currency("points", "pts"), None, None,
    )  # fmt: skip
    assert priced.currency == Currency("gold crowns", "gc")
    assert priced.second_price == SecondPrice("Warband rating", "rating", "note", 17)
    assert priced.default_limit == 500


@pytest.mark.parametrize("count, messages", [(2, []), (3, [
    "Warband rating 23; the army list allows 17."
])])  # fmt: skip
def test_the_second_price_of_a_roster_is_added_up(count: int, messages: list[str]) -> None:
    army = built(document(**PRICES))
    gang = (
        RosterEntry("guard", count=count, options=("hook", "lamp")),
        RosterEntry("guard"),
    )
    found = findings(army, *gang)
    assert total_second(select_all(army, gang), army) == count * (5 + 1) + 5
    assert [one.message for one in found] == messages
    assert all(one.level == "note" for one in found)
    assert total_second(select_all(built(document()), gang), built(document())) == 0
