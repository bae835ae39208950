"""Pages claim what was recorded, offer what is open, and say who can see what."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from accounts.owner import Owner
from battles.pdf import pack_documents
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture
from campaigns.operations.round_lists import show_lists
from campaigns.operations.rounds import publish_round
from campaigns.pdf import Slip, slip_html
from campaigns.queries.event_page import load_event_page
from campaigns.queries.table_packs import load_pack
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_draft, make_league, make_night, make_round
from tests.campaigns.results import put_up, report
from tests.factories import make_person
from warbands.pdf.documents import pages_pdf

pytestmark = pytest.mark.django_db


def read(actor: Owner | None, name: str, *args: object) -> str:
    answer = browser_of(actor).get(reverse(name, args=args))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def scenarios(league: League) -> list[str]:
    from rulesdata.queries.scenarios import scenario_choices

    keys = [key for key, _ in scenario_choices(league.event.system, league.organiser)]
    assert len(keys) >= 3
    return keys[:3]


def test_scenarios_are_spread_over_tables_and_over_each_players_rounds() -> None:
    night = make_night(players=12)
    pool = scenarios(night)
    night.event.scenarios = pool
    night.event.save()
    from campaigns.operations.rounds import set_present

    seen: dict[int, Counter[str]] = {one.pk: Counter() for one in night.entries}
    for number in (1, 2, 3):
        make_round(night)
        set_present(night.ask(), number, {one.token: True for one in night.entries})
        draw_round(night.ask(), number, seed=f"s{number}")
        publish_round(night.ask(), number)
        used = Counter(one.scenario for one in night.fixtures(number))
        assert sum(used.values()) == 6
        assert max(used.values()) - min(used[key] for key in pool) <= (
            0 if number == 1 else 2
        )
        for one in night.fixtures(number):
            for pk in one.ids:
                seen[pk][one.scenario] += 1
    # Nobody plays one scenario in all of three rounds while there are three.
    assert max(count for times in seen.values() for count in times.values()) <= 2


def test_running_league_offers_players_no_way_in_and_organisers_one() -> None:
    league = make_league(players=2, visibility="link")
    enter = reverse("event-enter", args=[league.token])
    stranger = make_person()
    assert f'href="{enter}"' in read(stranger, "event-entries", league.token)
    make_round(league)
    draw_round(league.ask(), 1)
    publish_round(league.ask(), 1)
    for page in (
        read(stranger, "event-read", league.token),
        read(stranger, "event-entries", league.token),
        read(stranger, "round-read", league.token, 1),
    ):
        assert f'href="{enter}"' not in page
    assert "Ask an organiser to add you" in read(stranger, "event-enter", league.token)
    assert 'name="warband"' in read(league.organiser, "event-enter", league.token)


def test_csv_of_standings_holds_every_figure_of_the_table(pair: League) -> None:
    (game,) = put_up(pair, 1, [("Ada", "Ben")])
    figures = {pair.entry("Ben").token: {"out": 4, "destroyed": 0}}
    report(pair, game, "Ada", by=pair.player("Ada"), figures=figures)
    client = browser_of(pair.organiser)
    text = client.get(reverse("event-export", args=[pair.token, "standings", "csv"]))
    rows = list(csv.DictReader(io.StringIO(text.content.decode().lstrip("\ufeff"))))
    ada = rows[0]
    assert (ada["name"], ada["points"], ada["provisional"]) == ("Ada", "3", "1")
    assert (ada["difference"], ada["form"]) == ("4", "won")
    ties = [name for name in ada if name not in ("name", "place")][-3:]
    assert len(ties) == len(make_draft().tie_breaks)
    data = client.get(reverse("event-export", args=[pair.token, "standings", "json"]))
    assert data.status_code == 200


def test_honours_name_no_leader_of_a_battle_nobody_recorded() -> None:
    league = make_league(players=2, with_warbands=True)
    (game,) = put_up(league, 1, [("Ada", "Ben")])
    report(league, game, "Ada")
    page = load_event_page(league.organiser, league.token)
    assert page
    assert page.honours == ()


def test_fewest_lost_counts_only_games_whose_casualties_were_reported(
    league: League,
) -> None:
    games = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    figures = {league.entry("Ada").token: {"out": 2}, league.entry("Ben").token: {"out": 5}}
    report(league, games[0], "Ada", figures=figures)
    report(league, games[1], "Cleo")  # without a word of what was lost
    page = load_event_page(league.organiser, league.token)
    assert page
    told = {one.key: (one.winners, one.why) for one in page.honours}
    assert told == {
        "most_put_out": ("Ada", "5 models"),
        "fewest_lost": ("Ada", "2 models in games whose casualties were reported"),
    }


def test_game_claims_no_casualties_where_nobody_counted(pair: League) -> None:
    (game,) = put_up(pair, 1, [("Ada", "Ben")])
    report(pair, game, "Ada")
    address = ("fixture-read", pair.token, game.token)
    assert "0 out" not in read(pair.organiser, *address)
    figures = {pair.entry("Ada").token: {"out": 0}, pair.entry("Ben").token: {"out": 5}}
    report(pair, game, "Ada", figures=figures, reason="Counted")
    shown = read(pair.organiser, *address)
    assert "Ada: 0 out" in shown
    assert "Ben: 5 out" in shown


def test_confirming_is_one_page_that_shows_what_is_confirmed(pair: League) -> None:
    (game,) = put_up(pair, 1, [("Ada", "Ben")])
    done = report(pair, game, "Ada", by=pair.player("Ada"))
    client = browser_of(pair.player("Ben"))
    address = reverse("battle-result", args=[done.battle, "confirm"])
    shown = " ".join(client.get(address).content.decode().split())
    assert 'name="go"' in shown
    assert "<b>Ada won, conceded</b>." in shown
    assert client.post(address, {"go": "1"}).status_code == 302
    game.refresh_from_db()
    assert game.status == "final"


@pytest.mark.parametrize("is_secret", [True, False])
def test_event_says_who_can_see_what_and_when(is_secret: bool) -> None:
    league = make_league(players=2, visibility="link", needs_list=True, is_secret=is_secret)
    make_round(league)
    shown = read(None, "event-read", league.token)
    assert "Who can see what" in shown
    assert "Anyone with the link" in shown
    assert ("players see their own, organisers see all" in shown) == is_secret
    if is_secret:
        from tests.campaigns.test_one_list import hand_in

        hand_in(league, "Ada")
        show_lists(league.ask(), 1)
        assert "Round 1: revealed on" in read(None, "event-read", league.token)


# The list to pin up says where everybody sits, by name and by table


def test_list_to_pin_up_is_by_name_and_by_table() -> None:
    league = make_league(players=5, visibility="link")
    put_up(league, 1, [("Dora", "Ben"), ("Cleo", "Ada"), ("Emil",)])
    first, second, _ = league.fixtures(1)
    type(first).objects.filter(pk=first.pk).update(table=2, scenario_name="The Quay")
    type(first).objects.filter(pk=second.pk).update(table=1)
    page = Client().get(reverse("round-seats", args=[league.token, 1])).content.decode()
    cells = [
        re.sub(r"<[^>]+>|\s+", " ", row).split()
        for row in re.findall(r"<tr>(.*?)</tr>", page, re.S)
    ]
    assert cells[1:6] == [
        ["Ada", "1", "Cleo"],
        ["Ben", "2", "Dora"],
        ["Cleo", "1", "Ada"],
        ["Dora", "2", "Ben"],
        ["Emil", "Bye", "–"],
    ]
    assert [row[0] for row in cells[7:]] == ["1", "2"]
    assert cells[8][-2:] == ["The", "Quay"]


def test_draft_is_not_pinned_up_by_players() -> None:
    league = make_league(players=2, visibility="link")
    put_up(league, 1, [("Ada", "Ben")])
    league.event.rounds.update(status="draft")
    page = Client().get(reverse("round-seats", args=[league.token, 1])).content.decode()
    assert "No pairings yet" in page
    assert "Ada" not in page


def test_slip_asks_how_it_was_won() -> None:
    slip = Slip(
        "League",
        ["Table 1"],
        [("Ada", ""), ("Ben", "")],
        "https://x.example/",
        endings=["Conceded", "Rout"],
    )
    html = slip_html(slip)
    assert "☐ Conceded" in html
    assert "☐ Rout" in html


def texts(pdf: bytes) -> list[str]:
    return [
        " ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages
    ]


def test_slips_of_a_round_come_four_to_a_page() -> None:
    league = make_league(players=11, visibility="link")
    names = [one.name for one in league.entries]
    put_up(league, 1, [*zip(names[:8:2], names[1:8:2], strict=True), tuple(names[8:11])])
    found = Client().get(reverse("round-slips", args=[league.token, 1]))
    pages = texts(found.content)
    assert [page.count("Result slip") for page in pages] == [4, 1]
    assert names[6] in pages[0]
    assert all(name in pages[1] for name in names[8:11])
    assert pages[0].count("How it was won") == 4
    league.event.rounds.update(status="draft")
    assert Client().get(reverse("round-slips", args=[league.token, 1])).status_code == 404


def test_sheets_of_the_evening_name_player_opponent_table_and_scenario() -> None:
    league = make_league(players=2, with_warbands=True)
    (game,) = put_up(
        league, 1, [("Ada", "Ben")], table=7, scenario="raid", scenario_name="The Quay"
    )
    for is_set_up in (False, True):
        if is_set_up:
            open_fixture(league.ask(), game.token)
        pack = load_pack(game.token, "https://x.example")
        assert pack
        first, *others = texts(pages_pdf(pack_documents(pack)))
        assert "Ada against Ben" in first
        assert "How it was won" in first
        sheets = [page for page in others if "Opponent" in page]
        for page, player, other in zip(sheets, ("Ada", "Ben"), ("Ben", "Ada"), strict=True):
            assert f"Opponent {other} Scenario The Quay Table 7 Date" in page
            assert player in page
