"""Challenges of a campaign: asked, accepted, declined, taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from accounts.errors import NotAllowed, NotFound, Refusal
from campaigns.models import EventLog, Fixture, FixtureStatus
from campaigns.operations.challenges import answer_challenge, create_challenge
from campaigns.operations.entries import drop_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import publish_round
from campaigns.queries.fixtures import load_schedule
from campaigns.queries.pairing import build_challenges
from campaigns.queries.rounds import load_round
from notices.models import Notice
from tests.campaigns.leagues import League, make_campaign, make_league, make_round
from tests.factories import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """A campaign of three players and a guest whose first round is open."""
    league = make_campaign(players=3, guests=1)
    make_round(league)
    publish_round(league.ask(), 1)
    return league


def challenged(league: League, by: str = "Ada", to: str = "Ben") -> Fixture:
    token = create_challenge(league.by(by), league.entry(to).token)
    return Fixture.objects.select_related("one", "other", "asked_by").get(token=token)


def test_challenge_waits_until_it_is_accepted(league: League) -> None:
    row = challenged(league)
    assert (row.status, row.one.name, row.other and row.other.name) == (
        FixtureStatus.ASKED,
        "Ada",
        "Ben",
    )
    assert row.asked_by == row.one
    with pytest.raises(NotAllowed):
        answer_challenge(league.by("Ada"), row.token, "accept")
    with pytest.raises(NotAllowed):
        answer_challenge(league.ask(), row.token, "accept")
    answer_challenge(league.by("Ben"), row.token, "accept")
    row.refresh_from_db()
    assert row.status == FixtureStatus.OPEN
    with pytest.raises(Refusal, match="already answered"):
        answer_challenge(league.by("Ben"), row.token, "decline")
    with pytest.raises(Refusal, match="You already have a game with Ben"):
        challenged(league)


def test_asking_twice_is_asking_once_and_asking_back_accepts(league: League) -> None:
    row = challenged(league)
    assert challenged(league).token == row.token
    assert challenged(league, by="Ben", to="Ada").token == row.token
    row.refresh_from_db()
    assert (row.status, Fixture.objects.count()) == (FixtureStatus.OPEN, 1)


def test_each_step_of_a_challenge_is_told_to_the_other_player(league: League) -> None:
    ada, ben = (league.by(name) for name in ("Ada", "Ben"))
    Notice.objects.all().delete()
    first = challenged(league)
    answer_challenge(replace(ben, reason="Away"), first.token, "decline")
    answer_challenge(ada, challenged(league).token, "withdraw")
    answer_challenge(league.ask(), challenged(league).token, "withdraw")
    last = challenged(league)
    answer_challenge(ben, last.token, "accept")
    page = reverse("event-read", args=[league.token])
    asked = "Ada challenged you. Accept or decline the challenge."
    told = Notice.objects.order_by("pk").values_list("user__name", "words", "path")
    assert [(who, words.partition(": ")[2], path) for who, words, path in told] == [
        ("Ben", asked, f"{page}#challenges"),
        ("Ada", "Ben declined your challenge. Away.", f"{page}#challenges"),
        ("Ben", asked, f"{page}#challenges"),
        ("Ben", "The challenge of Ada was withdrawn.", f"{page}#challenges"),
        ("Ben", asked, f"{page}#challenges"),
        ("Ada", "An organiser withdrew your challenge of Ben.", f"{page}#challenges"),
        ("Ben", "The challenge of Ada was withdrawn.", f"{page}#challenges"),
        ("Ben", asked, f"{page}#challenges"),
        (
            "Ada",
            "Ben accepted your challenge. Play the game, then report the result.",
            reverse("fixture-read", args=[league.token, last.token]),
        ),
    ]


def test_declined_and_taken_back_leave_a_line_in_the_log(league: League) -> None:
    answer_challenge(league.by("Ben", reason="Away"), challenged(league).token, "decline")
    answer_challenge(league.by("Ada"), challenged(league).token, "withdraw")
    answer_challenge(league.ask(reason="Wrong round"), challenged(league).token, "withdraw")
    assert not Fixture.objects.exists()
    told = EventLog.objects.filter(
        event=league.event, verb__in=["decline", "withdraw"]
    ).order_by("pk")
    assert [(row.words, row.reason) for row in told] == [
        ("Ben declined the challenge of Ada.", "Away"),
        ("Ada withdrew the challenge of Ben.", ""),
        ("Ada withdrew the challenge of Ben.", "Wrong round"),
    ]


def test_organiser_answers_for_a_guest(league: League) -> None:
    row = challenged(league, to="Guest 1")
    answer_challenge(league.ask(), row.token, "accept")
    row.refresh_from_db()
    assert row.status == FixtureStatus.OPEN


def test_nobody_is_challenged_where_there_is_nothing_to_challenge(league: League) -> None:
    ada = league.player("Ada")
    with pytest.raises(Refusal, match="another player"):
        challenged(league, to="Ada")
    drop_entry(league.ask(), league.entry("Cleo").token)
    with pytest.raises(Refusal, match="Cleo dropped out"):
        challenged(league, to="Cleo")
    with pytest.raises(NotAllowed):
        create_challenge(league.ask(), league.entry("Ada").token)
    with pytest.raises(NotFound):
        create_challenge(
            ChangeRequest(make_person(), league.token), league.entry("Ada").token
        )
    with pytest.raises(NotFound):
        create_challenge(ChangeRequest(ada, league.token), "A1b2C3d4E5f6G7h8")
    quiet = make_campaign(players=2)
    with pytest.raises(Refusal, match="No round is open"):
        challenged(quiet)
    other = make_league(players=2)
    with pytest.raises(Refusal, match="are for campaigns"):
        challenged(other)


def test_challenge_is_for_the_latest_round_that_is_open(league: League) -> None:
    make_round(league)
    assert challenged(league).round.number == 1
    publish_round(league.ask(), 2)
    row = challenged(league)
    assert (row.round.number, row.position) == (2, 0)
    assert challenged(league, to="Cleo").position == 1


def test_page_offers_those_who_are_free_and_the_answers_that_are_ones_own(
    league: League,
) -> None:
    challenged(league)

    def seen(name: str) -> tuple[list[str], list[tuple[bool, bool]]]:
        found = build_challenges(load_schedule(league.player(name), league.token))
        assert found is not None
        return [name for _, name in found.others], [
            (may_answer, may_withdraw) for _, may_answer, may_withdraw in found.waiting
        ]

    assert seen("Ada") == (["Cleo", "Guest 1"], [(False, True)])
    assert seen("Ben") == (["Cleo", "Guest 1"], [(True, False)])
    assert seen("Cleo") == (["Ada", "Ben", "Guest 1"], [(False, False)])


@pytest.mark.parametrize("tables, missing", [(0, 0), (1, 1)])
def test_only_an_event_with_so_many_tables_misses_one(tables: int, missing: int) -> None:
    league = make_campaign(players=2, tables=tables)
    make_round(league)
    publish_round(league.ask(), 1)
    challenged(league)
    page = load_round(league.organiser, league.token, 1)
    assert page
    assert len(page.without_table) == missing
