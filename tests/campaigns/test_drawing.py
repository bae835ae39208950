"""Drawing rounds through the operations: Swiss and club nights, kept pairs, late arrivals, tables,
odd fields, R28."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import chain
from math import ceil

import pytest
from django.db import connection

from accounts.errors import NotAllowed, NotFound, Refusal, Stale
from campaigns.models import Entry, EventLog, Fixture, Presence, RoundStatus
from campaigns.operations.entries import add_entries, add_entry, drop_entry
from campaigns.operations.fixtures import FixtureDraft, change_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round, pair_late
from campaigns.operations.rounds import RoundDraft, add_round, publish_round, set_present
from campaigns.queries.rounds import load_round
from tests.campaigns.leagues import (
    League,
    make_event,
    make_league,
    make_night,
    make_round,
    names_in,
)
from tests.factories import make_person

pytestmark = pytest.mark.django_db


def begun(league: League, *, here: int | None = None) -> int:
    """One more round; on a club night the first so many are ticked."""
    number = add_round(league.ask(), RoundDraft())
    if here is not None:
        set_present(
            league.ask(), number, {one.token: True for one in league.entries[:here]}
        )
    return number


def pairs_of(league: League, number: int) -> set[frozenset[str]]:
    return {frozenset(names_in(one)) for one in league.fixtures(number)}


def held(league: League, *, here: int | None = None, seed: str = "") -> int:
    number = begun(league, here=here)
    draw_round(league.ask(), number, seed=seed)
    publish_round(league.ask(), number)
    return number


def score(fixture: Fixture) -> None:
    """The first of the two has won it: written as the ledger of results would."""
    Fixture.objects.filter(pk=fixture.pk).update(
        status="final", winner=fixture.one, decision="walkover"
    )


# One round


def test_swiss_round_is_a_draft_with_tables_attackers_and_scenarios() -> None:
    league = make_league(players=5)
    drawn = draw_round(league.ask(), begun(league), seed="one")
    assert (drawn.pairs, drawn.byes, drawn.rematches) == (2, 1, 0)
    assert not [one for one in league.fixtures(1) if one.other_id and one.table is None]
    assert (league.round(1).status, league.round(1).seed) == (RoundStatus.DRAFT, "one")
    told = [
        (one.position, one.table, one.attacker_id is not None) for one in league.fixtures(1)
    ]
    assert told == [(1, 1, True), (2, 2, True), (3, None, False)]
    assert (
        league.fixtures(1)[2].reason
        == "Bye: odd number of players. Lowest score. First bye."
    )
    assert EventLog.objects.filter(
        event=league.event, verb="draw", words="Paired round 1: 2 games, random seed one."
    ).exists()


def test_same_seed_gives_the_same_round_and_another_seed_another() -> None:
    league = make_league(players=8)
    number = begun(league)
    found = []
    for seed in ("a", "b", "a"):
        draw_round(league.ask(), number, seed=seed)
        found.append(
            [(names_in(one), one.table, one.attacker_id) for one in league.fixtures(number)]
        )
    assert found[0] == found[2] != found[1]


def test_club_night_pairs_whoever_is_here_and_keeps_what_is_locked() -> None:
    league = make_night(players=7)
    number = begun(league, here=5)
    draw_round(league.ask(), number, seed="x")
    first = league.fixtures(number)
    values = sorted(name for one in first for name in names_in(one))
    assert values == ["Ada", "Ben", "Cleo", "Dora", "Emil"]
    kept = first[1]
    change_fixture(league.ask(), kept.token, FixtureDraft(is_kept=True))
    set_present(league.ask(), number, {league.entry("Fritz").token: True})
    drawn = draw_round(league.ask(), number, seed="y")
    assert (drawn.pairs, drawn.byes) == (3, 0)
    stayed = Fixture.objects.get(token=kept.token)
    assert (names_in(stayed), stayed.table) == (names_in(kept), kept.table)
    assert sorted(one.table or 0 for one in league.fixtures(number)) == [1, 2, 3]


def test_kept_pair_of_somebody_who_left_is_paired_anew() -> None:
    league = make_night(players=4)
    number = begun(league, here=4)
    draw_round(league.ask(), number)
    for one in league.fixtures(number):
        change_fixture(league.ask(), one.token, FixtureDraft(is_kept=True))
    set_present(league.ask(), number, {league.entry("Ada").token: False})
    drawn = draw_round(league.ask(), number)
    values = (drawn.pairs, drawn.byes, "Ada" in str(pairs_of(league, number)))
    assert values == (1, 1, False)


def test_table_of_three_where_the_night_says_so() -> None:
    league = make_night(players=5, odd="three")
    drawn = draw_round(league.ask(), begun(league, here=5))
    assert (drawn.pairs, drawn.byes) == (2, 0)
    assert sorted(len(names_in(one)) for one in league.fixtures(1)) == [2, 3]


def test_too_few_tables_are_told_and_stop_nobody() -> None:
    league = make_league(players=6, tables=2)
    drawn = draw_round(league.ask(), begun(league))
    assert drawn.pairs == 3
    assert [one.table for one in league.fixtures(1)] == [1, 2, None]


def test_round_two_avoids_rematches_and_second_byes_and_tells_what_is_missing() -> None:
    league = make_league(players=5)
    held(league, seed="s")
    drawn = draw_round(league.ask(), begun(league), seed="s")
    page = load_round(league.organiser, league.token, 2)
    assert page is not None
    assert (page.waiting, drawn.rematches) == (2, 0)
    assert not pairs_of(league, 1) & pairs_of(league, 2)


def test_swiss_pairs_like_scores(league: League) -> None:
    number = held(league)
    for one in league.fixtures(number):
        score(one)
    winners = frozenset(names_in(one)[0] for one in league.fixtures(number))
    draw_round(league.ask(), begun(league))
    assert winners in pairs_of(league, 2)


def test_every_pairing_played_is_told_and_paired_all_the_same() -> None:
    league = make_night(players=2)
    held(league, here=2)
    drawn = draw_round(league.ask(), begun(league, here=2))
    values = (drawn.rematches, league.fixtures(2)[0].reason)
    assert values == (1, "Rematch (met once before): could not be avoided.")


# Late arrivals


def test_late_arrivals_are_paired_and_the_others_stay() -> None:
    league = make_night(players=8)
    number = held(league, here=5)
    before = pairs_of(league, number)
    resting = next(
        names_in(one)[0] for one in league.fixtures(number) if one.other_id is None
    )
    late = add_entry(league.ask(), name="Zoe")
    set_present(league.ask(), number, {late: True})
    pair_late(league.ask(), number)
    assert pairs_of(league, number) == before - {frozenset({resting})} | {
        frozenset({resting, "Zoe"})
    }
    assert league.entry("Zoe").joined == number
    with pytest.raises(Refusal, match="already paired"):
        pair_late(league.ask(), number)
    set_present(
        league.ask(), number, {league.entries[5].token: True, league.entries[6].token: True}
    )
    assert pair_late(league.ask(), number).pairs == 4


def test_one_late_arrival_alone_sits_out_and_the_bye_counts_at_once() -> None:
    league = make_night(players=3)
    number = held(league, here=2)
    set_present(league.ask(), number, {league.entries[2].token: True})
    drawn = pair_late(league.ask(), number)
    values = (drawn.pairs, drawn.byes, league.fixture(number, "Cleo").status)
    assert values == (1, 1, "final")


# Refusals: each a sentence, nothing written


def drop_all(league: League) -> None:
    for one in league.entries:
        drop_entry(league.ask(), one.token)


NOT_DRAWN: dict[str, tuple[Callable[[], League], str]] = {
    "nobody": (lambda: make_league(players=0), "No players yet. Add at least two"),
    "one": (
        lambda: make_league(players=1),
        "Only Ada is here. The other players dropped out or are away",
    ),
    "nobody here": (
        lambda: make_night(players=3),
        "No players are here. Tick at least two",
    ),
    "robin of one": (
        lambda: make_league(players=1, method="robin"),
        "Only Ada is here. The other players",
    ),
    "challenges": (
        lambda: make_league(players=2, kind="campaign", method="challenge"),
        "challenge each other",
    ),
}


@pytest.mark.parametrize("case", NOT_DRAWN)
def test_what_cannot_be_drawn_is_told(case: str) -> None:
    make, sentence = NOT_DRAWN[case]
    league = make()
    number = begun(league)
    with pytest.raises(Refusal, match=sentence):
        draw_round(league.ask(), number)
    assert league.round(number).status == RoundStatus.PLANNED


def test_everybody_dropped_is_told() -> None:
    league = make_league(players=3)
    drop_all(league)
    with pytest.raises(
        Refusal, match=r"No players are here\. The other players dropped out or are away"
    ):
        draw_round(league.ask(), begun(league))


def test_rounds_come_in_their_order_and_published_ones_stay(league: League) -> None:
    begun(league)
    begun(league)
    with pytest.raises(Refusal, match="Round 1 comes first"):
        draw_round(league.ask(), 2)
    draw_round(league.ask(), 1)
    publish_round(league.ask(), 1)
    with pytest.raises(Refusal, match="Round 1 is published"):
        draw_round(league.ask(), 1)


def test_only_organisers_draw_and_only_what_they_saw(pair: League) -> None:
    number = begun(pair)
    with pytest.raises(NotAllowed):
        draw_round(pair.by("Ada"), number)
    with pytest.raises(NotFound):
        draw_round(ChangeRequest(make_person(), pair.token), number)
    with pytest.raises(NotFound):
        draw_round(pair.ask(), 9)
    seen = pair.fresh().version
    draw_round(pair.ask(expected=seen), number)
    with pytest.raises(Stale, match="Paired round 1"):
        draw_round(pair.ask(expected=seen), number)


# R28: random fields


def might_be_perfect(ids: set[int], met: Counter[frozenset[int]]) -> bool:
    """Whether these can all be paired, with one bye if odd, without anybody meeting again: every
    way is tried.
    """
    if not ids:
        return True
    one, *rest = sorted(ids)
    others = [other for other in rest if not met[frozenset((one, other))]]
    return any(might_be_perfect(ids - {one, other}, met) for other in others)


@pytest.mark.parametrize("method", ["swiss", "present"])
def test_no_avoidable_rematch_and_fewest_byes_over_random_fields(method, soak):
    """R28.

    Entries come and go between rounds; whether a rematch was avoidable is found by trying every
    way.
    """
    for case in range(soak(2, 60)):
        chance = random.Random(f"{method}{case}")
        kind = "night" if method == "present" else "league"
        organiser = make_person()
        event = make_event(organiser=organiser, kind=kind, method=method)
        guests = [f"G{number}" for number in range(chance.randint(2, 9))]
        add_entries(ChangeRequest(organiser, event.token), names=guests)
        league = League(
            event, organiser, list(Entry.objects.filter(event=event)), event.club
        )
        met: Counter[frozenset[int]] = Counter()
        byes: Counter[int] = Counter()
        for _ in range(chance.randint(2, 6)):
            number, here = make_round(league).number, _some_of(league, chance)
            Presence.objects.bulk_create(
                Presence(round=league.round(number), entry=one, is_here=one in here)
                for one in league.entries
            )
            draw_round(ChangeRequest(organiser, event.token), number, seed=str(case))
            publish_round(ChangeRequest(organiser, event.token), number)
            _check_round(league, number, {one.pk for one in here}, met, byes)


def _some_of(league: League, chance: random.Random) -> list[Entry]:
    return sorted(
        chance.sample(league.entries, chance.randint(2, len(league.entries))),
        key=lambda one: one.pk,
    )


def _check_round(league, number, here, met, byes) -> None:
    fixtures = league.fixtures(number)
    games = [frozenset((one.one_id, one.other_id or 0)) for one in fixtures if one.other_id]
    rest = [one.one_id for one in fixtures if not one.other_id]
    assert sorted([pk for game in games for pk in game] + rest) == sorted(here)
    assert len(rest) == len(here) % 2
    if any(met[game] for game in games):
        without = [here] if not len(here) % 2 else [here - {one} for one in here]
        assert not any(might_be_perfect(left, met) for left in without)
    else:
        played = Counter(chain.from_iterable(met.elements()))
        for one in rest:
            fairer = [
                other
                for other in here
                if (byes[other], -played[other]) < (byes[one], -played[one])
                and might_be_perfect(here - {other}, met)
            ]
            assert not fairer
    assert [one.is_rematch for one in fixtures if one.other_id] == [
        bool(met[game]) for game in games
    ]
    for one in fixtures:
        if one.other_id:
            Fixture.objects.filter(pk=one.pk).update(
                status="final", winner=one.one, decision="walkover"
            )
    met.update(games)
    byes.update(rest)


def test_a_hundred_and_twenty_eight_are_paired_in_a_fixed_number_of_queries(
    django_assert_num_queries: Callable[..., object], soak: Callable[[int, int], int]
) -> None:
    fields = [field for field in Fixture._meta.concrete_fields if not field.primary_key]
    for players in (4, soak(16, 128)):
        at_once = connection.ops.bulk_batch_size(
            fields, range(players // 2)
        )  # SQLite takes 49 rows in a statement
        organiser = make_person()
        event = make_event(organiser=organiser)
        Entry.objects.bulk_create(Entry(event=event, name=f"G{n}") for n in range(players))
        league = League(event, organiser, [], event.club)
        for _ in range(2):
            number = make_round(league).number
            with django_assert_num_queries(17 + ceil(players / 2 / at_once)):
                draw_round(ChangeRequest(organiser, event.token), number, seed="s")
            publish_round(ChangeRequest(organiser, event.token), number)
        games = [names_in(one) for one in [*league.fixtures(1), *league.fixtures(2)]]
        assert len(set(map(frozenset, games))) == players
