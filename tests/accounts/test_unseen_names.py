"""A name of which nothing can be seen is refused wherever a name is typed."""

from collections.abc import Callable

import pytest

from accounts.operations.clubs import create_club
from accounts.operations.people import rename_person
from battles.combatants import quick_lineup
from campaigns.operations.entries import add_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import RoundDraft, add_round
from engine.errors import Refusal
from engine.text import clean_line, text_fault
from tests.campaigns.leagues import make_event, make_league
from tests.factories import make_user, make_warband, make_warrior

UNSEEN = (
    "\u200b", "\u200d\u200d", "\u2060\ufeff", "\u0301", "\u00ad", "\u3164", "\u115f\u1160",
    "\uffa0", "\u2800", " \u200b ", "\U000e0041",
)  # fmt: skip
SEEN = ("Åda", "🏴‍☠️", "a\u200db", "شيماء", "ଳ", "1", "!")

PLACES: dict[str, Callable[[str], object]] = {
    "person": lambda name: rename_person(make_user().pk, name),
    "club": lambda name: create_club(name=name, owner_id=make_user().pk),
    "event": lambda name: make_event(name=name),
    "guest": lambda name: _guest(name),
    "round": lambda name: _round(name),
    "warband": lambda name: make_warband(name=name),
    "warrior": lambda name: make_warrior(warband=make_warband(), name=name),
    "quick side": lambda name: quick_lineup("a", name, 3, None),
}


def _guest(name: str) -> str:
    league = make_league(players=0)
    return add_entry(ChangeRequest(league.organiser, league.token), name=name)


def _round(name: str) -> int:
    league = make_league(players=0)
    return add_round(ChangeRequest(league.organiser, league.token), RoundDraft(name=name))


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_unseen_is_a_fault(name: str) -> None:
    assert "only invisible characters" in text_fault(name, 60)
    with pytest.raises(Refusal, match="only invisible characters"):
        clean_line(name, field="Name", limit=60)


@pytest.mark.parametrize("name", SEEN)
def test_whatever_shows_is_a_name(name: str) -> None:
    assert text_fault(name, 60) == ""
    assert clean_line(name, field="Name", limit=60)


@pytest.mark.django_db
@pytest.mark.parametrize("place", PLACES)
def test_no_place_takes_an_unseen_name(place: str) -> None:
    for name in ("\u200b\u200d", "\u3164"):
        with pytest.raises(Refusal, match="only invisible characters"):
            PLACES[place](name)
