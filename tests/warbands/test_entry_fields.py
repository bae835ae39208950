"""Every field of an entry goes wherever an entry is copied to.

A field that is added and not told to one of these copies is lost there without a fault. Each field
has an unusual value here. A flag, a number or a text of an entry has one by its type; any other
field without one fails `test_every_field_of_an_entry_has_an_unusual_value`.
"""

import json
from dataclasses import Field, dataclass, fields, replace
from typing import Any

import pytest
from django.apps import apps
from django.urls import reverse

from accounts.errors import KeyReused
from accounts.owner import Owner
from battles.operations.sides import QuickSide, WarbandSide
from engine.roster import ChangedFigure, EntryGrowth, Roster, RosterEntry
from tests.factories import EMPIRE, SYSTEM, as_words, make_battle, make_person, make_user
from tests.guards.forms import forms_in
from tests.warbands.stored_rosters import record, stored
from warbands.exchange.document import parse, to_document
from warbands.exchange.text import as_text
from warbands.operations import warbands as warband_operations
from warbands.operations import warriors as warrior_operations
from warbands.operations.transaction import WriteContext
from warbands.pdf.phrases import list_groups
from warbands.pdf.roster_page import roster_body
from warbands.queries.warbands import sheet_of, sheet_of_roster
from warbands.roster_fields import EDITED_FIELDS, ENTRY_FIELDS
from warbands.sheet.difference import difference
from warbands.sheet.frozen import from_json, to_json
from warbands.sheet.structure import RosterSheet
from warbands.views.sheets import drawn_warriors

SOLDIER, EMPTY = RosterEntry("halberdiers"), Roster(SYSTEM, EMPIRE)


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
    "options": Unusual(("shield", "light-armour"), "gear", "with Shield, Light Armour", "Shield added",
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
    return Roster(SYSTEM, EMPIRE, name="The Ferrymen", warriors=(ENTRY[name].of,))


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


def test_document_of_a_plain_entry_has_no_further_keys() -> None:
    """A field that came later is optional: documents without it stay as they were."""
    (plain,) = to_document(replace(EMPTY, warriors=(SOLDIER,)))["warriors"]
    assert set(plain) == {"profile", "name", "count", "leader", "options"}


@pytest.mark.parametrize("name", [name for name in ENTRY if ENTRY[name].words != ""])
@pytest.mark.django_db
def test_field_of_an_entry_is_in_the_text(name: str) -> None:
    ada = make_person()
    text = as_words(as_text, sheet_of(record(ada, stored(ada, roster_with(name)))))
    plain = as_words(as_text, sheet_of(record(ada, stored(ada, plain_roster(name)))))
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
    # Growth ends with its campaign, which tells so itself.
    assert bool(difference(after, before)) is (name != "growth")


# Other fields are shown by them, or they are printed for each member of a group.
EACH_ITS_OWN = {"id", "name", "count", "is_leader"}


@pytest.mark.parametrize("name", [name for name in ENTRY if name not in EACH_ITS_OWN])
def test_field_of_an_entry_parts_groups_of_the_pdf(name: str) -> None:
    entries = (*plain_roster(name).warriors, *roster_with(name).warriors)
    assert len(list_groups(sheet_of_roster(replace(EMPTY, warriors=entries)))) == 2


@pytest.mark.parametrize("name", [name for name in ENTRY if name != "id"])
def test_field_of_an_entry_is_in_the_pdf(name: str) -> None:
    plain, unusual = (
        roster_body(sheet_of_roster(roster), is_big=False)
        for roster in (plain_roster(name), roster_with(name))
    )
    assert plain != unusual


# Told of by the head of the sheet or the order of its lines, or printed in the PDF alone.
NOT_ON_THE_PAGE = {"id", "note"}


@pytest.mark.parametrize("name", [name for name in ENTRY if name not in NOT_ON_THE_PAGE])
@pytest.mark.django_db
def test_field_of_an_entry_is_on_the_sheet(name: str) -> None:
    plain, unusual = (
        [line.row + line.card for line in drawn_warriors(sheet_of_roster(roster))]
        for roster in (plain_roster(name), roster_with(name))
    )
    assert plain != unusual


# The form sends a flag's box as "on", and nothing but the empty field before it for one unticked.
CHANGES: dict[str, tuple[str, Any, Any]] = {
    "text": ("Oddly", "Oddly", ""),
    "lines": ("Oddly", "Oddly", ""),
    "count": ("7", 7, 1),
    "flag": ("on", True, False),
}


@pytest.mark.parametrize("name", EDITED_FIELDS)
@pytest.mark.django_db
def test_edited_field_of_an_entry_is_changed_in_the_builder(client, name):
    user = make_user()
    client.force_login(user)
    owner = Owner(user_id=user.pk)
    token = stored(owner, plain_roster(name))
    place = [token, first(owner, token).id]
    sent, wanted, empty = CHANGES[EDITED_FIELDS[name].form]
    if isinstance(ENTRY[name].value, str):
        sent = wanted = ENTRY[name].value
    page = reverse("warrior-read", args=place)
    for text, value in ((sent, wanted), ("1" if empty == 1 else "", empty)):
        change = reverse("warrior-change", args=place)
        client.post(change, {**form_with(name, client.get(page)), name: text})
        assert getattr(first(owner, token), name) == value
        # A form that is sent as it was drawn changes nothing.
        client.post(change, form_with(name, client.get(page)))
        assert getattr(first(owner, token), name) == value


def form_with(name: str, page: Any) -> dict[str, str]:
    """What a browser sends of the form of a page that has a field.

    A flag's box follows an empty field of its name, or nobody could untick it. The number of models
    has buttons, which send nothing else.
    """
    if name == "count":
        return {}
    forms = forms_in(page.content.decode(), "", "owner")
    form = next(
        one for one in forms if one.route == "warrior-change" and name in one.controls
    )
    is_flag = EDITED_FIELDS[name].form == "flag"
    assert not is_flag or form.controls[name].kind == "hidden"
    return {key: control.value for key, control in form.controls.items()}


@pytest.mark.parametrize("name", EDITED_FIELDS)
@pytest.mark.django_db
def test_edited_field_of_an_entry_tells_its_change_from_others(name: str) -> None:
    """In the history, and from another request under the same key."""
    ada = make_person()
    token = stored(ada, plain_roster(name))
    _, value, other = CHANGES[EDITED_FIELDS[name].form]
    warrior, asked = first(ada, token).id or 0, WriteContext(ada, token, key="a-change")
    done = warrior_operations.change_warrior(asked, warrior, **{name: value})
    assert done.summary.endswith("note changed") is (name == "note")
    if EDITED_FIELDS[name].form == "flag":
        assert ": now " in done.summary
    with pytest.raises(KeyReused):
        warrior_operations.change_warrior(asked, warrior, **{name: other})


def test_a_field_that_is_typed_by_people_is_edited() -> None:
    """Who leads has an operation of its own."""
    typed = {one.field for one in ENTRY_FIELDS if one.form in CHANGES} - {"is_leader"}
    assert typed == set(EDITED_FIELDS)


def test_every_field_of_an_entry_has_an_unusual_value() -> None:
    assert {one.name for one in fields(RosterEntry)} == set(ENTRY)
