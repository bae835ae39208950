"""What a catalogue has becomes what a list has: command, magic items, weapons, groups, headings."""

from datetime import date

import pytest

from engine.findings.checks import check
from engine.records import Fields
from engine.roster import Roster, RosterEntry
from engine.selection import select
from engine.types.lists import Army
from interchange.catalogues import choose_catalogue, close, read_catalogue_file
from interchange.files import OpenedFile
from interchange.options import TranslatedLimit
from interchange.profiles import read_strength, weapon_record
from interchange.translation import Translation, translate
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, build_frame, list_document
from rulesdata.catalogue_lists.versions import merged
from rulesdata.own_lists import build_army, read_own_list
from rulesdata.pack_files.yaml_files import Document
from tests.factories import SYSTEM
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogue_lists import SHELF, own_list
from tests.foreign.test_catalogues import FRAME, NAMES, option, unit

GUILD = "lantern-guild.cat"


def translated(text: str = "", instead: str = "", *, in_whfb6: bool = False) -> Translation:
    files = []
    for name in (NAMES[0], NAMES[1], GUILD):
        found = (MADE / name).read_text()
        if name == GUILD and text:
            assert text in found
            found = found.replace(text, instead)
        files.append(read_catalogue_file(OpenedFile(name, "xml", found)))
    frame = build_frame(SHELF.collection, SHELF.common) if in_whfb6 else FRAME
    return translate(close(choose_catalogue(files), files), frame)


def document_of(found: Translation) -> Fields:
    return list_document(
        found, ListHead("The Guild", SHELF.collection, read_on=date(2026, 11, 23))
    )


def army_of(document: Fields) -> Army:
    file, faults = read_own_list(Document(document), SHELF)
    assert faults == []
    assert file is not None
    return build_army(own_list(file), SHELF)


@pytest.fixture(scope="module")
def guild() -> Translation:
    return translated()


@pytest.fixture(scope="module")
def document() -> Fields:
    return document_of(translated(in_whfb6=True))


@pytest.fixture(scope="module")
def army(document: Fields) -> Army:
    return army_of(document)


def doubts(found: Translation, name: str) -> dict[str, str]:
    return {one.what: one.why for one in found.report.doubts if one.unit == name}


def test_a_unit_has_its_command(guild: Translation) -> None:
    bought = unit(guild, "watch").bought
    assert bought.champion is not None
    assert (bought.champion.name, bought.champion.points) == ("Watch Boss", 11)
    assert (bought.champion.stats["WS"], bought.champion.stats["A"]) == (4, 2)
    assert [(one.key, one.points) for one in bought.champion.options] == [("brass-horn", 3)]
    assert (bought.musician, bought.standard_bearer) == (5, 8)
    keys = [one.key for one in bought.options]
    assert not {"watch-boss", "musician", "standard-bearer", "brass-horn"} & set(keys)
    # What stands below the bearer needs the bearer.
    fringe = option(guild, "watch", "standard-bearer-gold-fringe")
    assert (fringe.points, fringe.settings["requires"]) == (6, ["standard-bearer"])


def test_a_single_miniature_has_no_command(guild: Translation) -> None:
    bought = unit(guild, "guild-master").bought
    assert (bought.champion, bought.musician, bought.standard_bearer) == (None, None, None)
    assert "musician-2" in [one.key for one in bought.options]


def test_a_champion_without_a_line_stays_an_option() -> None:
    # A boss is a champion by the line that its own figures make.
    found = translated('name="Watch Boss" typeId="pt-model"', 'name="x" typeId="pt-weapon"')
    assert unit(found, "watch").bought.champion is None
    assert option(found, "watch", "watch-boss").points == 11


def test_what_goes_with_a_musician_alone_is_a_doubt() -> None:
    mark = 'name="Musician" type="upgrade" hidden="false">'
    drum = '<selectionEntries><selectionEntry id="e-drum" name="Drum"/></selectionEntries>'
    found = translated(mark, mark + drum)
    assert doubts(found, "Watch")["Musician: Drum"] == "it goes with Musician alone"
    assert "requires" not in option(found, "watch", "musician-drum").settings


def test_points_of_a_group_are_an_allowance_for_magic_items(guild: Translation) -> None:
    # 50, and 25 more for a boss.
    assert unit(guild, "guild-master").bought.magic_allowance == 75
    assert unit(guild, "watch").bought.magic_allowance is None
    assert [
        (one["id"], one["type"], one["points"], "one_per_army" in one)
        for one in guild.magic_items
    ] == [("sunblade", "weapon", 45, True), ("moth-charm", "talisman", 10, False)]
    keys = [one.key for one in unit(guild, "guild-master").options]
    assert "sunblade" not in keys
    # A magic item has a price; what is free is an option as any other.
    assert "plain-charm" in keys


def test_items_of_several_units_are_one() -> None:
    mark = '<entryLink id="w3"'
    link = '<entryLink id="w9" targetId="g-marvels" type="selectionEntryGroup" name="M"/>'
    found = translated(mark, link + mark)
    assert len(found.magic_items) == 2
    assert unit(found, "watch").bought.magic_allowance == 50


def test_an_allowance_that_hangs_on_the_list_is_a_doubt() -> None:
    found = translated(
        'type="instanceOf" scope="ancestor" childId="cat-boss"',
        'type="atLeast" scope="roster" childId="u-watch"',
    )
    assert "rest of the list" in doubts(found, "Guild Master")["Magic items"]
    assert unit(found, "guild-master").bought.magic_allowance == 50


def test_no_limit_of_points_is_no_allowance() -> None:
    found = translated('scope="parent" value="50"', 'scope="parent" value="-1"')
    assert found.magic_items == ()
    assert option(found, "guild-master", "sunblade").points == 45


def test_weapons_the_collection_lacks_come_along(guild: Translation) -> None:
    assert guild.weapons == (
        {
            "id": "volley-bow",
            "sources": ["first"],
            "name": "Volley Bow",
            "type": "missile",
            "range": 24,
            "strength": 4,
        },
        {
            "id": "lamp-pole",
            "sources": ["first"],
            "name": "Lamp Pole",
            "type": "melee",
            "strength": "+1",
        },
    )
    bow = option(guild, "watch", "volley-bow")
    assert (bow.settings["kind"], bow.settings["items"]) == ("weapon", ["volley-bow"])
    # Without figures the name of the group says what it is.
    assert option(guild, "watch", "padding").settings == {"kind": "armour"}


@pytest.mark.parametrize("figure, strength", [
    ("4", 4), ("As user", "user"), ("-", "user"), ("S+2", "+2"), ("as user -1", "-1"),
    ("user +1", "+1"), ("11", None), ("0", None), ("D3", None), ("", None),
])  # fmt: skip
def test_a_strength_is_a_number_the_user_or_a_bonus(figure, strength):
    assert read_strength(figure) == strength


@pytest.mark.parametrize("figure, inches", [
    ('24"', 24), ('6-12"', 12), ("8 in", 8), ("120", 120), ("121", None),
    ("Close Combat", None),
])  # fmt: skip
def test_a_range_is_in_inches(figure: str, inches: int | None) -> None:
    record = weapon_record("Bow", {"range": figure, "strength": "3"})
    assert record.get("range") == inches


def test_several_of_a_group_are_a_limit(guild: Translation) -> None:
    tools = TranslatedLimit("Tools", ("rope", "ladder", "wick"), None, 2)
    assert unit(guild, "watch").bought.limits == (tools,)
    assert unit(guild, "guild-master").bought.limits == (tools,)
    rope = option(guild, "watch", "rope").settings
    assert rope == {"kind": "other", "group": "tools", "group_required": True}


def test_a_limit_nobody_can_break_is_none() -> None:
    bound = 'id="k-tools-max" type="max" field="selections" scope="parent" value='
    for value, most in (("2", 2), ("3", None), ("-1", None)):
        found = translated(f'{bound}"2"', f'{bound}"{value}"')
        assert [one.most for one in unit(found, "watch").bought.limits] == [most] * bool(
            most
        )


def test_a_group_that_asks_for_two_is_a_limit() -> None:
    bound = 'id="k-tools-min" type="min" field="selections" scope="parent" value='
    found = translated(f'{bound}"1"', f'{bound}"2"')
    assert [one.least for one in unit(found, "watch").bought.limits] == [2]


def test_what_stands_below_an_option_asks_for_nothing(guild: Translation) -> None:
    """Who buys no goat chooses no saddle."""
    saddle = option(guild, "guild-master", "goat-plain-saddle").settings
    assert saddle == {
        "kind": "other",
        "group": "saddle",
        "exclusive": True,
        "requires": ["goat"],
    }


def test_a_heading_that_one_entry_decides_is_kept(guild: Translation) -> None:
    watch = unit(guild, "watch")
    assert watch.heading == "cat-gang"
    assert watch.headings_when == (("cat-boss", ("Guild Master",)),)
    # Two of them are another question than one.
    assert "stands under another" in doubts(guild, "Watch")["Category"]


@pytest.mark.parametrize("conditions, when", [
    ('type="greaterThan" scope="force" childId="u-watch" value="0"', ("Watch",)),
    ('type="atLeast" scope="roster" childId="cat-gang" value="1"', ()),
    ('type="lessThan" scope="roster" childId="u-watch" value="1"', None),
])  # fmt: skip
def test_headings_by_other_conditions(conditions, when):
    old = 'type="atLeast" scope="roster" childId="u-master" field="selections" value="1"'
    found = translated(old, f'{conditions} field="selections"')
    others = unit(found, "watch").headings_when
    assert others == ((("cat-boss", when),) if when else ())


def test_a_heading_for_good_is_the_heading() -> None:
    old = 'type="atLeast" scope="roster" childId="u-master" field="selections" value="1"'
    found = translated(
        old, 'type="instanceOf" scope="self" childId="cat-gang" field="x" value="1"'
    )
    assert unit(found, "watch").heading == "cat-boss"


# The list that it comes to


def test_the_list_has_no_fault(army: Army) -> None:
    watch, master = army.profiles["watch"], army.profiles["guild-master"]
    assert watch.champion is not None
    assert (watch.champion.name, watch.champion.stats["A"]) == ("Watch Boss", 2)
    assert (watch.musician_points, watch.standard_bearer_points) == (5, 8)
    assert watch.category_when == (("bosses", ("Guild Master",)),)
    assert master.magic_allowance == 75
    assert army.magic_items["sunblade"].is_unique
    assert army.weapons["volley-bow"].range == 24


def test_the_list_prices_its_command_and_its_items(army: Army) -> None:
    taken = ("champion", "brass-horn", "standard-bearer", "musician", "rope")
    watch = RosterEntry("watch", options=taken)
    assert select(army, watch).points == 9 + 2 + 11 + 3 + 8 + 5
    master = RosterEntry("guild-master", options=("magic/sunblade", "wick"))
    assert select(army, master).points == 70 + 45 + 1


def test_the_list_checks_its_groups(army: Army) -> None:
    many = RosterEntry("watch", count=2, options=("rope", "ladder", "wick"))
    roster = Roster("Guild", SYSTEM, army.key, warriors=(many,))
    found = check(roster, registry.load_system(SYSTEM), army)
    told = [one.message for one in found if one.code == "list.maximum"]
    assert told == ["Watcher: 3 of Tools; the army list allows 2."]


def test_a_newer_catalogue_keeps_the_keys_of_command_and_limits(document: Fields) -> None:
    """Ropes and horns are called otherwise now, and rosters still name them."""
    newer = document_of(translated('name="Rope"', 'name="Cord"', in_whfb6=True))
    watch = next(one for one in newer["units"] if one["id"] == "watch")
    watch["champion"]["options"][0]["id"] = "horn"
    both = merged(document, newer)
    now = next(one for one in both["units"] if one["id"] == "watch")
    assert [one["id"] for one in now["champion"]["options"]] == ["brass-horn"]
    assert [one["name"] for one in now["options"] if one["id"] == "rope"] == ["Cord"]
    limit = next(one for one in both["limits"] if one["name"] == "Tools")
    assert limit["of"]["options"] == ["rope", "ladder", "wick"]
    assert limit["of"]["units"] == ["guild-master", "watch"]
    assert [one["id"] for one in both["magic_items"]] == ["sunblade", "moth-charm"]
    army_of(both)
