"""Every field of an event's terms is kept when it is made and when it is changed."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps

from accounts.owner import Owner
from campaigns.operations.events import change_event, create_event
from campaigns.operations.log import ChangeRequest
from campaigns.queries.events import load_event
from campaigns.queries.records import EventTerms
from engine.tournament.types import Scoring
from tests.factories import SYSTEM, make_club, make_person

MOMENT = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)
DRAFT, RULINGS = "mordheim-draft", "mordheim-rulings"
USUAL = EventTerms("League", "league", "swiss", SYSTEM)
# For each field the draft with its unusual value, and where it needs others, those too.
DRAFTS: Mapping[str, Mapping[str, Any]] = {
    "name": {"name": "Zoë’s “Long” winter"}, "kind": {"kind": "night", "method": "present"},
    "method": {"method": "robin"}, "system": {"system": DRAFT},
    "variant": {"system": RULINGS, "variant": "B"}, "points_limit": {"points_limit": 137},
    "description": {"description": "Bring\na pencil."},
    "place": {"place": "Harbour Street 7"}, "legs": {"method": "robin", "legs": 2},
    "rounds_planned": {"rounds_planned": 9},
    "odd": {"kind": "night", "method": "present", "odd": "three"}, "tables": {"tables": 11},
    "visibility": {"visibility": "public"}, "starts_at": {"starts_at": MOMENT},
    "capacity": {"capacity": 24}, "entries_close_at": {"entries_close_at": MOMENT},
    "lists_due_at": {"lists_due_at": MOMENT, "needs_list": True},
    "scenarios": {"scenarios": ["border-skirmish"]},
    "house_rules": {"house_rules": {"swarms_no_injury_roll": True}},
    "ruling_layers": {"ruling_layers": {"event": {"C04": 1}}},
    "levels": {"levels": {"leader.missing": "note"}}, "needs_list": {"needs_list": True},
    "is_secret": {"is_secret": False},
    "has_one_list": {"has_one_list": True, "needs_list": True},
    "has_core": {"has_core": True, "needs_list": True},
    "shows_treasury": {"kind": "campaign", "method": "challenge", "shows_treasury": True},
    "scoring": {"scoring": Scoring(win=5, draw=2, loss=1, bye=4, unplayed=-1)},
    "missed_round": {"missed_round": "draw"},
    "score_name": {"score_name": "Victory points"},
    "score_max": {"score_max": 20, "score_name": "Victory points"},
    "player_score_name": {"player_score_name": "Painting"},
    "tie_breaks": {"tie_breaks": ["wins"]}, "confirm_days": {"confirm_days": 11},
    "confirmation": {"confirmation": "organiser"},
}  # fmt: skip


def agreed(actor: Owner, token: str) -> dict[str, Any]:
    """What an event agrees on, as everybody who reads it is told."""
    found = load_event(actor, token)
    assert found is not None
    return {one.name: getattr(found, one.name) for one in fields(EventTerms)}


def plain(value: Any) -> Any:
    """As JSON, so that a tuple and a list are the same."""
    value = asdict(value) if isinstance(value, Scoring) else value
    return json.loads(json.dumps(value, default=str))


@pytest.mark.parametrize("name", DRAFTS)
@pytest.mark.django_db
def test_field_of_an_event_is_kept_when_made_and_when_changed(name: str) -> None:
    ada = make_person()
    club = make_club(owner=ada)
    unusual = replace(USUAL, **DRAFTS[name])
    made = create_event(ada, club.slug, unusual)
    assert plain(agreed(ada, made)[name]) == plain(getattr(unusual, name))
    token = create_event(ada, club.slug, USUAL)
    assert plain(agreed(ada, token)[name]) != plain(getattr(unusual, name))
    change_event(ChangeRequest(ada, token), unusual)
    assert agreed(ada, token) == agreed(ada, made)
    row = apps.get_model("campaigns", "ClubEvent").objects.get(token=token)
    changes = row.log.order_by("-pk").first().changes
    columns = (
        [key for key in changes if key.startswith("points_")]
        if name == "scoring"
        else [name]
    )
    assert set(columns) <= set(changes)
    assert columns


def test_every_field_of_an_event_has_an_unusual_value() -> None:
    assert {one.name for one in fields(EventTerms)} == set(DRAFTS)
