"""What is different between two sheets of a warband, in words a player would use."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.roster import Roster, RosterEntry
from tests.factories import EMPIRE, SYSTEM
from warbands.queries.warbands import sheet_of_roster
from warbands.sheet.difference import difference

BEFORE = Roster(
    SYSTEM,
    EMPIRE,
    name="The Ferrymen",
    points_limit=150,
    warriors=(
        RosterEntry(
            "captain", "Ostwin", is_leader=True, options=("halberd", "shield"), id=1
        ),
        RosterEntry("swordsmen", count=3, id=2),
        RosterEntry("halberdiers", count=2, id=3),
    ),
)


def entry(index: int, **fields: Any) -> Callable[[Roster], Roster]:
    def change(roster: Roster) -> Roster:
        warriors = list(roster.warriors)
        warriors[index] = replace(warriors[index], **fields)
        return replace(roster, warriors=tuple(warriors))

    return change


def added(*entries: RosterEntry) -> Callable[[Roster], Roster]:
    return lambda roster: replace(roster, warriors=(*roster.warriors, *entries))


def without(index: int) -> Callable[[Roster], Roster]:
    return lambda roster: replace(
        roster,
        warriors=tuple(e for place, e in enumerate(roster.warriors) if place != index),
    )


def header(**fields: Any) -> Callable[[Roster], Roster]:
    return lambda roster: replace(roster, **fields)


CASES: list[tuple[Callable[[Roster], Roster], list[str]]] = [
    (header(), []),
    (header(note="Meet at eight"), []),
    (entry(1, count=4), ["+1 Swordsman", "7 pts more"]),
    (without(2), ["−2 Halberdier", "12 pts less"]),
    (added(RosterEntry("halberdiers", count=1, id=9)), ["+1 Halberdier", "6 pts more"]),
    (entry(0, options=("halberd",)), ["Ostwin: Shield dropped", "2 pts less"]),
    (
        entry(0, options=("halberd", "shield", "light-armour")),
        ["Ostwin: Light armour added", "2 pts more"],
    ),
    (entry(0, name="Jost"), ["Ostwin: now called “Jost”"]),
    (entry(0, name=""), ["Ostwin: name taken off"]),
    (header(points_limit=200), ["points limit 200 instead of 150"]),
    (header(points_limit=None), ["points limit none instead of 150"]),
    (header(name="Night Watch"), ["renamed “Night Watch”"]),
]


@pytest.mark.parametrize("change,sentences", CASES)
def test_difference_in_words(change, sentences):
    found = difference(sheet_of_roster(BEFORE), sheet_of_roster(change(BEFORE)))
    assert list(found) == sentences


def test_several_at_once_as_people_say_it() -> None:
    after = entry(1, count=4)(entry(0, options=("halberd",))(without(2)(BEFORE)))
    assert ", ".join(difference(sheet_of_roster(BEFORE), sheet_of_roster(after))) == (
        "+1 Swordsman, −2 Halberdier, Ostwin: Shield dropped, 7 pts less"
    )


def test_one_split_off_is_no_change_in_numbers() -> None:
    split = entry(1, count=2)(added(RosterEntry("swordsmen", count=1, id=7))(BEFORE))
    assert difference(sheet_of_roster(BEFORE), sheet_of_roster(split)) == ()


def test_rosters_without_ids_are_matched_by_profile_and_name() -> None:
    bare = replace(BEFORE, warriors=tuple(replace(e, id=None) for e in BEFORE.warriors))
    turned = replace(bare, warriors=tuple(reversed(bare.warriors)))
    assert difference(sheet_of_roster(bare), sheet_of_roster(turned)) == ()
    assert (
        difference(sheet_of_roster(bare), sheet_of_roster(entry(1, count=5)(bare)))[0]
        == "+2 Swordsman"
    )


def test_another_leader_is_told() -> None:
    heir = added(RosterEntry("captain", "Jost", id=8))(BEFORE)
    after = entry(3, is_leader=True)(entry(0, is_leader=False)(heir))
    assert difference(sheet_of_roster(heir), sheet_of_roster(after)) == (
        "Jost leads instead of Ostwin",
    )


def test_points_are_told_only_where_they_count() -> None:
    before = sheet_of_roster(BEFORE)
    after = replace(sheet_of_roster(entry(1, count=4)(BEFORE)), counts_points=False)
    assert difference(before, after) == ("+1 Swordsman",)
