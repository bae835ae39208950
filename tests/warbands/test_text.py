"""A warband as words to paste."""

import re

import pytest

from tests.factories import as_words, make_entry, make_roster
from warbands.exchange.text import as_compact, as_markdown, as_text, escape_markdown
from warbands.queries.warbands import sheet_of_roster

ROSTER = make_roster(
    name="The Ferrymen",
    points_limit=150,
    house_rules={"swarms_no_injury_roll": True},
    note="Meet at eight",
    warriors=[
        make_entry(
            profile="captain",
            options=["halberd", "light-armour"],
            is_leader=True,
            name="Otto",
        ),
        make_entry(count=4),
    ],
)


def test_text_says_who_with_what_for_how_much() -> None:
    text = as_words(as_text, sheet_of_roster(ROSTER))
    assert "The Ferrymen\nThe Empire · Warhammer Skirmish · 80 / 150 pts · 5 models" in text
    assert "Captain “Otto” (leader) - 56 pts\n    with Halberd, Light Armour\n" in text
    assert "4x Halberdier - 24 pts" in text
    assert "Rout test from 2 out of action, Leadership 8" in text
    assert "House rules: Swarms wear away" in text
    assert text.endswith("Meet at eight\n")


def test_compact_is_one_line() -> None:
    text = as_words(as_compact, sheet_of_roster(ROSTER))
    assert text == (
        "The Ferrymen (The Empire, 80/150): Captain “Otto”* [halberd, light armour] 56, 4x Halberdier 24\n"
    )


def test_markdown_is_a_table() -> None:
    lines = as_words(as_markdown, sheet_of_roster(ROSTER)).splitlines()
    assert lines[0] == "# The Ferrymen"
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 4
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {14}


HOSTILE = [
    "# x", "| x |", "[x](javascript:y)", "![x](y)", "<script>", "**x**", "`x`", "1. x",
    "- x", "a\nb", "http://x.y", "&lt;", "@all", "~~x~~",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_of_peoples_text_is_no_markup(text: str) -> None:
    escaped = escape_markdown(text)
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)[<>\[\]()|`*_#!~&@:]", escaped)
    sheet = sheet_of_roster(
        make_roster(name=text, note=text, warriors=[make_entry(name=text)])
    )
    assert escaped in as_words(as_markdown, sheet)


def test_empty_warband_has_all_three() -> None:
    sheet = sheet_of_roster(make_roster())
    assert as_words(as_compact, sheet) == "Unnamed warband (The Empire, 0): nobody yet\n"
    assert "0 models" in as_words(as_text, sheet)
    assert "**Total 0 pts**" in as_words(as_markdown, sheet)
