"""What the tests of events share."""

from collections.abc import Iterator

import pytest
from django.db.models.signals import post_save

from campaigns.models import EventLog
from tests.campaigns.leagues import League, make_league

# The lines of an event's log by what they are about: an entry, a fixture or a step of it, else the
# event itself; with what was and what became, or without.
ABOUT_SOMETHING = frozenset(
    {
        "accept",
        "add",
        "add_fixture",
        "challenge",
        "decline",
        "depart",
        "drop",
        "enter",
        "growth_act",
        "growth_answer",
        "growth_found",
        "growth_objectives",
        "growth_take_back",
        "hand_in",
        "rejoin",
        "remove_fixture",
        "revoke_waiver",
        "swap",
        "unlock_list",
        "waive",
    }
)
ABOUT_SOMETHING_CHANGED = frozenset(
    {
        "change_entry",
        "change_fixture",
        "decide",
    }
)
ABOUT_THE_EVENT = frozenset(
    {
        "add_round",
        "archive",
        "finish",
        "make",
        "pair_late",
        "plan",
        "publish_lists",
        "remove_round",
        "renew_calendars",
        "reopen",
        "restore",
        "withdraw_lists",
    }
)
ABOUT_THE_EVENT_CHANGED = frozenset(
    {
        "change",
        "change_round",
        "close",
        "draw",
        "growth_rules",
        "publish",
        "reopen_round",
    }
)


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


@pytest.fixture
def league() -> League:
    """A Swiss league of four members of a club."""
    return make_league(players=4)
