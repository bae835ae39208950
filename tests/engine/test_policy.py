"""What an event makes of findings: levels, waivers of one warband, and a campaign's core."""

from dataclasses import replace

import pytest

from engine.findings.case import Finding
from engine.findings.checks import (
    CORE,
    Allowance,
    Core,
    ListEntry,
    Policy,
    check,
    core_changed,
)
from engine.types.systems import Scenario, System
from rulesdata import registry
from tests.factories import make_entry, make_roster

# A mortar (type.war_machine, a warning), something no list knows (option.unknown, an error), too
# few points (a note).
ROSTER = make_roster(
    points_limit=250,
    warriors=[
        make_entry(profile="captain", is_leader=True),
        make_entry(profile="mortar", options=["jetpack"]),
    ],
)


def found(policy: Policy, scenario: Scenario | None = None) -> dict[str, Finding]:
    system = registry.load_system(ROSTER.system)
    army = registry.load_army(ROSTER.system, ROSTER.army)
    return {one.code: one for one in check(ROSTER, system, army, scenario, policy)}


def test_without_a_policy_every_level_is_the_systems(system: System) -> None:
    plain = found(Policy())
    assert {code: one.level for code, one in plain.items()} == {
        code: guideline.level for code in plain if (guideline := system.guideline(code))
    }


def test_event_sets_levels_and_turns_guidelines_off_but_not_the_lists_own_rules() -> None:
    plain = found(Policy())
    told = found(
        Policy(
            {
                "type.war_machine": "error",
                "points.under_limit": "off",
                "option.unknown": "off",
            }
        )
    )
    assert told.keys() == plain.keys() - {"points.under_limit"}
    assert (told["type.war_machine"].level, told["option.unknown"].level) == (
        "error",
        "error",
    )
    assert told["type.war_machine"] == replace(plain["type.war_machine"], level="error")
    assert [one.level for one in told.values()] == sorted(
        (one.level for one in told.values()), key="ewn".find
    )


def test_waiver_says_who_allowed_it_and_why() -> None:
    allowed = tuple(
        Allowance(code, "Ada", "First game")
        for code in ("type.war_machine", "option.unknown")
    )
    told = found(Policy({"type.war_machine": "error"}, allowed))
    mortar = told["type.war_machine"]
    assert (mortar.level, mortar.waived_by, mortar.fixes) == ("note", "Ada", ())
    assert mortar.message.endswith("Waived: Ada waived it, because “First game”.")
    assert (told["option.unknown"].level, told["option.unknown"].waived_by) == ("error", "")


def test_scenario_waives_what_the_event_made_an_error() -> None:
    raid = Scenario("raid", "The raid", ROSTER.system, "", waives=("type.war_machine",))
    mortar = found(Policy({"type.war_machine": "error"}), raid)["type.war_machine"]
    assert (mortar.level, mortar.waived_by) == ("note", "The raid")


def test_scenario_waives_for_one_side_alone_and_tells_the_others() -> None:
    sides = (
        {"id": "gunners", "name": "The gunners", "waives": ["type.war_machine"]},
        {"id": "walls", "name": "The walls"},
    )
    siege = Scenario("siege", "The siege", ROSTER.system, "", sides=sides)
    plain = found(Policy())["type.war_machine"]
    unsaid, gunners, walls = (
        found(Policy(), scenario)["type.war_machine"]
        for scenario in (siege, siege.of_part("gunners"), siege.of_part("walls"))
    )
    assert (gunners.level, gunners.waived_by) == ("note", "The siege: The gunners")
    assert walls == plain
    assert unsaid == replace(
        plain,
        message=f"{plain.message} “The siege” allows it to The gunners: choose that side.",
    )


def test_events_own_findings_are_levelled_and_waived_like_the_rest() -> None:
    further = core_changed(Core([ListEntry(1, "captain", "Otto")], []))
    told = found(Policy(further=further))[CORE.code]
    assert (told.level, told.title) == ("warning", "The core stays")
    assert found(Policy({CORE.code: "error"}, further=further))[CORE.code].level == "error"
    assert found(
        Policy(allowed=(Allowance(CORE.code, "Ada", "He is ill"),), further=further)
    )[CORE.code].waived_by


OTTO, GUARD = ListEntry(1, "captain", "Otto"), ListEntry(2, "halberdiers", "Halberdier", 4)


@pytest.mark.parametrize("after,missing", [
    (
        [OTTO, GUARD, ListEntry(3, "archers", "Archer")],
        "",
    ),  # more is no change of the core
    ([OTTO, replace(GUARD, name="Old Guard", count=5)], ""),
    ([OTTO, replace(GUARD, count=2)], "2x Halberdier"),
    (
        [GUARD, ListEntry(9, "captain", "Karl")],
        "Otto",
    ),  # another captain is somebody else
    ([], "Otto, 4x Halberdier"),
    # Another warband altogether: so many of each profile will do.
    (
        [ListEntry(7, "captain", "Karl"), ListEntry(8, "halberdiers", "Guard", 3)],
        "Halberdier",
    ),
    (
        [
            ListEntry(7, "captain", "Karl"),
            *[ListEntry(n, "halberdiers", "Guard") for n in (8, 9, 10, 11)],
        ],
        "",
    ),
])  # fmt: skip
def test_core_names_who_is_missing(after: list[ListEntry], missing: str) -> None:
    told = [one.message for one in core_changed(Core([OTTO, GUARD], after))]
    assert told == (
        [f"Missing: {missing}. Every model of the last list must be in this one."]
        if missing
        else []
    )


def test_core_counts_no_model_twice() -> None:
    before = [ListEntry(n, "halberdiers", "Halberdier", 2) for n in (1, 2)]
    after = [ListEntry(7, "halberdiers", "Guard", 3)]
    (told,) = core_changed(Core(before, after))
    assert "Missing: Halberdier." in told.message
