"""Whatever somebody sends is read or refused with a sentence; nothing else happens."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.owner import NOBODY
from engine.errors import Refusal
from tests.conftest import Soak
from tests.factories import EMPIRE, SYSTEM
from tests.foreign.lantern_gangs import made
from warbands.exchange.content import read_file
from warbands.exchange.document import parse_stored, to_document
from warbands.exchange.foreign.reader import read_text, tree_of_content
from warbands.queries.foreign_lists import ListWishes, load_list_preview

KEYS = (
    "roster", "format", "army", "forces", "selections", "costs", "categories", "name", "number",
    "value", "type", "entryId", "characters", "core", "options", "items", "selected", "mounts",
    "command", "active", "strength", "points", "id", "amount", "magic", "detachments",
)  # fmt: skip
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=25,
)
FILES = ("gang.ros", "gang.newrecruit.json", "gang.owb.json")


def bring(data: bytes) -> None:
    """Read, preview and write a list; a refusal says why and names the file."""
    refused: Refusal | None = None
    document = {}
    try:
        tree = tree_of_content(read_file("list", data))
        found = load_list_preview(NOBODY, tree, ListWishes(SYSTEM, EMPIRE))
        assert found.preview is not None
        document = to_document(found.preview.roster)
    except Refusal as refusal:
        refused = refusal
    if refused:
        told = (refused.field, refused.message[-1], len(refused.message) < 1000)
        assert told == ("file", ".", True)
    else:
        assert parse_stored(json.loads(json.dumps(document))).army == EMPIRE


@pytest.fixture
def by_chance(soak: Soak) -> settings:
    return settings(max_examples=soak(15, 300), deadline=None)


def test_any_json_is_read_or_refused(by_chance: settings) -> None:
    @by_chance
    @given(VALUES)
    def check(value: Any) -> None:
        bring(json.dumps(value).encode("utf-8", "replace"))

    check()


def test_any_json_in_the_place_of_a_list_is_read_or_refused(by_chance: settings) -> None:
    @by_chance
    @given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8))
    def check(value: Any) -> None:
        bring(json.dumps({"roster": {"forces": [value]}}).encode("utf-8", "replace"))
        bring(json.dumps({"army": "x", "core": [value]}).encode("utf-8", "replace"))

    check()


def test_damaged_files_are_read_or_refused(by_chance: settings) -> None:
    @by_chance
    @given(st.sampled_from(FILES), st.data())
    def check(name: str, data: st.DataObject) -> None:
        whole = bytearray(made(name))
        place = data.draw(st.integers(0, len(whole) - 1))
        bring(bytes(whole[:place]) or b"x")
        whole[place : place + data.draw(st.integers(0, 9))] = data.draw(
            st.binary(max_size=9)
        )
        bring(bytes(whole) or b"x")

    check()


def test_any_text_is_read_or_refused(by_chance: settings) -> None:
    @by_chance
    @given(st.text(max_size=400))
    def check(text: str) -> None:
        bring(text.encode("utf-8", "surrogatepass"))
        with suppress(Refusal):
            read_text(text)

    check()


@pytest.mark.parametrize("times_too_much", [
    json.dumps({"roster": {"forces": [{"selections": [{"name": "A"}] * 2000}]}}),
    json.dumps({"army": "x", "core": [{"name_en": "A", "points": 1}] * 2000}),
    json.dumps({"army": "x", "core": [{"options": [{"active": True}] * 1000}]}),
    json.dumps({"roster": {"name": "x" * 81_920}}),
    "<roster>" + "<forces>" * 640 + "</forces>" * 640 + "</roster>",
    "4 Spearmen - 24\n" * 20_000,
    "[" * 640 + "]" * 640,
])  # fmt: skip
def test_ten_times_each_limit_is_refused(times_too_much: str) -> None:
    with pytest.raises(Refusal) as error:
        read_file("list", times_too_much.encode())
    assert error.value.field == "file"
    assert len(error.value.message) < 300
