"""The tables of battles: every system's, from its files, beside what its other files and the engine
say.
"""

import json
from dataclasses import asdict

import pytest

from engine.battles.event_fold import fold
from engine.battles.sentences import SENTENCES
from engine.battles.types import Combatant, Event, Field, Side
from engine.calls.psychology import may_test_voluntarily, rout_due, rout_leadership
from engine.roster import Agreement
from rulesdata import registry
from rulesdata.checks import check_folder
from tests.systems import each_system

each_book = each_system("battle")
with_rout = pytest.mark.parametrize(
    "key,variant", [("warhammer-skirmish", None), ("mordheim-rulings", "A")]
)


@each_book
def test_every_system_has_tables_and_they_are_read_once(key, variant):
    rules = registry.battle_rules(key, variant)
    assert rules is registry.battle_rules(key, variant)
    assert (rules.system, rules.variant) == (key, variant)
    assert rules.states[rules.begins].is_out is False
    assert 3 <= len(rules.taps) <= 5
    assert any(state.is_out for state in rules.states.values())


@each_book
def test_tables_are_those_people_read(key, variant):
    rules, book = registry.battle_rules(key, variant), registry.load_system(key, variant)
    assert [(s.id, s.name, s.summary) for s in rules.states.values()] == [
        (s.key, s.name, s.summary) for s in book.states
    ]
    assert {(step.before, step.after) for step in rules.steps} == {
        (before, move.to) for move in book.transitions for before in move.source_states
    }
    assert [phase.id for phase in rules.phases] == [phase.key for phase in book.phases]
    assert (rules.rout is None) == (book.rout is None) == ("rout" not in rules.endings)


@each_book
def test_figures_name_their_source(key, variant):
    rules = registry.battle_rules(key, variant)
    assert all(test.source for test in rules.tests.values())
    assert all(counter.source for counter in rules.counters.values())


@each_book
def test_whoever_is_out_stays_out_and_everybody_else_may_go_out(key, variant):
    rules = registry.battle_rules(key, variant)
    out = {state.id for state in rules.states.values() if state.is_out}
    assert not {step.before for step in rules.steps} & out
    ways = {
        before: {s.after for s in rules.steps if s.before == before}
        for before in rules.states
    }
    for state in rules.states.keys() - out:
        seen, reach = set(), {state}
        while reach:
            seen |= reach
            reach = {after for one in reach for after in ways[one]} - seen
        assert seen & out


@each_book
def test_data_for_the_browser_is_plain_json(key, variant):
    data = registry.battle_rules(key, variant).to_json()
    assert json.loads(json.dumps(data)) == data
    assert data["sentences"] == SENTENCES
    assert len(json.dumps(data)) < 28_000


def test_injuries_are_read_off_the_printed_table():
    injury = registry.battle_rules("warhammer-skirmish").tests["injury"]
    assert [(row.first, row.last, row.to) for row in injury.rows] == [
        (1, 2, "knocked_down"),
        (3, 4, "stunned"),
        (5, 6, "out_of_action"),
    ]
    critical = registry.battle_rules("mordheim-draft").tests["critical"]
    assert {row.to for row in critical.rows} == {""}


@with_rout
@pytest.mark.parametrize(
    "leader",
    ["standing", "fleeing", "knocked_down", "stunned", "out_of_action", "left_table"],
)
@pytest.mark.parametrize(
    "other", ["standing", "fleeing", "knocked_down", "stunned", "out_of_action"]
)
def test_leadership_of_a_rout_is_the_one_the_engine_names(key, variant, leader, other):
    rules, combat = registry.battle_rules(key, variant), registry.combat_rules(key, variant)
    ours = Side(
        "a",
        "A",
        2,
        None,
        (Combatant("a1", "a", "L", None, 9, True), Combatant("a2", "a", "O", None, 6)),
    )
    moves = [("a1", leader), ("a2", other)]
    events = [
        Event(
            str(n),
            "p",
            n,
            "",
            "state",
            {"combatant": who, "to": to, "forced": True, "note": "x"},
        )
        for n, (who, to) in enumerate(moves)
        if to != rules.begins
    ]
    rout = fold(rules, Field((ours, Side("b", "B", 1))), events).sides["a"].rout
    assert rout.leadership == rout_leadership(
        combat, {"leadership": 9, "state": leader}, [{"leadership": 6, "state": other}]
    )


@with_rout
@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 15])
def test_rout_is_due_and_may_be_asked_for_when_the_engine_says(key, variant, size):
    rules, combat = registry.battle_rules(key, variant), registry.combat_rules(key, variant)
    men = tuple(Combatant(f"a{n}", "a", f"A{n}", None, 7) for n in range(size))
    field = Field((Side("a", "A", size, None, men), Side("b", "B", 1)))
    for out in range(size):
        events = [
            Event(
                str(n), "p", n, "", "state", {"combatant": f"a{n}", "to": "out_of_action"}
            )
            for n in range(out)
        ]
        rout = fold(rules, field, events).sides["a"].rout
        assert rout.due == rout_due(combat, size, out)
        assert (rout.may_ask or rout.due) == (
            rout_due(combat, size, out) or may_test_voluntarily(combat, out)
        )
        assert rout.due == (out >= rout.out_from)


def test_system_without_the_file_records_no_battles(packs, monkeypatch):
    # Its rows name what the battle records, so they go with it.
    for name in ("battle.yaml", "coverage.yaml"):
        (packs.path("systems/mordheim-draft") / name).unlink()
    monkeypatch.setattr(registry, "PACKS", packs.path("."))
    registry.clear_cache()
    try:
        with pytest.raises(registry.NoBattles, match="mordheim-draft"):
            registry.battle_rules("mordheim-draft")
        assert check_folder(packs.path("systems/mordheim-draft")) == []
    finally:
        monkeypatch.undo()
        registry.clear_cache()


def test_unknown_books_are_named():
    with pytest.raises(registry.UnknownVariant, match="A, B, C"):
        registry.battle_rules("mordheim-rulings")
    with pytest.raises(registry.UnknownSystem):
        registry.battle_rules("chess")


def test_variant_goes_over_what_its_system_shares():
    shared, own = (
        registry.battle_rules("mordheim-rulings", "C"),
        registry.battle_rules("mordheim-rulings", "B", Agreement((("G07-02", 1),))),
    )
    assert set(own.marks) == {*shared.marks, "has_parried", "reloading", "fired_once"}
    assert set(own.tests) == {*shared.tests, "injury_blunt", "helmet"}
    assert asdict(own.marks["ran"]) == asdict(shared.marks["ran"])
