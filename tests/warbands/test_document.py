"""The open roster document: strict in, identical out and in again."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from accounts.errors import FaultyDocument
from engine.roster import Roster, RosterEntry
from rulesdata import registry
from tests.conftest import Soak
from tests.factories import (
    SYSTEM,
    make_legal_warband,
    make_owner,
    make_warband,
    owner_of,
    record_of,
)
from warbands.exchange.document import parse, to_document
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import import_document, replace_roster, undo_last_change
from warbands.roster_fields import DOCUMENT_FIELDS

SMALL: dict[str, Any] = {
    "format": "muster-roll/1",
    "system": SYSTEM,
    "army": "the-empire",
    "warriors": [{"profile": "captain"}],
}


def paths(data: object) -> list[str]:
    with pytest.raises(FaultyDocument) as error:
        parse(data)
    assert all(fault.message.endswith(".") for fault in error.value.faults)
    return [fault.path for fault in error.value.faults]


def test_smallest_document() -> None:
    assert parse(SMALL) == Roster(SYSTEM, "the-empire", warriors=(RosterEntry("captain"),))


def test_whole_document_goes_out_as_the_format_says() -> None:
    entry = RosterEntry(
        "captain", "Otto", 1, True, ("halberd", "halberd"), "Lore of Fire", "late"
    )
    roster = Roster(
        SYSTEM,
        "the-empire",
        "N",
        150,
        None,
        None,
        {"swarms_no_injury_roll": True},
        (entry,),
        "hello",
    )
    assert to_document(roster) == {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "variant": None,
        "army": "the-empire",
        "name": "N",
        "points_limit": 150,
        "scenario": None,
        "house_rules": {"swarms_no_injury_roll": True},
        "warriors": [
            {
                **to_document(parse(SMALL))["warriors"][0],
                "profile": "captain",
                "name": "Otto",
                "count": 1,
                "leader": True,
                "options": ["halberd", "halberd"],
                "lore": "Lore of Fire",
                "note": "late",
            }
        ],
        "note": "hello",
    }
    assert parse(to_document(roster)) == roster


def test_unknown_profile_and_option_are_no_faults() -> None:
    assert parse({**SMALL, "warriors": [{"profile": "x", "options": ["y"]}]}).warriors[
        0
    ].options == ("y",)


WRONG = [
    (None, ""),
    ([], ""),
    (1, ""),
    ({}, "format"),
    ({**SMALL, "format": "muster-roll/2"}, "format"),
    ({**SMALL, "format": 10**5000}, "format"),
    ({**SMALL, "colour": 1}, "colour"),
    ({**SMALL, "system": "chess"}, "system"),
    ({**SMALL, "system": 5}, "system"),
    ({**SMALL, "system": ""}, "system"),
    ({**SMALL, "variant": "old"}, "variant"),
    ({**SMALL, "variant": 3}, "variant"),
    ({**SMALL, "army": "smurfs"}, "army"),
    ({**SMALL, "army": None}, "army"),
    ({**SMALL, "name": None}, "name"),
    ({**SMALL, "name": "x" * 201}, "name"),
    ({**SMALL, "name": "\x00"}, "name"),
    ({**SMALL, "name": "\ud800"}, "name"),
    ({**SMALL, "name": "a\u0301\u0301\u0301\u0301\u0301"}, "name"),
    ({**SMALL, "points_limit": True}, "points_limit"),
    ({**SMALL, "points_limit": "150"}, "points_limit"),
    ({**SMALL, "points_limit": 150.0}, "points_limit"),
    ({**SMALL, "points_limit": float("nan")}, "points_limit"),
    ({**SMALL, "points_limit": -1}, "points_limit"),
    ({**SMALL, "points_limit": 100_001}, "points_limit"),
    ({**SMALL, "points_limit": 10**5000}, "points_limit"),
    ({**SMALL, "scenario": "no-such"}, "scenario"),
    ({**SMALL, "scenario": "own/1"}, "scenario"),
    ({**SMALL, "scenario": 1}, "scenario"),
    ({**SMALL, "house_rules": None}, "house_rules"),
    ({**SMALL, "house_rules": {"fun": True}}, "house_rules.fun"),
    (
        {**SMALL, "house_rules": {"swarms_no_injury_roll": 1}},
        "house_rules.swarms_no_injury_roll",
    ),
    ({**SMALL, "note": "x" * 4001}, "note"),
    ({**SMALL, "warriors": {}}, "warriors"),
    ({**SMALL, "warriors": [{"profile": "x"}] * 201}, "warriors"),
]
WRONG_WARRIORS = [
    ("captain", ""),
    ({}, ".profile"),
    ({"profile": ""}, ".profile"),
    ({"profile": "x" * 101}, ".profile"),
    ({"profile": "x", "colour": 1}, ".colour"),
    ({"profile": "x", "name": "x" * 201}, ".name"),
    ({"profile": "x", "name": "a\nb"}, ".name"),
    ({"profile": "x", "count": 0}, ".count"),
    ({"profile": "x", "count": 201}, ".count"),
    ({"profile": "x", "count": True}, ".count"),
    ({"profile": "x", "count": None}, ".count"),
    ({"profile": "x", "count": 2, "leader": True}, ".count"),
    ({"profile": "x", "options": ["x"] * 101}, ".options"),
    ({"profile": "x", "options": [1]}, ".options[0]"),
    ({"profile": "x", "options": ["x" * 101]}, ".options[0]"),
    ({"profile": "x", "note": "x" * 2001}, ".note"),
]
OF_ANOTHER_TYPE = {
    "key": 7, "text": 7, "lines": 7, "count": "3", "flag": 1, "keys": "halberd",
    "growth": 7,
}  # fmt: skip
WRONG_WARRIORS += [
    ({"profile": "x", key: OF_ANOTHER_TYPE[one.form]}, f".{key}")
    for key, one in DOCUMENT_FIELDS.items()
]


@pytest.mark.parametrize("data,path", WRONG)
def test_fault_names_its_place(data: object, path: str) -> None:
    assert path in paths(data)


@pytest.mark.parametrize("warrior,path", WRONG_WARRIORS)
def test_fault_of_a_warrior_names_its_place(warrior: object, path: str) -> None:
    assert paths({**SMALL, "warriors": [{"profile": "captain"}, warrior]}) == [
        f"warriors[1]{path}"
    ]


@pytest.mark.parametrize("place", ["", "warriors[0]."])
def test_of_many_unknown_keys_only_fifty_are_described(place: str) -> None:
    unknown = {f"k{number}": 1 for number in range(1000)}
    faulty = {"warriors": [{"profile": "x", **unknown}]} if place else unknown
    with pytest.raises(FaultyDocument) as error:
        parse({**SMALL, **faulty})
    assert [fault.path for fault in error.value.faults] == [
        f"{place}k{n}" for n in range(50)
    ]
    context = error.value.__context__
    assert isinstance(context, ValidationError)
    assert context.error_count() == 50


@pytest.mark.parametrize("field, first", [("house_rules", ".k0"), ("tags", "[0]")])
def test_house_rules_and_tags_are_limited(field: str, first: str) -> None:
    for number, end in ((100, first), (101, "")):
        keys = [f"k{place}" for place in range(number)]
        value = keys if field == "tags" else dict.fromkeys(keys, True)
        assert paths({**SMALL, field: value})[0] == f"{field}{end}"


def test_all_faults_come_at_once_up_to_fifty() -> None:
    assert len(paths({**SMALL, "warriors": [{"profile": "x", "count": 0}] * 200})) == 50


def test_messages_show_no_raw_text_of_the_sender() -> None:
    with pytest.raises(FaultyDocument) as error:
        parse({**SMALL, "system": "\u202e" + "x" * 90, "k\x00y\ud800": 1})
    text = str(error.value)
    assert len(text) < 600
    assert text.isprintable()
    text.encode()


# Round trips

TEXT = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=40)
ARMIES = registry.list_army_keys(SYSTEM)


@st.composite
def values(draw: st.DrawFn, profile: str, options: list[str]) -> dict[str, Any]:
    """A value for each field of an entry that the document holds."""
    forms = {
        "key": st.sampled_from([profile, profile, profile, "unknown"]),
        "text": TEXT,
        "lines": TEXT,
        "count": st.integers(1, 200),
        "flag": st.booleans(),
        "keys": st.lists(st.sampled_from(options), max_size=5).map(tuple),
        "growth": st.none(),  # imported as notes: tests/campaigns/test_grown_rosters.py
    }
    found = {one.field: draw(forms[one.form]) for one in DOCUMENT_FIELDS.values()}
    return {**found, "count": 1} if found["is_leader"] else found


@st.composite
def rosters(draw: st.DrawFn) -> Roster:
    """A warband of a real list: its profiles and options, and now and then something the list does
    not know.
    """
    army = registry.load_army(SYSTEM, draw(st.sampled_from(ARMIES)))
    entries = []
    for _ in range(draw(st.integers(0, 6))):
        profile = draw(st.sampled_from(sorted(army.profiles)))
        keys = [o.key for o in army.profiles[profile].all_options] + [
            "champion",
            "magic/x",
            "jetpack",
        ]
        entries.append(RosterEntry(**draw(values(profile, keys))))
    rules = [rule.key for rule in registry.load_system(SYSTEM).house_rules]
    return Roster(
        system=SYSTEM,
        army=army.key,
        name=draw(TEXT),
        points_limit=draw(st.none() | st.integers(0, 100_000)),
        scenario=draw(st.sampled_from([None, *registry.load_system(SYSTEM).scenarios])),
        house_rules=draw(st.dictionaries(st.sampled_from(rules), st.booleans())),
        warriors=tuple(entries),
        note=draw(TEXT),
    )


def test_round_trip_of_generated_warbands_is_identical(soak: Soak) -> None:
    @settings(max_examples=soak(25, 1000), deadline=None, database=None, derandomize=True)
    @given(roster=rosters())
    def check(roster: Roster) -> None:
        assert parse(json.loads(json.dumps(to_document(roster)))) == roster

    check()


@pytest.mark.django_db(transaction=True)
def test_stored_round_trip_is_identical(soak: Soak) -> None:
    actor = make_owner()

    @settings(
        max_examples=soak(4, 200, on_postgres=50),
        deadline=None,
        database=None,
        derandomize=True,
    )
    @given(roster=rosters())
    def check(roster: Roster) -> None:
        done = import_document(WriteContext(actor), to_document(roster))
        assert to_document(
            record_of(Warband.objects.get(token=done.token)).roster
        ) == to_document(roster)

    check()


# Into the database


@pytest.mark.django_db
def test_import_that_fails_changes_nothing() -> None:
    with pytest.raises(FaultyDocument):
        import_document(WriteContext(make_owner()), {**SMALL, "colour": 1})
    assert not Warband.objects.exists()


@pytest.mark.django_db
def test_replaced_roster_keeps_the_ids_it_can_and_can_be_undone() -> None:
    warband = make_legal_warband()
    before = record_of(warband).roster
    document = to_document(
        replace(
            before,
            name="New",
            warriors=(RosterEntry("halberdiers", count=2), RosterEntry("flagellants")),
        )
    )
    replace_roster(WriteContext(owner_of(warband), warband.token), document)
    after = record_of(warband).roster
    assert after.warriors[0].id == before.warriors[1].id
    undo_last_change(WriteContext(owner_of(warband), warband.token))
    assert record_of(warband).roster == before


@pytest.mark.django_db
def test_roster_of_another_army_does_not_replace() -> None:
    warband = make_warband()
    with pytest.raises(FaultyDocument, match="dwarfs"):
        replace_roster(
            WriteContext(owner_of(warband), warband.token), {**SMALL, "army": "dwarfs"}
        )
