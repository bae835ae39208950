"""`check/`: what an entry pays, saves and leads with.

No test here has a database: none is needed.
"""

import pytest

from rulesdata import registry
from tests.api.conftest import warrior

SYSTEM = "warhammer-skirmish"
CAPTAIN = warrior("captain", "halberd", leader=True)


def points_of(answer):
    return [entry["points"] for entry in answer["warriors"]]


def codes(answer):
    return [finding["code"] for finding in answer["findings"]]


def test_answer_has_the_promised_shape(check):
    answer = check(CAPTAIN, warrior("halberdiers", "shields", count=4), points_limit=250)
    assert list(answer) == [
        "points", "second_price", "models", "findings", "findings_left", "warriors",
    ]  # fmt: skip
    assert (answer["points"], answer["models"]) == (54 + 28, 5)
    assert answer["warriors"][1] == {"points": 28, "armour_save": 5, "leadership": 7}
    _, note = answer["findings"]
    assert list(note) == [
        "code", "level", "message", "warriors", "acknowledged_by", "source",
    ]  # fmt: skip
    assert (note["code"], note["level"], note["warriors"]) == (
        "points.under_limit", "note", [],
    )  # fmt: skip


def test_keys_that_may_be_left_out_have_their_defaults(check):
    bare = check({"profile": "halberdiers"})
    whole = check(
        {"profile": "halberdiers", "name": "", "count": 1, "leader": False, "options": []},
        variant=None,
        name="",
        points_limit=None,
        scenario=None,
        house_rules={},
    )
    assert bare == whole
    assert points_of(bare) == [6]


def test_no_warriors_is_a_roster(check):
    answer = check()
    assert (answer["points"], answer["models"], answer["warriors"]) == (0, 0, [])
    assert codes(answer) == ["leader.missing"]


# The rules of prices, equipment, saves and Leadership are tested in tests/engine.
@pytest.mark.parametrize("army,entry,points", [
    ("the-empire", warrior("halberdiers", "shields", "champion", count=3), 51),
    ("the-empire", warrior("captain", "magic/sword-of-might"), 70),
    # by the piece: listed once for each
    ("ogre-kingdoms", warrior("tyrant", "sword-gnoblar", "sword-gnoblar", count=2), 420),
    # prices that depend on what stands beside
    ("orcs-and-goblins", warrior("goblin-wolf-chariots", "extra-goblin-crewman", "spears"), 67),
    ("wood-elves", warrior("wood-elf-noble", "light-armour", "spear", "wild-rider-kindred"), 110),
    # the Steam Tank's guns are taken out of its printed 300
    ("the-empire", warrior("steam-tank", "volley-gun", "steam-gun"), 325),
    # a default with a price counts only when it is listed
    ("bretonnians", warrior("paladin"), 60),
    ("bretonnians", warrior("paladin", "barded-warhorse"), 74),
    # what a finding forbids is paid all the same
    ("the-empire", warrior("captain", "halberd", "halberd"), 58),
])  # fmt: skip
def test_price_is_the_base_and_everything_listed(check, army, entry, points):
    answer = check(entry, army=army)
    assert points_of(answer) == [points] == [answer["points"]]
    assert "option.unknown" not in codes(answer)


@pytest.mark.parametrize("army,entry,code", [
    ("the-empire", warrior("handgunners", "hochland-long-rifle"), "option.requirement"),
    ("the-empire", warrior("captain", "halberd", "halberd"), "option.conflict"),
    ("wood-elves", warrior("wood-elf-noble", "wild-rider-kindred", "great-weapon"),
        "option.conflict"),
])  # fmt: skip
def test_broken_equipment_rule_is_an_error_of_that_warrior(check, army, entry, code):
    findings = check(warrior("nobody"), entry, army=army)["findings"]
    levels = [f["level"] for f in findings if f["code"] == code and f["warriors"] == [1]]
    assert levels[:1] == ["error"]


def test_unknown_profile_and_option_are_findings_at_no_price(check):
    answer = check(
        warrior("dragon-ogre", "club", count=3),
        warrior("captain", "magic/none", "halbert", "Halberd", " halberd", "", "magic/"),
        warrior("barded-warhorse"),  # a mount is no profile
    )
    assert points_of(answer) == [0, 50, 0]
    assert answer["warriors"][0] == {"points": 0, "armour_save": None, "leadership": None}
    assert answer["models"] == 5
    found = {
        code: [f for f in answer["findings"] if f["code"] == code]
        for code in set(codes(answer))
    }
    assert [f["warriors"] for f in found["profile.unknown"]] == [[0], [2]]
    assert [f["warriors"] for f in found["option.unknown"]] == [[1]] * 6
    assert "dragon-ogre" in found["profile.unknown"][0]["message"]
    assert {f["level"] for f in found["profile.unknown"] + found["option.unknown"]} == {
        "error"
    }


@pytest.mark.parametrize("army", registry.list_army_keys(SYSTEM))
def test_every_option_adds_its_price_for_each_miniature(check, army):
    book = registry.load_army(SYSTEM, army)
    entries, expected = [], []
    for profile in book.profiles.values():
        for option in profile.all_options:
            entries.append(warrior(profile.key, option.key, count=2))
            expected.append(2 * (profile.points + option.points))
    for item in book.magic_items.values():
        entries.append(warrior(next(iter(book.profiles)), item.option_key))
        expected.append(next(iter(book.profiles.values())).points + item.points)
    found = []
    for start in range(0, len(entries), 200):
        answer = check(*entries[start : start + 200], army=army)
        assert "option.unknown" not in codes(answer)
        found += points_of(answer)
    assert found == expected
    assert len(expected) > 20


@pytest.mark.parametrize("army,entry,save,leadership", [
    ("the-empire", warrior("captain"), None, 8),
    ("the-empire", warrior("captain", "plate-armour", "shield", "barded-warhorse"), 1, 8),
    ("the-empire", warrior("great-cannon"), None, 7),  # the crew's; the gun has none
    # a thick-skinned beast is two better
    ("lizardmen", warrior("saurus-oldblood", "cold-one"), 3, 8),
    # the cloak's second point is against missiles only
    ("dark-elves", warrior("corsairs"), 5, 8),
    # a chariot gives nothing
    ("dark-elves", warrior("dark-elf-noble", "cold-one-chariot", "light-armour"), 6, 9),
    # never its mount's
    ("daemonic-legions", warrior("daemonic-herald", "chariot-of-nurgle"), None, 8),
    ("the-empire", warrior("nobody"), None, None),
])  # fmt: skip
def test_save_and_leadership_are_its_own(check, army, entry, save, leadership):
    answer = check(entry, army=army)["warriors"][0]
    assert (answer["armour_save"], answer["leadership"]) == (save, leadership)


def test_what_an_option_brings_along_and_packs_are_counted(check):
    answer = check(
        warrior("night-goblins", "fanatics"),
        warrior("orc-boyz", count=3),
        warrior("nobody"),
        army="orcs-and-goblins",
    )
    assert answer["models"] == 2 + 3 + 1


def test_indexes_begin_at_zero(check):
    answer = check(CAPTAIN, warrior("swordsmen"), warrior("greatswords"), warrior("nobody"))
    found = {f["code"]: f["warriors"] for f in answer["findings"]}
    assert found["category.special"] == [2]
    assert found["profile.unknown"] == [3]


def test_scenario_lowers_what_it_waives_to_a_note_that_says_so(check):
    entries = [CAPTAIN, warrior("greatswords")]
    plain, waived = (
        {f["code"]: f for f in check(*entries, scenario=scenario)["findings"]}
        for scenario in (None, "raid-on-the-tomb@tomb-guard")
    )
    assert plain["category.special"]["level"] == "warning"
    assert waived["category.special"]["level"] == "note"
    assert waived["category.special"]["message"].startswith(
        plain["category.special"]["message"]
    )
    assert "Waived:" in waived["category.special"]["message"]
    assert plain.keys() == waived.keys()
    without_leader = check(warrior("halberdiers"), scenario="hunt-the-troll@the-beast")
    assert {f["code"]: f["level"] for f in without_leader["findings"]} == {
        "leader.missing": "note",
        "points.total_range": "note",
    }
    # The hunters lead as anybody does.
    (hunters,) = [
        one
        for one in check(warrior("halberdiers"), scenario="hunt-the-troll")["findings"]
        if one["code"] == "leader.missing"
    ]
    assert hunters["level"] == "error"
    assert hunters["message"].endswith(
        "“Hunt the troll” allows it to The beast: choose that side."
    )


def test_house_rules_of_the_system_are_accepted(check):
    rules = [rule.key for rule in registry.load_system(SYSTEM).house_rules]
    assert rules
    assert check(CAPTAIN, house_rules=dict.fromkeys(rules, True)) == check(CAPTAIN)


def test_two_hundred_entries_of_two_hundred(check):
    answer = check(*[warrior("halberdiers", "shields", count=200)] * 200)
    assert answer["points"] == 200 * 200 * 7
    assert answer["models"] == 40_000
    assert len(answer["warriors"]) == 200


def test_lore_and_notes_of_an_export_are_understood(check):
    entry = {**warrior("battle-wizard"), "lore": "fire", "note": "Painted\non Sunday"}
    assert points_of(check(entry, note="For the league")) == [60]
