"""What an entry pays and is: prices, unknown keys, lines, wizard level, Leadership."""

from dataclasses import replace

import pytest

from engine.roster import ChangedFigure, EntryGrowth, RosterEntry
from engine.selection import (
    ReceiptLine,
    change_without,
    counts_points,
    grown_figure,
    option_points,
    points_left,
    points_over,
    price_kept,
    select,
    select_all,
    total_models,
    total_points,
)
from engine.stat_lines import changed_figure, stat_lines
from engine.types.lists import Army, Champion, Figure, Option, StatLine
from engine.types.systems import System
from rulesdata import registry
from tests.factories import make_entry


@pytest.mark.parametrize(
    "limit, total, left, over",
    [(None, 9, None, 0), (10, 9, 1, 0), (10, 10, 0, 0), (10, 11, -1, 1), (0, 0, 0, 0)],
)
def test_points_left_and_points_over_the_limit(limit, total, left, over):
    assert (points_left(limit, total), points_over(limit, total)) == (left, over)


@pytest.mark.parametrize("printed, grown", [(4, 2), (2, 0), (1, 0)])
def test_a_figure_that_a_campaign_lowers_ends_at_0(printed: int, grown: int) -> None:
    growth = EntryGrowth(changed=(ChangedFigure("Ld", 7, 5),))
    assert grown_figure(printed, growth, "Ld") == grown
    assert grown_figure(printed, growth, "WS") == printed


def test_entry_pays_base_and_everything_listed_for_each(empire: Army) -> None:
    selection = select(
        empire, make_entry(profile="captain", options=["halberd", "shield"], count=3)
    )
    assert [(line.label, line.points) for line in selection.receipt] == [
        ("Captain", 50),
        ("Halberd", 4),
        ("Shield", 2),
    ]
    assert (selection.points_each, selection.points, selection.miniatures) == (56, 168, 3)


def test_unknown_option_is_kept_and_free(empire: Army) -> None:
    selection = select(empire, make_entry(profile="captain", options=["jetpack"]))
    assert (selection.unknown, selection.points) == (("jetpack",), 50)


def test_unknown_profile_is_free_and_named_by_its_key(empire: Army) -> None:
    selection = select(
        empire, make_entry(profile="space-captain", options=["jetpack"], count=2)
    )
    assert (selection.points, selection.title, selection.miniatures) == (
        0, "space-captain", 2,
    )  # fmt: skip
    assert stat_lines(selection, empire) == ()
    assert selection.wizard_level == 0


def test_command_and_magic_have_their_prices(empire: Army) -> None:
    options = ["champion", "musician", "standard-bearer", "magic/sword-of-might"]
    selection = select(empire, make_entry(options=options))
    sword = empire.magic_items["sword-of-might"].points
    assert selection.points == 6 + 10 + 5 + 10 + sword
    assert selection.command == ("champion", "musician", "standard-bearer")


def test_option_sold_by_the_piece_is_paid_by_the_piece(system: System) -> None:
    goblins = registry.load_army(system.key, "orcs-and-goblins")
    two = select(
        goblins, make_entry(profile="night-goblins", options=["fanatics", "fanatics"])
    )
    none = select(goblins, make_entry(profile="night-goblins"))
    assert two.points - none.points == 50
    assert two.receipt[-1].times == 2


def test_price_that_depends_on_another_option(system: System) -> None:
    elves = registry.load_army(system.key, "wood-elves")
    options = {option.key: option for option in elves.profiles["wood-elf-highborn"].options}
    assert option_points(options["spear"], {}) > 0
    assert option_points(options["spear"], {"wild-rider-kindred": 1}) == 0


def test_champion_brings_his_own_line_and_options(empire: Army) -> None:
    selection = select(
        empire,
        make_entry(profile="handgunners", options=["champion", "hochland-long-rifle"]),
    )
    assert selection.title == "Marksman (Handgunners)"
    assert stat_lines(selection, empire)[0].name == "Marksman"
    assert stat_lines(selection, empire)[0].stats["BS"] == 4
    assert [option.key for option in selection.champions_options] == ["hochland-long-rifle"]


def test_mount_adds_its_line_but_never_its_leadership(system: System, empire: Army) -> None:
    rider = select(empire, make_entry(profile="elector-count", options=["griffon"]))
    assert [line.role for line in stat_lines(rider, empire)] == ["model", "mount"]
    assert rider.leadership == 9
    assert rider.is_mounted


@pytest.mark.parametrize("army,profile,options,level,is_wizard", [
    ("the-empire", "captain", [], 0, False),
    ("the-empire", "battle-wizard", [], 1, True),
    ("the-empire", "battle-wizard", ["level-2"], 2, True),
    ("chaos", "exalted-daemon", ["wizard-level", "wizard-level"], 2, True),
    ("chaos", "great-unclean-one", [], None, True),
    ("ogre-kingdoms", "bruiser", [], 0, False),
])  # fmt: skip
def test_wizard_level(system, army, profile, options, level, is_wizard):
    selection = select(
        registry.load_army(system.key, army), make_entry(profile=profile, options=options)
    )
    assert (selection.wizard_level, selection.is_wizard) == (level, is_wizard)


@pytest.mark.parametrize(
    "figure,change,result",
    [(3, "+1", 4), (3, "-1", 2), (3, 5, 5), (None, "+1", "+1"), ("D6", 4, 4)],
)
def test_changed_figure(figure: Figure, change: Figure, result: Figure) -> None:
    assert changed_figure(figure, change) == result


@pytest.mark.parametrize("name,count,names", [
    ("Otto", 1, ("Otto",)),
    ("Otto, the Loud", 1, ("Otto, the Loud",)),
    ("", 1, ()),
    ("Otto, Karl ,, Franz", 3, ("Otto", "Karl", "Franz")),
    ("a, b, c", 2, ("a", "b")),
])  # fmt: skip
def test_names_of_single_miniatures(name: str, count: int, names: tuple[str, ...]) -> None:
    assert RosterEntry("halberdiers", name=name, count=count).names == names


@pytest.mark.parametrize("army,profile,leadership", [
    ("skaven", "grey-seer-thanquol-and-boneripper", 7),
    ("dark-elves", "war-hydra", 8),
    ("chaos", "gorthor-the-beastlord", 9),
    ("the-empire", "mortar", 7),
])  # fmt: skip
def test_leadership_is_the_riders_then_the_crews_then_its_own(army, profile, leadership):
    selection = select(
        registry.load_army("warhammer-skirmish", army), make_entry(profile=profile)
    )
    assert selection.leadership == leadership


def test_receipt_names_the_model_of_a_unit(empire: Army) -> None:
    captain = replace(empire.profiles["captain"], title="Veteran")
    found = replace(empire, profiles={"captain": captain})
    assert select(found, make_entry(profile="captain")).receipt[0].label == "Veteran"


@pytest.mark.parametrize("options, leadership", [(["champion"], 10), ([], 7)])
def test_leadership_is_the_champions_where_one_is_bought(empire, options, leadership):
    champion = Champion("Sergeant", 10, {"Ld": 10})
    halberdiers = replace(empire.profiles["halberdiers"], champion=champion)
    found = replace(empire, profiles={"halberdiers": halberdiers})
    entry = make_entry(profile="halberdiers", options=options)
    assert select(found, entry).leadership == leadership


GROWN = EntryGrowth(
    changed=(
        ChangedFigure("Ld", 7, 9), ChangedFigure("WS", 3, 2), ChangedFigure("BS", 3, 4),
    )
)  # fmt: skip


@pytest.mark.parametrize("options, printed", [([], 7), (["champion"], 8)])
def test_leadership_grows_with_the_campaign(empire, options, printed):
    champion = Champion("Sergeant", 10, {"M": 4, "Ld": 8, "WS": 4, "BS": None})
    halberdiers = replace(empire.profiles["halberdiers"], champion=champion)
    found = replace(empire, profiles={"halberdiers": halberdiers})

    def entry(growth: EntryGrowth | None) -> RosterEntry:
        return make_entry(profile="halberdiers", options=options, growth=growth)

    plain, grown = (select(found, entry(growth)) for growth in (None, GROWN))
    assert (plain.leadership, grown.leadership) == (printed, printed + 2)
    before, after = (stat_lines(one, found)[0].stats for one in (plain, grown))
    # The difference counts, for the champion as for the others; a dash stays one.
    assert after["Ld"] == printed + 2
    assert after["WS"] == before["WS"] - 1
    assert after["BS"] == (None if options else before["BS"] + 1)
    assert after["M"] == before["M"]


def test_only_the_first_line_grows(empire: Army) -> None:
    rider = make_entry(profile="elector-count", options=["griffon"], growth=GROWN)
    plain = make_entry(profile="elector-count", options=["griffon"])
    grown, printed = (stat_lines(select(empire, one), empire) for one in (rider, plain))
    assert grown[1] == printed[1]
    assert grown[0].stats["BS"] == printed[0].stats["BS"] + 1


def test_no_leadership_does_not_grow(empire: Army) -> None:
    lines = (StatLine("Halberdier", {"WS": 3}),)
    halberdiers = replace(empire.profiles["halberdiers"], lines=lines)
    found = replace(empire, profiles={"halberdiers": halberdiers})
    assert select(found, make_entry(growth=GROWN)).leadership is None


@pytest.mark.parametrize("name, options, label, title", [
    ("", [], "Halberdier", "Halberdier"),
    ("Otto", [], "Otto", "Halberdier"),
    ("", ["champion"], "Sergeant (Halberdiers)", "Sergeant (Halberdiers)"),
])  # fmt: skip
def test_an_entry_is_called_by_its_own_name_or_its_title(
    empire: Army, name: str, options: list[str], label: str, title: str
) -> None:
    selection = select(empire, make_entry(name=name, options=options))
    assert (selection.label, selection.title) == (label, title)
    unnamed = replace(
        empire.profiles["halberdiers"], title="", model_name="", name="The watch"
    )
    plain = select(replace(empire, profiles={"halberdiers": unnamed}), make_entry())
    assert plain.title == "The watch"


def test_a_line_of_the_receipt_has_a_price_of_one_piece_and_of_the_entry() -> None:
    line = ReceiptLine("fanatics", "Fanatics", 75, times=3)
    assert (line.each, line.total(4)) == (25, 300)
    assert replace(line, is_once=True).total(4) == 75


def test_points_are_counted_but_where_they_are_optional(system, empire):
    optional = replace(system, are_points_optional=True)
    assert [counts_points(limit, system) for limit in (None, 0, 100)] == [True] * 3
    assert [counts_points(limit, optional) for limit in (None, 0, 100)] == [
        False, True, True,
    ]  # fmt: skip
    entries = (make_entry(profile="captain"), make_entry(count=2))
    selections = select_all(empire, entries)
    assert [one.index for one in selections] == [0, 1]
    assert total_models(selections) == 3
    assert total_points(selections, None, system) == 50 + 2 * 6
    assert total_points(selections, 100, optional) == 62
    assert total_points(selections, None, optional) == 0


def test_an_entry_pays_once_what_is_sold_to_a_unit(empire: Army) -> None:
    banner = Option("banner", "Banner", 12, per="unit")
    captain = replace(empire.profiles["captain"], options=(banner,))
    sold = replace(empire, profiles={"captain": captain}, unit_options_once=True)
    entry = make_entry(profile="captain", options=["banner"], count=3)
    found = select(sold, entry)
    assert (found.points_each, found.points_once, found.points) == (50, 12, 162)
    each = select(replace(sold, unit_options_once=False), entry)
    assert (each.points_each, each.points_once, each.points) == (62, 0, 186)
    # What is kept from before is the price of one miniature.
    kept = select(sold, replace(entry, kept=40))
    assert (kept.points, price_kept(kept), price_kept(found)) == (3 * 40 + 12, -10, 0)
    assert select(sold, replace(entry, kept=50)).receipt == found.receipt


def test_miniatures_are_those_of_the_profile_with_those_that_options_bring(empire):
    hounds = Option("hounds", "Hounds", 5, per="each", maximum=3, miniatures=2)
    captain = replace(empire.profiles["captain"], options=(hounds,), miniatures=3)
    sold = replace(empire, profiles={"captain": captain})
    for options, each in (([], 3), (["hounds"], 5), (["hounds"] * 2, 7)):
        entry = make_entry(profile="captain", options=options, count=2)
        assert select(sold, entry).miniatures == 2 * each


def test_putting_something_away_changes_the_price_of_the_whole_entry(empire: Army) -> None:
    entry = make_entry(profile="captain", options=["halberd", "shield", "shield"], count=2)
    selection = select(empire, entry)
    assert change_without(empire, selection, {"warhorse"}) == 0
    assert change_without(empire, selection, {"shield"}) == -2 * 2 * 2
    assert change_without(empire, selection, {"shield", "halberd"}) == -2 * (2 * 2 + 4)
