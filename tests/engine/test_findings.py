"""Every code of the guidelines: a roster that fires it, and the nearest one that does not."""

from dataclasses import replace
from typing import Any

import pytest

from engine.findings.case import Case, Finding, Parameter, names
from engine.findings.checks import KINDS, check
from engine.roster import Roster, RosterEntry
from engine.selection import select_all
from engine.types.systems import Scenario, System
from rulesdata import registry
from tests.factories import make_entry, make_roster

CAPTAIN = make_entry(profile="captain", options=["halberd"], is_leader=True)
HALBERDIERS = make_entry(count=4)
LEGAL = make_roster(
    points_limit=110,
    warriors=[CAPTAIN, HALBERDIERS, make_entry(profile="archers", count=3)],
)


def found(roster: Roster, scenario: Scenario | None = None) -> list[Finding]:
    system = registry.load_system(roster.system)
    return list(
        check(roster, system, registry.load_army(roster.system, roster.army), scenario)
    )


def codes(roster: Roster) -> set[str]:
    return {finding.code for finding in found(roster)}


def with_entry(profile: str, *options: str, count: int = 1) -> Roster:
    return replace(
        LEGAL,
        warriors=(
            *LEGAL.warriors,
            make_entry(profile=profile, options=options, count=count),
        ),
    )


def led_by(*warriors: RosterEntry, army: str = "the-empire") -> Roster:
    first, *rest = warriors
    return make_roster(
        army=army, points_limit=None, warriors=[replace(first, is_leader=True), *rest]
    )


def entry(profile: str, *options: str, count: int = 1) -> RosterEntry:
    return make_entry(profile=profile, options=options, count=count)


# code: (level, a roster that fires it, one that just does not)
CASES: dict[str, tuple[str, Roster, Roster]] = {
    "points.over_limit": (
        "error", replace(LEGAL, points_limit=101), replace(LEGAL, points_limit=102),
    ),
    "points.limit_range": (
        "warning", replace(LEGAL, points_limit=251), replace(LEGAL, points_limit=250),
    ),
    "points.total_range": (
        "note",
        led_by(entry("captain"), entry("swordsmen", count=7)),
        led_by(entry("captain"), entry("halberdiers", count=7), entry("archers")),
    ),
    "points.under_limit": (
        "note", replace(LEGAL, points_limit=114), replace(LEGAL, points_limit=113),
    ),
    "leader.missing": (
        "error", replace(LEGAL, warriors=(replace(CAPTAIN, is_leader=False),)), LEGAL,
    ),
    "leader.many": ("error", replace(LEGAL, warriors=(CAPTAIN, CAPTAIN)), LEGAL),
    "leader.not_highest_leadership": (
        "error",
        led_by(entry("halberdiers"), entry("captain")),
        led_by(entry("captain"), entry("captain")),
    ),
    "leader.below_troops": (
        "note",
        led_by(entry("halberdiers"), entry("greatswords")),
        led_by(entry("captain"), entry("greatswords")),
    ),
    "leader.not_character": (
        "warning", led_by(entry("halberdiers")), led_by(entry("elector-count")),
    ),
    "wizard.level": (
        "error", with_entry("battle-wizard", "level-2"), with_entry("battle-wizard"),
    ),
    "wizard.count": (
        "warning", with_entry("battle-wizard", count=2), with_entry("battle-wizard"),
    ),
    "wizard.few": ("note", with_entry("battle-wizard"), with_entry("captain")),
    "magic_items": (
        "warning",
        with_entry("captain", "magic/sword-of-might", count=2),
        with_entry("captain", "magic/sword-of-might"),
    ),
    "magic_items.few": (
        "note",
        with_entry("captain", "magic/sword-of-might"),
        with_entry("captain", "magic/sword-of-might", count=2),
    ),
    "models.too_many": (
        "warning",
        replace(LEGAL, warriors=(CAPTAIN, make_entry(count=15))),
        replace(LEGAL, warriors=(CAPTAIN, make_entry(count=14))),
    ),
    "type.cavalry": ("warning", with_entry("captain", "warhorse"), with_entry("captain")),
    "type.monster": (
        "warning",
        with_entry("elector-count", "griffon"),
        with_entry("elector-count", "warhorse"),
    ),
    "type.war_machine": ("warning", with_entry("mortar"), with_entry("greatswords")),
    "type.chariot": (
        "warning",
        led_by(entry("tomb-prince", "chariot"), army="tomb-kings"),
        led_by(entry("tomb-prince"), army="tomb-kings"),
    ),
    "type.flyer": (
        "warning", with_entry("captain", "pegasus"), with_entry("captain", "warhorse"),
    ),
    "type.swarm": (
        "warning",
        led_by(entry("tomb-prince"), entry("tomb-swarm"), army="tomb-kings"),
        led_by(entry("tomb-prince"), entry("carrion"), army="tomb-kings"),
    ),
    "type.not_infantry": (
        "note",
        led_by(entry("bruiser"), army="ogre-kingdoms"),
        led_by(entry("gnoblar-fighters"), army="ogre-kingdoms"),
    ),
    "category.special": ("warning", with_entry("greatswords"), with_entry("swordsmen")),
    "category.rare": ("warning", with_entry("flagellants"), with_entry("free-company")),
    "category.lord": ("warning", with_entry("elector-count"), with_entry("captain")),
    "command.standard": (
        "warning",
        with_entry("halberdiers", "standard-bearer"),
        with_entry("halberdiers", "champion"),
    ),
    "command.musician": (
        "warning",
        with_entry("halberdiers", "musician"),
        with_entry("halberdiers", "champion"),
    ),
    "command.champion": (
        "note",
        with_entry("halberdiers", "champion", count=2),
        with_entry("halberdiers", "champion"),
    ),
    "command.shared": (
        "error",
        with_entry("halberdiers", "champion", "musician"),
        with_entry("halberdiers", "champion", "musician", count=2),
    ),
    "profile.special_character": (
        "warning",
        with_entry("luthor-huss-prophet-of-sigmar"),
        with_entry("warrior-priest"),
    ),
    "profile.incomplete": (
        "warning",
        led_by(entry("hellcannon"), army="chaos"),
        led_by(entry("bray-shaman"), army="chaos"),
    ),
    "profile.army_max": (
        "note",
        replace(LEGAL, warriors=(CAPTAIN, entry("greatswords", count=2))),
        replace(LEGAL, warriors=(CAPTAIN, entry("greatswords"))),
    ),
    "option.conflict": (
        "error",
        with_entry("captain", "halberd", "great-weapon"),
        with_entry("captain", "halberd"),
    ),
    "option.requirement": (
        "error",
        with_entry("handgunners", "hochland-long-rifle"),
        with_entry("handgunners", "champion", "hochland-long-rifle"),
    ),
    "option.unknown": (
        "error", with_entry("captain", "jetpack"), with_entry("captain", "shield"),
    ),
    "profile.unknown": ("error", with_entry("space-captain"), with_entry("captain")),
}  # fmt: skip


def test_cases_cover_every_code(system: System) -> None:
    assert set(CASES) == {guideline.code for guideline in system.guidelines}
    assert {guideline.kind for guideline in system.guidelines} <= set(KINDS)


@pytest.mark.parametrize("code", CASES)
def test_finding_fires(code: str) -> None:
    level, broken, _ = CASES[code]
    hits = [finding for finding in found(broken) if finding.code == code]
    assert len(hits) == 1
    assert hits[0].level == level
    assert "{" not in hits[0].message
    assert hits[0].source


@pytest.mark.parametrize("code", CASES)
def test_finding_does_not_fire(code: str) -> None:
    assert code not in codes(CASES[code][2])


def test_legal_warband_has_no_finding() -> None:
    assert found(LEGAL) == []


def test_errors_come_first() -> None:
    levels = [
        f.level for f in found(replace(with_entry("mortar", "jetpack"), points_limit=1000))
    ]
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    assert set(levels) == {"error", "warning", "note"}


@pytest.mark.parametrize("profile,option,mount_or_flag", [
    ("elector-count", "griffon", "type.monster"),
    ("elector-count", "pegasus", "type.flyer"),
])  # fmt: skip
def test_mount_counts_like_its_rider(profile: str, option: str, mount_or_flag: str) -> None:
    assert {"type.cavalry", mount_or_flag} <= codes(with_entry(profile, option))


def test_battle_standard_counts_as_a_standard() -> None:
    assert "command.standard" in codes(with_entry("captain", "battle-standard-bearer"))


def test_unstated_wizard_level_is_incomplete_and_no_wizard_level_error() -> None:
    roster = led_by(entry("great-unclean-one"), army="chaos")
    assert "profile.incomplete" in codes(roster)
    assert "wizard.level" not in codes(roster)


def test_level_bought_by_the_piece_adds_up() -> None:
    one = led_by(entry("exalted-daemon", "wizard-level"), army="chaos")
    two = led_by(entry("exalted-daemon", "wizard-level", "wizard-level"), army="chaos")
    assert ("wizard.level" in codes(one), "wizard.level" in codes(two)) == (False, True)


@pytest.mark.parametrize("leader,troops,is_special", [
    ("exalted-champion-of-chaos", "marauders-of-chaos", False),
    ("wargor", "marauders-of-chaos", True),
    ("exalted-daemon", "bloodletters", False),
    ("exalted-champion-of-chaos", "bloodletters", True),
])  # fmt: skip
def test_category_follows_the_leaders_faction(leader, troops, is_special):
    roster = led_by(entry(leader), entry(troops), army="chaos")
    assert ("category.special" in codes(roster)) is is_special


def test_mount_a_list_demands_is_missed_until_bought() -> None:
    assert "option.requirement" in codes(led_by(entry("paladin"), army="bretonnians"))
    assert "option.requirement" not in codes(
        led_by(entry("paladin", "barded-warhorse"), army="bretonnians")
    )


def test_wizards_own_level_is_never_demanded() -> None:
    assert "option.requirement" not in codes(with_entry("battle-wizard"))


def test_champion_has_his_own_leadership() -> None:
    shooters = led_by(entry("handgunners"), entry("handgunners", "champion"))
    assert "leader.not_highest_leadership" not in codes(shooters)


SIZES = [
    (99, True, [entry("swordsmen", count=7)]),
    (100, False, [entry("halberdiers", count=7), entry("archers")]),
    (250, False, [entry("archers", count=25)]),
    (251, True, [entry("halberdiers", count=30), entry("swordsmen", count=3)]),
]


@pytest.mark.parametrize("total, is_told, troops", SIZES)
def test_without_a_limit_the_total_is_told_at_both_ends(total, is_told, troops):
    roster = led_by(entry("captain"), *troops)
    told = {one.code: one.message for one in found(roster)}
    assert ("points.total_range" in told) is is_told
    assert f"{total} points" in told.get("points.total_range", f"{total} points")
    assert {code for code in told if code.startswith("points")} <= {"points.total_range"}
    # With one it is told below; above, and for a limit that is itself outside, another is.
    for limit, is_asked in ((150, True), (250, True), (99, False), (251, False)):
        limited = codes(replace(roster, points_limit=limit))
        assert ("points.total_range" in limited) is (is_asked and total < 100)


def test_leader_is_measured_by_characters_alone() -> None:
    ogre, rival = entry("captain"), entry("greatswords")
    system = registry.load_system("warhammer-skirmish")
    bar = system.guideline("leader.not_highest_leadership")
    assert bar is not None
    assert list(bar.parameters["categories"]) == ["hero", "lord"]
    swarm = led_by(entry("bray-shaman"), entry("chaos-warriors"), army="chaos")
    for roster in (led_by(ogre, rival), swarm):
        assert "leader.not_highest_leadership" not in codes(roster)


@pytest.mark.parametrize("army, profile, is_large", [
    ("orcs-and-goblins", "trolls", True),
    ("chaos", "chaos-trolls", True),
    ("dwarfs", "troll-slayers", False),
])  # fmt: skip
def test_a_troll_is_a_large_monster(army: str, profile: str, is_large: bool) -> None:
    assert ("type.monster" in codes(led_by(entry(profile), army=army))) is is_large


def test_empty_warband_misses_a_leader_and_nothing_else() -> None:
    assert codes(make_roster(points_limit=None)) == {"leader.missing"}


def test_magic_above_the_allowance_conflicts() -> None:
    assert "option.conflict" in codes(with_entry("crossbowmen", "magic/sword-of-might"))


def test_scenario_lowers_what_it_waives_to_a_note_that_says_so(system: System) -> None:
    raid = Scenario(
        "raid", "The raid", system.key, "", waives=("type.war_machine", "option.unknown")
    )
    hits = {f.code: f for f in found(with_entry("mortar", "jetpack"), raid)}
    assert hits["type.war_machine"].level == "note"
    assert hits["type.war_machine"].waived_by == "The raid"
    assert "The raid" in hits["type.war_machine"].message
    assert hits["option.unknown"].level == "error"


@pytest.mark.parametrize("code,action", [
    ("wizard.level", "remove_option"),
    ("option.conflict", "remove_option"),
    ("option.requirement", "add_option"),
    ("option.unknown", "remove_option"),
    ("profile.unknown", "remove_warrior"),
])  # fmt: skip
def test_finding_offers_a_remedy(code: str, action: str) -> None:
    finding = next(f for f in found(CASES[code][1]) if f.code == code)
    assert finding.fixes[0].action == action


@pytest.mark.parametrize("code", CASES)
def test_a_kind_declares_the_fields_and_parameters_it_uses(code: str) -> None:
    _, roster, _ = CASES[code]
    system = registry.load_system(roster.system)
    army = registry.load_army(roster.system, roster.army)
    case = Case(roster, select_all(army, roster.warriors), system, army)
    guideline = system.guideline(code)
    assert guideline is not None
    declared = KINDS[guideline.kind]
    hits = list(declared.find(case, guideline))
    assert hits
    assert all(hit.fields.keys() == declared.fields.keys() for hit in hits)
    numbers = {name for name, of_type in declared.fields.items() if of_type is int}
    assert all(isinstance(hit.fields[name], int) for hit in hits for name in numbers)
    assert set(declared.needs) <= guideline.parameters.keys()
    assert guideline.parameters.keys() <= {*declared.needs, *declared.may}


def test_every_parameter_is_taken_by_a_kind() -> None:
    taken = {key for one in KINDS.values() for key in (*one.needs, *one.may)}
    assert taken == {parameter.key for parameter in Parameter}


def test_a_remedy_tells_what_the_whole_entry_then_pays_less() -> None:
    """It takes the purchase from all miniatures, and all pieces of it."""
    army = registry.load_army(LEGAL.system, LEGAL.army)
    item = next(one for one in army.magic_items.values() if one.points)

    def label(**fields: Any) -> str:
        carrier = make_entry(profile="captain", **fields)
        roster = replace(LEGAL, warriors=(*LEGAL.warriors, carrier))
        (finding,) = (one for one in found(roster) if one.code.startswith("magic_items"))
        (fix,) = finding.fixes
        return fix.label

    keys = (item.option_key,)
    told = f"Captain without {item.name}, "
    assert label(options=keys) == f"{told}−{item.points}"
    assert label(options=keys, count=3) == f"{told}−{3 * item.points}"
    assert label(options=keys * 2) == f"{told}−{2 * item.points}"
    # An old price ends with the change, which may then cost something.
    assert label(options=keys, kept=40) == f"{told}+10"
    assert label(options=keys, kept=50) == told.removesuffix(", ")


@pytest.mark.parametrize("more, label", [(1, "−4"), (-1, "+4"), (0, ""), (None, "")])
def test_price_kept_is_noted_with_what_taking_the_new_one_costs(more, label):
    army = registry.load_army(LEGAL.system, LEGAL.army)
    (today,) = (one.points_each for one in select_all(army, (HALBERDIERS,)))
    kept = None if more is None else today + more
    roster = replace(LEGAL, warriors=(CAPTAIN, replace(HALBERDIERS, kept=kept)))
    notes = [one for one in found(roster) if one.code == "price.kept"]
    assert len(notes) == bool(more)
    for note in notes:
        assert f"{kept} each, now {today} in the list" in note.message
        assert (note.level, note.warriors, note.is_waivable) == ("note", (1,), False)
        assert [fix.label.rpartition(", ")[2] for fix in note.fixes] == [label]


def test_one_warrior_of_a_name_is_not_counted() -> None:
    army = registry.load_army(LEGAL.system, LEGAL.army)
    selections = select_all(army, LEGAL.warriors)
    assert names(selections) == "Captain, 4x Halberdier, 3x Archer"
    assert names(select_all(army, [LEGAL.warriors[0]] * 2)) == "2x Captain"
