"""What a document says in one place and must hold in another: names, reach, and sense."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from engine.growth.effects import VERBS
from engine.growth.faults import RulesFault, rules_fault
from engine.growth.rules import CampaignRules, GrowthKind, KindMatch
from engine.growth.tables import DiceTable, RowEffect, rolls_of

GROUP_VERBS = {name for name, verb in VERBS.items() if verb.is_for_groups}
WARBAND_VERBS = {name for name, verb in VERBS.items() if verb.is_for_warbands}
PlacedEffect = tuple[str, RowEffect]
"""An effect with its path."""


def check_rules(
    rules: CampaignRules, stats: Collection[str] | None = None
) -> Iterator[RulesFault]:
    """Yield every fault that shows only when the whole document is read."""
    checks = (
        _check_currencies, _check_kinds, _check_named_kinds, _check_underdog, _check_rows,
        _check_rolls, _check_tables, _check_group_tables, _check_promotions, _check_skills,
        _check_trade,
    )  # fmt: skip
    for check in checks:
        yield from check(rules)
    if stats is not None:
        yield from _check_stats(rules, stats)


# Currencies


def _check_currencies(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every currency that is named is there, and each comes from somewhere."""
    known = [currency.id for currency in rules.currencies]
    if not known:
        yield rules_fault("currencies", "no_currency")
    for path, named in _named_currencies(rules):
        if named not in known:
            yield rules_fault(path, "unknown", name=named, what="currency")
    if rules.territories and rules.territories.amount and not rules.territories.currency:
        yield rules_fault("territories.income.currency", "missing")
    yield from _check_earned(rules)


def _check_earned(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every currency has a name of its own, and comes from somewhere."""
    earned = set(_earned_currencies(rules))
    seen: set[str] = set()
    for place, currency in enumerate(rules.currencies):
        if currency.id in seen:
            yield rules_fault(f"currencies[{place}].id", "repeated", what="currency")
        if not currency.start and currency.id not in earned:
            yield rules_fault(f"currencies[{place}]", "unearned")
        seen.add(currency.id)


def _named_currencies(rules: CampaignRules) -> Iterator[tuple[str, str]]:
    """Yield each place that names a currency, and the name."""
    yield "prices.currency", rules.prices.currency
    for place, line in enumerate(rules.income):
        yield f"income[{place}].currency", line.currency
    if rules.upkeep:
        yield "upkeep.currency", rules.upkeep.currency
    if rules.late:
        yield "late.currency", rules.late.currency
    if rules.territories and rules.territories.currency:
        yield "territories.income.currency", rules.territories.currency
    for path, effect in _effects(rules.tables.values()):
        if effect.verb == "gain":
            yield path, effect.name


def _earned_currencies(rules: CampaignRules) -> Iterator[str]:
    """Yield every currency that a battle, a table or anything else pays."""
    for line in rules.income:
        if line.when in ("dice", "objective") or any(line.amounts.values()):
            yield line.currency
    for _, effect in _effects(rules.tables.values()):
        if effect.verb == "gain":
            yield effect.name
    yield from _earned_otherwise(rules)


def _earned_otherwise(rules: CampaignRules) -> Iterator[str]:
    """Yield what grounds, late comers, captives and underdogs are paid in."""
    if rules.territories and rules.territories.amount:
        yield rules.territories.currency
    if rules.late:
        yield rules.late.currency
    if rules.captives or any(row.amount for row in rules.underdog):
        yield rules.prices.currency


# Kinds


def _check_kinds(rules: CampaignRules) -> Iterator[RulesFault]:
    """Everybody belongs to a kind, and every kind has somebody.

    The first kind that matches counts, so one behind a wider one stays empty, unless warriors
    are promoted to it.
    """
    kinds = list(rules.kinds.values())
    if not any(kind.match.is_everybody for kind in kinds):
        yield rules_fault("kinds", "not_all")
    named = {e.name for _, e in _effects(rules.tables.values()) if e.verb == "promote"}
    promoted = named | set(rules.successors[:1])
    # What the kinds so far take, all together.
    taken = KindMatch()
    is_taken_by_all = False
    for place, kind in enumerate(kinds):
        path = f"kinds[{place}]"
        nobody_left = is_taken_by_all or (place and _is_within(kind.match, taken))
        if nobody_left and kind.id not in promoted:
            yield rules_fault(f"{path}.match", "nobody")
        is_taken_by_all = is_taken_by_all or kind.match.is_everybody
        taken = _joined(taken, kind.match)
        yield from _check_kind(rules, kind, path)


def _check_kind(rules: CampaignRules, kind: GrowthKind, path: str) -> Iterator[RulesFault]:
    """The tables and lists of skills that a kind names are there."""
    if kind.steps and not kind.advances:
        yield rules_fault(f"{path}.advances", "no_advances")
    for key, table in (("advances", kind.advances), ("injuries", kind.injuries)):
        if table and table not in rules.tables:
            yield rules_fault(f"{path}.{key}", "unknown", name=table, what="table")
    for named in kind.lists:
        if named not in rules.skill_lists:
            yield rules_fault(f"{path}.lists", "unknown", name=named, what="list of skills")


def _is_within(match: KindMatch, taken: KindMatch) -> bool:
    """Return whether everybody whom a kind matches belongs to one before it."""
    if match.is_everybody:
        return False
    return (
        (taken.leader or not match.leader)
        and (taken.hired or not match.hired)
        and set(match.categories) <= set(taken.categories)
        and set(match.troop_types) <= set(taken.troop_types)
        and set(match.profiles) <= set(taken.profiles)
    )


def _joined(one: KindMatch, other: KindMatch) -> KindMatch:
    """Return whom either of two kinds matches."""
    return KindMatch(
        one.leader or other.leader,
        one.hired or other.hired,
        one.categories + other.categories,
        one.troop_types + other.troop_types,
        one.profiles + other.profiles,
    )


def _check_named_kinds(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every kind that is named is there."""
    for path, named in _named_kinds(rules):
        for kind in named:
            if kind not in rules.kinds:
                yield rules_fault(path, "unknown", name=kind, what="kind")


def _named_kinds(rules: CampaignRules) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each place that names kinds, and the names."""
    for place, award in enumerate(rules.experience):
        yield f"experience[{place}].kinds", award.kinds
    for place, row in enumerate(rules.underdog):
        yield f"underdog[{place}].kinds", row.kinds
    for place, term in enumerate(rules.rating):
        yield f"rating[{place}].kinds", term.kinds
    for place, roll in enumerate(rules.rolls):
        yield f"rolls[{place}].who", roll.kinds
    yield "maxima.gain", rules.maxima.gain
    yield "leader.successors", rules.successors
    yield "trade.search.who", rules.trade.seekers
    for place, good in enumerate(rules.trade.goods.values()):
        yield f"trade.goods[{place}].kinds", good.kinds


# Tables


def _effects(tables: Iterable[DiceTable]) -> Iterator[PlacedEffect]:
    """Yield every effect of some tables with its path."""
    for table in tables:
        for place, row in enumerate(table.rows):
            path = f"tables.{table.id}.rows[{place}]"
            yield f"{path}.effect", row.effect
            yield f"{path}.otherwise", row.otherwise


def _check_underdog(rules: CampaignRules) -> Iterator[RulesFault]:
    """The last row that is reached counts, so they must rise."""
    for place, (row, other) in enumerate(pairwise(rules.underdog), 1):
        if other.lead <= row.lead:
            yield rules_fault(f"underdog[{place}].from", "not_rising")


def _check_rows(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every row has rolls that the dice come to, and does something before it does otherwise."""
    for table in rules.tables.values():
        every = rolls_of(table.dice)
        for place, row in enumerate(table.rows):
            path = f"tables.{table.id}.rows[{place}]"
            if row.least > row.most:
                yield rules_fault(f"{path}.most", "below_least", least=row.least)
            if row.otherwise.verb and not row.effect.verb:
                yield rules_fault(f"{path}.otherwise", "needless")
            # D66 never comes to 17 or 20, so both ends are looked up, not compared.
            if row.least not in every or row.most not in every:
                ends = {"least": every[0], "most": every[-1]}
                yield rules_fault(path, "beyond_dice", dice=table.dice, **ends)


def _check_rolls(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every roll of a table's dice has one row."""
    for table in rules.tables.values():
        path = f"tables.{table.id}.rows"
        for roll in rolls_of(table.dice) if table.rows else ():
            count = sum(row.least <= roll <= row.most for row in table.rows)
            if not count:
                yield rules_fault(path, "no_row", roll=roll)
            elif count > 1:
                yield rules_fault(path, "several_rows", count=count, roll=roll)


def _check_tables(rules: CampaignRules) -> Iterator[RulesFault]:
    """Tables, goods and sections that rows lead to are there, and no table leads to itself.

    One that did would ask for roll after roll without end.
    """
    known = {"table": (rules.tables, "table"), "item": (rules.trade.goods, "good")}
    for place, roll in enumerate(rules.rolls):
        if roll.table not in rules.tables:
            yield rules_fault(
                f"rolls[{place}].table", "unknown", name=roll.table, what="table"
            )
    for path, effect in _effects(rules.tables.values()):
        names, word = known.get(effect.verb, ((effect.name,), ""))
        if effect.name not in names:
            yield rules_fault(
                f"{path}.{effect.verb}", "unknown", name=effect.name, what=word
            )
        if effect.verb == "captive" and not rules.captives:
            yield rules_fault(f"{path}.captive", "no_captives")
    for table in rules.tables:
        if table in _below(rules, table):
            yield rules_fault(f"tables.{table}", "circular")


def _below(rules: CampaignRules, table: str) -> set[str]:
    """Return every table that the rows of one lead to."""
    found: set[str] = set()
    # A walk without recursion, for the tables of a document may go round.
    waiting = [table]
    while waiting:
        here = rules.tables.get(waiting.pop())
        for _, effect in _effects([here] if here else []):
            if effect.verb == "table" and effect.name not in found:
                found.add(effect.name)
                waiting.append(effect.name)
    return found


def _with_below(rules: CampaignRules, table: str) -> list[DiceTable]:
    """Return a table with all those that its rows lead to."""
    names = sorted({table, *_below(rules, table)})
    return [rules.tables[name] for name in names if name in rules.tables]


def _check_group_tables(rules: CampaignRules) -> Iterator[RulesFault]:
    """A group's injuries, and what a warband rolls for itself, have verbs of their own."""
    for kind in rules.kinds.values():
        if kind.is_group and kind.injuries:
            for path in _other_verbs(rules, kind.injuries, GROUP_VERBS):
                yield rules_fault(path, "not_of_groups", name=kind.name)
    for roll in rules.rolls:
        if not roll.kinds:
            for path in _other_verbs(rules, roll.table, WARBAND_VERBS):
                yield rules_fault(path, "not_of_warbands", name=roll.name)


def _other_verbs(rules: CampaignRules, table: str, verbs: Collection[str]) -> Iterator[str]:
    """Yield the path of each effect with another verb, in a table and in those below it."""
    for path, effect in _effects(_with_below(rules, table)):
        if effect.verb not in verbs:
            yield f"{path}.{effect.verb}"


def _check_promotions(rules: CampaignRules) -> Iterator[RulesFault]:
    """A promotion stands in a table of advances, and leads to another kind.

    Promoted by an injury, nobody would know the number of the advance.
    """
    users: dict[str, list[str]] = {}
    for kind in rules.kinds.values():
        users.setdefault(kind.advances, []).append(kind.id)
    for path, effect in _effects(rules.tables.values()):
        if effect.verb != "promote":
            continue
        table = path.split(".")[1]
        if effect.name not in rules.kinds:
            yield rules_fault(f"{path}.promote", "unknown", name=effect.name, what="kind")
        elif effect.name in users.get(table, []):
            yield rules_fault(f"{path}.promote", "same_kind")
        elif table not in users:
            yield rules_fault(f"{path}.promote", "no_advance")


def _check_skills(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every list of skills that a row offers is there."""
    for path, effect in _effects(rules.tables.values()):
        if effect.verb == "skill":
            for named in effect.names:
                if named not in rules.skill_lists:
                    yield rules_fault(
                        f"{path}.skill", "unknown", name=named, what="list of skills"
                    )


def _check_trade(rules: CampaignRules) -> Iterator[RulesFault]:
    """Rare goods have dice to be found by, and hired swords names of their own."""
    if not rules.trade.search:
        for place, good in enumerate(rules.trade.goods.values()):
            if good.rare:
                yield rules_fault(f"trade.goods[{place}].rare", "no_search")
    # A roster names a hired sword by its id.
    known: set[str] = set()
    for place, unit in enumerate(rules.hired):
        if unit.id in known:
            yield rules_fault(f"hired[{place}].id", "repeated", what="hired sword")
        known.add(unit.id)


# Characteristics


def _check_stats(rules: CampaignRules, stats: Collection[str]) -> Iterator[RulesFault]:
    """Every characteristic that is named is one of the system's."""
    for path, named in _named_stats(rules):
        for stat in named:
            if stat not in stats:
                names = ", ".join(stats)
                yield rules_fault(path, "unknown_stat", name=stat, stats=names)


def _named_stats(rules: CampaignRules) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each place that names characteristics, and the names."""
    for path, effect in _effects(rules.tables.values()):
        if effect.verb == "raise":
            yield f"{path}.raise", effect.names
        elif effect.verb == "lower":
            yield f"{path}.lower", [effect.name]
    for kind, gains in rules.maxima.gain.items():
        yield f"maxima.gain.{kind}", gains
    yield "maxima.most", rules.maxima.most
    for place, other in enumerate(rules.maxima.overrides):
        yield f"maxima.for[{place}].most", other.most
    for name, known in rules.skill_lists.items():
        for place, skill in enumerate(known):
            yield f"skills.{name}[{place}].effects", rules.skills[skill].effects
    for place, good in enumerate(rules.trade.goods.values()):
        yield f"trade.goods[{place}].effects", good.effects
    for place, unit in enumerate(rules.hired):
        yield f"hired[{place}].stats", unit.stats
