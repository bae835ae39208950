"""Messages of organisers: who gets them, how many in a day, and where they stay."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, ShareUsed, WrongState
from campaigns.models import EventLog, Round
from campaigns.operations.events import settle_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.messages import MESSAGES_MOST, send_message
from campaigns.operations.round_lists import hand_in_list
from campaigns.queries.event_page import load_log
from campaigns.queries.events import load_event
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_league, make_round
from tests.campaigns.results import put_up
from tests.factories import make_legal_warband, make_person

pytestmark = pytest.mark.django_db
TEXT = "Bring your own dice."


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Four players and a guest, all of whom owe a list."""
    return make_league(
        players=4, guests=1, needs_list=True, has_one_list=True, visibility="public"
    )


def ask(league: League, name: str = "", key: str = "") -> ChangeRequest:
    actor = league.player(name) if name else league.organiser
    return ChangeRequest(actor, league.token, key=key)


def readers() -> list[str]:
    rows = Notice.objects.filter(kind="message").select_related("user")
    return sorted(row.user.name for row in rows)


def test_a_message_to_all_is_a_notice_for_each_with_an_account(league: League) -> None:
    assert send_message(ask(league), "all", f" {TEXT}\n") == 4
    assert readers() == ["Ada", "Ben", "Cleo", "Dora"]
    assert Notice.objects.filter(words=f"Autumn league: {TEXT}").count() == 4
    line = EventLog.objects.get(verb="message")
    assert (line.words, line.reason, line.subject) == (
        "Message to all players.",
        TEXT,
        "all",
    )


def test_the_players_of_a_round(league: League) -> None:
    make_round(league)
    with pytest.raises(WrongState, match="No such round is published"):
        send_message(ask(league), "round", TEXT)
    Round.objects.all().delete()
    put_up(league, 1, [("Ada", "Ben")])
    put_up(league, 2, [("Cleo", "Guest 1")])
    assert send_message(ask(league), "round", TEXT) == 1
    assert send_message(ask(league), "round", TEXT, number=1) == 2
    assert readers() == ["Ada", "Ben", "Cleo"]


def test_who_has_not_handed_in(league: League) -> None:
    for name in ("Ada", "Ben"):
        warband = make_legal_warband(actor=league.player(name))
        hand_in_list(ask(league, name), None, warband.token)
    assert send_message(ask(league), "lists_missing", TEXT) == 2
    assert readers() == ["Cleo", "Dora"]


@pytest.mark.parametrize("to, text, number, field, words", [
    ("some", TEXT, None, "to", "none of all, round, lists_missing"),
    ("all", " \n", None, "text", "Enter a message"),
    ("all", "x" * 401, None, "text", "400"),
    ("all", TEXT, 1, "round", "names no round"),
])  # fmt: skip
def test_a_message_is_refused(league, to, text, number, field, words):
    with pytest.raises(Refusal, match=words) as refusal:
        send_message(ask(league), to, text, number=number)
    assert (refusal.value.field, readers()) == (field, [])


def test_only_organisers_write_and_not_from_the_archive(league: League) -> None:
    with pytest.raises(NotAllowed):
        send_message(ask(league, "Ada"), "all", TEXT)
    settle_event(ask(league), "archive")
    with pytest.raises(WrongState):
        send_message(ask(league), "all", TEXT)


def test_an_event_sends_so_many_in_a_day(league: League) -> None:
    for _ in range(MESSAGES_MOST):
        send_message(ask(league), "all", TEXT)
    with pytest.raises(ShareUsed, match="at most 20"):
        send_message(ask(league), "all", TEXT)
    yesterday = timezone.now() - timedelta(hours=25)
    EventLog.objects.filter(verb="message").update(at=yesterday)
    send_message(ask(league), "all", TEXT)


def test_the_same_key_sends_once(league: League) -> None:
    for _ in range(2):
        assert send_message(ask(league, key="once"), "all", TEXT) == 4
    assert len(readers()) == 4


def test_members_and_players_read_it_in_the_log(league: League) -> None:
    send_message(ask(league), "all", TEXT)
    for actor, reason in ((league.player("Ada"), TEXT), (make_person(), "")):
        event = load_event(actor, league.token)
        assert event
        assert load_log(event).rows[0].reason == reason


def test_the_page_of_messages(league: League) -> None:
    client = browser_of(league.organiser)
    address = reverse("event-messages", args=[league.token])
    shown = client.get(address).content.decode()
    assert "No messages yet" in shown
    assert "Players of Round" not in shown
    answer = client.post(address, {"to": "all", "text": TEXT, "key": "a"}, follow=True)
    assert "Message sent to 4 players." in answer.content.decode()
    assert TEXT in answer.content.decode()
    assert client.post(address, {"to": "all", "text": ""}).status_code == 422
    assert browser_of(league.player("Ada")).get(address).status_code == 403
