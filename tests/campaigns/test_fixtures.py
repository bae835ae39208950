"""Single games: changed, swapped, added, removed; reasons where players have seen them; two
organisers at once.
"""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.errors import NotAllowed, Refusal, Stale
from campaigns.models import EventLog, Fixture
from campaigns.operations.entries import drop_entry
from campaigns.operations.fixtures import (
    FixtureDraft,
    add_fixture,
    change_fixture,
    remove_fixture,
    swap_entries,
)
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture
from campaigns.operations.rounds import (
    RoundDraft,
    add_round,
    close_round,
    publish_round,
    set_present,
)
from tests.campaigns.leagues import League, make_league, make_night, names_in

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """A Swiss league of five in its first round, not published."""
    league = make_league(players=5, tables=4)
    draw_round(league.ask(), add_round(league.ask(), RoundDraft()), seed="s")
    return league


def publish(league: League) -> League:
    publish_round(league.ask(), 1)
    return league


def pairs(league: League) -> set[frozenset[str]]:
    return {frozenset(names_in(row)) for row in league.fixtures(1)}


# Swapping


def test_swap_exchanges_places_attacks_and_stays_when_drawn_again(league: League) -> None:
    first, second = league.fixtures(1)[:2]
    assert first.other
    assert second.other
    done = swap_entries(league.ask(), 1, first.one.token, second.other.token)
    assert set(done.after) == {
        f"{second.other.name} against {first.other.name}",
        f"{second.one.name} against {first.one.name}",
    }
    now = league.fixtures(1)[0]
    assert (now.one_id, now.table, now.is_kept) == (second.other_id, first.table, True)
    assert (now.attacker_id == now.one_id) == (first.attacker_id == first.one_id)
    assert now.reason == "Paired by an organiser. First meeting."
    draw_round(league.ask(), 1)
    assert frozenset(names_in(now)) in pairs(league)


def test_preview_tells_the_same_and_changes_nothing(league: League) -> None:
    publish(league)
    bye = next(row for row in league.fixtures(1) if row.other_id is None)
    first = league.fixtures(1)[0]
    before, version = pairs(league), league.fresh().version
    ask: dict[str, Any] = {
        "number": 1,
        "one_entry": first.one.token,
        "other_entry": bye.one.token,
    }
    told = swap_entries(league.ask(), **ask, is_preview=True)
    assert (pairs(league), league.fresh().version) == (before, version)
    done = swap_entries(league.ask(reason="Ada is ill"), **ask)
    values = (told.before, told.after, told.rematches)
    assert values == (done.before, done.after, done.rematches)
    assert done.after == (
        f"{bye.one.name} against {first.other and first.other.name}",
        f"{first.one.name}, with a bye",
    )
    line = EventLog.objects.filter(event=league.event).first()
    assert line
    values = (line.verb, line.reason, line.author_id)
    assert values == ("swap", "Ada is ill", league.organiser.user_id)


def test_somebody_in_no_game_comes_in_for_another() -> None:
    league = make_night(players=5)
    add_round(league.ask(), RoundDraft())
    set_present(league.ask(), 1, {one.token: True for one in league.entries[:4]})
    draw_round(league.ask(), 1)
    done = swap_entries(
        league.ask(), 1, league.entry("Ada").token, league.entry("Emil").token
    )
    assert done.left == "Ada"
    assert "Emil" in str(pairs(league))
    assert "Ada" not in str(pairs(league))


# Changing


def test_table_that_is_taken_is_exchanged(league: League) -> None:
    first, second = league.fixtures(1)[:2]
    change_fixture(league.ask(), first.token, FixtureDraft(table=2, attacker=""))
    assert [row.table for row in league.fixtures(1)] == [2, 1, None]
    assert Fixture.objects.get(pk=first.pk).attacker_id is None
    change_fixture(league.ask(), second.token, FixtureDraft(table=4))
    assert [row.table for row in league.fixtures(1)] == [2, 4, None]


def test_what_is_begun_stays_together(league: League) -> None:
    publish(league)
    first, second = league.fixtures(1)[:2]
    open_fixture(league.ask(), first.token)
    with pytest.raises(Refusal, match="has started"):
        swap_entries(league.ask(reason="because"), 1, first.one.token, second.one.token)


# Adding and removing


def test_game_by_hand_takes_a_free_table_and_ends_a_bye(league: League) -> None:
    bye = next(row for row in league.fixtures(1) if row.other_id is None)
    first = league.fixtures(1)[0]
    token = add_fixture(
        league.ask(),
        1,
        FixtureDraft(entries=(bye.one.token, first.one.token), is_friendly=True),
    )
    added = Fixture.objects.get(token=token)
    values = (added.table, added.is_friendly, added.is_kept, added.is_rematch)
    assert values == (3, True, True, False)
    assert not Fixture.objects.filter(pk=bye.pk).exists()


def test_game_by_hand_at_a_table_in_use_moves_who_stood_there(league: League) -> None:
    first = league.fixtures(1)[0]
    entries = (first.one.token, first.other.token)
    draft = FixtureDraft(entries=entries, is_friendly=True, table=first.table)
    token = add_fixture(league.ask(), 1, draft)
    tables = [row.table for row in league.fixtures(1) if row.other_id]
    assert Fixture.objects.get(token=token).table == 1
    assert sorted(tables) == [1, 2, 3]


def test_friendly_pair_is_still_paired_when_drawn_again(league: League) -> None:
    one, other = league.entries[:2]
    add_fixture(
        league.ask(), 1, FixtureDraft(entries=(one.token, other.token), is_friendly=True)
    )
    draw_round(league.ask(), 1)
    rows = league.fixtures(1)
    assert sum(row.is_friendly for row in rows) == 1
    assert sorted(name for row in rows if not row.is_friendly for name in names_in(row)) == [
        "Ada", "Ben", "Cleo", "Dora", "Emil",
    ]  # fmt: skip


def test_removed_needs_a_reason_once_published(league: League) -> None:
    remove_fixture(league.ask(), league.fixtures(1)[0].token)
    publish(league)
    rest = league.fixtures(1)[0]
    with pytest.raises(Refusal, match="Give a reason") as refused:
        remove_fixture(league.ask(), rest.token)
    assert refused.value.field == "reason"
    remove_fixture(league.ask(reason="Snow"), rest.token)
    assert len(league.fixtures(1)) == 1


# Bad input, each a sentence and nothing written

Ask = Callable[[League], object]
FIRST: Callable[[League], str] = lambda league: league.fixtures(1)[0].token  # noqa: E731
BAD: dict[str, tuple[str, str, Ask]] = {
    "unknown scenario": (
        "scenario",
        "has no scenario",
        lambda one: change_fixture(one.ask(), FIRST(one), FixtureDraft(scenario="no-such")),
    ),
    "against oneself": (
        "other",
        "Choose two different players",
        lambda one: add_fixture(
            one.ask(), 1, FixtureDraft(entries=(one.entries[0].token, one.entries[0].token))
        ),
    ),
    "second game": (
        "is_friendly",
        "already has a game in Round 1",
        lambda one: add_fixture(
            one.ask(),
            1,
            FixtureDraft(
                entries=(one.fixtures(1)[0].one.token, one.fixtures(1)[1].one.token)
            ),
        ),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_told(league: League, case: str) -> None:
    field, sentence, ask = BAD[case]
    before = league.fresh().version
    with pytest.raises(Refusal, match=sentence) as refused:
        ask(league)
    assert (refused.value.field, league.fresh().version) == (field, before)


def test_dropped_players_and_closed_rounds_are_told(league: League) -> None:
    drop_entry(league.ask(), league.entry("Ada").token)
    with pytest.raises(Refusal, match="Ada dropped out"):
        add_fixture(
            league.ask(),
            1,
            FixtureDraft(entries=(league.entry("Ada").token, league.entry("Ben").token)),
        )
    publish(league)
    with pytest.raises(Refusal, match="without a result"):
        close_round(league.ask(), 1)


def test_two_organisers_at_once_lose_nothing(league: League) -> None:
    seen = league.fresh().version
    first, second = league.fixtures(1)[:2]
    change_fixture(league.ask(expected=seen), first.token, FixtureDraft(table=4))
    change_fixture(league.ask(expected=seen), second.token, FixtureDraft(table=3))
    with pytest.raises(Stale, match="Changed table of"):
        change_fixture(league.ask(expected=seen), second.token, FixtureDraft(table=5))
    assert [row.table for row in league.fixtures(1)] == [4, 3, None]
    with pytest.raises(NotAllowed):
        change_fixture(league.by("Ada"), first.token, FixtureDraft(table=1))
