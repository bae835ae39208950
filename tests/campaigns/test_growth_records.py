"""What is told of grown warbands elsewhere: standings, files, the summaries of rounds."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.owner import NOBODY, Owner
from campaigns.exports import GROWN
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.queries.figures import PHRASES_MOST, load_grown_standings
from campaigns.growth.queries.presenter import join_phrases
from campaigns.growth.queries.reports import load_growth
from campaigns.models import ClubEvent, Round
from campaigns.operations.rounds import close_round, reopen_round
from campaigns.queries.event_page import load_event_page
from campaigns.queries.events import load_event
from campaigns.queries.standings import StandingWarband
from tests.battles.pages import browser_of
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.leagues import League, make_entry, make_league
from tests.campaigns.test_growth import fought

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    """Ada beat Ben, whose engineer was killed; she claimed The Mill and recruited two."""
    made = make_growing(players=2)
    fixture = fought(made)
    answer_dues(
        made.asked, made.warbands["Ben"], [GivenAnswer(f"{fixture}/injury/w2", (1, 1))]
    )
    claim = GivenAnswer(f"{fixture}/claim", choice="The Mill")
    answer_dues(made.asked, made.warbands["Ada"], [claim])
    act = GivenAct("recruit", into="w3", count=2)
    take_act(made.asked, made.warbands["Ada"], act)
    return made


def load_file(campaign: Campaign, what: str, reader: str = "") -> list[dict[str, object]]:
    """The rows of a file as JSON, which hold what the CSV holds."""
    league = campaign.league
    client = browser_of(league.player(reader) if reader else league.organiser)
    answers = [
        client.get(reverse("event-export", args=[league.token, what, kind]))
        for kind in ("json", "csv")
    ]
    data: list[dict[str, object]] = json.loads(answers[0].content)[what]
    rows = list(csv.reader(io.StringIO(answers[1].content.decode())))
    assert [name.replace(" ", "_") for name in rows[0]] == [*data[0]]
    for row, told in zip(rows[1:], data, strict=True):
        assert [cell.removeprefix("'") for cell in row] == [
            "" if value is None else str(value) for value in told.values()
        ]
    return data


def join(campaign: Campaign, name: str) -> None:
    league = campaign.league
    make_entry(event=league.event, organiser=league.organiser, name=name)


def hide_rosters() -> None:
    ClubEvent.objects.update(is_secret=True, needs_list=True)


# Files


def test_the_file_of_warbands_has_a_row_for_each(campaign: Campaign) -> None:
    state = campaign.ledger.state.warbands
    ada, ben = load_file(campaign, "warbands")
    grown = state[campaign.warbands["Ada"]]
    assert ada == {
        "warband": "Ada",
        "player": "Ada",
        "rating": grown.rating,
        "models": 13,
        "experience": sum(one.experience for one in grown.warriors.values()),
        "battles": 1,
        "territories": "The Mill",
        "closed": "no",
        "at_the_close_of_round": None,
        "treasury_crowns": grown.treasury["crowns"],
        "treasury_renown": 3,
    }
    # The engineer is dead; the swordsman's injury is not rolled, so it counts as back.
    assert (ben["models"], ben["territories"]) == (10, "")


def test_the_file_of_warriors_tells_what_became_of_each(campaign: Campaign) -> None:
    band = campaign.warbands["Ada"]
    taught = GivenAct("adjust", who="w1", experience=4, reason="A gift.")
    take_act(campaign.asked, band, taught)
    answer_dues(campaign.asked, band, [GivenAnswer("advance/w1/1", (1,), "WS")])
    rows = load_file(campaign, "warriors")
    assert len(rows) == 8
    otto, ilse = rows[0], rows[5]
    assert (otto["name"], otto["kind"], otto["models"]) == ("Otto", "Hero", 1)
    assert (otto["advances"], otto["changed"], otto["state"]) == ("+1 WS", "WS 6", "there")
    assert (ilse["player"], ilse["name"], ilse["state"]) == ("Ben", "Ilse", "gone")


def test_files_of_warbands_are_those_of_growing_campaigns(campaign: Campaign) -> None:
    plain = make_league(players=2)
    for league, has_them in ((campaign.league, True), (plain, False)):
        client = browser_of(league.organiser)
        page = client.get(reverse("event-files", args=[league.token])).content.decode()
        for what in GROWN:
            address = reverse("event-export", args=[league.token, what, "csv"])
            assert (address in page) is has_them
            assert client.get(address).status_code == (200 if has_them else 404)


def test_a_secret_roster_is_in_no_file(campaign: Campaign) -> None:
    hide_rosters()
    assert len(load_file(campaign, "warriors")) == 8
    own = load_file(campaign, "warriors", "Ben")
    assert {row["player"] for row in own} == {"Ben"}
    ada, ben = load_file(campaign, "warbands", "Ben")
    assert {ada[key] for key in FIGURES} == {None}
    assert (ben["models"], ben["at_the_close_of_round"]) == (10, None)


FIGURES = ("rating", "models", "experience", "treasury_crowns", "treasury_renown")


def test_figures_of_a_secret_roster_are_those_of_the_last_close(campaign: Campaign) -> None:
    hide_rosters()
    ben, league = campaign.league.player("Ben"), campaign.league
    ClubEvent.objects.update(tie_breaks=["campaign_points"])

    def read(reader: Owner) -> tuple[StandingWarband | None, int | None]:
        table = load_grown_standings(reader, league.token)
        assert table
        row = next(row for row in table.rows if row.entry.name == "Ada")
        return row.warband, row.entry.campaign_points

    assert read(ben) == (None, None)
    before, points = read(league.organiser)
    assert before
    close_round(campaign.asked, 1)
    act = GivenAct("adjust", currency="renown", amount=5, reason="A gift.")
    take_act(campaign.asked, campaign.warbands["Ada"], act)
    assert read(ben) == (replace(before, closed_round=1), points)
    assert read(league.organiser)[1] == (points or 0) + 5
    ada, own = load_file(campaign, "warbands", "Ben")
    assert (ada["at_the_close_of_round"], own["at_the_close_of_round"]) == (1, None)
    assert (ada["treasury_renown"], ada["territories"]) == (points, "The Mill")
    # Reopening a round changes nothing of what was stored.
    reopen_round(campaign.asked, 1)
    assert read(ben) == (replace(before, closed_round=1), points)
    publish_revealed(campaign)
    assert read(ben) == read(league.organiser)


def publish_revealed(campaign: Campaign) -> None:
    Round.objects.filter(event=campaign.league.event).update(
        lists_published_at=timezone.now()
    )


@pytest.mark.parametrize("rounds, has_one_list, is_secret", [
    ([], False, True),
    ([("planned", False)], False, True),
    ([("planned", True)], False, False),
    ([("closed", True), ("published", False)], False, True),
    ([("closed", True), ("draft", False)], False, False),
    ([("closed", True), ("published", True)], False, False),
    ([("closed", True), ("published", False)], True, False),
    ([("published", False)], True, True),
])  # fmt: skip
def test_lists_are_secret_until_those_of_each_published_round_are_revealed(
    pair: League, rounds: list[tuple[str, bool]], has_one_list: bool, is_secret: bool
) -> None:
    league = pair
    ClubEvent.objects.filter(pk=league.event.pk).update(
        needs_list=True, has_one_list=has_one_list
    )
    for number, (status, is_revealed) in enumerate(rounds, start=1):
        Round.objects.create(
            event=league.event,
            number=number,
            status=status,
            lists_published_at=timezone.now() if is_revealed else None,
        )
    ada, other = (league.entry(name).token for name in ("Ada", "Ben"))
    event = load_event(league.player("Ada"), league.token)
    assert event
    assert (event.hides(other), event.hides(ada)) == (is_secret, False)
    runs = load_event(league.organiser, league.token)
    assert runs
    assert not runs.hides(other)
    for change in ({"needs_list": False}, {"needs_list": True, "is_secret": False}):
        ClubEvent.objects.update(**change)
        event = load_event(league.player("Ada"), league.token)
        assert event
        assert not event.hides(other)


def test_the_file_of_the_ledger_has_every_row_with_what_became_of_it(campaign):
    fixture = campaign.league.fixture(1, "Ben").token
    campaign.report(fixture, "", fates={"Ben": []})
    rows = load_file(campaign, "ledger")
    assert [row["position"] for row in rows] == [*range(1, campaign.ledger.position + 1)]
    assert rows[0]["entry"] == "Campaign rules: Muster campaign, version 1"
    assert rows[1]["entry"] == "Founded with 11 models"
    results = [row for row in rows if row["kind"] == "result"]
    assert [(row["entry"], row["state"]) for row in (results[0], results[-1])] == [
        ("Result of Ada against Ben: Ada won", "replaced by a later report"),
        ("Result of Ada against Ben: draw", ""),
    ]
    injury = next(row for row in rows if "Injury" in str(row["entry"]))
    assert (injury["player"], injury["state"]) == ("Ben", "no longer called for")
    assert (injury["typed"], injury["entry"]) == ("yes", "Injury of Ilse: 1, 1")


def test_the_ledger_of_a_secret_roster_is_in_no_file(campaign: Campaign) -> None:
    hide_rosters()
    everybody = {row["player"] for row in load_file(campaign, "ledger")}
    assert everybody == {"", "Ada", "Ben"}
    assert {row["player"] for row in load_file(campaign, "ledger", "Ben")} == {"", "Ben"}


# Standings


def test_standings_show_rating_renown_and_territories(campaign: Campaign) -> None:
    league = campaign.league
    state = campaign.ledger.state.warbands
    rating = state[campaign.warbands["Ada"]].rating
    table = load_grown_standings(league.organiser, league.token)
    assert table
    assert (table.currencies, table.territory_word) == (("renown",), "Territory")
    first = table.rows[0]
    assert first.entry.name == "Ada"
    assert first.warband
    assert (first.warband.rating, first.warband.money) == (rating, (3,))
    assert first.warband.territories == ("The Mill",)
    for name in ("event-read", "standings-read"):
        page = browser_of(league.organiser).get(reverse(name, args=[league.token]))
        text = page.content.decode()
        assert f"Rating {rating}" in text
        assert "Territory: The Mill" in text
    row = load_file(campaign, "standings")[0]
    assert [*row.items()][-4:-1] == [
        ("rating", rating),
        ("treasury_renown", 3),
        ("territories", "The Mill"),
    ]


def test_standings_show_treasuries_where_the_event_says_so(campaign: Campaign) -> None:
    league = campaign.league
    state = campaign.ledger.state.warbands[campaign.warbands["Ada"]]
    renown, crowns = state.treasury["renown"], state.treasury["crowns"]
    told = {}
    for shows in (False, True):
        ClubEvent.objects.update(shows_treasury=shows)
        table = load_grown_standings(league.organiser, league.token)
        assert table
        ada = next(row for row in table.rows if row.entry.name == "Ada")
        assert ada.warband
        told[shows] = dict(zip(table.currencies, ada.warband.money, strict=True))
    assert told == {False: {"renown": renown}, True: {"crowns": crowns, "renown": renown}}
    page = browser_of(league.organiser).get(reverse("standings-read", args=[league.token]))
    assert '<th class="wide2" scope="col">Crowns</th>' in page.content.decode()


def test_campaign_points_part_those_who_are_level(campaign: Campaign) -> None:
    league = campaign.league
    ClubEvent.objects.update(tie_breaks=["campaign_points"])
    # Both won one game: Ada holds 3 renown and a territory, Ben 1 of a loss and 2 of the win.
    gift = GivenAct("adjust", currency="renown", amount=2, reason="A gift.")
    take_act(campaign.asked, campaign.warbands["Ben"], gift)
    campaign.report(campaign.game("Ada", "Ben"), "Ben", fates={"Ben": [], "Ada": []})
    table = load_grown_standings(league.organiser, league.token)
    assert table
    first, second = table.rows
    assert first.standing.points == second.standing.points
    assert (first.entry.name, second.entry.name) == ("Ben", "Ada")
    assert table.tie_names == ("Campaign points",)
    assert [row.standing.ties for row in table.rows] == [("6",), ("4",)]
    assert "ahead of Ada on campaign points (6 to 4)" in second.explanation


def test_a_player_without_a_warband_has_a_line_all_the_same() -> None:
    campaign = make_growing(players=2)
    state = campaign.ledger.state.warbands
    join(campaign, "Cleo")
    rows = {row["name"]: row for row in load_file(campaign, "standings")}
    assert rows["Ada"]["rating"] == state[campaign.warbands["Ada"]].rating
    assert (rows["Cleo"]["rating"], rows["Cleo"]["treasury_renown"]) == ("", "")


def test_the_api_tells_warbands_beside_the_points(campaign: Campaign) -> None:
    for league, is_grown in ((campaign.league, True), (make_league(players=2), False)):
        address = reverse("api-event-standings", args=[league.token])
        rows = browser_of(league.organiser).get(address).json()["results"]
        told = [row["warband"] for row in rows]
        assert bool(told[0]) is is_grown
        if is_grown:
            assert told[0]["territories"] == ["The Mill"]
            assert told[1]["territories"] == []


def test_more_warbands_need_no_more_queries(campaign: Campaign) -> None:
    league = campaign.league
    counts = []
    for name in ("Cleo", "Dora"):
        with CaptureQueriesContext(connection) as asked:
            load_grown_standings(league.organiser, league.token)
        with CaptureQueriesContext(connection) as read:
            load_event_page(league.organiser, league.token)
        counts.append((len(asked), len(read)))
        join(campaign, name)
        campaign.found(name)
    assert counts[0] == counts[1]


# Summaries of rounds


def told(campaign: Campaign, reader: Owner) -> dict[str, str]:
    """What the summary of round 1 tells of each warband."""
    page = load_event_page(reader, campaign.league.token)
    assert page
    [chapter] = page.chapters
    return {
        one.strong.removesuffix(":"): one.text
        for one in chapter.paragraphs
        if one.strong.endswith(":")
    }


def test_the_summary_of_a_round_tells_what_befell_warbands(campaign: Campaign) -> None:
    said = told(campaign, campaign.league.organiser)
    assert said == {
        "Ada": "claims The Mill; recruits 2 more for Swordsmen.",
        "Ben": "loses Ilse (Killed).",
    }


def test_the_summary_follows_a_correction(campaign: Campaign) -> None:
    fixture = campaign.league.fixture(1, "Ada").token
    campaign.report(fixture, "Ben", fates={"Ben": []})
    said = told(campaign, campaign.league.organiser)
    assert said == {"Ada": "recruits 2 more for Swordsmen."}


def test_a_secret_unit_is_in_no_summary(campaign: Campaign) -> None:
    hide_rosters()
    ada, ben = (campaign.league.player(name) for name in ("Ada", "Ben"))
    assert told(campaign, ada) == {"Ada": "claims The Mill; recruits 2 more for Swordsmen."}
    assert told(campaign, ben) == {"Ben": "loses Ilse (Killed)."}


@pytest.mark.parametrize("over", [0, 1])
def test_a_long_story_is_cut(over: int) -> None:
    words = join_phrases(["disbands"] * (PHRASES_MOST + over), PHRASES_MOST)
    assert words.count("disbands") == PHRASES_MOST
    assert words.endswith("; 1 more.") is bool(over)


def test_secret_rosters_are_read_by_their_own_and_by_organisers_alone(campaign):
    act = GivenAct("adjust", currency="crowns", amount=5, reason="A gift.")
    take_act(campaign.asked, campaign.warbands["Ada"], act)
    ClubEvent.objects.update(is_secret=True, needs_list=True)
    hers = campaign.warbands["Ada"]
    found = {}
    for name, actor in (
        ("own", campaign.league.player("Ada")),
        ("other", campaign.league.player("Ben")),
        ("organiser", campaign.league.organiser),
    ):
        report = load_growth(actor, campaign.league.token)
        row = report.find(hers)
        rows = report.ledger_rows(row)
        assert ("A gift." in {one.reason for one in rows}) is (name != "other")
        told = (
            report.warband_json(row)["warriors"],
            [one.payload for one in rows if one.payload],
        )
        choices = [one["choices"] for one in report.dues(warband=hers) if one["choices"]]
        found[name] = [bool(one) for one in (*told, choices)]
    assert found["own"] == found["organiser"]
    assert found["own"][:2] == [True, True]
    assert found["other"] == [False, False, False]
    Round.objects.update(lists_published_at=timezone.now())
    report = load_growth(campaign.league.player("Ben"), campaign.league.token)
    assert report.warband_json(report.find(hers))["warriors"]


def test_strangers_read_no_reasons_in_a_ledger(campaign: Campaign) -> None:
    act = GivenAct("adjust", currency="crowns", amount=5, reason="A gift.")
    take_act(campaign.asked, campaign.warbands["Ada"], act)
    ClubEvent.objects.update(visibility="public")
    report = load_growth(NOBODY, campaign.league.token)
    rows = report.ledger_rows(report.find(campaign.warbands["Ada"]))
    assert {one.reason for one in rows} == {""}
