"""Versions, requests sent twice, undo, and the ledger of every change."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.errors import KeyReused, Refusal, Stale
from accounts.owner import Owner
from tests.factories import (
    make_legal_warband,
    make_owner,
    make_person,
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from tests.warbands.conftest import assert_totals_match, profiles
from warbands.models import Warband, WarbandEvent, Warrior, WarriorOption
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, restore_version, undo_last_change
from warbands.operations.warriors import (
    WarriorDraft,
    add_warrior,
    remove_warrior,
    set_leader,
    sort_warriors,
)
from warbands.queries.warbands import history

pytestmark = pytest.mark.django_db


# Versions and request keys


def test_stale_version_is_refused_and_tells_the_new_one() -> None:
    warband = make_warband()
    make_warrior(warband=warband)
    with pytest.raises(Stale) as stale:
        add_warrior(
            WriteContext(owner_of(warband), warband.token, version=1),
            WarriorDraft("captain"),
        )
    assert stale.value.current == 2
    assert profiles(warband) == ["halberdiers"]
    add_warrior(
        WriteContext(owner_of(warband), warband.token, version=2), WarriorDraft("captain")
    )


def test_same_request_twice_has_one_effect_and_the_same_answer() -> None:
    warband = make_warband()
    answers = [
        add_warrior(
            WriteContext(owner_of(warband), warband.token, version=1, key="k1"),
            WarriorDraft("captain"),
        )
        for _ in range(3)
    ]
    assert profiles(warband) == ["captain"]
    assert [answer.is_repeat for answer in answers] == [False, True, True]
    assert {(a.token, a.version, a.warrior_id, a.summary) for a in answers} == {
        (warband.token, 2, answers[0].warrior_id, "Added Captain as leader")
    }


def test_same_key_for_another_request_is_refused() -> None:
    warband = make_warband()
    add_warrior(
        WriteContext(owner_of(warband), warband.token, key="k1"), WarriorDraft("captain")
    )
    with pytest.raises(KeyReused):
        add_warrior(
            WriteContext(owner_of(warband), warband.token, key="k1"),
            WarriorDraft("captain", count=2),
        )
    with pytest.raises(Refusal):
        add_warrior(
            WriteContext(owner_of(warband), warband.token, key="k" * 101),
            WarriorDraft("captain"),
        )


def test_making_a_warband_twice_makes_one() -> None:
    actor = make_owner()
    first = make_warband(actor=actor, key="k1")
    assert make_warband(actor=actor, key="k1") == first
    assert Warband.objects.count() == 1


def test_a_refused_request_leaves_its_key_free() -> None:
    warband = make_warband()
    with pytest.raises(Refusal):
        add_warrior(
            WriteContext(owner_of(warband), warband.token, key="k1"), WarriorDraft("nobody")
        )
    add_warrior(
        WriteContext(owner_of(warband), warband.token, key="k1"), WarriorDraft("captain")
    )


# Undo


def test_undo_walks_back_and_brings_the_same_warriors() -> None:
    warband = make_legal_warband(name="One")
    actor, token = owner_of(warband), warband.token
    before = record_of(warband)
    paid = Warrior.objects.order_by("pk").values_list("pk", "paid_each")
    paid_before = list(paid)
    remove_warrior(WriteContext(actor, token), before.roster.warriors[1].id or 0)
    set_leader(WriteContext(actor, token), before.roster.warriors[2].id)
    change_warband(WriteContext(actor, token), name="Two", points_limit=100)
    sort_warriors(WriteContext(actor, token))
    for _ in range(4):
        undo_last_change(WriteContext(actor, token))
    after = record_of(warband)
    assert after.roster == before.roster
    assert list(paid.all()) == paid_before
    assert_totals_match(warband)
    assert after.version == before.version + 8


def test_undo_after_an_undo_and_a_new_change() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    for profile in ("captain", "halberdiers", "archers"):
        make_warrior(warband=warband, profile=profile)
    undo_last_change(WriteContext(actor, token))
    make_warrior(warband=warband, profile="swordsmen")
    undo_last_change(WriteContext(actor, token))
    undo_last_change(WriteContext(actor, token))
    assert profiles(warband) == ["captain"]
    undo_last_change(WriteContext(actor, token))
    with pytest.raises(Refusal, match="nothing to undo"):
        undo_last_change(WriteContext(actor, token))
    assert [e.verb for e in WarbandEvent.objects.order_by("version")].count(
        "undo_last_change"
    ) == 4


def test_undo_leaves_the_sharing_alone() -> None:
    ada = make_person()
    warband = make_warband(actor=ada)
    make_warrior(warband=warband)
    change_warband(WriteContext(ada, warband.token), visibility="public")
    undo_last_change(WriteContext(ada, warband.token))
    warband.refresh_from_db()
    assert (warband.visibility, warband.warriors.count()) == ("public", 0)


def test_undo_puts_prices_paid_back() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["halberd"])
    WarriorOption.objects.filter(warrior=captain).update(paid=99)
    Warrior.objects.filter(pk=captain.pk).update(paid_each=149)
    remove_warrior(WriteContext(owner_of(warband), warband.token), captain.pk)
    undo_last_change(WriteContext(owner_of(warband), warband.token))
    assert Warrior.objects.get(pk=captain.pk).paid_each == 149
    assert [row.paid for row in captain.holdings.all()] == [99]


# Ledger and statements


def test_every_version_has_its_event() -> None:
    warband = make_legal_warband()
    assert sorted(warband.events.values_list("version", flat=True)) == list(
        range(1, warband.version + 1)
    )


@pytest.mark.parametrize("warriors", [1, 30])
def test_a_change_takes_few_statements_whatever_the_size(warriors: int) -> None:
    warband = make_warband(points_limit=5000)
    for _ in range(warriors):
        make_warrior(warband=warband, profile="captain", options=["halberd"])
    with CaptureQueriesContext(connection) as queries:
        add_warrior(
            WriteContext(owner_of(warband), warband.token, key="k1"),
            WarriorDraft("captain", options=["halberd"]),
        )
    assert (
        len(
            [
                q
                for q in queries
                if not q["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"))
            ]
        )
        == 9
    )


def test_owner_key_is_not_shown_in_a_record() -> None:
    actor = Owner(key="secret" * 5)
    assert "secret" not in repr(record_of(make_warband(actor=actor)))


def test_going_back_brings_any_version_and_can_be_undone() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    context = WriteContext(actor, token)
    add_warrior(context, WarriorDraft("captain"))
    undo_last_change(context)
    add_warrior(context, WarriorDraft("archers"))
    add_warrior(context, WarriorDraft("halberdiers"))
    kept = {row.version: row.can_be_restored for row in history(actor, token)}
    assert kept == {1: True, 2: True, 3: True, 4: True, 5: False}
    for version, roster in ((2, ["captain"]), (3, []), (4, ["archers"])):
        assert (
            restore_version(context, version).summary == f"Went back to version {version}"
        )
        assert profiles(warband) == roster
        undo_last_change(context)
        assert profiles(warband) == ["archers", "halberdiers"]
    assert_totals_match(warband)
    for version in (0, 11, 10**18):
        with pytest.raises(Refusal, match="cannot be restored"):
            restore_version(context, version)


def test_a_version_before_an_undo_of_an_earlier_release_is_not_kept() -> None:
    warband = make_warband()
    context = WriteContext(owner_of(warband), warband.token)
    add_warrior(context, WarriorDraft("captain"))
    undo_last_change(context)
    WarbandEvent.objects.filter(verb="undo_last_change").update(before=None)
    add_warrior(context, WarriorDraft("archers"))
    rows = history(context.actor, context.token)
    assert {row.version: row.can_be_restored for row in rows} == {
        1: True,
        2: False,
        3: True,
        4: False,
    }
    with pytest.raises(Refusal, match="cannot be restored"):
        restore_version(context, 2)


def test_going_back_puts_prices_paid_back() -> None:
    warband = make_warband()
    warrior = make_warrior(warband=warband)
    context = WriteContext(owner_of(warband), warband.token)
    Warrior.objects.update(paid_each=3)
    remove_warrior(context, warrior.pk)
    restore_version(context, 2)
    assert Warrior.objects.get().paid_each == 3
