"""What things cost, and what warbands and their warriors are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain
from math import lcm

from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.rules import CampaignRules, ListsRule, UnderdogRow
from engine.growth.tables import CharacteristicEffects
from engine.growth.warriors import GrownWarrior, base_with_gains, within_bounds
from engine.records import Texts

# Prices.


def can_pay(treasury: int, price: int) -> bool:
    """Return whether a treasury pays a price; one below 0 buys nothing, even what is free."""
    return treasury >= max(0, price)


def founding_purse(rules: CampaignRules, limit: int | None) -> int:
    """Return what a warband begins with that an event or its list limits to so many points.

    A limit above the purse of the rules raises it.
    """
    purses = {currency.id: currency.start for currency in rules.currencies}
    return max(purses[rules.prices.currency], rules.prices.of(limit or 0))


def ransom_price(rules: CampaignRules, captive: GrownWarrior) -> int:
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
    return (each + rules.recruits.per_experience * group.learned) * count


# What a warband is worth, and its warriors' characteristics as they are now.

MEASURES: Mapping[str, Callable[[GrownWarrior], int]] = {
    "price": lambda warrior: warrior.worth,
    "experience": lambda warrior: warrior.experience * warrior.count,
    "models": lambda warrior: warrior.count,
    "rating": lambda warrior: warrior.joined.rating * warrior.count,
    "skills": lambda warrior: len(warrior.skills) * warrior.count,
}
"""What a term of the rating may count of a warrior; a group counts for each of its models."""


def calculate_rating(rules: CampaignRules, warband: WarbandInPlay) -> int:
    """Return the rating, without captives and those who are gone, rounded down once."""
    # Whole numbers over one denominator: thirds add up to one.
    scale = lcm(*(term.times[1] for term in rules.rating))
    present = warband.present()
    whole = 0
    for term in rules.rating:
        measure = MEASURES[term.of]
        counted = (warrior for warrior in present if counts_for(term.kinds, warrior))
        numerator, denominator = term.times
        whole += sum(map(measure, counted)) * numerator * (scale // denominator)
    return whole // scale


def count_models(kinds: Texts, warband: WarbandInPlay) -> int:
    """Return how many models of some kinds are in a warband, without captives."""
    present = (warrior for warrior in warband.present() if counts_for(kinds, warrior))
    return sum(warrior.count for warrior in present)


def counts_for(kinds: Texts, warrior: GrownWarrior) -> bool:
    """Return whether a rule for some kinds, or without any for all, is about a warrior."""
    return not kinds or warrior.kind in kinds


def calculate_ratings(
    play: CampaignInPlay, warbands: list[WarbandInPlay]
) -> dict[str, int]:
    """Return the rating of each of some warbands."""
    return {warband.id: calculate_rating(play.rules, warband) for warband in warbands}


def find_underdog(
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
    changes = Counter(warrior.gains)
    changes.update(warrior.hurts)
    gear, goods = [piece.id for piece in warrior.gear], rules.trade.goods
    traits: list[CharacteristicEffects | None] = [*map(rules.skills.get, warrior.skills)]
    traits += [*map(rules.marks.get, warrior.mark_ids), *map(goods.get, gear)]
    for trait in filter(None, traits):
        changes.update(trait.effects)
    return {
        stat: within_bounds(base, changes[stat])
        for stat, base in warrior.joined.stats.items()
        if changes[stat]
    }


def raisable(
    rules: CampaignRules, army: str, warrior: GrownWarrior, stats: tuple[str, ...]
) -> list[str]:
    """Return which of these characteristics an advance may still raise.

    A stat line without one, or with a dash, has nothing to raise.
    """
    gain_most = rules.maxima.gain.get(warrior.kind, {})
    joined = warrior.joined
    most = rules.maxima.most_for(army, joined.profile, joined.race)
    return [
        stat
        for stat in stats
        if stat in joined.stats
        and warrior.gains.get(stat, 0) < gain_most.get(stat, 10)
        and base_with_gains(warrior, stat) < most.get(stat, 10)
    ]


def find_lists_rule(rules: CampaignRules, warrior: GrownWarrior) -> ListsRule | None:
    """Return the first rule about lists of skills that is for a warrior; None: its kind's."""
    profile, is_promoted = warrior.joined.profile, warrior.is_promoted
    for rule in rules.lists_for:
        if profile in rule.profiles or (rule.promoted and is_promoted):
            return rule
    return None


def list_kind_lists(rules: CampaignRules, warband: WarbandInPlay, kind: str) -> Texts:
    """Return the lists of skills that units of a kind have who joined as such, gone or not."""
    units = (u for u in warband.warriors.values() if u.kind == kind and not u.is_promoted)
    lists = [unit.joined.skill_lists or rules.kinds[kind].lists for unit in units]
    return tuple(sorted(rules.skill_lists.keys() & set(chain(*lists))))


def list_skills(rules: CampaignRules, warrior: GrownWarrior, lists: Texts) -> list[str]:
    """Return the skills that a warrior may learn of some lists, or else of its own."""
    if not lists:
        # Those of the rules for it, else of its unit or its kind; and those that its marks open.
        if rule := find_lists_rule(rules, warrior):
            lists = warrior.lists if rule.choose else rule.lists
        else:
            of_unit = tuple(k for k in warrior.joined.skill_lists if k in rules.skill_lists)
            lists = of_unit or rules.kinds[warrior.kind].lists
        marks = filter(None, map(rules.marks.get, warrior.mark_ids))
        lists = tuple(dict.fromkeys(chain(lists, *(mark.lists for mark in marks))))
    skills = chain(*(rules.skill_lists.get(key, ()) for key in lists))
    return [skill for skill in skills if skill not in warrior.skills]
