"""A battle as text, Markdown, JSON and CSV: what stands in them, and that names in them stay names."""

import csv
import io
import json
import re

import pytest

from battles.exports import FORMULA, KINDS, safe_cell
from battles.models import Battle
from battles.operations.sides import QuickSide
from battles.queries.index import BattleRecord
from tests.battles.pages import browser_of, url
from tests.battles.steps import append_events, propose_result
from tests.factories import battle_owner, battle_record, make_battle, make_duel, make_event

pytestmark = pytest.mark.django_db

OUT = "out_of_action"


def fought(battle: Battle) -> BattleRecord:
    """Two fall, one of them told afterwards; a note on two lines; one step is taken back."""
    taken_back = make_event("state", seq=6, combatant="a5", to=OUT)
    events = [
        make_event("turn", seq=1, number=2, side="a"),
        make_event("state", seq=2, combatant="b2", to=OUT, by="a1"),
        make_event("note", seq=3, text="Rain.\nAnd *mud*."),
        make_event("state", seq=4, device="form", combatant="b3", to=OUT, by="a2"),
        taken_back,
        make_event("undo", seq=7, event=taken_back["id"]),
    ]
    append_events(battle_owner(battle), battle.token, events=events)
    propose_result(battle_owner(battle), battle.token, winner="a", how="conceded")
    return battle_record(battle)


@pytest.fixture
def record() -> BattleRecord:
    return fought(make_duel())


def export(record: BattleRecord, kind: str) -> str:
    return KINDS[kind][0](record)


def test_text_is_short_and_tells_who_fell(record: BattleRecord) -> None:
    lines = export(record, "txt").splitlines()
    assert lines[0] == "The Ferrymen against Night Watch"
    assert lines[2] == "The Ferrymen won, conceded (waiting for your opponent to confirm)."
    assert "Night Watch: 2 of 8 out, took out 0" in lines
    names = [record.combatant_name(key) for key in ("b2", "b3", "a1", "a2")]
    assert f"  {names[0]}: out of action, turn 2, by {names[2]}" in lines
    assert (
        f"  {names[1]}: out of action, by {names[3]}" in lines
    )  # the form does not say when
    assert f"  {names[2]}: standing, took out 1" in lines


def test_markdown_tells_everybody_and_each_turn(record: BattleRecord) -> None:
    text = export(record, "md")
    assert text.startswith("# The Ferrymen against Night Watch\n")
    assert text.count("\n| ") == 2 * (8 + 1)
    assert "### Turn 2, The Ferrymen\n" in text
    assert "### Entered after the battle\n" in text
    assert r"- Rain\. And \*mud\*\." in text
    assert record.combatant_name("a5") not in text[text.index("## Turn by turn") :]


def test_json_holds_every_event_and_says_which_count(record: BattleRecord) -> None:
    data = json.loads(export(record, "json"))
    assert (data["format"], data["id"], data["turn"]) == (
        "muster-roll-battle/1",
        record.token,
        2,
    )
    assert data["result"] == {"status": "proposed", "winner": "a", "how": "conceded"}
    assert [event["verdict"] for event in data["events"]] == [
        None, None, None, None, "undone", None,
    ]  # fmt: skip
    fallen = {one["id"]: one for one in data["sides"][1]["combatants"] if one["out"]}
    assert {key: (one["out_in"], one["by"]) for key, one in fallen.items()} == {
        "b2": (2, "a1"),
        "b3": (None, "a2"),
    }


def test_csv_has_a_line_for_each_combatant(record: BattleRecord) -> None:
    rows = list(csv.DictReader(io.StringIO(export(record, "csv"))))
    assert len(rows) == 16
    fallen = next(row for row in rows if row["out in"])
    assert (fallen["state"], fallen["out"], fallen["out in"]) == (
        "Out of action",
        "yes",
        "2",
    )
    assert sum(int(row["took out"]) for row in rows) == 2


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "\n=1", "  =1+1"]
)
def test_no_cell_begins_a_formula(text: str) -> None:
    assert safe_cell(text) == f"'{text}"
    assert safe_cell(f"a{text}") == f"a{text}"


NAMES = [
    "=HYPERLINK(1)", "-2+3", "@SUM(A1)", "| a | b |", "**bold** <b>x</b> [y](z)", "`~#!&_",
    "1. A", "- x",
]  # fmt: skip
MORE_NAMES = ["https://evil.example", "a@b.c"]


@pytest.mark.parametrize("names", [NAMES, MORE_NAMES])
def test_names_stay_names(names: list[str]) -> None:
    """Of the sides, through the page that hands the file out."""
    battle = make_battle(sides=[QuickSide(name, 2, 7) for name in names])
    texts = {
        kind: browser_of().get(url("battle-export", battle, kind)).content.decode()
        for kind in ("csv", "md", "json")
    }
    rows = list(csv.reader(io.StringIO(texts["csv"])))
    assert {len(row) for row in rows} == {8}
    assert not [cell for row in rows for cell in row if cell.startswith(FORMULA)]
    headings = [line for line in texts["md"].splitlines() if line.startswith("## ")]
    for heading, name in zip(headings, names, strict=False):
        assert re.sub(r"\\(.)", r"\1", heading) == f"## {name}"
        assert re.search(r"(?<!\\)[*_`\[\]<>|~&.:@-]", heading) is None
    assert [side["name"] for side in json.loads(texts["json"])["sides"]] == names


def test_files_have_names_and_kinds(record: BattleRecord) -> None:
    battle = Battle.objects.get(token=record.token)
    for kind, (media, way) in {
        "txt": ("text/plain", "inline"),
        "md": ("text/markdown", "inline"),
        "json": ("application/json", "attachment"),
        "csv": ("text/csv", "attachment"),
    }.items():
        answer = browser_of().get(url("battle-export", battle, kind))
        assert answer["Content-Type"] == f"{media}; charset=utf-8"
        assert (
            answer["Content-Disposition"]
            == f'{way}; filename="The-Ferrymen-against-Night-Watch.{kind}"'
        )
    assert browser_of().get(url("battle-read", battle) + "export.pdf").status_code == 404
