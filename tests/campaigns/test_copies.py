"""Copies of events: what they take over, and what they do not."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.errors import KeyReused, NotAllowed, Refusal
from accounts.models import Membership
from campaigns.models import ClubEvent, GrowthRow
from campaigns.operations.copies import COPIED, CopyDraft, copy_event
from campaigns.operations.entries import add_entry, drop_entry
from campaigns.operations.events import change_event
from campaigns.operations.log import ChangeRequest
from tests.campaigns.growing import Campaign
from tests.campaigns.leagues import League, make_draft, make_round

pytestmark = pytest.mark.django_db
# A new column belongs to one of both: what a copy shares, or what is each event's own.
OTHERS = {
    *("id", "token", "author", "name", "status", "growth_position", "version"),
    *("starts_at", "entries_close_at", "lists_due_at"),
    *("created_at", "updated_at", "archived_at"),
}
NOON, HOUR = datetime(2026, 11, 28, 12, tzinfo=UTC), timedelta(hours=1)


def copy(league: League, **draft: object) -> ClubEvent:
    token = copy_event(league.ask(), CopyDraft(**{"name": "Again", **draft}))
    return ClubEvent.objects.get(token=token)


def test_copy_has_settings_and_rules_and_no_rounds(league: League) -> None:
    draft = make_draft(
        levels={"leader.missing": "note"},
        house_rules={"swarms_no_injury_roll": True},
        needs_list=True,
        starts_at=NOON,
        lists_due_at=NOON - HOUR,
        score_name="Victory points",
    )
    change_event(league.ask(), draft)
    make_round(league)
    later = NOON + timedelta(days=7)
    event, source = copy(league, starts_at=later), league.fresh()
    for name in COPIED:
        assert getattr(event, name) == getattr(source, name), name
    others = {field.name for field in ClubEvent._meta.concrete_fields} - COPIED
    assert others == OTHERS
    assert (event.name, event.status, event.starts_at) == ("Again", "open", later)
    # A deadline is as long before the start as it was.
    assert (event.lists_due_at, event.entries_close_at) == (later - HOUR, None)
    assert (event.entries.count(), event.rounds.count()) == (0, 0)
    line = event.log.get()
    assert line.words == f"Created the league as a copy of {source.name}."
    assert copy(league).lists_due_at is None


def test_copy_brings_players_who_play_and_may(league: League) -> None:
    add_entry(league.ask(), name="Gwen")
    drop_entry(league.ask(), league.entry("Ben").token)
    gone = league.player("Cleo").user_id
    Membership.objects.filter(club=league.club, user=gone).delete()
    event = copy(league, players=True)
    assert list(event.entries.values_list("name", flat=True)) == ["Ada", "Dora", "Gwen"]
    assert event.entries.get(name="Ada").user_id == league.player("Ada").user_id


def test_copy_of_a_campaign_grows_by_the_same_rules(campaign: Campaign) -> None:
    event = copy(campaign.league)
    row = GrowthRow.objects.get(event=event)
    first = GrowthRow.objects.filter(event=campaign.league.event).earliest("position")
    assert row.payload == {**first.payload, "from_start": True}
    assert event.growth_position == 1


def test_copy_is_made_once_by_organisers(league: League) -> None:
    request = ChangeRequest(league.organiser, league.token, key="k")
    first = copy_event(request, CopyDraft("Again"))
    assert copy_event(request, CopyDraft("Again")) == first
    with pytest.raises(KeyReused):
        copy_event(request, CopyDraft("Another"))
    with pytest.raises(NotAllowed):
        copy_event(ChangeRequest(league.player("Ada"), league.token), CopyDraft("Again"))
    for name, moment, field in (
        ("…", None, "name"),
        ("A", NOON.replace(year=1999), "starts_at"),
    ):
        with pytest.raises(Refusal) as caught:
            copy(league, name=name, starts_at=moment)
        assert caught.value.field == field
