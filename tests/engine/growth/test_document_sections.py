"""One key of a document at a time: what is read, what is harmless instead, and what is told."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.growth.sections import (
    DocumentSection,
    FaultList,
    FaultyRules,
    RulesFault,
)

Read = Callable[[DocumentSection], Any]
GONE = object()


def told(read: Read, value: Any = GONE, path: str = "here") -> tuple[Any, list[str]]:
    """What is read of the key ``k``, and what is told of it."""
    faults = FaultList()
    data = {} if value is GONE else {"k": value}
    found = read(DocumentSection(data, path, faults))
    assert all(one.path == "here.k" for one in faults.faults)
    return found, [one.message for one in faults.faults]


MISSING = ["is missing."]


@pytest.mark.parametrize(
    "read, value, found, words",
    [
        (lambda one: one.text("k"), "A line", "A line", []),
        (lambda one: one.text("k"), "x" * 120, "x" * 120, []),
        (lambda one: one.text("k"), "x" * 121, "?", ["must be a line of 1 to 120 characters."]),
        (lambda one: one.text("k"), "", "?", ["must be a line of 1 to 120 characters."]),
        (lambda one: one.text("k"), 7, "?", ["must be a line of 1 to 120 characters."]),
        (lambda one: one.text("k"), GONE, "?", MISSING),
        (lambda one: one.text("k", "Usual"), GONE, "Usual", []),
        (lambda one: one.text("k", ""), "", "", []),
        (lambda one: one.text("k", "Usual"), 7, "Usual", ["must be a line of 1 to 120 characters."]),
        (lambda one: one.text("k", "", 3), "abcd", "?", ["must be a line of 1 to 3 characters."]),
        (lambda one: one.id("k"), "a-b_1", "a-b_1", []),
        (lambda one: one.id("k"), "x" * 40, "x" * 40, []),
        (lambda one: one.id("k"), "x" * 41, "?", ["must be a word of 1 to 40 letters, digits, - and _."]),
        (lambda one: one.id("k"), "-a", "?", ["must be a word of 1 to 40 letters, digits, - and _."]),
        (lambda one: one.id("k"), GONE, "?", MISSING),
        (lambda one: one.id("k", ""), "", "", []),
        (lambda one: one.id("k", "usual"), GONE, "usual", []),
        (lambda one: one.id("k", "usual"), 1, "usual", ["must be a word of 1 to 40 letters, digits, - and _."]),
        (lambda one: one.one_of("k", ("a", "b")), "b", "b", []),
        (lambda one: one.one_of("k", ("a", "b")), "c", "a", ["must be one of a, b."]),
        (lambda one: one.one_of("k", ("a", "b"), "b"), "c", "b", ["must be one of a, b."]),
        (lambda one: one.one_of("k", ("a", "b"), "b"), GONE, "b", []),
        (lambda one: one.one_of("k", ("a", "b")), GONE, "a", MISSING),
        (lambda one: one.one_of("k", ("a", "b")), ["a"], "a", ["must be one of a, b."]),
        (lambda one: one.number("k", 2, 5), 2, 2, []),
        (lambda one: one.number("k", 2, 5), 5, 5, []),
        (lambda one: one.number("k", 2, 5), 6, 2, ["must be a whole number from 2 to 5."]),
        (lambda one: one.number("k", 2, 5, 4), 1, 4, ["must be a whole number from 2 to 5."]),
        (lambda one: one.number("k", 2, 5, 4), GONE, 4, []),
        (lambda one: one.number("k", 2, 5), GONE, 2, MISSING),
        (lambda one: one.number("k", 0), True, 0, ["must be a whole number from 0 to 100000."]),
        (lambda one: one.maybe_number("k", 2, 5), GONE, None, []),
        (lambda one: one.maybe_number("k", 2, 5), 3, 3, []),
        (lambda one: one.maybe_number("k", 2, 5), 1, 2, ["must be a whole number from 2 to 5."]),
        (lambda one: one.maybe_number("k", 0), 100_000, 100_000, []),
        (lambda one: one.flag("k"), GONE, False, []),
        (lambda one: one.flag("k", default=True), GONE, True, []),
        (lambda one: one.flag("k", default=True), False, False, []),
        (lambda one: one.flag("k"), True, True, []),
        (lambda one: one.flag("k", default=True), 0, True, ["must be true or false."]),
        (lambda one: one.flag("k"), "yes", False, ["must be true or false."]),
        (lambda one: one.words("k"), ["a", "b"], ("a", "b"), []),
        (lambda one: one.words("k"), GONE, (), []),
        (lambda one: one.words("k", None), GONE, (), MISSING),
        (lambda one: one.words("k"), ["a", "a"], (), ["names something twice."]),
        (lambda one: one.words("k"), "ab", (), ["must be a list of up to 60 lines."]),
        (lambda one: one.words("k"), ["a", 1], (), ["must be a list of up to 60 lines."]),
        (lambda one: one.words("k", (), 2), ["a", "b", "c"], (), ["must be a list of up to 2 lines."]),
        (lambda one: one.words("k", (), 2), ["a", "b"], ("a", "b"), []),
        (lambda one: one.rising("k"), [1, 2, 9], (1, 2, 9), []),
        (lambda one: one.rising("k"), GONE, (), []),
        (lambda one: one.rising("k"), [2, 2], (), ["must rise from each step to the next."]),
        (lambda one: one.rising("k"), [3, 2], (), ["must rise from each step to the next."]),
        (lambda one: one.rising("k"), [0], (), ["must be a list of up to 60 whole numbers from 1."]),
        (lambda one: one.rising("k"), [100_000], (100_000,), []),
        (lambda one: one.rising("k"), [100_001], (), ["must be a list of up to 60 whole numbers from 1."]),
        (lambda one: one.rising("k", 2), [1, 2, 3], (), ["must be a list of up to 2 whole numbers from 1."]),
        (lambda one: one.rising("k", 2), [1, 2], (1, 2), []),
        (lambda one: one.rising("k"), 4, (), ["must be a list of up to 60 whole numbers from 1."]),
        (lambda one: one.figures("k", 0, 9), GONE, {}, []),
        (lambda one: one.figures("k", 0, 9), {"M": 9, "WS": 0}, {"M": 9, "WS": 0}, []),
    ],
)  # fmt: skip
def test_a_key_is_read_or_told_and_something_harmless_taken(
    read: Read, value: Any, found: Any, words: list[str]
) -> None:
    assert told(read, value) == (found, words)


SHARE = "must be a share such as [1, 2], of whole numbers up to 1000."


@pytest.mark.parametrize(
    "value, found, words",
    [
        ([1, 2], (1, 2), []),
        ((0, 1), (0, 1), []),
        ([1000, 1000], (1000, 1000), []),
        ([1, 0], (1, 1), [SHARE]),
        ([1, -1], (1, 1), [SHARE]),
        ([1001, 1], (1, 1), [SHARE]),
        ([1, 1001], (1, 1), [SHARE]),
        ([1, 2, 3], (1, 1), [SHARE]),
        ([1], (1, 1), [SHARE]),
        (["1", 2], (1, 1), [SHARE]),
        (1, (1, 1), [SHARE]),
        (GONE, (1, 1), MISSING),
    ],
)
def test_a_share_is_two_numbers_of_which_the_second_is_not_0(
    value: Any, found: tuple[int, int], words: list[str]
) -> None:
    assert told(lambda one: one.part("k"), value) == (found, words)


def test_a_share_that_is_left_out_is_the_usual_one() -> None:
    assert told(lambda one: one.part("k", (1, 2))) == ((1, 2), [])
    assert told(lambda one: one.part("k", (1, 2)), "half") == ((1, 2), [SHARE])


def test_a_section_has_its_own_path_and_one_that_is_gone_is_empty() -> None:
    faults = FaultList()
    document = DocumentSection({"k": {"a": 1, 2: "b"}, "no": 3}, "", faults)
    section = document.section("k")
    assert (section.path, section.at("a")) == ("k", "k.a")
    # YAML has keys that are no texts.
    assert section.data == {"a": 1, "2": "b"}
    assert document.section("other", may_lack=True).data == {}
    assert faults.faults == []
    assert document.section("gone").data == {}
    assert document.section("no").data == {}
    assert faults.faults == [
        RulesFault("gone", "is missing."),
        RulesFault("no", "must be a mapping of keys and values."),
    ]


def test_what_nothing_has_read_is_told_with_the_keys_there_are() -> None:
    faults = FaultList()
    section = DocumentSection({"b": 1, "a": 2, "odd": 3, "rest.": None}, "here", faults)
    section.number("b", 0)
    section.maybe_number("a", 0)
    section.flag("c")
    section.check_known()
    assert faults.faults == [
        RulesFault("here.odd", "is not a key here; the keys are a, b, c."),
        RulesFault("here.rest.", "has no value; words with a comma need quotes."),
    ]


def test_sections_of_a_list_are_told_by_their_place() -> None:
    faults = FaultList()
    data = {"k": [{"id": "a"}, {"id": "b", "odd": 1}, 5, {"id": "c"}]}
    document = DocumentSection(data, "", faults)
    assert [one.id("id", "") for one in document.sections("k", 3)] == ["a", "b", ""]
    assert faults.faults == [
        RulesFault("k", "holds 4, and 3 is the most."),
        RulesFault("k[1].odd", "is not a key here; the keys are id."),
        RulesFault("k[2]", "must be a mapping of keys and values."),
    ]


@pytest.mark.parametrize(
    "value, may_lack, words",
    [
        (GONE, True, []),
        (GONE, False, MISSING),
        ({}, True, ["must be a list."]),
        ([], False, []),
        ((), True, []),
    ],
)
def test_a_list_of_sections_may_lack_only_where_it_is_said(
    value: Any, may_lack: bool, words: list[str]
) -> None:
    def read(one: DocumentSection) -> list[DocumentSection]:
        return list(one.sections("k", 3, may_lack=may_lack))

    assert told(read, value) == ([], words)


def test_a_list_of_sections_may_lack_unless_it_is_said() -> None:
    assert told(lambda one: list(one.sections("k", 3))) == ([], [])
    assert told(lambda one: list(one.by_name("k", 3))) == ([], [])
    assert told(lambda one: list(one.by_name("k", 3, may_lack=False))) == ([], MISSING)


def test_named_values_are_read_up_to_the_most_and_their_names_are_words() -> None:
    faults = FaultList()
    document = DocumentSection({"k": {"a": 1, "b c": 2, "d": 3}}, "", faults)
    assert list(document.by_name("k", 2)) == [("a", 1), ("b c", 2)]
    assert faults.faults == [
        RulesFault("k", "holds 3, and 2 is the most."),
        RulesFault("k.b c", "must be a word of 1 to 40 letters, digits, - and _."),
    ]


@pytest.mark.parametrize("count, ending", [(1, ""), (2, " (1 more)"), (3, " (2 more)")])
def test_the_message_tells_the_first_fault_and_how_many_more(
    count: int, ending: str
) -> None:
    faults = FaultList()
    faults.raise_any()
    for number in range(count):
        faults.add(f"k{number}", "is missing.")
    with pytest.raises(FaultyRules) as caught:
        faults.raise_any()
    assert caught.value.message == f"k0: is missing.{ending}"
    assert len(caught.value.faults) == count
