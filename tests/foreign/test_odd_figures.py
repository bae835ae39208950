"""Figures that no catalogue means, and entries without ids: none of them stops the reading."""

import pytest

from interchange.profiles import read_figure
from tests.foreign.test_catalogue_mapping import doubts
from tests.foreign.test_catalogue_traps import BOAT, ROWERS, boat
from tests.foreign.test_catalogues import option, translated, unit

TOO_LONG = "9" * 5000
STRENGTH = '<characteristic name="S" typeId="c-s">{}</characteristic>'


@pytest.mark.parametrize("figure", ["²", "--4", "٣", TOO_LONG, "1e400", "NaN", "4" * 12])
def test_stat_lines_hold_any_text(figure: str) -> None:
    found = translated(STRENGTH.format(3), STRENGTH.format(figure))
    captain = unit(found, "lamp-captain")
    assert captain.points == 60
    assert {key: captain.stats[key] for key in ("WS", "T")} == {"WS": 4, "T": 3}


def test_figures_of_other_letters_and_of_any_length() -> None:
    assert [read_figure(text) for text in ("4", '4"', "-", "3+")] == [
        (4, True),
        (4, True),
        (None, True),
        ("3+", True),
    ]
    assert read_figure(TOO_LONG) == (None, False)
    assert read_figure("²") == (None, False)


def price_change(kind: str, value: str) -> str:
    return f'<modifier type="{kind}" field="coin" value="{value}"/>'


@pytest.mark.parametrize("changes", [
    price_change("divide", "1e-999999"),
    price_change("divide", "0.0001") * 99,
    price_change("multiply", "999999") * 99,
    price_change("multiply", "-1e-99"),
    price_change("increment", "9" * 5000),
])  # fmt: skip
def test_prices_beyond_any_list_are_doubts(changes: str) -> None:
    found = boat(f"<modifiers>{changes}</modifiers>")
    assert -1_000 <= option(found, ROWERS, BOAT).points <= 5_000
    told = [one for one in found.report.doubts if one.what == "Boat"]
    assert told
    assert max(len(one.figure) for one in told) < 40


def test_groups_of_profiles_that_lead_everywhere_are_read_once() -> None:
    links = "".join(
        f'<infoLink id="i{n}" targetId="ig" type="infoGroup"/>' for n in range(300)
    )
    group = (
        f'<sharedInfoGroups><infoGroup id="ig" name="All"><infoLinks>{links}</infoLinks>'
        "</infoGroup></sharedInfoGroups><selectionEntries>"
    )
    linked = 'name="Lamp Captain" type="model" hidden="false">'
    text = f'{linked}<infoLinks><infoLink id="il0" targetId="ig" type="infoGroup"/></infoLinks>'
    found = translated(
        '<selectionEntries>\n    <selectionEntry id="u-captain" ' + linked,
        group + '<selectionEntry id="u-captain" ' + text,
    )
    assert unit(found, "lamp-captain").stats["WS"] == 4
    assert "Stat line" not in doubts(found, "Lamp Captain")


def test_options_without_an_id_are_known_by_their_names() -> None:
    found = translated('<selectionEntry id="e-mail" ', "<selectionEntry ")
    mail = option(found, "lamp-captain", "mail-coat")
    assert (mail.points, mail.origins) == (15, ())
