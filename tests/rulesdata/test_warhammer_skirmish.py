"""Warhammer Skirmish as its pack has it: guidelines, charts, states, scenarios."""

import pytest

from engine.findings.case import sentence
from engine.findings.checks import KINDS
from rulesdata import registry

SYSTEM = "warhammer-skirmish"


@pytest.fixture(scope="module")
def mechanics():
    return registry.load_system(SYSTEM)


CODES = {
    "points.total_range": "note", "wizard.few": "note", "magic_items.few": "note",
    "command.champion": "note", "command.shared": "error",
    "points.over_limit": "error", "points.limit_range": "warning", "points.under_limit": "note",
    "leader.missing": "error", "leader.many": "error", "leader.not_highest_leadership": "error",
    "leader.below_troops": "note",
    "leader.not_character": "warning", "wizard.level": "error", "wizard.count": "warning", "magic_items": "warning",
    "models.too_many": "warning", "type.cavalry": "warning", "type.monster": "warning", "type.war_machine": "warning",
    "type.chariot": "warning", "type.flyer": "warning", "type.swarm": "warning", "type.not_infantry": "note",
    "category.special": "warning", "category.rare": "warning", "category.lord": "warning",
    "command.standard": "warning", "command.musician": "warning", "profile.special_character": "warning",
    "profile.incomplete": "warning", "profile.army_max": "note", "option.conflict": "error",
    "option.requirement": "error", "option.unknown": "error", "profile.unknown": "error",
}  # fmt: skip


def test_guidelines_have_the_agreed_codes_and_levels(mechanics):
    assert {g.code: g.level for g in mechanics.guidelines} == CODES


def test_messages_are_sentences_that_can_be_filled_in(mechanics):
    for guideline in mechanics.guidelines:
        for number in (1, 2):
            fields = {
                name: number if of_type is int else "Somebody"
                for name, of_type in KINDS[guideline.kind].fields.items()
            }
            text = sentence(guideline.message, fields)
            assert text.endswith("."), guideline.code
            assert not set("{}|") & set(text)


def test_charts_are_borrowed_by_a_ruling(mechanics):
    """Their figures are in test_charts.py."""
    borrowed = [chart for chart in mechanics.charts.values() if chart.borrowed_from]
    assert len(borrowed) == len(mechanics.charts) == 6
    assert {chart.ruling for chart in borrowed} == {"G01", "G02", "G03", "G04"}


def test_system_has_its_parts(mechanics):
    assert [s.key for s in mechanics.stats] == [
        "M", "WS", "BS", "S", "T", "W", "I", "A", "Ld",
    ]  # fmt: skip
    assert [p.key for p in mechanics.phases] == [
        "recovery", "movement", "magic", "shooting", "close-combat",
    ]  # fmt: skip
    assert len(mechanics.house_rules) == 5
    assert not any(rule.default for rule in mechanics.house_rules)
    assert len(mechanics.rulings) == 76
    assert {r.ref for r in mechanics.rulings if r.is_outside_texts} == {
        "G10", "G10-02", "G23", "G24",
    }  # fmt: skip
    assert mechanics.movement.flight == ((6, "2D6"), (None, "3D6"))
    assert (mechanics.rout.numerator, mechanics.rout.denominator) == (1, 4)
    assert (
        mechanics.saves["best"],
        mechanics.saves["mounted"],
        mechanics.saves["thick_skinned"],
    ) == (1, 1, 2)


def test_states_and_transitions_belong_together(mechanics):
    keys = {state.key for state in mechanics.states}
    used = {key for move in mechanics.transitions for key in (*move.source_states, move.to)}
    assert used == keys
    assert {s.key for s in mechanics.states if s.is_ticked} == {
        "knocked_down", "stunned", "out_of_action",
    }  # fmt: skip


def test_twelve_scenarios_with_everything_a_table_needs(mechanics):
    assert set(mechanics.scenarios) == {
        "border-skirmish", "scouting-parties-meet", "militia-defends-the-village", "raid-on-the-tomb",
        "hunt-the-troll", "a-lord-against-many", "swap-sides-rematch", "straight-fight", "rescue", "treasure",
        "ambush", "hold-the-building",
    }  # fmt: skip
    for scenario in mechanics.scenarios.values():
        assert len(scenario.sides) == 2
        assert all((scenario.setup, scenario.objectives, scenario.length, scenario.source))
    hunt = mechanics.scenarios["hunt-the-troll"]
    assert (hunt.waives, hunt.allowed_to("type.monster")) == ((), ("The beast",))
    beast, lord = (
        mechanics.scenario(key)
        for key in ("hunt-the-troll@the-beast", "a-lord-against-many@the-lord")
    )
    assert beast is not None
    assert lord is not None
    assert (beast.name, beast.part) == ("Hunt the troll: The beast", "the-beast")
    assert "type.monster" in beast.waives
    assert lord.waives == ("category.lord",)
    assert mechanics.scenario("hunt-the-troll@hunters") is None
    assert mechanics.scenario("hunt-the-troll@") is None
