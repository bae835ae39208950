"""What the state of an event, a round or a game does not allow is refused and changes nothing, and
neither does a change to what is so already.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import Refusal
from campaigns.models import (
    ClubEvent,
    Entry,
    EventLog,
    EventStatus,
    Fixture,
    FixtureStatus,
    ListLock,
    Presence,
    Round,
    RoundStatus,
    Waiver,
)
from campaigns.operations import (
    challenges,
    decisions,
    entries,
    events,
    fixtures,
    pairing,
    results,
    round_lists,
    rounds,
)
from notices.models import Notice
from tests.campaigns.leagues import League, make_campaign, make_league
from tests.campaigns.results import put_up
from tests.factories import make_legal_warband
from warbands.models import Warband

pytestmark = pytest.mark.django_db

PAIRS = [("Ada", "Ben"), ("Cleo", "Dora")]
TABLES = (ClubEvent, Entry, Round, Fixture, ListLock, Presence, Waiver, EventLog, Notice)
Do = Callable[[], object]


def token(league: League, name: str) -> str:
    return league.entry(name).token


def is_now(league: League, status: str, number: int = 1) -> None:
    Round.objects.filter(event=league.event, number=number).update(status=status)


def is_archived(league: League) -> None:
    ClubEvent.objects.filter(pk=league.event.pk).update(archived_at=timezone.now())


def is_finished(league: League) -> None:
    ClubEvent.objects.filter(pk=league.event.pk).update(status=EventStatus.FINISHED)


def stored() -> list[Any]:
    return [list(model._default_manager.order_by("pk").values()) for model in TABLES]


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """A league of four, of whom two pairs meet in the first round, which is published."""
    league = make_league(players=4, guests=1, rounds_planned=2)
    put_up(league, 1, PAIRS)
    return league


@pytest.fixture(scope="module")
def kept_winter(module_rows: None) -> League:
    """A campaign in whose first round two pairs meet."""
    campaign = make_campaign(players=4)
    put_up(campaign, 1, PAIRS)
    return campaign


@pytest.fixture
def winter(kept_winter: League, db: None) -> League:
    return deepcopy(kept_winter)


# In a round that is over, or not so far


def new_game(names: tuple[str, ...], **fields: Any) -> Callable[[League], Do]:
    def make(league: League) -> Do:
        tokens = tuple(token(league, name) for name in names)
        draft = fixtures.FixtureDraft(entries=tokens, **fields)
        return lambda: fixtures.add_fixture(league.ask(), 1, draft)

    return make


def swap(one: str, other: str) -> Callable[[League], Do]:
    return lambda league: (
        lambda: fixtures.swap_entries(
            league.ask(reason="Late"), 1, token(league, one), token(league, other)
        )
    )


def decide(decision: str, winner: str = "") -> Callable[[League], Do]:
    def make(league: League) -> Do:
        game, won = league.fixtures(1)[0].token, token(league, winner) if winner else ""
        return lambda: decisions.decide_fixture(
            league.ask(reason="Nobody came"), game, decision=decision, decided_for=won
        )

    return make


ROUND: list[tuple[str, Callable[[League], Do], str, str]] = [
    ("closed", new_game(("Ada", "Cleo")), "status", "then add a game"),
    ("closed", swap("Ada", "Cleo"), "status", "then swap"),
    (
        "closed",
        lambda one: lambda: rounds.set_present(one.ask(), 1, {token(one, "Ada"): True}),
        "status",
        "then tick who is here",
    ),
    (
        "closed",
        lambda one: lambda: rounds.check_in(one.by("Ada"), 1),
        "status",
        "then tick who is here",
    ),
    (
        "closed",
        lambda one: lambda: round_lists.unlock_list(one.ask(), 1, token(one, "Ada")),
        "round",
        "Reopen it first",
    ),
    ("closed", lambda one: lambda: pairing.pair_late(one.ask(), 1), "status", "closed"),
    ("closed", lambda one: lambda: rounds.close_round(one.ask(), 1), "status", "already"),
    ("planned", lambda one: lambda: pairing.pair_late(one.ask(), 1), "status", "Pair all"),
    ("draft", lambda one: lambda: pairing.pair_late(one.ask(), 1), "status", "Pair all"),
    (
        "planned",
        lambda one: lambda: rounds.withdraw_round(one.ask(), 1),
        "status",
        "paired",
    ),
    (
        "published",
        lambda one: lambda: rounds.remove_round(one.ask(), 1),
        "status",
        "Unpublish",
    ),
    (
        "closed",
        lambda one: lambda: rounds.remove_round(one.ask(), 1),
        "status",
        "Unpublish",
    ),
    (
        "published",
        lambda one: lambda: rounds.publish_round(one.ask(), 1),
        "status",
        "already",
    ),
    ("draft", decide("unplayed"), "decision", "Change the draft"),
]


@pytest.mark.parametrize("status, make, field, words", ROUND)
def test_round_refuses_what_does_not_go_with_its_state(league, status, make, field, words):
    is_now(league, status)
    check_refused(make(league), field, words)


def check_refused(do: Do, field: str, words: str) -> None:
    before = stored()
    with pytest.raises(Refusal, match=words) as refused:
        do()
    assert refused.value.field == field
    assert stored() == before


def test_round_with_lists_stays(league: League) -> None:
    is_now(league, RoundStatus.DRAFT)
    ListLock.objects.create(round=league.round(1), entry=league.entry("Ada"))
    check_refused(
        lambda: rounds.remove_round(league.ask(), 1), "number", "have handed in lists"
    )


def test_who_dropped_out_says_nothing_of_being_here(league: League) -> None:
    Entry.objects.filter(pk=league.entry("Ada").pk).update(status="dropped")
    check_refused(
        lambda: rounds.check_in(league.by("Ada"), 1), "entries", "Ada dropped out"
    )


@pytest.mark.parametrize("method", ["robin", "challenge"])
def test_who_comes_late_is_paired_by_hand_in_a_schedule(method: str) -> None:
    league = make_campaign(players=4, method=method)
    put_up(league, 1, PAIRS)
    check_refused(
        lambda: pairing.pair_late(league.ask(), 1),
        "method",
        "cannot be paired automatically",
    )


# Games


def test_decisions_are_of_a_kind_and_for_one_who_plays(league: League) -> None:
    for decision, winner, field, words in (
        ("lost", "", "decision", "unplayed or walkover|walkover or unplayed"),
        ("walkover", "", "decided_for", "one of the players"),
        ("walkover", "Cleo", "decided_for", "one of the players"),
    ):
        check_refused(decide(decision, winner)(league), field, words)
    game = league.fixtures(1)[0].token
    check_refused(
        lambda: decisions.decide_fixture(league.ask(reason="Oh"), game, decision=""),
        "decision",
        "no decision on this game to reverse",
    )
    Fixture.objects.filter(token=game).update(status=FixtureStatus.ASKED)
    check_refused(decide("unplayed")(league), "decision", "Withdraw it")
    check_refused(
        lambda: results.open_fixture(league.ask(), game), "status", "Wait for the answer"
    )


def test_swap_needs_one_game_of_each(league: League) -> None:
    Fixture.objects.filter(token=league.fixture(1, "Cleo").token).delete()
    check_refused(swap("Cleo", "Dora")(league), "other", "Neither Cleo nor Dora")
    put_up(league, 1, [("Ada", "Cleo"), ("Ada", "Dora")])
    check_refused(swap("Ada", "Guest 1")(league), "other", "several games")
    check_refused(swap("Ada", "Ben")(league), "other", "play each other")
    check_refused(swap("Ada", "Ada")(league), "other", "two different")


def test_who_sits_out_needs_neither_table_nor_scenario_nor_attack(league: League) -> None:
    (bye,) = put_up(league, 2, [("Ada",)])
    for field, draft in (
        ("table", fixtures.FixtureDraft(table=1)),
        ("scenario", fixtures.FixtureDraft(scenario="border-skirmish")),
        ("attacker", fixtures.FixtureDraft(attacker=token(league, "Ada"))),
    ):
        check_refused(
            lambda said=draft: fixtures.change_fixture(league.ask(), bye.token, said),
            field,
            "A bye has|one of the two players",
        )


# Events that are over or put away


OVER: dict[str, Callable[[League], object]] = {
    "add_round": lambda one: rounds.add_round(one.ask(), rounds.RoundDraft()),
    "publish_round": lambda one: rounds.publish_round(one.ask(), 1),
    "draw_round": lambda one: pairing.draw_round(one.ask(), 1),
    "pair_late": lambda one: pairing.pair_late(one.ask(), 1),
    "add_fixture": lambda one: new_game(("Ada", "Cleo"), is_friendly=True)(one)(),
    "set_present": lambda one: rounds.set_present(one.ask(), 1, {token(one, "Ada"): True}),
    "check_in": lambda one: rounds.check_in(one.by("Ada"), 1),
    "add_guest": lambda one: rounds.add_guest(one.ask(), 1, "Eve"),
    "add_entry": lambda one: entries.add_entry(one.ask(), name="Eve"),
    "create_challenge": lambda one: challenges.create_challenge(
        one.by("Ada"), token(one, "Cleo")
    ),
}


@pytest.mark.parametrize("put_away", [is_archived, is_finished])
@pytest.mark.parametrize("what", OVER)
def test_event_that_is_over_takes_nothing_more(winter, what, put_away):
    put_away(winter)
    before = stored()
    with pytest.raises(Refusal, match=r"archive|finished|over|closed"):
        OVER[what](winter)
    assert stored() == before


def test_who_dropped_out_comes_back_only_while_it_goes_on(league: League) -> None:
    entries.drop_entry(league.ask(), token(league, "Ada"))
    is_finished(league)
    check_refused(
        lambda: entries.rejoin_entry(league.ask(), token(league, "Ada")),
        "status",
        "finished",
    )


def test_warband_that_is_put_away_is_not_brought(league: League) -> None:
    ada = league.player("Ada")
    warband = make_legal_warband(actor=ada)
    Warband.objects.filter(pk=warband.pk).update(archived_at=timezone.now())
    check_refused(
        lambda: entries.change_entry(
            league.by("Ada"), token(league, "Ada"), warband=warband.token
        ),
        "warband",
        "is archived",
    )


def test_guideline_is_waived_once(league: League) -> None:
    do = lambda: round_lists.waive(  # noqa: E731
        league.ask(reason="New here"), token(league, "Ada"), "leader.missing"
    )
    do()
    check_refused(do, "code", "already waived for Ada")


# What is so already


def shown_list(league: League) -> None:
    """A list of Ada's that organisers have shown to everybody."""
    warband = make_legal_warband(actor=league.player("Ada"))
    round_lists.hand_in_list(league.by("Ada"), 1, warband.token)
    round_lists.show_lists(league.ask(), 1)


TWICE: dict[str, Callable[[League], object]] = {
    "archive_event": lambda one: events.settle_event(one.ask(), "archive"),
    "finish_event": lambda one: events.settle_event(one.ask(), "finish"),
    "drop_entry": lambda one: entries.drop_entry(one.ask(), token(one, "Ada")),
    "rejoin_entry": lambda one: entries.rejoin_entry(one.ask(), token(one, "Ada")),
    "change_entry": lambda one: entries.change_entry(
        one.ask(), token(one, "Ada"), name=one.entries[0].name, play_off=1
    ),
    "check_in": lambda one: rounds.check_in(one.by("Ada"), 1),
    "change_round": lambda one: rounds.change_round(
        one.ask(), 1, rounds.RoundDraft(name="First", points_limit=150)
    ),
    "change_fixture": lambda one: fixtures.change_fixture(
        one.ask(), one.fixtures(1)[0].token, fixtures.FixtureDraft(table=3, is_kept=True)
    ),
    "decide_fixture": lambda one: decide("unplayed")(one)(),
    "unlock_list": lambda one: round_lists.unlock_list(one.ask(), 1, token(one, "Ada")),
    "publish_lists": lambda one: round_lists.show_lists(one.ask(), 1),
    "withdraw_lists": lambda one: round_lists.show_lists(one.ask(), 1, is_shown=False),
}


@pytest.mark.parametrize("what", TWICE)
def test_change_to_what_is_so_already_writes_nothing(league: League, what: str) -> None:
    shown_list(league)
    if what == "publish_lists":
        round_lists.show_lists(league.ask(), 1, is_shown=False)
    untouched = stored()
    TWICE[what](league)
    before = stored()
    assert (before == untouched) == (what == "rejoin_entry")
    TWICE[what](league)
    assert stored() == before


def test_open_event_is_neither_opened_nor_taken_out(league: League) -> None:
    before = stored()
    events.settle_event(league.ask(), "reopen")
    events.settle_event(league.ask(), "restore")
    assert stored() == before


# Each change


def planned(league: League) -> None:
    rounds.add_round(league.ask(), rounds.RoundDraft())


def drawn(league: League) -> None:
    planned(league)
    pairing.draw_round(league.ask(), 2)


def waived(league: League) -> None:
    round_lists.waive(league.ask(reason="New"), token(league, "Ada"), "leader.missing")


Change = Callable[[League], object]
CHANGES: dict[str, tuple[Change, Change]] = {
    "add": (bool, lambda one: entries.add_entry(one.ask(), name="Eve")),
    "add_fixture": (drawn, lambda one: new_game(("Ada", "Dora"), is_friendly=True)(one)()),
    "add_round": (bool, planned),
    "archive": (bool, TWICE["archive_event"]),
    "change_entry": (bool, TWICE["change_entry"]),
    "change_fixture": (bool, TWICE["change_fixture"]),
    "change_round": (bool, TWICE["change_round"]),
    "close": (
        lambda one: Fixture.objects.update(is_friendly=True),
        lambda one: rounds.close_round(one.ask(), 1),
    ),
    "decide": (bool, TWICE["decide_fixture"]),
    "draw": (planned, lambda one: pairing.draw_round(one.ask(), 2)),
    "drop": (bool, TWICE["drop_entry"]),
    "finish": (bool, TWICE["finish_event"]),
    "publish": (drawn, lambda one: rounds.publish_round(one.ask(), 2)),
    "publish_lists": (
        lambda one: (shown_list(one), round_lists.show_lists(one.ask(), 1, is_shown=False)),
        TWICE["publish_lists"],
    ),
    "rejoin": (TWICE["drop_entry"], TWICE["rejoin_entry"]),
    "remove_fixture": (
        bool,
        lambda one: fixtures.remove_fixture(
            one.ask(reason="Twice"), one.fixtures(1)[1].token
        ),
    ),
    "remove_round": (planned, lambda one: rounds.remove_round(one.ask(), 2)),
    "reopen": (is_finished, lambda one: events.settle_event(one.ask(), "reopen")),
    "reopen_round": (
        lambda one: is_now(one, RoundStatus.CLOSED),
        lambda one: rounds.reopen_round(one.ask(), 1),
    ),
    "restore": (is_archived, lambda one: events.settle_event(one.ask(), "restore")),
    "revoke_waiver": (
        waived,
        lambda one: round_lists.revoke_waiver(
            one.ask(), token(one, "Ada"), "leader.missing"
        ),
    ),
    "swap": (bool, lambda one: swap("Ada", "Cleo")(one)()),
    "waive": (bool, waived),
    "withdraw": (drawn, lambda one: rounds.withdraw_round(one.ask(), 2)),
    "withdraw_lists": (shown_list, TWICE["withdraw_lists"]),
}


@pytest.mark.parametrize("verb", CHANGES)
def test_change_raises_the_version_and_says_who_made_it(league: League, verb: str) -> None:
    prepare, change = CHANGES[verb]
    prepare(league)
    version, lines = league.fresh().version, EventLog.objects.count()
    change(league)
    line = league.event.log.order_by("pk").last()
    assert line is not None
    assert (line.verb, line.author_id) == (verb, league.organiser.user_id)
    assert line.words.endswith(".")
    assert (league.fresh().version, EventLog.objects.count()) == (version + 1, lines + 1)
