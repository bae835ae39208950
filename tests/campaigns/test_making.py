"""Events: what they may agree on, who makes and changes them, and what their log keeps."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.errors import KeyReused, NotAllowed, NotFound, Refusal
from accounts.models import Role
from accounts.operations.clubs import add_member
from campaigns.models import ClubEvent, Entry, EventStatus, Round
from campaigns.operations.events import change_event, create_event, settle_event
from campaigns.operations.log import ChangeRequest
from clubs.operations import change_rulings
from engine.tournament.types import Scoring
from rulesdata import registry
from rulesdata.operations.own_lists import set_levels
from tests.campaigns.leagues import League, make_draft, make_event, make_league
from tests.factories import SYSTEM, make_club, make_person
from tests.rulebooks import load_books
from tests.systems import systems_with

pytestmark = pytest.mark.django_db


def publish(league: League, number: int = 1) -> None:
    Round.objects.create(event=league.event, number=number, status="published")


@pytest.mark.parametrize("system", systems_with(), ids=lambda system: system.address)
def test_create_event_takes_every_system_with_all_it_has(system: Any) -> None:
    waivable = [one.code for one in system.guidelines if one.is_waivable]
    event = make_event(
        system=system.key,
        variant=system.variant or "",
        points_limit=system.default_limit,
        scenarios=tuple(system.scenarios)[:2],
        house_rules={rule.key: True for rule in system.house_rules},
        levels=dict.fromkeys(waivable, "note"),
    )
    assert (event.system, event.variant) == (system.key, system.variant or "")
    assert event.scenarios == list(system.scenarios)[:2]
    assert set(event.house_rules) == {rule.key for rule in system.house_rules}
    assert set(event.levels) == {
        one.code for one in system.guidelines if one.is_waivable and one.level != "note"
    }


HOUSE_RULE = "swarms_no_injury_roll"
NOON, SECOND = datetime(2026, 11, 28, 12, tzinfo=UTC), timedelta(seconds=1)
BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"name": " "}, "name", "at least one letter"),
    ({"name": "…"}, "name", "at least one letter"),
    ({"name": "x" * 81}, "name", "at most 80"),
    ({"name": "a\x00b"}, "name", "cannot be shown"),
    ({"description": "x" * 2001}, "description", "at most 2,000"),
    ({"place": "x" * 121}, "place", "at most 120"),
    ({"kind": "party"}, "kind", "league, night, campaign"),
    ({"method": "swiss", "kind": "night"}, "method", "Players present"),
    ({"method": "present"}, "method", "Round robin"),
    ({"method": "lots"}, "method", "robin, swiss"),
    ({"legs": 2}, "legs", "round robin"),
    ({"legs": 3, "method": "robin"}, "legs", "from 1 to 2"),
    ({"legs": True, "method": "robin"}, "legs", "from 1 to 2"),
    ({"rounds_planned": 61}, "rounds_planned", "from 0 to 60"),
    ({"rounds_planned": -1}, "rounds_planned", "from 0 to 60"),
    ({"odd": "three"}, "odd", "Players present"),
    ({"odd": "four"}, "odd", "bye, three"),
    ({"tables": 65}, "tables", "from 0 to 64"),
    ({"visibility": "private"}, "visibility", "club, link, public"),
    ({"system": "chess"}, "system", "no rule system"),
    ({"system": "mordheim-rulings"}, "variant", "A, B, C"),
    ({"variant": "A"}, "variant", "has no versions"),
    ({"points_limit": -1}, "points_limit", "from 0 to 100,000"),
    ({"points_limit": 100_001}, "points_limit", "from 0 to 100,000"),
    ({"scenarios": ("none-such",)}, "scenarios", "no scenario"),
    ({"scenarios": ("own/x",)}, "scenarios", "no scenario"),
    ({"scenarios": ("a",) * 51}, "scenarios", "at most 50"),
    ({"house_rules": {"magic": True}}, "house_rules", "no house rule"),
    ({"levels": {"none.such": "note"}}, "levels", "no guideline"),
    ({"levels": {"leader.missing": "fatal"}}, "levels", "error, warning, note, off"),
    ({"levels": {"option.unknown": "off"}}, "levels", "cannot be changed"),
    ({"has_core": True}, "has_core", "hand in lists"),
    ({"scoring": Scoring(win=101)}, "points_win", "from −100 to 100"),
    ({"scoring": Scoring(draw=4)}, "points_draw", "at most as much as a win"),
    ({"tie_breaks": ("height",)}, "tie_breaks", "no tie-break"),
    ({"tie_breaks": ("wins", "wins")}, "tie_breaks", "once"),
    ({"tie_breaks": ("campaign_points",)}, "tie_breaks", "collected in campaigns"),
    ({"confirm_days": 0}, "confirm_days", "from 1 to 60"),
    ({"capacity": 0}, "capacity", "from 1 to 128"),
    ({"capacity": 129}, "capacity", "from 1 to 128"),
    ({"starts_at": NOON.replace(year=1999)}, "starts_at", "between 2000 and 2100"),
    (
        {"kind": "one_day", "starts_at": NOON, "entries_close_at": NOON + SECOND},
        "entries_close_at",
        "Entries close before the event starts",
    ),
    ({"lists_due_at": NOON}, "lists_due_at", "hand in lists"),
    (
        {"starts_at": NOON, "lists_due_at": NOON + SECOND, "needs_list": True},
        "lists_due_at",
        "Lists are due before",
    ),
    ({"score_name": "x" * 41}, "score_name", "at most 40"),
    ({"player_score_name": "x" * 41}, "player_score_name", "at most 40"),
    ({"score_max": 20}, "score_max", "Name the points scored"),
    ({"score_max": 0, "score_name": "Points"}, "score_max", "from 1 to 100,000"),
    ({"score_max": 100_001, "score_name": "Points"}, "score_max", "from 1 to 100,000"),
    ({"missed_round": "bye"}, "missed_round", "nothing, draw"),
    ({"points_limit": 1}, "points_limit", "No list can meet this"),
]


def test_create_event_refuses_with_field_and_limit() -> None:
    organiser = make_person()
    club = make_club(owner=organiser)
    for fields, field, words in BAD:
        with pytest.raises(Refusal) as caught:
            create_event(organiser, club.slug, make_draft(**fields))
        assert (caught.value.field, words in caught.value.message) == (field, True), (
            fields,
            caught.value.message,
        )
    assert not club.events.exists()


def test_event_closes_and_takes_lists_until_it_starts() -> None:
    moments = dict.fromkeys(("starts_at", "entries_close_at", "lists_due_at"), NOON)
    most = {"capacity": 128, "score_name": "Points", "score_max": 100_000}
    event = make_event(needs_list=True, **moments, **most)
    assert (event.starts_at, event.capacity, event.score_max) == (NOON, 128, 100_000)
    league = make_event(starts_at=NOON, entries_close_at=NOON + SECOND)
    assert league.entries_close_at == NOON + SECOND


def test_moments_are_logged_and_merged(league: League) -> None:
    seen = league.fresh().version
    change_event(league.ask(), make_draft(starts_at=NOON))
    row = league.event.log.first()
    assert row is not None
    assert row.words == "Changed: start."
    assert row.changes == {"starts_at": [None, NOON.isoformat()]}
    # Somebody with the older page changes something else, and the moment stays.
    change_event(league.ask(expected=seen), make_draft(capacity=24))
    event = league.fresh()
    assert (event.starts_at, event.capacity) == (NOON, 24)


def test_create_event_is_for_those_who_run_the_club() -> None:
    owner, organiser, member, stranger = (make_person() for _ in range(4))
    club = make_club(owner=owner, members=[member])
    add_member(club.pk, organiser.user_id or 0, Role.ORGANISER)
    create_event(organiser, club.slug, make_draft())
    with pytest.raises(NotAllowed):
        create_event(member, club.slug, make_draft())
    for actor, slug in ((stranger, club.slug), (owner, "none-such"), (owner, "a\0b")):
        with pytest.raises(NotFound):
            create_event(actor, slug, make_draft())


def test_create_event_with_a_request_key_makes_one() -> None:
    organiser = make_person()
    club = make_club(owner=organiser)
    first = create_event(organiser, club.slug, make_draft(), request_key="k")
    again = create_event(organiser, club.slug, make_draft(), request_key="k")
    assert (again, club.events.count()) == (first, 1)
    with pytest.raises(KeyReused):
        create_event(organiser, club.slug, make_draft(name="Another"), request_key="k")


def test_change_event_writes_what_changed_and_why(league: League) -> None:
    version = league.fresh().version
    draft = make_draft(points_limit=150, tie_breaks=("wins",), place="Harbour Street")
    change_event(league.ask(expected=version, reason="Smaller tables"), draft)
    assert league.fresh().version == version + 1
    row = league.event.log.first()
    assert row is not None
    assert row.words == "Changed: place; points limit from 200 to 150; tie-breaks."
    assert (row.reason, row.author_id) == ("Smaller tables", league.organiser.user_id)
    values = row.changes["tie_breaks"]
    assert values == [["head_to_head", "opponents_score", "out_difference"], ["wins"]]
    # The same once more is no change.
    change_event(league.ask(), draft)
    assert league.fresh().version == version + 1


@pytest.mark.parametrize("fields, field", [
    ({"system": "mordheim-draft"}, "system"),
    ({"method": "robin"}, "method"),
    ({"kind": "campaign"}, "kind"),
])  # fmt: skip
def test_change_event_keeps_what_was_played_by(league, fields, field):
    change_event(league.ask(), make_draft(**fields))
    change_event(league.ask(), make_draft())
    publish(league)
    with pytest.raises(Refusal, match="after a round is published") as caught:
        change_event(league.ask(), make_draft(**fields))
    assert caught.value.field == field
    change_event(league.ask(), make_draft(points_limit=150))


def test_change_event_to_another_system_takes_warbands_off() -> None:
    league = make_league(players=1, with_warbands=True)
    assert Entry.objects.filter(event=league.event, warband__isnull=False).exists()
    change_event(league.ask(), make_draft(system="mordheim-draft"))
    assert not Entry.objects.filter(event=league.event, warband__isnull=False).exists()


def test_change_event_keeps_the_clubs_rulings_of_its_beginning() -> None:
    league = make_league(players=1)
    system = registry.load_system(league.event.system)
    change_rulings(league.organiser, league.club.slug, system, {"C03": 1})
    asked = league.ask()
    change_event(asked, make_draft(name="Other"))
    assert "club" not in league.fresh().ruling_layers
    change_event(asked, make_draft(system="mordheim-draft"))
    change_event(asked, make_draft())
    assert league.fresh().ruling_layers["club"] == {"C03": 1}


def test_change_event_keeps_scenarios_that_are_shared_no_more(league: League) -> None:
    ClubEvent.objects.filter(pk=league.event.pk).update(scenarios=["own/gone"])
    change_event(league.ask(), make_draft(scenarios=("own/gone",), name="Other"))
    assert league.fresh().scenarios == ["own/gone"]


def test_change_is_for_organisers(league: League) -> None:
    player, stranger = league.player("Ada"), make_person()
    for step in ("archive", "restore", "finish", "reopen"):
        with pytest.raises(NotAllowed):
            settle_event(ChangeRequest(player, league.token), step)
        with pytest.raises(NotFound):
            settle_event(ChangeRequest(stranger, league.token), step)
    with pytest.raises(NotAllowed):
        change_event(ChangeRequest(player, league.token), make_draft())
    with pytest.raises(NotFound):
        change_event(ChangeRequest(stranger, league.token), make_draft())


def test_finish_reopen_archive_restore(league: League) -> None:
    organiser, token = league.organiser, league.token
    settle_event(ChangeRequest(organiser, token), "finish")
    assert league.fresh().status == EventStatus.FINISHED
    settle_event(ChangeRequest(organiser, token), "reopen")
    assert league.fresh().status == EventStatus.OPEN
    publish(league)
    settle_event(ChangeRequest(organiser, token), "finish")
    settle_event(ChangeRequest(organiser, token), "reopen")
    assert league.fresh().status == EventStatus.RUNNING
    settle_event(ChangeRequest(organiser, token), "archive")
    assert league.fresh().archived_at is not None
    before = league.fresh().version
    settle_event(ChangeRequest(organiser, token), "archive")
    assert before == league.fresh().version, "a second time is no change"
    settle_event(ChangeRequest(organiser, token), "restore")
    assert league.fresh().archived_at is None
    verbs = list(league.event.log.values_list("verb", flat=True)[:6])
    assert verbs == ["restore", "archive", "reopen", "finish", "reopen", "finish"]


def test_finish_event_waits_for_a_draft(league: League) -> None:
    Round.objects.create(event=league.event, number=1, status="draft")
    with pytest.raises(Refusal, match="Publish or discard"):
        settle_event(league.ask(), "finish")


def test_event_keeps_what_its_club_played_when_it_began() -> None:
    load_books()
    organiser = make_person()
    club = make_club(owner=organiser)
    system = registry.load_system(SYSTEM)
    # Of the levels one is none that an event may change.
    levels = {"leader.missing": "note", "points.over_limit": "warning"}
    change_rulings(organiser, club.slug, system, {"C04": 1}, {HOUSE_RULE: True})
    set_levels(organiser, club.slug, SYSTEM, levels)
    plain = create_event(organiser, club.slug, make_draft())
    own = make_draft(house_rules={HOUSE_RULE: False}, levels={"leader.missing": "off"})
    other = create_event(organiser, club.slug, own)
    change_rulings(organiser, club.slug, system, {}, {})
    set_levels(organiser, club.slug, SYSTEM, {})
    event = ClubEvent.objects.get(token=plain)
    assert event.ruling_layers == {"club": {"C04": 1}}
    assert event.house_rules == {HOUSE_RULE: True}
    assert event.levels == levels
    changed = ClubEvent.objects.get(token=other)
    assert changed.house_rules == {HOUSE_RULE: False}
    assert changed.levels == {**levels, "leader.missing": "off"}
    late = ClubEvent.objects.get(token=create_event(organiser, club.slug, make_draft()))
    assert (late.ruling_layers, late.house_rules, late.levels) == ({}, {}, {})


def test_event_takes_over_the_club_when_it_changes_system() -> None:
    load_books()
    organiser = make_person()
    club = make_club(owner=organiser)
    token = create_event(
        organiser, club.slug, make_draft(levels={"leader.missing": "note"})
    )
    set_levels(organiser, club.slug, "mordheim-draft", {"leader.missing": "warning"})
    moved = make_draft(system="mordheim-draft", points_limit=250)
    change_event(ChangeRequest(organiser, token), moved)
    assert ClubEvent.objects.get(token=token).levels == {"leader.missing": "warning"}
