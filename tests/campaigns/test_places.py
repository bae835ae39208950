"""Places of an event: how many, who waits for one, until when; who paid and who is here."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, WrongState
from accounts.operations.people import close_account
from accounts.owner import Owner
from campaigns.models import ClubEvent, Entry, EventLog, Presence, Round
from campaigns.operations.challenges import create_challenge
from campaigns.operations.desk import tick_players
from campaigns.operations.entries import (
    add_entries,
    admit_entry,
    change_entry,
    drop_entry,
    enter_event,
    rejoin_entry,
)
from campaigns.operations.events import change_event
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.rounds import add_guest, check_in, set_present
from campaigns.queries.event_page import load_log
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.round_lists import load_lists
from campaigns.queries.standings import load_standings
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_draft, make_league, make_round
from tests.factories import make_person, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Three places: Ada, Ben and Cleo have them, Dora and Emil wait."""
    return make_league(players=5, capacity=3, visibility="link")


def ask(league: League, name: str = "") -> ChangeRequest:
    return ChangeRequest(league.player(name) if name else league.organiser, league.token)


def drop(league: League, name: str) -> None:
    drop_entry(ask(league, name), league.entry(name).token)


def by_status(league: League, status: str) -> list[str]:
    rows = Entry.objects.filter(event=league.event, status=status)
    return [row.name for row in rows.order_by("created_at", "pk")]


def statuses(league: League) -> tuple[list[str], list[str]]:
    return by_status(league, "active"), by_status(league, "waiting")


def visit(actor: Owner, name: str, *args: object) -> str:
    answer = browser_of(actor).get(reverse(name, args=args))
    return " ".join(answer.content.decode().split())


# The waiting list


def test_who_comes_when_all_places_are_taken_waits(league: League) -> None:
    assert statuses(league) == (["Ada", "Ben", "Cleo"], ["Dora", "Emil"])
    newcomer = make_person(user=make_user(name="Fritz"))
    assert "Join waiting list" in visit(newcomer, "event-enter", league.token)
    enter_event(ChangeRequest(newcomer, league.token))
    assert by_status(league, "waiting") == ["Dora", "Emil", "Fritz"]
    assert Entry.objects.get(name="Fritz").joined == 0
    assert "waiting list" in visit(newcomer, "event-read", league.token)


def test_lists_show_who_waits_to_themselves_and_to_organisers(league: League) -> None:
    def waiting(actor: Owner) -> list[str]:
        event = load_event(actor, league.token)
        lines = load_lists(actor, event).lines
        return [line.entry.name for line in lines if line.is_waiting]

    assert waiting(league.player("Dora")) == ["Dora"]
    assert waiting(league.organiser) == ["Dora", "Emil"]
    assert waiting(league.player("Ada")) == []


def test_the_first_moves_up_with_a_notice_before_the_draw(league: League) -> None:
    drop(league, "Ben")
    assert statuses(league) == (["Ada", "Cleo", "Dora"], ["Emil"])
    told = Notice.objects.get(kind="placed")
    assert told.user_id == league.player("Dora").user_id
    assert Entry.objects.get(name="Dora").joined == 1
    close_account(league.player("Ada").user_id or 0)
    assert by_status(league, "waiting") == []


def test_nobody_moves_up_after_the_draw_but_by_an_organiser(league: League) -> None:
    make_round(league)
    draw_round(ask(league), 1)
    drop(league, "Ben")
    assert statuses(league) == (["Ada", "Cleo"], ["Dora", "Emil"])
    # Who comes now waits behind them, though a place is free.
    newcomer = make_person(user=make_user(name="Fritz"))
    enter_event(ChangeRequest(newcomer, league.token))
    assert by_status(league, "waiting") == ["Dora", "Emil", "Fritz"]
    assert "Give a place" in visit(league.organiser, "event-entries", league.token)
    admit_entry(ask(league), league.entry("Emil").token)
    assert by_status(league, "active") == ["Ada", "Cleo", "Emil"]
    with pytest.raises(WrongState, match="All 3 places are taken"):
        admit_entry(ask(league), league.entry("Dora").token)
    with pytest.raises(NotAllowed):
        admit_entry(ask(league, "Dora"), league.entry("Dora").token)


def test_who_drops_out_and_comes_back_stands_behind(league: League) -> None:
    drop(league, "Ada")
    rejoin_entry(ask(league, "Ada"), league.entry("Ada").token)
    assert statuses(league) == (["Ben", "Cleo", "Dora"], ["Emil", "Ada"])
    drop(league, "Emil")
    rejoin_entry(ask(league, "Emil"), league.entry("Emil").token)
    assert by_status(league, "waiting") == ["Ada", "Emil"]


def test_who_has_games_comes_back_to_a_place_or_not_at_all(league: League) -> None:
    make_round(league)
    draw_round(ask(league), 1)
    Round.objects.update(status="published")
    drop(league, "Ada")
    admit_entry(ask(league), league.entry("Dora").token)
    with pytest.raises(WrongState, match="places are taken"):
        rejoin_entry(ask(league, "Ada"), league.entry("Ada").token)
    table = load_standings(league.organiser, league.token)
    assert table
    assert {row.entry.name for row in table.rows} == {"Ada", "Ben", "Cleo", "Dora"}


def test_more_places_are_filled_at_once_and_fewer_throw_nobody_out(league: League) -> None:
    change_event(ask(league), make_draft(capacity=4, visibility="link"))
    assert statuses(league) == (["Ada", "Ben", "Cleo", "Dora"], ["Emil"])
    change_event(ask(league), make_draft(capacity=1, visibility="link"))
    assert len(by_status(league, "active")) == 4
    change_event(ask(league), make_draft(visibility="link"))
    assert by_status(league, "waiting") == []


def test_who_waits_is_in_no_table_and_in_no_game(league: League) -> None:
    table = load_standings(league.organiser, league.token)
    assert table
    assert [row.entry.name for row in table.rows] == ["Ada", "Ben", "Cleo"]
    make_round(league)
    dora = league.entry("Dora")
    for refused in (
        lambda: add_fixture(
            ask(league), 1, FixtureDraft(entries=[league.entry("Ada").token, dora.token])
        ),
        lambda: set_present(ask(league), 1, {dora.token: True}),
        lambda: check_in(ask(league, "Dora"), 1),
        lambda: draw_round(ask(league), 1, present=[dora.token]),
        lambda: add_guest(ask(league), 1, "Walker"),
        lambda: tick_players(ask(league), paid={}, here={dora.token: True}),
    ):
        with pytest.raises(Refusal, match="on the waiting list"):
            refused()
    draw_round(ask(league), 1)
    drop(league, "Dora")
    event = load_event(league.organiser, league.token)
    assert event
    names = {entry.name for entry in load_entries(league.organiser, event)}
    assert names == {"Ada", "Ben", "Cleo"}
    assert "left the waiting list" in visit(league.organiser, "event-entries", league.token)


def test_who_waits_challenges_nobody() -> None:
    league = make_league(players=3, capacity=2, kind="campaign", method="challenge")
    make_round(league)
    Round.objects.update(status="published")
    with pytest.raises(Refusal, match="on the waiting list"):
        create_challenge(ask(league, "Cleo"), league.entry("Ada").token)
    with pytest.raises(Refusal, match="on the waiting list"):
        create_challenge(ask(league, "Ada"), league.entry("Cleo").token)


@pytest.mark.parametrize("late, raised", [(-1, True), (1, False)])
def test_sign_up_closes_for_all_but_organisers(
    league: League, late: int, raised: bool
) -> None:
    closes = timezone.now() + timedelta(minutes=late)
    ClubEvent.objects.filter(pk=league.event.pk).update(entries_close_at=closes)
    newcomer = make_person()
    page = visit(newcomer, "event-enter", league.token)
    assert ("Sign-up is closed" in page) == raised
    if raised:
        with pytest.raises(NotAllowed, match="Sign-up closed on"):
            enter_event(ChangeRequest(newcomer, league.token))
        add_entries(ask(league), names=["Gwen"])
    else:
        enter_event(ChangeRequest(newcomer, league.token))
    assert len(by_status(league, "waiting")) == 3


# Paid and here


def test_who_has_paid_is_for_organisers_and_the_player(league: League) -> None:
    ada = league.entry("Ada")
    change_entry(ask(league), ada.token, is_paid=True)
    with pytest.raises(NotAllowed):
        change_entry(ask(league, "Ada"), ada.token, is_paid=False)
    for reader, paid in (("Ada", True), ("Ben", None), ("", True)):
        actor = ask(league, reader).actor
        event = load_event(actor, league.token)
        assert event
        entries = {row.name: row.is_paid for row in load_entries(actor, event)}
        assert entries["Ada"] == paid
        lines = [row.words for row in load_log(event).rows]
        assert ("Paid: Ada." in lines) == (reader == "")


def test_ticks_of_the_desk(league: League) -> None:
    ada, ben, cleo = (league.entry(name).token for name in ("Ada", "Ben", "Cleo"))
    client, address = (
        browser_of(league.organiser),
        reverse("event-desk", args=[league.token]),
    )
    assert "0 of 3</b> here" in visit(league.organiser, "event-desk", league.token)

    def here() -> dict[str, bool]:
        return dict(Presence.objects.values_list("entry__name", "is_here"))

    def paid() -> set[str]:
        return set(Entry.objects.filter(is_paid=True).values_list("name", flat=True))

    # A single tick, as the script sends it, then a whole form without a script.
    answer = client.post(
        address, {"one": f"here {ada}", "here": ada}, HTTP_HX_REQUEST="true"
    )
    assert "1 of 3</b> here" in " ".join(answer.content.decode().split())
    assert (here(), Round.objects.get().number) == ({"Ada": True}, 1)
    client.post(address, {"here": [ben], "was_here": [ada], "paid": [cleo]})
    assert (here(), paid()) == ({"Ada": False, "Ben": True}, {"Cleo"})
    client.post(address, {"all": "paid"})
    assert paid() == {"Ada", "Ben", "Cleo"}
    client.post(address, {"all": "away", "here": [ben], "was_here": [ben]})
    assert here() == {"Ada": False, "Ben": True, "Cleo": False}
    client.post(address, {"all": "here"})
    assert set(here().values()) == {True}
    assert EventLog.objects.filter(verb="mark_paid").count() == 2
    Round.objects.update(status="closed")
    client.post(address, {"one": f"here {ada}"})
    assert "Every round is closed" in visit(league.organiser, "event-desk", league.token)
    assert set(here().values()) == {True}


# Guests


def test_guests_at_once(league: League) -> None:
    add_entries(ask(league), names=["Gwen", "Hugo"])
    assert by_status(league, "waiting") == ["Dora", "Emil", "Gwen", "Hugo"]
    with pytest.raises(Refusal, match="at most 128 names, not 129") as refusal:
        add_entries(ask(league), names=["x"] * 129)
    assert refusal.value.field == "names"
    client = browser_of(league.organiser)
    address = reverse("event-entries", args=[league.token])
    answer = client.post(address, {"guests": "Ines\nAda"})
    assert "There is already a player Ada" in answer.content.decode()
    assert not Entry.objects.filter(name="Ines").exists()
