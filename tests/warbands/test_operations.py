"""Making a warband and what is done to it as a whole: each verb, what it refuses, that totals
follow.
"""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from accounts.errors import NotFound, Refusal, Stale
from accounts.owner import NOBODY
from tests.factories import (
    make_club,
    make_legal_warband,
    make_owner,
    make_person,
    make_warband,
    owner_of,
)
from tests.warbands.conftest import assert_totals_match
from warbands.models import Warband, WarbandEvent, WarbandVisibility, Warrior, WarriorOption
from warbands.operations.transaction import (
    UNSET,
    WriteContext,
    WriteResult,
    answer_once,
    fingerprint,
    lock_warband,
    open_locked_warband,
    write_result,
)
from warbands.operations.warbands import (
    archive_warband,
    change_warband,
    create_from_starter,
    delete_warband,
    duplicate_warband,
    restore_warband,
)
from warbands.operations.warriors import WarriorDraft, add_warrior, sort_warriors
from warbands.queries.records import NO_NAME

pytestmark = pytest.mark.django_db


# Making
# ---------------------------------------------------------------------------------------------------------------


def test_new_warband_takes_the_systems_limit_and_misses_a_leader() -> None:
    warband = make_warband(name="  The Ferrymen ")
    assert (warband.name, warband.points_limit, warband.version, warband.errors) == (
        "The Ferrymen",
        150,
        1,
        1,
    )
    assert [event.verb for event in warband.events.all()] == ["create_warband"]


@pytest.mark.parametrize(
    "fields,field",
    [
        ({"system": "chess"}, "system"),
        ({"army": "the-smurfs"}, "army"),
        ({"variant": "old"}, "variant"),
        ({"points_limit": -1}, "points_limit"),
        ({"points_limit": 100_001}, "points_limit"),
        ({"points_limit": True}, "points_limit"),
        ({"scenario": "no-such"}, "scenario"),
        ({"scenario": "own/1"}, "scenario"),
        ({"house_rules": {"fun": True}}, "house_rules"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\ud800"}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"note": "x" * 4001}, "note"),
    ],
)
def test_create_warband_refuses_and_names_the_field(
    fields: dict[str, object], field: str
) -> None:
    with pytest.raises(Refusal) as refused:
        make_warband(**{"points_limit": 150, **fields})
    assert refused.value.field == field
    assert refused.value.message.endswith(".")
    assert not Warband.objects.exists()


@pytest.mark.parametrize("visibility", ["world", "public"])
def test_a_way_to_share_that_a_visitor_has_not_is_refused(visibility: str) -> None:
    warband = make_warband(actor=make_owner())
    context = WriteContext(owner_of(warband), warband.token)
    with pytest.raises(Refusal) as refused:
        change_warband(context, visibility=visibility)
    assert refused.value.field == "visibility"


def test_nobody_owns_nothing() -> None:
    with pytest.raises(Refusal):
        make_warband(actor=NOBODY)


def test_starter_becomes_an_ordinary_warband() -> None:
    actor = make_owner()
    done = create_from_starter(WriteContext(actor), "warhammer-skirmish--dwarfs")
    warband = Warband.objects.get(token=done.token)
    assert warband.errors == 0
    assert warband.points > 130
    assert_totals_match(warband)
    with pytest.raises(NotFound):
        create_from_starter(WriteContext(actor), "warhammer-skirmish--smurfs")


# The warband as a whole
# -----------------------------------------------------------------------------------------------


def test_change_warband_changes_what_is_given_and_keeps_the_rest() -> None:
    warband = make_legal_warband(name="Old", note="Kept")
    change_warband(
        WriteContext(owner_of(warband), warband.token), name="New", points_limit=None
    )
    warband.refresh_from_db()
    assert (warband.name, warband.points_limit, warband.note) == ("New", None, "Kept")
    assert not change_warband(
        WriteContext(owner_of(warband), warband.token), name="New"
    ).changed


def test_a_name_that_is_taken_off_is_told() -> None:
    warband = make_warband(name="The Ferrymen")
    context = WriteContext(owner_of(warband), warband.token)
    assert change_warband(context, name="The Drowned").summary == "Renamed “The Drowned”"
    assert change_warband(context, name="").summary == f"Renamed “{NO_NAME}”"


def test_a_scenario_that_is_offered_no_more_stays_and_is_not_chosen_anew() -> None:
    warband = make_warband()
    Warband.objects.filter(pk=warband.pk).update(scenario="own/gone")
    context = WriteContext(owner_of(warband), warband.token)
    changed = change_warband(context, scenario="own/gone", name="The Drowned")
    assert changed.record is not None
    assert changed.record.roster.scenario == "own/gone"
    with pytest.raises(Refusal) as refused:
        change_warband(context, scenario="own/other")
    assert refused.value.field == "scenario"


def test_a_row_that_somebody_else_wrote_meanwhile_is_not_written() -> None:
    """Where a database locks no row for its reader."""
    warband = make_warband(name="The Ferrymen")
    with transaction.atomic():
        row = lock_warband(owner_of(warband), warband.token)
        draft = open_locked_warband(owner_of(warband), row)
        Warband.objects.filter(pk=warband.pk).update(version=F("version") + 1)
        renamed = WriteResult(replace(draft.roster, name="The Drowned"), "Renamed")
        with pytest.raises(Stale):
            write_result(draft, renamed, "change_warband")
    assert Warband.objects.get().name == "The Ferrymen"


def test_the_order_of_keys_makes_no_other_request() -> None:
    rules, turned = {"magic": True, "fog": False}, {"fog": False, "magic": True}
    assert fingerprint("check", rules) == fingerprint("check", turned)
    assert fingerprint("check", rules) != fingerprint("check", {**rules, "fog": True})


def test_a_clash_that_no_earlier_request_explains_is_raised() -> None:
    def clash() -> dict[str, object]:
        raise IntegrityError("another constraint")

    with pytest.raises(IntegrityError, match="another constraint"):
        answer_once(make_person(), "a-key", fingerprint("check"), clash)


def test_sharing_with_a_club_needs_membership() -> None:
    ada, ben = make_person(), make_person()
    club, other = make_club(owner=ada), make_club(owner=ben)
    warband = make_warband(actor=ada)
    for fields in (
        {"visibility": "club"},
        {"visibility": "club", "club_id": other.pk},
        {"club_id": 10**9},
    ):
        with pytest.raises(Refusal):
            change_warband(WriteContext(ada, warband.token), **fields)
    change_warband(WriteContext(ada, warband.token), visibility="club", club_id=club.pk)
    warband.refresh_from_db()
    assert (warband.visibility, warband.club_id) == (WarbandVisibility.CLUB, club.pk)


def test_fingerprint_of_a_field_left_alone_is_the_one_that_is_stored() -> None:
    assert fingerprint("change", UNSET) == fingerprint("change", "Keep.KEEP")


def test_archive_is_read_only_until_restored() -> None:
    warband = make_legal_warband()
    actor, token = owner_of(warband), warband.token
    archive_warband(WriteContext(actor, token))
    assert not archive_warband(WriteContext(actor, token)).changed
    with pytest.raises(Refusal, match="archive"):
        add_warrior(WriteContext(actor, token), WarriorDraft("captain"))
    restore_warband(WriteContext(actor, token))
    add_warrior(WriteContext(actor, token), WarriorDraft("captain"))


def test_duplicate_is_private_and_has_no_history() -> None:
    ada, ben = make_person(), make_person()
    warband = make_legal_warband(actor=ada, name="x" * 200, visibility="link")
    copy = Warband.objects.get(
        token=duplicate_warband(WriteContext(ben, warband.token)).token
    )
    assert (copy.owner_id, copy.visibility, copy.points) == (
        ben.user_id,
        "private",
        warband.points,
    )
    assert copy.name.endswith("(copy)")
    assert len(copy.name) == 200
    assert copy.events.count() == 1
    change_warband(WriteContext(ada, warband.token), visibility="private")
    with pytest.raises(NotFound):
        duplicate_warband(WriteContext(ben, warband.token))


def test_delete_asks_for_the_name() -> None:
    warband = make_legal_warband(name="The Ferrymen")
    with pytest.raises(Refusal):
        delete_warband(WriteContext(owner_of(warband), warband.token), "ferrymen")
    delete_warband(WriteContext(owner_of(warband), warband.token), "The Ferrymen")
    for model in (Warband, Warrior, WarriorOption, WarbandEvent):
        assert not model.objects.exists()


def test_bad_tokens_are_not_found() -> None:
    for token in ("", "nope", "x" * 500, "a\x00b", "\ud800", "/../"):
        with pytest.raises(NotFound):
            sort_warriors(WriteContext(make_owner(), token))
