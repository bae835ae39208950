"""Catalogues of a few lines, each with one thing that files of other games have."""

import json

import pytest

from engine.findings.checks import check
from engine.records import Fields
from engine.roster import Roster, RosterEntry
from interchange.files import open_archives
from interchange.translation import ReadFiles, ReadingWishes, read_files
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, build_frame, list_document
from rulesdata.catalogue_lists.versions import laid_over, merged
from rulesdata.own_lists import build_army, read_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.schema.list_terms import EQUIPMENT_OPTIONS_MAX
from rulesdata.schema.lists import AliasesFile
from tests.factories import SYSTEM
from tests.foreign.test_catalogue_lists import SHELF, own_list
from tests.foreign.test_opening import zipped

COLUMNS = ("Mv", "Hit", "Grit")


def game(columns: tuple[str, ...] = COLUMNS, dialect: str = "2.03") -> bytes:
    """The game of the ferrymen: one price, one sort of profile, one force."""
    heads = "".join(
        f'<characteristicType id="h-{head}" name="{head}"/>' for head in columns
    )
    return (
        f'<gameSystem id="g-ferry" name="Ferrymen" battleScribeVersion="{dialect}">'
        '<costTypes><costType id="pts" name="pts"/></costTypes>'
        '<profileTypes><profileType id="p-crew" name="Crew"><characteristicTypes>'
        f"{heads}</characteristicTypes></profileType></profileTypes>"
        '<forceEntries><forceEntry id="f-1" name="Crew"/></forceEntries></gameSystem>'
    ).encode()


def catalogue(entries: str, shared: str = "", dialect: str = "2.03") -> bytes:
    return (
        f'<catalogue id="c-ferry" name="Ferrymen" battleScribeVersion="{dialect}" '
        f'gameSystemId="g-ferry"><selectionEntries>{entries}</selectionEntries>'
        f"<sharedSelectionEntries>{shared}</sharedSelectionEntries></catalogue>"
    ).encode()


def entry(id_, inner="", *, type_="model", pts=0, name="") -> str:
    name = name or id_.replace("-", " ").capitalize()
    return (
        f'<selectionEntry id="{id_}" name="{name}" type="{type_}"><costs>'
        f'<cost name="pts" typeId="pts" value="{pts}"/></costs>{inner}</selectionEntry>'
    )


def option(id_: str, inner: str = "", pts: int = 0, name: str = "") -> str:
    return entry(id_, inner, type_="upgrade", pts=pts, name=name)


def within(*entries: str) -> str:
    return f"<selectionEntries>{''.join(entries)}</selectionEntries>"


def links(*pairs: tuple[str, str], name: str = "New EntryLink") -> str:
    inner = "".join(
        f'<entryLink id="{id_}" name="{name}" targetId="{target}" type="selectionEntry"/>'
        for id_, target in pairs
    )
    return f"<entryLinks>{inner}</entryLinks>"


def limits(*kinds: tuple[str, int], scope: str = "parent") -> str:
    inner = "".join(
        f'<constraint id="k-{kind}-{value}" type="{kind}" value="{value}" scope="{scope}" '
        'field="selections"/>'
        for kind, value in kinds
    )
    return f"<constraints>{inner}</constraints>"


def line(*figures: str, columns: tuple[str, ...] = COLUMNS) -> str:
    cells = "".join(
        f'<characteristic name="{head}" typeId="h-{head}">{figure}</characteristic>'
        for head, figure in zip(columns, figures, strict=True)
    )
    return (
        '<profiles><profile id="p" name="Line" typeId="p-crew" typeName="Crew">'
        f"<characteristics>{cells}</characteristics></profile></profiles>"
    )


def read(entries: str, shared: str = "", system: bytes | None = None) -> ReadFiles:
    files = [("ferry.gst", system or game()), ("ferry.cat", catalogue(entries, shared))]
    return read_files(files, ReadingWishes(), build_frame(SHELF.collection, SHELF.common))


def document_of(answer: ReadFiles) -> Fields:
    """The file of the list, which holds nothing that a list may not have."""
    assert answer.refusal is None
    assert answer.translation is not None
    document = list_document(answer.translation, ListHead("Ferrymen", SHELF.collection))
    file, faults = read_own_list(Document(json.loads(json.dumps(document))), SHELF)
    assert file is not None
    assert faults == []
    return document


def units_of(entries: str, shared: str = "") -> list[tuple[str, int]]:
    units = document_of(read(entries, shared))["units"]
    return [(unit["name"], unit["points"]) for unit in units]


def doubts_of(entries: str) -> list[str]:
    answer = read(entries)
    assert answer.translation is not None
    doubts = answer.translation.report.doubts
    return [doubt.sentence for doubt in doubts if doubt.what != "Stat line"]


# Names, dialects and stat lines


@pytest.mark.parametrize(
    "name, result", [("New EntryLink", "Boat hook"), ("", "Boat hook"), ("Hook", "Hook")]
)
def test_a_link_without_a_name_of_its_own_has_its_targets(name: str, result: str) -> None:
    ferryman = entry("ferryman", links(("l-1", "o-hook"), name=name), pts=8)
    unit = document_of(read(ferryman, option("o-hook", pts=3, name="Boat hook")))["units"]
    assert [(o["name"], o["points"]) for o in unit[0]["options"]] == [(result, 3)]


@pytest.mark.parametrize("dialect", ["2.00", "2.01"])
def test_the_older_dialects_name_their_attributes_otherwise(dialect: str) -> None:
    def older(data: bytes) -> bytes:
        text = data.decode().replace('"2.03"', f'"{dialect}"')
        text = text.replace(' typeId="pts"', ' costTypeId="pts"')
        text = text.replace(
            'typeId="p-crew" typeName', 'profileTypeId="p-crew" profileTypeName'
        )
        for figure in ("4", "3+", "2"):
            text = text.replace(f">{figure}</characteristic>", f' value="{figure}"/>')
        return text.replace(' typeId="h-', ' characteristicTypeId="h-').encode()

    new = catalogue(entry("ferryman", line("4", "3+", "2"), pts=8))
    old = older(new)
    assert b" typeId" not in old
    documents = []
    for data, system in ((new, game()), (old, older(game()))):
        sent = [("ferry.gst", system), ("ferry.cat", data)]
        frame = build_frame(SHELF.collection, SHELF.common)
        documents.append(document_of(read_files(sent, ReadingWishes(), frame)))
    for document in documents:
        profile = {"name": "Ferryman", "role": "model", "Mv": 4, "Hit": "3+", "Grit": 2}
        assert document["units"][0]["profiles"] == [profile]
        assert document["units"][0]["points"] == 8


def test_a_stat_line_may_have_a_column_range() -> None:
    columns = (*COLUMNS, "Range")
    ferryman = entry("ferryman", line("4", "3+", "2", "18", columns=columns), pts=8)
    document = document_of(read(ferryman, system=game(columns)))
    assert [stat["name"] for stat in document["frame"]["stats"]] == list(columns)
    assert document["units"][0]["profiles"][0]["Ran"] == 18
    assert "weapons" not in document


def test_a_type_of_profile_that_options_have_is_no_stat_line() -> None:
    columns = ("Mv", "Hit", "Range")
    figures = line("4", "3+", "2", columns=columns)
    tools = [option(name, figures, pts=3) for name in ("hook", "gaff")]
    ferryman = entry("ferryman", figures + within(*tools), pts=8)
    assert "frame" not in document_of(read(ferryman, system=game(columns)))
    assert "frame" in document_of(read(ferryman))


def test_columns_that_nobody_shows_are_in_the_report() -> None:
    columns = (*SHELF_COLUMNS, "Oars")
    cells = ("4", "3", "3", "3", "3", "1", "3", "1", "7", "12")
    answer = read(
        entry("ferryman", line(*cells, columns=columns), pts=8), system=game(columns)
    )
    assert answer.translation is not None
    assert answer.translation.report.dropped["Columns of stat lines: Oars"] == 1
    # A dash is no figure.
    cells = (*cells[:-1], "-")
    answer = read(
        entry("ferryman", line(*cells, columns=columns), pts=8), system=game(columns)
    )
    assert answer.translation is not None
    assert not answer.translation.report.dropped


SHELF_COLUMNS = ("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld")


def test_an_option_twice_under_one_name_is_told_apart_by_its_group() -> None:
    def group(name: str, inner: str) -> str:
        return f'<selectionEntryGroup id="g-{name}" name="{name}">{inner}</selectionEntryGroup>'

    hands = group("Left", within(option("o-1", pts=3, name="Hook")))
    hands += group("Right", within(option("o-2", pts=5, name="Hook")))
    unit = document_of(
        read(entry("ferryman", f"<selectionEntryGroups>{hands}</selectionEntryGroups>"))
    )["units"][0]
    names = [(o["name"], o["points"]) for o in unit["options"]]
    assert names == [("Hook", 3), ("Hook (Right)", 5)]


def test_notes_of_a_mac_are_no_files_of_an_archive() -> None:
    notes = b"\x00\x05\x16\x07\x00"
    data = zipped(
        ("ferry.gst", game()),
        ("ferry.cat", catalogue(entry("ferryman"))),
        ("__MACOSX/._ferry.cat", notes),
        ("._ferry.gst", notes),
        (".DS_Store", notes),
    )
    opened = open_archives([("ferry.zip", data)])
    assert [file.name for file in opened] == ["ferry.gst", "ferry.cat"]


# Limits


RATIO = (
    '<modifiers><modifier type="increment" field="k-max-0" value="{value}">'
    '<repeats><repeat field="selections" scope="roster" value="{every}" childId="{child}" '
    'repeats="1" roundUp="false"/></repeats></modifier></modifiers>'
)


def crew(value: int = 1, every: int = 1, child: str = "pilot") -> str:
    """A pilot, and swans of which a list may have so many for every so many pilots."""
    ratio = RATIO.format(value=value, every=every, child=child)
    return entry("pilot", pts=35) + entry(
        "swan", ratio + limits(("max", 0), scope="roster"), pts=20
    )


def findings(document: Fields, *profiles: str) -> list[tuple[str, str]]:
    """The warnings and notes of a roster that has one of each."""
    file, _ = read_own_list(Document(json.loads(json.dumps(document))), SHELF)
    assert file is not None
    army = build_army(own_list(file), SHELF)
    entries = tuple(RosterEntry(key) for key in profiles)
    roster = Roster(SYSTEM, army.key, "Crew", None, warriors=entries)
    result = check(roster, registry.load_system(SYSTEM), army)
    return [(found.level, found.code) for found in result if found.code[:4] == "list"]


def test_a_limit_that_counts_another_unit_is_one_for_each_of_them() -> None:
    document = document_of(read(crew()))
    assert document["limits"] == [
        {
            "id": "swan",
            "name": "Swan",
            "of": {"units": ["swan"]},
            "max": 1,
            "per": "each:1-of:pilot",
        }
    ]
    assert findings(document, "pilot", "swan") == []
    assert findings(document, "swan") == [("warning", "list.ratio")]
    assert findings(document, "pilot", "swan", "swan") == [("warning", "list.ratio")]


def test_such_a_limit_follows_the_keys_of_its_units() -> None:
    document = document_of(read(crew(3, 2)))
    renamed = {**document, "units": [dict(unit) for unit in document["units"]]}
    renamed["units"][0]["id"] = "steersman"
    assert merged(renamed, document)["limits"][0]["per"] == "each:2-of:steersman"
    printed = registry.find_printed_lists("whfb6", "the-empire").army
    assert printed is not None
    unit = printed.units[0]
    aliases = AliasesFile(army="the-empire", names={"Pilot": unit.id})
    over = laid_over(document, printed.units, aliases)
    assert over["limits"][0]["per"] == f"each:2-of:{unit.id}"


@pytest.mark.parametrize("value, every, child, limit", [
    (200, 99, "pilot", {"max": 200, "per": "each:99-of:pilot"}),
    (201, 1, "pilot", {"max": 0, "depends": True}),
    (1, 100, "pilot", {"max": 0, "depends": True}),
    (1, 1, "nobody", {"max": 0, "depends": True}),
])  # fmt: skip
def test_what_a_list_has_no_limit_for_is_a_note(value, every, child, limit):
    [found] = document_of(read(crew(value, every, child)))["limits"]
    assert {key: found[key] for key in ("max", "per", "depends") if key in found} == limit


def test_an_options_maximum_in_the_roster_is_a_limit_of_the_list() -> None:
    horn = option("horn", limits(("max", 1), scope="roster"), pts=5)
    pair = entry("pilot", links(("l-1", "horn"))) + entry("mate", links(("l-2", "horn")))
    document = document_of(read(pair, horn))
    [limit] = document["limits"]
    assert limit == {
        "id": "horn",
        "name": "Horn",
        "max": 1,
        "of": {"units": ["pilot", "mate"], "options": ["horn"]},
        "per": "list",
    }


def test_an_equipment_list_holds_400_options() -> None:
    def list_of(number: int) -> Fields:
        options = [
            {"id": f"o-{n}", "name": f"O {n}", "points": 1, "kind": "other"}
            for n in range(number)
        ]
        document = document_of(read(entry("ferryman")))
        return {**document, "equipment": [{"id": "e", "name": "E", "options": options}]}

    assert EQUIPMENT_OPTIONS_MAX == 400
    for number, is_taken in ((400, True), (401, False)):
        _, faults = read_own_list(Document(list_of(number)), SHELF)
        assert (faults == []) is is_taken


# Miniatures of type upgrade


def sized(least, most, pts=0, name="Oarsman", more="") -> str:
    return option(f"o-{name}", limits(("min", least), ("max", most)) + more, pts, name=name)


def squad(inner: str, pts: int = 0, name: str = "Oarsmen") -> str:
    return entry("u-squad", within(inner), type_="unit", pts=pts, name=name)


@pytest.mark.parametrize("unit, points", [
    # Each has a price, the smallest unit has one, or both have.
    (squad(sized(10, 20, pts=5)), 5),
    (squad(sized(10, 10, pts=5), pts=20), 7),
    (squad(sized(5, 5), pts=50), 10),
    # What has neither its name nor a line may be a thing.
    (squad(sized(5, 5, name="Oar"), pts=50), 50),
])  # fmt: skip
def test_a_price_for_each_is_worked_out_of_the_smallest_unit(unit, points):
    assert units_of(unit) == [("Oarsmen", points)]


def test_a_price_that_does_not_divide_is_marked() -> None:
    assert doubts_of(squad(sized(10, 20, pts=5))) == []
    [doubt] = doubts_of(squad(sized(6, 6), pts=50))
    assert doubt == (
        "Price: it does not divide by the 6 models of the smallest unit. The catalogue says 50."
    )
    assert units_of(squad(sized(6, 6), pts=50)) == [("Oarsmen", 8)]


def test_further_models_at_another_price_are_marked() -> None:
    [doubt] = doubts_of(squad(sized(10, 20), pts=50))
    assert doubt == "Price: a further model costs another price. The catalogue says 0."


def test_a_unit_without_models_is_one_and_a_pair_of_things_is_none() -> None:
    pistols = squad(sized(2, 2, pts=3, name="Pistol"), pts=40, name="Captain")
    assert units_of(pistols) == [("Captain", 46)]


def test_an_upgrade_at_the_root_that_holds_a_unit_is_a_unit() -> None:
    inner = entry("u-raft", type_="unit", pts=30)
    assert units_of(option("o-raft", within(inner), name="Raft")) == [("Raft", 30)]
    empty = entry("u-raft", type_="unit")
    answer = read(option("o-raft", within(empty), name="Raft") + entry("ferryman"))
    assert answer.translation is not None
    assert [unit.name for unit in answer.translation.units] == ["Ferryman"]
    assert answer.translation.report.dropped["Settings of the list"] == 1


# A newer file


def options_after(before, after, shared) -> list[tuple[str, int]]:
    """The keys and prices of the options of a list once a newer file was taken."""
    old, new = document_of(read(before, shared(3))), document_of(read(after, shared(4)))
    unit = merged(old, new)["units"][0]
    return [(o["id"], o["points"]) for o in unit["options"]]


def test_an_option_of_another_price_and_link_is_the_same_option() -> None:
    def hook(pts: int) -> str:
        return option("o-hook", pts=pts, name="Hook" if pts == 3 else "Long hook")

    before, after = (entry("pilot", links((link, "o-hook"))) for link in ("l-1", "l-9"))
    assert options_after(before, after, hook) == [("hook", 4)]


def test_an_option_whose_second_link_has_another_price_now_stays() -> None:
    twice = entry("pilot", links(("l-1", "o-hook"), ("l-2", "o-hook")))
    costs = '<costs><cost name="pts" typeId="pts" value="9"/></costs>'
    dearer = twice.replace(
        'id="l-1" name="New EntryLink" targetId="o-hook" type="selectionEntry"/>',
        f'id="l-1" name="New EntryLink" targetId="o-hook" type="selectionEntry">{costs}</entryLink>',
    )
    assert costs in dearer
    result = options_after(
        twice, dearer, lambda pts: option("o-hook", pts=pts, name="Hook")
    )
    assert result == [("hook", 9), ("hook-2", 4)]
