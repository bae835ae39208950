"""coverage.yaml and what is drawn from it: no rule without a row, no row without its proof."""

import pytest

from rulesdata.checks import check_folder
from rulesdata.management.commands import rules_coverage
from rulesdata.management.commands.rules_coverage import (
    STATES,
    covered_texts,
    document,
    faults,
)

SKIRMISH = "systems/warhammer-skirmish"
FILE = f"{SKIRMISH}/coverage.yaml"
TEXTS = {text.system: text for text in covered_texts()}
# Of a system's own rows this much is worked out or recorded; it may only rise.
SHARES = {
    "d10-skirmish": 83,
    "english-civil-war": 62,
    "mordheim-draft": 66,
    "mordheim-rulings.A": 60,
    "mordheim-rulings.B": 76,
    "mordheim-rulings.C": 63,
    "warhammer-skirmish": 57,
}


def test_system_does_without_a_coverage_file(packs):
    packs.path(FILE).unlink()
    assert check_folder(packs.path(SKIRMISH)) == []


def test_all_seven_texts_are_covered_and_what_they_name_exists():
    assert set(TEXTS) == set(SHARES)
    assert sum(len(text.file.rows) for text in TEXTS.values()) > 800
    assert faults() == []


@pytest.mark.parametrize("system", SHARES)
def test_share_of_rules_worked_out_or_recorded_does_not_fall(system):
    assert TEXTS[system].share >= SHARES[system]


def test_document_holds_every_row():
    lines = document().splitlines()
    rows = [row for text in TEXTS.values() for row in text.file.rows]
    printed = [line for line in lines if line[:3] == "| r" and line[3].isdigit()]
    assert len(printed) == len(rows)
    for line, row in zip(printed, rows, strict=True):
        assert f" {row.rule} | {STATES[row.state]} |" in line


@pytest.mark.parametrize("where,expected", [
    ("engine/dice.py", True),
    ("engine/dice.py:at_least", True),
    ("engine/dice.py:Dice.roll", True),
    ("engine/dice.py:at_last", False),
    ("engine/dices.py", False), ("page:odds-read", True), ("page:odds-red", False),
    ("rulings.yaml:C59", True),
])  # fmt: skip
def test_code_and_pages_that_a_row_names_must_exist(project_root, where, expected):
    assert rules_coverage.exists(where, project_root) is expected


def test_row_of_code_that_is_gone_fails_the_check(tmp_path):
    found = faults(tmp_path)
    assert "warhammer-skirmish: where: there is no engine/combat/hits.py:Hit" in found
