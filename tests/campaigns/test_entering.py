"""Entries: who may be in, from which round, under which name, with what, and what dropping out
leaves behind.
"""

from typing import Any

import pytest

from accounts.errors import NotAllowed, NotFound, Refusal
from accounts.operations.clubs import add_member
from campaigns.models import ENTRIES_MAX, ClubEvent, Entry, Fixture, Round
from campaigns.operations.entries import (
    add_entries,
    add_entry,
    change_entry,
    drop_entry,
    enter_event,
    rejoin_entry,
)
from campaigns.operations.events import settle_event
from campaigns.operations.log import ChangeRequest
from tests.campaigns.leagues import League, make_league, names_in
from tests.factories import make_legal_warband, make_owner, make_person, make_user

pytestmark = pytest.mark.django_db


def names(league: League) -> list[str]:
    return list(
        Entry.objects.filter(event=league.event)
        .order_by("id")
        .values_list("name", flat=True)
    )


def make_round(league, number, status, *pairs) -> Round:
    row = Round.objects.create(event=league.event, number=number, status=status)
    for place, (one, other) in enumerate(pairs):
        met = league.entry(other) if other else None
        Fixture.objects.create(
            round=row, position=place, one=league.entry(one), other=met, table=place + 1
        )
    return row


# Entering


def test_a_member_enters_once_and_gets_the_same_entry_again(pair: League) -> None:
    member = make_person(user=make_user(name="Fritz"))
    pair.club.memberships.create(user_id=member.user_id)
    token = enter_event(ChangeRequest(member, pair.token))
    values = (enter_event(ChangeRequest(member, pair.token)), names(pair))
    assert values == (token, ["Ada", "Ben", "Fritz"])


@pytest.mark.parametrize(
    "visibility, raised", [("club", NotFound), ("link", None), ("public", None)]
)
def test_a_stranger_enters_where_the_link_is_for_everybody(visibility, raised):
    league = make_league(players=1, visibility=visibility)
    stranger = make_person()
    if raised is None:
        enter_event(ChangeRequest(stranger, league.token))
        assert len(names(league)) == 2
        with pytest.raises(NotAllowed, match="Sign in"):
            enter_event(ChangeRequest(make_owner(), league.token))
    else:
        with pytest.raises(raised):
            enter_event(ChangeRequest(stranger, league.token))


def test_a_running_league_is_entered_by_its_organisers_alone_and_a_club_night_by_everybody() -> (
    None
):
    league = make_league(players=2, visibility="link")
    ClubEvent.objects.filter(pk=league.event.pk).update(status="running")
    with pytest.raises(NotAllowed, match="Ask an organiser"):
        enter_event(ChangeRequest(make_person(), league.token))
    enter_event(league.ask())
    ClubEvent.objects.filter(pk=league.event.pk).update(kind="night", method="present")
    enter_event(ChangeRequest(make_person(), league.token))


@pytest.mark.parametrize(
    "step, words", [("finish", "takes no new players"), ("archive", "is archived")]
)
def test_nobody_is_entered_once_it_is_put_away(league, step, words):
    settle_event(league.ask(), step)
    with pytest.raises(Refusal, match=words):
        add_entry(league.ask(), name="Gwen")
    with pytest.raises(Refusal, match=words):
        enter_event(league.ask())


def test_an_event_holds_so_many(league: League) -> None:
    rows = [Entry(event=league.event, name=f"Guest {n}") for n in range(ENTRIES_MAX - 4)]
    Entry.objects.bulk_create(rows)
    with pytest.raises(Refusal, match="at most 128"):
        add_entry(league.ask(), name="One more")


@pytest.mark.parametrize("who, field, words", [
    ({"name": ""}, "name", "at least one letter"),
    ({"name": "\u202e"}, "name", "cannot be shown"),
    ({"name": "x" * 201}, "name", "at most 200"),
    ({"name": "ADA"}, "name", "There is already a player ADA"),
    ({"user_id": 10**9}, "user_id", "a member of the club"),
    ({"user_id": 2**70}, "user_id", "a member of the club"),
    ({"user_id": "Ada"}, "user_id", "a member of the club"),
    ({"name": "Gwen", "warband": "no such one"}, "warband", "no such warband"),
])  # fmt: skip
def test_add_entry_refuses(league, who, field, words):
    with pytest.raises(Refusal, match=words) as caught:
        add_entry(league.ask(), **who)
    assert caught.value.field == field
    assert len(names(league)) == 4


def test_who_is_of_no_club_of_the_event_is_not_entered(league: League) -> None:
    stranger = make_user(name="Gwen")
    with pytest.raises(Refusal, match="a member of the club") as caught:
        add_entry(league.ask(), user_id=stranger.pk)
    assert caught.value.field == "user_id"


def test_a_member_is_entered_once_and_numbered_where_a_guest_is_called_so(league):
    ada = league.player("Ada")
    with pytest.raises(Refusal, match="Ada is already a player"):
        add_entry(league.ask(), user_id=ada.user_id)
    other = make_user(name="Ada")
    league.club.memberships.create(user=other)
    add_entry(league.ask(), user_id=other.pk)
    assert names(league)[-1] == "Ada (2)"


def test_add_entries_takes_all_or_none(league: League) -> None:
    with pytest.raises(Refusal, match="There is already a player ben") as caught:
        add_entries(league.ask(), names=["Gwen", "ben"])
    assert (caught.value.field, len(names(league))) == ("names", 4)
    add_entries(league.ask(), members=[league.organiser.user_id or 0], names=["Gwen"])
    assert names(league)[-2:] == ["Olga", "Gwen"]


@pytest.mark.parametrize("statuses, joined", [
    ([], 1), (["planned"], 1), (["draft"], 1), (["published"], 2),
    (["closed", "published", "draft", "planned"], 3),
])  # fmt: skip
def test_who_comes_late_joins_from_the_first_round_not_published(pair, statuses, joined):
    for number, status in enumerate(statuses, start=1):
        make_round(pair, number, status)
    token = add_entry(pair.ask(), name="Gwen")
    assert Entry.objects.get(token=token).joined == joined


# What is brought


def test_a_player_brings_their_own_warband_of_the_system_played(pair: League) -> None:
    ada, organiser = pair.player("Ada"), pair.organiser
    entry = pair.entry("Ada").token
    mine = make_legal_warband(actor=ada, name="The Ferrymen")
    change_entry(ChangeRequest(ada, pair.token), entry, warband=mine.token)
    assert pair.entry("Ada").warband == mine
    theirs = make_legal_warband(actor=pair.player("Ben"), visibility="link")
    other_system = make_legal_warband(actor=ada, system="mordheim-draft")
    for token, words in (
        (theirs.token, "own warbands"),
        (other_system.token, "the rules of this event"),
        ("x", "no such"),
    ):
        with pytest.raises(Refusal, match=words):
            change_entry(ChangeRequest(ada, pair.token), entry, warband=token)
    # A private one is not shown to the organiser, who may take it off.
    with pytest.raises(Refusal, match="not shared"):
        change_entry(ChangeRequest(organiser, pair.token), entry, warband=mine.token)
    change_entry(ChangeRequest(organiser, pair.token), entry, warband="")
    assert pair.entry("Ada").warband is None


def test_change_entry_is_for_its_player_and_organisers(league: League) -> None:
    entry = league.entry("Ada").token
    for actor in (league.player("Ada"), league.organiser):
        change_entry(ChangeRequest(actor, league.token), entry, name=f"Ada {actor.user_id}")
    with pytest.raises(NotAllowed):
        change_entry(league.by("Ben"), entry, name="Benny")
    with pytest.raises(NotFound):
        change_entry(ChangeRequest(make_person(), league.token), entry, name="Stranger")
    with pytest.raises(NotFound):
        change_entry(league.ask(), "none", name="None")


@pytest.mark.parametrize("place", [0, 129, "1", True])
def test_a_play_off_has_places_that_organisers_set(league: League, place: Any) -> None:
    entry = league.entry("Ada").token
    with pytest.raises(NotAllowed):
        change_entry(league.by("Ada"), entry, play_off=1)
    change_entry(league.ask(), entry, play_off=1)
    with pytest.raises(Refusal, match="from 1 to 128"):
        change_entry(league.ask(), entry, play_off=place)
    assert league.entry("Ada").play_off == 1
    change_entry(league.ask(), entry, play_off=None)
    assert league.entry("Ada").play_off is None


# Dropping out and coming back


def test_drop_and_rejoin_keep_the_place_and_say_so(league: League) -> None:
    make_round(league, 1, "closed")
    drop_entry(league.by("Ada", reason="Moved away"), league.entry("Ada").token)
    dropped = league.entry("Ada")
    assert (dropped.status, dropped.dropped, dropped.joined) == ("dropped", 2, 1)
    rejoin_entry(league.ask(), dropped.token)
    back = league.entry("Ada")
    assert (back.status, back.dropped) == ("active", None)
    rows = list(league.event.log.values_list("words", "reason")[:2])
    assert rows == [("Ada rejoined.", ""), ("Ada dropped out.", "Moved away")]


def test_who_enters_again_after_dropping_out_is_back(league: League) -> None:
    ada = league.player("Ada")
    drop_entry(ChangeRequest(ada, league.token), league.entry("Ada").token)
    assert enter_event(ChangeRequest(ada, league.token)) == league.entry("Ada").token
    assert league.entry("Ada").status == "active"


def test_a_draft_loses_who_drops_out_and_a_published_fixture_says_so(league):
    make_round(league, 1, "published", ("Ada", "Ben"), ("Cleo", "Dora"))
    make_round(league, 2, "draft", ("Cleo", "Ada"), ("Ben", None))
    drop_entry(league.ask(), league.entry("Ada").token)
    assert [names_in(row) for row in league.fixtures(2)] == [("Cleo",), ("Ben",)]
    assert "Ada dropped out" in league.fixtures(2)[0].reason
    values = [names_in(row) for row in league.fixtures(1)]
    assert values == [("Ada", "Ben"), ("Cleo", "Dora")]
    assert "Ada dropped out before" in league.fixture(1, "Ada").reason
    drop_entry(league.ask(), league.entry("Cleo").token)
    assert [names_in(row) for row in league.fixtures(2)] == [("Ben",)]


def test_everybody_may_drop_out(league: League) -> None:
    for entry in league.entries:
        drop_entry(league.ask(), entry.token)
    assert not Entry.objects.filter(event=league.event, status="active").exists()


# Several events


def test_same_people_and_names_are_in_several_events(league: League) -> None:
    ada = league.player("Ada")
    other = make_league(players=0)
    add_member(other.club.pk, ada.user_id or 0)
    warband = make_legal_warband(actor=ada, visibility="link")
    token = add_entry(other.ask(), user_id=ada.user_id, warband=warband.token)
    entry = Entry.objects.get(token=token)
    values = (entry.name, entry.warband_id, entry.event_id)
    assert values == ("Ada", warband.pk, other.event.pk)
    drop_entry(other.ask(), token)
    assert league.entry("Ada").status == "active"
    with pytest.raises(Refusal, match="already a player") as refused:
        add_entry(league.ask(), user_id=ada.user_id)
    assert refused.value.field == "user_id"


@pytest.mark.parametrize(
    "attacker, stays", [("Ada", "Ben"), ("Ben", "Ben"), ("Cleo", "Cleo")]
)
def test_table_of_three_in_a_draft_goes_on_as_a_game_of_two(league, attacker, stays):
    row = make_round(league, 1, "draft", ("Ada", "Ben"))
    Fixture.objects.update(
        third=league.entry("Cleo"), attacker=league.entry(attacker), round=row
    )
    drop_entry(league.ask(), league.entry("Ada").token)
    (game,) = league.fixtures(1)
    assert (names_in(game), game.attacker_id) == (("Ben", "Cleo"), league.entry(stays).pk)
    assert game.reason == "Ada dropped out."


def test_bye_of_who_drops_out_of_a_draft_goes(league: League) -> None:
    make_round(league, 1, "draft", ("Ada", None), ("Ben", "Cleo"))
    drop_entry(league.ask(), league.entry("Ada").token)
    assert [names_in(one) for one in league.fixtures(1)] == [("Ben", "Cleo")]


def test_each_entry_is_a_new_version_of_the_event() -> None:
    league = make_league(players=0)
    version = league.fresh().version
    add_entry(league.ask(), name="Eve")
    enter_event(league.ask())
    assert league.fresh().version == version + 2
