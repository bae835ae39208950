"""What the readers of a rule file take, and what they say of anything else."""

from typing import Any

import pytest

from engine import records
from engine.records import Reader, figure, frozen_dataclass, section

TWO_ROWS = [{"first": 1, "last": 2, "to": "a"}, {"first": 3, "last": 6, "to": "b"}]


@frozen_dataclass
class Sample:
    need: int = figure(records.read_int(1, 6))
    is_kept: bool = figure(records.flag, default=False)

    def __post_init__(self) -> None:
        if self.need == 5:
            raise ValueError("5 is not sold")


@pytest.mark.parametrize("read,value,found", [
    (records.read_int(2, 6), 2, 2),
    (records.read_int(2, 6), 6, 6),
    (records.flag, False, False),
    (records.one_of("a", "b"), "b", "b"),
    (records.word, "a", "a"),
    (records.optional(records.word), None, None),
    (records.optional(records.word), "none", None),
    (records.optional(records.word), "a", "a"),
    (records.listed(records.word), ["a", "b"], ("a", "b")),
    (records.listed(records.word, 1), ["a"], ("a",)),
    (records.by_name(records.word), {1: "a"}, {"1": "a"}),
    (records.numbered(records.word, 3), {"1-2": "a", 3: "b"}, ("a", "a", "b")),
    (records.by_face(records.mapping, 6), TWO_ROWS, ({"to": "a"},) * 2 + ({"to": "b"},) * 4),
    (records.made(Sample), {"need": 2}, Sample(2)),
])  # fmt: skip
def test_readers_take(read: Reader, value: Any, found: Any) -> None:
    assert read(value, "here") == found


@pytest.mark.parametrize("read,value,words", [
    (records.read_int(2, 6), 1, "here: give a whole number from 2 to 6"),
    (records.read_int(2, 6), 7, "here: give a whole number from 2 to 6"),
    (records.read_int(0, 6), True, "here: give a whole number from 0 to 6"),
    (records.flag, 1, "here: give true or false"),
    (records.one_of("a", "b"), "c", "here: give one of a, b"),
    (records.one_of("a", "b"), ["a"], "here: give one of a, b"),
    (records.word, "", "here: give a word"),
    (records.word, 3, "here: give a word"),
    (records.listed(records.word), "ab", "here: give a list"),
    (records.listed(records.word), 3, "here: give a list"),
    (records.listed(records.word, 2), ["a"], "here: 1 figures, 2 are needed"),
    (records.listed(records.word), ["a", 3], "here 2: give a word"),
    (records.by_name(records.word), {"x": 3}, "here.x: give a word"),
    (records.by_name(records.word), [], "here: give a mapping"),
    (records.numbered(records.word, 2), {1: "a"}, r"here: give each number from 1 to 2 once; \[2\]"),
    (records.numbered(records.word, 2), {"1-3": "a"}, r"\[1, 2, 3\] does not fit"),
    (records.numbered(records.word, 2), {"1-2": "a", 2: "b"}, "here: 2 stands twice"),
    (records.numbered(records.word, 2), {"²": "a"}, "here: '²' is not a number"),
    (records.numbered(records.word, 2), {"1-x": "a"}, "here: '1-x' is not a number"),
    (records.by_face(records.mapping, 6), TWO_ROWS[:1], "here: no row for a roll of 3"),
    (records.by_face(records.mapping, 6), [*TWO_ROWS, {"first": 6, "last": 6}], "here 3: two rows for a roll of 6"),
    (records.by_face(records.mapping, 6), [{"first": 3, "last": 2}], "here 1.last: give a whole number from 3"),
    (records.by_face(records.mapping, 6), [{"first": 7, "last": 7}], "here 1.first: give a whole number from 1"),
    (records.made(Sample), {}, "here: need is missing"),
    (records.made(Sample), {"need": 0}, "here.need: give a whole number from 1 to 6"),
    (records.made(Sample), {"need": 5}, "here: 5 is not sold"),
    (records.made(Sample), {"need": 1, "x": 1}, "here: x is not known here; there may be need, is_kept"),
    (records.made(Sample), 3, "here: give a mapping"),
])  # fmt: skip
def test_readers_refuse(read: Reader, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(value, "here")


def test_section_keeps_defaults() -> None:
    assert section(Sample, {"need": 6, "is_kept": True}, "here") == Sample(6, is_kept=True)
    assert section(Sample, {"need": 1}, "here") == Sample(1)
