"""What warbands are paid and what they pay: income, upkeep, ransoms, prices."""

from __future__ import annotations

from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import INCOME, Due
from engine.growth.log import FixtureResult
from engine.growth.rules import CampaignRules, IncomeLine, UnderdogRow
from engine.growth.tables import roll_of
from engine.growth.warriors import GrownWarrior


def pay_battle(
    play: CampaignInPlay,
    result: FixtureResult,
    side: WarbandInPlay,
    bonus: UnderdogRow | None,
    hired_upkeep: int,
) -> None:
    """Pay a side for a battle, and let it pay its upkeep."""
    thrown = 0
    for line in play.rules.income:
        if line.when == "dice":
            thrown += 1
            amount = _thrown_income(play, result, side, (line, thrown))
        else:
            amount = _fixed_income(line, result, side.id)
        play.move(side, line.currency, amount, line.when)
    ground = play.rules.territories
    if ground and ground.amount:
        held = sum(1 for _ in play.territories_of(side.id))
        play.move(side, ground.currency, ground.amount * held, "territories")
    if bonus:
        play.move(side, play.rules.prices.currency, bonus.amount, "underdog")
    _pay_upkeep(play, side, hired_upkeep)


def _pay_upkeep(play: CampaignInPlay, side: WarbandInPlay, hired_upkeep: int) -> None:
    """Take what models and hired swords cost for a battle."""
    upkeep, due = play.rules.upkeep, hired_upkeep
    currency = upkeep.currency if upkeep else play.rules.prices.currency
    if upkeep:
        models = sum(one.count for one in side.present())
        due += max(0, models - upkeep.free_models) * upkeep.each
    # What is not there is forgiven, so upkeep alone never makes a debt.
    there = max(0, side.money[currency])
    play.move(side, currency, -min(there, due), "upkeep")


def _fixed_income(line: IncomeLine, result: FixtureResult, side: str) -> int:
    """Return what a line without dice pays for a battle that was fought."""
    if line.when == "result":
        return line.amounts.get(result.word_for(side), 0)
    if line.when == "objective":
        taken = result.objectives.get(side, {}).get(line.objective, 0)
        return line.each * (taken if line.most is None else min(line.most, taken))
    return 0


def _thrown_income(
    play: CampaignInPlay,
    result: FixtureResult,
    side: WarbandInPlay,
    numbered: tuple[IncomeLine, int],
) -> int:
    """Return what a line with dice pays, which is nothing while its due is open."""
    line, number = numbered
    # The first throw has the plain key; a further one its number behind it.
    parts = (INCOME,) if number == 1 else (INCOME, str(number))
    key = result.key_of(*parts)
    due = Due(key, side.id, INCOME, fixture=result.fixture, dice=line.dice, words=line.name)
    throw = play.book.throw(due)
    return roll_of(line.dice, throw.faces) * line.times if throw else 0


def pay_unfought(play: CampaignInPlay, warband: WarbandInPlay, word: str) -> None:
    """Pay for a game that was not fought: a bye or a walkover."""
    for line in play.rules.income:
        if line.when == "unfought":
            play.move(warband, line.currency, line.amounts.get(word, 0), line.when)


def can_pay(treasury: int, price: int) -> bool:
    """Return whether a treasury pays a price; one below 0 buys nothing, even what is free."""
    return treasury >= max(0, price)


def ransom_of(rules: CampaignRules, captive: GrownWarrior) -> int:
    """Return the ransom in the currency of prices: a share of the price, rounded up."""
    assert rules.captives
    numerator, denominator = rules.captives.part
    worth = rules.prices.of(captive.worth)
    return max(rules.captives.least, -(-worth * numerator // denominator))


def sale_price(rules: CampaignRules, paid: int) -> int:
    """Return what a piece is sold for: a share of what it cost, rounded down."""
    numerator, denominator = rules.trade.sell
    return rules.prices.of(paid) * numerator // denominator


def recruit_price(rules: CampaignRules, group: GrownWarrior, count: int) -> int:
    """Return in points what models pay that join a group: its price, and its experience."""
    # Every model of a group has cost the same.
    each = group.worth // group.count
    # Whoever joins brings what the group began with.
    learned = max(0, group.experience - group.joined.experience)
    return (each + rules.recruit_per_experience * learned) * count
