"""Every chart and table of every rule book: no gap anywhere, and each figure as its text prints it,
cell by cell.

Typed from the texts themselves. A book that borrows a chart must have the lender's figures (rulings
G01 to G04).
"""

import pytest

from engine.types.mechanics import chart_faults, table_faults
from rulesdata import registry
from tests.systems import systems_with

BOOKS = {book.full_name: book for book in systems_with("charts")}
SKIRMISH, REGIMENTS, D10 = "Warhammer Skirmish", "English Civil War", "d10 Skirmish"
DRAFT, A, B, C = (
    "Mordheim (White Dwarf draft)",
    *(f"Mordheim rulings, version {key}" for key in "ABC"),
)
WARRIORS = (SKIRMISH, DRAFT, A, B, C)
each_book = pytest.mark.parametrize("name", BOOKS)

# TO HIT CHART under HAND-TO-HAND COMBAT (English Civil War), "aws\\dws" (version A): the attacker's
# row.
MELEE = """
4 4 5 5 5 5 5 5 5 5
3 4 4 4 5 5 5 5 5 5
3 3 4 4 4 4 5 5 5 5
3 3 3 4 4 4 4 4 5 5
3 3 3 3 4 4 4 4 4 4
3 3 3 3 3 4 4 4 4 4
3 3 3 3 3 3 4 4 4 4
3 3 3 3 3 3 3 4 4 4
3 3 3 3 3 3 3 3 4 4
3 3 3 3 3 3 3 3 3 4
"""
# TO WOUND CHART (English Civil War), "ws\\tt" and "as\\dt" (version A): the Strength's row; a dash
# cannot wound.
WOUND = """
4 5 6 6 - - - - - -
3 4 5 6 6 - - - - -
2 3 4 5 6 6 - - - -
2 2 3 4 5 6 6 - - -
2 2 2 3 4 5 6 6 - -
2 2 2 2 3 4 5 6 6 -
2 2 2 2 2 3 4 5 6 6
2 2 2 2 2 2 3 4 5 6
2 2 2 2 2 2 2 3 4 5
2 2 2 2 2 2 2 2 3 4
"""
SHOOTING = {1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1, 7: 0, 8: -1, 9: -2, 10: -3}
FROM_STRENGTH_4 = {4: -1, 5: -2, 6: -3, 7: -4, 8: -5, 9: -6, 10: -7}
FROM_STRENGTH_1 = {1: 0, 2: 0, 3: 0, **FROM_STRENGTH_4}
AGAINST_ARMOUR = {
    REGIMENTS: FROM_STRENGTH_4,
    A: {**FROM_STRENGTH_1, 10: -6},
    **dict.fromkeys((SKIRMISH, DRAFT, B, C), FROM_STRENGTH_1),
}
ON_FOOT_AND_MOUNTED = {
    "None": (None, 6), "Light armour": (6, 5), "Heavy armour": (5, 4), "Plate and the like": (4, 3),
}  # fmt: skip
SAVES = {
    **dict.fromkeys((SKIRMISH, DRAFT, C), ON_FOOT_AND_MOUNTED),
    REGIMENTS: {
        "None": (None, 6),
        "Light armour": (6, 5),
        "Heavy armour": (5, 4),
        "Cuirassier armour": (4, 3),
    },
    A: {"Light armour": (6,), "Heavy armour": (5,), "Gromril armour": (4,)},
    B: {"Light armour": (6,), "Heavy armour": (5,), "Dwarf armour": (4,), "Shield": (6,)},
}
BORROWED_SHOTS = {
    "Over half range": -1, "The shooter moved": -1, "Soft cover, a hedge or wood": -1,
    "Hard cover, a wall or building": -2, "A charging target": -1, "A small target": -1, "A large target": 1,
}  # fmt: skip
SHOTS = {
    SKIRMISH: {**BORROWED_SHOTS, "A single target": -1},
    DRAFT: BORROWED_SHOTS, B: BORROWED_SHOTS, C: BORROWED_SHOTS,
    A: {
        "Only part of the target in sight": -1, "Over half range": -1, "The shooter moved": -1,
        'A target larger or wider than 2"': 1,
    },
    REGIMENTS: {
        "A charging enemy": -1, "Over half range": -1, "The unit moved": -1, "A single character": -1,
        "Soft cover, a hedge or wood": -1, "Hard cover, a wall or building": -2, "Skirmishers": -1,
        "A small target": -1, "A large target": 1, "The unit's first fire": 1,
    },
}  # fmt: skip
OTHERS = {
    (REGIMENTS, "combat-bonuses"): [1, 1, 1, 1, 1, 2, 1],
    (D10, "bonus-dice"): [1, 2, 4, 7, 12, 20],
    (D10, "movement-points"): [1, 3, 5],
}
INJURY = [(1, 2, "knocked_down"), (3, 4, "stunned"), (5, 6, "out_of_action")]
TABLES = {
    **{(name, "injury"): INJURY for name in WARRIORS},
    **{
        (name, "critical"): [
            (1, 2, "weak-spot"),
            (3, 4, "double-hit"),
            (5, 6, "master-strike"),
        ]
        for name in (DRAFT, B, C)
    },
    (A, "critical"): [
        (1, 2, "saved-first"),
        (3, 4, "no-save"),
        (5, 6, "no-save-and-injury"),
    ],
    **{
        (name, "stupidity"): [(1, 3, "lurches-forward"), (4, 6, "does-nothing")]
        for name in (DRAFT, A, C)
    },
    (B, "injury-by-blunt-weapons"): [
        (1, 1, "knocked_down"),
        (2, 4, "stunned"),
        (5, 6, "out_of_action"),
    ],
    (D10, "casualty"): [(1, 5, "removed"), (6, 10, "ready")],
    (D10, "big-casualty"): [(1, 2, "removed"), (3, 3, "immobilised"), (4, 4, "removed")],
}
KNOWN = {
    "to-hit-melee", "to-wound", "to-hit-shooting", "save-modifiers", "saving-throws",
    "shooting-modifiers",
}  # fmt: skip


def square(text):
    return [
        [None if cell == "-" else int(cell) for cell in line.split()]
        for line in text.strip().splitlines()
    ]


def first_cells(chart):
    return {row: cells[0] for row, cells in chart.rows.items()}


@each_book
def test_no_chart_or_table_has_a_gap(name):
    book = BOOKS[name]
    assert book.charts
    assert not [fault for chart in book.charts.values() for fault in chart_faults(chart)]
    assert book.tables or name == REGIMENTS
    assert not [fault for table in book.tables.values() for fault in table_faults(table)]


@each_book
def test_every_chart_and_table_is_looked_at_here(name):
    book = BOOKS[name]
    assert set(book.charts) == {key for key in KNOWN if name != D10} | {
        key for of, key in OTHERS if of == name
    }
    assert set(book.tables) == {key for of, key in TABLES if of == name}


@pytest.mark.parametrize("name", [name for name in BOOKS if name != D10])
def test_blows_and_shots_cell_by_cell(name):
    charts, ten = BOOKS[name].charts, range(1, 11)
    for key, printed in (("to-hit-melee", MELEE), ("to-wound", WOUND)):
        assert [[charts[key].at(row, column) for column in ten] for row in ten] == square(
            printed
        )
        assert len(charts[key].rows) == len(charts[key].columns) == 10
    assert {
        skill: charts["to-hit-shooting"].at(skill, "Needs") for skill in ten
    } == SHOOTING
    assert first_cells(charts["shooting-modifiers"]) == SHOTS[name]


@pytest.mark.parametrize("name", [name for name in BOOKS if name != D10])
def test_saves_cell_by_cell(name):
    charts = BOOKS[name].charts
    assert dict(charts["saving-throws"].rows) == SAVES[name]
    assert first_cells(charts["save-modifiers"]) == {
        str(s): figure for s, figure in AGAINST_ARMOUR[name].items()
    }


@pytest.mark.parametrize("name,key", OTHERS)
def test_other_charts_row_by_row(name, key):
    assert list(first_cells(BOOKS[name].charts[key]).values()) == OTHERS[name, key]


@pytest.mark.parametrize("name,key", TABLES)
def test_tables_row_by_row(name, key):
    rows = BOOKS[name].tables[key].rows
    assert [(row.first, row.last, row.result) for row in rows] == TABLES[name, key]


@pytest.mark.parametrize("name", WARRIORS)
def test_a_borrowed_chart_names_its_text_and_its_ruling(name):
    book = BOOKS[name]
    borrowed = {key: chart for key, chart in book.charts.items() if chart.borrowed_from}
    assert bool(borrowed) is (name != A)
    refs = {ruling.ref for ruling in book.rulings}
    assert all(REGIMENTS in chart.borrowed_from for chart in borrowed.values())
    assert {chart.ruling for chart in borrowed.values()} <= refs


def test_dice_are_read_with_the_tables_people_read():
    for name in WARRIORS:
        book = BOOKS[name]
        rules = registry.combat_rules(book.key, book.variant)
        states = ("", "knocked_down", "stunned", "out_of_action")
        for key, engine in (
            ("injury", "standard"),
            ("injury-by-blunt-weapons", "stun_2_4"),
        ):
            if key in book.tables:
                spread = [
                    row.result
                    for row in book.tables[key].rows
                    for _ in range(row.first, row.last + 1)
                ]
                assert [
                    states[injury] for injury in rules.injuries.tables[engine]
                ] == spread
