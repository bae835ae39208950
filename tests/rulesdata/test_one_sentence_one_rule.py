"""What the notes of a rule book say in numbers and states is what its battles go by.

A note and battle.yaml tell the same rule in two places. Each comparison here reads the figure out of
the words and looks it up in the tables, for every text and for each ruling that is played otherwise.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from engine.battles.rules import BattleRules
from engine.roster import PRINTED, Agreement
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import open_rulings

LEADERSHIP_DICE = re.compile(r"(\d?D6)[,:]?(?: \w+){0,3} Leadership or less")
INJURIES = re.compile(r"(\d)(?:-(\d))? (knocked down|stunned|out)\b")
NUMBERS = {"two": 2, "five": 5, "six": 6}
SHORT = {"out": "out of action"}
SYSTEMS = {f"{s.key} {s.variant or ''}".strip(): s for s in registry.rulesets()}


TOLD = {"mordheim-rulings B G49.1"}
"""Played otherwise by the people at the table: the recorder goes on by the text's own."""


def agreements(system: System) -> Iterator[tuple[str, Agreement]]:
    """The text as printed, and with each of its rulings played otherwise."""
    yield "as printed", PRINTED
    for ruling in open_rulings(system):
        for place in range(1, len(ruling.alternatives) + 1):
            yield f"{ruling.ref}.{place}", Agreement(((ruling.ref, place),))


def figures_of(system, rules) -> Iterator[tuple[str, str, object, object]]:
    """Each thing compared: where, what, by the words, by the tables."""
    notes = {note.key: note.text for note in system.notes}
    for key, text in notes.items():
        yield from of_courage(rules, key, text)
        yield from of_leaders(rules, key, text)
        rows = INJURIES.findall(text)
        if len(rows) > 2:
            yield key, "injuries", [row_of(row) for row in rows], injuries_of(rules, key)
    yield from of_throws(rules, notes)
    for state in rules.states.values():
        for phase in rules.phases:
            if re.search(rf"rally in (its )?{phase.name}\b", state.summary):
                moments = next(g.moments for g in rules.guards if g.id == "rallying")
                yield state.id, "where it rallies", (f"{phase.id}.own",), moments


def of_courage(rules: BattleRules, key: str, text: str) -> Iterator[Any]:
    """Dice of Leadership tests, when Rout is due, and whether a side may ask for it."""
    on_leadership = {
        f"{len(test.dice) if len(test.dice) > 1 else ''}D{test.dice[0]}"
        for test in rules.tests.values()
        if test.against == "leadership"
    }
    dice = set(LEADERSHIP_DICE.findall(text))
    if dice and on_leadership:
        yield key, "dice of a Leadership test", dice, on_leadership
    if re.search(r"\btests? of (its|their) own will", text):
        least = None if "Nobody" in text else NUMBERS["two"]
        yield key, "Rout by choice", least, rules.rout and rules.rout.voluntary_from
    if "a quarter" in text and "Leadership" in text and rules.rout and "side" in text:
        part = (rules.rout.numerator, rules.rout.denominator)
        yield key, "Rout", (1, 4), part


def of_leaders(rules: BattleRules, key: str, text: str) -> Iterator[Any]:
    """How far a leader helps, and how many it takes to rally."""
    inches = re.search(r'within (\d+)"', text)
    if key in ("lead-general", "test-leader") and inches and rules.lends:
        yield key, "inches", int(inches[1]), rules.lends.within
    if key == "move-rally":
        least = ("models", NUMBERS["five" if "five models" in text else "two"])
        yield key, "models to rally", least, rules.tests["rally"].needs_counter


def of_throws(rules: BattleRules, notes: dict[str, str]) -> Iterator[Any]:
    if "test-initiative" in notes and "initiative" in rules.tests:
        says_six = "a 6 always fails" in notes["test-initiative"]
        yield "test-initiative", "a 6", says_six, rules.tests["initiative"].fails_on == 6
    if helmet := rules.tests.get("helmet"):
        text = notes["arm-helmet"]
        yield "arm-helmet", "score", int(text.partition("+")[0]), helmet.needs
        name = rules.states[helmet.passes_to].name.lower()
        yield "arm-helmet", "state", text.partition("then ")[2].split(" instead")[0], name
    if dice := rules.counters.get("bonus_dice"):
        text = notes["act-dice"]
        prices = re.search(r"cost ([\d, ]+) points", text)
        cost = tuple(map(int, prices[1].split(", "))) if prices else tuple(range(1, 7))
        yield "act-dice", "prices", cost, dice.prices[:6]
        yield "act-dice", "most", NUMBERS["six"], dice.most


def row_of(found: tuple[str, str, str]) -> tuple[int, int, str]:
    first, last, state = found
    return int(first), int(last or first), SHORT.get(state, state)


def injuries_of(rules: BattleRules, key: str) -> list[tuple[int, int, str]]:
    rows = rules.tests["injury_blunt" if key == "arm-stun" else "injury"].rows
    return [(row.first, row.last, rules.states[row.to].name.lower()) for row in rows]


@pytest.mark.parametrize("name", SYSTEMS)
def test_notes_and_battles_tell_the_same_figures(name: str) -> None:
    system, compared, wrong = SYSTEMS[name], 0, []
    for played, agreed in agreements(system):
        changed = registry.load_system(system.key, system.variant, agreed)
        rules = registry.battle_rules(system.key, system.variant, agreed)
        for where, what, words, tables in figures_of(changed, rules):
            compared += 1
            if words != tables and f"{name} {played}" not in TOLD:
                wrong.append(f"{played}: {where}: {what}: {words}, but {tables}")
    assert wrong == []
    assert compared >= len(list(agreements(system)))
