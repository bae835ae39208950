"""Findings as they are told: in a list's own money, with their source, a missing leader first."""

from dataclasses import replace
from typing import Any

import pytest

from engine.findings.case import Finding
from engine.findings.checks import check
from engine.types.lists import Army, Currency, Option, PriceTerms, SecondPrice
from engine.types.mechanics import Guideline
from engine.types.systems import System
from tests.engine.made_cases import CAPTAIN, HALBERDIERS, with_profile
from tests.factories import make_entry, make_roster

OVER = make_roster(warriors=[replace(CAPTAIN, is_leader=True)], points_limit=49)


def found(system: System, army: Army, code: str, **fields: Any) -> Finding:
    told = check(replace(OVER, **fields), system, army)
    return next(one for one in told if one.code == code)


def test_amounts_of_points_are_told_in_what_the_list_counts(system, empire):
    code = "points.over_limit"
    plain = found(system, empire, code)
    assert "points" in plain.message
    gold = replace(empire, currency=Currency("gold crowns", "gc"))
    told = found(system, gold, code)
    assert "gc" in told.message
    assert told == replace(plain, message=told.message)
    # What says nothing of points is the same in any money.
    lost = [
        found(system, one, "leader.missing", warriors=(CAPTAIN,)) for one in (empire, gold)
    ]
    assert lost[0] == lost[1]


@pytest.mark.parametrize("source, refs, told", [
    ("", (), "Text"),
    ("POINTS", (), "Text, POINTS"),
    ("POINTS", ("C01", "G02"), "Text, POINTS (C01, G02)"),
    ("", ("C01",), "Text"),
])  # fmt: skip
def test_a_finding_names_its_text_its_section_and_its_rulings(
    system: System, empire: Army, source: str, refs: tuple[str, ...], told: str
) -> None:
    guideline = Guideline(
        "over",
        "total_over_limit",
        "error",
        "{over} over.",
        "Too dear",
        source=source,
        refs=refs,
    )
    played = replace(system, name="Text", guidelines=(guideline,))
    one = found(played, empire, "over")
    assert (one.source, one.message, one.title, one.level) == (
        told, "1 over.", "Too dear", "error",
    )  # fmt: skip
    assert [fix.value for fix in one.fixes] == [50]


@pytest.mark.parametrize(
    "level, codes", [("error", ["none", "over"]), ("warning", ["none", "over"]),
                     ("note", ["over", "none"])],
)  # fmt: skip
def test_a_missing_leader_is_told_before_errors_unless_it_is_a_note(
    system: System, empire: Army, level: Any, codes: list[str]
) -> None:
    guidelines = (
        Guideline("over", "total_over_limit", "error", "Too dear."),
        Guideline("none", "leader_missing", level, "Nobody leads."),
    )
    played = replace(system, guidelines=guidelines)
    told = check(replace(OVER, warriors=(CAPTAIN,)), played, empire)
    assert [one.code for one in told] == codes


@pytest.mark.parametrize(
    "maximum, is_above", [(None, False), (14, True), (15, False), (16, False)]
)
def test_a_second_price_above_its_most_is_a_finding(system, empire, maximum, is_above):
    army = with_profile(empire, "halberdiers", base_terms=PriceTerms(second=3))
    army = with_profile(army, "captain", base_terms=PriceTerms(second=3))
    price = SecondPrice("Rating", "wr", "warning", maximum)
    told = check(
        make_roster(warriors=[CAPTAIN, HALBERDIERS]),
        system,
        replace(army, second_price=price),
    )
    above = [one for one in told if one.code == "list.second"]
    assert len(above) == is_above
    for one in above:
        assert (one.level, one.source) == ("warning", "Army list")
        assert one.message == "Rating 15; the army list allows 14."
        assert one.title == "Rating too high"
    assert not [
        one
        for one in check(make_roster(warriors=[CAPTAIN]), system, army)
        if one.code == "list.second"
    ]


def test_no_more_than_three_pieces_of_campaigns_are_offered_for_removal(system, empire):
    for count in (3, 4):
        sold = [Option(f"o{n}", f"O {n}", 1, is_trade_only=True) for n in range(count)]
        army = with_profile(empire, "captain", options=tuple(sold))
        keys = [one.key for one in sold]
        bearer = make_entry(profile="captain", options=keys, is_leader=True)
        note = found(system, army, "list.trade", warriors=(bearer,))
        assert [fix.option for fix in note.fixes] == keys[:3]
