"""A catalogue as a club's list: the document has no fault, and its limits are findings."""

from dataclasses import replace
from datetime import date

import pytest

from engine.findings.case import Finding
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.selection import select
from engine.types.lists import Army, ListLimit, PriceCase, PriceTerms
from interchange.translation import Translation
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, build_frame, list_document
from rulesdata.own_lists import OwnList, build_army, read_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.schema.lists import OwnListFile
from tests.factories import SYSTEM
from tests.foreign.test_catalogues import translated

SHELF = registry.find_printed_lists("whfb6", "")


@pytest.fixture(scope="module")
def document() -> Document:
    found: Translation = translated()
    head = ListHead("The Wardens", SHELF.collection, read_on=date(2026, 11, 23))
    return Document(list_document(found, head))


@pytest.fixture(scope="module")
def army(document: Document) -> Army:
    file, faults = read_own_list(document, SHELF)
    assert faults == []
    assert file is not None
    return build_army(own_list(file), SHELF)


def own_list(file: OwnListFile) -> OwnList:
    blank = OwnListFile(army="x", name="x", edition=6)
    return OwnList("own-test", "1", "whfb6", 1, "Quay Club", file, blank)


def findings(army: Army, *entries: RosterEntry) -> list[Finding]:
    roster = Roster("Gang", SYSTEM, army.key, warriors=entries)
    found = check(roster, registry.load_system(SYSTEM), army)
    return [one for one in found if one.code.startswith("list.")]


def test_the_document_is_a_list_without_faults(army: Army) -> None:
    captain = army.profiles["lamp-captain"]
    assert (captain.points, captain.category) == (60, "bosses")
    assert army.characters >= {"bosses"}
    assert [one.name for one in army.categories if one.key == "gangers"] == ["Gangers"]
    assert army.profiles["owl-keepers-owl"].doubts


def test_frames_know_the_things_of_a_collection() -> None:
    frame = build_frame(SHELF.collection, SHELF.common)
    assert frame.items["halberd"].key == "halberd"
    assert frame.items["shield"].kind == "shield"
    assert frame.columns[0] == "M"


def test_limits_of_a_list_are_findings(army: Army) -> None:
    captain, lighter = RosterEntry("lamp-captain"), RosterEntry("lamplighters", count=5)
    assert findings(army) == []
    assert findings(army, captain, lighter) == []
    missing = findings(army, lighter)
    assert [(one.code, one.level) for one in missing] == [("list.minimum", "warning")]
    assert missing[0].message == "0 of Lamp Captain; the army list needs 1."
    many = findings(army, captain, lighter, RosterEntry("lamplighters"))
    assert many[0].message == "6 of Lamplighters; the army list allows 5."
    assert many[0].warriors == (1, 2)
    assert len(many[0].fixes) == 2


@pytest.mark.parametrize("limit, messages", [
    (ListLimit("a", "Gangers", maximum=2, category="gangers"), ["3 of Gangers"]),
    (ListLimit("a", "Models", minimum=5), ["4 of Models; the army list needs 5."]),
    (ListLimit("a", "Models", maximum=4), []),
    (
        ListLimit("a", "Blades", maximum=1, options=("oil-blade",)),
        ["3 of Blades; the army list allows 1."],
    ),
    (
        ListLimit("a", "Blades", maximum=0, options=("oil-blade",), per="each-unit"),
        ["Lamplighter: 1 of Blades; the army list allows 0."],
    ),
    (
        ListLimit(
            "a",
            "Gangers",
            maximum=1,
            category="gangers",
            per="each",
            per_number=1,
            per_of=("lamp-captain",),
        ),
        ["3 of Gangers; the army list allows 1 beside so many of lamp captain."],
    ),
])  # fmt: skip
def test_each_sort_of_limit(army: Army, limit: ListLimit, messages: list[str]) -> None:
    limited = replace(army, limits=(limit,))
    gang = (
        RosterEntry("lamp-captain"),
        RosterEntry("lamplighters", "", 3, False, ("oil-blade",)),
    )
    found = [one.message for one in findings(limited, *gang)]
    assert len(found) == len(messages)
    for message, beginning in zip(found, messages, strict=True):
        assert message.startswith(beginning)


def test_a_limit_with_exceptions_is_a_note(army: Army) -> None:
    limit = ListLimit("a", "Models", maximum=1, depends=True)
    found = findings(replace(army, limits=(limit,)), RosterEntry("lamplighters", count=2))
    assert found[0].level == "note"
    assert "Some lists of this source" in found[0].message


def test_a_price_may_hang_on_several_others(army: Army) -> None:
    captain = army.profiles["lamp-captain"]
    oil = next(one for one in captain.options if one.key == "spare-oil")
    both = replace(oil, terms=PriceTerms((PriceCase(9, ("oil-blade", "long-hook")),)))
    others = tuple(both if one is oil else one for one in captain.options)
    changed = replace(
        army, profiles={**army.profiles, captain.key: replace(captain, options=others)}
    )
    prices = [
        select(changed, RosterEntry("lamp-captain", options=options)).points
        for options in (("spare-oil", "oil-blade"), ("spare-oil", "oil-blade", "long-hook"))
    ]
    assert prices == [60 + 3 + 8, 60 + 9 + 8 + 6]
