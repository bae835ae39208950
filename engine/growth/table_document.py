"""Reads the tables of a document: dice, rows without a hole or a double, and what each row does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from engine.growth.sections import LIST_MAX, WORDS_MAX, DocumentSection
from engine.growth.tables import DICE, NOTHING, DiceTable, RolledRow, RowEffect, rolls_of

TABLES_MOST, ROWS_MOST = 60, 36
BATTLES_MOST = 20
ROLLS_AGAIN_MOST = 4
LOSSES = ("dearest", "all")


def read_tables(document: DocumentSection) -> dict[str, DiceTable]:
    """Read every table of a document."""
    tables = {}
    for name, value in document.by_name("tables", TABLES_MOST):
        section = document.as_section(value, f"{document.at('tables')}.{name}")
        dice = section.one_of("dice", DICE)
        rows = tuple(map(_row, section.sections("rows", ROWS_MOST, may_lack=False)))
        section.check_known()
        tables[name] = DiceTable(name, dice, rows)
        if rows:
            _check_whole(section, tables[name])
    return tables


def _row(section: DocumentSection) -> RolledRow:
    """Read a row.

    - {least: 1, most: 3, name: A trained hand, effect: {raise: [WS]}, otherwise: {skill: true}}
    """
    least = section.number("least", 1, 66)
    most = section.number("most", 1, 66)
    if least > most:
        section.fault("most", f"must not be below {least}.")
    effect = read_effect(section, "effect")
    otherwise = read_effect(section, "otherwise") if section.has("otherwise") else NOTHING
    if otherwise.verb and not effect.verb:
        section.fault("otherwise", "needs an effect that may be impossible.")
    return RolledRow(least, most, section.text("name"), effect, otherwise)


def _check_whole(section: DocumentSection, table: DiceTable) -> None:
    """Every roll of the dice has one row, and every row rolls that the dice come to."""
    every = rolls_of(table.dice)
    met = Counter(
        roll for row in table.rows for roll in every if row.least <= roll <= row.most
    )
    # D66 never comes to 17 or 20, so both ends are looked up, not compared.
    for place, row in enumerate(table.rows):
        if row.least not in every or row.most not in every:
            words = f"{table.dice} comes to {every[0]} to {every[-1]}."
            section.fault(f"rows[{place}]", words)
    for roll in every:
        if not met[roll]:
            section.fault("rows", f"has no row for a roll of {roll}.")
        elif met[roll] > 1:
            section.fault("rows", f"has {met[roll]} rows for a roll of {roll}.")


def read_effect(section: DocumentSection, key: str) -> RowEffect:
    """Read what a row does: one verb, and words beside it."""
    effect = section.section(key)
    words = effect.text("words", "", WORDS_MAX)
    # Words may stand beside any verb, and are none by themselves.
    verbs = [verb for verb in effect.data if verb in READERS]
    if len(verbs) > 1:
        section.fault(key, f"has {' and '.join(verbs)}, and one row does one thing.")
    found = READERS[verbs[0]](effect, verbs[0]) if verbs else NOTHING
    effect.read |= READERS.keys()
    effect.check_known()
    if words and not found.verb:
        return RowEffect("words", words=words)
    return RowEffect(found.verb, found.name, found.names, found.number, found.dice, words)


def _named(section: DocumentSection, verb: str) -> RowEffect:
    """Read a verb that names something: `lower: WS`, `table: lasting`, `promote: hero`."""
    return RowEffect(verb, name=section.id(verb))


def _flagged(section: DocumentSection, verb: str) -> RowEffect:
    """Read a verb that needs nothing: `gone: true`, `captive: true`."""
    if not section.flag(verb):
        section.fault(verb, "must be true, or left out.")
    return RowEffect(verb)


def _raised(section: DocumentSection, verb: str) -> RowEffect:
    """Read which characteristics may be raised: `raise: [WS, BS]`."""
    names = section.words(verb)
    if not names:
        section.fault(verb, "must name at least one characteristic.")
    return RowEffect(verb, names=names)


def _skill(section: DocumentSection, verb: str) -> RowEffect:
    """Read `skill: true` for the lists of the kind, or the lists: `skill: [arms]`."""
    if section.data[verb] is True:
        section.read.add(verb)
        return RowEffect(verb)
    return RowEffect(verb, names=section.words(verb, most=LIST_MAX))


def _amount(section: DocumentSection, verb: str, key: str, most: int) -> RowEffect:
    """Read a number, or the dice that are thrown for it."""
    if isinstance(section.data.get(key), str):
        return RowEffect(verb, dice=section.one_of(key, DICE))
    return RowEffect(verb, number=section.number(key, 1, most))


def _misses(section: DocumentSection, verb: str) -> RowEffect:
    """Read how many battles are missed: `misses: 1`, `misses: D3`."""
    return _amount(section, verb, verb, BATTLES_MOST)


def _again(section: DocumentSection, verb: str) -> RowEffect:
    """Read how many rolls follow on the same table: `again: 2`."""
    return RowEffect(verb, number=section.number(verb, 1, ROLLS_AGAIN_MOST))


def _loses(section: DocumentSection, verb: str) -> RowEffect:
    """Read what is lost: `loses: dearest`, `loses: all`."""
    return RowEffect(verb, name=section.one_of(verb, LOSSES))


def _experience(section: DocumentSection, verb: str) -> RowEffect:
    """Read how much is learned: `experience: 2`."""
    return RowEffect(verb, number=section.number(verb, 1, 100))


def _gain(section: DocumentSection, verb: str) -> RowEffect:
    """Read what is gained: `gain: {currency: crowns, amount: 5}`, or with `dice: D6`."""
    gain = section.section(verb)
    currency = gain.id("currency")
    if gain.has("dice"):
        amount = RowEffect(verb, dice=gain.one_of("dice", DICE))
    else:
        amount = RowEffect(verb, number=gain.number("amount", 1))
    gain.check_known()
    return RowEffect(verb, currency, number=amount.number, dice=amount.dice)


def _old_wound(section: DocumentSection, verb: str) -> RowEffect:
    """Read what keeps somebody away: `old_wound: {dice: D6, at_most: 1}`."""
    wound = section.section(verb)
    dice = wound.one_of("dice", DICE)
    at_most = wound.number("at_most", 1, 66)
    wound.check_known()
    return RowEffect(verb, number=at_most, dice=dice)


READERS: Mapping[str, Callable[[DocumentSection, str], RowEffect]] = {
    "raise": _raised,
    "skill": _skill,
    "promote": _named,
    "gone": _flagged,
    "misses": _misses,
    "lower": _named,
    "table": _named,
    "again": _again,
    "captive": _flagged,
    "loses": _loses,
    "experience": _experience,
    "gain": _gain,
    "item": _named,
    "old_wound": _old_wound,
}
"""How each verb is read; ``words`` may stand beside any of them."""
