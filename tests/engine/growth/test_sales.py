"""A currency that is sold for another, by number and by the size of the warband."""

from typing import Any

import pytest

from engine.growth.acts import AdjustMoneyAct, CurrencySaleAct, DismissAct
from engine.growth.faults import FaultyRules
from engine.growth.log import CampaignLog, merged
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.seasons import STATS
from tests.engine.growth.two_warbands import (
    DOCUMENT,
    begin,
    crowns,
    group,
    leader,
    play,
    result,
    why,
)

SALE: dict[str, Any] = {
    "currency": "renown",
    "paid_in": "crowns",
    "once": "battle",
    "kinds": ["soldier"],
    "models": [2, 4],
    "rows": [[45, 40, 35], [60, 55, 50]],
}


def rich(models: int = 3, **others: Any) -> CampaignLog:
    log = begin(leader(), group(models), change={"sales": [SALE | others]})
    return log.with_entries(result(), AdjustMoneyAct(1, "red", "renown", 10))


@pytest.mark.parametrize(
    "models, count, price",
    [(2, 1, 45), (3, 1, 40), (4, 1, 40), (5, 1, 35), (5, 2, 50), (5, 3, 50)],
)
def test_the_price_is_by_number_and_models(models: int, count: int, price: int) -> None:
    state = play(rich(models), CurrencySaleAct(2, "red", "renown", count))
    before = play(rich(models))
    assert crowns(state) == crowns(before) + price
    treasury = state.warbands["red"].treasury
    assert treasury["renown"] == before.warbands["red"].treasury["renown"] - count


def test_it_is_sold_once_after_each_battle() -> None:
    first, second = (CurrencySaleAct(number, "red", "renown", 1) for number in (2, 3))
    assert why(play(rich(), first, second), 3)
    assert not why(play(rich(), first, result("f2"), second), 3)
    # Before its first battle a warband has nothing to sell.
    log = begin(change={"sales": [SALE]})
    gift = AdjustMoneyAct(1, "red", "renown", 10)
    assert why(play(log, gift, first), 2)
    states = (
        play(log, gift),
        play(rich()),
        play(rich(), first),
        play(rich(once=None), first),
    )
    prices = [state.warbands["red"].sales.get("renown") for state in states]
    assert prices == [None, (40, 55), None, (40, 55)]
    assert not why(play(rich(once=None), first, second), 3)


def test_a_sale_that_cannot_be_is_set_aside() -> None:
    there = play(rich()).warbands["red"].treasury["renown"]
    assert not why(play(rich(), CurrencySaleAct(2, "red", "renown", there)), 2)
    assert why(play(rich(), CurrencySaleAct(2, "red", "renown", there + 1)), 2)
    assert why(play(rich(), CurrencySaleAct(2, "red", "crowns", 1)), 2)
    # Those who left count no more.
    state = play(
        rich(3), DismissAct(2, "red", "w2"), CurrencySaleAct(3, "red", "renown", 1)
    )
    assert crowns(state) == crowns(play(rich(3))) + 45


@pytest.mark.parametrize(
    "change, path",
    [
        ({"rows": [[1, 2]]}, "sales[0].rows[0]"),
        ({"rows": []}, "sales[0].rows"),
        ({"models": [4, 2]}, "sales[0].models"),
        ({"paid_in": "moons"}, "sales[0].paid_in"),
        ({"once": "day"}, "sales[0].once"),
    ],
)
def test_a_sale_that_cannot_be_read_is_refused(change: Any, path: str) -> None:
    with pytest.raises(FaultyRules) as error:
        read_rules(merged(DOCUMENT, {"sales": [SALE | change]}), STATS)
    assert error.value.faults[0].path == path
