"""Shared groups of a catalogue become equipment lists, prices keep their names, and a newer version
is compared with what units buy of the lists.
"""

from datetime import date
from typing import Any

import pytest

from engine.roster import RosterEntry
from engine.selection import select
from engine.types.lists import Army, Currency
from interchange.catalogues import choose_catalogue, close, read_catalogue_file
from interchange.files import OpenedFile
from interchange.translation import translate
from rulesdata.catalogue_lists.documents import (
    ListHead,
    hints_of_lists,
    list_document,
    unfolded,
)
from rulesdata.catalogue_lists.versions import merged, unit_digests
from rulesdata.own_lists import build_army, read_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.schema.list_terms import LimitOf, LimitRecord
from tests.foreign.test_catalogue_lists import SHELF, own_list
from tests.foreign.test_catalogues import FRAME, read

BAZAAR = "lantern-bazaar.cat"


def document(**changes: str) -> dict[str, Any]:
    """The Bazaar as a club's list, with texts of its file replaced."""
    files = [read("lantern-gangs.gst"), read(BAZAAR, **changes)]
    found = translate(close(choose_catalogue(files), files), FRAME)
    head = ListHead("The Bazaar", SHELF.collection, read_on=date(2026, 11, 23))
    return list_document(found, head)


def built(data: dict[str, Any]) -> Army:
    file, faults = read_own_list(Document(data), SHELF)
    assert faults == []
    assert file is not None
    return build_army(own_list(file), SHELF)


def units(data: dict[str, Any]) -> dict[str, Any]:
    return {unit["id"]: unit for unit in data["units"]}


def test_a_group_that_units_share_is_one_equipment_list() -> None:
    data = document()
    (stalls,) = data["equipment"]
    assert (stalls["id"], stalls["name"]) == ("stalls", "Stalls")
    sold = [(one["id"], one["points"], one.get("second")) for one in stalls["options"]]
    assert sold == [("rope", 2, 1), ("flare", 4, None), ("veil", 6, None)]
    found = units(data)
    assert found["crier"]["equipment"] == [{"list": "stalls"}]
    assert found["crier"]["options"] == []
    assert [one["id"] for one in found["porter"]["options"]] == ["seal"]
    assert found["guest"]["equipment"] == [
        {"list": "stalls", "without": ["veil"], "prices": {"flare": 9}}
    ]


def test_units_pay_what_the_catalogue_says() -> None:
    army = built(document())
    prices = {
        key: select(army, RosterEntry(key, options=("rope", "flare"))).points
        for key in ("porter", "crier", "guest")
    }
    assert prices == {"porter": 15 + 2 + 4, "crier": 20 + 2 + 4, "guest": 30 + 2 + 9}
    guest = {option.key for option in army.profiles["guest"].options}
    assert guest == {"rope", "flare"}


def test_what_one_unit_buys_is_its_own() -> None:
    links = ('b3" targetId="g_stalls', 'b4" targetId="g_stalls')
    data = document(**{link: link[:2] + '" targetId="g-none' for link in links})
    assert "equipment" not in data
    sold = [one["id"] for one in units(data)["porter"]["options"]]
    assert sold == ["rope", "flare", "veil", "seal"]


def test_the_list_knows_what_its_prices_are() -> None:
    army = built(document())
    assert army.currency == Currency("gold crowns", "gc")
    assert army.second_price is not None
    assert (army.second_price.name, army.default_limit) == ("Standing", 500)
    rope = next(o for o in army.profiles["crier"].options if o.key == "rope")
    assert rope.terms.second == 1


def test_unfolding_gives_units_their_options_back() -> None:
    data = document()
    plain = unfolded(data)
    assert "equipment" not in plain
    assert all("equipment" not in unit for unit in plain["units"])
    guest = {one["id"]: one["points"] for one in units(plain)["guest"]["options"]}
    assert guest == {"rope": 2, "flare": 9}
    assert set(hints_of_lists(data).values()) == {("stalls", "Stalls")}


def test_a_newer_version_changes_a_price_for_all_who_buy_it() -> None:
    before = document()
    after = merged(before, document(**{'value="2"': 'value="3"'}))
    (stalls,) = after["equipment"]
    assert stalls["options"][0]["points"] == 3
    for plain, points in ((unfolded(before), 2), (unfolded(after), 3)):
        ropes = {
            unit["name"]: option["points"]
            for unit in plain["units"]
            for option in unit["options"]
            if option["id"] == "rope"
        }
        assert ropes == dict.fromkeys(("Porter", "Crier", "Guest"), points)
    assert unit_digests(merged(before, document())) == unit_digests(before)


@pytest.mark.parametrize("key", ["crier", "guest"])
def test_a_clubs_own_equipment_list_survives_a_newer_version(key: str) -> None:
    before = document()
    hand = {"id": "ladle", "name": "Ladle", "points": 1, "kind": "weapon"}
    before["equipment"].append({"id": "kitchen", "name": "Kitchen", "options": [hand]})
    units(before)[key]["equipment"].append({"list": "kitchen"})
    after = merged(before, document())
    assert [one["id"] for one in after["equipment"]] == ["kitchen", "stalls"]
    named = [one["list"] for one in units(after)[key]["equipment"]]
    assert named == ["kitchen", "stalls"]
    assert "ladle" in {option.key for option in built(after).profiles[key].options}


@pytest.mark.parametrize("fields, words", [
    ({"min": 1, "max": 1}, "Hooks: exactly 1"),
    ({"min": 1, "max": 2}, "Hooks: at least 1 and at most 2"),
    (
        {"max": 0, "depends": True},
        "Hooks: at most 0; some lists of the source have another limit",
    ),
    ({"min": 2, "per": "each-unit"}, "Hooks: at least 2 for each unit"),
    (
        {"max": 2, "per": "each:3-of:owl-keeper"},
        "Hooks: at most 2 for every 3 of owl keeper",
    ),
])  # fmt: skip
def test_a_limit_says_what_it_allows(fields: dict[str, Any], words: str) -> None:
    assert (
        LimitRecord(id="hooks", name="Hooks", of=LimitOf(all=True), **fields).words == words
    )


def test_a_thousand_places_of_a_few_options_are_no_thousand_records() -> None:
    # 120 units buy from 160 options: unfolded they are 19,200 options of four values and more.
    options = "".join(
        f'<entryLink id="l{n}" targetId="t{n}" type="selectionEntry" name="Tool {n}"/>'
        for n in range(160)
    )
    tools = "".join(
        f'<selectionEntry id="t{n}" name="Tool {n}" type="upgrade"><costs><cost name="pts" '
        f'typeId="coin" value="{n % 9 + 1}"/></costs></selectionEntry>'
        for n in range(160)
    )
    units_made = "".join(
        f'<selectionEntry id="u{n}" name="Hand {n}" type="model"><costs><cost name="pts" '
        f'typeId="coin" value="10"/></costs><entryLinks><entryLink id="g{n}" '
        'targetId="shelf" type="selectionEntryGroup" name="Shelf"/></entryLinks>'
        "</selectionEntry>"
        for n in range(120)
    )
    catalogue = (
        '<catalogue id="c" name="The Yard" battleScribeVersion="2.03" '
        f'gameSystemId="sys-lantern"><selectionEntries>{units_made}</selectionEntries>'
        f"<sharedSelectionEntries>{tools}</sharedSelectionEntries><sharedSelectionEntryGroups>"
        f'<selectionEntryGroup id="shelf" name="Shelf"><entryLinks>{options}</entryLinks>'
        "</selectionEntryGroup></sharedSelectionEntryGroups></catalogue>"
    )
    files = [
        read("lantern-gangs.gst"),
        read_catalogue_file(OpenedFile("yard.cat", "xml", catalogue)),
    ]
    found = translate(close(choose_catalogue(files), files), FRAME)
    head = ListHead("The Yard", SHELF.collection, read_on=date(2026, 11, 23))
    army = built(list_document(found, head))
    assert len(army.profiles) == 120
    assert {len(one.options) for one in army.profiles.values()} == {160}
