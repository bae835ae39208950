"""What a battle page tells, worked out by hand for one short battle."""

import pytest

from engine.battles.battle_summary import Casualty, DiceCount, Summary, summary
from engine.battles.types import Combatant, Event, Field, Side
from engine.roster import Agreement
from rulesdata import registry

BEFORE = Agreement(edition=2)  # without guards: what is told here is no whole battle
LADS = Side(
    "b",
    "Gorrak's Lads",
    2,
    None,
    (Combatant("b1", "b", "Gorrak", 2, 9, True), Combatant("b2", "b", "Boy", 1, 6)),
)
MEN = Side(
    "a",
    "The Ferrymen",
    4,
    None,
    tuple(Combatant(f"a{n}", "a", f"Karl {n}", 1, 7, n == 1) for n in range(1, 5)),
)
RECORDED = [
    ("turn", {"number": 1, "side": "a"}),
    ("phase", {"phase": "shooting"}),
    ("mark", {"combatant": "a2", "mark": "has_shot", "on": True}),
    (
        "test",
        {"test": "injury", "combatant": "b2", "dice": [3, 5], "source": "app", "by": "a2"},
    ),
    ("state", {"combatant": "a3", "to": "stunned", "by": "b1"}),
    ("turn", {"number": 2, "side": "b"}),
    ("wounds", {"combatant": "b1", "to": 1}),
    ("state", {"combatant": "a4", "to": "out_of_action", "by": "b1"}),
    ("undo", {"event": "8"}),
    ("state", {"combatant": "a3", "to": "standing"}),
    (
        "state",
        {
            "combatant": "a3",
            "to": "left_table",
            "forced": True,
            "note": "He rolled off the bridge.",
        },
    ),
    (
        "test",
        {"test": "rout", "side": "a", "dice": [4, 5], "source": "typed", "modifier": -1},
    ),
    ("note", {"combatant": "b1", "text": "Gorrak dances."}),
    ("undo", {"event": "9"}),
]


@pytest.fixture(scope="module")
def told() -> Summary:
    rules = registry.battle_rules("warhammer-skirmish", None, BEFORE)
    return summary(
        rules,
        Field((MEN, LADS)),
        [Event(str(n), "p", n, "", *one) for n, one in enumerate(RECORDED, 1)],
    )


def test_test_on_the_leaders_leadership_is_told_with_its_cause() -> None:
    test = {"test": "panic", "combatant": "a2", "lent_by": "a1", "cause": "leader_slain"}
    (entry,) = summary(
        registry.battle_rules("warhammer-skirmish", None, BEFORE),
        Field((MEN, LADS)),
        [Event("1", "p", 1, "", "test", {**test, "dice": [3, 5]})],
    ).timeline
    assert entry.text == (
        "Karl 2: Panic test (leader slain) on the Leadership of Karl 1, 3 and 5 make 8, 7 or less "
        "needed: failed; now fleeing"
    )


def test_timeline_knows_when_and_whether_it_counted(told: Summary) -> None:
    lines = {entry.event: entry for entry in told.timeline}
    assert [
        (lines[n].turn, lines[n].side, lines[n].phase) for n in ("1", "4", "6", "12")
    ] == [
        (1, "a", "recovery"),
        (1, "a", "shooting"),
        (2, "b", "recovery"),
        (2, "b", "recovery"),
    ]
    assert {n: line.verdict for n, line in lines.items() if line.verdict} == {
        "9": "undone",
        "10": (
            "Karl 3: from stunned the rules lead to knocked down or out of action, not to standing."
        ),
    }
    assert (lines["11"].note, lines["11"].is_forced, lines["11"].source) == (
        "He rolled off the bridge.", True, "",
    )  # fmt: skip
    assert [lines[n].source for n in ("3", "4", "5", "8", "12")] == [
        "THE SHOOTING PHASE", "RESOLVING INJURIES", "RESOLVING INJURIES",
        "RESOLVING INJURIES", "THE ROUT TEST",
    ]  # fmt: skip
    assert [lines[n].who for n in ("1", "4", "12", "13")] == [None, "b2", None, "b1"]


def test_names_stand_apart_from_the_words(told: Summary) -> None:
    parts = told.timeline[4].parts
    assert [(part.text, part.combatant) for part in parts] == [
        ("Karl 3", "a3"),
        (": stunned", None),
        (", by ", None),
        ("Gorrak", "b1"),
    ]
    assert told.timeline[0].parts[1].side == "a"


def test_casualties_say_when_and_by_whom(told: Summary) -> None:
    assert told.casualties == (
        Casualty("a3", "a", "left_table", 2, "recovery", None),
        Casualty("a4", "a", "out_of_action", 2, "recovery", "b1"),
        Casualty("b2", "b", "out_of_action", 1, "shooting", "a2"),
    )
    assert told.kills == {"a2": 1, "b1": 1}
    assert told.rounds == 2


def test_tests_and_dice_are_counted_for_who_threw_them(told: Summary) -> None:
    injury, rout = told.tests
    assert (injury.name, injury.side, injury.combatant, injury.score, injury.needed, injury.passed, injury.outcome) == (
        "Injury", "b", "b2", 5, None, None, "Out of action",
    )  # fmt: skip
    assert (rout.side, rout.combatant, rout.dice, rout.sides, rout.score, rout.needed, rout.passed, rout.source) == (
        "a", None, (4, 5), (6, 6), 9, 6, False, "typed",
    )  # fmt: skip
    assert told.dice == (
        DiceCount("a", "app", 6, {1: 0, 2: 0, 3: 1, 4: 0, 5: 1, 6: 0}),
        DiceCount("a", "typed", 6, {1: 0, 2: 0, 3: 0, 4: 1, 5: 1, 6: 0}),
    )
    assert [count.thrown for count in told.dice] == [2, 2]


def test_throw_that_was_repeated_tells_all_its_dice() -> None:
    rules = registry.battle_rules("english-civil-war", None, BEFORE)
    foot = Side(
        "p", "Parliament", 1, None, (Combatant("p1", "p", "Foot", None, 7, models=12),)
    )
    payload = {
        "test": "break",
        "combatant": "p1",
        "dice": [6, 6, 1, 2],
        "source": "typed",
        "modifier": -2,
    }
    other = Side("k", "King", 1, None, (Combatant("k1", "k", "Horse"),))
    told = summary(rules, Field((foot, other)), [Event("1", "p", 1, "", "test", payload)])
    assert (
        told.timeline[0].text
        == "Foot: Break test, 6 and 6 and 1 and 2 (−2), 7 or less needed: passed"
    )
    assert [count.faces for count in told.dice] == [{1: 1, 2: 1, 3: 0, 4: 0, 5: 0, 6: 2}]
    assert told.tests[0].sides == (6, 6, 6, 6)


def test_score_that_was_needed_is_told_without_and_with_the_modifier(told: Summary) -> None:
    payload = {"test": "command", "side": "a", "dice": [5], "modifier": -2}
    rules = registry.battle_rules("d10-skirmish")
    events = [Event("1", "p", 1, "", "test", payload)]
    (least,) = summary(rules, Field((MEN, LADS)), events).tests
    most = told.tests[1]
    assert (least.need, least.needed) == (2, 4)
    assert (most.need, most.needed) == (7, 6)


def test_tests_tell_who_threw(told: Summary) -> None:
    assert [(test.side, test.thrower) for test in told.tests] == [("b", "a"), ("a", "a")]


def test_what_cannot_be_read_says_so() -> None:
    rules = registry.battle_rules("warhammer-skirmish", None, BEFORE)
    told = summary(rules, Field((MEN, LADS)), [Event("1", "p", 1, "", "dance", {"a": 1})])
    assert [(entry.text, bool(entry.verdict)) for entry in told.timeline] == [
        ("Cannot be read: dance", True)
    ]
    assert told.rounds == 1
