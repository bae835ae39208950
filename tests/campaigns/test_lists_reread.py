"""Lists that are in when an event or a round agrees on something else: what is found in them is
found anew, what was brought stays.
"""

from __future__ import annotations

from typing import Any

import pytest

from battles.models import BattleSide
from campaigns.models import ListLock
from campaigns.operations.events import change_event
from campaigns.operations.results import open_fixture
from campaigns.operations.round_lists import hand_in_list
from campaigns.operations.rounds import RoundDraft, change_round
from rulesdata import registry
from tests.campaigns.leagues import League, make_draft, make_round
from tests.campaigns.results import put_up
from tests.campaigns.test_lists import finding, sheet_of, the_list
from tests.factories import make_legal_warband, make_warband, make_warrior
from warbands.models import Warrior

pytestmark = pytest.mark.django_db


def hand_in(league: League, token: str, number: int = 1) -> ListLock:
    hand_in_list(league.by("Ada"), number, token)
    return the_list(league, number=number)


def change(league: League, **fields: Any) -> None:
    """Let the organiser say what the event agrees on now."""
    asked = league.ask()
    change_event(asked, make_draft(**fields))


def change_first(league: League, **fields: Any) -> None:
    """Let the organiser say what the first round agrees on now."""
    change_round(league.ask(), 1, RoundDraft(**fields))


def test_another_limit_of_the_event_is_asked_of_the_lists_there_are(league: League) -> None:
    make_round(league)
    make_round(league, points_limit=150)
    own = make_legal_warband(actor=league.player("Ada")).token
    lock, other = hand_in(league, own), hand_in(league, own, 2)
    assert (sheet_of(lock).points_limit, lock.errors) == (200, 0)
    change(league, points_limit=80)
    again = the_list(league)
    assert (sheet_of(again).points_limit, again.errors) == (80, 1)
    assert finding(league, "points.over_limit") == ("error", "")
    assert (again.points, again.version) == (lock.points, lock.version + 1)
    # The other round has a limit of its own, and its list is the one that was handed in.
    assert the_list(league, number=2).snapshot == other.snapshot
    assert the_list(league, number=2).version == other.version
    change(league, points_limit=None)
    again = the_list(league)
    assert (sheet_of(again).points_limit, again.errors) == (None, 0)


def test_another_limit_of_a_round_is_asked_of_its_lists_alone(league: League) -> None:
    make_round(league)
    make_round(league)
    own = make_legal_warband(actor=league.player("Ada")).token
    lock, other = hand_in(league, own), hand_in(league, own, 2)
    change_first(league, points_limit=50)
    again = the_list(league)
    values = (sheet_of(again).points_limit, again.errors, again.points)
    assert values == (50, 1, lock.points)
    assert the_list(league, number=2).snapshot == other.snapshot
    # Back to that of the event, and a date is nothing to check a list by.
    change_first(league, points_limit=None, name="The first")
    assert (sheet_of(the_list(league)).points_limit, the_list(league).errors) == (200, 0)


def test_other_house_rules_and_scenarios_are_asked_of_the_lists_there_are(
    league: League,
) -> None:
    make_round(league)
    hand_in(league, make_legal_warband(actor=league.player("Ada")).token)
    printed = sheet_of(the_list(league)).house_rules
    system = registry.system_of(league.event)
    rule = next(one for one in system.house_rules if not one.default)
    change(league, house_rules={rule.key: True})
    assert len(sheet_of(the_list(league)).house_rules) == len(printed) + 1
    change(league)
    assert sheet_of(the_list(league)).house_rules == printed
    [key, *_] = system.scenarios
    change_first(league, scenarios=[key])
    assert sheet_of(the_list(league)).scenario == system.scenarios[key].name


def test_a_list_keeps_the_prices_and_the_warriors_it_was_brought_with(
    league: League,
) -> None:
    make_round(league)
    own = make_warband(actor=league.player("Ada"))
    captain = make_warrior(warband=own, profile="captain", is_leader=True)
    make_warrior(warband=own, profile="halberdiers", count=4)
    Warrior.objects.filter(pk=captain.pk).update(paid_each=5, keeps_price=True)
    lock = hand_in(league, own.token)
    before = sheet_of(lock)
    assert before.warriors[0].points_each == 5
    change(league, ruling_layers={"C20": 1})
    again = the_list(league)
    assert again.snapshot != lock.snapshot
    assert (again.points, sheet_of(again).points) == (lock.points, before.points)
    told = [(one.id, one.points_each) for one in sheet_of(again).warriors]
    assert told == [(one.id, one.points_each) for one in before.warriors]


def test_a_battle_keeps_the_list_that_it_was_locked_with(league: League) -> None:
    make_round(league)
    lock = hand_in(league, make_legal_warband(actor=league.player("Ada")).token)
    [game] = put_up(league, 1, [("Ada", "Ben")])
    open_fixture(league.ask(), game.token)
    change(league, points_limit=80)
    assert the_list(league).snapshot != lock.snapshot
    side = BattleSide.objects.get(battle__fixture=game, key="a")
    assert side.snapshot == lock.snapshot
