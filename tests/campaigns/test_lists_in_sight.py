"""Lists of an event: due by its deadline, handed in before any round, checked, asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, WrongState
from accounts.owner import Owner
from campaigns.models import ClubEvent, EventLog, ListLock, Round
from campaigns.operations.log import ChangeRequest
from campaigns.operations.notify import remind_of_lists
from campaigns.operations.pairing import draw_round
from campaigns.operations.round_lists import (
    hand_in_list,
    mark_list,
    remind_missing,
    show_lists,
)
from campaigns.operations.rounds import RoundDraft, add_round, publish_round
from campaigns.queries.event_page import load_log
from campaigns.queries.events import load_event, own_events
from campaigns.queries.round_lists import load_lists
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_league, make_round
from tests.factories import make_legal_warband

pytestmark = pytest.mark.django_db
FLAW = "Two halberds too many."


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    return make_league(players=3, guests=1, needs_list=True, has_one_list=True)


def ask(league: League, name: str = "") -> ChangeRequest:
    return ChangeRequest(league.player(name) if name else league.organiser, league.token)


def hand_in(league: League, name: str, number: int | None = None) -> ListLock:
    warband = make_legal_warband(actor=league.player(name))
    return hand_in_list(ask(league, name), number, warband.token)


def due_in(league: League, hours: float) -> None:
    due = timezone.now() + timedelta(hours=hours)
    ClubEvent.objects.filter(pk=league.event.pk).update(lists_due_at=due)


def line_of(league: League, actor: Owner, name: str) -> Any:
    event = load_event(actor, league.token)
    assert event
    lists = load_lists(actor, event)
    assert lists
    return next(line for line in lists.lines if line.entry.name == name)


def visit(actor: Owner, name: str, *args: object, query: str = "") -> str:
    answer = browser_of(actor).get(reverse(name, args=args) + query)
    return " ".join(answer.content.decode().split())


# The deadline


def test_the_deadline_of_the_event_holds_where_a_round_has_none(league: League) -> None:
    due_in(league, -1)
    with pytest.raises(Refusal, match="were due"):
        hand_in(league, "Ada")
    later = timezone.now() + timedelta(hours=1)
    make_round(league, lists_due_at=later)
    assert hand_in(league, "Ada").round.number == 1


@pytest.mark.parametrize(
    "page", ["event-read", "event-enter", "event-lists", "home", "event-entries"]
)
def test_the_deadline_is_in_sight(league: League, page: str) -> None:
    due_in(league, 48)
    due = ClubEvent.objects.get(pk=league.event.pk).lists_due_at
    assert due
    args = [] if page == "home" else [league.token]
    organises = page in ("event-enter", "event-entries")
    reader = league.organiser if organises else league.player("Ada")
    assert f"{timezone.localtime(due):%H:%M}" in visit(reader, page, *args)


def test_home_asks_for_the_list_until_it_is_in(league: League) -> None:
    def tasks(name: str) -> list[tuple[str, int]]:
        return [task for row in own_events(league.player(name)).rows for task in row.tasks]

    assert tasks("Ada") == [("list", 1)]
    hand_in(league, "Ada")
    assert (tasks("Ada"), tasks("Ben")) == ([], [("list", 1)])
    mark_list(ask(league), None, league.entry("Ada").token, "sent_back", FLAW)
    assert tasks("Ada") == [("list", 1)]


def test_lists_of_the_event_are_reminded_of_a_day_before_once(league: League) -> None:
    due_in(league, 30)
    assert remind_of_lists() == 0
    due_in(league, 23)
    hand_in(league, "Ada")
    assert remind_of_lists() == 2
    make_round(league)
    make_round(league)
    remind_of_lists()
    reminded = Notice.objects.filter(kind="list_due").values_list("user_id", flat=True)
    assert sorted(reminded) == sorted(
        league.player(name).user_id for name in ("Ben", "Cleo")
    )


# Before round 1


def test_a_list_before_any_round_is_of_the_first(league: League) -> None:
    assert line_of(league, league.player("Ada"), "Ada").has_list is False
    assert not Round.objects.exists()
    hand_in(league, "Ada")
    hand_in(league, "Ben")
    assert [row.number for row in Round.objects.all()] == [1]
    # Who adds the first round sets up the one that is there.
    assert add_round(ask(league), RoundDraft(name="Morning")) == 1
    assert add_round(ask(league), RoundDraft()) == 2
    assert ListLock.objects.filter(round__name="Morning").count() == 2


def test_a_round_that_was_set_up_is_not_taken_again(league: League) -> None:
    make_round(league)
    hand_in(league, "Ada")
    assert add_round(ask(league), RoundDraft()) == 2


# The check


def test_a_list_is_checked_until_another_is_handed_in(league: League) -> None:
    hand_in(league, "Ada")
    entry = league.entry("Ada").token
    mark_list(ask(league), None, entry, "checked")
    assert line_of(league, league.organiser, "Ada").is_checked
    assert ListLock.objects.get().check_state == "checked"
    hand_in(league, "Ada")
    assert ListLock.objects.get().check_state == "none"


def test_who_gets_a_list_back_is_told_why_and_may_replace_it(league: League) -> None:
    hand_in(league, "Ada")
    due_in(league, -1)
    entry = league.entry("Ada").token
    mark_list(ask(league), 1, entry, "sent_back", f"  {FLAW} ")
    told = Notice.objects.get(kind="list_sent_back")
    assert told.user_id == league.player("Ada").user_id
    assert told.words.endswith(FLAW)
    assert FLAW in visit(league.player("Ada"), "list-hand-in", league.token, 1)
    hand_in(league, "Ada")
    with pytest.raises(Refusal, match="were due"):
        hand_in(league, "Ada")


def test_others_learn_nothing_of_a_list_that_is_sent_back(league: League) -> None:
    hand_in(league, "Ada")
    hand_in(league, "Ben")
    ben = league.player("Ben")
    pages = ("event-lists", "event-log", "event-read")
    before = [visit(ben, page, league.token) for page in pages]
    mark_list(ask(league), None, league.entry("Ada").token, "sent_back", FLAW)
    show_lists(ask(league), 1)
    line = line_of(league, ben, "Ada")
    assert (line.check_state, line.check_reason, line.has_list) == ("none", "", True)
    assert before[2].count("ent back") == 0
    for page in pages:
        assert "ent back" not in visit(ben, page, league.token)
    event = load_event(ben, league.token)
    assert event
    assert not [row for row in load_log(event).rows if "sent back" in row.words]
    assert FLAW in visit(league.player("Ada"), "event-lists", league.token)
    own = (league.token, 1, league.entry("Ada").token)
    assert FLAW in visit(league.player("Ada"), "list-read", *own)
    assert FLAW in visit(league.organiser, "list-read", *own)
    assert FLAW not in visit(ben, "list-read", *own)


@pytest.mark.parametrize(
    "check, reason, field, words",
    [
        ("lost", "", "check", "none, checked, sent_back"),
        ("sent_back", " ", "check_reason", "in one sentence"),
        ("checked", FLAW, "check_reason", "Only a list that is sent back"),
        ("sent_back", "x" * 501, "check_reason", "500"),
    ],
)
def test_a_check_is_refused(
    league: League, check: str, reason: str, field: str, words: str
) -> None:
    hand_in(league, "Ada")
    with pytest.raises(Refusal, match=words) as refusal:
        mark_list(ask(league), None, league.entry("Ada").token, check, reason)
    assert refusal.value.field == field


def test_only_organisers_check_lists_and_only_those_handed_in(league: League) -> None:
    with pytest.raises(Refusal, match="Ada has not handed in"):
        mark_list(ask(league), None, league.entry("Ada").token, "checked")
    hand_in(league, "Ada")
    for do in (
        lambda change: mark_list(change, None, league.entry("Ada").token, "checked"),
        remind_missing,
    ):
        with pytest.raises(NotAllowed):
            do(ask(league, "Ada"))


def test_organisers_filter_lists(league: League) -> None:
    hand_in(league, "Ada")
    shown = visit(
        league.organiser, "event-lists", league.token, query="?round=1&show=missing"
    )
    assert ("List of Ada" in shown, "the list of Ben" in shown) == (False, True)
    shown = visit(league.organiser, "event-lists", league.token, query="?show=sent_back")
    assert "No such lists" in shown
    assert (
        browser_of(league.organiser)
        .get(reverse("event-lists", args=[league.token]), {"show": "odd"})
        .status_code
        == 404
    )


# Reminders, and what is asked before something is published


def test_organisers_remind_once_an_hour(league: League) -> None:
    hand_in(league, "Ada")
    assert remind_missing(ask(league)) == 2
    with pytest.raises(WrongState, match="just reminded"):
        remind_missing(ask(league))
    hour = timezone.now() - timedelta(minutes=61)
    EventLog.objects.filter(verb="remind_lists").update(at=hour)
    hand_in(league, "Ben")
    assert remind_missing(ask(league)) == 1
    EventLog.objects.filter(verb="remind_lists").update(at=hour)
    hand_in(league, "Cleo")
    with pytest.raises(WrongState, match="Nobody with an account"):
        remind_missing(ask(league))


@pytest.fixture
def press(league: League) -> Callable[..., HttpResponse]:
    """Press a button of round 1 as the organiser."""
    client: Client = browser_of(league.organiser)

    def press(page: str, **data: str) -> HttpResponse:
        return client.post(reverse(page, args=[league.token, 1]), data)

    return press


def test_publishing_with_lists_missing_asks_first(
    league: League, press: Callable[..., HttpResponse]
) -> None:
    hand_in(league, "Ada")
    asked = press("list-publish").content.decode()
    assert "No list, or one sent back: Ben, Cleo, Guest 1." in " ".join(asked.split())
    assert Round.objects.get().lists_published_at is None
    press("list-publish", without_lists="1")
    assert Round.objects.get().lists_published_at
    draw_round(ask(league), 1)
    shown = visit(league.organiser, "round-read", league.token, 1)
    assert "3 lists missing" in shown
    assert "Publish without these lists" in shown
    press("round-publish")
    assert Round.objects.get().status == "draft"
    press("round-publish", without_lists="1")
    assert Round.objects.get().status == "published"


def test_a_program_publishes_without_being_asked(league: League) -> None:
    make_round(league)
    draw_round(ask(league), 1)
    publish_round(ask(league), 1)


def test_buttons_of_the_page_of_lists(
    league: League, press: Callable[..., HttpResponse]
) -> None:
    hand_in(league, "Ada")
    entry = league.entry("Ada").token
    client = browser_of(league.organiser)
    address = reverse("list-check", args=[league.token, 1, entry])
    sent = client.post(address, {"check": "checked", "show": "unchecked"})
    assert sent["Location"].endswith("?round=1&show=unchecked")
    assert ListLock.objects.get().check_state == "checked"
    without = client.post(address, {"check": "sent_back", "check_reason": ""})
    assert without["Location"] == reverse("list-read", args=[league.token, 1, entry])
    client.post(address, {"check": "sent_back", "check_reason": FLAW})
    assert ListLock.objects.get().check_reason == FLAW
    client.post(address, {"check": "odd"})
    assert ListLock.objects.get().check_state == "sent_back"
    assert press("list-remind").status_code == 302
    assert Notice.objects.filter(kind="list_due").count() == 3
