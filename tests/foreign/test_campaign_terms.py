"""What a catalogue says of campaigns, and what the list that is made of it says then."""

from datetime import date
from typing import Any

import pytest

from engine.errors import Refusal
from interchange.catalogues import close
from interchange.translation import Translation, translate
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, list_document
from rulesdata.own_lists import read_own_list
from rulesdata.pack_files.yaml_files import Document
from tests.foreign.test_also_offered import translated
from tests.foreign.test_catalogues import FRAME, NAMES, option, read, unit

SHELF = registry.find_printed_lists("whfb6", "")


@pytest.fixture(scope="module")
def found() -> Translation:
    return translated(["Night Hands"])


def test_gear_of_a_market_is_sold_in_campaigns_and_may_be_rare(found: Translation) -> None:
    blades = [one for one in unit(found, "lamp-captain").options if "blade" in one.key]
    terms = {
        one.points: {
            key: value
            for key, value in one.settings.items()
            if key in ("rarity", "trade_only")
        }
        for one in blades
    }
    # 8 in the gear that it may begin with, 10 where it is looked for.
    assert terms[8] == {}
    assert terms[10] == {"rarity": 8, "trade_only": True}
    assert "trade_only" not in option(found, "lamplighters", "oil-blade").settings


@pytest.mark.parametrize("market, street", [("Night Market", "Bench"), ("Bench", "Market")])
def test_gear_of_a_market_and_of_the_start_at_one_price_is_for_both(market, street):
    changes = {
        'typeId="coin" value="8"': 'typeId="coin" value="10"',
        "Starting gear": street,
        "Night Market": market,
    }
    files = [read(name, **changes) for name in NAMES]
    options = unit(translate(close(files[2], files), FRAME), "lamp-captain").options
    [blade] = [one for one in options if one.key == "oil-blade"]
    assert blade.points == 10
    assert "trade_only" not in blade.settings


def test_a_compulsory_count_of_experience_is_what_a_unit_begins_with(found):
    assert unit(found, "lamp-captain").campaign == {"starting_experience": 8}
    assert unit(found, "lamplighters").campaign == {}
    assert found.report.dropped["Choices of a campaign: Experience"] == 1


def test_units_of_hired_hands_are_hired_with_their_upkeep(found: Translation) -> None:
    assert unit(found, "fog-walker").campaign == {"hired": {"upkeep": 15}}


def test_figures_of_campaigns_are_no_prices(found: Translation) -> None:
    assert [name for _, name in found.price_types] == ["gc", "Standing", "Fame"]
    with pytest.raises(Refusal, match="Price: choose one of: gc, Standing, Fame"):
        translated(["Night Hands"], "rare")


def test_the_list_keeps_it_and_has_no_fault(found: Translation) -> None:
    head = ListHead("The Wardens", SHELF.collection, read_on=date(2026, 11, 23))
    document: dict[str, Any] = list_document(found, head)
    file, faults = read_own_list(Document(document), SHELF)
    assert (faults, file is None) == ([], False)
    units = {one["id"]: one for one in document["units"]}
    assert units["fog-walker"]["hired"] == {"upkeep": 15}
    assert units["lamp-captain"]["starting_experience"] == 8
