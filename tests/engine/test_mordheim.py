"""What the Mordheim systems find in a roster, and what their figures make of a warrior."""

import pytest

from engine.equipment import armour_save, carried_weapons
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.selection import select
from rulesdata import registry
from warbands.sheet.build import build_sheet

DRAFT, RULINGS = "mordheim-draft", "mordheim-rulings"


def findings(system, army, *entries, variant=None, limit=250) -> list[Finding]:
    roster = Roster(system, army, "", limit, variant, warriors=entries)
    return list(check(roster, *registry.load_ruleset(roster)))


def levels(found: list[Finding]) -> dict[str, str]:
    return {finding.code: finding.level for finding in found}


def captain(*options: str) -> RosterEntry:
    return RosterEntry("captain", is_leader=True, options=options)


@pytest.mark.parametrize(
    "limit, is_found", [(199, True), (200, False), (250, False), (300, False), (301, True)]
)
def test_draft_notes_a_limit_outside_200_to_300(limit: int, is_found: bool) -> None:
    found = levels(findings(DRAFT, "the-empire", captain(), limit=limit))
    assert found.get("points.limit_range") == ("note" if is_found else None)


def test_draft_advises_against_lords_as_leaders() -> None:
    lord = RosterEntry("elector-count", is_leader=True)
    assert levels(findings(DRAFT, "the-empire", lord))["leader.lord"] == "warning"
    for leader in (captain(), RosterEntry("halberdiers", is_leader=True)):
        assert "leader.lord" not in levels(findings(DRAFT, "the-empire", leader))
    assert "leader.lord" not in levels(
        findings(DRAFT, "the-empire", captain(), RosterEntry("elector-count"))
    )


def test_draft_warns_of_magic_and_only_notes_a_missing_leader() -> None:
    wizard = RosterEntry("battle-wizard")
    assert "wizard.count" not in levels(findings(DRAFT, "the-empire", captain(), wizard))
    two = levels(findings(DRAFT, "the-empire", captain(), wizard, wizard))
    assert two["wizard.count"] == "warning"
    item = next(
        i
        for i in registry.load_army(DRAFT, "the-empire").magic_items.values()
        if i.points <= 25
    )
    assert (
        levels(findings(DRAFT, "the-empire", captain(item.option_key)))["magic_items.few"]
        == "note"
    )
    nobody = levels(findings(DRAFT, "the-empire", RosterEntry("halberdiers", count=5)))
    assert nobody["leader.missing"] == "note"
    assert "error" not in nobody.values()


def test_points_and_options_are_checked_everywhere() -> None:
    for system, variant in ((DRAFT, None), (RULINGS, "A"), (RULINGS, "B"), (RULINGS, "C")):
        entry = RosterEntry("halberdiers", count=60, options=("moon",))
        found = levels(
            findings(
                system,
                "the-empire",
                captain(),
                entry,
                RosterEntry("nobody"),
                variant=variant,
            )
        )
        for code in ("points.over_limit", "option.unknown", "profile.unknown"):
            assert found[code] == "error", (system, variant, code)


def test_difficult_weapon_allows_no_second_one() -> None:
    def found(*options: str, variant: str = "B") -> dict[str, str]:
        return levels(
            findings(
                RULINGS,
                "the-empire",
                RosterEntry("halberdiers", options=options),
                variant=variant,
            )
        )

    both = findings(
        RULINGS,
        "the-empire",
        RosterEntry("halberdiers", options=("own-morning-star", "own-sword")),
        variant="B",
    )
    hit = next(f for f in both if f.code == "weapon.difficult")
    assert (hit.level, hit.warriors) == ("error", (0,))
    assert "sword" in hit.message
    assert {fix.option for fix in hit.fixes} == {"own-morning-star", "own-sword"}
    assert "weapon.difficult" not in found("own-sword")
    bow = findings(
        RULINGS,
        "the-empire",
        RosterEntry("halberdiers", options=("own-morning-star", "own-buckler")),
        variant="B",
    )
    assert "weapon.difficult" in levels(bow), "the halberd is a second weapon too"
    assert "weapon.difficult" not in found("own-morning-star", variant="A"), (
        "version A has no such rule"
    )


def test_shield_and_plain_hand_weapon_do_not_count_as_second_weapons() -> None:
    army = registry.load_army(RULINGS, "the-empire", "B")
    entry = RosterEntry("swordsmen", options=("own-morning-star",))
    assert {"hand-weapon", "morning-star"} == {
        arm.key for arm in carried_weapons(select(army, entry), army)
    }
    assert "weapon.difficult" not in levels(
        findings(RULINGS, "the-empire", entry, variant="B")
    )


def test_dwarf_armour_is_for_dwarfs() -> None:
    def found(army: str, profile: str) -> str | None:
        entry = RosterEntry(profile, options=("own-dwarf-armour",))
        return levels(findings(RULINGS, army, entry, variant="B")).get("armour.dwarfs_only")

    assert found("the-empire", "halberdiers") == "error"
    assert found("dwarfs", "dwarf-warriors") is None
    assert found("chaos-dwarfs", "chaos-dwarf-warriors") is None
    assert found("chaos-dwarfs", "hobgoblins") == "error"
    for hired in ("dwarfs", "long-drongs-slayer-pirates-slayer-pirates"):
        assert found("dogs-of-war", hired) is None


def test_what_has_no_price_is_noted_and_free() -> None:
    found = findings(
        RULINGS, "the-empire", captain("own-sword", "own-buckler"), variant="A"
    )
    assert levels(found)["option.unpriced"] == "note"
    army = registry.load_army(RULINGS, "the-empire", "A")
    assert select(army, captain("own-sword")).points == select(army, captain()).points
    assert "option.unpriced" not in levels(
        findings(RULINGS, "the-empire", captain(), variant="A")
    )


def test_a_leader_is_missed_in_text_a_alone() -> None:
    entry = RosterEntry("halberdiers", count=5)
    found = {
        key: levels(findings(RULINGS, "the-empire", entry, variant=key)) for key in "ABC"
    }
    assert [found[key].get("leader.missing") for key in "ABC"] == ["warning", None, None]
    assert "leader.missing" not in levels(
        findings(RULINGS, "the-empire", captain(), variant="A")
    )


def test_finding_names_its_text() -> None:
    found = findings(RULINGS, "the-empire", RosterEntry("halberdiers"), variant="A")
    assert (
        next(f for f in found if f.code == "leader.missing").source
        == "Mordheim rulings, version A, The phases (C21)"
    )


def test_sheet_has_rout_in_text_a_alone_and_counts_armour_that_slows() -> None:
    def sheet(variant: str, *entries: RosterEntry):
        roster = Roster(RULINGS, "the-empire", "", 250, variant, warriors=entries)
        return build_sheet(roster, *registry.load_ruleset(roster))

    band = (captain(), RosterEntry("halberdiers", count=7))
    assert [sheet(key, *band).rout is not None for key in "ABC"] == [True, False, False]
    assert sheet("A", *band).rout.out == 2
    army = registry.load_army(RULINGS, "dwarfs", "B")
    heavy = next(
        p.key
        for p in army.profiles.values()
        if "heavy-armour" in p.default_items and p.troop_type == "infantry"
    )
    moves = []
    for variant in "BC":
        roster = Roster(RULINGS, "dwarfs", "", 250, variant, warriors=(RosterEntry(heavy),))
        warrior = build_sheet(roster, *registry.load_ruleset(roster)).warriors[0]
        moves.append((warrior.move, warrior.run))
    assert moves == [(2, 4), (3, 6)]


def test_own_figures_reach_the_arms_and_the_save() -> None:
    army, system = (
        registry.load_army(RULINGS, "the-empire", "B"),
        registry.load_system(RULINGS, "B"),
    )
    bearer = select(
        army,
        RosterEntry(
            "halberdiers", options=("own-dagger", "own-helmet", "own-duelling-pistol")
        ),
    )
    found = {arm.key: arm for arm in carried_weapons(bearer, army)}
    assert found["dagger"].strength == 2
    assert found["duelling-pistol"].range == 10
    assert "save −2 in all" in found["duelling-pistol"].notes
    assert any(
        "stunned" in words for words in armour_save(bearer, army, system.saves).situational
    )
