"""The rows of a quick reference: blows by weapon and moment, saves by the weapon that hits."""

from dataclasses import replace

import pytest

from engine.roster import Roster, RosterEntry
from warbands.pdf.phrases import arm_lines
from warbands.pdf.reference_page import LEFT_MM, SIZES, Column
from warbands.queries.warbands import sheet_of_roster
from warbands.sheet.structure import Reference

SKIRMISH, ECW = "warhammer-skirmish", "english-civil-war"


def reference(system, army, *warriors, variant=None, rulings=None, house_rules=None):
    roster = Roster(
        system,
        army,
        variant=variant,
        warriors=warriors,
        rulings=rulings or {},
        house_rules=house_rules or {},
    )
    return sheet_of_roster(roster).reference


def blows(found: Reference) -> dict[str, tuple[str, ...]]:
    chart = next(one for one in found.charts if one.chart.key == "to-wound")
    return {row: users for row, _, users in chart.rows}


def test_to_wound_has_the_strength_of_a_charge_and_of_the_first_round() -> None:
    rider = RosterEntry("captain", options=("lance", "warhorse"))
    found = blows(reference(SKIRMISH, "the-empire", rider))
    assert "Lance" in found["4"]
    assert "Lance, charging" in found["6"]
    walker = RosterEntry("captain", options=("lance",))
    assert "6" not in blows(reference(SKIRMISH, "the-empire", walker))


def test_to_wound_has_the_strength_of_the_first_round() -> None:
    found = blows(reference(SKIRMISH, "the-empire", RosterEntry("flagellants")))
    assert "Flail, first round" in found["5"]


@pytest.mark.parametrize("house_rules, words", [
    ({}, "only a house rule lets it be critical too."),
    ({"poison_auto_wound_may_crit": True}, "a 6 makes it critical."),
])  # fmt: skip
def test_an_agreed_house_rule_stands_in_the_text(house_rules, words):
    skinks = RosterEntry("skink-skirmishers")
    found = reference(SKIRMISH, "lizardmen", skinks, house_rules=house_rules)
    texts = [note.text for _, notes in found.sections for note in notes]
    assert [text for text in texts if text.startswith("A natural 6 to hit")] == [
        next(text for text in texts if text.endswith(words))
    ]


def test_to_wound_has_a_row_for_whoever_carries_nothing() -> None:
    found = blows(reference(SKIRMISH, "orcs-and-goblins", RosterEntry("giant")))
    assert any("Giant" in user for users in found.values() for user in users)


@pytest.mark.parametrize(
    "rulings, riders, foot", [({}, (4, 5), (6, None)), ({"G46": 1}, (4, 6), (6, None))]
)
def test_a_save_against_firearms_goes_by_the_weapon(rulings, riders, foot):
    men = (
        RosterEntry("cuirassiers", count=5),
        RosterEntry("pikemen", count=5, options=("heavy-armour",)),
    )
    found = reference(ECW, "parliament", *men, rulings=rulings)
    at = [found.save_strengths.index(name) for name in ("Pistol", "Musket")]
    rows = {save: tuple(needs[place] for place in at) for save, needs, _ in found.saves}
    assert rows == {"3+": riders, "5+": foot}


@pytest.mark.parametrize("system, variant, army, man", [
    (ECW, None, "parliament", RosterEntry("cuirassiers", count=5)),
    ("mordheim-rulings", "B", "the-empire", RosterEntry("captain")),
])  # fmt: skip
def test_saves_name_their_weapons_whole_in_every_size(system, variant, army, man):
    found = reference(system, army, replace(man, options=("shield",)), variant=variant)
    weapons = [name for name in found.save_strengths if name[0].isalpha()]
    assert len(weapons) > 1
    for size in SIZES:
        pieces = Column(LEFT_MM, size / 10).charts(found)
        [[head, row]] = [
            [html for html, _ in piece.parts[:2]]
            for piece in pieces
            if "Your armour save" in piece.parts[0][0]
        ]
        assert "…" not in head
        assert all(name in head for name in weapons)
        assert row.count("\t") <= 16


@pytest.mark.parametrize(
    "system, variant",
    [("mordheim-rulings", "A"), ("mordheim-rulings", "B"), ("mordheim-draft", None)],
)
def test_a_reference_says_whose_figures_the_arms_have(system, variant):
    options = ("own-sword", "own-buckler") if variant else ()
    man = RosterEntry("captain", options=("shield", *options))
    found = reference(system, "the-empire", man, variant=variant)
    by_source = {source: names for names, source in found.gear_sources}
    of_text = {
        name
        for source, names in by_source.items()
        if source.startswith("Mordheim")
        for name in names.split(", ")
    }
    lists = {name for names in by_source.values() for name in names.split(", ")} - of_text
    assert "Hand weapon" in lists
    assert of_text == ({"Sword", "Buckler", "Shield"} if variant else set())


@pytest.mark.parametrize(
    "system, is_explained", [(SKIRMISH, False), ("mordheim-draft", True)]
)
def test_special_rules_without_words_are_those_of_the_army_list(system, is_explained):
    savage = RosterEntry("savage-orc-boyz")
    rules = reference(system, "orcs-and-goblins", savage)
    sections = {name: [note.text for note in notes] for name, notes in rules.sections}
    others = sections["Special rules"][0]
    assert "Animosity" in others
    assert ("Frenzy" not in others) == is_explained


@pytest.mark.parametrize("system, variant", [(SKIRMISH, None), ("mordheim-rulings", "C")])
def test_who_is_spared_tests_of_courage_is_told_to_those_alone(system, variant):
    for army, unit, is_fearless in (
        ("tomb-kings", "tomb-swarm", True),
        ("the-empire", "halberdiers", False),
    ):
        found = reference(system, army, RosterEntry(unit), variant=variant)
        titles = {note.title for _, notes in found.sections for note in notes}
        assert ("Fearless" in titles) == is_fearless
        [others] = dict(found.sections).get("Special rules", [None])
        assert not others or "Undead" not in others.text


def test_a_weapon_of_who_has_no_strength_is_told_by_that_of_the_others() -> None:
    crew, priest = RosterEntry("screaming-skull-catapult"), RosterEntry("liche-high-priest")
    found = reference(SKIRMISH, "tomb-kings", crew, priest)
    assert [arm.strength for arm in found.arms] == [None, 3]
    assert arm_lines(found.arms) == [("Hand weapon", "S3")]


def test_states_are_those_that_change_what_somebody_may_do() -> None:
    rules = reference(SKIRMISH, "the-empire", RosterEntry("captain"))
    states = {state.key for state in rules.states}
    assert "standing" not in states
    assert {"stood_up_this_turn", "rallied_this_turn", "hidden"} <= states


@pytest.mark.parametrize("version", ["A", "B", "C"])
def test_the_parts_of_a_turn_stand_in_their_order(version: str) -> None:
    captain = RosterEntry("captain", options=("bow",))
    rules = reference("mordheim-rulings", "the-empire", captain, variant=version)
    titles = [note.title for note in dict(rules.sections)["The turn"]]
    order = ["Start", "Recovery", "Movement", "Shooting", "Hand-to-hand"]
    assert [title for title in titles if title in order] == [
        title for title in order if title in titles
    ]
    assert titles[0] == ("Start" if version == "A" else "Recovery")
