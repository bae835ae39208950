"""The folds that a process keeps: whatever happens to the rows, nobody reads an old state."""

from typing import Any

import pytest
from django.db import transaction

from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.ledger import recount_growth
from campaigns.growth.queries import ledger
from campaigns.growth.queries.ledger import FoldCache, LedgerMark, load_ledger, load_mark
from campaigns.models import ClubEvent, GrowthRow
from rulesdata.registry import system_of
from tests.campaigns.growing import Campaign
from warbands.models import Warband, WarbandEvent

pytestmark = pytest.mark.django_db
HURT_WS, HURT_I = 2, 4
"""Faces of the lasting injuries of the shipped rules."""


def gift(amount: int) -> GivenAct:
    return GivenAct("adjust", currency="crowns", amount=amount, reason="A gift.")


def give(campaign: Campaign, amount: int) -> None:
    take_act(campaign.asked, next(iter(campaign.warbands.values())), gift(amount))


def crowns(campaign: Campaign) -> int:
    """The treasury of the first warband, which is what a fold without any memory says."""
    warband = next(iter(campaign.warbands.values()))
    found = campaign.ledger
    folds, ledger.folds.entries = ledger.folds.entries, type(ledger.folds.entries)()
    assert campaign.ledger == found
    ledger.folds.entries = folds
    return found.state.warbands[warband].treasury["crowns"]


def test_rows_that_are_rolled_back_are_not_read_again(campaign: Campaign) -> None:
    before = crowns(campaign)
    with transaction.atomic():
        give(campaign, 100)
        assert crowns(campaign) == before + 100
        gone = load_mark(campaign.league.fresh().pk)
        transaction.set_rollback(True)
    assert crowns(campaign) == before
    # The next row takes the place of the one that is gone, and in SQLite its key as well.
    give(campaign, 7)
    mark = load_mark(campaign.league.fresh().pk)
    assert mark.count == gone.count
    assert mark != gone
    assert crowns(campaign) == before + 7


def test_rows_of_another_process_are_read(campaign, monkeypatch):
    before = crowns(campaign)
    with monkeypatch.context() as other:
        other.setattr(ledger, "folds", FoldCache(100))
        give(campaign, 5)
    assert crowns(campaign) == before + 5
    give(campaign, 5)
    with monkeypatch.context() as other:
        other.setattr(ledger, "folds", FoldCache(100))
        assert crowns(campaign) == before + 10


def test_a_corrected_result_is_read(campaign: Campaign) -> None:
    one, other = sorted(campaign.warbands)
    fixture = campaign.game(one, other)
    campaign.report(fixture, one)
    crowns(campaign)
    campaign.report(fixture, other)
    crowns(campaign)
    assert campaign.ledger.state.battles
    assert recount_growth() == (1, [])


def _in_order_of_postgresql(value: Any) -> Any:
    """JSON as a column of PostgreSQL gives it back: short keys first, then by their bytes."""
    if isinstance(value, list):
        return [_in_order_of_postgresql(element) for element in value]
    if not isinstance(value, dict):
        return value
    order = sorted(value, key=lambda key: (len(key), key))
    return {key: _in_order_of_postgresql(value[key]) for key in order}


def test_recounting_changes_nothing_whatever_order_the_database_keeps_keys_in(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = sorted(campaign.warbands)
    hire = GivenAct("recruit", profile="pikeman", hired=True, name="Piet")
    take_act(campaign.asked, campaign.warbands[one], hire)
    # The other's captain is hurt twice: figures whose keys change places.
    for hurt in (HURT_WS, HURT_I):
        fixture = campaign.game(one, other)
        campaign.report(fixture, one, fates={other: [{"who": "w1", "by": None}], one: []})
        injury = f"{fixture}/injury/w1"
        faces = {injury: (2, 3), f"{injury}/lasting": (hurt,)}
        given = [GivenAnswer(due, faces=thrown) for due, thrown in faces.items()]
        answer_dues(campaign.asked, campaign.warbands[other], given)
    for row in GrowthRow.objects.all():
        payload = _in_order_of_postgresql(row.payload)
        GrowthRow.objects.filter(pk=row.pk).update(payload=payload)
    monkeypatch.setattr(ledger, "folds", FoldCache(100))
    before = _stored()
    assert recount_growth() == (1, [])
    assert _stored() == before


def _stored() -> list[Any]:
    """Everything that tells one version of a warband or its campaign from another."""
    return [
        list(Warband.objects.order_by("pk").values("version", "growth", "updated_at")),
        list(WarbandEvent.objects.order_by("pk").values()),
        list(ClubEvent.objects.values("growth_position", "version")),
    ]


def test_rows_that_are_deleted_are_not_read_again(campaign: Campaign) -> None:
    before = crowns(campaign)
    give(campaign, 5)
    give(campaign, 6)
    GrowthRow.objects.filter(kind="act").earliest("position").delete()
    assert crowns(campaign) == before + 6


def test_a_row_between_the_two_queries_is_not_kept_under_the_mark_before(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = campaign.league.fresh()
    mark = load_mark(event.pk)
    give(campaign, 5)
    monkeypatch.setattr(ledger, "folds", FoldCache(100))
    with monkeypatch.context() as earlier:
        earlier.setattr(ledger, "load_mark", lambda event_id, upto: mark)
        load_ledger(event)
    assert ledger.folds.find((event.pk, None), mark, system_of(event)) is None


def test_what_is_kept_is_read_in_one_query(campaign, django_assert_num_queries):
    event = campaign.league.fresh()
    give(campaign, 5)
    with django_assert_num_queries(1):
        found = load_ledger(event)
    assert load_ledger(event) is found


def test_the_past_is_folded_once_and_leaves_what_all_read(
    campaign, django_assert_num_queries, monkeypatch
):
    event, before = campaign.league.fresh(), campaign.ledger.position
    give(campaign, 5)
    latest = load_ledger(event)
    monkeypatch.setattr(ledger, "past_folds", FoldCache(2 * before))
    first = load_ledger(event, upto=before)
    assert first.position == before
    with django_assert_num_queries(1):
        assert load_ledger(event, upto=before) is first
    # As many rows as are kept push out the oldest of the past, and nothing else.
    load_ledger(event, upto=before - 1)
    assert load_ledger(event, upto=before) is first
    load_ledger(event, upto=before + 1)
    assert load_ledger(event, upto=before) is not first
    assert load_ledger(event) is latest


def test_a_past_that_is_rolled_back_is_not_read_again(campaign: Campaign) -> None:
    event, last = campaign.league.fresh(), campaign.ledger.position + 1
    with transaction.atomic():
        give(campaign, 100)
        gone = load_ledger(event, upto=last)
        transaction.set_rollback(True)
    give(campaign, 7)
    assert load_ledger(event, upto=last) == campaign.ledger != gone


def test_the_oldest_fold_gives_way(campaign: Campaign) -> None:
    event, found = campaign.league.fresh(), campaign.ledger
    system = system_of(event)
    folds = FoldCache(10)
    marks = [LedgerMark(5, number, None) for number in range(3)]
    for number, mark in enumerate(marks):
        folds.store((number, None), mark, system, found)
    kept = [folds.find((number, None), mark, system) for number, mark in enumerate(marks)]
    assert kept == [None, found, found]
    folds.store((1, None), LedgerMark(6, 9, None), system, found)
    assert [*folds.entries] == [(1, None)]
    # One that is larger than all of it is not kept.
    folds.store((4, None), LedgerMark(11, 9, None), system, found)
    assert not folds.entries
