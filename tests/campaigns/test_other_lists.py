"""Lists, waivers and notices of an event: those of another event of the same players stay."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import Refusal, Stale
from accounts.operations.clubs import add_member
from battles.queries.battles import load_locked_sheet
from campaigns.models import ListLock, RoundStatus, Waiver
from campaigns.operations.entries import add_entry, drop_entry
from campaigns.operations.events import change_event, settle_event
from campaigns.operations.notify import remind_of_lists
from campaigns.operations.round_lists import (
    hand_in_list,
    revoke_waiver,
    show_lists,
    unlock_list,
    waive,
)
from campaigns.operations.rounds import RoundDraft, add_round, publish_round
from notices.models import Notice
from tests.battles.steps import dispute_result
from tests.campaigns.leagues import make_draft
from tests.campaigns.results import fresh, put_up, report
from tests.campaigns.test_lists import make_cannoneers
from tests.campaigns.two_events import GUEST, WAIVED, TwoEvents, make_two, untouched
from tests.factories import make_club, make_person

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
GUN = "type.war_machine"
ERRORS: Mapping[str, Any] = {"levels": {GUN: "error"}}


@pytest.fixture(scope="module")
def kept_two(module_rows: None) -> TwoEvents:
    """Three rounds are published here, the third with its lists still to come."""
    made = make_two()
    for number in (1, 2, 3):
        put_up(made.here, number, [])
    return made


def hand_in(two: TwoEvents, number: int, name: str = "Ada") -> ListLock:
    """Hand in a list with a mortar, which the main system warns of."""
    done = hand_in_list(two.by(name), number, make_cannoneers(two.here.player(name)))
    return ListLock.objects.get(round=two.here.round(number), entry=done.entry)


def again(lock: ListLock) -> ListLock:
    return ListLock.objects.select_related("snapshot").get(pk=lock.pk)


def level(lock: ListLock) -> str:
    snapshot = again(lock).snapshot
    assert snapshot is not None
    sheet = load_locked_sheet(snapshot.sheet)
    assert sheet is not None
    return next(one.level for one in sheet.findings if one.code == GUN)


def test_lists_are_shown_and_unlocked_in_one_round(two: TwoEvents) -> None:
    with untouched(two.other):
        hand_in(two, 1)
        lock = hand_in(two, 2)
        for name in ("Ada", "Ben"):
            unlock_list(two.asked, 2, two.here.entry(name).token)
        show_lists(two.asked, 2)
        assert two.here.round(1).lists_published_at is None
        show_lists(two.asked, 1)
        show_lists(two.asked, 2, is_shown=False)
        # That somebody was unlocked is no list, nor is one of another round.
        unlock_list(two.asked, 3, two.here.entry("Ada").token)
        with pytest.raises(Refusal, match="No lists"):
            show_lists(two.asked, 3)
    shown = [two.here.round(n).lists_published_at is not None for n in (1, 2, 3)]
    assert shown == [True, False, False]
    locks = ListLock.objects.filter(round__event=two.here.event).order_by("pk")
    assert [
        (one.round.number, one.entry.name, one.is_unlocked, one.version) for one in locks
    ] == [
        (1, "Ada", False, 1),
        (2, "Ada", True, lock.version),
        (2, "Ben", True, 1),
        (3, "Ada", True, 1),
    ]


@pytest.mark.parametrize("more", [{}, {"ruling_layers": {"C20": 1}}])
def test_levels_and_rulings_of_an_event_are_asked_of_its_own_open_lists(two, more):
    closed, ada, ben = hand_in(two, 1), hand_in(two, 2), hand_in(two, 2, "Ben")
    unlock_list(two.asked, 3, two.here.entry("Ada").token)
    two.here.event.rounds.filter(number=1).update(status=RoundStatus.CLOSED)
    with untouched(two.other):
        change_event(two.asked, make_draft(**ERRORS, **more))
    rows = [again(one) for one in (closed, ada, ben)]
    values = [(one.errors, one.warnings, one.version) for one in rows]
    assert values == [(0, 2, 1), (1, 1, 2), (1, 1, 2)]
    assert [level(one) for one in (closed, ada, ben)] == ["warning", "error", "error"]
    # What the rulings look for is kept with the list, whatever the event makes of it later.
    found = {one["code"]: one["level"] for one in again(ada).findings}
    assert not more or found[GUN] == "warning"


def test_waiver_is_of_one_player_one_guideline_and_one_event(two: TwoEvents) -> None:
    change_event(two.asked, make_draft(**ERRORS))
    ada, ben = hand_in(two, 2), hand_in(two, 2, "Ben")
    mine, theirs = two.here.entry("Ada").token, two.here.entry("Ben").token
    with untouched(two.other):
        # The other event waives this for its player of the same name.
        waive(two.asked, mine, WAIVED)
        waive(two.asked, mine, GUN)
        with pytest.raises(Refusal, match="is already waived for Ada"):
            waive(two.asked, mine, GUN)
        values = [(again(one).errors, again(one).version) for one in (ada, ben)]
        assert values == [(0, 2), (1, 1)]
        waive(two.asked, theirs, GUN)
        revoke_waiver(two.asked, mine, GUN)
        with pytest.raises(Refusal, match="is not waived for Ada"):
            revoke_waiver(two.asked, mine, GUN)
        assert [again(one).errors for one in (ada, ben)] == [1, 0]
        # What was taken back may be waived once more.
        revoked = Waiver.objects.get(entry__token=mine, code=GUN).revoked_at
        waive(two.asked, mine, GUN)
        revoke_waiver(two.asked, mine, GUN)
    rows = Waiver.objects.filter(entry__event=two.here.event).order_by("pk")
    assert [(one.entry.name, one.code, one.revoked_at is None) for one in rows] == [
        ("Ada", WAIVED, True),
        ("Ada", GUN, False),
        ("Ben", GUN, True),
        ("Ada", GUN, False),
    ]
    assert rows[1].revoked_at == revoked
    assert {(one.author_id, one.reason) for one in rows} == {
        (two.here.organiser.user_id, "It was so.")
    }


def test_lists_of_the_other_event_do_not_keep_this_one_from_changing(two):
    with untouched(two.other):
        change_event(two.asked, make_draft(has_one_list=True))
    hand_in(two, 1)
    with pytest.raises(Refusal, match="handed in lists"):
        change_event(two.asked, make_draft())


def test_another_page_is_stale_by_the_log_of_its_own_event(two: TwoEvents) -> None:
    seen = two.here.fresh().version
    with untouched(two.other):
        add_entry(two.asked, name="Eve")
        add_round(two.here.ask(seen), RoundDraft())
        with pytest.raises(Stale) as stale:
            add_round(two.here.ask(seen), RoundDraft())
    assert "Added round 4" in str(stale.value)
    assert "Eve" not in str(stale.value)


# Who is told


def told() -> list[tuple[str, str]]:
    rows = Notice.objects.values_list("user__name", "kind")
    return sorted((str(name), str(kind)) for name, kind in rows)


def test_lists_that_are_missing_are_those_of_the_round(two: TwoEvents) -> None:
    two.here.event.rounds.filter(number=2).update(
        lists_due_at=timezone.now() + timedelta(hours=30)
    )
    type(two.here.event).objects.filter(pk=two.here.event.pk).update(needs_list=True)
    for number, name in ((1, "Cleo"), (2, "Ada")):
        hand_in(two, number, name)
    unlock_list(two.asked, 2, two.here.entry("Ben").token)
    drop_entry(two.by("Dora"), two.here.entry("Dora").token)
    add_entry(two.asked, name=GUEST)
    late = make_person()
    add_member(two.here.club.pk, late.user_id or 0)
    add_entry(two.asked, user_id=late.user_id, name="Late")
    assert two.here.entry("Late").joined == 4
    Notice.objects.all().delete()
    assert remind_of_lists(timezone.now() + timedelta(hours=8)) == 2
    assert told() == [("Ben", "list_due"), ("Cleo", "list_due")]


def test_end_of_an_event_is_told_to_who_played_to_its_end(two: TwoEvents) -> None:
    late = make_person()
    add_member(two.other.club.pk, late.user_id or 0)
    add_entry(two.other.ask(), user_id=late.user_id, name="Late")
    drop_entry(two.by("Dora"), two.here.entry("Dora").token)
    add_entry(two.asked, name=GUEST)
    Notice.objects.all().delete()
    settle_event(two.asked, "finish")
    assert told() == [("Ada", "finished"), ("Ben", "finished"), ("Cleo", "finished")]


def test_round_is_told_to_those_who_meet_in_it(two: TwoEvents) -> None:
    put_up(two.here, 4, [("Ada", "Ben"), ("Cleo",)])
    two.here.event.rounds.filter(number=4).update(status=RoundStatus.DRAFT)
    put_up(two.here, 3, [("Dora",)])
    Notice.objects.all().delete()
    publish_round(two.asked, 4)
    assert told() == [("Ada", "round"), ("Ben", "round"), ("Cleo", "round")]


def test_dispute_is_told_to_the_players_and_organisers_of_its_club(two: TwoEvents) -> None:
    make_club(owner=make_person(), name="Further club")
    [game] = put_up(two.here, 4, [("Ada", "Ben")])
    report(two.here, game, "Ada", by=two.here.player("Ada"))
    battle = fresh(game).battle
    assert battle is not None
    Notice.objects.all().delete()
    dispute_result(two.here.player("Ben"), battle.token, reason="No.")
    assert told() == [("Ada", "result_dispute"), ("Olga", "result_dispute")]
