"""What a rule system's values say of themselves: scenarios, limits, charts, rulings."""

from dataclasses import replace

import pytest

from engine.errors import Refusal, refused_at
from engine.records import (
    copy_fields,
    frozen_dataclass,
    grouped,
    is_int_within,
    keyword_dataclass,
    named_values,
)
from engine.types.mechanics import Chart, HouseRule, Ruling
from engine.types.systems import COMMON_LIMIT, Scenario, System, Variant

SIEGE = Scenario(
    "siege",
    "The siege",
    "five-rules",
    "",
    sides=(
        {"name": "The crowd", "waives": ["type.monster"]},
        {"id": "guns", "name": "The gunners", "waives": ["type.war_machine"]},
        {"id": "walls", "name": "The walls"},
    ),
    waives=("models.too_many",),
)


def test_a_scenario_is_played_as_one_of_its_sides() -> None:
    guns = SIEGE.of_part("guns")
    assert guns is not None
    assert (guns.key, guns.name, guns.part) == (
        "siege@guns", "The siege: The gunners", "guns",
    )  # fmt: skip
    assert guns.waives == ("models.too_many", "type.war_machine")
    walls = SIEGE.of_part("walls")
    assert walls is not None
    assert (walls.key, walls.waives) == ("siege@walls", ("models.too_many",))
    assert [SIEGE.of_part(part) for part in ("", "towers")] == [None, None]


def test_sides_with_an_id_are_parts_and_sides_may_do_what_they_waive() -> None:
    assert SIEGE.parts == ("guns", "walls")
    assert SIEGE.allowed_to("type.war_machine") == ("The gunners",)
    assert SIEGE.allowed_to("type.monster") == ("The crowd",)
    assert SIEGE.allowed_to("models.too_many") == ()


def test_a_system_finds_a_scenario_and_its_sides_by_their_key(system: System) -> None:
    played = replace(system, scenarios={"siege": SIEGE})
    assert played.scenario("siege") == SIEGE
    assert played.scenario("siege@walls") == SIEGE.of_part("walls")
    for key in ("siege@", "siege@towers", "raid", "raid@walls", ""):
        assert played.scenario(key) is None


def test_house_rules_are_played_where_they_are_chosen_or_usual(system: System) -> None:
    rules = (HouseRule("mud", "Mud", ""), HouseRule("fog", "Fog", "", default=True))
    played = replace(system, house_rules=rules)
    assert played.house_rules_in({}) == ("Fog",)
    assert played.house_rules_in({"mud": True, "fog": False}) == ("Mud",)
    assert played.house_rules_in({"mud": True, "ice": True}) == ("Mud", "Fog")


def test_a_list_with_columns_of_its_own_is_shown_with_them(system, empire):
    stats = system.stats[:2]
    own = replace(empire, stats=stats, has_own_columns=True)
    assert system.with_list_columns(own).stats == stats
    assert system.with_list_columns(replace(own, has_own_columns=False)) is system


@pytest.mark.parametrize("of_list, of_system, are_optional, limit", [
    (300, 200, False, 300), (None, 200, False, 200),
    (None, None, False, COMMON_LIMIT),
    (None, None, True, None), (None, 200, True, 200), (300, None, True, 300),
])  # fmt: skip
def test_the_usual_limit_is_the_lists_then_the_systems_then_a_common_one(
    system, of_list, of_system, are_optional, limit
):
    played = replace(system, default_limit=of_system, are_points_optional=are_optional)
    assert played.usual_limit(of_list) == limit


def test_a_variant_is_named_behind_its_system(system: System) -> None:
    variants = (Variant("A", "Text A", ""), Variant("B", "Text B", ""))
    shared = replace(system, variants=variants, variant=None, variant_name="")
    one = replace(shared, variant="B", variant_name="Text B")
    assert shared.variant_keys == ("A", "B")
    assert (shared.is_shared_part, one.is_shared_part) == (True, False)
    assert not replace(shared, variants=()).is_shared_part
    assert (shared.full_name, shared.address) == (system.name, system.key)
    assert (one.full_name, one.address) == (f"{system.name}, Text B", f"{system.key}.B")


def test_a_guideline_is_found_by_its_code(system: System) -> None:
    first, second, *_ = system.guidelines
    assert system.guideline(second.code) is second
    assert system.guideline(f"{first.code}x") is None


def test_a_chart_has_a_figure_where_row_and_column_meet() -> None:
    chart = Chart(
        "hit", "To hit", "Row", "Column", ("1", "2"), {"1": (4, 5), "2": (3, None)}
    )
    assert [chart.at(1, 2), chart.at("2", "1"), chart.at(2, 2)] == [5, 3, None]
    with pytest.raises(KeyError, match="hit: no column 3"):
        chart.at(1, 3)
    with pytest.raises(KeyError):
        chart.at(3, 1)


# Rulings

RULING = Ruling(
    "C01",
    "Ties",
    "both fall",
    alternatives=("roll again", "nobody falls"),
    values=(1, 2, 3),
)


@pytest.mark.parametrize("place, default, others, values", [
    (1, "roll again", ("both fall", "nobody falls"), (2, 1, 3)),
    (2, "nobody falls", ("both fall", "roll again"), (3, 1, 2)),
])  # fmt: skip
def test_an_agreed_alternative_changes_places_with_the_text(place, default, others, values):
    agreed = RULING.agreed(place)
    assert (agreed.default, agreed.alternatives, agreed.values) == (default, others, values)
    assert agreed.chosen == place
    # However it is played, its ways stand in the order of the text.
    assert agreed.ways == RULING.ways == ("both fall", "roll again", "nobody falls")


def test_an_alternative_that_no_die_knows_leaves_no_value() -> None:
    unknown = replace(RULING, values=(1, None, 3))
    assert unknown.agreed(1).values == ()
    assert unknown.agreed(2).values == (3, 1, None)
    assert replace(RULING, values=()).agreed(1).values == ()


# Records


@frozen_dataclass
class Frozen:
    one: int
    other: int = 2


@keyword_dataclass
class ByName:
    one: int = 1


def test_records_take_no_value_beyond_their_fields() -> None:
    for record in (Frozen(1), ByName(one=1)):
        assert not hasattr(record, "__dict__")
        with pytest.raises(AttributeError):
            record.one = 2
        with pytest.raises(AttributeError):
            object.__setattr__(record, "more", 1)
    with pytest.raises(TypeError):
        ByName(1)


def test_a_record_is_copied_by_the_names_of_its_fields() -> None:
    assert copy_fields(Frozen, Frozen(5, 6)) == Frozen(5, 6)
    assert copy_fields(Frozen, Frozen(5, 6), other=7) == Frozen(5, 7)
    assert copy_fields(Frozen, ByName(one=3)) == Frozen(3, 2)
    with pytest.raises(TypeError):
        copy_fields(Frozen, object())
    assert named_values(Frozen(5, 6), "other", "one") == {"other": 6, "one": 5}


def test_values_are_grouped_in_their_order() -> None:
    pairs = [("b", 1), ("a", 2), ("b", 3)]
    assert list(grouped(pairs).items()) == [("b", [1, 3]), ("a", [2])]


@pytest.mark.parametrize("value, is_within", [
    (1, False), (2, True), (5, True), (6, False), (3.0, False), ("3", False), (None, False),
])  # fmt: skip
def test_a_whole_number_lies_within_its_ends(value: object, is_within: bool) -> None:
    assert is_int_within(value, 2, 5) is is_within


def test_true_and_false_are_no_numbers() -> None:
    assert [is_int_within(value, 0, 1) for value in (True, False, 0, 1)] == [
        False, False, True, True,
    ]  # fmt: skip


def test_a_refusal_names_the_field_it_is_told_to() -> None:
    with pytest.raises(Refusal) as caught, refused_at("outer"):
        raise Refusal("No.", field="inner")
    assert (caught.value.message, caught.value.field, str(caught.value)) == (
        "No.", "outer", "No.",
    )  # fmt: skip
    assert Refusal("No.").field == ""
    with pytest.raises(ValueError, match="other"), refused_at("outer"):
        raise ValueError("other")
