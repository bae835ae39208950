"""Catalogues of a made-up game: which files belong together, what they come to, what is refused."""

import io
import zipfile
from dataclasses import replace
from itertools import chain

import pytest

from engine.errors import Refusal
from interchange.catalogues import (
    CatalogueFile,
    choose_catalogue,
    close,
    plain_name,
    read_catalogue_file,
)
from interchange.files import OpenedFile, open_archives
from interchange.options import TranslatedOption
from interchange.profiles import OptionItem
from interchange.translation import Frame, TranslatedUnit, Translation, translate
from tests.foreign.lantern_gangs import CATALOGUE_FILES, MADE

NAMES = CATALOGUE_FILES
COLUMNS = ("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld")
FRAME = Frame(COLUMNS, {plain_name("Mail Coats"): OptionItem("light-armour", "armour")})


def read(name: str, **changes: str) -> CatalogueFile:
    text = (MADE / name).read_text()
    for old, new in changes.items():
        text = text.replace(old.replace("_", "-"), new)
    return read_catalogue_file(OpenedFile(name, "xml", text))


def translated(text: str = "", instead: str = "") -> Translation:
    files = []
    for name in NAMES:
        found = (MADE / name).read_text()
        if name == NAMES[2] and text:
            assert text in found
            found = found.replace(text, instead)
        files.append(read_catalogue_file(OpenedFile(name, "xml", found)))
    return translate(close(choose_catalogue(files), files), FRAME)


@pytest.fixture(scope="module")
def wardens() -> Translation:
    return translated()


def unit(found: Translation, key: str) -> TranslatedUnit:
    return next(one for one in found.units if one.key == key)


def option(found: Translation, unit_key: str, key: str) -> TranslatedOption:
    return next(one for one in unit(found, unit_key).options if one.key == key)


def test_units_have_price_line_and_limits(wardens: Translation) -> None:
    captain = unit(wardens, "lamp-captain")
    assert (captain.points, captain.second, captain.least, captain.most) == (60, 5, 1, 1)
    assert captain.origins == ("u-captain",)
    assert captain.rules == ("Night Eyes",)
    # One better for good; what a blade gives is not there yet.
    assert captain.stats == dict(zip(COLUMNS, (4, 4, 4, 3, 3, 1, 4, 1, 8), strict=True))


def test_what_a_model_must_have_is_in_its_price(wardens: Translation) -> None:
    lighters = unit(wardens, "lamplighters")
    assert (lighters.points, lighters.model_name, lighters.size) == (
        20,
        "Lamplighter",
        (1, 5),
    )
    assert (lighters.least, lighters.most) == (None, 5)
    assert lighters.origins == ("u-lighters", "m-lighter")
    assert (lighters.stats["M"], lighters.stats["BS"], lighters.stats["A"]) == (
        4, None, "D3",
    )  # fmt: skip


def test_several_kinds_of_model_are_several_units(wardens: Translation) -> None:
    names = [one.name for one in wardens.units]
    assert names[2:] == ["Owl Keepers: Keeper", "Owl Keepers: Owl"]
    assert wardens.categories == (("cat-boss", "Bosses"), ("cat-gang", "Gangers"))
    assert (wardens.price_type, wardens.second_type) == ("gc", "Standing")


def test_the_price_of_a_link_stands_for_its_target(wardens: Translation) -> None:
    assert option(wardens, "lamp-captain", "oil-blade").points == 8
    market = next(
        one
        for one in unit(wardens, "lamp-captain").options
        if "l-market-blade" in one.origins
    )
    assert (market.points, market.second) == (10, 1)


def test_a_price_by_models_counts_none_for_a_single_miniature(wardens: Translation) -> None:
    """Who is the model holds none: six for both, and not twelve for the captain."""
    assert option(wardens, "lamp-captain", "long-hook").points == 6
    hook = option(wardens, "lamplighters", "long-hook")
    assert (hook.points, hook.per) == (6, "model")
    # A blade is paid once, however many there are.
    assert option(wardens, "lamplighters", "oil-blade").per == "unit"


def test_own_options_need_and_exclude_each_other(wardens: Translation) -> None:
    oil = option(wardens, "lamp-captain", "spare-oil")
    assert oil.settings["requires_any"] == ["watchmans-lamp"]
    assert dict(oil.points_if)[("oil-blade",)] == 1
    assert option(wardens, "lamp-captain", "whistle").settings["excludes"] == [
        "watchmans-lamp"
    ]
    etched = option(wardens, "lamp-captain", "oil-blade-etched")
    assert (etched.points, etched.settings["requires"]) == (20, ["oil-blade"])
    # Hidden from gangers by their category.
    assert not [one for one in unit(wardens, "lamplighters").options if "etched" in one.key]


def test_groups_of_one_have_their_default(wardens: Translation) -> None:
    cloak = option(wardens, "lamp-captain", "cloak")
    assert cloak.settings == {
        "kind": "other",
        "group": "coat",
        "exclusive": True,
        "group_required": True,
        "default": True,
    }
    mail = option(wardens, "lamp-captain", "mail-coat")
    assert "default" not in mail.settings
    assert (mail.settings["kind"], mail.settings["items"]) == ("armour", ["light-armour"])
    lamp = option(wardens, "lamp-captain", "watchmans-lamp")
    assert (lamp.name, lamp.per, lamp.maximum) == ("Watchman's Lamp", "each", 3)


def test_the_report_says_what_is_missing(wardens: Translation) -> None:
    dropped = wardens.report.dropped
    assert dropped["Choices of a campaign: Experience"] == 1
    assert dropped["Settings of the list"] == 1
    assert dropped["Texts: description"] == 1
    told = {(one.unit, one.what): one for one in wardens.report.doubts}
    assert told["Owl Keepers: Owl", "Price"].figure == "7.5"
    assert ("", "Lost Lantern") in told
    ghosts = [one for one in unit(wardens, "lamp-captain").options if "ghost" in one.key]
    assert ghosts == []


def test_no_text_of_theirs_is_kept(wardens: Translation) -> None:
    assert "somebody else" not in repr(wardens)
    assert "nobody keeps" not in repr(wardens)


def test_a_price_that_hangs_on_the_list_is_a_doubt() -> None:
    condition = (
        '<modifiers><modifier type="increment" field="coin" value="9"><conditions><condition '
        'type="atLeast" scope="roster" childId="u-owls" field="selections" value="1"/>'
        "</conditions></modifier></modifiers>"
    )
    mark = (
        '<entryLink id="l2-hook" targetId="e-hook" type="selectionEntry" name="Long Hook"/>'
    )
    found = translated(mark, mark.replace("/>", f">{condition}</entryLink>"))
    told = {(one.unit, one.what): one.why for one in found.report.doubts}
    assert "rest of the list" in told["Lamplighters", "Long Hook"]
    assert option(found, "lamplighters", "long-hook").points == 6


@pytest.mark.parametrize("change", [
    ('<modifier type="warp" field="coin" value="9"/>', "is not evaluated"),
    (
        '<modifier type="increment" field="coin" value="9"><conditions><condition '
        'type="atLeast" scope="roster" childId="x" field="coin" value="1"/>'
        "</conditions></modifier>",
        "count of points",
    ),
])  # fmt: skip
def test_what_is_beyond_the_subset_is_a_doubt(change: tuple[str, str]) -> None:
    mark = (
        '<entryLink id="l2-hook" targetId="e-hook" type="selectionEntry" name="Long Hook"/>'
    )
    changed = f"><modifiers>{change[0]}</modifiers></entryLink>"
    found = translated(mark, mark.replace("/>", changed))
    told = [one.why for one in found.report.doubts if one.what == "Long Hook"]
    assert any(change[1] in why for why in told)


def test_a_missing_file_is_asked_for_by_name() -> None:
    wardens, system = read(NAMES[2]), read(NAMES[0])
    found = close(wardens, [wardens, system])
    assert found.missing == ("Armoury",)
    assert close(wardens, [wardens]).missing == ("Armoury", "the game system (.gst)")


def test_links_in_a_circle_are_refused() -> None:
    mark = '<selectionEntry id="e-cloak" name="Cloak" type="upgrade" hidden="false"/>'
    circle = '<entryLinks><entryLink id="l-c" targetId="u-captain" name="C"/></entryLinks>'
    with pytest.raises(
        Refusal, match="“Lamp Captain” holds a link that leads back to itself"
    ):
        translated(mark, mark.replace("/>", f">{circle}</selectionEntry>"))


def test_an_old_dialect_is_refused_with_the_way_to_convert_it() -> None:
    text = (MADE / NAMES[0]).read_text().replace('"2.03"', '"1.15b"')
    with pytest.raises(Refusal, match=r"1\.15b, and we read 2\.00 to 2\.03\. Open it in"):
        read_catalogue_file(OpenedFile("old.gst", "xml", text))


@pytest.mark.parametrize("text", ["<roster battleScribeVersion='2.03' id='x'/>", "{}"])
def test_what_is_no_catalogue_is_refused(text: str) -> None:
    form = "xml" if text.startswith("<") else "json"
    with pytest.raises(Refusal, match="is no catalogue"):
        read_catalogue_file(OpenedFile("a.cat", form, text))


def test_which_catalogue_is_asked_where_several_are_there() -> None:
    files = [read(name) for name in NAMES]
    other = replace(files[2], root=replace(files[2].root))
    other.root.attributes = {
        **other.root.attributes,
        "id": "cat-moths",
        "name": "The Moths",
    }
    with pytest.raises(Refusal, match="choose which of these becomes the list") as refused:
        choose_catalogue([*files, other])
    assert refused.value.field == "catalogue"
    assert choose_catalogue([*files, other], "The Moths").id == "cat-moths"
    with pytest.raises(Refusal, match="there is no “The Rats”"):
        choose_catalogue(files, "The Rats")
    with pytest.raises(Refusal, match=r"Add the \.cat file"):
        choose_catalogue(files[:2])


def packed(*members: tuple[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


def test_files_come_out_of_zips_and_zips_of_zips() -> None:
    made = [(name, (MADE / name).read_bytes()) for name in NAMES]
    inner = packed(made[2])
    outer = packed(made[0], ("folder/wardens.catz", inner), ("picture.png", b"\x89PNG\r\n"))
    opened = open_archives([made[1], ("game.zip", outer)])
    assert [one.name for one in opened] == [NAMES[1], NAMES[0], NAMES[2]]


@pytest.mark.parametrize("name", ["wardens.zip", "a.cat"])
def test_other_zips_within_zips_are_refused(name: str) -> None:
    inner = packed((NAMES[0], (MADE / NAMES[0]).read_bytes()))
    with pytest.raises(Refusal, match="zip file within a zip file"):
        open_archives([("game.zip", packed((name, inner)))])


def test_what_is_sent_is_bounded() -> None:
    with pytest.raises(Refusal, match="choose 1 to 10 files"):
        open_archives([])
    zeros = packed(*((f"{n}.cat", b"\0" * 16_000_000) for n in range(3)))
    with pytest.raises(Refusal, match="times its size"):
        open_archives([("bomb.zip", zeros)])


def test_every_doubt_names_a_unit_that_is_there(wardens: Translation) -> None:
    names = {one.name for one in wardens.units} | {""}
    told = chain.from_iterable(wardens.report.doubts_of(name) for name in names)
    assert len(list(told)) == len(wardens.report.doubts)
