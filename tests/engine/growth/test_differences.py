"""What lies between two states of a campaign: who changes, by name, and in what."""

from dataclasses import replace

from engine.growth.acts import AdjustExperienceAct, AdjustMoneyAct, DisbandAct, RecruitAct
from engine.growth.campaign_fold import fold
from engine.growth.differences import GrowthDifference, WarriorChange, difference
from engine.growth.state import CampaignState
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.two_warbands import LINE, begin, play

NOW = fold(begin())


def without(state: CampaignState, *keys: str) -> CampaignState:
    left = {key: one for key, one in state.warbands.items() if key not in keys}
    return replace(state, warbands=left)


def test_between_equal_states_lies_nothing() -> None:
    assert difference(NOW, fold(begin())) == GrowthDifference()
    assert not difference(NOW, NOW)
    assert difference(NOW, play(begin(), AdjustMoneyAct(1, "red", "crowns", 1)))


def test_figures_are_told_before_and_after_where_they_differ() -> None:
    after = play(begin(), AdjustMoneyAct(1, "red", "crowns", 5))
    [change] = difference(NOW, after).warbands
    old, new = (dict(one.warbands["red"].treasury) for one in (NOW, after))
    assert (change.warband, change.figures) == ("red", {"treasury": (old, new)})
    assert change.warriors == ()
    [closed] = difference(NOW, play(begin(), DisbandAct(1, "blue"))).warbands
    assert closed.figures["closed"] == (None, True)


def test_a_warrior_is_named_as_it_is_called_now_or_was_last() -> None:
    new = joiner("w7", LINE, 5, name="Otto", category="core")
    after = play(begin(), RecruitAct(1, "red", new))
    [change] = difference(NOW, after).warbands
    [joined] = change.warriors
    assert (joined.key, joined.name, joined.before) == ("w7", "Otto", None)
    [gone] = difference(after, NOW).warbands[0].warriors
    assert (gone.key, gone.name, gone.after) == ("w7", "Otto", None)
    # Called otherwise by now, it has the new name.
    learned = play(
        begin(),
        RecruitAct(1, "red", replace(new, name="Karl")),
        AdjustExperienceAct(2, "red", "w7", 1),
    )
    [changed] = difference(after, learned).warbands[0].warriors
    assert (changed.name, changed.changed) == ("Karl", {"experience": (0, 1)})


def test_a_warband_that_comes_or_goes_differs_in_everything() -> None:
    for before, after in ((without(NOW, "red"), NOW), (NOW, without(NOW, "red"))):
        [change] = difference(before, after).warbands
        assert change.warband == "red"
        assert set(change.figures) == {"treasury", "rating", "stash", "territories"}
        assert [one.key for one in change.warriors] == ["w1", "w2"]
    [come] = difference(without(NOW, "red"), NOW).warbands
    assert come.figures["rating"] == (None, NOW.warbands["red"].rating)


def test_whoever_comes_or_goes_differs_in_every_key() -> None:
    before, after = {"kind": "hero", "count": 1}, {"count": 2, "misses": [1]}
    assert WarriorChange("w1", "", before, after).changed == {
        "kind": ("hero", None),
        "count": (1, 2),
        "misses": (None, [1]),
    }
    assert WarriorChange("w1", "", None, before).changed == {
        "kind": (None, "hero"),
        "count": (None, 1),
    }
    assert WarriorChange("w1", "", before, before).changed == {}
