"""A game whose stat lines have other columns than any collection: its list keeps them."""

from datetime import date
from typing import Any

import pytest

from engine.roster import Roster, RosterEntry
from engine.types.lists import Army
from interchange.catalogues import choose_catalogue, close, read_catalogue_file
from interchange.files import OpenedFile
from interchange.translation import Translation, translate
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, build_frame, list_document
from rulesdata.catalogue_lists.versions import merged
from rulesdata.own_lists import build_army, read_own_list
from rulesdata.pack_files.yaml_files import Document
from tests.foreign.test_catalogue_lists import SHELF, own_list
from warbands.sheet.build import build_sheet

COLUMNS = ("Mettle", "Speed", "Nerve", "Grit", "Leadership", "Luck", "Melee")
KEYS = ("Met", "Spe", "Ner", "Grit", "Lea", "Luck", "Mel")
GAME = (
    '<gameSystem id="s" name="Fen Folk" battleScribeVersion="2.03"><costTypes><costType '
    'id="p" name="pts"/></costTypes><profileTypes><profileType id="pt" name="Model">'
    '<characteristicTypes>{columns}</characteristicTypes></profileType><profileType id="pw" '
    'name="Weapon"><characteristicTypes><characteristicType id="wr" name="Range"/>'
    '<characteristicType id="wd" name="Damage"/></characteristicTypes></profileType>'
    "</profileTypes></gameSystem>"
)
FOLK = (
    '<catalogue id="c" name="The Fen" battleScribeVersion="2.03" gameSystemId="s">'
    '<selectionEntries><selectionEntry id="u" name="Eel Catcher" type="model"><profiles>'
    '<profile id="p1" name="Pike" typeId="pw"><characteristics><characteristic name="Range" '
    'typeId="wr">2</characteristic><characteristic name="Damage" typeId="wd">1'
    '</characteristic></characteristics></profile><profile id="p2" name="Spear" typeId="pw">'
    '<characteristics><characteristic name="Range" typeId="wr">1</characteristic>'
    "</characteristics></profile>"
    '<profile id="p3" name="Eel Catcher" typeId="pt"><characteristics>{figures}'
    '</characteristics></profile></profiles><costs><cost name="pts" typeId="p" value="12"/>'
    "</costs></selectionEntry></selectionEntries></catalogue>"
)


def texts(columns: tuple[str, ...] = COLUMNS) -> dict[str, str]:
    """The files of the Fen, whose stat lines have these columns with 1, 2, 3 and so on in them."""
    types = "".join(f'<characteristicType id="{n}" name="{n}"/>' for n in columns)
    figures = "".join(
        f'<characteristic name="{name}" typeId="{name}">{number}</characteristic>'
        for number, name in enumerate(columns, start=1)
    )
    return {"a.gst": GAME.format(columns=types), "b.cat": FOLK.format(figures=figures)}


def translated(columns=COLUMNS, *, is_fixed=False) -> Translation:
    files = [
        read_catalogue_file(OpenedFile(name, "xml", one))
        for name, one in texts(columns).items()
    ]
    frame = build_frame(SHELF.collection, SHELF.common, is_fixed=is_fixed)
    return translate(close(choose_catalogue(files), files), frame)


def document_of(found: Translation) -> dict[str, Any]:
    return list_document(
        found, ListHead("The Fen", SHELF.collection, read_on=date(2026, 11, 25))
    )


def faults_of(document: dict[str, Any], army: str = "") -> list[str]:
    shelf = registry.find_printed_lists("whfb6", army)
    return [
        f"{one.key} {one.message}" for one in read_own_list(Document(document), shelf)[1]
    ]


@pytest.fixture(scope="module")
def army() -> Army:
    file, faults = read_own_list(Document(document_of(translated())), SHELF)
    assert faults == []
    assert file is not None
    return build_army(own_list(file), SHELF)


def test_columns_that_no_collection_has_are_kept() -> None:
    found = translated()
    assert found.columns == tuple(zip(KEYS, COLUMNS, strict=True))
    assert found.units[0].stats == {key: n for n, key in enumerate(KEYS, start=1)}
    frame = document_of(found)["frame"]
    assert (frame["leadership_stat"], "strength_stat" in frame) == ("Lea", False)


def test_columns_of_a_collection_stay_the_collections() -> None:
    found = translated(("Mv", "WS", "BS", "S", "T", "W", "I", "A", "LD"))
    assert found.columns == ()
    assert found.units[0].stats["Ld"] == 9
    assert "frame" not in document_of(found)


def test_a_list_over_an_army_has_the_armys_columns() -> None:
    found = translated(is_fixed=True)
    assert (found.columns, found.units[0].stats) == ((), {})
    over = {**document_of(translated()), "base": "the-empire"}
    assert any("a list over an army" in fault for fault in faults_of(over, "the-empire"))


@pytest.mark.parametrize("columns, keys", [
    (("Move", "Movement", "Mo"), ["Move", "Mov", "Mo"]),
    (("Kraft", "Kraftpunkte", "Kr"), ["Kra", "Kraf", "Kr"]),
    (("力", "ж", "4"), ["C", "A", "B"]),
    (("A", "A", "a"), ["A", "B", "C"]),
    (tuple(f"N{'x' * number}" for number in range(20)), None),
])  # fmt: skip
def test_each_column_has_a_key_of_its_own(columns, keys):
    found = [key for key, _ in translated(columns).columns]
    assert len(set(found)) == len(found) == min(12, len(columns))
    assert keys is None or found == keys


def test_the_list_is_shown_and_checked_with_its_columns(army: Army) -> None:
    assert [one.name for one in army.stats] == list(COLUMNS)
    assert (army.leadership_stat, army.strength_stat) == ("Lea", "")
    system = registry.load_system("warhammer-skirmish", None)
    roster = Roster("warhammer-skirmish", army.key, warriors=(RosterEntry("eel-catcher"),))
    sheet = build_sheet(roster, system.with_list_columns(army), army)
    assert [one.name for one in sheet.stats] == list(COLUMNS)
    [warrior] = sheet.warriors
    assert warrior.lines[0].cells == tuple(
        (key, str(n)) for n, key in enumerate(KEYS, start=1)
    )
    assert (
        system.with_list_columns(registry.printed_army(system.key, "the-empire")) is system
    )


def test_faulty_columns_are_named() -> None:
    document = document_of(translated())
    stats = document["frame"]["stats"]
    twice = {**document, "frame": {"stats": [*stats, stats[0]]}}
    assert any("Met" in fault for fault in faults_of(twice))
    unknown = {**document, "frame": {"stats": stats, "leadership_stat": "Xy"}}
    assert any("leadership_stat" in fault for fault in faults_of(unknown))
    other = {**document, "frame": {"stats": stats[:6]}}
    assert any("Mel" in fault for fault in faults_of(other))


def test_a_newer_catalogue_brings_its_columns() -> None:
    before = document_of(translated())
    after = document_of(translated((*COLUMNS[:6], "Wits")))
    assert merged(before, after)["frame"]["stats"][-1] == {"id": "Wits", "name": "Wits"}
