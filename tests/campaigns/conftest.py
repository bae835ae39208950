"""What the tests of events share."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.db import transaction
from django.db.models.signals import post_save

from campaigns.models import EventLog
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.leagues import League, make_league
from tests.campaigns.two_events import TwoEvents, make_two

# The lines of an event's log by what they are about: an entry, a fixture or a step of it, else the
# event itself; with what was and what became, or without.
ABOUT_SOMETHING = frozenset(
    {
        "accept", "add", "admit", "add_fixture", "challenge", "decline", "depart", "drop",
        "enter", "growth_act", "growth_answer", "growth_found", "growth_objectives",
        "growth_take_back", "hand_in", "message", "rejoin", "remove_fixture",
        "revoke_waiver", "swap", "unlock_list", "waive",
    }
)  # fmt: skip
ABOUT_SOMETHING_CHANGED = frozenset(
    {"change_entry", "change_fixture", "check_list", "decide"}
)
ABOUT_THE_EVENT = frozenset(
    {
        "add_round", "archive", "discord_off", "discord_on", "finish", "make", "pair_late",
        "plan", "plan_first", "publish_lists", "remind_lists", "remove_round",
        "renew_calendars", "reopen", "restore", "screen_off", "screen_on", "withdraw_lists",
    }
)  # fmt: skip
ABOUT_THE_EVENT_CHANGED = frozenset(
    {
        "change", "change_round", "close", "draw", "growth_rules", "mark_paid", "publish",
        "reopen_round", "score_players",
    }
)  # fmt: skip


def is_told(line: EventLog) -> bool:
    """Whether a line says what it is about, and what changed where its verb has such a thing."""
    told = (bool(line.subject), bool(line.changes))
    if line.verb == "withdraw":  # a challenge or a round
        return told in {(True, False), (False, True)}
    if line.verb.startswith("result_"):
        return told[0]
    kinds = {
        (True, False): ABOUT_SOMETHING,
        (True, True): ABOUT_SOMETHING_CHANGED,
        (False, False): ABOUT_THE_EVENT,
        (False, True): ABOUT_THE_EVENT_CHANGED,
    }
    return line.verb in kinds[told]


@pytest.fixture(scope="session", autouse=True)
def _log_tells_what_it_is_about() -> Iterator[None]:
    """Every line that any test of events writes is checked."""

    def check(instance: EventLog, **_: object) -> None:
        assert is_told(instance), (instance.verb, instance.subject, instance.changes)

    post_save.connect(check, sender=EventLog)
    yield
    post_save.disconnect(check, sender=EventLog)


@pytest.fixture(scope="module")
def module_rows(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """What is made with it is there for all tests of a file, each of which takes back its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


# A file with another league or campaign for its tests defines `kept_league` or `kept_campaign`.


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """A Swiss league of four members of a club."""
    return make_league(players=4)


@pytest.fixture(scope="module")
def kept_pair(module_rows: None) -> League:
    return make_league(players=2)


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    """Two players with grown warbands in a published round."""
    return make_growing(players=2)


@pytest.fixture(scope="module")
def kept_two(module_rows: None) -> TwoEvents:
    return make_two()


@pytest.fixture
def league(kept_league: League, db: None) -> League:
    return deepcopy(kept_league)


@pytest.fixture
def pair(kept_pair: League, db: None) -> League:
    """A Swiss league of Ada and Ben."""
    return deepcopy(kept_pair)


@pytest.fixture
def campaign(kept_campaign: Campaign, db: None) -> Campaign:
    return deepcopy(kept_campaign)


@pytest.fixture
def two(kept_two: TwoEvents, db: None) -> TwoEvents:
    return deepcopy(kept_two)
