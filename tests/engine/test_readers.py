"""What the readers of a rule file take, and what they say of anything else."""

from typing import Any

import pytest

from engine import readers
from engine.readers import Reader, figure, section
from engine.records import frozen_dataclass

TWO_ROWS = [{"first": 1, "last": 2, "to": "a"}, {"first": 3, "last": 6, "to": "b"}]


@frozen_dataclass
class Sample:
    need: int = figure(readers.read_int(1, 6))
    is_kept: bool = figure(readers.flag, default=False)

    def __post_init__(self) -> None:
        if self.need == 5:
            raise ValueError("5 is not sold")


@pytest.mark.parametrize(
    "read,value,found",
    [
        (readers.read_int(2, 6), 2, 2),
        (readers.read_int(2, 6), 6, 6),
        (readers.flag, False, False),
        (readers.one_of("a", "b"), "b", "b"),
        (readers.word, "a", "a"),
        (readers.optional(readers.word), None, None),
        (readers.optional(readers.word), "none", None),
        (readers.optional(readers.word), "a", "a"),
        (readers.listed(readers.word), ["a", "b"], ("a", "b")),
        (readers.listed(readers.word, 1), ["a"], ("a",)),
        (readers.named(readers.word), {1: "a"}, {"1": "a"}),
        (readers.numbered(readers.word, 3), {"1-2": "a", 3: "b"}, ("a", "a", "b")),
        (readers.by_face(readers.mapping, 6), TWO_ROWS, ({"to": "a"},) * 2 + ({"to": "b"},) * 4),
        (readers.made(Sample), {"need": 2}, Sample(2)),
    ],
)  # fmt: skip
def test_readers_take(read: Reader, value: Any, found: Any) -> None:
    assert read(value, "here") == found


@pytest.mark.parametrize(
    "read,value,words",
    [
        (readers.read_int(2, 6), 1, "here: give a whole number from 2 to 6"),
        (readers.read_int(2, 6), 7, "here: give a whole number from 2 to 6"),
        (readers.read_int(0, 6), True, "here: give a whole number from 0 to 6"),
        (readers.flag, 1, "here: give true or false"),
        (readers.one_of("a", "b"), "c", "here: give one of a, b"),
        (readers.one_of("a", "b"), ["a"], "here: give one of a, b"),
        (readers.word, "", "here: give a word"),
        (readers.word, 3, "here: give a word"),
        (readers.listed(readers.word), "ab", "here: give a list"),
        (readers.listed(readers.word), 3, "here: give a list"),
        (readers.listed(readers.word, 2), ["a"], "here: 1 figures, 2 are needed"),
        (readers.listed(readers.word), ["a", 3], "here 2: give a word"),
        (readers.named(readers.word), {"x": 3}, "here.x: give a word"),
        (readers.named(readers.word), [], "here: give a mapping"),
        (readers.numbered(readers.word, 2), {1: "a"}, r"here: give each number from 1 to 2 once; \[2\]"),
        (readers.numbered(readers.word, 2), {"1-3": "a"}, r"\[1, 2, 3\] does not fit"),
        (readers.numbered(readers.word, 2), {"1-2": "a", 2: "b"}, "here: 2 stands twice"),
        (readers.numbered(readers.word, 2), {"²": "a"}, "here: '²' is not a number"),
        (readers.numbered(readers.word, 2), {"1-x": "a"}, "here: '1-x' is not a number"),
        (readers.by_face(readers.mapping, 6), TWO_ROWS[:1], "here: no row for a roll of 3"),
        (readers.by_face(readers.mapping, 6), [*TWO_ROWS, {"first": 6, "last": 6}], "here 3: two rows for a roll of 6"),
        (readers.by_face(readers.mapping, 6), [{"first": 3, "last": 2}], "here 1.last: give a whole number from 3"),
        (readers.by_face(readers.mapping, 6), [{"first": 7, "last": 7}], "here 1.first: give a whole number from 1"),
        (readers.made(Sample), {}, "here: need is missing"),
        (readers.made(Sample), {"need": 0}, "here.need: give a whole number from 1 to 6"),
        (readers.made(Sample), {"need": 5}, "here: 5 is not sold"),
        (readers.made(Sample), {"need": 1, "x": 1}, "here: x is not known here; there may be need, is_kept"),
        (readers.made(Sample), 3, "here: give a mapping"),
    ],
)  # fmt: skip
def test_readers_refuse(read: Reader, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(value, "here")


def test_section_keeps_defaults() -> None:
    assert section(Sample, {"need": 6, "is_kept": True}, "here") == Sample(6, is_kept=True)
    assert section(Sample, {"need": 1}, "here") == Sample(1)
