"""The pages of a table and of its fixtures as browsers ask for them."""

import pytest
from django.test import Client
from django.urls import reverse

from battles.models import Battle
from campaigns.models import Entry, EventLog, Fixture
from campaigns.operations.entries import drop_entry, enter_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import close_round
from tests.battles.pages import browser_of, page, send
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import faults, fresh, put_up, report
from tests.factories import make_person, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def played(league: League) -> League:
    """Two rounds: the first is over, of the second one game is to be played."""
    first, second = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, first, "Ada")
    report(league, second, "Cleo")
    put_up(league, 2, [("Ada", "Cleo"), ("Ben", "Dora")])
    report(league, league.fixture(2, "Ben"), "")
    return league


def address(name: str, league: League, fixture: Fixture | None = None) -> str:
    return reverse(name, args=[league.token, *([fixture.token] if fixture else [])])


def olga(league: League) -> Client:
    return browser_of(league.organiser)


def test_page_on_the_wall_has_own_games_first_then_the_table(played: League) -> None:
    html = page(browser_of(played.player("Ada")), address("event-read", played))
    order = [
        "Your games to play</h2>", "Standings</h2>", "Other games to play</h2>",
        "Place by round</h2>", "Round summaries</h2>", "Head to head</h2>",
    ]  # fmt: skip
    places = [html.index(words) for words in order]
    assert places == sorted(places)
    assert "Ada against Cleo" in html
    assert 'class="me"' in html
    assert "Tie-breakers" in page(
        browser_of(played.player("Ada")), address("standings-read", played)
    )


def test_empty_event_says_what_to_do() -> None:
    league = make_league(players=0)
    html = page(olga(league), address("event-read", league))
    assert "No players yet." in html
    assert "No games yet." in html
    # Who runs it adds players; only others are asked to join.
    assert "Add players</a>" in html
    assert address("event-enter", league) not in html


def test_event_lists_its_players_until_there_is_a_result(league: League) -> None:
    type(league.event).objects.filter(pk=league.event.pk).update(capacity=9)
    url = address("event-read", league)
    html = page(olga(league), url)
    assert "Players</h2>" in html
    assert "<table" not in html
    assert f"{len(league.entries)} of 9 places taken" in html
    drop_entry(league.ask(), league.entries[0].token)
    assert f"{len(league.entries) - 1} of 9 places taken" in page(olga(league), url)
    (game,) = put_up(league, 1, [("Cleo", "Dora")])
    assert "Players</h2>" in page(olga(league), url)
    report(league, game, "Cleo")
    html = page(olga(league), url)
    assert "Standings</h2>" in html
    assert 'class="grid standings"' in html


def test_no_page_of_the_day_needs_its_address_typed(played: League) -> None:
    """The desk leads on to the round, a closed round to its results, a player to the record."""
    token, slug = played.token, played.club.slug

    def links(name: str, *more: object, target: str) -> bool:
        return f'href="{target}"' in page(olga(played), reverse(name, args=[token, *more]))

    first, second = (reverse("round-read", args=[token, number]) for number in (1, 2))
    assert links("event-desk", target=first)
    close_round(played.ask(), 1)
    assert links("event-desk", target=second)
    assert links("round-read", 1, target=reverse("round-results", args=[token, 1]))
    entry = played.entry("Ada").token
    record = reverse("player-record", args=[slug, entry])
    assert links("entry-read", entry, target=record)
    assert links("event-read", target=reverse("season-list", args=[slug]))


@pytest.mark.parametrize("is_listed", [False, True])
def test_event_leads_to_the_pages_of_its_club_that_the_reader_may_open(
    played: League, *, is_listed: bool
) -> None:
    type(played.event).objects.filter(pk=played.event.pk).update(visibility="public")
    type(played.club).objects.filter(pk=played.club.pk).update(is_public=is_listed)
    rita = make_person(user=make_user(name="Rita"))
    enter_event(ChangeRequest(rita, played.token))
    entry = played.entry("Ada").token
    for client in (Client(), browser_of(rita), browser_of(played.player("Ada"))):
        event = page(client, address("event-read", played))
        player = page(client, reverse("entry-read", args=[played.token, entry]))
        for name, more, html in (
            ("club-read", [], event),
            ("season-list", [], event),
            ("player-record", [entry], player),
        ):
            url = reverse(name, args=[played.club.slug, *more])
            is_open = client.get(url).status_code == 200
            assert (f'href="{url}"' in html) == is_open, (name, client)


def test_desk_leads_to_a_first_round(league: League) -> None:
    html = page(olga(league), address("event-desk", league))
    assert f'href="{address("round-new", league)}"' in html


def test_battle_leads_back_to_its_league_for_those_a_list_may_name_it_to(played):
    battle = Battle.objects.get(fixture=played.fixture(2, "Ben"))
    url, back = reverse("battle-read", args=[battle.token]), address("event-read", played)
    assert back in page(browser_of(played.player("Ada")), url)
    assert "Only the result was entered." in page(browser_of(played.player("Ada")), url)
    # The league is its club's, and so are its battles.
    assert Client().get(url).status_code == 404


def test_winner_may_have_any_token(league: League) -> None:
    """One in sixty-four begins with a dash."""
    fixture = put_up(league, 1, [("Ada", "Ben")])[0]
    token = "-" + league.entry("Ada").token[1:]
    Entry.objects.filter(pk=league.entry("Ada").pk).update(token=token)
    ada, url = browser_of(league.player("Ada")), address("fixture-result", league, fixture)
    send(ada, url, winner=token)
    row = fresh(fixture)
    assert row.winner is not None
    assert (row.winner.token, row.how) == (token, "played")


def test_player_reports_by_form_and_sees_that_the_opponent_confirms(played: League) -> None:
    fixture = played.fixture(2, "Ada")
    ada, url = browser_of(played.player("Ada")), address("fixture-result", played, fixture)
    wrong = send(ada, url, winner=played.entry("Ada").token, out_a="-1")
    values = (wrong.status_code, Battle.objects.filter(fixture=fixture).exists())
    assert values == (422, False)
    done = send(ada, url, winner=played.entry("Ada").token, how="conceded", out_b="3")
    values = (done.status_code, done["Location"])
    assert values == (302, address("fixture-read", played, fixture))
    row = fresh(fixture)
    assert (row.status, row.out_other, faults(fixture)) == ("waiting", 3, [])
    told = page(ada, address("fixture-read", played, fixture))
    assert "Waiting for " in told
    cleo = page(browser_of(played.player("Cleo")), address("fixture-read", played, fixture))
    assert ">Confirm result</a>" in cleo
    assert ">Dispute result</a>" in cleo


def test_correction_is_previewed_with_what_moves_and_logged_with_its_reason(played):
    fixture = played.fixture(1, "Ada")
    client, url = olga(played), address("fixture-result", played, fixture)
    sent = {
        "winner": played.entry("Ben").token,
        "how": "conceded",
        "reason": "The slip says so.",
    }
    shown = send(client, url, **sent)
    html = shown.content.decode()
    assert (shown.status_code, fresh(fixture).winner == fixture.one) == (200, True)
    assert "Ada: 1st →" in html
    assert "3 → 0 points" in html
    assert send(client, url, **sent, go="1").status_code == 302
    assert fresh(fixture).winner == fixture.other
    assert "The slip says so." in page(client, address("event-log", played))
    battle = reverse("battle-result", args=[fresh(fixture).battle.token, "void"])
    assert "Ben: " in send(client, battle, reason="Wrong").content.decode()


def test_organiser_decides_after_seeing_what_moves(played: League) -> None:
    fixture = played.fixture(2, "Ada")
    client, url = olga(played), address("fixture-decide", played, fixture)
    assert send(client, url, decision="unplayed").status_code == 422
    sent = {"decision": played.entry("Cleo").token, "reason": "Ada is ill."}
    assert "3 → 6 points" in send(client, url, **sent).content.decode()
    assert fresh(fixture).decision == ""
    assert send(client, url, **sent, go="1").status_code == 302
    assert (fresh(fixture).decision, faults(fixture)) == ("walkover", [])
    assert "wins by walkover" in page(client, address("fixture-read", played, fixture))
    assert send(client, url, decision="-", reason="She came.", go="1").status_code == 302
    assert fresh(fixture).status == "open"
    assert EventLog.objects.filter(verb="decide").count() == 2


def test_battle_is_set_up_from_the_fixture_once(played: League) -> None:
    fixture = played.fixture(2, "Ada")
    ada, url = browser_of(played.player("Ada")), address("fixture-open", played, fixture)
    assert ada.post(url, {"go": "live"}).status_code == 422
    sent = {"models_a": "9", "models_b": "11", "go": "enter"}
    battle = ada.post(url, sent)["Location"].split("/")[-3]
    assert [
        side.size for side in Battle.objects.get(token=battle).sides.order_by("position")
    ] == [9, 11]
    assert battle in ada.post(url, {"go": "live"})["Location"]


def test_who_dropped_out_is_told_and_a_slip_leads_to_the_result(played: League) -> None:
    fixture = played.fixture(2, "Ada")
    slip = olga(played).get(address("fixture-slip", played, fixture))
    values = (slip.status_code, slip["Content-Type"], slip.content[:4])
    assert values == (200, "application/pdf", b"%PDF")
    drop_entry(played.ask(), played.entry("Cleo").token)
    put_up(played, 3, [("Ben", "Cleo")])
    late = played.fixture(3, "Ben")
    html = page(browser_of(played.player("Ben")), address("fixture-read", played, late))
    assert "Cleo dropped out before this game." in html
    assert (
        browser_of(played.player("Ben"))
        .get(address("fixture-result", played, late))
        .status_code
        == 302
    )


def test_those_who_may_only_read_change_nothing(played: League) -> None:
    fixture = played.fixture(2, "Ada")
    dora = browser_of(played.player("Dora"))
    assert dora.get(address("fixture-read", played, fixture)).status_code == 200
    for name in ("fixture-result", "fixture-decide"):
        assert dora.get(address(name, played, fixture)).status_code == 403
        assert dora.post(address(name, played, fixture)).status_code == 403
    for name in ("event-read", "standings-read", "event-log"):
        assert Client().get(address(name, played)).status_code == 404
    assert Client().get(address("fixture-slip", played, fixture)).status_code == 404
