"""What is paid: prices, ransoms, sales, recruits, income and upkeep."""

from dataclasses import replace

import pytest

from engine.growth.acts import EnlargeAct, UnfoughtAct
from engine.growth.log import FixtureResult, LogEntry
from engine.growth.money import can_pay, ransom_price, recruit_price, sale_price
from engine.growth.rules import (
    CaptiveRule,
    IncomeLine,
    LateRule,
    PriceRule,
    RecruitRule,
    UpkeepRule,
)
from engine.growth.warriors import GearPiece, GrownWarrior
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS, muster_document
from tests.engine.growth.two_warbands import (
    LINE,
    acted,
    answer,
    begin,
    crowns,
    group,
    leader,
    out,
    play,
    result,
)

RULES = read_rules(muster_document(), STATS)


def warrior(price: int, count: int = 1, **others: object) -> GrownWarrior:
    made = joiner("w1", LINE, price, count=count, experience=3)
    return GrownWarrior("w1", made, "soldier", count=count, gear=(), **others)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "treasury, price, is_enough",
    [
        (10, 10, True),
        (10, 11, False),
        (0, 0, True),
        (0, 1, False),
        (0, -5, True),
        (-1, 0, False),
        (-1, -5, False),
    ],
)
def test_a_treasury_pays_what_it_holds_and_in_debt_nothing(
    treasury: int, price: int, is_enough: bool
) -> None:
    assert can_pay(treasury, price) is is_enough


@pytest.mark.parametrize(
    "price, part, least, ransom",
    [(20, (1, 2), 5, 10), (21, (1, 2), 5, 11), (9, (1, 2), 5, 5), (8, (1, 2), 5, 5),
     (30, (2, 3), 0, 20), (31, (2, 3), 0, 21)],
)  # fmt: skip
def test_a_ransom_is_a_share_of_the_price_rounded_up_and_the_least_at_least(
    price: int, part: tuple[int, int], least: int, ransom: int
) -> None:
    rules = replace(RULES, captives=CaptiveRule(part, least, 0))
    assert ransom_price(rules, warrior(price)) == ransom
    dear = replace(rules, prices=PriceRule("crowns", 10))
    assert ransom_price(dear, warrior(price)) == max(
        least, -(-price * 10 * part[0] // part[1])
    )


@pytest.mark.parametrize("paid, price", [(0, 0), (1, 0), (2, 1), (5, 2), (6, 3)])
def test_a_piece_is_sold_for_half_of_what_was_paid_rounded_down(
    paid: int, price: int
) -> None:
    assert sale_price(RULES, paid) == price
    assert sale_price(replace(RULES, prices=PriceRule("crowns", 2)), paid) == paid


def test_whoever_joins_a_group_pays_what_each_cost_and_what_it_learned() -> None:
    rules = replace(RULES, recruits=RecruitRule(2))
    # What it began with is not paid for, and what it lost is not given back.
    for experience, price in ((0, 6), (3, 6), (4, 8), (8, 16)):
        one = warrior(6, count=3, experience=experience)
        assert recruit_price(rules, one, 1) == price
        assert recruit_price(rules, one, 4) == 4 * price
        armed = replace(one, gear=(GearPiece("bow", 5),))
        assert recruit_price(rules, armed, 1) == price + 5


@pytest.mark.parametrize("rounds, purse", [(0, 0), (1, 15), (5, 75), (6, 75)])
def test_whoever_joins_late_gets_a_sum_for_each_round_up_to_a_most(
    rounds: int, purse: int
) -> None:
    assert LateRule("crowns", 15, 75).purse(rounds) == purse


# A battle, with one way of being paid at a time


def paid(
    line: IncomeLine | None, *entries: LogEntry, upkeep: UpkeepRule | None = None
) -> int:
    log = begin(leader(), group())
    income = () if line is None else (line,)
    rules = replace(log.rules, income=income, upkeep=upkeep, underdog=(), territories=None)
    log = replace(log, rules=rules)
    return crowns(play(log, *entries)) - crowns(play(log))


@pytest.mark.parametrize("winner, pay", [("red", 9), ("", 4), ("blue", 0)])
def test_a_result_pays_by_its_word_and_a_word_left_out_nothing(
    winner: str, pay: int
) -> None:
    line = IncomeLine("crowns", "result", amounts={"won": 9, "drawn": 4})
    assert paid(line, result(winner=winner)) == pay


@pytest.mark.parametrize("taken, most, pay", [(0, 3, 0), (2, 3, 10), (3, 3, 15),
                                              (4, 3, 15), (4, None, 20)])  # fmt: skip
def test_an_objective_pays_for_each_up_to_its_most(
    taken: int, most: int | None, pay: int
) -> None:
    line = IncomeLine("crowns", "objective", objective="loot", each=5, most=most)
    assert paid(line, result(objectives={"red": {"loot": taken, "flags": 9}})) == pay
    assert paid(line, result(objectives={"blue": {"loot": taken}})) == 0


def test_a_throw_pays_what_it_comes_to_once_it_is_answered() -> None:
    line = IncomeLine("crowns", "dice", dice="2D6", times=3)
    assert paid(line, result()) == 0
    assert paid(line, result(), answer("f1/income", 2, 5)) == 21


def test_a_further_throw_has_its_number_behind_its_key() -> None:
    log = begin(leader(), group())
    lines = (
        IncomeLine("crowns", "dice", dice="D6"),
        IncomeLine("crowns", "result", amounts={"drawn": 50}),
        IncomeLine("crowns", "dice", dice="D6", times=10),
    )
    log = replace(log, rules=replace(log.rules, income=lines, upkeep=None))
    told = [result(), answer("f1/income", 2), answer("f1/income/2", 3)]
    assert crowns(play(log, *told)) - crowns(play(log)) == 2 + 50 + 30


@pytest.mark.parametrize("word, pay", [("bye", 7), ("walkover", 0)])
def test_a_game_that_was_not_fought_pays_by_its_word(word: str, pay: int) -> None:
    line = IncomeLine("crowns", "unfought", amounts={"bye": 7})
    assert paid(line, UnfoughtAct(1, "red", word)) == pay
    # A battle that was fought does not.
    assert paid(line, result()) == 0


def test_upkeep_is_for_every_model_beyond_the_free_ones() -> None:
    # Red has a leader and three models.
    for free, cost in ((0, 8), (3, 2), (4, 0), (5, 0)):
        assert paid(None, result(), upkeep=UpkeepRule("crowns", free, 2)) == -cost


def test_upkeep_takes_what_is_there_and_leaves_no_debt() -> None:
    start = crowns(acted())
    assert paid(None, result(), upkeep=UpkeepRule("crowns", 0, 1000)) == -start
    assert (
        paid(None, result(), result("f2"), upkeep=UpkeepRule("crowns", 0, 1000)) == -start
    )


def test_hired_swords_cost_their_upkeep_where_the_rules_have_none_of_their_own() -> None:
    sword = joiner("w3", LINE, 20, is_hired=True, upkeep=7)

    def spent(told: FixtureResult) -> int:
        log = begin(leader(), sword)
        log = replace(log, rules=replace(log.rules, income=(), upkeep=None))
        return crowns(play(log)) - crowns(play(log, told))

    here = {"red": ("w1", "w3"), "blue": ("w1", "w2")}
    assert spent(result(fielded=here)) == 7
    assert spent(result(fielded={**here, "red": ("w1",)})) == 0
    # One who fought and is gone is not paid.
    log = begin(leader(), sword)
    log = replace(log, rules=replace(log.rules, income=(), upkeep=None))
    fallen = [result(fielded=here, out=out("w3")), answer("f1/injury/w3", 1)]
    assert crowns(play(log)) - crowns(play(log, *fallen)) == 0


def test_models_that_join_cost_by_the_group_as_it_is_then() -> None:
    state = acted(EnlargeAct(1, "red", "w2", 2))
    assert crowns(acted()) - crowns(state) == 2 * 6
