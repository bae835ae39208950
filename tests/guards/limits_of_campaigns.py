"""Limits of events: players, rounds, growth, charts and summaries."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from campaigns import charts as event_charts
from campaigns import exports
from campaigns.growth.operations import answers as growth_answers
from campaigns.growth.operations import results as growth_results
from campaigns.growth.operations import setup as growth_setup
from campaigns.models import Fixture
from campaigns.operations import desk, entries, event_terms, log, screens, seasons
from campaigns.operations.log import ChangeRequest
from campaigns.operations.messages import send_message
from campaigns.operations.rounds import RoundDraft, add_round
from campaigns.queries import chronicle, event_page, standings
from engine.growth import log as growth_log
from engine.growth.rules import CampaignRules
from engine.tournament.standings import standings as engine_standings
from engine.tournament.types import Entrant, Scoring
from rulesdata import campaign_documents as campaign_rules
from rulesdata import registry
from rulesdata.operations import campaign_rules as campaign_drafts
from rulesdata.operations import campaign_rules as own_rules
from tests.campaigns.leagues import make_entry as enter
from tests.campaigns.leagues import make_league
from tests.engine.growth import two_warbands
from tests.factories import SYSTEM, make_club, make_person
from tests.guards.limits import Row, names_of_so_many, takes


def _entries(size: int) -> bool:
    league = make_league(players=0)

    def call() -> None:
        for number in range(size):
            enter(event=league.event, organiser=league.organiser, name=f"Guest {number}")

    return takes("at most", call)


def _rounds(size: int) -> bool:
    league = make_league(players=0)
    return takes(
        "rounds. Create another",
        lambda: [
            add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
            for _ in range(size)
        ],
    )


def _messages(count: int) -> bool:
    league = make_league(players=1)

    def call() -> None:
        for _ in range(count):
            send_message(
                ChangeRequest(league.organiser, league.token), "all", "Bring dice."
            )

    return takes("messages a day", call)


def _play_off(place: int) -> bool:
    league = make_league(players=1)
    entry = league.entries[0].token
    return takes(
        "must be from 1 to",
        lambda: entries.change_entry(league.ask(), entry, play_off=place),
    )


def _player_score(score: int) -> bool:
    league = make_league(players=0, player_score_name="Painting")
    return takes(
        "must be a whole number from 0", lambda: desk.checked_score(league.event, score)
    )


def _season(words: str, **fields: Any) -> bool:
    league = make_league(players=0)
    draft = seasons.SeasonDraft("2026", **fields)
    return takes(
        words, lambda: seasons.create_season(league.organiser, league.club.slug, draft)
    )


def _seasons(size: int) -> bool:
    league, draft = make_league(players=0), seasons.SeasonDraft("2026")
    return takes(
        "at most",
        lambda: [
            seasons.create_season(league.organiser, league.club.slug, draft)
            for _ in range(size)
        ],
    )


def _clock(minutes: int) -> bool:
    request = make_league(players=0).ask()
    screens.step_screen(request, "on")
    return takes("must be", lambda: screens.step_screen(request, "start", minutes))


def _post(size: int) -> bool:
    event: Any = SimpleNamespace(name="League", token="a" * 16)
    rest = exports._fit_post(event, "results", [""])
    return "…" not in exports._fit_post(event, "results", ["n" * (size - len(rest))])


def _change(size: int) -> bool:
    name = "n" * (size - len(" from 1 to 2"))
    return log._change_words(name, 1, 2) != name


def _fixtures_to_come(size: int) -> bool:
    """Whether a summary names so many fixtures one by one."""
    record = SimpleNamespace(is_bye=False, status="open")
    fixture = SimpleNamespace(record=record, round=SimpleNamespace(is_shown=True))
    event = SimpleNamespace(name="League")
    schedule = SimpleNamespace(event=event, rounds=(), fixtures=[fixture] * size)
    files: Any = SimpleNamespace(schedule=schedule, standings=SimpleNamespace(rows=()))
    told = {
        "_facts": lambda files: (),
        "_planned": lambda fixture: "Ada, Ben",
        "_when": lambda fixture: 0,
    }
    with patch.multiple(exports, **told):
        return " more" not in exports.as_markdown(files)


def _rules_drafts(size: int) -> bool:
    owner = make_person()
    slug = make_club(owner=owner).slug

    def begin() -> None:
        for name in names_of_so_many(size):
            campaign_drafts.begin_draft(owner, slug, name=name, start="")

    return takes("at most", begin)


def _chart(entries: int, rounds: int) -> bool:
    """Whether a chart of these sizes is worked out at all."""
    standing = [SimpleNamespace(entry=None, standing=None)] * entries
    table: Any = SimpleNamespace(
        rows=standing, results=(), event=SimpleNamespace(scoring=None, tie_breaks=())
    )
    with (
        patch.object(standings, "rounds_met", lambda results: [1] * rounds),
        patch.object(standings, "position_by_round", side_effect=LookupError("worked out")),
    ):
        return not takes("worked out", lambda: standings.build_courses(table))


def _name_in_a_chart(size: int) -> bool:
    name = "n" * size
    course: Any = (SimpleNamespace(name=name, is_mine=False), (1,))
    return event_charts._draw_line(course, [(0, 0, 1, "A")])["label"].endswith(name)


def _tied_by_name(size: int) -> bool:
    """Whether so many who share a place are named one by one."""
    field = [Entrant(str(n), name) for n, name in enumerate(names_of_so_many(size))]
    lines = engine_standings(field, [], Scoring())
    return not standings.tie_sentences(lines)[-1].startswith("These")


def _climb(places: int) -> bool:
    """Whether it is told that somebody rose by so many places."""
    teller = chronicle._RoundWriter(None, (), None)
    teller.names, teller.places = {1: "Ada"}, {1: {1: 5 + places}, 2: {1: 5}}
    return teller._headline(2, ())[0] is not None


def _games_told(size: int) -> bool:
    teller = chronicle._RoundWriter(None, (), None)
    games: Any = [SimpleNamespace(status="final", is_bye=False)] * size
    with patch.object(chronicle._RoundWriter, "_describe", return_value="Ada beat Ben."):
        return "more battles" not in str(teller.write(1, games))


def _rules_document(size: int) -> bool:
    document = {"a": "x" * (size - len('{"a": ""}'))}
    return takes("is larger than", lambda: campaign_rules.check_document_size(document))


def _campaign_skills(size: int) -> bool:
    names = [{"id": f"s{number}", "name": "S"} for number in range(size)]
    document = {"skills": {"one": names[:100], "other": names[100:]}}
    return takes("is the most", lambda: campaign_rules.read_rules(document))


def _answers(dues: list[str], faces: tuple[int, ...] | None = None) -> bool:
    given = [growth_answers.GivenAnswer(due, faces) for due in dues]
    sentence = "whole numbers from 1" if faces else "answers at once"
    return takes(sentence, lambda: growth_answers.check_shape(given))


def _objectives(taken: dict[str, int]) -> bool:
    sentence = "n objective is taken" if "loot" in taken else "objectives, each named"
    return takes(sentence, lambda: growth_results.check_objectives(taken))


def _chosen_warriors(size: int) -> bool:
    game = cast(Fixture, SimpleNamespace(sides=[SimpleNamespace(token="a")]))
    choice = growth_results.FieldChoice(absent={"a": ("w1",) * size})
    # How many is asked before who may choose, so nobody has to.
    change: Any = None
    return takes("Name at most", lambda: growth_results.check_choice(change, game, choice))


def _growth_log(what: str, size: int) -> bool:
    entries: dict[str, Callable[[int], growth_log.LogEntry]] = {
        "warbands": lambda number: growth_log.Founding(f"b{number}", "x", ()),
        "battles": lambda number: growth_log.FixtureResult(f"f{number}", ()),
        "rows": lambda number: growth_log.TakeBack("b1", "due"),
    }
    log = growth_log.CampaignLog(cast(CampaignRules, None))
    log = log.with_entries(*map(entries[what], range(size)))
    sentence = {"warbands": "at most 32", "battles": "at most 400", "rows": "at most 20000"}
    return takes(sentence[what], lambda: growth_log.check_size(log))


def _long_log(acts: int, rows: int = 0) -> growth_log.CampaignLog:
    log = growth_log.CampaignLog(cast(CampaignRules, None))
    own = [growth_log.TakeBack("b1", "due")] * acts
    return log.with_entries(*own, *[growth_log.TakeBack("b2", "due")] * (rows - acts))


def _share(*, acts: int = 0, rows: int = 0) -> bool:
    return not growth_log.share_fault(_long_log(acts, rows), "b1")


def _retelling(times: int) -> bool:
    log = growth_log.CampaignLog(cast(CampaignRules, None))
    log = log.with_entries(*[growth_log.FixtureResult("f1", ())] * (times - 1))
    return not growth_log.retelling_fault(log, "f1")


def _thrown_again(times: int) -> bool:
    """Whether an injury that is always thrown again is asked for so often besides."""
    rows = [{"least": 1, "most": 5, "name": "Again", "effect": {"rethrow": True}}]
    rows += [{"least": 6, "most": 6, "name": "Over", "effect": {}}]
    tables = two_warbands.one_row({"table": "again"})["tables"]
    tables |= {"again": {"dice": "D6", "rows": rows}}
    log = two_warbands.begin(two_warbands.leader(), change={"tables": tables})
    out = two_warbands.result(out=two_warbands.out("w1"))
    key = "f1/injury/w1/again"
    dues = [key, *(f"{key}/again{number}" for number in range(1, times + 1))]
    thrown = [two_warbands.answer(due, 1) for due in dues[:-1]]
    injured = two_warbands.answer("f1/injury/w1", 1, 1)
    return dues[-1] in two_warbands.owed(two_warbands.play(log, out, injured, *thrown))


ROWS = (
    Row("SHOWN_MAX", 60, _change),
    Row(
        "SCENARIOS_MAX",
        50,
        lambda n: takes(
            "A pool holds",
            lambda: event_terms.checked_pool(
                make_person(), registry.load_system(SYSTEM), ["x"] * n
            ),
        ),
    ),
    Row("PLAY_OFF_MAX", 128, _play_off),
    Row("SCORE_MAX", 100_000, _player_score),
    Row("SEASONS_MAX", 50, _seasons, lowered=3),
    Row("SEASON_EVENTS_MAX", 24, lambda n: _season("must be", best=n)),
    Row("PLACES_MAX", 128, lambda n: _season("at most", place_points=(1,) * n)),
    Row("PLACE_POINTS_MAX", 1_000, lambda n: _season("must be", place_points=(n,))),
    Row("CLOCK_MAX", 600, _clock),
    Row("ENTRIES_MAX", 128, _entries, lowered=3),
    Row("ROUNDS_MAX", 60, _rounds, lowered=3),
    Row("DOCUMENT_MAX", 262_144, _rules_document),
    Row("SKILLS_MOST", 200, _campaign_skills),
    Row(
        "SETS_MAX",
        40,
        lambda n: takes("sets of campaign", lambda: own_rules.check_room(n, 1)),
    ),
    Row(
        "VERSIONS_MAX", 200, lambda n: takes("versions", lambda: own_rules.check_room(1, n))
    ),
    Row("ANSWERS_MAX", 60, lambda n: _answers([f"due-{one}" for one in range(n)])),
    Row("FACES_MOST", 9, lambda n: _answers(["due"], (1,) * n)),
    Row("LATE_MOST", 60, lambda n: takes("missed", lambda: growth_setup.check_late(n))),
    Row("CHOSEN_MOST", 200, _chosen_warriors),
    Row(
        "OUT_MOST",
        400,
        lambda n: takes(
            "at most", lambda: growth_results.check_reported([None] * n, "fates")
        ),
    ),
    Row(
        "OBJECTIVES_MOST", 20, lambda n: _objectives(dict.fromkeys(names_of_so_many(n), 1))
    ),
    Row("OBJECTIVE_MAX", 40, lambda n: _objectives({"o" * n: 1})),
    Row("TAKEN_MOST", 100, lambda n: _objectives({"loot": n})),
    Row("WARBANDS_MAX", 32, lambda n: _growth_log("warbands", n)),
    Row("FIXTURES_MAX", 400, lambda n: _growth_log("battles", n)),
    Row("LOG_ROWS_MAX", 20_000, lambda n: _growth_log("rows", n)),
    Row("PLAYERS_ROWS_MAX", 18_000, lambda n: _share(rows=n)),
    Row("RETHROWS_MOST", 20, _thrown_again),
    Row("ACTS_MOST", 300, lambda n: _share(acts=n)),
    Row("RESULTS_MOST", 40, _retelling),
    Row("NEXT_MOST", 20, _fixtures_to_come),
    Row("DRAFTS_MAX", 40, _rules_drafts, lowered=3),
    Row("ENTRIES_MOST", 12, lambda n: _chart(n, 2)),
    Row("NAME_MOST", 14, _name_in_a_chart),
    Row("CLIMB_LEAST", 2, _climb, is_least=True),
    Row("GAMES_MOST", 8, _games_told),
    Row(
        "NAMED_MOST",
        3,
        lambda n: "more" not in event_page._name_winners(names_of_so_many(n)),
    ),
    Row("NAMED_MOST", 4, _tied_by_name),
    Row("MESSAGES_MOST", 20, _messages),
    Row("POST_MAX", 2000, _post),
)
