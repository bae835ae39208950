"""What can be wrong with campaign rules: faults by their codes with one table of sentences, and
the checks of what must hold between sections. The shape of each is the schema's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

from engine.errors import Refusal
from engine.growth.dues import INJURY
from engine.growth.effects import VERBS
from engine.growth.rules import CampaignRules, ExtraRoll, KindMatch
from engine.growth.tables import SUM, DiceTable, RolledRow, RowEffect
from engine.records import frozen_dataclass

SENTENCES: Mapping[str, str] = {
    # The shape of one value, by the codes of pydantic and those of the schema's own checks.
    "missing": "is missing.",
    "extra_forbidden": "is not a key here.",
    "no_value": "has no value; words with a comma need quotes.",
    "model_type": "must be a mapping of keys and values.",
    "model_attributes_type": "must be a mapping of keys and values.",
    "dict_type": "must be a mapping of keys and values.",
    "list_type": "must be a list.",
    "string_type": "must be a text.",
    "int_type": "must be a whole number.",
    "bool_type": "must be true or false.",
    "string_too_short": "must not be empty.",
    "string_too_long": "must have at most {max_length} characters.",
    "string_pattern_mismatch": "must be a word of 1 to 40 letters, digits, - and _.",
    "greater_than_equal": "must be at least {ge}.",
    "less_than_equal": "must be at most {le}.",
    "literal_error": "must be {expected}.",
    "union_tag_invalid": "must be {expected_tags}.",
    "union_tag_not_found": "is missing.",
    "too_long": "holds {actual_length}, and {max_length} is the most.",
    "too_short": "must be a share such as [1, 2].",
    "no_share": "must be a share such as [1, 2], of which the second is not 0.",
    "no_line": "must be one line.",
    "twice": "names something twice.",
    "too_few": "must name at least {least}.",
    "empty": "must name at least one.",
    "not_rising": "must rise from each to the next.",
    "several_verbs": "has {verbs}, and one row does one thing.",
    "no_amount": "is missing.",
    # What must hold between values.
    "unknown": "names “{name}”, which is no {what} here.",
    "unknown_stat": "names “{name}”; the characteristics are {stats}.",
    "repeated": "is that of another {what}.",
    "in_use": "“{name}” is in use and cannot be left out.",
    "other_system": "do not name {system}: these rules are for others.",
    "no_currency": "needs at least one currency.",
    "unearned": "starts at 0 and nothing in the rules earns it.",
    "not_all": "needs a kind that everybody else belongs to (match: {{}}).",
    "nobody": "matches nobody: the kinds before it take them all.",
    "no_advances": "is missing: the kind has steps.",
    "below_least": "must not be below {least}.",
    "needless": "needs an effect that may be impossible.",
    "beyond_dice": "{dice} comes to {least} to {most}.",
    "other_dice": "must name a table with dice: {dice}.",
    "other_length": "must have {count} prices: one more than models.",
    "no_row": "has no row for a roll of {roll}.",
    "several_rows": "has {count} rows for a roll of {roll}.",
    "circular": "leads back to itself by its rows.",
    "no_captives": "needs the section captives.",
    "not_of_groups": "cannot befall one of a group (“{name}” rolls here).",
    "not_of_warbands": "needs a model, and “{name}” is rolled for the warband.",
    "same_kind": "names the kind that rolls on this table.",
    "no_advance": "stands in a table that no kind advances by.",
    "no_search": "needs the dice of trade.search.",
    # The document whole.
    "too_deep": "is nested too deeply to be read.",
    "too_large": "is larger than {most} KiB.",
}
"""What is told of each fault; the values in braces stand beside its code."""


@frozen_dataclass
class RulesFault:
    """One thing wrong with a document, and the path of the place."""

    path: str
    message: str
    code: str = ""


def rules_fault(path: str, code: str, **values: object) -> RulesFault:
    """Return a fault with its sentence."""
    return RulesFault(path, SENTENCES.get(code, "cannot be read.").format(**values), code)


class FaultyRules(Refusal):
    """A document that cannot be used; ``faults`` is the whole work list."""

    def __init__(self, faults: Sequence[RulesFault]) -> None:
        """Keep all faults; the message tells the first and how many more there are."""
        self.faults = tuple(faults)
        first = self.faults[0]
        more = len(self.faults) - 1
        ending = f" ({more} more)" if more else ""
        super().__init__(f"{first.path}: {first.message}{ending}", field="document")


# What a document says in one place and must hold in another: names, reach, and sense.

GROUP_VERBS = {name for name, verb in VERBS.items() if verb.is_for_groups}
WARBAND_VERBS = {name for name, verb in VERBS.items() if verb.is_for_warbands}
Reference = tuple[str, str, Iterable[str]]
"""A place that names others: its path, what they are, and the names."""


def check_rules(
    rules: CampaignRules, stats: Collection[str] | None, references: Iterable[Reference]
) -> Iterator[RulesFault]:
    """Yield every fault that shows only when the whole document is read.

    ``references`` are what it names outside of the rows of its tables.
    """
    checks = (
        _check_currencies, _check_kinds, _check_underdog, _check_rows, _check_rolls,
        _check_tables, _check_group_tables, _check_advances, _check_trade,
    )  # fmt: skip
    effects = _effect_references(rules.tables.values())
    gains = rules.maxima.gain.items()
    figures = ((f"maxima.gain.{key}", "characteristic", gain) for key, gain in gains)
    yield from _unknown_names(rules, stats, chain(references, figures, effects))
    for check in checks:
        yield from check(rules)


# Names


def check_effect(
    rules: CampaignRules, effect: RowEffect, stats: Collection[str]
) -> Iterator[RulesFault]:
    """Yield a fault for whatever an effect names that rules or their system lack."""
    table = DiceTable("", "", (RolledRow(0, 0, "", effect),))
    yield from _unknown_names(rules, stats, _effect_references([table]))


def _unknown_names(
    rules: CampaignRules, stats: Collection[str] | None, references: Iterable[Reference]
) -> Iterator[RulesFault]:
    defined: dict[str, Collection[str]] = {
        "currency": [currency.id for currency in rules.currencies],
        "kind": rules.kinds,
        "kind or warband": ("warband", *rules.kinds),
        "table": [key for key, table in rules.tables.items() if table.dice != SUM],
        "table for a pool": rules.tables,
        "good": rules.trade.goods,
        "mark": rules.marks,
        "roll, and not injury": (INJURY, *(roll.id for roll in rules.rolls)),
        "list of skills": rules.skill_lists,
    }
    for path, what, names in references:
        for name in names:
            if what != "characteristic":
                if name not in defined[what]:
                    yield rules_fault(path, "unknown", name=name, what=what)
            elif stats is not None and name not in stats:
                yield rules_fault(path, "unknown_stat", name=name, stats=", ".join(stats))


def _effect_references(tables: Iterable[DiceTable]) -> Iterator[Reference]:
    """Yield what rows of tables name, as the shapes of their verbs say."""
    for path, effect in _effects(tables):
        shapes = VERBS[effect.verb].shapes
        place = f"{path}.{effect.verb}"
        if any(shape.sort == "amount" for shape in shapes):
            place = path
        # Of several shapes each names the same.
        for what in dict.fromkeys(shape.names for shape in shapes if shape.names):
            yield place, what, effect.names or filter(None, [effect.name])


# Currencies


def _check_currencies(rules: CampaignRules) -> Iterator[RulesFault]:
    """There is a currency, and each comes from somewhere."""
    if not rules.currencies:
        yield rules_fault("currencies", "no_currency")
    ground = rules.territories
    if ground and ground.amount and not ground.currency:
        yield rules_fault("territories.income.currency", "missing")
    earned = {*_earned_currencies(rules), *(sale.paid_in for sale in rules.sales)}
    for place, currency in enumerate(rules.currencies):
        if not currency.start and currency.id not in earned:
            yield rules_fault(f"currencies[{place}]", "unearned")


def _earned_currencies(rules: CampaignRules) -> Iterator[str]:
    """Yield every currency that a battle, a table or anything else pays."""
    for line in rules.income:
        if line.when in ("dice", "objective") or any(line.amounts.values()):
            yield line.currency
    for _, effect in _effects(rules.tables.values()):
        if effect.verb == "gain":
            yield effect.name
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
    effects = [effect for _, effect in _effects(rules.tables.values())]
    promoted = {effect.name for effect in effects if effect.verb == "promote"}
    promoted.update(rules.successors[:1])
    # What the kinds so far match, all together.
    matched = KindMatch()
    is_everybody_matched = False
    for place, kind in enumerate(kinds):
        match = kind.match
        is_empty = is_everybody_matched or (place and match.is_within(matched))
        if is_empty and kind.id not in promoted:
            yield rules_fault(f"kinds[{place}].match", "nobody")
        is_everybody_matched = is_everybody_matched or match.is_everybody
        matched = matched.joined(match)


# Tables


def _effects(tables: Iterable[DiceTable]) -> Iterator[tuple[str, RowEffect]]:
    """Yield every effect of some tables with its path."""
    for table in tables:
        for place, row in enumerate(table.rows):
            path = f"tables.{table.id}.rows[{place}]"
            names = ["effect", "otherwise"]
            if len(row.otherwise) > 1:
                names[1:] = (f"otherwise[{n}]" for n in range(len(row.otherwise)))
            for name, effect in zip(names, (row.effect, *row.otherwise), strict=False):
                yield f"{path}.{name}", effect
                for number, part in enumerate(effect.parts):
                    yield f"{path}.{name}.all[{number}]", part


def _check_underdog(rules: CampaignRules) -> Iterator[RulesFault]:
    """The last row that is reached counts, so they must rise."""
    for place, (row, other) in enumerate(pairwise(rules.underdog), 1):
        if other.lead <= row.lead:
            yield rules_fault(f"underdog[{place}].from", "not_rising")


def _check_rows(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every row has rolls that the dice come to, and does something before it does otherwise."""
    for table in rules.tables.values():
        every = table.rolls
        for place, row in enumerate(table.rows):
            path = f"tables.{table.id}.rows[{place}]"
            if row.least > row.most:
                yield rules_fault(f"{path}.most", "below_least", least=row.least)
            if row.otherwise and not row.effect.verb:
                yield rules_fault(f"{path}.otherwise", "needless")
            # D66 never comes to 17 or 20, so both ends are looked up, not compared.
            if row.least not in every or row.most not in every:
                ends = {"least": every[0], "most": every[-1]}
                yield rules_fault(path, "beyond_dice", dice=table.dice, **ends)


def _check_rolls(rules: CampaignRules) -> Iterator[RulesFault]:
    """Every roll of a table's dice has one row."""
    for table in rules.tables.values():
        path = f"tables.{table.id}.rows"
        for roll in table.rolls if table.rows else ():
            count = sum(row.least <= roll <= row.most for row in table.rows)
            if not count:
                yield rules_fault(path, "no_row", roll=roll)
            elif count > 1:
                yield rules_fault(path, "several_rows", count=count, roll=roll)


def _check_tables(rules: CampaignRules) -> Iterator[RulesFault]:
    """Captives have their section, and no table leads to itself.

    One that did would ask for roll after roll without end.
    """
    for path, effect in _effects(rules.tables.values()):
        if effect.verb == "captive" and not rules.captives:
            yield rules_fault(f"{path}.captive", "no_captives")
    for table in rules.tables:
        if table in _below(rules, table):
            yield rules_fault(f"tables.{table}", "circular")


def _below(rules: CampaignRules, key: str) -> set[str]:
    """Return every table that the rows of one lead to."""
    below: set[str] = set()
    # A walk without recursion, for the tables of a document may go round.
    waiting = [key]
    while waiting:
        table = rules.tables.get(waiting.pop())
        for _, effect in _effects([table] if table else []):
            if effect.verb == "table" and effect.name not in below:
                below.add(effect.name)
                waiting.append(effect.name)
    return below


def _check_group_tables(rules: CampaignRules) -> Iterator[RulesFault]:
    """A group's injuries, and what a warband rolls for itself, have verbs of their own."""
    for kind in rules.kinds.values():
        if kind.is_group and kind.injuries:
            for path in _other_verbs(rules, kind.injuries, GROUP_VERBS):
                yield rules_fault(path, "not_of_groups", name=kind.name)
    for roll in rules.rolls:
        if not roll.kinds:
            for table in (roll.table, *roll.alike.values()):
                for path in _other_verbs(rules, table, WARBAND_VERBS):
                    yield rules_fault(path, "not_of_warbands", name=roll.name)
    yield from _check_pools(rules)


def _check_pools(rules: CampaignRules) -> Iterator[RulesFault]:
    """A pool has dice, and its table alone is read by their sum."""
    for place, roll in enumerate(rules.rolls):
        table, path = rules.tables.get(roll.table), f"rolls[{place}].table"
        if table and roll.pool and table.dice != SUM:
            yield rules_fault(path, "other_dice", dice=SUM)
        if table and not roll.pool and table.dice == SUM:
            yield rules_fault(path, "unknown", name=roll.table, what="table")
        if roll.alike and not roll.pool:
            yield rules_fault(f"rolls[{place}].pool", "missing")
        yield from _check_alike(rules, roll, f"rolls[{place}].alike")


def _check_alike(rules: CampaignRules, roll: ExtraRoll, path: str) -> Iterator[RulesFault]:
    """The tables of like faces are there, and are read by one die."""
    for number, key in roll.alike.items():
        table = rules.tables.get(key)
        if table is None:
            yield rules_fault(f"{path}.{number}", "unknown", name=key, what="table")
        elif roll.pool and table.dice != roll.pool.die:
            yield rules_fault(f"{path}.{number}", "other_dice", dice=roll.pool.die)


def _other_verbs(rules: CampaignRules, key: str, verbs: Collection[str]) -> Iterator[str]:
    """Yield the path of each effect with another verb, in a table and in those below it."""
    keys = sorted({key, *_below(rules, key)} & rules.tables.keys())
    for path, effect in _effects(rules.tables[name] for name in keys):
        if effect.verb not in verbs:
            yield f"{path}.{effect.verb}"


def _check_advances(rules: CampaignRules) -> Iterator[RulesFault]:
    """Steps have a table of advances, and a promotion stands in one and leads to another kind.

    Promoted by an injury, nobody would know the number of the advance.
    """
    users: dict[str, list[str]] = {}
    for place, kind in enumerate(rules.kinds.values()):
        users.setdefault(kind.advances, []).append(kind.id)
        if kind.steps and not kind.advances:
            yield rules_fault(f"kinds[{place}].advances", "no_advances")
    for path, effect in _effects(rules.tables.values()):
        if effect.verb != "promote" or effect.name not in rules.kinds:
            continue
        table = path.split(".")[1]
        if effect.number and not rules.kinds[effect.name].advances:
            yield rules_fault(f"{path}.promote", "no_advances")
        if effect.name in users.get(table, []):
            yield rules_fault(f"{path}.promote", "same_kind")
        elif table not in users:
            yield rules_fault(f"{path}.promote", "no_advance")


def _check_trade(rules: CampaignRules) -> Iterator[RulesFault]:
    """Rare goods have dice to be found by, and sales a price in each place."""
    for place, sale in enumerate(rules.sales):
        for number, row in enumerate(sale.rows):
            if len(row) != len(sale.models) + 1:
                path, count = f"sales[{place}].rows[{number}]", len(sale.models) + 1
                yield rules_fault(path, "other_length", count=count)
    if not rules.trade.search:
        for place, good in enumerate(rules.trade.goods.values()):
            if good.rare:
                yield rules_fault(f"trade.goods[{place}].rare", "no_search")
