"""Catalogues whose units join the list of another one, and which price of several counts."""

from collections.abc import Sequence

import pytest

from engine.errors import Refusal
from interchange.catalogues import CatalogueFile, choose_also, choose_catalogue, close
from interchange.prices import choose_prices, price_names
from interchange.translation import Translation, translate
from tests.foreign.test_catalogues import FRAME, NAMES, option, read, unit

HANDS = "lantern-hands.cat"


def files() -> list[CatalogueFile]:
    return [read(name) for name in (*NAMES, HANDS)]


def translated(also: Sequence[str] = (), price_type: str = "") -> Translation:
    sent = files()
    beside = choose_also(sent, also)
    main = choose_catalogue(sent, "The Wardens (1a)", beside)
    return translate(close(main, sent, beside), FRAME, price_type)


def test_units_also_offered_join_the_list() -> None:
    alone, found = translated(), translated(["Night Hands"])
    assert [one.key for one in found.units] == [
        *(one.key for one in alone.units),
        "fog-walker",
    ]
    assert found.name == "The Wardens (1a)"
    assert ("cat-hired", "Hired Hands") in found.categories
    assert [name for _, name, _ in found.files][-1] == "Night Hands"
    # It is hired by the Wardens, and their catalogue is the first.
    assert unit(found, "fog-walker").points == 45


def test_an_id_means_what_its_own_files_say() -> None:
    found = translated(["cat-hands"])
    assert option(found, "fog-walker", "grapnel").points == 12
    assert option(found, "lamp-captain", "long-hook").points == 6
    assert not [one for one in unit(found, "lamp-captain").options if one.key == "grapnel"]


def test_what_is_also_offered_is_not_the_list_itself() -> None:
    sent = files()
    assert (
        choose_catalogue(sent, "", choose_also(sent, ["Night Hands"])).id == "cat-wardens"
    )
    with pytest.raises(Refusal, match="choose which of these becomes the list"):
        choose_catalogue(sent)
    with pytest.raises(Refusal, match="there is no single “The Rats”") as refused:
        choose_also(sent, ["The Rats"])
    assert refused.value.field == "also"
    assert "Armoury" in refused.value.message
    assert "Lantern Gangs" not in refused.value.message


def test_missing_files_of_what_is_also_offered_are_asked_for() -> None:
    hands, wardens, system = read(HANDS), read(NAMES[2]), read(NAMES[0])
    found = close(wardens, [wardens, system, hands], [hands])
    assert found.missing == ("Armoury",)


def test_the_price_that_counts_may_be_chosen() -> None:
    found = translated(["Night Hands"], "standing")
    assert (found.price_type, found.second_type) == ("Standing", "gc")
    assert unit(found, "lamp-captain").points == 5
    assert found.price_types[0] == ("standing", "Standing")
    with pytest.raises(Refusal, match=r"choose one of: gc, Standing, Fame\.") as refused:
        translated(["Night Hands"], "rarity")
    assert refused.value.field == "price_type"


def test_a_type_nobody_defines_counts_where_something_costs_it() -> None:
    sent = files()
    names = price_names(close(sent[3], sent))
    # Fame costs something and rarity never does; no file defines either.
    assert names == {"coin": "gc", "standing": "Standing", "fame": "Fame"}
    assert price_names(close(sent[2], sent)).keys() == {"coin", "standing"}


def test_the_most_used_price_counts_where_none_is_called_points() -> None:
    assert choose_prices({"a": "Renown", "b": "Fame"}).first == "a"
    assert choose_prices({"a": "Renown", "b": "PTS"}).first == "b"
    assert choose_prices({"a": "Renown"}).second == ""
    assert choose_prices({}).first == ""
