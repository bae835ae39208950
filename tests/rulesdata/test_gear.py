"""The tables of weapons and armour: a column for each figure that the system has."""

import pytest

from rulesdata.queries.tables import ItemTable, load_armour, load_weapons
from tests.systems import systems_with

BOOKS = [book.address for book in systems_with()]


def by_name(tables: list[ItemTable]) -> dict[str, ItemTable]:
    return {table.name: table for table in tables}


@pytest.mark.parametrize("address", BOOKS)
def test_every_line_has_a_figure_for_every_head(address: str) -> None:
    weapons = load_weapons(address)["tables"]
    armour = load_armour(address)["tables"]
    assert weapons
    assert armour
    for table in (*weapons, *armour):
        assert table.lines
        assert {len(line.figures) for line in table.lines} == {len(table.heads)}


@pytest.mark.parametrize("address", BOOKS)
def test_no_column_is_empty(address: str) -> None:
    for table in (*load_weapons(address)["tables"], *load_armour(address)["tables"]):
        for place, head in enumerate(table.heads):
            assert {line.figures[place] for line in table.lines} != {"–"}, (
                table.name,
                head,
            )


def test_weapons_without_strength_show_what_they_have() -> None:
    tables = by_name(load_weapons("d10-skirmish")["tables"])
    assert tables["Close combat"].heads == ("Range", "Attack")
    assert tables["Missiles"].heads == ("Range", "Shots")
    lines = {line.item.key: line for table in tables.values() for line in table.lines}
    assert (lines["sword"].figures, lines["sword"].notes) == (("–", "+2"), "")
    assert lines["laser-rifle"].figures == ("any", "2")
    assert lines["laser-rifle"].notes == "armour penetration 1"
    assert lines["sub-machine-gun"].notes == "or 2 shots up to 6″"


def test_weapons_with_strength_keep_their_columns() -> None:
    tables = by_name(load_weapons("warhammer-skirmish")["tables"])
    assert tables["Close combat"].heads == ("Strength", "Hands")
    assert tables["Missiles"].heads == ("Range", "Strength", "Hands")


def test_armour_without_a_save_says_what_it_gives() -> None:
    (table,) = load_armour("d10-skirmish")["tables"]
    assert (table.name, table.heads) == ("What is worn", ())
    assert {line.item.key: line.notes for line in table.lines} == {
        "flak-jacket": "defence +1",
        "carapace": "defence +2",
        "powered-armour": "armour values 1 front, 1 side, 1 rear",
    }


def test_armour_that_neither_saves_nor_betters_a_save_stands_apart() -> None:
    tables = by_name(load_armour("mordheim-rulings.B")["tables"])
    assert list(tables) == ["A save of its own", "Makes a save better", "Helps otherwise"]
    assert "buckler" in {line.item.key for line in tables["Helps otherwise"].lines}
