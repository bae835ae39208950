"""Rout: when the first test is due, and on whose Leadership."""

import pytest

from engine.morale import rout_from, rout_threshold
from engine.selection import select_all
from engine.types.lists import Army
from engine.types.systems import System
from tests.factories import make_entry


@pytest.mark.parametrize(
    "models,out",
    [(0, None), (1, 1), (3, 1), (4, 1), (5, 2), (8, 2), (12, 3), (13, 4), (15, 4)],
)
def test_rout_begins_at_a_quarter_never_rounded_down(system, models, out):
    assert system.rout is not None
    assert rout_from(models, system.rout) == out


def test_rout_is_taken_on_the_leader(system: System, empire: Army) -> None:
    assert system.rout is not None
    warriors = (
        make_entry(profile="warrior-priest", is_leader=True, name="Vorn"),
        make_entry(count=11),
    )
    threshold = rout_threshold(select_all(empire, warriors), system.rout)
    assert (threshold.out, threshold.leadership, threshold.taken_on, threshold.dice) == (
        3, 8, "Vorn", "2D6",
    )  # fmt: skip


@pytest.mark.parametrize(
    "others, fallback",
    [(["halberdiers"], 7), (["halberdiers", "warrior-priest"], None), ([], None)],
)
def test_without_the_leader_rout_is_taken_on_the_best_of_the_others(
    system: System, empire: Army, others: list[str], fallback: int | None
) -> None:
    assert system.rout is not None
    leader = make_entry(profile="captain", is_leader=True)
    warriors = (leader, *(make_entry(profile=profile) for profile in others))
    threshold = rout_threshold(select_all(empire, warriors), system.rout)
    assert (threshold.leadership, threshold.fallback) == (8, fallback)


def test_rout_is_taken_on_the_best_while_nobody_leads(system: System, empire: Army) -> None:
    assert system.rout is not None
    warriors = (make_entry(count=3), make_entry(profile="elector-count"))
    assert rout_threshold(select_all(empire, warriors), system.rout).leadership == 9


def test_rout_of_nobody(system: System) -> None:
    assert system.rout is not None
    threshold = rout_threshold((), system.rout)
    assert (threshold.out, threshold.leadership, threshold.taken_on) == (None, None, "")
