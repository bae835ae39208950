"""The tables that a battle goes by, each small question they answer by itself."""

from dataclasses import replace

import pytest

from engine.battles.rules import BattleTest, Ending, OutcomeRow, to_json
from engine.battles.sentences import message
from engine.battles.state import comparison_key, keys_by_spelling, lowered
from engine.battles.types import Combatant, Field, Side
from engine.text import join_words
from rulesdata import registry

SKIRMISH = registry.battle_rules("warhammer-skirmish")
ROWS = (OutcomeRow(1, 2, "Down"), OutcomeRow(3, 4, "Stunned"), OutcomeRow(5, 6, "Out"))
NERVE = BattleTest("nerve", "Nerve", "combatant", (6, 6), "at_most")


@pytest.mark.parametrize("takes, rerolls, dice, score", [
    ("sum", False, (3, 4), 7),
    ("highest", False, (3, 4), 4),
    ("sum", False, (3, 4, 5), 12),
    ("sum", True, (3, 4), 7),
    ("sum", True, (3, 4, 1, 2), 3),
    ("highest", True, (6, 6, 1, 2), 2),
])  # fmt: skip
def test_dice_come_to_their_sum_or_the_highest_of_the_last_throw(
    takes: str, rerolls: bool, dice: tuple[int, ...], score: int
) -> None:
    test = replace(NERVE, takes=takes, rerolls=rerolls)
    assert test.score(dice) == score


@pytest.mark.parametrize("passes, need, modifier, is_passed", [
    ("at_most", 7, 0, True), ("at_most", 6, 0, False), ("at_most", 6, 1, True),
    ("at_most", 8, -2, False), ("at_least", 7, 0, True), ("at_least", 8, 0, False),
    ("at_least", 8, 1, True), ("at_least", 6, -2, False),
])  # fmt: skip
def test_a_modifier_is_added_to_the_score_or_to_the_dice(passes, need, modifier, is_passed):
    test = replace(NERVE, passes=passes)
    assert test.is_passed((3, 4), need, modifier) is is_passed


@pytest.mark.parametrize(
    "face, modifier, name",
    [(1, 0, "Down"), (2, 0, "Down"), (3, 0, "Stunned"), (2, 1, "Stunned"), (1, -5, "Down"),
     (6, 0, "Out"), (6, 5, "Out")],
)  # fmt: skip
def test_beyond_a_table_its_first_or_last_row_counts(face, modifier, name):
    test = replace(NERVE, dice=(6,), passes="table", rows=ROWS)
    row = test.row((face,), modifier)
    assert row is not None
    assert row.name == name
    assert NERVE.row((face,), modifier) is None


@pytest.mark.parametrize(
    "name, words", [("Drawn", "Draw"), ("Time", "Draw: time"), ("drawn", "Draw")]
)
def test_an_ending_without_a_winner_is_a_draw(name: str, words: str) -> None:
    assert Ending("x", name, has_winner=True).words_without_winner == words


def test_a_battle_is_recorded_where_its_system_names_the_taps() -> None:
    assert SKIRMISH.can_record
    assert not replace(SKIRMISH, taps=()).can_record


def test_the_test_of_the_last_wound_is_the_first_that_is_asked_then() -> None:
    assert replace(SKIRMISH, tests={"nerve": NERVE}).last_wound_test is None
    wound = replace(NERVE, id="wound", at_last_wound=True)
    tests = {"nerve": NERVE, "wound": wound, "later": replace(wound, id="later")}
    assert replace(SKIRMISH, tests=tests).last_wound_test is wound


@pytest.mark.parametrize(
    "own, of_men, has_figure",
    [(None, (), False), (None, (None,), False), (7, (), True), (None, (None, 0), True)],
)
def test_a_side_has_a_figure_where_anybodys_leadership_is_known(own, of_men, has_figure):
    men = tuple(Combatant("a1", "a", "A 1", leadership=one) for one in of_men)
    assert Side("a", "A", 3, own, men).has_figure is has_figure


def test_a_field_is_plain_json_with_all_its_values() -> None:
    man = Combatant("a1", "a", "A 1", kinds=("big",))
    assert Field((Side("a", "A", 1, 7, (man,)),)).to_json() == {
        "sides": [
            {
                "id": "a",
                "name": "A",
                "size": 1,
                "leadership": 7,
                "part": "",
                "combatants": [
                    {
                        "id": "a1",
                        "side": "a",
                        "name": "A 1",
                        "wounds": None,
                        "leadership": None,
                        "is_leader": False,
                        "models": 1,
                        "kinds": ["big"],
                        "initiative": None,
                        "flight": None,
                        "traits": [],
                        "points": 0,
                        "is_hidden": False,
                    }
                ],
            }
        ]
    }
    # A class is no value.
    assert to_json(Side) is Side


def test_keys_are_alike_however_they_are_spelt() -> None:
    assert comparison_key("Stood-up this Turn") == "stood_up_this_turn"
    spelt = keys_by_spelling(["Hand-Gun", "hand_gun", "bow"])
    assert spelt == {"hand_gun": "hand_gun", "Hand-Gun": "Hand-Gun", "bow": "bow"}
    assert (lowered("Out of action"), lowered("X"), lowered("")) == (
        "out of action", "x", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    "names, words", [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_the_last_of_several_names_stands_behind_or(names: list[str], words: str) -> None:
    assert join_words(names, "or") == words


def test_a_sentence_needs_all_its_fields() -> None:
    assert (
        message("die_face", sides=6) == "payload.dice: the D6 shows a number from 1 to 6."
    )
    with pytest.raises(KeyError):
        message("die_face")
