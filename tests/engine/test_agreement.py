"""What is agreed: which choices count, on whose word, and what they are called."""

from types import SimpleNamespace

import pytest

from engine.roster import (
    EDITION,
    PRINTED,
    Agreement,
    agreement,
    in_force,
    layered,
    of_layer,
    ruling_source,
    sources,
)
from engine.types.systems import system_address

# C01 has two alternatives, C02 one; C03 has none.
KNOWN = [
    SimpleNamespace(ref=f"C0{number}", alternatives=("x",) * count)
    for number, count in ((1, 2), (2, 1), (3, 0))
]
LAYERS = {"club": {"C01": 1, "C02": 1}, "event": {"C01": 2}, "battle": {"C02": 0}}


@pytest.mark.parametrize("chosen, counted", [
    ({"C01": 0}, ()), ({"C01": 1}, (("C01", 1),)), ({"C01": 2}, (("C01", 2),)),
    ({"C01": 3}, ()), ({"C01": -1}, ()), ({"C03": 1}, ()), ({"C99": 1}, ()),
    ({"C02": 1, "C01": 1}, (("C01", 1), ("C02", 1))),
])  # fmt: skip
def test_of_rulings_that_are_known_the_alternatives_count_that_they_have(chosen, counted):
    assert agreement(chosen, {}, KNOWN) == Agreement(counted)


def test_nothing_counts_where_no_ruling_is_known() -> None:
    assert agreement({"C01": 1}, {}) == PRINTED


def test_house_rules_that_are_on_are_in_the_order_of_their_keys() -> None:
    chosen = {"mud": True, "fog": False, "ice": True}
    assert agreement({}, chosen, KNOWN).house_rules == ("ice", "mud")


def test_the_last_layer_that_names_a_ruling_decides() -> None:
    assert in_force(LAYERS) == {"C01": 2, "C02": 0}
    assert sources(LAYERS) == {"C01": "event", "C02": "battle"}
    assert ruling_source(LAYERS, "C03") == "text"
    assert agreement(LAYERS, {}, KNOWN).rulings == (("C01", 2),)
    # Whatever order the layers are kept in.
    assert in_force(dict(reversed(LAYERS.items()))) == {"C01": 2, "C02": 0}
    assert in_force({"elsewhere": {"C01": 1}}) == {}


def test_choices_of_one_layer_alone_have_no_name() -> None:
    assert in_force({"C01": 2}) == {"C01": 2}
    assert sources({"C01": 2}) == {"C01": ""}
    assert of_layer({"C01": 2}, "battle") == {"C01": 2}
    assert of_layer(LAYERS, "event") == {"C01": 2}
    assert of_layer({"club": {"C01": 1}}, "event") == {}


def test_layers_are_kept_weakest_first_without_the_empty_ones() -> None:
    kept = layered(battle={"C02": 0}, event={}, club={"C01": 1})
    assert list(kept.items()) == [("club", {"C01": 1}), ("battle", {"C02": 0})]


def test_changes_are_named_as_the_files_name_them() -> None:
    assert PRINTED.changes == ()
    agreed = Agreement((("C01", 2), ("C02", 1)), ("fog",), EDITION - 1, "raid")
    assert agreed.changes == (
        f"edition_{EDITION - 1}",
        "C01.2",
        "C02.1",
        "fog",
        "scenario/raid",
    )


@pytest.mark.parametrize(
    "variant, address", [(None, "five-rules"), ("", "five-rules"), ("B", "five-rules.B")]
)
def test_an_address_names_the_variant_where_there_is_one(variant, address):
    assert system_address("five-rules", variant) == address
