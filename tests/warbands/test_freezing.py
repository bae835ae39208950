"""A sheet frozen and thawed is the same sheet, whatever is in it."""

import json
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import pytest

from tests.factories import make_legal_warband, make_warrior, record_of
from warbands.queries.lists import starters
from warbands.queries.warbands import sheet_of
from warbands.sheet.frozen import SnapshotMismatch, from_json, sha256_of, to_json
from warbands.sheet.structure import RosterSheet


@dataclass(frozen=True)
class Inner:
    name: str = ""
    on: date | None = None


@dataclass(frozen=True)
class Everything:
    number: int
    words: tuple[str, ...]
    pairs: tuple[tuple[str, int | None], ...]
    marked: frozenset[str]
    by_key: dict[str, Inner]
    level: Literal["note", "error"] = "note"
    whatever: Any = None
    figure: int | str | None = None
    share: float = 0.5
    is_on: bool = False
    inner: Inner | None = None
    extra: Inner = field(default_factory=Inner)


WHOLE = Everything(
    number=-3,
    words=("a", ""),
    pairs=(("x", None), ("y", 2)),
    marked=frozenset({"b", "a"}),
    by_key={"one": Inner("One", date(2025, 5, 1))},
    level="error",
    whatever={"any": [1, None]},
    figure="2D6",
    share=1.25,
    is_on=True,
    inner=Inner("In"),
    extra=Inner("Out"),
)


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(to_json(value), ensure_ascii=False))


def test_every_kind_of_field_comes_back() -> None:
    back = from_json(through_json(WHOLE), Everything)
    assert back == WHOLE
    assert [
        type(getattr(back, name))
        for name in ("marked", "pairs", "by_key", "is_on", "share")
    ] == [frozenset, tuple, dict, bool, float]


def test_sheet_of_each_starter_comes_back() -> None:
    found = starters()
    assert len(found) > 70
    for starter in found:
        frozen = through_json(starter.sheet)
        back = from_json(frozen, RosterSheet)
        assert back == starter.sheet, starter.key
        assert to_json(back) == frozen, starter.key


@pytest.mark.django_db
def test_sheet_with_findings_notes_and_unknown_profiles_comes_back() -> None:
    warband = make_legal_warband(
        name="Zoë’s “Ferrymen” 🛶", note="Two\nlines", points_limit=90
    )
    make_warrior(warband=warband, profile="battle-wizard", count=2, name="Alda, Berta")
    sheet = sheet_of(record_of(warband), url="http://x/", printed_on=date(2025, 5, 1))
    assert sheet.findings
    assert any(finding.fixes for finding in sheet.findings)
    assert from_json(through_json(sheet), RosterSheet) == sheet


def test_sheet_of_another_release_takes_defaults_and_leaves_out_what_is_gone() -> None:
    frozen = through_json(WHOLE)
    del frozen["share"]
    frozen["weather"] = "rain"
    assert from_json(frozen, Everything).share == 0.5


@pytest.mark.parametrize("change", [
    {"number": "3"}, {"number": True}, {"words": "ab"}, {"words": [1]}, {"pairs": [["x"]]},
    {"by_key": []}, {"inner": {"on": "soon"}}, {"figure": 1.5}, {"is_on": 1},
])  # fmt: skip
def test_other_shapes_are_told(change: dict[str, Any]) -> None:
    with pytest.raises(SnapshotMismatch):
        from_json({**through_json(WHOLE), **change}, Everything)


def test_missing_field_without_default_is_told() -> None:
    frozen = through_json(WHOLE)
    del frozen["number"]
    with pytest.raises(SnapshotMismatch, match="number"):
        from_json(frozen, Everything)
    with pytest.raises(SnapshotMismatch):
        from_json([], Everything)


def test_what_is_nested_without_end_is_told() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(SnapshotMismatch):
        from_json({**through_json(WHOLE), "whatever": deep}, Everything)


def test_what_would_not_come_back_is_not_frozen() -> None:
    for value in (object(), {1: "a"}, b"a"):
        with pytest.raises(TypeError):
            to_json(value)


def test_print_is_the_same_whatever_the_order_of_keys() -> None:
    assert sha256_of({"a": 1, "b": [1, 2]}) == sha256_of({"b": [1, 2], "a": 1})
    assert sha256_of({"a": 1}) != sha256_of({"a": 2})
    assert sha256_of({"a": 1}, {}) != sha256_of({"a": 1})
    assert len(sha256_of("\ud800")) == 64
