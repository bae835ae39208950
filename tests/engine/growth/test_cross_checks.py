"""Checks of a whole document, one rule at a time: what is told, and its nearest sound neighbour."""

from dataclasses import replace
from typing import Any

import pytest

from engine.growth.faults import check_rules
from engine.growth.rules import (
    CampaignCurrency,
    CampaignRules,
    CaptiveRule,
    ExtraRoll,
    GrowthKind,
    IncomeLine,
    KindMatch,
    LateRule,
    PriceRule,
    TerritoryRule,
    TradeGood,
    TradeRule,
    UnderdogRow,
)
from engine.growth.tables import DiceTable, RolledRow, RowEffect
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.seasons import STATS, muster_document

GOLD = CampaignCurrency("gold", "gold", 100, is_spent=True)
FAME = CampaignCurrency("fame", "fame", 0, is_spent=False)
ALL = GrowthKind("all", "All", KindMatch())
SOUND = CampaignRules(
    id="plain",
    name="Plain",
    version=1,
    currencies=(GOLD,),
    prices=PriceRule("gold", 1),
    kinds={"all": ALL},
)


def faults(rules: CampaignRules = SOUND, **fields: Any) -> list[tuple[str, str]]:
    found = check_rules(replace(rules, **fields), None, ())
    return [(fault.path, fault.code) for fault in found]


def paths(**fields: Any) -> list[str]:
    return [path for path, _ in faults(**fields)]


def table(key: str, *effects: RowEffect, otherwise: RowEffect | None = None) -> DiceTable:
    more = {} if otherwise is None else {"otherwise": (otherwise,)}
    # The last row has all further rolls.
    ends = [*range(1, len(effects)), 6]
    rows = [
        RolledRow(least, most, "Row", effect, **more)
        for (least, most), effect in zip(enumerate(ends, 1), effects, strict=True)
    ]
    return DiceTable(key, "D6", tuple(rows))


def tables(*some: DiceTable) -> dict[str, DiceTable]:
    return {one.id: one for one in some}


def kinds(*some: GrowthKind) -> dict[str, GrowthKind]:
    return {one.id: one for one in some}


def test_rules_without_more_than_they_need_are_sound() -> None:
    assert faults() == []
    assert list(check_rules(read_rules(muster_document()), STATS, ())) == []


# Currencies


@pytest.mark.parametrize("fields, is_earned", [
    ({}, False),
    ({"income": (IncomeLine("fame", "result", amounts={"won": 0}),)}, False),
    ({"income": (IncomeLine("fame", "result", amounts={"won": 0, "lost": 1}),)}, True),
    ({"income": (IncomeLine("fame", "dice", dice="D6"),)}, True),
    ({"income": (IncomeLine("fame", "objective", each=1),)}, True),
    ({"income": (IncomeLine("gold", "dice", dice="D6"),)}, False),
    ({"tables": tables(table("t", RowEffect("gain", "fame", number=1)))}, True),
    ({"tables": tables(table("t", RowEffect("item", "fame")))}, False),
    ({"territories": TerritoryRule("Place", ("A",), 1, "fame", 2)}, True),
    ({"territories": TerritoryRule("Place", ("A",), 1, "fame", 0)}, False),
    ({"late": LateRule("fame", 1, 1)}, True),
    ({"currencies": (GOLD, replace(FAME, start=1))}, True),
])  # fmt: skip
def test_a_currency_that_starts_at_0_is_earned_somewhere(fields, is_earned):
    told = faults(**({"currencies": (GOLD, FAME)} | fields))
    words = ("currencies[1]", "unearned")
    assert (words in told) is not is_earned


@pytest.mark.parametrize("fields, is_earned", [
    ({}, False),
    ({"captives": CaptiveRule((1, 2), 0, 0)}, True),
    ({"underdog": (UnderdogRow(1, amount=0), UnderdogRow(2, amount=3))}, True),
    ({"underdog": (UnderdogRow(1, experience=2),)}, False),
])  # fmt: skip
def test_captives_and_underdogs_pay_in_the_currency_of_prices(fields, is_earned):
    poor = {"currencies": (FAME,), "prices": PriceRule("fame", 1)}
    assert faults(**poor, **fields) == (
        [] if is_earned else [("currencies[0]", "unearned")]
    )


def test_there_is_a_currency() -> None:
    assert ("currencies", "no_currency") in faults(currencies=())


def test_ground_that_pays_says_in_what() -> None:
    ground = TerritoryRule("Place", ("A",), 1, "", 2)
    assert faults(territories=ground) == [("territories.income.currency", "missing")]
    assert faults(territories=replace(ground, amount=0)) == []
    assert faults(territories=replace(ground, currency="gold")) == []


# Kinds

HERO = GrowthKind("hero", "Hero", KindMatch(leader=True))
LEADERS = GrowthKind("chief", "Chief", KindMatch(leader=True))
EMPTY = "nobody"


def test_a_kind_behind_a_wider_one_is_empty_unless_it_is_promoted_to() -> None:
    some = kinds(HERO, LEADERS, ALL)
    assert faults(kinds=some) == [("kinds[1].match", EMPTY)]
    assert faults(kinds=some, successors=("chief",)) == []
    # The first of the successors alone is what others become.
    assert faults(kinds=some, successors=("hero", "chief")) == [("kinds[1].match", EMPTY)]
    advance = table("up", RowEffect("promote", "chief"))
    climbing = {**some, "hero": replace(HERO, advances="up")}
    assert faults(kinds=climbing, tables=tables(advance)) == []


def test_behind_everybody_there_is_nobody_and_in_front_there_may_be() -> None:
    assert faults(kinds=kinds(ALL, HERO)) == [("kinds[1].match", EMPTY)]
    assert faults(kinds=kinds(HERO, ALL)) == []
    # Of the first alone nothing was taken before.
    nobody = GrowthKind("x", "X", KindMatch(categories=("a",)))
    assert faults(kinds=kinds(nobody, ALL)) == []
    assert faults(kinds=kinds(HERO)) == [("kinds", "not_all")]


def test_two_kinds_may_together_take_what_a_third_matches() -> None:
    first = GrowthKind("a", "A", KindMatch(categories=("x",)))
    second = GrowthKind("b", "B", KindMatch(leader=True))
    third = GrowthKind("c", "C", KindMatch(leader=True, categories=("x",)))
    assert faults(kinds=kinds(first, second, third, ALL)) == [("kinds[2].match", EMPTY)]
    assert faults(kinds=kinds(first, third, ALL)) == []


def test_a_kind_with_steps_needs_a_table_of_advances() -> None:
    climbing = replace(ALL, steps=(4,), advances="up", injuries="down", lists=("arms",))
    there = tables(table("up", RowEffect()), table("down", RowEffect()))
    known = {"arms": ()}
    assert faults(kinds=kinds(climbing), tables=there, skill_lists=known) == []
    assert faults(kinds=kinds(replace(ALL, steps=(4,)))) == [
        ("kinds[0].advances", "no_advances")
    ]
    assert faults(kinds=kinds(replace(ALL, advances="up")), tables=there) == []


# Tables


def test_a_table_may_lead_to_others_but_not_back() -> None:
    to_b, to_c, to_a = (RowEffect("table", key) for key in "bca")
    straight = tables(table("a", to_b, to_c), table("b", to_c), table("c", RowEffect()))
    assert faults(tables=straight) == []
    round_trip = tables(table("a", to_b), table("b", to_c), table("c", to_a))
    assert faults(tables=round_trip) == [(f"tables.{key}", "circular") for key in "abc"]
    # Whoever leads to a round trip is on none.
    entered = tables(table("d", to_b), table("b", to_b))
    assert faults(tables=entered) == [("tables.b", "circular")]
    # A roll again ends by itself, and hides no way round beside it.
    again = RowEffect("again", number=4)
    assert faults(tables=tables(table("b", again))) == []
    hidden = RowEffect("all", parts=(again, to_b))
    for row in (table("b", hidden), table("b", RowEffect("captive"), otherwise=hidden)):
        assert ("tables.b", "circular") in faults(tables=tables(row))


@pytest.mark.parametrize("effect, words", [
    (RowEffect("table", "x"), "unknown"),
    (RowEffect("item", "x"), "unknown"),
    (RowEffect("captive"), "no_captives"),
    (RowEffect("skill", names=("x",)), "unknown"),
    (RowEffect("promote", "x"), "unknown"),
    (RowEffect("promote", "all"), "no_advance"),
])  # fmt: skip
def test_what_a_row_names_is_there(effect: RowEffect, words: str) -> None:
    one = table("t", RowEffect(), effect, otherwise=effect)
    told = faults(tables=tables(one))
    place = f"tables.t.rows[1].effect.{effect.verb}"
    assert (place, words) in told
    assert (place.replace("effect", "otherwise", 1), words) in told


def test_what_is_found_and_held_may_be_named() -> None:
    one = table(
        "t",
        RowEffect("item", "rope"),
        RowEffect("captive"),
        RowEffect("skill", names=("arms",)),
    )
    rope = TradeGood("rope", "Rope", "", {})
    sound = {
        "tables": tables(one),
        "trade": TradeRule(goods={"rope": rope}),
        "captives": CaptiveRule((1, 2), 0, 0),
        "skill_lists": {"arms": ()},
    }
    assert faults(**sound) == []


def test_nobody_is_promoted_to_the_kind_that_rolls() -> None:
    up = tables(table("up", RowEffect("promote", "all")))
    climbing = kinds(replace(ALL, advances="up"))
    assert faults(kinds=climbing, tables=up) == [
        ("tables.up.rows[0].effect.promote", "same_kind")
    ]


@pytest.mark.parametrize("verb, for_group, for_warband", [
    ("", True, True), ("words", True, True), ("gone", True, False), ("misses", True, False),
    ("experience", True, False), ("gain", False, True), ("item", False, True),
    ("lower", False, False), ("loses", False, False),
])  # fmt: skip
def test_groups_and_warbands_have_verbs_of_their_own(verb, for_group, for_warband):
    name = {"gain": "gold", "item": "rope"}.get(verb, "")
    below = table("below", RowEffect(verb, name))
    top = table("top", RowEffect("table", "below"))
    rope = TradeRule(goods={"rope": TradeGood("rope", "Rope", "", {})})
    both: dict[str, Any] = {"tables": tables(top, below), "trade": rope}
    path = f"tables.below.rows[0].effect.{verb}"
    grouped = kinds(replace(ALL, is_group=True, injuries="top"))
    words = "not_of_groups"
    assert faults(kinds=grouped, **both) == ([] if for_group else [(path, words)])
    roll = ExtraRoll("find", "Finds", "top")
    words = "not_of_warbands"
    assert faults(rolls=(roll,), **both) == ([] if for_warband else [(path, words)])
    # Single warriors, and rolls of theirs, may meet anything.
    alone = kinds(replace(ALL, injuries="top"))
    rolled = (ExtraRoll("find", "Finds", "top", ("all",)),)
    assert faults(kinds=alone, rolls=rolled, **both) == []


def test_rare_goods_need_dice_to_be_found_by() -> None:
    goods = {
        "rope": TradeGood("rope", "Rope", "", {}),
        "map": TradeGood("map", "Map", "", {}, rare=8),
    }
    assert faults(trade=TradeRule(goods=goods)) == [("trade.goods[1].rare", "no_search")]
    assert faults(trade=TradeRule(goods=goods, search="2D6")) == []
