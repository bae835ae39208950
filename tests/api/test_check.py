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
        "points",
        "second_price",
        "models",
        "findings",
        "findings_left",
        "warriors",
    ]
    assert (answer["points"], answer["models"]) == (54 + 28, 5)
    assert answer["warriors"][1] == {"points": 28, "armour_save": 5, "leadership": 7}
    _, note = answer["findings"]
    assert list(note) == [
        "code",
        "level",
        "message",
        "warriors",
        "acknowledged_by",
        "source",
    ]
    assert (note["code"], note["level"], note["warriors"]) == (
        "points.under_limit",
        "note",
        [],
    )


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


@pytest.mark.parametrize(
    "army,entry,points",
    [
        ("the-empire", warrior("halberdiers", count=200), 1200),
        ("the-empire", warrior("halberdiers", "shields", "champion", count=3), 51),
        ("the-empire", warrior("halberdiers", "musician"), 11),
        ("the-empire", warrior("halberdiers", "standard-bearer"), 16),
        (
            "the-empire",
            warrior("halberdiers", "champion", "musician", "standard-bearer", "shields"),
            32,
        ),
        # a champion's own options are paid with and without the champion they need
        ("the-empire", warrior("handgunners", "champion", "hochland-long-rifle"), 33),
        ("the-empire", warrior("handgunners", "hochland-long-rifle"), 28),
        ("the-empire", warrior("pistoliers", "champion", "repeater-pistol", count=2), 72),
        # by the piece: listed once for each
        ("ogre-kingdoms", warrior("tyrant", "sword-gnoblar"), 205),
        (
            "ogre-kingdoms",
            warrior("tyrant", "sword-gnoblar", "sword-gnoblar", count=2),
            420,
        ),
        ("chaos", warrior("daemon-prince", "wizard-level", "wizard-level"), 380),
        # magic items
        ("the-empire", warrior("captain", "magic/sword-of-might"), 70),
        ("the-empire", warrior("halberdiers", "magic/sword-of-might", count=2), 52),
        # prices that depend on what stands beside
        ("orcs-and-goblins", warrior("goblin-wolf-chariots", "spears"), 63),
        (
            "orcs-and-goblins",
            warrior("goblin-wolf-chariots", "extra-goblin-crewman", "spears"),
            67,
        ),
        ("wood-elves", warrior("wood-elf-noble", "light-armour", "spear"), 79),
        (
            "wood-elves",
            warrior("wood-elf-noble", "light-armour", "spear", "wild-rider-kindred"),
            110,
        ),
        # the Steam Tank's guns are taken out of its printed 300
        ("the-empire", warrior("steam-tank"), 250),
        ("the-empire", warrior("steam-tank", "main-cannon", "steam-gun"), 300),
        ("the-empire", warrior("steam-tank", "volley-gun", "steam-gun"), 325),
        ("the-empire", warrior("steam-tank", "mortar-and-swivel-guns"), 200),
        ("daemonic-legions", warrior("chariot-of-khorne"), 170),
        # a default with a price counts only when it is listed
        ("bretonnians", warrior("paladin"), 60),
        ("bretonnians", warrior("paladin", "barded-warhorse"), 74),
        ("bretonnians", warrior("bretonnian-lord", "barded-warhorse"), 131),
        # what a finding forbids is paid all the same
        (
            "the-empire",
            warrior("captain", "light-armour", "plate-armour", "halberd", "great-weapon"),
            68,
        ),
        ("the-empire", warrior("captain", "halberd", "halberd"), 58),
    ],
)
def test_price_is_the_base_and_everything_listed(check, army, entry, points):
    answer = check(entry, army=army)
    assert points_of(answer) == [points]
    assert answer["points"] == points
    assert "option.unknown" not in codes(answer)


@pytest.mark.parametrize(
    "army,entry,code",
    [
        ("the-empire", warrior("handgunners", "hochland-long-rifle"), "option.requirement"),
        ("the-empire", warrior("captain", "light-armour", "plate-armour"),
            "option.conflict"),
        ("the-empire", warrior("captain", "halberd", "halberd"), "option.conflict"),
        ("the-empire", warrior("halberdiers", "musician", "musician"), "option.conflict"),
        ("the-empire", warrior("archers", "magic/sword-of-might"), "option.conflict"),
        ("ogre-kingdoms", warrior("tyrant", "sword-gnoblar", "sword-gnoblar",
            "sword-gnoblar"), "option.conflict"),
        ("the-empire", warrior("steam-tank"), "option.requirement"),
        ("bretonnians", warrior("paladin"), "option.requirement"),
        ("wood-elves", warrior("wood-elf-noble", "wild-rider-kindred", "great-weapon"),
            "option.conflict"),
    ],
)  # fmt: skip
def test_broken_equipment_rule_is_an_error_of_that_warrior(check, army, entry, code):
    answer = check(warrior("nobody"), entry, army=army)
    (finding,) = [
        f for f in answer["findings"] if f["code"] == code and f["warriors"] == [1]
    ][:1]
    assert finding["level"] == "error"


@pytest.mark.parametrize(
    "army,entry",
    [
        ("the-empire", warrior("handgunners", "champion", "hochland-long-rifle")),
        ("the-empire", warrior("steam-tank", "main-cannon", "steam-gun")),
        ("bretonnians", warrior("paladin", "barded-warhorse")),
        ("ogre-kingdoms", warrior("tyrant", "sword-gnoblar", "sword-gnoblar")),
        ("the-empire", warrior("battle-wizard")),  # its one level group is never required
        ("bretonnians", warrior("damsel-of-the-lady")),
    ],
)
def test_choices_in_order_have_no_error_of_their_own(check, army, entry):
    assert not [c for c in codes(check(entry, army=army)) if c.startswith("option.")]


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
def test_every_record_but_a_mount_is_a_profile(check, army):
    book = registry.load_army(SYSTEM, army)
    profiles = list(book.profiles.values())
    answer = check(*({"profile": p.key} for p in profiles), army=army)
    assert points_of(answer) == [p.points for p in profiles]
    assert answer["points"] == sum(p.points for p in profiles)
    assert not {"profile.unknown", "option.unknown"} & set(codes(answer))
    mounts = check(*({"profile": key} for key in book.mounts), army=army)
    assert codes(mounts).count("profile.unknown") == len(book.mounts)


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


@pytest.mark.parametrize(
    "army,entry,save",
    [
        ("the-empire", warrior("captain"), None),
        ("the-empire", warrior("captain", "light-armour"), 6),
        ("the-empire", warrior("captain", "heavy-armour", "shield"), 4),
        ("the-empire", warrior("captain", "plate-armour", "shield"), 3),
        ("the-empire", warrior("captain", "shield"), 6),
        ("the-empire", warrior("captain", "warhorse"), 6),
        ("the-empire", warrior("captain", "light-armour", "barded-warhorse"), 4),
        ("the-empire", warrior("captain", "heavy-armour", "pegasus"), 4),
        ("the-empire", warrior("captain", "plate-armour", "shield", "barded-warhorse"), 1),
        ("the-empire", warrior("archers"), None),
        ("the-empire", warrior("halberdiers"), 6),
        ("the-empire", warrior("halberdiers", "shields"), 5),
        ("the-empire", warrior("swordsmen"), 5),
        ("the-empire", warrior("greatswords"), 4),
        ("the-empire", warrior("pistoliers"), 5),
        ("bretonnians", warrior("paladin"), 5),
        ("bretonnians", warrior("paladin", "barded-warhorse"), 3),
        ("bretonnians", warrior("pegasus-knights"), 3),
        ("bretonnians", warrior("men-at-arms"), 5),
        ("lizardmen", warrior("saurus-warriors"), 5),
        ("lizardmen", warrior("saurus-oldblood"), 5),
        ("lizardmen", warrior("saurus-oldblood", "cold-one"), 3),  # a thick-skinned beast is two better
        ("lizardmen", warrior("skink-skirmishers"), None),
        ("dark-elves", warrior("corsairs"), 5),  # the cloak's second point is against missiles only
        ("dark-elves", warrior("cold-one-knights"), 2),
        ("dark-elves", warrior("dark-elf-noble", "cold-one-chariot", "light-armour"), 6),  # a chariot gives nothing
        ("dwarfs", warrior("ironbreakers"), 3),
        ("dwarfs", warrior("slayers"), None),
        ("skaven", warrior("warplock-jezzails"), None),  # the pavise is against missiles only
        ("tomb-kings", warrior("skeleton-heavy-horsemen"), 4),
    ],
)  # fmt: skip
def test_armour_save_is_a_number_without_what_counts_only_sometimes(
    check, army, entry, save
):
    assert check(entry, army=army)["warriors"][0]["armour_save"] == save


@pytest.mark.parametrize(
    "army,entry,leadership",
    [
        ("the-empire", warrior("captain"), 8),
        ("the-empire", warrior("halberdiers", "champion"), 7),
        ("the-empire", warrior("great-cannon"), 7),  # the crew's; the gun has none
        ("the-empire", warrior("captain", "pegasus"), 8),
        ("bretonnians", warrior("men-at-arms"), 5),
        ("bretonnians", warrior("men-at-arms", "champion"), 6),
        ("chaos", warrior("beast-herd-gors"), 6),
        ("chaos", warrior("beast-herd-gors", "champion"), 7),
        ("daemonic-legions", warrior("daemonic-herald", "chariot-of-nurgle"), 8),  # never its 9
        ("chaos", warrior("tuskgor-chariot"), 7),
        ("chaos", warrior("hellcannon"), None),
        ("lizardmen", warrior("the-venerable-lord-kroak"), None),
        ("dark-elves", warrior("druchii-annointed", "cold-one"), None),  # its mount's 5 is not its own
        ("the-empire", warrior("nobody"), None),
    ],
)  # fmt: skip
def test_leadership_is_its_own(check, army, entry, leadership):
    assert check(entry, army=army)["warriors"][0]["leadership"] == leadership


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
