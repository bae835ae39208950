"""What a document says in one place and must hold in another: names, reach, and sense."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from engine.growth.rules import CampaignRules, GrowthKind, KindMatch
from engine.growth.sections import FaultList
from engine.growth.tables import DiceTable, RowEffect

GROUP_VERBS = frozenset({"", "words", "gone", "misses", "experience", "table", "again"})
"""What a group's injury may be: its members share one experience and one stat line."""
WARBAND_VERBS = frozenset({"", "words", "gain", "item", "table", "again"})
"""What a roll of the warband itself may come to."""
PlacedEffect = tuple[str, RowEffect]
"""An effect with its path."""


def check_rules(
    rules: CampaignRules, faults: FaultList, stats: Collection[str] | None = None
) -> None:
    """Write down every fault that shows only when the whole document is read."""
    for check in (_check_currencies, _check_kinds, _check_named_kinds, _check_tables):
        check(rules, faults)
    for check in (_check_group_tables, _check_promotions, _check_skills, _check_trade):
        check(rules, faults)
    if stats is not None:
        _check_stats(rules, faults, stats)


# Currencies


def _check_currencies(rules: CampaignRules, faults: FaultList) -> None:
    """Every currency that is named is there, and each comes from somewhere."""
    known = [currency.id for currency in rules.currencies]
    if not known:
        faults.add("currencies", "needs at least one currency.")
    for path, named in _named_currencies(rules):
        if named not in known:
            faults.add(path, f"names “{named}”, which is no currency here.")
    if rules.territories and rules.territories.amount and not rules.territories.currency:
        faults.add("territories.income.currency", "is missing.")
    _check_earned(rules, faults)


def _check_earned(rules: CampaignRules, faults: FaultList) -> None:
    """Every currency has a name of its own, and comes from somewhere."""
    earned = set(_earned_currencies(rules))
    seen: set[str] = set()
    for place, currency in enumerate(rules.currencies):
        if currency.id in seen:
            faults.add(f"currencies[{place}].id", "is that of another currency.")
        if not currency.start and currency.id not in earned:
            faults.add(
                f"currencies[{place}]", "starts at 0 and nothing in the rules earns it."
            )
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


def _check_kinds(rules: CampaignRules, faults: FaultList) -> None:
    """Everybody belongs to a kind, and every kind has somebody.

    The first kind that matches counts, so one behind a wider one stays empty, unless warriors
    are promoted to it.
    """
    kinds = list(rules.kinds.values())
    if not any(kind.match.is_everybody for kind in kinds):
        faults.add("kinds", "needs a kind that everybody else belongs to (match: {}).")
    promoted = _promoted_to(rules)
    # What the kinds so far take, all together.
    taken = KindMatch()
    is_taken_by_all = False
    for place, kind in enumerate(kinds):
        path = f"kinds[{place}]"
        nobody_left = is_taken_by_all or (place and _is_within(kind.match, taken))
        if nobody_left and kind.id not in promoted:
            faults.add(
                f"{path}.match", "matches nobody: the kinds before it take them all."
            )
        is_taken_by_all = is_taken_by_all or kind.match.is_everybody
        taken = _joined(taken, kind.match)
        _check_kind(rules, faults, kind, path)


def _check_kind(
    rules: CampaignRules, faults: FaultList, kind: GrowthKind, path: str
) -> None:
    """The tables and lists of skills that a kind names are there."""
    if kind.steps and not kind.advances:
        faults.add(f"{path}.advances", "is missing: the kind has steps.")
    for key, table in (("advances", kind.advances), ("injuries", kind.injuries)):
        if table and table not in rules.tables:
            faults.add(f"{path}.{key}", f"names “{table}”, which is no table here.")
    for named in kind.lists:
        if named not in rules.skill_lists:
            faults.add(
                f"{path}.lists", f"names “{named}”, which is no list of skills here."
            )


def _promoted_to(rules: CampaignRules) -> set[str]:
    """Return the kinds that somebody may become without joining as one."""
    named = {e.name for _, e in _effects(rules.tables.values()) if e.verb == "promote"}
    return named | set(rules.successors[:1])


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


def _check_named_kinds(rules: CampaignRules, faults: FaultList) -> None:
    """Every kind that is named is there."""
    for path, named in _named_kinds(rules):
        for kind in named:
            if kind not in rules.kinds:
                faults.add(path, f"names “{kind}”, which is no kind here.")


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


def _check_tables(rules: CampaignRules, faults: FaultList) -> None:
    """Tables, goods and sections that rows lead to are there, and no table leads to itself.

    One that did would ask for roll after roll without end.
    """
    known = {"table": (rules.tables, "table"), "item": (rules.trade.goods, "good")}
    for place, roll in enumerate(rules.rolls):
        if roll.table not in rules.tables:
            faults.add(
                f"rolls[{place}].table", f"names “{roll.table}”, which is no table here."
            )
    for path, effect in _effects(rules.tables.values()):
        names, word = known.get(effect.verb, ((effect.name,), ""))
        if effect.name not in names:
            faults.add(
                f"{path}.{effect.verb}", f"names “{effect.name}”, which is no {word} here."
            )
        if effect.verb == "captive" and not rules.captives:
            faults.add(f"{path}.captive", "needs the section captives.")
    for table in rules.tables:
        if table in _below(rules, table):
            faults.add(f"tables.{table}", "leads back to itself by its rows.")


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


def _check_group_tables(rules: CampaignRules, faults: FaultList) -> None:
    """A group's injuries, and what a warband rolls for itself, have verbs of their own."""
    for kind in rules.kinds.values():
        if kind.is_group and kind.injuries:
            words = f"cannot befall one of a group (“{kind.name}” rolls here)."
            _check_verbs(rules, faults, kind.injuries, GROUP_VERBS, words)
    for roll in rules.rolls:
        if not roll.kinds:
            words = f"needs a model, and “{roll.name}” is rolled for the warband."
            _check_verbs(rules, faults, roll.table, WARBAND_VERBS, words)


def _check_verbs(
    rules: CampaignRules,
    faults: FaultList,
    table: str,
    verbs: Collection[str],
    words: str,
) -> None:
    """Write down every effect of a table, and of those below it, that has another verb."""
    for path, effect in _effects(_with_below(rules, table)):
        if effect.verb not in verbs:
            faults.add(f"{path}.{effect.verb}", words)


def _check_promotions(rules: CampaignRules, faults: FaultList) -> None:
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
            faults.add(f"{path}.promote", f"names “{effect.name}”, which is no kind here.")
        elif effect.name in users.get(table, []):
            faults.add(f"{path}.promote", "names the kind that rolls on this table.")
        elif table not in users:
            faults.add(f"{path}.promote", "stands in a table that no kind advances by.")


def _check_skills(rules: CampaignRules, faults: FaultList) -> None:
    """Every list of skills that a row offers is there."""
    for path, effect in _effects(rules.tables.values()):
        if effect.verb == "skill":
            for named in effect.names:
                if named not in rules.skill_lists:
                    words = f"names “{named}”, which is no list of skills here."
                    faults.add(f"{path}.skill", words)


def _check_trade(rules: CampaignRules, faults: FaultList) -> None:
    """Rare goods have dice to be found by, and hired swords names of their own."""
    if not rules.trade.search:
        for place, good in enumerate(rules.trade.goods.values()):
            if good.rare:
                path = f"trade.goods[{place}].rare"
                faults.add(path, "needs the dice of trade.search.")
    # A roster names a hired sword by its id.
    known: set[str] = set()
    for place, unit in enumerate(rules.hired):
        if unit.id in known:
            faults.add(f"hired[{place}].id", "is that of another hired sword.")
        known.add(unit.id)


# Characteristics


def _check_stats(rules: CampaignRules, faults: FaultList, stats: Collection[str]) -> None:
    """Every characteristic that is named is one of the system's."""
    for path, named in _named_stats(rules):
        for stat in named:
            if stat not in stats:
                words = f"names “{stat}”; the characteristics are {', '.join(stats)}."
                faults.add(path, words)


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
