"""The rows of a campaign's log: what a result says, and after which rows warbands are asked."""

from dataclasses import replace

import pytest

from engine.errors import Refusal
from engine.growth import log as logs
from engine.growth.acts import AdjustExperienceAct, AdjustMoneyAct, BuyAct, UnfoughtAct
from engine.growth.campaign_fold import due_checkpoints, fold
from engine.growth.dues import DueAnswer
from engine.growth.log import (
    CampaignLog,
    FixtureResult,
    Founding,
    LogEntry,
    ModelPutOut,
    RulesChange,
    TakeBack,
)
from engine.growth.state import list_lineup, warrior_json
from engine.growth.tables import RowEffect
from engine.growth.warriors import GearPiece
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.two_warbands import (
    LINE,
    acted,
    answer,
    begin,
    group,
    leader,
    play,
    red,
    result,
)


@pytest.mark.parametrize(
    "winner, words",
    [("red", ("won", "lost")), ("blue", ("lost", "won")), ("", ("drawn",) * 2)],
)
def test_a_result_has_a_word_for_each_side(winner: str, words: tuple[str, str]) -> None:
    told = result(winner=winner)
    assert (told.word_for("red"), told.word_for("blue")) == words


def test_whoever_put_models_out_is_named_once_for_each() -> None:
    told = FixtureResult(
        "f1",
        ("red", "blue", "green"),
        out={
            "red": (ModelPutOut("w1", ("red", "w2")), ModelPutOut("w2", ("blue", "w1"))),
            "blue": (ModelPutOut("w1", ("red", "w1")), ModelPutOut("w2")),
            "green": (ModelPutOut("w1", ("red", "w1")),),
        },
    )
    # Nobody earns anything by their own.
    assert told.put_out_by("red") == ["w1", "w1"]
    assert told.put_out_by("blue") == ["w1"]
    assert told.put_out_by("green") == []


def test_a_model_of_a_group_belongs_to_it_and_has_a_place() -> None:
    single, model = ModelPutOut("w3"), ModelPutOut("w3.1#12")
    assert (single.warrior, model.warrior) == ("w3", "w3.1")
    assert (single.place, model.place) == ([3], [3, 1, 12])


def test_the_key_of_a_due_begins_with_its_fixture() -> None:
    assert result("f7").due_key("injury", "w1") == "f7/injury/w1"


# After which rows warbands are asked


def settled(*entries: LogEntry, log: CampaignLog | None = None) -> set[int]:
    """The places of these entries after which warbands are asked, counted from 1."""
    log = log or begin()
    founded = len(log.rows) - 1
    return {place - founded for place in due_checkpoints(log.with_entries(*entries))}


RULES = begin().rules
FACES = answer("f1/income", 3)
OF_BLUE = answer("f1/income", 4, side="blue")


@pytest.mark.parametrize(
    "entries, places",
    [
        ((result(),), {1}),
        ((result("f1"), result("f2")), {1, 2}),
        # A correction is told where the result was.
        ((result("f1"), result("f1")), {1}),
        ((AdjustMoneyAct(1, "red", "crowns", 1), RulesChange(RULES)), {1, 2}),
        ((AdjustMoneyAct(1, "red", "crowns", 1), TakeBack("red", act=1)), {1}),
        ((result(), TakeBack("red", "f1/income"), RulesChange(RULES)), {1, 3}),
        # Answers that were sent together are asked about once.
        ((result(), FACES), {1, 2}),
        ((result(), FACES, FACES), {1, 3}),
        ((result(), FACES, OF_BLUE), {1, 3}),
        ((result(), FACES, OF_BLUE, OF_BLUE), {1, 4}),
        # One that comes again begins anew.
        ((result(), FACES, OF_BLUE, FACES), {1, 3, 4}),
        ((result(), FACES, UnfoughtAct(1, "red", "bye"), OF_BLUE), {1, 2, 3, 4}),
    ],
)
def test_warbands_are_asked_after_what_may_ask_something_new(
    entries: tuple[LogEntry, ...], places: set[int]
) -> None:
    assert settled(*entries) == places


def test_those_who_found_wait_for_the_first_thing_that_happens() -> None:
    # The second founding is the last row until then.
    assert due_checkpoints(begin()) == {1}
    assert settled(result()) == {1}
    assert due_checkpoints(CampaignLog(RULES)) == set()


def test_an_answer_of_a_warband_that_is_not_there_touches_nobody() -> None:
    stray = DueAnswer("green", "f1/income", (3,))
    state = play(begin(), result(), stray)
    assert state.warbands == play(begin(), result()).warbands
    assert state.answers == {("green", "f1/income"): "aside"}


def test_only_a_step_that_is_not_reached_or_passed_may_still_come() -> None:
    def state_of(number: int, experience: int) -> str:
        # A soldier's steps are at 4, 9, 15 and 22; what it joined with has passed.
        men = joiner("w2", LINE, 6, category="core", count=3, experience=experience)
        log = begin(leader(), men).with_entries(answer(f"advance/w2/{number}", 1))
        return fold(log).answers["red", f"advance/w2/{number}"]

    assert [state_of(number, 9) for number in range(1, 6)] == [
        "aside",
        "aside",
        "waits",
        "waits",
        "aside",
    ]
    assert state_of(0, 0) == "aside"


def test_taking_back_what_nobody_answered_changes_nothing() -> None:
    log = begin().with_entries(result())
    assert play(log, TakeBack("red", "f1/income")).answers == {}
    assert play(log, TakeBack("red", act=9)).warbands == fold(log).warbands


# What the state tells of warriors


def test_who_fights_is_there_and_does_not_miss_the_battle() -> None:
    grown = fold(begin(leader(), group(2))).warbands["red"]
    assert list_lineup(grown) == ("w1", "w2")
    assert list_lineup(grown, absent=("w1",)) == ("w2",)

    def having(**others: object) -> tuple[str, ...]:
        men = replace(grown.warriors["w2"], **others)  # type: ignore[arg-type]
        changed = replace(grown, warriors={**grown.warriors, "w2": men})
        return list_lineup(changed)

    assert having(misses=(1,)) == ("w1", "w2")
    assert having(misses=(1, 1)) == ("w1",)
    assert having(captor="blue") == having(gone="gone") == ("w1",)
    missing = replace(grown.warriors["w2"], misses=(1, 1))
    changed = replace(grown, warriors={**grown.warriors, "w2": missing})
    assert list_lineup(changed, fielded=("w2",)) == ("w1", "w2")
    assert list_lineup(changed, absent=("w2",), fielded=("w2",)) == ("w1",)


def test_a_warrior_is_told_without_what_is_empty() -> None:
    one = red(acted(AdjustExperienceAct(1, "red", "w2", 2)), "w2")
    assert warrior_json(one, {}) == {"kind": "soldier", "count": 3, "experience": 2}
    whole = replace(
        one,
        gone="gone",
        captor="blue",
        is_leader=True,
        skills=("fleet",),
        misses=(1,),
        marks=(RowEffect("old_wound", dice="D6", number=1),) * 2,
        gear=(GearPiece("axe", 3),),
    )
    told = warrior_json(whole, {"WS": 4})
    assert told == {
        "kind": "soldier",
        "count": 3,
        "experience": 2,
        "gone": "gone",
        "captive_of": "blue",
        "stats": {"WS": 4},
        "skills": ["fleet"],
        "misses": [1],
        "old_wounds": 2,
        "gear": ["axe"],
    }
    assert warrior_json(replace(whole, gone=""), {})["leader"] is True


def test_a_warband_is_told_with_what_it_holds() -> None:
    state = acted(BuyAct(1, "red", "axe", "stash", 3))
    grown = replace(state.warbands["red"], territories=("The Mill",))
    told = grown.to_json()
    assert set(told) == {"treasury", "rating", "stash", "territories", "warriors"}
    assert (told["stash"], told["territories"]) == (["axe"], ["The Mill"])
    assert told["treasury"] == dict(grown.treasury)
    assert set(told["warriors"]) == {"w1", "w2"}
    assert replace(grown, is_closed=True).to_json()["closed"] is True


def test_a_log_has_limits() -> None:
    log = CampaignLog(begin().rules)
    bands = [Founding(f"b{n}", "x", ()) for n in range(logs.WARBANDS_MAX)]
    full = log.with_entries(*bands)
    logs.check_size(full)
    with pytest.raises(Refusal, match="at most 32 warbands") as caught:
        logs.check_size(full.with_entries(Founding("more", "x", ())))
    assert caught.value.field == "entry"
    fixtures = [result(f"f{n}") for n in range(logs.FIXTURES_MAX)]
    logs.check_size(log.with_entries(*fixtures, fixtures[0]))
    with pytest.raises(Refusal, match="at most 400 battles") as caught:
        logs.check_size(log.with_entries(*fixtures, result("more")))
    assert caught.value.field == "fixture"
    # LOG_ROWS_MAX rows, most of them told again and again.
    rows = [*fixtures[:1] * logs.LOG_ROWS_MAX]
    long = log.with_entries(*rows)
    logs.check_size(long)
    with pytest.raises(Refusal, match="at most 20000 rows") as caught:
        logs.check_size(long.with_entries(result("f0")))
    assert caught.value.field == "growth"
