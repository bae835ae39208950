"""Every field of an entry, a roster, a combatant and an event's terms goes wherever such a thing is
copied to.

A field that is added and not told to one of these copies is lost there without a fault. Each field
has an unusual value here. A flag, a number or a text of an entry has one by its type; any other
field without one fails `test_every_field_has_an_unusual_value`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, fields, replace
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from accounts.errors import KeyReused
from accounts.owner import Owner
from battles.combatants import LockedCombatant, SideLineup, field_of, from_locked, to_locked
from battles.operations.sides import QuickSide, WarbandSide
from campaigns.operations.events import change_event, create_event
from campaigns.operations.log import ChangeRequest
from campaigns.queries.events import load_event
from campaigns.queries.records import EventTerms
from engine.battles.types import Combatant
from engine.roster import (
    ChangedFigure,
    EntryGrowth,
    Roster,
    RosterEntry,
    RosterGrowth,
)
from engine.tournament.types import Scoring
from tests.factories import EMPIRE, SYSTEM, make_battle, make_club, make_person, make_user
from warbands.exchange.document import parse, to_document
from warbands.exchange.text import as_markdown, as_text
from warbands.operations import warbands as warband_operations
from warbands.operations import warriors as warrior_operations
from warbands.operations.transaction import WriteContext
from warbands.pdf.groups import groups_of
from warbands.pdf.roster_page import roster_body
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband, sheet_of, sheet_of_roster
from warbands.roster_fields import ENTRY_FIELDS, growth_json
from warbands.sheet.difference import difference
from warbands.sheet.frozen import from_json, to_json
from warbands.sheet.structure import RosterSheet

SOLDIER, EMPTY = RosterEntry("halberdiers"), Roster(SYSTEM, EMPIRE)

# --- Entries --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unusual:
    """A value that a field hardly ever has, and how it shows.

    `of` is the entry it is set on; `sheet` the field of the sheet that shows it and what it holds
    there (None: the value itself); `words` stand in the text, `told` in the difference to the entry
    without it ("": nowhere, None: whatever it is that is written there).
    """

    value: Any
    sheet: str
    words: str | None = None
    told: str | None = None
    of: RosterEntry = SOLDIER
    shown: Any = None
    is_in_document: bool = True


KEPT = 4
GROWN = EntryGrowth(
    "Hero", 9, (4, 8, 13), (ChangedFigure("WS", 3, 4),), (("Fleet", "Moves further."),),
    ("Bad leg",), (("Long glass", ""),), (1,), "Sewer",
)  # fmt: skip
ENTRY = {
    "profile": Unusual("free-company", "profile_key", "Free Company", "+1 Free Company"),
    "name": Unusual("Zoë “Ferret” O'Hara", "name", "Zoë “Ferret” O'Hara", "now called “Zoë"),
    "count": Unusual(7, "count", "7x Halberdier", "+6 Halberdier"),
    "is_leader": Unusual(
        True, "is_leader", "(leader)", "Captain leads instead of nobody", RosterEntry("captain")
    ),
    "options": Unusual(("shield", "light-armour"), "gear", "Shield, Light armour", "Shield added",
                       RosterEntry("captain"), ("Hand weapon", "Shield", "Light armour")),
    "lore": Unusual("Lore of Shadows", "lore", "Lore of Shadows", "Lore of Shadows",
                    RosterEntry("battle-wizard")),
    "note": Unusual("Owes Otto\nthree crowns", "note", "three crowns", ""),
    "id": Unusual(None, "id", "", "", is_in_document=False),
    "kept": Unusual(KEPT, "points_each", f"{KEPT} pts", "pts less", is_in_document=False),
    "growth": Unusual(GROWN, "growth", "WS 4 (printed 3)", "Skills: Fleet"),
}  # fmt: skip


def by_type(field: Field[Any]) -> Any:
    """Another value than the default of a flag, a number or a text; None for any other field."""
    if isinstance(field.default, bool):
        return not field.default
    if isinstance(field.default, int):
        return field.default + 3
    return "Odd words" if isinstance(field.default, str) else None


ENTRY |= {
    one.name: Unusual(by_type(one), one.name)
    for one in fields(RosterEntry)
    if one.name not in ENTRY and by_type(one) is not None
}


def roster_with(name: str) -> Roster:
    """A roster of one entry, which has the field's unusual value."""
    entry = replace(ENTRY[name].of, **{name: ENTRY[name].value})
    return Roster(SYSTEM, EMPIRE, name="The Ferrymen", warriors=(entry,))


def plain_roster(name: str) -> Roster:
    """The same without it, and with nobody else."""
    return Roster(SYSTEM, EMPIRE, name="The Ferrymen", warriors=(ENTRY[name].of,))


def stored(actor: Owner, roster: Roster) -> str:
    """The token of a warband with this roster.

    A price that is kept is no document's, and growth that is read stays no growth: both are put on
    the row.
    """
    token = warband_operations.import_document(
        WriteContext(actor), to_document(roster)
    ).token
    for row, entry in zip(rows_of(token), roster.warriors, strict=True):
        if entry.kept is not None:
            row.paid_each, row.keeps_price = entry.kept, True
            row.save()
        if entry.growth is not None:
            row.growth, row.note = growth_json(entry.growth), entry.note
            row.save()
    if roster.growth is not None:
        rows = apps.get_model("warbands", "Warband").objects.filter(token=token)
        rows.update(growth=growth_json(roster.growth), note=roster.note)
    return token


def rows_of(token: str) -> list[Any]:
    rows = apps.get_model("warbands", "Warrior").objects.filter(warband__token=token)
    return list(rows.order_by("position"))


def record(actor: Owner, token: str) -> WarbandRecord:
    found = load_warband(actor, token)
    assert found is not None
    return found


def first(actor: Owner, token: str) -> RosterEntry:
    return record(actor, token).roster.warriors[0]


@pytest.mark.parametrize("name", [name for name in ENTRY if name != "id"])
@pytest.mark.django_db
def test_field_of_an_entry_is_in_its_row_after_any_change(name: str) -> None:
    ada = make_person()
    token = stored(ada, roster_with(name))
    entry = first(ada, token)
    assert getattr(entry, name) == ENTRY[name].value
    warrior_operations.add_warrior(
        WriteContext(ada, token), warrior_operations.WarriorDraft("archers")
    )
    warrior_operations.move_warrior(WriteContext(ada, token), entry.id or 0, 1)
    moved = next(one for one in record(ada, token).roster.warriors if one.id == entry.id)
    assert moved == entry
    warrior_operations.move_warrior(WriteContext(ada, token), entry.id or 0, 0)
    # A copy is bought anew, at today's price, and has grown in no campaign.
    if name not in ("kept", "growth"):
        copied = first(
            ada, warband_operations.duplicate_warband(WriteContext(ada, token)).token
        )
        assert getattr(copied, name) == ENTRY[name].value


@pytest.mark.parametrize("name", ENTRY)
@pytest.mark.django_db
def test_field_of_an_entry_is_put_back_by_undo(name: str) -> None:
    ada = make_person()
    token = stored(ada, roster_with(name))
    before = first(ada, token)
    held = json.loads(json.dumps(to_document(plain_roster("profile"))))
    for change in (
        lambda: warrior_operations.remove_warrior(WriteContext(ada, token), before.id or 0),
        lambda: warband_operations.replace_roster(
            WriteContext(ada, token), {**held, "warriors": [{"profile": "archers"}]}
        ),
        lambda: warrior_operations.change_warrior(
            WriteContext(ada, token), before.id or 0, note="Another"
        ),
    ):
        change()
        warband_operations.undo_last_change(WriteContext(ada, token))
        assert first(ada, token) == before


@pytest.mark.parametrize("name", [name for name in ENTRY if ENTRY[name].is_in_document])
def test_field_of_an_entry_is_in_the_document(name: str) -> None:
    document = json.loads(json.dumps(to_document(roster_with(name))))
    assert parse(document) == roster_with(name)
    assert document != to_document(plain_roster(name))


@pytest.mark.parametrize("name", [name for name in ENTRY if ENTRY[name].words != ""])
@pytest.mark.django_db
def test_field_of_an_entry_is_in_the_text(name: str) -> None:
    ada = make_person()
    text = as_text(sheet_of(record(ada, stored(ada, roster_with(name)))))
    plain = as_text(sheet_of(record(ada, stored(ada, plain_roster(name)))))
    words = text if ENTRY[name].words is None else ENTRY[name].words
    assert (words in text, words in plain) == (True, False)


@pytest.mark.parametrize("name", ENTRY)
@pytest.mark.django_db
def test_field_of_an_entry_is_in_the_snapshot_of_a_battle(name: str) -> None:
    ada, unusual = make_person(), ENTRY[name]
    token = stored(ada, roster_with(name))
    entry = first(ada, token)
    sheet = from_json(
        json.loads(json.dumps(to_json(sheet_of(record(ada, token))))), RosterSheet
    )
    locked = locked_sheet(ada, token)
    wanted = getattr(entry, name) if unusual.shown is None else unusual.shown
    assert wanted is not None
    for one in (sheet, locked):
        assert getattr(one.warriors[0], unusual.sheet) == wanted
    if name == "id":
        return
    plain = sheet_of(record(ada, stored(ada, plain_roster(name))))
    assert getattr(plain.warriors[0], unusual.sheet) != wanted


def locked_sheet(actor: Owner, token: str) -> RosterSheet:
    """The sheet of a warband as a battle keeps it in its row."""
    make_battle(actor=actor, sides=(WarbandSide(token), QuickSide("Night Watch", 8, 7)))
    row = apps.get_model("warbands", "Warband").objects.get(token=token).snapshots.get()
    return from_json(row.sheet, RosterSheet)


@pytest.mark.parametrize("name", [name for name in ENTRY if ENTRY[name].told != ""])
@pytest.mark.django_db
def test_field_of_an_entry_shows_in_the_difference(name: str) -> None:
    ada = make_person()
    token = stored(ada, plain_roster(name))
    before = sheet_of(record(ada, token))
    after = sheet_of(record(ada, stored(ada, roster_with(name))))
    told = "; ".join(difference(before, after))
    assert told
    assert (ENTRY[name].told or "") in told


# Other fields are shown by them, or they are printed for each member of a group.
EACH_ITS_OWN = {"id", "name", "count", "is_leader"}
TEXTS = [one.field for one in ENTRY_FIELDS if one.form in ("text", "lines")]


@pytest.mark.parametrize("name", [name for name in ENTRY if name not in EACH_ITS_OWN])
def test_field_of_an_entry_parts_groups_of_the_pdf(name: str) -> None:
    entries = (*plain_roster(name).warriors, *roster_with(name).warriors)
    assert len(groups_of(sheet_of_roster(replace(EMPTY, warriors=entries)))) == 2


@pytest.mark.parametrize("name", [name for name in ENTRY if name != "id"])
def test_field_of_an_entry_is_in_the_pdf(name: str) -> None:
    plain, unusual = (
        roster_body(sheet_of_roster(roster), is_big=False)
        for roster in (plain_roster(name), roster_with(name))
    )
    assert plain != unusual


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.django_db
def test_text_of_an_entry_is_changed_in_the_builder_and_on_the_sheet(
    client: Client, name: str
) -> None:
    user = make_user()
    client.force_login(user)
    owner = Owner(user_id=user.pk)
    token = stored(owner, plain_roster(name))
    place = [token, first(owner, token).id]
    assert (
        f'name="{name}"' in client.get(reverse("warrior-read", args=place)).content.decode()
    )
    client.post(reverse("warrior-change", args=place), {name: "Oddly", "key": "a-change"})
    assert getattr(first(owner, token), name) == "Oddly"
    sheet = client.get(reverse("sheet-read", args=[token])).content.decode()
    # A note is printed in the PDF and not on the page.
    assert ("Oddly" in sheet) is (name != "note")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.django_db
def test_text_of_an_entry_tells_its_change_from_others(name: str) -> None:
    """In the history, and from another request under the same key."""
    ada = make_person()
    token = stored(ada, plain_roster(name))
    warrior, asked = first(ada, token).id or 0, WriteContext(ada, token, key="a-change")
    done = warrior_operations.change_warrior(asked, warrior, **as_change(name, "Oddly"))
    assert done.summary.endswith("note changed") is (name == "note")
    with pytest.raises(KeyReused):
        warrior_operations.change_warrior(asked, warrior, **as_change(name, "Otherwise"))


def as_change(name: str, value: str) -> Any:
    return {name: value}


# --- Rosters --------------------------------------------------------------------------------------------------------


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
    """A profile that its army has."""
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
        assert (unusual.words in as_text(after), unusual.words in as_text(before)) == (
            True,
            False,
        )
        assert as_markdown(after) != as_markdown(before)
    frozen = json.loads(json.dumps(to_json(after)))
    assert from_json(frozen, RosterSheet) == after
    assert (frozen != to_json(before)) or name == "variant"
    assert unusual.told in "; ".join(difference(before, after))


# --- Combatants -----------------------------------------------------------------------------------------------------

COMBATANT = {
    "id": "a17",
    "side": "c",
    "name": "Zoë “Ferret”",
    "wounds": 5,
    "leadership": 3,
    "is_leader": True,
    "models": 19,
    "kinds": ("big", "odd"),
}


@pytest.mark.parametrize("name", COMBATANT)
def test_field_of_a_combatant_is_locked_with_the_battle(name: str) -> None:
    """Through what the battle's row keeps, to the fold and to the browser's."""
    usual = LockedCombatant("a1", "a", "Model 1")
    fighter = replace(usual, **{name: COMBATANT[name]})
    kept = json.loads(json.dumps(to_locked([SideLineup("a", "Ferrymen", (fighter,))])))
    (side,) = from_locked(kept)
    assert side.fighters == (fighter,)
    (folded,) = field_of([side]).sides[0].combatants
    assert getattr(folded, name) == COMBATANT[name] != getattr(usual, name)
    told = json.loads(json.dumps(field_of([side]).to_json()))["sides"][0]["combatants"][0]
    assert told[name] == json.loads(json.dumps(COMBATANT[name]))


# --- Events ---------------------------------------------------------------------------------------------------------

USUAL = EventTerms("League", "league", "swiss", SYSTEM)
# For each field the draft with its unusual value, and where it needs others, those too.
DRAFTS: Mapping[str, Mapping[str, Any]] = {
    "name": {"name": "Zoë’s “Long” winter"},
    "kind": {"kind": "night", "method": "present"},
    "method": {"method": "robin"},
    "system": {"system": DRAFT},
    "variant": {"system": RULINGS, "variant": "B"},
    "points_limit": {"points_limit": 137},
    "description": {"description": "Bring\na pencil."},
    "place": {"place": "Harbour Street 7"},
    "legs": {"method": "robin", "legs": 2},
    "rounds_planned": {"rounds_planned": 9},
    "odd": {"kind": "night", "method": "present", "odd": "three"},
    "tables": {"tables": 11},
    "visibility": {"visibility": "public"},
    "scenarios": {"scenarios": ["border-skirmish"]},
    "house_rules": {"house_rules": {"swarms_no_injury_roll": True}},
    "ruling_layers": {"ruling_layers": {"event": {"C04": 1}}},
    "levels": {"levels": {"leader.missing": "note"}},
    "needs_list": {"needs_list": True},
    "is_secret": {"is_secret": False},
    "has_one_list": {"has_one_list": True, "needs_list": True},
    "has_core": {"has_core": True, "needs_list": True},
    "scoring": {"scoring": Scoring(win=5, draw=2, loss=1, bye=4, unplayed=-1)},
    "tie_breaks": {"tie_breaks": ["wins"]},
    "confirm_days": {"confirm_days": 11},
    "confirmation": {"confirmation": "organiser"},
}


def agreed(actor: Owner, token: str) -> dict[str, Any]:
    """What an event agrees on, as everybody who reads it is told."""
    found = load_event(actor, token)
    assert found is not None
    return {one.name: getattr(found, one.name) for one in fields(EventTerms)}


def plain(value: Any) -> Any:
    """As JSON, so that a tuple and a list are the same."""
    return json.loads(json.dumps(asdict(value) if isinstance(value, Scoring) else value))


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


# --- All of them ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "of,known",
    [(RosterEntry, ENTRY), (Roster, ROSTER), (Combatant, COMBATANT), (EventTerms, DRAFTS)],
    ids=["entry", "roster", "combatant", "event"],
)
def test_every_field_has_an_unusual_value(of: Any, known: Mapping[str, Any]) -> None:
    assert {one.name for one in fields(of)} == set(known)
