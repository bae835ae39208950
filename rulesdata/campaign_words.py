"""Campaign rules in words: what a row does, whom a kind takes, what a battle earns."""

from collections.abc import Callable, Mapping

from engine.growth.effects import describe_effect
from engine.growth.rules import CampaignRules, GrowthKind, IncomeLine, KindMatch
from engine.growth.tables import NOTHING, RolledRow, RowEffect
from engine.records import NumberByKey, Texts
from engine.words import capital, join_words, signed
from rulesdata.text import key_words

MONEY = "{money}"
"""Where the name of a currency goes."""
DEED_NAMES: Mapping[str, str] = {
    "fought": "Came back from the battle",
    "put_out": "Took an enemy out of action",
    "leader_won": "Led the winners",
    "objective": "Took an objective",
    "won": "Won",
    "drawn": "Drew",
    "lost": "Lost",
}
INCOME_NAMES: Mapping[str, str] = {
    "result": "By the result",
    "dice": "By a roll",
    "objective": "For each objective",
    "unfought": "For a game that is not fought",
}
MEASURE_NAMES: Mapping[str, str] = {
    "price": "The price of each model",
    "experience": "Experience",
    "models": "Each model",
    "skills": "Each skill",
}


# Names


def kinds_words(rules: CampaignRules, kinds: Texts) -> str:
    """Return the names of kinds; none named are all."""
    if not kinds:
        return "All"
    return join_words(map(rules.kind_name, kinds))


# Figures and kinds


def figures_words(figures: NumberByKey) -> str:
    """Return characteristics with their figures: WS 2, BS 1."""
    return ", ".join(f"{stat} {number}" for stat, number in figures.items())


def changes_words(figures: NumberByKey) -> str:
    """Return what is added to characteristics: +1 BS, −1 M."""
    return ", ".join(f"{signed(number)} {stat}" for stat, number in figures.items())


def match_words(match: KindMatch) -> str:
    """Return whom a kind takes."""
    if match.is_everybody:
        return "Everybody else"
    found = []
    if match.leader:
        found.append("the leader")
    if match.hired:
        found.append("hired swords")
    named = (*match.categories, *match.troop_types, *match.profiles)
    found += [key_words(key).lower() for key in named]
    return capital(join_words(found))


def steps_words(kind: GrowthKind) -> str:
    """Return the experience at which a kind advances."""
    return ", ".join(map(str, kind.steps)) or "None"


# What a row of a table does


def effect_words(rules: CampaignRules, effect: RowEffect) -> str:
    """Return what an effect does."""
    return describe_effect(rules, effect, in_book=True) or "Nothing happens"


def row_words(rules: CampaignRules, row: RolledRow) -> str:
    """Return what a row does, and what it does where that cannot be."""
    told = effect_words(rules, row.effect)
    if row.otherwise == NOTHING:
        return told
    return f"{told}. If it cannot: {effect_words(rules, row.otherwise)}"


def roll_words(row: RolledRow) -> str:
    """Return the rolls of a row."""
    return str(row.least) if row.least == row.most else f"{row.least}–{row.most}"


# Income


def income_words(rules: CampaignRules, line: IncomeLine) -> tuple[str, str]:
    """Return when a line of income pays, and what."""
    told, usual = _INCOMES[line.when](line)
    return line.name or usual, told.replace(MONEY, rules.currency_name(line.currency))


def _amounts(line: IncomeLine) -> str:
    """Return what a line pays for each outcome."""
    told = ", ".join(f"{word} {amount}" for word, amount in line.amounts.items())
    return f"{told} {MONEY}"


def _result_income(line: IncomeLine) -> tuple[str, str]:
    return _amounts(line), "Every battle"


def _dice_income(line: IncomeLine) -> tuple[str, str]:
    times = f" × {line.times}" if line.times != 1 else ""
    return f"{line.dice}{times} {MONEY}", "Roll"


def _objective_income(line: IncomeLine) -> tuple[str, str]:
    most = f", at most {line.most} of them" if line.most else ""
    return f"{line.each} {MONEY} each{most}", key_words(line.objective)


def _unfought_income(line: IncomeLine) -> tuple[str, str]:
    return _amounts(line), "Game not fought"


_INCOMES: Mapping[str, Callable[[IncomeLine], tuple[str, str]]] = {
    "result": _result_income,
    "dice": _dice_income,
    "objective": _objective_income,
    "unfought": _unfought_income,
}
"""What each sort of income pays, with room for the currency, and what it is called."""
