"""Every code of the findings, each through a hand-made document: its level, its source, its
warriors.
"""

import pytest

from rulesdata import registry
from tests.api.conftest import warrior

CAPTAIN = warrior("captain", "halberd", leader=True)
FORCE, DESIGN = "THE SKIRMISH FORCE", "DESIGNING SCENARIOS"
OURS = "Warhammer Skirmish"


def told(code, level, source, warriors, *entries, army="the-empire", **fields):
    return pytest.param(
        code,
        level,
        source,
        warriors,
        entries,
        {"army": army, **fields},
        id=f"{code}-{army}",
    )


CASES = [
    told("points.over_limit", "error", None, [], CAPTAIN, points_limit=53),
    told("points.limit_range", "warning", (FORCE, "F000-01"), [], CAPTAIN, points_limit=99),
    told("points.limit_range", "warning", (FORCE, "F000-01"), [], CAPTAIN,
        points_limit=251),
    told("points.under_limit", "note", None, [], CAPTAIN, points_limit=100),
    told("leader.missing", "error", (FORCE, "F000-05"), [1], warrior("halberdiers"),
        warrior("captain")),
    told("leader.many", "error", (FORCE, "F000-05"), [0, 1], CAPTAIN, CAPTAIN),
    told("leader.not_highest_leadership", "error", ("LEADERS", "F000-07"), [1],
        warrior("halberdiers", leader=True), warrior("captain")),
    told("leader.below_troops", "note", ("LEADERS", "F000-07"), [1],
        warrior("halberdiers", leader=True), warrior("greatswords")),
    told("leader.not_character", "warning", (FORCE, "F000-05", "F000-06"), [0],
        warrior("halberdiers", leader=True)),
    told("wizard.level", "error", (FORCE, "F000-04"), [1], CAPTAIN, warrior("battle-wizard",
        "level-2")),
    told("wizard.count", "warning", (DESIGN, "F000-03", "F000-20"), [1, 2], CAPTAIN,
        warrior("battle-wizard"), warrior("battle-wizard")),
    told("magic_items", "warning", (FORCE, "F000-02"), [0, 1], warrior("captain",
        "magic/sword-of-might", leader=True), warrior("captain", "magic/biting-blade")),
    told("magic_items.few", "note", (FORCE, "F000-02"), [0], warrior("captain",
        "magic/sword-of-might", leader=True)),
    told("wizard.few", "note", (FORCE, "F000-03"), [1], CAPTAIN, warrior("battle-wizard")),
    told("points.total_range", "note", (FORCE, "F000-01"), [], CAPTAIN, points_limit=None),
    told("command.champion", "note", (DESIGN, "F000-22"), [1, 2], CAPTAIN,
        warrior("halberdiers", "champion", count=2), warrior("spearmen", "champion",
        count=2)),
    told("command.shared", "error", None, [1], CAPTAIN, warrior("halberdiers", "champion",
        "musician")),
    told("models.too_many", "warning", (DESIGN, "F000-10"), [], CAPTAIN,
        warrior("halberdiers", count=15)),
    told("type.cavalry", "warning", (DESIGN, "F000-12"), [1], CAPTAIN,
        warrior("pistoliers")),
    told("type.cavalry", "warning", (DESIGN, "F000-12"), [0], warrior("captain", "warhorse",
        leader=True)),
    told("type.monster", "warning", (DESIGN, "F000-13"), [1], CAPTAIN, warrior("steam-tank")),  # large_target
    told("type.monster", "warning", (DESIGN, "F000-13"), [0], warrior("treeman"),
        army="wood-elves"),
    told("type.war_machine", "warning", (DESIGN, "F000-14"), [1], CAPTAIN,
        warrior("great-cannon")),
    told("type.chariot", "warning", (DESIGN, "F000-15"), [0], warrior("chariots"),
        army="tomb-kings"),
    told("type.flyer", "warning", (DESIGN, "F000-19"), [0], warrior("terradons"),
        army="lizardmen"),
    told("type.flyer", "warning", (DESIGN, "F000-19"), [0], warrior("captain", "pegasus",
        leader=True)),
    told("type.swarm", "warning", (DESIGN, "F000-11"), [0], warrior("jungle-swarm"),
        army="lizardmen"),
    told("type.not_infantry", "note", (DESIGN, "F000-11"), [0], warrior("kroxigor"),
        army="lizardmen"),
    told("category.special", "warning", (DESIGN, "F000-16", "F000-17"), [1], CAPTAIN,
        warrior("greatswords")),
    told("category.rare", "warning", (DESIGN, "F000-16", "F000-17"), [1], CAPTAIN,
        warrior("flagellants")),
    told("category.lord", "warning", (DESIGN, "F000-18"), [0], warrior("elector-count",
        leader=True)),
    told("command.standard", "warning", (DESIGN, "F000-21"), [1], CAPTAIN,
        warrior("halberdiers", "standard-bearer")),
    told("command.standard", "warning", (DESIGN, "F000-21"), [0], warrior("captain",
        "battle-standard-bearer")),
    told("command.musician", "warning", (DESIGN, "F000-22"), [1], CAPTAIN,
        warrior("halberdiers", "musician")),
    told("profile.special_character", "warning", None, [0], warrior("emperor-karl-franz",
        leader=True)),
    told("profile.incomplete", "warning", None, [0], warrior("hellcannon"), army="chaos"),
    told("profile.incomplete", "warning", None, [0], warrior("butcher"), army="ogre-kingdoms"),  # level not stated
    told("profile.army_max", "note", None, [1, 2], CAPTAIN, warrior("greatswords"),
        warrior("greatswords")),
    told("option.conflict", "error", None, [0], warrior("captain", "light-armour",
        "heavy-armour")),
    told("option.requirement", "error", None, [0], warrior("handgunners",
        "repeater-handgun")),
    told("option.unknown", "error", None, [0], warrior("captain", "trebuchet")),
    told("profile.unknown", "error", None, [1], CAPTAIN, warrior("trebuchet")),
]  # fmt: skip


@pytest.mark.parametrize("code,level,source,warriors,entries,fields", CASES)
def test_finding_has_its_level_source_and_warriors(
    check, code, level, source, warriors, entries, fields
):
    (finding,) = [f for f in check(*entries, **fields)["findings"] if f["code"] == code]
    assert finding["level"] == level
    assert finding["warriors"] == warriors
    assert finding["source"].startswith(OURS)
    if source:
        assert all(part in finding["source"] for part in source)
    else:
        assert "F000" not in finding["source"]
    assert finding["message"].endswith((".", "!"))


def test_every_code_of_the_system_has_a_case():
    known = {
        guideline.code
        for guideline in registry.load_system("warhammer-skirmish").guidelines
    }
    assert known == {case.values[0] for case in CASES}
    assert len(known) == 36


@pytest.mark.parametrize(
    "army,leader,troops,codes",
    [
        ("chaos", "aspiring-champion-of-chaos", "marauders-of-chaos", set()),
        ("chaos", "wargor", "marauders-of-chaos", {"category.special"}),
        ("chaos", "wargor", "beast-herd-gors", set()),
        ("chaos", "aspiring-champion-of-chaos", "beast-herd-gors", {"category.special"}),
    ],
)
def test_leaders_faction_counts_as_the_general(check, army, leader, troops, codes):
    assert registry.load_army("warhammer-skirmish", army).profiles[leader].faction
    found = {
        f["code"]
        for f in check(warrior(leader, leader=True), warrior(troops), army=army)["findings"]
        if f["code"].startswith("category.") and 1 in f["warriors"]
    }
    assert found == codes


def test_counts_stand_in_the_sentence(check):
    answer = check(CAPTAIN, warrior("halberdiers", count=15))
    (finding,) = [f for f in answer["findings"] if f["code"] == "models.too_many"]
    assert "16 models" in finding["message"]
    assert "15" in finding["message"]


def test_errors_come_first(check):
    levels = [
        f["level"]
        for f in check(warrior("greatswords"), warrior("nobody"), points_limit=300)[
            "findings"
        ]
    ]
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    assert len(set(levels)) == 3


@pytest.mark.parametrize(
    "limit,spent,codes",
    [
        (120, 108, set()),
        (120, 107, {"points.under_limit"}),
        (100, 90, {"points.total_range"}),
        (250, 225, set()),
        (0, 0, {"points.limit_range"}),
        (None, 0, set()),
        (250, 251, {"points.over_limit"}),
        (250, 250, set()),
    ],
)
def test_edges_of_the_points_limit(check, limit, spent, codes):
    # militia at 5 points and halberdiers at 6 make any figure from 20
    sixes = spent % 5
    fives = (spent - 6 * sixes) // 5
    entries = [warrior("free-company", count=fives)] * bool(fives) + [
        warrior("halberdiers", count=sixes)
    ] * bool(sixes)
    answer = check(*entries, points_limit=limit)
    assert answer["points"] == spent
    assert {
        f["code"] for f in answer["findings"] if f["code"].startswith("points.")
    } == codes
