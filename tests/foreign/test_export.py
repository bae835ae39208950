"""Rosters written for other tools: read back the same, with what each form loses."""

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.roster import Roster, RosterEntry
from engine.selection import select_all
from interchange.nodes import parse_xml
from rulesdata import registry
from tests.conftest import Soak
from tests.factories import EMPIRE, SYSTEM
from tests.foreign.lantern_gangs import ALIASES, wardens
from warbands.exchange.document import to_document
from warbands.exchange.foreign.export import FORMS, OutgoingRoster, write_roster
from warbands.exchange.foreign.matches import Aliases, ArmyIndex
from warbands.exchange.foreign.preview import build_preview
from warbands.exchange.foreign.reader import read_list
from warbands.queries.lists import starter

ARMY = wardens()
NAMES = st.text("Aé<>&'\" “”日", max_size=12).map(str.strip)


@st.composite
def entries(draw: st.DrawFn) -> RosterEntry:
    """An entry of the Wardens: one miniature may lead, be a champion, carry magic."""
    profile = ARMY.profiles[draw(st.sampled_from(sorted(ARMY.profiles)))]
    count = draw(st.integers(1, 6))
    keys = [option.key for option in profile.options] + ["magic/ever-lamp"]
    if profile.champion:
        keys += ["champion", "musician", "brass-horn"]
    options = draw(st.lists(st.sampled_from(keys), max_size=5, unique=True))
    options += ["whistle"] * draw(st.integers(0, 2)) if "whistle" in options else []
    lore = draw(st.sampled_from(["", *profile.lores]))
    return RosterEntry(profile.key, draw(NAMES), count, options=tuple(options), lore=lore)


def outgoing(*warriors: RosterEntry, **fields: Any) -> OutgoingRoster:
    roster = Roster(SYSTEM, ARMY.key, "Wick & <Wax>", 250, warriors=warriors, **fields)
    return OutgoingRoster(roster, registry.load_base(SYSTEM), ARMY, Aliases())


def said(warriors: tuple[RosterEntry, ...]) -> list[tuple[Any, ...]]:
    """What must come back: profiles, names, counts, leaders, lores, options as often as bought."""
    return sorted(
        (one.profile, one.name, one.count, one.is_leader, one.lore, sorted(one.options))
        for one in warriors
    )


def test_generated_rosters_come_back_from_each_form(soak: Soak) -> None:
    @settings(max_examples=soak(12, 200), deadline=None)
    @given(st.lists(entries(), min_size=1, max_size=6))
    def check(warriors: list[RosterEntry]) -> None:
        comes_back(warriors)

    check()


def comes_back(warriors: list[RosterEntry]) -> None:
    lead = next((n for n, one in enumerate(warriors) if one.count == 1), None)
    if lead is not None:
        warriors[lead] = replace(warriors[lead], is_leader=True)
    out = outgoing(*warriors, note="For the\nleague")
    total = sum(one.points for one in select_all(ARMY, out.roster.warriors))
    for form in FORMS:
        written = write_roster(out, form)
        tree = read_list("x", written.write())
        found = build_preview(tree, out.system, ArmyIndex(ARMY, Aliases()))
        assert said(found.roster.warriors) == said(out.roster.warriors)
        assert (tree.total, found.points_ours) == (total, total)
        assert (tree.name, tree.limit, tree.note) == (
            "Wick & <Wax>", 250, "For the\nleague",
        )  # fmt: skip
        assert {line.match.how for line in found.lines} == {"id"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", [f"{SYSTEM}--{EMPIRE}", "english-civil-war--parliament"])
def test_starters_come_back(form: str, key: str) -> None:
    ready = starter(key)
    assert ready is not None
    system, army = registry.load_ruleset(ready.roster)
    out = OutgoingRoster(ready.roster, system, army, Aliases())
    found = build_preview(
        read_list("x", write_roster(out, form).write()), system, ArmyIndex(army, Aliases())
    )
    assert said(found.roster.warriors) == said(ready.roster.warriors)
    assert found.points_ours == ready.sheet.points


def test_our_own_document_is_read_into_the_tree() -> None:
    ready = starter(f"{SYSTEM}--{EMPIRE}")
    assert ready is not None
    tree = read_list("x", json.dumps(to_document(ready.roster)).encode())
    system, army = registry.load_ruleset(ready.roster)
    found = build_preview(tree, system, ArmyIndex(army, Aliases()))
    assert tree.form == "muster-roll"
    assert (tree.total, found.points_ours) == (ready.sheet.points, ready.sheet.points)
    assert said(found.roster.warriors) == said(ready.roster.warriors)


def test_a_list_nobody_has_keeps_its_keys() -> None:
    data = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": "own/gone",
        "warriors": [{"profile": "imp", "options": ["fork"]}],
    }
    unit = read_list("x", json.dumps(data).encode()).units[0]
    assert (unit.name, unit.parts[0].name) == ("imp", "fork")


CAPTAIN = RosterEntry("lamp-captain", "Tess", is_leader=True, options=("oil-blade",))


def test_xml_is_as_the_other_tools_write_it() -> None:
    written = write_roster(
        outgoing(CAPTAIN, RosterEntry("lamplighters", count=3, options=("long-hook",))),
        "ros",
    )
    text = written.write().decode()
    assert (written.ending, written.media_type) == ("ros", "application/xml")
    assert text.startswith(
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<roster '
    )
    assert "\r" not in text
    root = parse_xml(text)
    assert root.get("battleScribeVersion") == "2.03"
    assert 'xmlns="http://www.battlescribe.net/schema/rosterSchema"' in text
    names = {node.get("name") for node in root.walk() if node.name == "category"}
    assert names == {"Boss", "Leader", "Ganger"}
    hook = next(node for node in root.walk() if node.get("name") == "Long Hook")
    assert hook.get("number") == "3"
    assert next(hook.listed("costs", "cost")).get("value") == "15"
    stats = [node.text for node in root.walk() if node.name == "characteristic"]
    assert stats == ["4", "7", "4", "7"]


def test_zip_holds_the_same_and_is_the_same_each_time() -> None:
    out = outgoing(CAPTAIN)
    packed = write_roster(out, "rosz").write()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == ["roster.ros"]
        assert archive.read("roster.ros") == write_roster(out, "ros").write()
    assert write_roster(out, "rosz").write() == packed


def test_the_zip_of_many_alike_is_small_and_is_read() -> None:
    out = outgoing(*(CAPTAIN for _ in range(200)))
    plain, packed = write_roster(out, "ros").write(), write_roster(out, "rosz").write()
    assert len(packed) * 10 < len(plain)
    assert len(read_list("x", packed).units) == 200


def test_json_has_numbers_and_no_wrappers() -> None:
    data = json.loads(write_roster(outgoing(CAPTAIN), "newrecruit-json").write())["roster"]
    assert data["battleScribeVersion"] == 2.03
    unit = data["forces"][0]["selections"][0]
    assert (unit["number"], unit["costs"][0]["value"]) == (1, 60)
    assert unit["categories"][0]["primary"] is True
    assert unit["profiles"][0]["characteristics"][0]["$text"] == "4"


def test_units_with_an_origin_are_written_by_it() -> None:
    out = replace(outgoing(CAPTAIN), aliases=ALIASES)
    written = write_roster(out, "ros")
    assert written.is_complete
    assert b'entryId="origin-captain"' in written.write()
    both = replace(outgoing(CAPTAIN, RosterEntry("owl-keeper")), aliases=ALIASES)
    assert not write_roster(both, "ros").is_complete
    assert json.loads(write_roster(out, "owb-json").write())["army"] == "wardens"
    # Old World Builder opens a list only of an army that it knows.
    assert out.forms == tuple(FORMS)
    assert outgoing(CAPTAIN).forms == ("ros", "rosz", "newrecruit-json")


@pytest.mark.parametrize("form", FORMS)
def test_total_is_of_the_prices_that_are_written(form: str) -> None:
    """An old price is kept in no form, so it is in no figure of one either."""
    out = outgoing(replace(CAPTAIN, kept=3))
    (today,) = select_all(ARMY, (CAPTAIN,))
    tree = read_list("x", write_roster(out, form).write())
    assert tree.total == today.points != 3
    assert tree.stated_total in (None, tree.total)


def test_what_is_lost_is_what_was_there() -> None:
    plain = outgoing(CAPTAIN)
    assert write_roster(plain, "ros").lost == ()
    assert len(write_roster(plain, "owb-json").lost) == 1
    entry = replace(CAPTAIN, kept=3, options=("dragon",))
    rich = outgoing(
        entry,
        scenario="x",
        tags=("t",),
        house_rules={"a": True},
        variant="a",
        rulings={"r": 1},
    )
    for form in FORMS:
        assert write_roster(rich, form).lost[:7] == (
            "The scenario.", "Rulings.", "House rules.", "Tags of the warband.",
            "The variant of the rules.", "Old prices: today's prices are written.",
            "1 option that the army list does not have: its name is written.",
        )  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_units_share_the_options_that_a_file_holds(form, monkeypatch):
    monkeypatch.setattr("warbands.exchange.foreign.export.WRITTEN_MAX", 5)
    full = RosterEntry("lamplighters", options=("a", "b"))
    for known, lost in ((full, 0), (replace(full, options=("a", "b", "c")), 1)):
        for entry in (known, replace(known, profile="nobody")):
            file = write_roster(outgoing(full, entry), form)
            assert file.lost.count("Options of a unit after the first 2.") == lost
            units = read_list("x", file.write()).units
            assert [len(unit.parts) for unit in units] == [2, 2]
