"""An event asks for one list for the whole event, handed in once and locked once."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import Owner
from battles.models import Snapshot
from campaigns.models import Entry, ListLock
from campaigns.operations.events import change_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.notify import remind_of_lists
from campaigns.operations.round_lists import hand_in_list, show_lists
from campaigns.operations.rounds import RoundDraft, change_round
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import load_upcoming_fixtures
from campaigns.queries.round_lists import load_hand_in
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_draft, make_entry, make_league, make_round
from tests.campaigns.results import put_up
from tests.factories import make_legal_warband, make_person, make_user

pytestmark = pytest.mark.django_db
AGREED = {"needs_list": True, "has_one_list": True}


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    made = make_league(players=3, **AGREED)
    make_round(made)
    return made


def asks(league: League, actor: Owner | None = None) -> ChangeRequest:
    return ChangeRequest(actor or league.organiser, league.token)


def hand_in(league: League, name: str, number: int = 1) -> None:
    actor = league.player(name)
    hand_in_list(asks(league, actor), number, make_legal_warband(actor=actor).token)


def page_of(actor: Owner, name: str, *args: object) -> str:
    client = browser_of(actor)
    return " ".join(client.get(reverse(name, args=args)).content.decode().split())


def test_list_handed_in_once_holds_in_every_round(league: League) -> None:
    hand_in(league, "Ada")
    put_up(league, 2, [("Ada", "Ben")])
    ada, ben = league.player("Ada"), league.player("Ben")
    assert [one.has_list for one in load_upcoming_fixtures(ada)] == [True]
    assert [one.has_list for one in load_upcoming_fixtures(ben)] == [False]
    # Handed in for a later round, it is still the one of the event.
    hand_in(league, "Ben", 2)
    assert set(ListLock.objects.values_list("round__number", flat=True)) == {1}
    shown = page_of(ada, "event-lists", league.token)
    assert "The whole event" in shown
    assert "2 of 3 handed in" in shown
    game = league.fixture(2, "Ada")
    assert "Models of" not in page_of(ada, "fixture-read", league.token, game.token)


def test_lists_are_revealed_and_hidden_for_all_rounds(league: League) -> None:
    hand_in(league, "Ada")
    make_round(league)
    show_lists(asks(league), 2)
    make_round(league)
    assert all(row.lists_published_at for row in league.event.rounds.all())
    with pytest.raises(Refusal, match="already revealed"):
        hand_in(league, "Ben")
    show_lists(asks(league), 3, is_shown=False)
    assert not any(row.lists_published_at for row in league.event.rounds.all())


def test_deadline_binds_once_and_not_who_came_later(league: League) -> None:
    make_round(league)
    now = timezone.now()
    for number in (1, 2):
        change_round(
            asks(league), number, RoundDraft(lists_due_at=now + timedelta(hours=number))
        )
    hand_in(league, "Ada")
    Notice.objects.all().delete()
    assert remind_of_lists(now) == 2
    change_round(asks(league), 1, RoundDraft(lists_due_at=now - timedelta(days=3)))
    with pytest.raises(Refusal, match="were due"):
        hand_in(league, "Ben", 2)
    put_up(league, 1, [("Ada", "Ben")])
    late = make_person(user=make_user(name="Dora"))
    league.club.memberships.create(user_id=late.user_id)
    make_entry(event=league.event, organiser=league.organiser, user_id=late.user_id)
    hand_in(league, "Dora", 2)
    with pytest.raises(Refusal, match="were due"):
        hand_in(league, "Dora", 2)


def test_one_list_or_many_stays_once_a_list_is_in(league: League) -> None:
    with pytest.raises(Refusal, match="compare models"):
        change_event(asks(league), make_draft(**AGREED, has_core=True))
    hand_in(league, "Ada")
    with pytest.raises(Refusal, match="no longer change"):
        change_event(asks(league), make_draft(needs_list=True))


def test_list_of_an_earlier_round_is_brought_and_nobody_asks_for_models() -> None:
    league = make_league(players=2, needs_list=True)
    make_round(league)
    hand_in(league, "Ada")
    game = put_up(league, 2, [("Ada", "Ben")])[0]
    shown = page_of(league.organiser, "fixture-read", league.token, game.token)
    assert "Models of Ben" in shown
    assert "Models of Ada" not in shown


def test_page_says_what_handing_in_would_of_a_late_list_that_cannot_be_read(league):
    change_round(
        asks(league), 1, RoundDraft(lists_due_at=timezone.now() - timedelta(hours=1))
    )
    late = make_person(user=make_user(name="Dora"))
    league.club.memberships.create(user_id=late.user_id)
    made = make_entry(event=league.event, organiser=league.organiser, user_id=late.user_id)
    Entry.objects.filter(pk=made.pk).update(joined=2)
    hand_in(league, "Dora")
    Snapshot.objects.update(sheet={"format": "of another release"})
    event = load_event(late, league.token)
    assert event
    entry = next(one for one in load_entries(late, event) if one.id == made.pk)
    page = load_hand_in(late, event, entry, 1)
    assert page
    assert page.current is None
    with pytest.raises(Refusal) as told:
        hand_in(league, "Dora")
    assert page.closed == told.value.message
