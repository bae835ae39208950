"""Deleting an account in mid-league: what is said before, what stays, and who is told."""

import pytest
from django.urls import reverse

from accounts.operations.people import close_account
from accounts.owner import Owner
from accounts.queries import closing_consequences
from battles.models import BattleSide
from campaigns.models import Decision, Entry, EntryStatus, EventLog, Fixture, FixtureStatus
from campaigns.operations.challenges import create_challenge
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import change_entry, drop_entry
from campaigns.operations.events import settle_event
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture, report_result
from campaigns.queries.records import Outcome
from campaigns.queries.standings import load_standings
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.leagues import (
    League,
    make_campaign,
    make_entry,
    make_event,
    make_league,
    make_round,
)
from tests.campaigns.results import agree, faults, fresh, put_up
from tests.factories import make_battle, make_legal_warband, make_person

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Ada has won a game, has one to play and one drawn; everybody with the link may read it."""
    made = make_league(players=4, visibility="link")
    won, _ = put_up(made, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    agree(made, won, "Ada")
    put_up(made, 2, [("Ada", "Cleo"), ("Ben", "Dora")])
    made.event.rounds.filter(number=2).update(status="published")
    return made


def close(league: League, name: str) -> Owner:
    gone = league.player(name)
    assert gone.user_id
    close_account(gone.user_id)
    return gone


def read(path: str, actor: Owner | None = None) -> str:
    answer = browser_of(actor).get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def pages(league: League) -> list[str]:
    fixtures = Fixture.objects.filter(round__event=league.event)
    return [
        reverse("event-read", args=[league.token]),
        reverse("standings-read", args=[league.token]),
        reverse("event-entries", args=[league.token]),
        reverse("event-log", args=[league.token]),
        reverse("round-list", args=[league.token]),
        *(reverse("round-read", args=[league.token, n]) for n in (1, 2)),
        *(reverse("fixture-read", args=[league.token, one.token]) for one in fixtures),
    ]


def test_page_says_beforehand_what_stays(league: League) -> None:
    ada = league.player("Ada")
    assert ada.user_id
    told = " ".join(closing_consequences(ada.user_id))
    assert "You are in Autumn league" in told
    assert "“Former player” and a number" in told
    assert "Your 1 open game is cancelled" in told
    assert closing_consequences(0) == ()


def test_results_stay_without_the_name_and_open_games_are_cancelled(league: League) -> None:
    open_fixture(league.ask(), league.fixture(2, "Ada").token)
    close(league, "Ada")
    for path in pages(league):
        shown = read(path)
        assert "Ada" not in shown, path
    table = load_standings(league.organiser, league.token)
    assert table
    first = table.rows[0]
    assert (first.entry.name, first.standing.points) == ("Former player 1", 3)
    assert (first.entry.status, first.entry.user_id) == (EntryStatus.DROPPED, None)
    game = fresh(league.fixture(2, "Former player 1"))
    assert (game.decision, game.status) == (Decision.UNPLAYED, FixtureStatus.FINAL)
    assert not faults(game)
    close(league, "Ben")
    assert league.entry("Former player 2").dropped == 3


def test_organisers_and_opponents_are_told(league: League) -> None:
    # What nobody has seen yet is no game to cancel.
    put_up(league, 3, [("Ada", "Dora")])
    league.event.rounds.filter(number=3).update(status="draft")
    Notice.objects.all().delete()
    close(league, "Ada")
    words = "Autumn league: Former player 1 deleted their account. Cancelled: 1 open game."
    told = {(one.user.name, one.words) for one in Notice.objects.all()}
    assert told == {("Olga", words), ("Cleo", words)}


def test_drafts_and_challenges_lose_them() -> None:
    league = make_league(players=4)
    make_round(league)
    draw_round(league.ask(), 1)
    close(league, "Ada")
    assert not any("Former" in one.one.name for one in league.fixtures(1))
    winter = make_campaign(players=2)
    put_up(winter, 1, [])
    asked = winter.by("Ada")
    create_challenge(asked, winter.entry("Ben").token)
    close(winter, "Ben")
    assert not Fixture.objects.filter(round__event=winter.event).exists()


def test_strangers_read_no_reasons(league: League) -> None:
    game = league.fixture(2, "Ada")
    asked = league.ask(reason="Ada is in hospital")
    decide_fixture(asked, game.token, decision="unplayed")
    log = reverse("event-log", args=[league.token])
    page = reverse("fixture-read", args=[league.token, game.token])
    assert "in hospital" not in read(log) + read(page)
    assert "in hospital" in read(log, league.player("Dora"))
    decide = reverse("fixture-decide", args=[league.token, game.token])
    assert "Members of the club and players of this event can read it." in read(
        decide, league.organiser
    )


def test_page_of_a_battle_tells_strangers_no_reasons(league: League) -> None:
    dora = league.player("Dora")
    league.club.memberships.filter(user_id=dora.user_id).delete()
    game = league.fixture(1, "Ada")
    assert game.battle
    asked = league.ask(reason="Ada had too few models")
    report_result(
        asked, game.token, Outcome(how="conceded", winner=league.entry("Ben").token)
    )
    battle = game.battle.token
    for name in ("battle-read", "battle-report"):
        page = reverse(name, args=[battle])
        stranger = read(page)
        assert "Corrected" in stranger
        assert "too few models" not in stranger + read(page, make_person())
        # Members of the club and players of the event read it, whether they played it or not.
        for name in ("Cleo", "Dora", "Ben"):
            assert "too few models" in read(page, league.player(name))
    dispute = reverse("battle-result", args=[battle, "correct"])
    assert "Players, organisers and members of the club can read it." in read(
        dispute, league.organiser
    )


def test_what_is_said_beforehand_counts_events_and_games() -> None:
    first = make_league(players=3)
    ada = first.player("Ada")
    assert len(closing_consequences(ada.user_id or 0)) == 2
    put_up(first, 1, [("Ada", "Ben"), ("Cleo", "Ada")])
    told = closing_consequences(ada.user_id or 0)
    assert told[1] == (
        "Your 2 open games are cancelled. The organisers and your opponents are told."
    )
    for number in range(1, 4):
        if number == 3:
            assert closing_consequences(ada.user_id or 0)[0].startswith(
                "You are in League 2, League 1, Autumn league. "
            )
        event = make_event(
            organiser=first.organiser, club=first.club, name=f"League {number}"
        )
        make_entry(event=event, organiser=first.organiser, user_id=ada.user_id)
    assert closing_consequences(ada.user_id or 0)[0].startswith(
        "You are in League 3, League 2, League 1 and 1 more. "
    )
    settle_event(first.ask(), "archive")
    assert len(closing_consequences(ada.user_id or 0)) == 2


def test_every_open_game_is_cancelled_and_nothing_else() -> None:
    league = make_league(players=4, confirm_days=5)
    put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Ada"), ("Ben", "Cleo", "Ada")])
    put_up(league, 2, [("Ada", "Ben"), ("Ada",), ("Cleo", "Dora")], reason="Adamant.")
    decided = league.fixtures(2)[0]
    asked = league.ask(reason="Ada was ill.")
    ada = league.entry("Ada").token
    decide_fixture(asked, decided.token, decision="walkover", decided_for=ada)
    put_up(league, 3, [("Ada", "Ben")])
    league.event.rounds.filter(number=3).update(status="closed")
    put_up(league, 4, [("Ada", "Ben"), ("Cleo", "Dora")])
    league.event.rounds.filter(number=4).update(status="draft")
    change_entry(asked, ada, name="Adele")
    listed = make_legal_warband(actor=league.player("Adele"), name="The Ferrymen")
    mine = league.by("Adele")
    change_entry(mine, ada, warband=listed.token)
    opened = [open_fixture(asked, one.token) for one in league.fixtures(1)[:2]]
    outside = make_battle()
    own = league.player("Adele").user_id
    outside.sides.filter(key="b").update(owner=own, name="Adele")
    Notice.objects.all().delete()
    gone = close(league, "Adele")
    name = "Former player 1"
    games = {(n, one.position): one for n in (1, 2, 3, 4) for one in league.fixtures(n)}
    assert {place for place, one in games.items() if one.decision == "unplayed"} == {
        (1, 1),
        (1, 2),
        (1, 3),
        (3, 1),
    }
    assert games[2, 1].decision == Decision.WALKOVER
    assert games[2, 2].reason == "Adamant."
    values = (games[4, 1].reason, games[4, 2].reason)
    assert values == (f"Bye: {name} dropped out. Pair again to change the pairings.", "")
    # The side of a list is called as the list is, and a battle of no event stays.
    rows = BattleSide.objects.filter(battle__token__in=opened).order_by("battle_id", "key")
    assert [one.name for one in rows] == ["The Ferrymen", "Ben", "Cleo", "The Ferrymen"]
    assert outside.sides.get(key="b").name == "Adele"
    line = EventLog.objects.filter(event=league.event).order_by("-pk")[0]
    assert line.words == f"{name} deleted their account. Cancelled: 4 open games."
    assert (line.author_id, line.subject) == (None, ada)
    told = Notice.objects.filter(kind="departed").values_list("user__name", flat=True)
    assert sorted(told) == ["Ben", "Cleo", "Olga"]
    assert gone.user_id


def test_log_forgets_the_name_and_what_it_was_changed_to(league: League) -> None:
    asked = league.ask()
    ada = league.entry("Ada").token
    change_entry(asked, ada, name="Adele")
    change_entry(asked, ada, name="Ada")
    change_entry(asked, league.entry("Ben").token, name="Ada’s friend")
    close(league, "Ada")
    lines = EventLog.objects.filter(event=league.event, verb="change_entry").order_by("pk")
    assert (lines[0].words, lines[0].changes) == ("Changed name of Former player 1.", {})
    assert lines[1].changes == {}
    assert lines[2].changes == {"name": ["Ben", "Ada’s friend"]}


def test_end_of_an_event_is_not_disturbed(league: League) -> None:
    Notice.objects.all().delete()
    asked = league.ask()
    drop_entry(league.by("Dora"), league.entry("Dora").token)
    Entry.objects.filter(pk=league.entry("Dora").pk).update(dropped=2)
    settle_event(asked, "archive")
    close(league, "Dora")
    assert league.entry("Former player 1").dropped == 2
    settle_event(asked, "restore")
    settle_event(asked, "finish")
    close(league, "Ada")
    assert not Notice.objects.filter(kind="departed").exists()
