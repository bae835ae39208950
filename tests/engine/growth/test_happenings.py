"""What a round has to tell of its warbands, and that it follows corrections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.growth.acts import (
    AdjustExperienceAct,
    DisbandAct,
    DismissAct,
    EnlargeAct,
    RecruitAct,
)
from engine.growth.campaign_fold import fold
from engine.growth.log import DISPUTED, VOID, TakeBack
from engine.growth.state import CampaignState
from engine.growth.verbs import FLAG, VERBS, EffectVerb
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.two_warbands import (
    LINE,
    answer,
    begin,
    injured,
    one_row,
    out,
    play,
    result,
)


def told(state: CampaignState, side: str = "red") -> list[tuple[str, str]]:
    return [(one.what, one.warrior) for one in state.happenings if one.warband == side]


@pytest.mark.parametrize(
    "effect, what, choice, other",
    [
        ({"gone": True}, "gone", "", ""),
        ({"lower": "WS"}, "lower", "WS", ""),
        ({"old_wound": {"dice": "D6", "at_most": 1}}, "old_wound", "", ""),
        ({"captive": True}, "captive", "", "blue"),
    ],
)
def test_an_injury_that_lasts_is_told(
    effect: dict[str, Any], what: str, choice: str, other: str
) -> None:
    [one] = injured(effect).happenings
    assert (one.warband, one.what, one.warrior, one.fixture) == ("red", what, "w1", "f1")
    assert (one.row, one.choice, one.other) == ("So it is", choice, other)
    assert (one.position, one.models) == (3, 1)


@pytest.mark.parametrize("effect", [{}, {"misses": 1}, {"experience": 1}])
def test_what_leaves_nothing_behind_is_not_told(effect: dict[str, Any]) -> None:
    assert injured(effect).happenings == ()


def test_what_was_corrected_never_happened() -> None:
    game = result(winner="red", out=out("w1"))
    log = begin(change=one_row({"gone": True})).with_entries(
        game, answer("f1/injury/w1", 1, 1), answer("f1/claim", choice="The Mill")
    )
    assert told(fold(log)) == [("gone", "w1"), ("claimed", "")]
    assert told(play(log, replace(game, out={}))) == [("claimed", "")]
    for status in (VOID, DISPUTED):
        gone = log.with_entries(replace(game, status=status))
        assert told(fold(gone)) == []
        assert told(play(gone, game)) == told(fold(log))


def test_advances_are_told_once_where_they_took_effect() -> None:
    taught = begin().with_entries(AdjustExperienceAct(1, "red", "w1", 4))
    waiting = taught.with_entries(answer("advance/w1/1", 1))
    assert fold(waiting).happenings == ()
    # However late the answer came, the step was reached with the act.
    log = waiting.with_entries(result(), answer("advance/w1/1", choice="BS"))
    [one] = fold(log).happenings
    assert (one.what, one.choice, one.position, one.fixture) == ("raise", "BS", 3, "")
    learned = taught.with_entries(answer("advance/w1/1", 5, choice="fleet"))
    assert [(one.what, one.choice) for one in fold(learned).happenings] == [
        ("skill", "fleet")
    ]


def test_a_promotion_names_the_group_and_the_kind() -> None:
    log = begin().with_entries(AdjustExperienceAct(1, "red", "w2", 4))
    [one] = play(log, answer("advance/w2/1", 6)).happenings
    assert (one.what, one.warrior, one.choice) == ("promote", "w2", "hero")


def test_a_captive_is_ransomed_or_refused() -> None:
    captive: dict[str, Any] = {"captive": True}
    for choice, what in (("pay", "ransomed"), ("refuse", "refused")):
        state = injured(captive, answer("ransom/f1/w1", choice=choice))
        one = state.happenings[1]
        assert (one.warband, one.what, one.warrior, one.other) == (
            "red",
            what,
            "w1",
            "blue",
        )


def test_a_successor_and_a_claim_are_told() -> None:
    log = begin(change=one_row({"gone": True}))
    state = play(
        log,
        result(out=out("w1")),
        answer("f1/injury/w1", 1, 1),
        answer("succession/w1", choice="w2"),
    )
    assert told(state) == [("gone", "w1"), ("leads", "w2.leader")]
    game = result(winner="red")
    taken = begin().with_entries(game, answer("f1/claim", choice="The Mill"))
    [first] = fold(taken).happenings
    assert (first.choice, first.other) == ("The Mill", "")
    again = result("f2", winner="blue")
    state = play(taken, again, answer("f2/claim", choice="The Mill", side="blue"))
    assert (state.happenings[1].warband, state.happenings[1].other) == ("blue", "red")


def test_acts_are_told_where_they_count() -> None:
    recruit = RecruitAct(1, "red", joiner("w3", LINE, 5, category="core", count=2))
    more, fewer = EnlargeAct(2, "red", "w3", 1), DismissAct(3, "red", "w3", 2)
    end = DisbandAct(4, "red")
    log = begin().with_entries(recruit, more, fewer, end)
    state = fold(log)
    assert told(state) == [
        ("joined", "w3"),
        ("enlarged", "w3"),
        ("dismissed", "w3"),
        ("disbanded", ""),
    ]
    assert [one.models for one in state.happenings] == [2, 1, 2, 1]
    # What comes after the end is set aside, and what is taken back was never there.
    assert told(play(log, DismissAct(5, "red", "w2", 1))) == told(state)
    assert told(play(log, TakeBack("red", act=1))) == [("disbanded", "")]


def test_a_verb_without_a_phrase_cannot_be_declared() -> None:
    with pytest.raises(ValueError, match="needs a phrase"):
        EffectVerb("scar", (FLAG,), "")
    assert all(declared.phrase for declared in VERBS.values() if declared.shapes)
    # A lasting injury is told of, and stands behind its row's name.
    scar = EffectVerb("scar", (FLAG,), "Is scarred", mark="is scarred")
    assert "{who}" in scar.happening
