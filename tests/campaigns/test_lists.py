"""Lists of a round: handed in, checked against the event's policy, locked, secret, shown, and
frozen ever after."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Refusal
from accounts.owner import Owner
from battles.models import BattleSide, Snapshot
from battles.queries.battles import load_locked_sheet
from campaigns.models import ClubEvent, EventLog, ListLock, Round, RoundStatus
from campaigns.operations.events import change_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import open_fixture
from campaigns.operations.round_lists import (
    hand_in_list,
    revoke_waiver,
    show_lists,
    unlock_list,
    waive,
)
from campaigns.operations.rounds import RoundDraft, change_round
from rulesdata import registry
from tests.campaigns.leagues import (
    League,
    make_campaign,
    make_draft,
    make_league,
    make_round,
)
from tests.campaigns.results import put_up
from tests.factories import make_legal_warband, make_person, make_warband, make_warrior
from tests.systems import systems_with
from tests.warbands.print_sheets import print_html
from warbands.models import Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    archive_warband,
    create_from_starter,
    delete_warband,
)
from warbands.operations.warriors import remove_warrior
from warbands.pdf.measure import NBSP
from warbands.queries.lists import starters
from warbands.sheet.structure import RosterSheet

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def make_cannoneers(actor: Owner) -> str:
    """A captain and a mortar, which the main system warns of."""
    warband = make_warband(actor=actor, name="Cannoneers", points_limit=250)
    make_warrior(warband=warband, profile="captain", is_leader=True)
    make_warrior(warband=warband, profile="mortar")
    return warband.token


def the_list(league: League, name: str = "Ada", number: int = 1) -> ListLock:
    return ListLock.objects.select_related("snapshot").get(
        entry__name=name, round=league.round(number)
    )


def sheet_of(lock: ListLock) -> RosterSheet:
    assert lock.snapshot is not None
    sheet = load_locked_sheet(lock.snapshot.sheet)
    assert sheet is not None
    return sheet


def finding(league: League, code: str, **which: Any) -> tuple[str, str]:
    """The level of a finding on the list's sheet, and who waived it."""
    return next(
        (f.level, f.waived_by)
        for f in sheet_of(the_list(league, **which)).findings
        if f.code == code
    )


def due(league: League, hours: int, number: int = 1) -> None:
    Round.objects.filter(event=league.event, number=number).update(
        lists_due_at=timezone.now() + hours * HOUR
    )


def test_list_is_a_frozen_sheet_under_what_the_round_agrees_on(league: League) -> None:
    make_round(league, points_limit=80)
    ada = league.player("Ada")
    warband = make_legal_warband(actor=ada, name="The Ferrymen", points_limit=150)
    done = hand_in_list(ChangeRequest(ada, league.token), 1, warband.token)
    lock = the_list(league)
    sheet = sheet_of(lock)
    values = (done.entry.token, done.points, done.version)
    assert values == (league.entry("Ada").token, lock.points, 1)
    values = (sheet.name, sheet.points_limit, sheet.points)
    assert values == ("The Ferrymen", 80, warband.points)
    over = warband.points > 80
    assert over
    assert (done.errors, lock.errors, sheet.errors) == (1, 1, 1)
    # Later edits of the warband reach nothing.
    make_warrior(warband=warband, count=3)
    assert sheet_of(the_list(league)) == sheet


def test_another_list_replaces_it_and_the_same_again_changes_nothing(
    league: League,
) -> None:
    make_round(league)
    ada = league.player("Ada")
    warband = make_legal_warband(actor=ada)
    first = hand_in_list(ChangeRequest(ada, league.token), 1, warband.token)
    again = hand_in_list(ChangeRequest(ada, league.token), 1, warband.token)
    assert (again.version, again.snapshot_id) == (first.version, first.snapshot_id)
    make_warrior(warband=warband)
    second = hand_in_list(ChangeRequest(ada, league.token), 1, warband.token)
    assert (second.version, second.points > first.points) == (2, True)
    assert EventLog.objects.filter(event=league.event, verb="hand_in").count() == 2


def test_deadline_locks_until_an_organiser_unlocks_one_player(league: League) -> None:
    make_round(league)
    ada, ben = league.player("Ada"), league.player("Ben")
    token, other = (
        make_legal_warband(actor=ada, visibility="link").token,
        make_legal_warband(actor=ben).token,
    )
    due(league, 1)
    hand_in_list(ChangeRequest(ada, league.token), 1, token)
    due(league, -1)
    with pytest.raises(Refusal, match=r"were due on .* Ask an organiser to unlock yours\."):
        hand_in_list(ChangeRequest(ada, league.token), 1, make_cannoneers(ada))
    with pytest.raises(NotAllowed):
        unlock_list(ChangeRequest(ada, league.token), 1, league.entry("Ada").token)
    unlock_list(league.ask(reason="Was ill"), 1, league.entry("Ben").token)
    assert hand_in_list(ChangeRequest(ben, league.token), 1, other).points
    with pytest.raises(Refusal, match="were due"):
        hand_in_list(ChangeRequest(ada, league.token), 1, make_cannoneers(ada))
    # An organiser is not bound by it, and may bring a guest's list.
    assert (
        hand_in_list(league.ask(), 1, token, entry=league.entry("Ada").token).version == 1
    )
    unlock_list(league.ask(), 1, league.entry("Ben").token, is_unlocked=False)
    with pytest.raises(Refusal, match="were due"):
        hand_in_list(ChangeRequest(ben, league.token), 1, other)


def test_showing_the_lists_locks_them_and_can_be_taken_back(league: League) -> None:
    make_round(league)
    ada = league.player("Ada")
    with pytest.raises(Refusal, match="No lists for Round 1"):
        show_lists(league.ask(), 1)
    hand_in_list(ChangeRequest(ada, league.token), 1, make_legal_warband(actor=ada).token)
    show_lists(league.ask(), 1)
    version = league.fresh().version
    assert league.round(1).lists_published_at is not None
    with pytest.raises(Refusal, match="are already revealed"):
        hand_in_list(ChangeRequest(ada, league.token), 1, make_cannoneers(ada))
    show_lists(league.ask(expected=version), 1, is_shown=False)
    assert league.fresh().version == version + 1
    assert (
        hand_in_list(ChangeRequest(ada, league.token), 1, make_cannoneers(ada)).version == 2
    )


@pytest.mark.parametrize(
    "system,variant",
    [(one.key, one.variant or "") for one in systems_with()],
    ids=lambda part: part or "-",
)
def test_every_system_hands_in_a_list(system: str, variant: str) -> None:
    league = make_league(players=1, system=system, variant=variant, points_limit=None)
    make_round(league)
    ada = league.player("Ada")
    army = registry.load_army(system, registry.list_army_keys(system)[0], variant or None)
    warband = make_warband(actor=ada, system=system, army=army.key, variant=variant or None)
    make_warrior(warband=warband, profile=next(iter(army.profiles)))
    done = hand_in_list(ChangeRequest(ada, league.token), 1, warband.token)
    sheet = sheet_of(the_list(league))
    assert (sheet.system_key, sheet.models > 0, done.errors) == (system, True, sheet.errors)


def test_waiver_is_printed_with_who_and_why_and_can_be_taken_back(league: League) -> None:
    make_round(league)
    ada, entry = league.player("Ada"), league.entry("Ada").token
    hand_in_list(ChangeRequest(ada, league.token), 1, make_cannoneers(ada))
    change_event(league.ask(), make_draft(levels={"type.war_machine": "error"}))
    assert finding(league, "type.war_machine") == ("error", "")
    assert the_list(league).errors == 1
    waive(league.ask(reason="His first  game"), entry, "type.war_machine")
    lock = the_list(league)
    assert (finding(league, "type.war_machine"), lock.errors) == (("note", "Olga"), 0)
    gun = next(one for one in sheet_of(lock).warriors if one.profile_key == "mortar")
    assert [one.waived_by for one in gun.findings if one.code == "type.war_machine"] == [
        "Olga"
    ]
    assert "Waived:" in (page := print_html(sheet_of(lock), ["roster"]))
    assert "“His first game”" in page.replace(NBSP, " ")
    # It holds for the lists to come as well.
    make_round(league)
    hand_in_list(ChangeRequest(ada, league.token), 2, make_cannoneers(ada))
    assert finding(league, "type.war_machine", number=2) == ("note", "Olga")
    revoke_waiver(league.ask(reason="Not his first after all"), entry, "type.war_machine")
    assert finding(league, "type.war_machine") == ("error", "")
    told = [
        (row.verb, row.reason)
        for row in EventLog.objects.filter(event=league.event, verb__contains="waive")
    ]
    assert told == [
        ("revoke_waiver", "Not his first after all"),
        ("waive", "His first game"),
    ]


def test_waiver_that_changes_nothing_in_a_list_makes_no_other_version(
    league: League,
) -> None:
    make_round(league)
    ada, entry = league.player("Ada"), league.entry("Ada").token
    hand_in_list(ChangeRequest(ada, league.token), 1, make_cannoneers(ada))
    before = the_list(league)
    asked = league.ask(reason="Why not")
    waive(asked, entry, "type.cavalry")
    revoke_waiver(asked, entry, "type.cavalry")
    after = the_list(league)
    assert (after.version, after.snapshot_id) == (1, before.snapshot_id)


@pytest.mark.parametrize(
    "code,reason,field",
    [
        ("no.such", "Why not", "code"),
        ("option.unknown", "Why not", "code"),
        ("type.cavalry", "  \n ", "reason"),
        ("type.cavalry", "x" * 501, "reason"),
        ("", "Why not", "code"),
    ],
)
def test_waiver_that_cannot_be(league: League, code: str, reason: str, field: str) -> None:
    entry = league.entry("Ada").token
    with pytest.raises(Refusal) as refused:
        waive(league.ask(reason=reason), entry, code)
    assert refused.value.field == field
    with pytest.raises(NotAllowed):
        waive(league.by("Ada", reason="For me"), entry, "type.cavalry")
    with pytest.raises(Refusal, match="is not waived"):
        revoke_waiver(league.ask(), entry, "type.cavalry")


def test_core_that_must_stay_is_a_finding_that_names_who_is_missing() -> None:
    league = make_campaign(needs_list=True, has_core=True, points_limit=None)
    make_round(league, points_limit=100)
    make_round(league, points_limit=200)
    ada = league.player("Ada")
    warband = make_legal_warband(actor=ada)
    hand_in_list(ChangeRequest(ada, league.token), 1, warband.token)
    make_warrior(warband=warband, profile="archers")
    assert hand_in_list(ChangeRequest(ada, league.token), 2, warband.token).warnings == 0
    gone = warband.warriors.get(profile="crossbowmen")
    remove_warrior(WriteContext(ada, warband.token), gone.pk)
    assert hand_in_list(ChangeRequest(ada, league.token), 2, warband.token).warnings == 1
    told = next(
        f for f in sheet_of(the_list(league, number=2)).findings if f.code == "core.changed"
    )
    assert (
        told.message
        == "Missing: 3x Crossbowman. Every model of the last list must be in this one."
    )
    waive(league.ask(reason="They left"), league.entry("Ada").token, "core.changed")
    assert the_list(league, number=2).warnings == 0


def _dropped(league: League) -> None:
    league.entries[0].__class__.objects.filter(pk=league.entries[0].pk).update(
        status="dropped", dropped=1
    )


def _closed(league: League) -> None:
    Round.objects.filter(event=league.event).update(status=RoundStatus.CLOSED)


def _archived(league: League) -> None:
    ClubEvent.objects.filter(pk=league.event.pk).update(archived_at=timezone.now())


@pytest.mark.parametrize(
    "change,words",
    [(_dropped, "dropped out"), (_closed, "is closed"), (_archived, "is finished")],
)
def test_no_list_is_taken_when_it_is_too_late(
    league: League, change: Any, words: str
) -> None:
    make_round(league)
    ada = league.player("Ada")
    change(league)
    with pytest.raises(Refusal, match=words):
        hand_in_list(
            ChangeRequest(ada, league.token), 1, make_legal_warband(actor=ada).token
        )
    assert not ListLock.objects.exists()


def test_what_cannot_be_handed_in_is_refused_and_nothing_is_lost(league: League) -> None:
    make_round(league)
    ada, ben = league.player("Ada"), league.player("Ben")
    kept = hand_in_list(
        ChangeRequest(ada, league.token), 1, make_legal_warband(actor=ada).token
    )
    theirs = make_legal_warband(actor=ben, visibility="link").token
    away = make_legal_warband(actor=ada)
    archive_warband(WriteContext(ada, away.token))
    civil_war = starters("english-civil-war")[0].key
    cases = {
        theirs: "your own warbands",
        away.token: "is archived",
        make_warband(actor=ada).token: "has no models",
        create_from_starter(WriteContext(ada), civil_war).token: "English Civil War",
        "": "no such warband",
        "nonsense": "no such warband",
    }
    for token, words in cases.items():
        with pytest.raises(Refusal, match=words) as refused:
            hand_in_list(ChangeRequest(ada, league.token), 1, token)
        assert refused.value.field == "warband"
    assert the_list(league).version == kept.version
    with pytest.raises(NotFound):
        hand_in_list(ChangeRequest(ada, league.token), 7, theirs)
    with pytest.raises(NotAllowed):
        hand_in_list(league.ask(), 1, theirs)
    with pytest.raises(NotAllowed):
        hand_in_list(
            ChangeRequest(ben, league.token), 1, theirs, entry=league.entry("Ada").token
        )
    with pytest.raises(NotFound):
        hand_in_list(ChangeRequest(make_person(), league.token), 1, theirs)


def test_snapshot_of_a_list_outlives_the_warband(league: League) -> None:
    make_round(league)
    ada = league.player("Ada")
    warband = make_legal_warband(actor=ada, name="Gone")
    hand_in_list(ChangeRequest(ada, league.token), 1, warband.token)
    archive_warband(WriteContext(ada, warband.token))
    delete_warband(WriteContext(ada, warband.token), warband.name)
    snapshot = Snapshot.objects.get()
    values = (snapshot.warband_id, sheet_of(the_list(league)).points)
    assert values == (None, snapshot.points)


def test_changed_rulings_of_an_event_are_asked_of_the_lists_there_are(
    league: League,
) -> None:
    make_round(league)
    ada = league.player("Ada")
    own = make_warband(actor=ada, rulings={"C20": 1})
    make_warrior(warband=own, profile="halberdiers", is_leader=True)
    make_warrior(warband=own, profile="captain")
    hand_in_list(ChangeRequest(ada, league.token), 1, own.token)
    # The warband's own choice does not count in an event.
    assert finding(league, "leader.not_highest_leadership") == ("error", "")
    errors = the_list(league).errors
    change_event(league.ask(), make_draft(ruling_layers={"C20": 1}))
    league.event.refresh_from_db()
    assert league.event.ruling_layers == {"event": {"C20": 1}}
    lock = the_list(league)
    assert "leader.not_highest_leadership" not in [
        one.code for one in sheet_of(lock).findings
    ]
    assert lock.errors == errors - 1
    assert "leader.not_highest_leadership" not in [one["code"] for one in lock.findings]
    assert sheet_of(lock).rulings[0].startswith("Who may lead: The chosen character")
    told = EventLog.objects.filter(event=league.event, verb="change").last()
    assert told is not None
    assert told.words == "Changed: rulings."
    # What stays the same is no change of the lists.
    version = lock.version
    change_event(league.ask(), make_draft(ruling_layers={"C20": 1}))
    assert the_list(league).version == version


# Lists that are in when an event or a round agrees on something else


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
