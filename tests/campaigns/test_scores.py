"""Points scored of sides and scores of players: reported, corrected, undone, limited, counted; games
of three decided and counted; rounds missed.
"""

import pytest
from django.urls import reverse

from accounts.errors import NotAllowed, Refusal
from battles.access import BattleCall
from battles.models import ResultVerb
from battles.operations.results import take_step
from battles.result_rules import Claim
from campaigns.models import SCORE_MAX, ClubEvent, Entry, EventLog
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.desk import score_players
from campaigns.operations.entries import change_entry
from campaigns.queries.pairing import load_players
from campaigns.queries.standings import load_standings, preview_decision
from engine.tournament.types import Standing
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import fresh, put_up, report

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_scored(module_rows: None) -> League:
    names = {"score_name": "Victory points", "player_score_name": "Painting"}
    return make_league(players=5, score_max=20, **names)


@pytest.fixture
def scored(kept_scored: League, db: None) -> League:
    kept_scored.fresh()
    return kept_scored


def lines(league: League) -> dict[str, Standing]:
    table = load_standings(league.organiser, league.token)
    assert table is not None
    return {row.entry.name: row.standing for row in table.rows}


def points(league: League, **scores: int | None) -> dict[str, dict[str, int | None]]:
    return {league.entry(name).token: {"score": score} for name, score in scores.items()}


def test_score_follows_report_correction_and_undo(scored: League) -> None:
    (game,) = put_up(scored, 1, [("Ada", "Ben")])
    done = report(scored, game, "Ada", figures=points(scored, Ada=12, Ben=20))
    assert (fresh(game).score_one, fresh(game).score_other) == (12, 20)
    assert (lines(scored)["Ada"].score, lines(scored)["Ben"].score) == (12, 20)
    report(scored, game, "Ben", figures=points(scored, Ada=0), reason="Swapped.")
    assert (fresh(game).score_one, fresh(game).score_other) == (0, 20)
    call = BattleCall(scored.organiser, done.battle)
    take_step(call, ResultVerb.UNDO, Claim(reason="It was right."))
    assert (fresh(game).score_one, fresh(game).score_other) == (12, 20)
    assert lines(scored)["Ada"].score == 12


def test_score_has_a_limit_and_needs_a_name(scored: League) -> None:
    (game,) = put_up(scored, 1, [("Ada", "Ben")])
    for score in (-1, 21):
        with pytest.raises(
            Refusal, match=r"Victory points of Ada .* from 0 to 20"
        ) as refused:
            report(scored, game, "Ada", figures=points(scored, Ada=score))
        assert refused.value.field == "score_a"
    ClubEvent.objects.filter(pk=scored.event.pk).update(score_max=None)
    with pytest.raises(Refusal, match="from 0 to 100,000"):
        report(scored, game, "Ada", figures=points(scored, Ada=SCORE_MAX + 1))
    report(scored, game, "Ada", figures=points(scored, Ada=SCORE_MAX, Ben=None))
    assert (fresh(game).score_one, fresh(game).score_other) == (SCORE_MAX, None)
    ClubEvent.objects.filter(pk=scored.event.pk).update(score_name="")
    with pytest.raises(Refusal, match="figures are out and destroyed"):
        report(scored, game, "Ada", figures=points(scored, Ada=1), reason="Oh.")


def test_grid_and_form_ask_for_the_score(scored: League) -> None:
    game, other = put_up(scored, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    browser = browser_of(scored.organiser)
    token, ada = game.token, scored.entry("Ada").token
    address = reverse("round-results", args=[scored.token, 1])
    row = {"seen": game.version, "winner": ada, "score_a": 20, "score_b": 3}
    browser.post(address, {f"{token}-{name}": value for name, value in row.items()})
    assert (fresh(game).score_one, fresh(game).score_other) == (20, 3)
    assert "Victory points: Ada 20" in browser.get(address).content.decode()
    form = reverse("fixture-result", args=[scored.token, other.token])
    sent = {"winner": scored.entry("Dora").token, "how": "", "seen": other.version}
    answer = browser.post(form, {**sent, "score_a": 21})
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"score_a"}
    browser.post(form, {**sent, "score_a": 0})
    assert (fresh(other).score_one, fresh(other).score_other) == (0, None)


def test_organiser_scores_all_players_on_one_page(scored: League) -> None:
    browser, address = (
        browser_of(scored.organiser),
        reverse("event-scores", args=[scored.token]),
    )
    assert browser.get(address).status_code == 200
    ada, ben = scored.entry("Ada").token, scored.entry("Ben").token
    # What the page showed and was left alone is not written over what came in between.
    Entry.objects.filter(token=ben).update(player_score=5)
    browser.post(address, {ada: 8, f"initial-{ada}": "", ben: "", f"initial-{ben}": ""})
    assert [scored.entry(name).player_score for name in ("Ada", "Ben")] == [8, 5]
    line = EventLog.objects.filter(event=scored.event).first()
    assert line is not None
    assert (line.words, line.changes) == ("Painting: scores of 1 player.", {ada: [None, 8]})
    answer = browser.post(address, {ada: SCORE_MAX + 1, f"initial-{ada}": 8})
    assert (answer.status_code, list(answer.context["form"].errors)) == (422, [ada])
    ClubEvent.objects.filter(pk=scored.event.pk).update(player_score_name="")
    assert browser.get(address).status_code == 404
    with pytest.raises(Refusal, match="counts no score of players"):
        score_players(scored.ask(), {ada: 1})


def test_only_organisers_score_players(scored: League) -> None:
    ada = scored.entry("Ada").token
    with pytest.raises(NotAllowed):
        score_players(scored.by("Ada"), {ada: 1})
    with pytest.raises(NotAllowed):
        change_entry(scored.by("Ada"), ada, player_score=1)


def test_three_player_game_counts_what_each_side_knows(scored: League) -> None:
    (game,) = put_up(scored, 1, [("Ada", "Ben", "Cleo")])
    figures = {
        scored.entry(name).token: {"out": out, "destroyed": 10 * out, "score": out}
        for name, out in (("Ada", 1), ("Ben", 2), ("Cleo", 3))
    }
    report(scored, game, "Ben", figures=figures)
    cleo = lines(scored)["Cleo"]
    assert (cleo.models_lost, cleo.points_destroyed, cleo.score) == (3, 30, 3)
    assert (cleo.put_out, cleo.difference) == (0, 0)


def test_three_player_game_is_decided_without_a_game(scored: League) -> None:
    (game,) = put_up(scored, 1, [("Ada", "Ben", "Cleo")])
    report(scored, game, "Ada", figures=points(scored, Ada=4))
    cleo = scored.entry("Cleo").token
    more = {"decision": "walkover", "decided_for": cleo}
    moved = preview_decision(scored.organiser, scored.token, game.token, **more)
    decide_fixture(scored.ask(reason="Two left."), game.token, **more)
    table = lines(scored)
    assert [table[name].points for name in ("Ada", "Ben", "Cleo")] == [0, 0, 3]
    assert (table["Ada"].lost, table["Ada"].score) == (1, 0)
    assert {(change.name, change.points_after) for change in moved.changes} == {
        ("Ada", 0),
        ("Cleo", 3),
    }
    decide_fixture(scored.ask(reason="Nobody came."), game.token, decision="unplayed")
    assert [lines(scored)[name].unplayed for name in ("Ada", "Ben", "Cleo")] == [1, 1, 1]
    decide_fixture(scored.ask(reason="They did."), game.token, decision="")
    assert lines(scored)["Ada"].score == 4
    page = browser_of(scored.organiser).get(
        reverse("fixture-decide", args=[scored.token, game.token])
    )
    assert len(page.context["form"].fields["decision"].choices) == 4


def test_missed_rounds_are_worth_nothing_or_a_draw_each(scored: League) -> None:
    put_up(scored, 1, [("Ada", "Ben")])
    put_up(scored, 2, [("Ada", "Ben")])
    Entry.objects.filter(event=scored.event, name="Cleo").update(joined=3)
    entries = list(Entry.objects.filter(event=scored.event))
    for rule, worth in (("nothing", 0), ("draw", 2)):
        ClubEvent.objects.filter(pk=scored.event.pk).update(missed_round=rule)
        assert lines(scored)["Cleo"].points == worth
        assert lines(scored)["Dora"].points == 0
        players = load_players(scored.fresh(), 3, entries)
        assert [player.score for player in players] == [0, 0, worth, 0, 0]
