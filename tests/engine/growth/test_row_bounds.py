"""Numbers of a table's rows: each is read at both of its ends, and told beyond them."""

from typing import Any

import pytest

from engine.growth.faults import FaultyRules
from engine.growth.rules import CampaignRules
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.seasons import STATS, muster_document

EFFECTS = [
    ("misses", {"misses": ...}, 1, 20),
    ("again", {"again": ...}, 1, 4),
    ("experience", {"experience": ...}, 1, 100),
    ("gain.amount", {"gain": {"currency": "crowns", "amount": ...}}, 1, 100_000),
    ("old_wound.at_most", {"old_wound": {"dice": "D6", "at_most": ...}}, 1, 66),
]


def filled(effect: dict[str, Any], number: int) -> dict[str, Any]:
    return {
        key: filled(value, number)
        if isinstance(value, dict)
        else number
        if value is ...
        else value
        for key, value in effect.items()
    }


def with_row(effect: dict[str, Any], **others: Any) -> dict[str, Any]:
    """The shipped rules, whose lasting hurts are all this."""
    document = muster_document()
    row = {"least": 1, "most": 6, "name": "Row", "effect": effect, **others}
    document["tables"]["lasting"] = {"dice": "D6", "rows": [row]}
    return document


def read(document: dict[str, Any]) -> CampaignRules | dict[str, str]:
    try:
        return read_rules(document, STATS)
    except FaultyRules as faulty:
        return {fault.path: fault.code for fault in faulty.faults}


@pytest.mark.parametrize("path, effect, least, most", EFFECTS)
def test_a_number_of_an_effect_has_both_ends(path, effect, least, most):
    for number in (least, most):
        rules = read(with_row(filled(effect, number)))
        assert isinstance(rules, CampaignRules)
        assert rules.tables["lasting"].rows[0].effect.number == number
    place = f"tables.lasting.rows[0].effect.{path}"
    # Dice may stand in the place of some numbers, so their fault is that of either.
    assert read(with_row(filled(effect, least - 1))) == {place: "greater_than_equal"}
    assert read(with_row(filled(effect, most + 1))) == {place: "less_than_equal"}


@pytest.mark.parametrize("key", ["least", "most"])
def test_a_row_is_of_rolls_from_1_to_66(key: str) -> None:
    for number, code in ((0, "greater_than_equal"), (67, "less_than_equal")):
        faults = read(with_row({}, **{key: number}))
        assert isinstance(faults, dict)
        assert faults[f"tables.lasting.rows[0].{key}"] == code


def test_dice_stand_in_the_place_of_a_number() -> None:
    for effect in (
        {"misses": "D3"},
        {"gain": {"currency": "crowns", "dice": "D3"}},
        {"old_wound": {"dice": "D3", "at_most": 2}},
    ):
        rules = read(with_row(effect))
        assert isinstance(rules, CampaignRules)
        assert rules.tables["lasting"].rows[0].effect.dice == "D3"
