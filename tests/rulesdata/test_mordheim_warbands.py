"""The fifteen Mordheim warbands: what their starters cost and break, and what all of them share."""

from dataclasses import replace

import pytest

from engine.choices import picker
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.selection import select, select_all, total_points
from rulesdata import registry
from rulesdata.checks.systems import check_variants
from rulesdata.pack_files.folders import PACKS
from rulesdata.queries.tables import load_weapons
from tests.rulesdata.test_mordheim import BOOKS, DRAFT, RULINGS

COLLECTION = "mordheim"
STARTERS = {
    "averlanders": (485, 10), "beastmen-raiders": (499, 13), "carnival-of-chaos": (497, 12),
    "cult-of-the-possessed": (487, 9), "dwarf-treasure-hunters": (496, 8),
    "kislevites": (495, 9), "marienburgers": (595, 11), "middenheimers": (493, 12),
    "orc-mob": (498, 14), "ostlanders": (494, 11), "reiklanders": (493, 11),
    "sisters-of-sigmar": (493, 14), "skaven-clan-eshin": (489, 16), "undead": (491, 13),
    "witch-hunters": (491, 12),
}  # fmt: skip
"""Gold crowns and models, summed up by hand."""


@pytest.mark.parametrize("key", STARTERS)
def test_starter_costs_its_sum_and_breaks_nothing_in_any_text(key: str) -> None:
    for system_key, variant in BOOKS:
        system = registry.load_system(system_key, variant)
        army = registry.load_army(system_key, key, variant)
        ready = army.starter
        assert ready
        assert (army.currency.short, army.default_limit) == ("gc", ready.limit)
        selections = select_all(army, ready.warriors)
        points = sum(entry.points for entry in selections)
        models = sum(entry.miniatures for entry in selections)
        assert (points, models) == STARTERS[key]
        roster = Roster(system_key, key, warriors=ready.warriors, points_limit=ready.limit)
        findings = check(roster, system, army)
        assert {finding.level for finding in findings} <= {"note"}


def test_both_systems_field_all_of_them_beside_the_armies() -> None:
    assert set(registry.collection_file(COLLECTION).armies) == set(STARTERS)
    for system in ("mordheim-draft", "mordheim-rulings"):
        assert set(STARTERS) < set(registry.list_army_keys(system))
        assert "skaven" in registry.list_army_keys(system)


def test_hired_swords_are_offered_where_they_may_be_hired() -> None:
    for key, offers in (("reiklanders", True), ("beastmen-raiders", False)):
        sword = registry.load_army(DRAFT, key).profiles["hired-warlock"]
        assert (sword.is_offered, sword.joining.upkeep) == (offers, 15)
    assert sword.not_offered_because == "Beastmen Raiders may not hire it."


def test_units_say_what_they_are_in_a_campaign() -> None:
    mob = registry.load_army(DRAFT, "orc-mob").profiles
    assert (mob["orc-boss"].is_leader, mob["orc-boss"].joining.race) == (True, "orc")
    assert "orcs" in mob["orc-shaman"].joining.skill_lists
    squig = mob["cave-squig"].joining
    assert (squig.gains_experience, squig.is_promotable, squig.race) == (False, False, "")
    assert mob["orc-boy"].joining.is_promotable


def test_an_army_key_of_two_collections_of_a_system_is_refused() -> None:
    system = PACKS / "systems" / DRAFT
    armies = {"whfb6": ("skaven", "chaos"), "mordheim": ("skaven", "undead")}
    faults = check_variants(system, armies)
    assert [fault.key for fault in faults] == ["collections"]
    armies = {"whfb6": ("skaven",), "mordheim": ("skaven-clan-eshin",)}
    assert check_variants(system, armies) == []


@pytest.mark.parametrize("variant", ["A", "B"])
def test_nothing_of_the_text_is_free_beside_a_priced_list(variant: str) -> None:
    free = {option.key for option in registry.load_system(RULINGS, variant).options}
    assert "own-sword" in free
    for key in STARTERS:
        for profile in registry.load_army(RULINGS, key, variant).profiles.values():
            assert free.isdisjoint(option.key for option in profile.options)


def test_a_piece_that_the_list_sells_is_not_offered_twice() -> None:
    army = registry.load_army(RULINGS, "bretonnians", "B")
    bare, armed = (
        {
            choice.key
            for group in picker(select(army, RosterEntry("men-at-arms", options=had)), army)
            for choice in group.choices
        }
        for had in ((), ("own-spear",))
    )
    assert {"own-spear", "own-sword"} & bare == {"own-sword"}
    # Whoever took it before keeps it.
    assert "own-spear" in armed


def broken(army: str, *warriors: RosterEntry, limit: int | None = 500) -> list[Finding]:
    """What a warband of these warriors breaks of its list, in the draft."""
    roster = Roster(DRAFT, army, warriors=warriors, points_limit=limit)
    findings = check(roster, registry.load_system(DRAFT), registry.load_army(DRAFT, army))
    return [finding for finding in findings if finding.code.startswith("list.")]


CAPTAIN = RosterEntry("mercenary-captain", is_leader=True)
MEN = [RosterEntry("warrior", count=5) for _ in range(2)]
BOSS, SHAMAN = RosterEntry("orc-boss"), RosterEntry("orc-shaman")
WARLOCK = RosterEntry("hired-warlock")
BREAKS: list[tuple[str, list[RosterEntry], list[str]]] = [
    ("reiklanders", [CAPTAIN, *MEN], []),
    ("reiklanders", [CAPTAIN, *MEN, RosterEntry("warrior", count=4)], []),
    ("reiklanders", [CAPTAIN, RosterEntry("warrior", count=6)], ["list.group"]),
    ("reiklanders", [CAPTAIN, RosterEntry("champion", count=2)], []),
    ("reiklanders", [CAPTAIN, *MEN, WARLOCK, WARLOCK], ["list.maximum", "list.beside"]),
    (
        "reiklanders",
        [CAPTAIN, RosterEntry("warrior"), WARLOCK],
        ["list.minimum", "list.beside"],
    ),
    ("orc-mob", [BOSS, SHAMAN, RosterEntry("goblin-warrior", count=4)], []),
    ("orc-mob", [BOSS, SHAMAN, RosterEntry("goblin-warrior", count=5)], ["list.ratio"]),
    ("witch-hunters", [RosterEntry("witch-hunter-captain", count=1)], ["list.minimum"]),
]


@pytest.mark.parametrize("army, warriors, codes", BREAKS)
def test_what_a_warband_breaks_of_its_list(army, warriors, codes):
    assert [finding.code for finding in broken(army, *warriors)] == codes


@pytest.mark.parametrize("warriors, words", [
    ([CAPTAIN, *MEN, *MEN[1:]], "16 of Models; the army list allows 15."),
    ([CAPTAIN, *[RosterEntry("champion")] * 3], "3 of Champion; the army list allows 2."),
    ([CAPTAIN, *MEN, CAPTAIN], "2 of Mercenary Captain; the army list allows 1."),
    (
        [CAPTAIN, *MEN, RosterEntry("warrior", options=("flail",))],
        "Warrior: “flail” is not in this army list. It costs 0 gc. Remove it.",
    ),
])  # fmt: skip
def test_what_is_broken_is_told_with_its_limit(warriors, words):
    roster = Roster(DRAFT, "reiklanders", warriors=tuple(warriors), points_limit=500)
    army = registry.load_army(DRAFT, "reiklanders")
    findings = check(roster, registry.load_system(DRAFT), army)
    assert words in [finding.message for finding in findings if finding.level == "error"]


def test_hired_swords_are_paid_beside_the_limit_and_only_by_who_may_hire() -> None:
    army, system = registry.load_army(DRAFT, "reiklanders"), registry.load_system(DRAFT)
    hired = select_all(army, (CAPTAIN, WARLOCK))
    assert [total_points(hired, limit, system) for limit in (60, None)] == [60, 90]
    within = select_all(replace(army, hired_in_limit=True), (CAPTAIN, WARLOCK))
    assert total_points(within, 60, system) == 90
    others = {finding.code: finding for finding in broken("beastmen-raiders", WARLOCK)}
    assert (others["list.hired"].level, others["list.hired"].warriors) == ("error", (0,))


def test_a_hired_sword_is_advised_as_nobodys_leader() -> None:
    army, system = (
        registry.load_army(RULINGS, "reiklanders", "A"),
        registry.load_system(RULINGS, "A"),
    )
    warriors = tuple(map(RosterEntry, ("countess-marianna-chevaux", "youngblood")))
    findings = check(
        Roster(RULINGS, army.key, variant="A", warriors=warriors), system, army
    )
    (missing,) = (finding for finding in findings if finding.code == "leader.missing")
    assert [fix.warrior for fix in missing.fixes] == [1]


def test_too_many_arms_are_mended_by_leaving_one() -> None:
    armed = replace(CAPTAIN, options=("sword", "axe", "hammer"))
    (arms,) = (f for f in broken("reiklanders", armed, *MEN) if f.code == "list.maximum")
    assert [(fix.action, fix.option) for fix in arms.fixes] == [
        ("remove_option", key) for key in armed.options
    ]


def test_the_first_dagger_is_free_and_the_second_is_not() -> None:
    army = registry.load_army(DRAFT, "reiklanders")
    assert army.profiles["champion"].default_items == ("dagger",)
    prices = [
        select(army, RosterEntry("champion", options=had)).points
        for had in ((), ("dagger",))
    ]
    assert prices == [35, 37]
    assert registry.load_army(DRAFT, "undead").profiles["zombie"].default_items == (
        "claws-and-teeth",
    )


def test_a_text_leaves_traits_to_the_list_and_no_more() -> None:
    handguns = [
        registry.load_army(RULINGS, army, "A").weapons["handgun"]
        for army in ("reiklanders", "the-empire")
    ]
    assert [handgun.traits.get("reload") for handgun in handguns] == [True, None]
    for handgun in handguns:
        assert {"save_modifier", "armour_piercing", "keeps"}.isdisjoint(handgun.traits)


def test_rules_of_a_piece_are_shown_as_rules_and_kept_beside_a_texts_figures() -> None:
    tables = load_weapons("mordheim-rulings.B")["tables"]
    lines = {line.item.key: line for table in tables for line in table.lines}
    assert lines["double-barrelled-pistol"].notes.endswith("Double-barrelled, Hand-to-hand")
    assert "Squig Prodder" in lines["squig-prodder"].notes
    assert not any(
        "note" in line.item.traits for line in (lines["pistol"], lines["rapier"])
    )
