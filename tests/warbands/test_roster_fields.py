"""Every field of a roster goes wherever a roster is copied to."""

import json
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from engine.roster import Roster, RosterEntry, RosterGrowth
from tests.factories import EMPIRE, SYSTEM, as_words, make_person
from tests.warbands.stored_rosters import record, stored
from warbands.exchange.document import parse, to_document
from warbands.exchange.text import as_markdown, as_text
from warbands.operations import warbands as warband_operations
from warbands.operations import warriors as warrior_operations
from warbands.operations.transaction import WriteContext
from warbands.queries.warbands import sheet_of_roster
from warbands.sheet.difference import difference
from warbands.sheet.frozen import from_json, to_json
from warbands.sheet.structure import RosterSheet

EMPTY = Roster(SYSTEM, EMPIRE)


@dataclass(frozen=True)
class Header:
    """An unusual value of a roster's field; `of` is the roster it is set on, the rest as of
    `Unusual`.
    """

    value: Any
    words: str
    told: str
    of: Roster = EMPTY


MEN = (
    RosterEntry("captain", "Ostwin", is_leader=True),
    RosterEntry("halberdiers", count=2),
)
DRAFT, RULINGS = "mordheim-draft", "mordheim-rulings"
ROSTER = {
    "system": Header(DRAFT, "Mordheim", ""),
    "army": Header("skaven", "Skaven", "Skaven instead of The Empire"),
    "name": Header("Zoë’s “Ferrets”", "Zoë’s “Ferrets”", "renamed “Zoë’s “Ferrets””"),
    "points_limit": Header(137, "/ 137 pts", "points limit 137 instead of none"),
    "variant": Header("B", "", "", Roster(RULINGS, EMPIRE, variant="A")),
    "scenario": Header("border-skirmish", "scenario Border skirmish", ""),
    "house_rules": Header({"swarms_no_injury_roll": True}, "House rules: Swarms wear away",
                          "house rule Swarms wear away added"),
    "rulings": Header({"C04": 1}, "How many criticals a phase: No limit.",
                      "ruling How many criticals a phase: No limit. added"),
    "warriors": Header(MEN, "Ostwin", "+2 Halberdier"),
    "note": Header("Meet at eight\nsharp", "Meet at eight\nsharp", ""),
    "growth": Header(RosterGrowth("Long winter", "Muster campaign", 151, (("crowns", 12),)),
                     "Treasury: 12 crowns", "Treasury: 12 crowns"),
    "tags": Header(("middenheim",), "Middenheim", "tag Middenheim added", Roster(DRAFT, EMPIRE)),
}  # fmt: skip
FIXED = {"system", "army", "variant"}
"""What a warband is from its making on."""


def header_with(name: str) -> Roster:
    return replace(ROSTER[name].of, **{name: ROSTER[name].value})


def without_ids(roster: Roster) -> Roster:
    return replace(roster, warriors=tuple(replace(one, id=None) for one in roster.warriors))


@pytest.mark.parametrize("name", ROSTER)
@pytest.mark.django_db
def test_field_of_a_roster_is_in_its_row_and_put_back_by_undo(name: str) -> None:
    ada, wanted = make_person(), header_with(name)
    token = stored(ada, wanted)
    assert without_ids(record(ada, token).roster) == wanted
    warrior_operations.add_warrior(
        WriteContext(ada, token),
        warrior_operations.WarriorDraft(sheet_army_profile(wanted)),
    )
    warband_operations.undo_last_change(WriteContext(ada, token))
    assert without_ids(record(ada, token).roster) == wanted
    # Growth is its campaign's: what a document says of it is told in the notes.
    if name == "growth":
        return
    if name not in FIXED:
        warband_operations.replace_roster(
            WriteContext(ada, token), to_document(ROSTER[name].of)
        )
        assert without_ids(record(ada, token).roster) == ROSTER[name].of
        warband_operations.undo_last_change(WriteContext(ada, token))
        assert without_ids(record(ada, token).roster) == wanted
    copied = record(
        ada, warband_operations.duplicate_warband(WriteContext(ada, token)).token
    ).roster
    assert replace(without_ids(copied), name=wanted.name) == wanted


def sheet_army_profile(roster: Roster) -> str:
    return "clanrats" if roster.army == "skaven" else "halberdiers"


@pytest.mark.parametrize("name", ROSTER)
@pytest.mark.django_db
def test_field_of_a_roster_is_in_document_text_snapshot_and_difference(name: str) -> None:
    wanted, plain, unusual = header_with(name), ROSTER[name].of, ROSTER[name]
    document = json.loads(json.dumps(to_document(wanted)))
    assert parse(document) == wanted
    assert document != to_document(plain)
    before, after = sheet_of_roster(plain), sheet_of_roster(wanted)
    if unusual.words:
        assert (
            unusual.words in as_words(as_text, after),
            unusual.words in as_words(as_text, before),
        ) == (True, False)
        assert as_words(as_markdown, after) != as_words(as_markdown, before)
    frozen = json.loads(json.dumps(to_json(after)))
    assert from_json(frozen, RosterSheet) == after
    assert (frozen != to_json(before)) or name == "variant"
    assert unusual.told in "; ".join(difference(before, after))


def test_every_field_of_a_roster_has_an_unusual_value() -> None:
    assert {one.name for one in fields(Roster)} == set(ROSTER)
