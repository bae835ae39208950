"""Values, sizes and versions of campaign rules; each limit at both ends."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from engine.growth.faults import FaultyRules, rules_fault
from engine.growth.log import DocumentChange, merged, read_versions
from engine.growth.rules import CampaignRules
from rulesdata import campaign_documents as reading
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.test_rules_document import (
    MUSTER,
    READ,
    Document,
    Path,
    altered,
    changed,
    faults_of,
    named,
    read,
    row,
    sized_kinds,
    with_every_option,
    with_rows,
)

LINE_FAULTS = {"": "string_too_short", "two\nlines": "no_line", 7: "string_type"}


@pytest.mark.parametrize("path, values, faulty", [
    (("name",), ["x", "x" * 120], {**LINE_FAULTS, "x" * 121: "string_too_long"}),
    (("summary",), ["", "x" * 400], {"x" * 401: "string_too_long", "a\x7f": "no_line"}),
    (
        ("hired", 0, "id"),
        ["a-b_1", "x" * 40],
        dict.fromkeys(["x" * 41, "-a", ""], "string_pattern_mismatch"),
    ),
])  # fmt: skip
def test_texts_have_their_size_and_signs(path, values, faulty):
    for value in values:
        assert isinstance(read(changed(*path, to=value)), CampaignRules), value
    codes = {value: faults_of(changed(*path, to=value))[named(path)] for value in faulty}
    assert codes == faulty


@pytest.mark.parametrize("value, place, code", [
    ([1, 2], "", ""), ([0, 1], "", ""), ([1, 0], "", "no_share"),
    ([1, -1], "[1]", "greater_than_equal"),
    ([1, 1001], "[1]", "less_than_equal"),
    ([1, 2, 3], "", "too_long"), ([1], "", "too_short"),
    (["1", 2], "[0]", "int_type"),
    (1, "", "list_type"), ("half", "", "list_type"),
])  # fmt: skip
def test_a_share_is_two_numbers_of_which_the_second_is_not_0(value, place, code):
    rules = read(changed("trade", "sell", to=value))
    if isinstance(rules, CampaignRules):
        assert (rules.trade.sell, code) == (tuple(value), "")
    else:
        assert rules == {f"trade.sell{place}": code}


@pytest.mark.parametrize("value, code", [
    ([], ""), ([1, 2, 9], ""), ([100_000], ""), ([*range(1, 61)], ""),
    ([*range(1, 62)], "too_long"),
    ([2, 2], "not_rising"), ([3, 2], "not_rising"), (4, "list_type"),
])  # fmt: skip
def test_steps_rise(value: Any, code: str) -> None:
    rules = read(changed("kinds", 2, "steps", to=value))
    if isinstance(rules, CampaignRules):
        assert (rules.kinds["hero"].steps, code) == (tuple(value), "")
    else:
        assert rules["kinds[2].steps"] == code


def test_what_may_stand_in_a_place_is_told_whole() -> None:
    with pytest.raises(FaultyRules) as caught:
        READ(with_row({"misses": "D7"}))
    (fault,) = caught.value.faults
    assert fault.path == "tables.lasting.rows[0].effect.misses"
    assert "whole number" in fault.message
    assert "D66" in fault.message


def with_row(effect: Document) -> Document:
    return with_rows(row(1, 6, effect))


@pytest.mark.parametrize("gain", [{}, {"amount": 2, "dice": "D6"}])
def test_what_is_gained_is_an_amount_or_dice(gain: Document) -> None:
    faults = faults_of(with_row({"gain": {"currency": "crowns", **gain}}))
    assert list(faults) == ["tables.lasting.rows[0].effect.gain.amount"]


@pytest.mark.parametrize(
    "path",
    [
        ("limits",), ("income",), ("rating",), ("maxima",), ("maxima", "gain"), ("maxima", "most"),
        ("maxima", "gain", "hero"), ("kinds", 3, "match"), ("leader",), ("recruits",), ("trade", "goods"),
        ("tables", "lasting", "rows", 0, "effect"), ("skills", "eye", 0, "effects"), ("rolls",),
        ("territories", "income"), ("hired", 0, "stats"), ("experience",), ("underdog",), ("upkeep",),
    ],
)  # fmt: skip
def test_null_is_as_good_as_left_out(path: Path) -> None:
    # A change of rules may set a section to null, and logs with such changes are read back.
    document = with_every_option()
    faults = read(altered(document, path, None))
    if isinstance(faults, dict):
        assert not any(place.startswith(named(path)) for place in faults), faults


def test_a_list_of_skills_may_have_any_name_and_no_skills() -> None:
    rules = read(changed("skills", "Combat skills", to=None))
    assert isinstance(rules, CampaignRules)
    assert rules.skill_lists["Combat skills"] == ()


@pytest.mark.parametrize("count, ending", [(1, ""), (2, " (1 more)"), (3, " (2 more)")])
def test_the_message_tells_the_first_fault_and_how_many_more(count, ending):
    error = FaultyRules([rules_fault(f"k{n}", "missing") for n in range(count)])
    assert error.message == f"k0: is missing.{ending}"
    assert len(error.faults) == count


# Sizes


def many(key: str, make: Callable[[int], Any], count: int) -> Document:
    return changed(key, to=[make(number) for number in range(count)])


def sized_currencies(count: int) -> Document:
    more = [{"id": f"c{n}", "name": "C", "start": 1} for n in range(count - 2)]
    return changed("currencies", to=[*MUSTER["currencies"], *more])


def sized_tables(count: int) -> Document:
    more = {f"t{n}": {"dice": "D6", "rows": [row(1, 6, {})]} for n in range(count - 7)}
    return changed("tables", to={**MUSTER["tables"], **more})


def sized_rows(count: int) -> Document:
    rolls = [10 * tens + ones for tens in range(1, 7) for ones in range(1, 7)]
    rows = [row(roll, roll, {}) for roll in [*rolls, *rolls[:1]][:count]]
    return changed("tables", "d66", to={"dice": "D66", "rows": rows})


def sized_skills(count: int) -> Document:
    more = [{"id": f"s{n}", "name": "S"} for n in range(count - 10)]
    return changed("skills", "more", to=more)


def sized_goods(count: int) -> Document:
    more = [{"id": f"g{n}", "name": "G", "price": 1} for n in range(count - 5)]
    return changed("trade", "goods", to=[*MUSTER["trade"]["goods"], *more])


def sized_places(count: int) -> Document:
    return changed("territories", "names", to=[f"Place {n}" for n in range(count)])


@pytest.mark.parametrize("make, most, path", [
    (sized_kinds, 12, "kinds"),
    (sized_currencies, 6, "currencies"),
    (sized_tables, 60, "tables"),
    (sized_rows, 36, "tables.d66.rows"),
    (sized_skills, 200, "skills"),
    (sized_goods, 200, "trade.goods"),
    (sized_places, 40, "territories.names"),
])  # fmt: skip
def test_limits_on_size(make: Callable[[int], Document], most: int, path: str) -> None:
    read_rules(make(most))
    assert "too_long" in faults_of(make(most + 1))[path]


def test_a_document_of_256_kib_is_the_largest() -> None:
    most = 256 * 1024
    reading.check_document_size({"a": "x" * (most - 9)})
    with pytest.raises(FaultyRules, match="larger than 256 KiB"):
        reading.check_document_size({"a": "x" * (most - 8)})


def test_a_date_is_no_text_but_can_be_read() -> None:
    assert set(faults_of(changed("summary", to=date(2026, 5, 1)))) == {"summary"}


def test_a_large_document_or_endless_depth_is_one_fault() -> None:
    assert set(faults_of({"name": "x" * 1_000_000})) == {"document"}
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    assert faults_of({"a": deep}) == {"document": "too_deep"}
    endless: Document = {}
    endless["a"] = endless
    assert faults_of(endless) == {"document": "too_deep"}


def test_what_is_nested_deeply_where_nothing_may_be_is_one_fault() -> None:
    deep: Any = []
    for _ in range(600):
        deep = [deep]
    assert faults_of(changed("odd", to=deep)) == {"odd": "extra_forbidden"}


def test_many_faults_are_told_up_to_200() -> None:
    assert len(faults_of({f"k{n}": 1 for n in range(1000)})) == 200


# Versions


def test_a_change_merges_key_by_key_and_lists_whole() -> None:
    change = {"upkeep": {"each": 5}, "limits": {"models": 3}, "leader": None, "rating": []}
    document = merged(MUSTER, change)
    assert document["upkeep"] == {**MUSTER["upkeep"], "each": 5}
    assert (document["leader"], document["rating"]) == (None, [])
    assert MUSTER["upkeep"]["each"] == 3


def test_changes_from_the_start_lie_below_those_from_now() -> None:
    later = DocumentChange(5, {"upkeep": {"each": 7}})
    first = DocumentChange(9, {"upkeep": {"each": 1, "free_models": 2}}, from_start=True)
    versions = read_versions(MUSTER, [later, first], READ)
    assert versions[0].upkeep is not None
    assert (versions[0].upkeep.each, versions[0].upkeep.free_models) == (1, 2)
    upkeep = versions[1][5].upkeep
    assert upkeep is not None
    assert (list(versions[1]), upkeep.each, upkeep.free_models) == ([5], 7, 2)


def test_an_amount_has_its_currency_in_the_right_number() -> None:
    rules = read_rules(MUSTER)
    amounts = [rules.amount(count) for count in (-2, -1, 0, 1, 2)]
    assert amounts == ["-2 crowns", "-1 crown", "0 crowns", "1 crown", "2 crowns"]
    assert (rules.amount(1, "renown"), rules.amount(1, "lost")) == ("1 renown", "1 lost")


def test_a_version_keeps_the_kinds_and_currencies_in_use() -> None:
    kept = [one for one in MUSTER["kinds"] if one["id"] != "creature"]
    with pytest.raises(FaultyRules, match="“creature” is in use"):
        read_versions(MUSTER, [DocumentChange(3, {"kinds": kept})], READ)
    whole = {
        **MUSTER,
        "currencies": [*MUSTER["currencies"], {"id": "ale", "name": "ale", "start": 1}],
    }
    added = DocumentChange(3, whole, is_whole=True)
    dropped = DocumentChange(4, MUSTER, is_whole=True)
    with pytest.raises(FaultyRules, match="“ale” is in use"):
        read_versions(MUSTER, [added, dropped], READ)
