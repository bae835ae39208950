"""The figures dice are read with: every system's, from its files alone, and the rulings its rule
book prints.
"""

from dataclasses import asdict

import pytest

from engine.calls import CALLS, available
from engine.combat.fighters import effective_save
from rulesdata import registry
from tests.systems import systems_with

BOOKS = [(book.key, book.variant) for book in systems_with("combat")]
WARRIORS = [
    (key, variant) for key, variant in BOOKS if registry.combat_rules(key, variant).injuries
]
each_book = pytest.mark.parametrize("key,variant", BOOKS)


def test_variant_c_is_the_draft_retyped():
    draft = registry.combat_rules("mordheim-draft")
    assert asdict(registry.combat_rules("mordheim-rulings", "C")) == asdict(draft)


def test_odds_play_a_house_rule_as_its_book_has_it_by_default():
    told = {}
    for key, variant in BOOKS:
        figures = registry.combat_rules(key, variant).rulings()
        for rule in registry.load_system(key, variant).house_rules:
            # What a die does not know is only told; some is a call of its own.
            if rule.key in figures:
                told[key, rule.key] = (figures[rule.key], rule.default)
    assert ("warhammer-skirmish", "poison_auto_wound_may_crit") in told
    assert {name: now for name, (now, default) in told.items() if now != default} == {}


@each_book
def test_rules_are_read_once(key, variant):
    assert registry.combat_rules(key, variant) is registry.combat_rules(key, variant)


def test_every_call_is_of_some_system():
    assert set(CALLS) == {
        call
        for key, variant in BOOKS
        for call in available(registry.combat_rules(key, variant))
    }


def test_unknown_books_are_named():
    with pytest.raises(registry.UnknownVariant, match="A, B, C"):
        registry.combat_rules("mordheim-rulings")
    with pytest.raises(registry.UnknownVariant, match="no variants"):
        registry.combat_rules("mordheim-draft", "A")
    with pytest.raises(registry.UnknownSystem):
        registry.combat_rules("chess")


@each_book
def test_charts_are_those_people_read(key, variant):
    book, combat = registry.load_system(key, variant), registry.combat_rules(key, variant)
    if not combat.charts:
        return
    square = range(1, 11)
    melee, wound = book.charts["to-hit-melee"], book.charts["to-wound"]
    assert combat.charts.to_hit_melee == tuple(
        tuple(melee.at(a, b) for b in square) for a in square
    )
    assert combat.charts.to_wound == tuple(
        tuple(wound.at(s, t) for t in square) for s in square
    )


@pytest.mark.parametrize("key,variant", WARRIORS)
def test_strength_works_off_a_save_of_1_first(key, variant):
    combat = registry.combat_rules(key, variant)
    assert [effective_save(combat, 1, strength) for strength in (3, 4, 5, 6)] == [
        2, 2, 3, 4,
    ]  # fmt: skip
    assert effective_save(combat.with_rulings({"best_save": 2}), 1, 4) == 3


def test_d10_prices_are_those_of_its_chart():
    book, duels = (
        registry.load_system("d10-skirmish"),
        registry.combat_rules("d10-skirmish").duels,
    )
    assert duels is not None
    assert [book.charts["bonus-dice"].at(dice, "Points") for dice in range(1, 7)] == list(
        duels.prices["table"]
    )
    assert [row.name.lower() for row in book.tables["big-casualty"].rows] == list(
        dict.fromkeys(duels.big_table)
    )
    recovers = book.tables["casualty"].rows[1]
    assert (recovers.first, recovers.result) == (duels.recovers_from, "ready")


# The rule book


@each_book
def test_rule_book_prints_the_keys_and_values_the_engine_takes(key, variant):
    book, combat = registry.load_system(key, variant), registry.combat_rules(key, variant)
    told = {ruling.key: ruling for ruling in book.rulings if ruling.values}
    assert told
    for name, ruling in told.items():
        assert len(ruling.values) == 1 + len(ruling.alternatives)
        default, *others = ruling.values
        assert combat.with_rulings({name: default}).rulings() == combat.rulings()
        for value in others:
            if value is not None:
                assert (
                    combat.with_rulings({name: value}).rulings()[name]
                    != combat.rulings()[name]
                )
