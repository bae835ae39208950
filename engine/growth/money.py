"""What warbands are paid, what they pay, and what they and their warriors are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import INCOME, Due
from engine.growth.log import FixtureResult
from engine.growth.rules import CampaignRules, IncomeLine, UnderdogRow
from engine.growth.tables import roll_of
from engine.growth.warriors import GrownWarrior, base_with_gains, within_bounds
from engine.records import NumberByKey, Texts

# What warbands are paid and what they pay: income, upkeep, ransoms, prices.


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


# What a warband is worth, and its warriors' characteristics as they are now.

MEASURES: Mapping[str, Callable[[GrownWarrior], int]] = {
    "price": lambda one: one.worth,
    "experience": lambda one: one.experience * one.count,
    "models": lambda one: one.count,
    "skills": lambda one: len(one.skills) * one.count,
}
"""What a term of the rating may count of a warrior; a group counts for each of its models."""


def rating_of(rules: CampaignRules, warband: WarbandInPlay) -> int:
    """Return the rating, without captives and those who are gone, rounded down once."""
    # Whole numbers over one denominator: thirds add up to one.
    scale = rules.rating_scale
    present = warband.present()
    whole = 0
    for term in rules.rating:
        measure = MEASURES[term.of]
        counted = (one for one in present if counts_for(term.kinds, one))
        numerator, denominator = term.times
        whole += sum(map(measure, counted)) * numerator * (scale // denominator)
    return whole // scale


def counts_for(kinds: Texts, warrior: GrownWarrior) -> bool:
    """Return whether a rule for some kinds, or without any for all, is about a warrior."""
    return not kinds or warrior.kind in kinds


def ratings_of(play: CampaignInPlay, warbands: list[WarbandInPlay]) -> dict[str, int]:
    """Return the rating of each of some warbands."""
    return {one.id: rating_of(play.rules, one) for one in warbands}


def underdog_of(
    rules: CampaignRules, warband: str, ratings: Mapping[str, int]
) -> UnderdogRow | None:
    """Return the bonus of a side: the last row that its highest rated opponent reaches."""
    others = [rating for key, rating in ratings.items() if key != warband]
    if not others:
        return None
    lead = max(others) - ratings[warband]
    return next((row for row in reversed(rules.underdog) if lead >= row.lead), None)


def changed_stats(rules: CampaignRules, warrior: GrownWarrior) -> dict[str, int]:
    """Return the characteristics that anything has changed, as they are now."""
    changes: dict[str, int] = {}
    for effects in _effects_on(rules, warrior):
        for stat, amount in effects.items():
            changes[stat] = changes.get(stat, 0) + amount
    stats = warrior.joined.stats
    return {
        stat: within_bounds(base, changes[stat])
        for stat, base in stats.items()
        if changes.get(stat)
    }


def raisable(
    rules: CampaignRules, army: str, warrior: GrownWarrior, stats: tuple[str, ...]
) -> list[str]:
    """Return which of these characteristics an advance may still raise.

    A stat line without one, or with a dash, has nothing to raise.
    """
    gained = rules.maxima.gain.get(warrior.kind, {})
    most = rules.maxima.most_for(army, warrior.joined.profile)
    found = []
    for stat in stats:
        if stat not in warrior.joined.stats:
            continue
        has_room = warrior.gains.get(stat, 0) < gained.get(stat, 10)
        if has_room and base_with_gains(warrior, stat) < most.get(stat, 10):
            found.append(stat)
    return found


def _effects_on(rules: CampaignRules, warrior: GrownWarrior) -> Iterator[NumberByKey]:
    """Yield everything that changes characteristics: advances, injuries, skills, gear."""
    yield warrior.gains
    yield warrior.hurts
    for skill in warrior.skills:
        if skill in rules.skills:
            yield rules.skills[skill].effects
    for piece in warrior.gear:
        if piece.id in rules.trade.goods:
            yield rules.trade.goods[piece.id].effects
