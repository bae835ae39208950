"""A foreign list beside an army: what is taken, what is only suggested, what becomes a note."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from engine.errors import Refusal
from interchange.tree import (
    LEADER_OPTIONS,
    Force,
    ForeignModel,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    Source,
)
from rulesdata import registry
from tests.factories import SYSTEM
from tests.foreign.lantern_gangs import ALIASES, index, made, wardens
from warbands.exchange.document import parse_stored, to_document
from warbands.exchange.foreign.matches import (
    Aliases,
    ArmyIndex,
    ArmyNames,
    Match,
    plain_name,
    rank_armies,
)
from warbands.exchange.foreign.preview import LineChoice, Preview, build_preview
from warbands.exchange.foreign.reader import read_list, read_text


def tree_of(*units: ForeignUnit, army: str = "") -> ForeignRoster:
    return ForeignRoster(
        "battlescribe", Source("BattleScribe"), units=units, sections=(Force("", army),)
    )


def preview(*units: ForeignUnit, once: bool = False, **choices: LineChoice) -> Preview:
    chosen = {int(key.removeprefix("line")): one for key, one in choices.items()}
    system = registry.load_base(SYSTEM)
    return build_preview(tree_of(*units), system, index(unit_options_once=once), chosen)


def entries_of(found: Preview) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(one.profile, one.count, one.options) for one in found.roster.warriors]


@pytest.mark.parametrize("one,other", [
    ("Élite Guards", "elite guard"),
    ("Lord’s Lance & Shield", "lords lance and shield"),
    ("Chaos Knights (mounted)", "chao knight"),
    ("Cold One {dark elves}", "cold one"),
    ("Boss", "bos"), ("Harpies", "harpy"),
    ("Dire Wolves", "dire wolf"),
    ("Swordsmen", "swordsman"), ("Orc", "orc"),
])  # fmt: skip
def test_names_are_compared_plainly(one: str, other: str) -> None:
    assert plain_name(one) == plain_name(other)


def how(unit: ForeignUnit) -> tuple[str, str]:
    match = index().unit(unit)
    return match.key, match.how


def test_ids_go_before_names_and_names_before_aliases() -> None:
    ids = ("e-unknown", "origin-captain")
    assert how(ForeignUnit(1, "Owl Keeper", ids=ids)) == ("lamp-captain", "id")
    assert how(ForeignUnit(1, "OWL KEEPERS")) == ("owl-keeper", "name")
    assert how(ForeignUnit(1, "Lamplighter")) == ("lamplighters", "name")
    assert how(ForeignUnit(1, "Fog Engine")) == ("mud-runners", "alias")


def test_uncertain_names_are_only_suggested() -> None:
    both = index().unit(ForeignUnit(1, "Runners"))
    assert (both.key, both.how) == ("", "suggested")
    assert {one.key for one in both.suggestions} == {"roof-runners", "mud-runners"}
    # Both have a model of that name, at 8 and 9 points: the nearer price comes first.
    for price, first in ((7, "roof-runners"), (10, "mud-runners")):
        priced = index().unit(ForeignUnit(1, "Runners", points=Decimal(price)))
        assert priced.suggestions[0].key == first
    near = index().unit(ForeignUnit(1, "Captain of Lamps", points=Decimal(60)))
    assert (near.how, near.suggestions[0].key) == ("suggested", "lamp-captain")
    within = index().unit(ForeignUnit(1, "Night Owl Keepers of the Old Town"))
    assert (within.how, within.suggestions[0].key) == ("suggested", "owl-keeper")
    assert how(ForeignUnit(1, "Dragon")) == ("", "none")


def test_parts_are_bought_carried_or_noted() -> None:
    names = ("Oil Blade", "Dagger", "Night Eyes", "Ever Lamp", "Rope", "Cannon")
    parts = tuple(map(ForeignPart, names))
    found = preview(ForeignUnit(1, "Lamplighters", parts=parts, notes="wet"))
    hows = [part.match.how for part in found.lines[0].parts]
    assert hows == ["name", "carried", "carried", "name", "carried", "none"]
    entry = found.roster.warriors[0]
    assert entry.options == ("oil-blade", "magic/ever-lamp")
    assert entry.note == "wet\nNot in this list: Cannon"


def test_prices_stand_beside_each_other() -> None:
    unit = ForeignUnit(
        1, "Lamplighters", 3, Decimal(70), parts=(ForeignPart("Long Hook", 3),)
    )
    found = preview(unit)
    assert (found.lines[0].points_ours, found.lines[0].difference) == (75, 5)
    assert (found.points_ours, found.matched) == (75, 1)


def test_what_some_have_parts_the_unit() -> None:
    parts = (
        ForeignPart("Long Hook", 2), ForeignPart("Lamp Sergeant", 1),
        ForeignPart("Musician", 1), ForeignPart("Standard bearer", 1),
        ForeignPart("Ever Lamp", 1, group="Standard bearer"), ForeignPart("Oil Blade", 10),
    )  # fmt: skip
    found = preview(ForeignUnit(1, "Lamplighters", 10, custom="The Tenth", parts=parts))
    assert entries_of(found) == [
        ("lamplighters", 5, ("oil-blade",)),
        ("lamplighters", 2, ("oil-blade", "long-hook")),
        ("lamplighters", 1, ("oil-blade", "champion")),
        ("lamplighters", 1, ("oil-blade", "musician")),
        ("lamplighters", 1, ("oil-blade", "standard-bearer", "magic/ever-lamp")),
    ]
    assert found.roster.warriors[0].name == "The Tenth"


def test_a_command_is_bought_once_where_the_list_sells_it_so() -> None:
    unit = ForeignUnit(1, "Lamplighters", 10, parts=(ForeignPart("Musician", 1),))
    assert entries_of(preview(unit, once=True)) == [("lamplighters", 10, ("musician",))]


def test_pieces_are_counted_for_each_miniature() -> None:
    unit = ForeignUnit(1, "Owl Keeper", 2, parts=(ForeignPart("Whistle", 4),))
    assert entries_of(preview(unit)) == [("owl-keeper", 2, ("whistle", "whistle"))]


def test_kinds_of_models_become_entries() -> None:
    models = (
        ForeignModel("Lamplighter", 3, parts=(ForeignPart("Long Hook", 3),)),
        ForeignModel("Lamp Sergeant", 1, parts=(ForeignPart("Oil Blade", 1),)),
        ForeignModel("Owl Keeper", 2),
    )
    found = preview(ForeignUnit(1, "Lamplighters", 6, models=models))
    assert entries_of(found) == [
        ("lamplighters", 3, ("long-hook",)),
        ("lamplighters", 1, ("champion", "oil-blade")),
        ("owl-keeper", 2, ()),
    ]
    # A heading that is no unit of the list: what it holds is.
    alone = preview(ForeignUnit(1, "Patrol", 2, models=models[2:]))
    assert entries_of(alone) == [("owl-keeper", 2, ())]


def test_what_is_not_found_becomes_a_note() -> None:
    gone = ForeignUnit(
        1, "Dragon", 2, Decimal(80), custom="Smoke", parts=(ForeignPart("Claws", 2),)
    )
    found = preview(gone, ForeignUnit(2, "Owl Keeper"))
    assert entries_of(found) == [("owl-keeper", 1, ())]
    assert found.roster.note == (
        "From BattleScribe: not in this list: 2 x Dragon (80) “Smoke”: 2 x Claws"
    )


def test_long_notes_are_cut_and_that_is_said() -> None:
    gone = [ForeignUnit(n, f"Dragon {'x' * 90}") for n in range(1, 61)]
    found = preview(*gone)
    assert len(found.roster.note) <= 4000
    assert found.remarks[-1] == "The note was cut at 4,000 characters."


def test_choices_of_people_are_taken() -> None:
    unit = ForeignUnit(
        1, "Runners", 2, parts=(ForeignPart("Hook of Length", 2), ForeignPart("Musician"))
    )
    taken = preview(unit, line1=LineChoice("mud-runners", {0: "long-hook"}))
    assert entries_of(taken) == [("mud-runners", 2, ("long-hook",))]
    assert taken.lines[0].match.how == "chosen"
    assert entries_of(preview(unit, line1=LineChoice(""))) == []
    # A key that the list has not is no choice.
    assert entries_of(preview(unit, line1=LineChoice("dragon", {0: "claws"}))) == []
    left = preview(
        ForeignUnit(1, "Owl Keeper", parts=(ForeignPart("Long Hook"),)),
        line1=LineChoice(None, {0: ""}),
    )
    assert entries_of(left) == [("owl-keeper", 1, ())]


def test_one_leader_is_marked() -> None:
    lead = ForeignUnit(1, "Lamp Captain", is_leader=True)
    assert [one.is_leader for one in preview(lead).roster.warriors] == [True]
    two = preview(lead, replace(lead, line=2))
    assert not any(one.is_leader for one in two.roster.warriors)
    assert "Several units lead" in two.remarks[-1]
    many = preview(ForeignUnit(1, "Owl Keeper", 3, is_leader=True))
    assert not many.roster.warriors[0].is_leader


@pytest.mark.parametrize("mark", sorted(LEADER_OPTIONS))
def test_leaders_are_marked_alike_in_texts_and_by_options(mark: str) -> None:
    """One table holds what the tools call a leader; nobody buys the mark."""
    marked = read_text(f"Owl Keeper ({mark.title()}) - 12 pts\n")
    assert [one.is_leader for one in marked.units] == [True]
    chosen = read_text(f"Owl Keeper - 12 pts\n- {mark.title()}\n")
    assert [one.is_leader for one in chosen.units] == [True]
    assert entries_of(build_preview(chosen, registry.load_base(SYSTEM), index())) == [
        ("owl-keeper", 1, ())
    ]
    found = build_preview(chosen, registry.load_base(SYSTEM), index())
    assert found.roster.warriors[0].note == ""
    record = {"name_en": "Owl Keeper", "options": [{"name_en": mark, "active": True}]}
    data = {"army": "wardens", "core": [record]}
    tree = read_list("x", json.dumps(data).encode())
    assert [one.is_leader for one in tree.units] == [True]


def test_a_captain_leads_by_a_heading_alone() -> None:
    """An option of that name is often the champion of a regiment."""
    marked = read_text("Owl Keeper (Captain) - 12 pts\n")
    assert [one.is_leader for one in marked.units] == [True]
    chosen = read_text("Lamplighters - 75 pts\n- Captain\n")
    assert [one.is_leader for one in chosen.units] == [False]


def test_lists_that_make_too_many_entries_are_refused() -> None:
    parts = (ForeignPart("Long Hook", 1), ForeignPart("Musician", 1))
    units = [ForeignUnit(n, "Lamplighters", 3, parts=parts) for n in range(1, 68)]
    assert len(preview(*units[:66]).roster.warriors) == 198
    with pytest.raises(
        Refusal, match="makes 201 entries; a warband has at most 200"
    ) as error:
        preview(*units)
    assert error.value.field == "file"


WARDENS = ArmyNames.of(wardens(), ALIASES)
FOG = ArmyNames("fog", "Fog", "lanterns", {})


def test_army_is_found_by_name_alias_or_share() -> None:
    both = (WARDENS, FOG)
    units = [ForeignUnit(1, "Owl Keeper"), ForeignUnit(2, "Lamplighters")]
    assert rank_armies(tree_of(*units), both)[0] == "the-wardens"
    assert rank_armies(tree_of(*units[:1]), both)[0] == ""
    assert rank_armies(tree_of(*units, army="Fog"), both)[0] == "fog"
    owb = replace(tree_of(), form="owb", sections=(Force("core", "", "wardens"),))
    assert rank_armies(owb, both)[0] == "the-wardens"
    shares = rank_armies(tree_of(*units), both)[1]
    assert [(one.key, one.share) for one in shares] == [("the-wardens", 2), ("fog", 0)]


def test_clubs_list_over_an_army_is_offered_and_not_taken() -> None:
    units = [ForeignUnit(1, "Owl Keeper"), ForeignUnit(2, "Lamplighters")]
    over = replace(WARDENS, key="own-1", name="Our Wardens", is_based=True)
    found, choices = rank_armies(tree_of(*units), (over, WARDENS, FOG))
    assert found == "the-wardens"
    assert [one.key for one in choices] == ["own-1", "the-wardens", "fog"]
    # A list of its own that is as near is another army, so somebody has to choose.
    alone = replace(over, is_based=False)
    assert rank_armies(tree_of(*units), (alone, WARDENS))[0] == ""


def test_names_with_the_armys_in_front_are_the_same() -> None:
    assert how(ForeignUnit(1, "Wardens Owl Keeper")) == ("owl-keeper", "name")
    assert how(ForeignUnit(1, "Wardens Fog Engine")) == ("mud-runners", "alias")
    # Two profiles call a model a runner, and "Warden Runner" is the name of neither.
    assert how(ForeignUnit(1, "Wardens Runner")) == ("", "suggested")


def test_what_was_chosen_before_is_taken_after_names_and_aliases() -> None:
    learned = {"Runners": "mud-runners", "owl keeper": "lamp-captain", "gone": "dragon"}
    options = {("lamplighters", "cannon"): "long-hook", ("owl-keeper", "cannon"): "whistle"}
    aliases = replace(ALIASES, learned=learned, learned_options=options)
    known = ArmyIndex(wardens(), aliases)
    assert known.unit(ForeignUnit(1, "Runners")) == Match("mud-runners", "learned")
    assert known.unit(ForeignUnit(1, "Owl Keeper")).how == "name"
    assert known.unit(ForeignUnit(1, "Gone")).how == "none"
    unit = ForeignUnit(1, "Lamplighters", parts=(ForeignPart("Cannon"),))
    found = build_preview(tree_of(unit), registry.load_base(SYSTEM), known)
    assert entries_of(found) == [("lamplighters", 1, ("long-hook",))]


def test_alias_of_an_option_may_be_carried_or_sold_by_its_name() -> None:
    options = {"Knives": "dagger", "Poles": "long-hooks", "Nets": "net"}
    known = ArmyIndex(wardens(), Aliases(options=options))
    parts = tuple(map(ForeignPart, options))
    unit = ForeignUnit(1, "Lamplighters", parts=parts)
    found = build_preview(tree_of(unit), registry.load_base(SYSTEM), known)
    hows = [part.match.how for part in found.lines[0].parts]
    assert hows == ["carried", "alias", "none"]


def test_same_list_of_each_tool_makes_the_same_captain() -> None:
    system = registry.load_base(SYSTEM)
    for name in ("gang.ros", "gang.newrecruit.json", "gang.owb.json"):
        found = build_preview(read_list(name, made(name)), system, index())
        captain = found.roster.warriors[0]
        assert (captain.profile, captain.name, captain.is_leader) == (
            "lamp-captain", "Old Tess", True,
        )  # fmt: skip
        assert parse_stored({**to_document(found.roster), "army": "the-empire"}).warriors


def test_our_own_text_comes_back() -> None:
    text = """Wick
The Wardens · Lanterns · 87 / 150 pts · 4 models

Owl Keeper “Hob” (leader) - 12 pts
    Great Owl
    M4 WS3 BS3 Ld7
3x Lamplighter - 75 pts
    Long Hook, Dagger

Total 87 / 150 pts
"""
    tree = read_text(text)
    assert (tree.stated_total, tree.total, tree.sections[0].army) == (87, 87, "The Wardens")
    found = build_preview(tree, registry.load_base(SYSTEM), index())
    assert entries_of(found) == [
        ("owl-keeper", 1, ("great-owl",)),
        ("lamplighters", 3, ("long-hook",)),
    ]
    assert (found.roster.warriors[0].name, found.roster.warriors[0].is_leader) == (
        "Hob",
        True,
    )
