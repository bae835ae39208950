"""Charts and tables answer every roll, or say which one they miss."""

import pytest

from engine.types.mechanics import (
    Chart,
    RollTable,
    TableRow,
    chart_faults,
    dice_range,
    table_faults,
)


def chart(rows, columns=("1", "2")) -> Chart:
    return Chart("c", "A chart", "Row", "Column", columns, rows)


def table(*rows: tuple[int, int], die: str = "D6") -> RollTable:
    return RollTable(
        "t", "A table", die, tuple(TableRow(a, b, "down", f"{a} to {b}") for a, b in rows)
    )


@pytest.mark.parametrize("dice,expected", [
    ("D6", (1, 6)), ("2D6", (2, 12)), ("3D6", (3, 18)), ("D3", (1, 3)), ("D6+1", (2, 7)),
    ("2D3-1", (1, 5)),
])  # fmt: skip
def test_dice_range_knows_lowest_and_highest(dice, expected):
    assert dice_range(dice) == expected


@pytest.mark.parametrize("dice", ["", "D", "D20", "6", "0D6", "d6", "D6+", "D6\n"])
def test_dice_range_refuses_what_is_no_dice(dice):
    with pytest.raises(ValueError, match="is not dice"):
        dice_range(dice)


def test_whole_table_has_no_fault():
    assert table_faults(table((1, 2), (3, 4), (5, 6))) == ()


@pytest.mark.parametrize("rows,fault", [
    (((1, 2), (4, 6)), "no row for a roll of 3"),
    (((1, 3), (3, 6)), "two rows for a roll of 3: 1 to 3 and 3 to 6"),
    (((1, 6), (7, 7)), "7 to 7 lies outside D6 (1 to 6)"),
    (((2, 1), (1, 6)), "2 to 1 ends before it begins"),
])  # fmt: skip
def test_table_faults_names_gap_overlap_and_stray_row(rows, fault):
    assert fault in table_faults(table(*rows))


def test_whole_chart_has_no_fault():
    assert chart_faults(chart({"1": (4, 5), "2": (3, None)})) == ()


@pytest.mark.parametrize("faulty,fault", [
    (chart({"1": (4,), "2": (3, 4)}), "row 1 has 1 figures for 2 columns"),
    (chart({"1": (4, 5), "3": (3, 4)}), "row 1 is followed by 3"),
    (chart({"1": (4, 5)}, ("1", "3")), "column 1 is followed by 3"),
    (chart({"1": (4, 5)}, ("1", "1")), "the column 1 stands twice"),
    (chart({}), "the chart has no rows"),
])  # fmt: skip
def test_chart_faults_names_what_does_not_meet(faulty, fault):
    assert fault in chart_faults(faulty)


def test_chart_with_headings_in_words_has_no_order_to_break():
    assert (
        chart_faults(chart({"Light": (6, 5), "Heavy": (5, 4)}, ("On foot", "Mounted")))
        == ()
    )
