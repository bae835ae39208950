"""Battles when people come and go, when time passes, and when the rule books change."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.operations.people import close_account
from accounts.owner import NOBODY, Owner
from accounts.requests import SESSION_NAME
from battles.models import (
    Battle,
    BattleCombatant,
    BattleEvent,
    BattleSide,
    BattleStatus,
    ResultEntry,
    Snapshot,
)
from battles.operations import ownership
from battles.operations.log import recount_battles
from battles.operations.ownership import (
    claim_battles,
    purge_unclaimed_battles,
    release_battles,
)
from battles.operations.sides import QuickSide, WarbandSide
from battles.queries.battles import load_sheets
from battles.queries.index import own_battles
from rulesdata.signals import packs_changed
from tests.battles.ledger import faults
from tests.battles.steps import append_events, propose_result
from tests.factories import (
    battle_owner,
    battle_record,
    make_battle,
    make_duel,
    make_event,
    make_legal_warband,
    make_owner,
    make_person,
    make_user,
)

pytestmark = pytest.mark.django_db

WON = {"winner": "a", "how": "conceded"}


def visitors_battle(visitor: Owner) -> Battle:
    warband = make_legal_warband(actor=visitor)
    return make_battle(
        actor=visitor, sides=(WarbandSide(warband.token), QuickSide("Night Watch", 3))
    )


def test_session_that_signs_in_takes_its_battles_along(client: Client) -> None:
    visitor, ada = (
        make_owner(),
        make_user(email="ada@example.org", password="halberd-and-lantern"),
    )
    battle = visitors_battle(visitor)
    session = client.session
    session[SESSION_NAME] = visitor.key
    session.save()
    client.post(
        reverse("account_login"), {"login": ada.email, "password": "halberd-and-lantern"}
    )
    battle.refresh_from_db()
    side = battle.sides.get(key="a")
    assert (battle.owner_id, battle.owner_key) == (ada.pk, "")
    assert (side.owner_id, side.owner_key) == (ada.pk, "")
    assert [row.token for row in own_battles(Owner(user_id=ada.pk)).rows] == [battle.token]
    assert own_battles(visitor).rows == ()


def test_nobody_claims_nothing() -> None:
    battle = make_battle(actor=NOBODY, sides=(QuickSide("One", 3), QuickSide("Two", 3)))
    assert claim_battles("", make_user().pk) == 0
    battle.refresh_from_db()
    assert battle.owner_id is None


def test_closed_account_leaves_its_battles_to_the_others() -> None:
    ada, ben = make_person(), make_person()
    shared = make_duel(ada=ada, ben=ben, visibility="private")
    alone = make_battle(actor=ada, visibility="private")
    linked = make_battle(actor=ada)
    append_events(ada, shared.token, events=[make_event()])
    close_account(ada.user_id or 0)
    assert not User.objects.filter(pk=ada.user_id).exists()
    assert set(Battle.objects.values_list("token", flat=True)) == {
        shared.token,
        linked.token,
    }
    assert not BattleSide.objects.filter(battle_id=alone.pk).exists()
    record = battle_record(shared, actor=ben)
    assert (record.owner_name, record.sides[0].owner_name, record.events[0].author) == (
        "",
        "",
        "",
    )
    assert record.sides[0].name == "The Ferrymen"
    assert load_sheets(record)["a"].owner == ""
    # What nobody else held is gone with it, what the other one's battle holds is not.
    assert Snapshot.objects.count() == 3
    assert (
        propose_result(ben, shared.token, winner="b", how="conceded").status == "proposed"
    )


def test_released_battles_and_sides_belong_to_nobody() -> None:
    ada, ben = make_person(), make_person()
    shared = make_duel(ada=ada, ben=ben)
    bens = make_battle(actor=ben)
    assert release_battles(ada.user_id or 0) == 0
    assert Battle.objects.get(pk=shared.pk).owner_id is None
    owners = BattleSide.objects.filter(battle=shared).order_by("key")
    assert list(owners.values_list("owner_id", flat=True)) == [None, ben.user_id]
    assert Battle.objects.get(pk=bens.pk).owner_id == ben.user_id


def test_deleted_warband_leaves_its_sheet_with_the_battle() -> None:
    ada = make_person()
    battle = make_duel(ada=ada)
    battle.sides.get(key="a").warband.delete()
    record = battle_record(battle)
    assert (record.sides[0].warband, record.sides[0].is_mine) == ("", True)
    assert set(load_sheets(record)) == {"a", "b"}


@pytest.mark.parametrize("days, events", [(30, 1), (2, 0)])
def test_battle_of_nobody_goes_so_long_after_its_last_change(days, events):
    now = timezone.now()
    old = visitors_battle(make_owner())
    young = visitors_battle(make_owner())
    claimed = make_battle()
    against_somebody = make_duel()
    Battle.objects.filter(pk=against_somebody.pk).update(owner=None)
    changed = {"updated_at": now - timedelta(days=days, seconds=1), "events_count": events}
    Battle.objects.update(**changed)
    Battle.objects.filter(pk=young.pk).update(updated_at=now - timedelta(days=days))
    assert purge_unclaimed_battles(now) == 1
    kept = {young.token, claimed.token, against_somebody.token}
    assert set(Battle.objects.values_list("token", flat=True)) == kept
    assert not BattleSide.objects.filter(battle_id=old.pk).exists()
    assert Snapshot.objects.count() == 4
    assert purge_unclaimed_battles(now) == 0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_batch_of_old_battles_goes(count, monkeypatch):
    monkeypatch.setattr(ownership, "BATCH", 2)
    for _ in range(count):
        visitors_battle(make_owner())
    later = timezone.now() + timedelta(days=3)
    assert purge_unclaimed_battles(later) == count
    assert not Battle.objects.exists()


def test_every_overdue_result_is_confirmed_by_silence():
    for _ in range(3):
        battle = make_duel()
        propose_result(battle_owner(battle), battle.token, **WON)
    later = timezone.now() + timedelta(days=365)
    assert ownership.settle_overdue(later) == 3
    assert ownership.settle_overdue(later) == 0


def test_every_battle_is_recounted() -> None:
    for _ in range(3):
        make_battle()
    Battle.objects.update(turn=7)
    assert recount_battles() == 3
    assert recount_battles() == 0


def test_new_battle_sweeps_once_a_day() -> None:
    old = visitors_battle(make_owner())
    Battle.objects.filter(pk=old.pk).update(updated_at=timezone.now() - timedelta(days=91))
    make_battle()
    assert Battle.objects.filter(pk=old.pk).exists()


def test_recount_finds_and_mends_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    battle, other = make_battle(), make_battle()
    events = [make_event("state", combatant="a2", to="out_of_action", by="b1")]
    propose_result(battle_owner(battle), battle.token, **WON, events=events)
    assert recount_battles() == 0
    BattleCombatant.objects.filter(battle=battle).update(kills=9, is_out=False)
    Battle.objects.filter(pk=battle.pk).update(turn=7, winner="b", state={})
    version = Battle.objects.get(pk=battle.pk).version
    assert len(faults(battle)) > 4
    call_command("recount_battles")
    assert capsys.readouterr().out == "1 battle had other totals.\n"
    assert faults(battle) == faults(other) == []
    assert Battle.objects.get(pk=battle.pk).version == version


def test_changed_rule_books_are_counted_by() -> None:
    battle = make_battle()
    Battle.objects.filter(pk=battle.pk).update(turn=7)
    packs_changed.send(sender=None)
    assert faults(battle) == []


def test_battle_of_a_system_that_is_gone_keeps_what_it_has() -> None:
    battle = make_battle()
    Battle.objects.filter(pk=battle.pk).update(system="chess", turn=7)
    assert recount_battles() == 0
    assert Battle.objects.get(pk=battle.pk).turn == 7


def test_sheet_of_another_release_is_drawn_anew() -> None:
    battle = make_duel()
    before = load_sheets(battle_record(battle))
    row = battle.sides.get(key="a").snapshot
    assert row is not None
    Snapshot.objects.filter(pk=row.pk).update(sheet={"of": "another release"})
    again = load_sheets(battle_record(battle))
    assert [warrior.title for warrior in again["a"].warriors] == [
        warrior.title for warrior in before["a"].warriors
    ]
    Snapshot.objects.filter(pk=row.pk).update(document={"format": "muster-roll/9"})
    assert set(load_sheets(battle_record(battle))) == {"b"}


# What the database itself will not keep


@pytest.mark.parametrize("change", [
    {"owner_key": "somebody"}, {"visibility": "club"}, {"status": "lost"},
    {"confirm_by": timezone.now()},
    {"events_count": 10_001},
])  # fmt: skip
def test_battle_has_constraints(change: dict[str, Any]) -> None:
    battle = make_battle()
    with pytest.raises(IntegrityError), transaction.atomic():
        Battle.objects.filter(pk=battle.pk).update(**change)


def test_rows_that_stand_once() -> None:
    battle = make_duel()
    append_events(battle_owner(battle), battle.token, events=[make_event()])
    propose_result(battle_owner(battle), battle.token, **WON)
    event, entry, side = (
        battle.events.get(),
        battle.results.get(),
        battle.sides.get(key="a"),
    )
    snapshot, combatant = side.snapshot, side.combatants.first()
    assert snapshot is not None
    assert combatant is not None
    for row in (event, entry, combatant, side, snapshot):
        row.pk = None
        row._state.adding = True
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save()


def test_words_of_the_rows() -> None:
    battle = make_duel()
    append_events(battle_owner(battle), battle.token, events=[make_event()])
    propose_result(battle_owner(battle), battle.token, **WON)
    side = battle.sides.get(key="a")
    assert str(battle) == battle.token
    assert (str(side), str(side.combatants.first())) == ("The Ferrymen", "Captain")
    assert (str(BattleEvent.objects.get()), str(ResultEntry.objects.get())) == (
        "1. note",
        "1. propose",
    )
    assert str(side.snapshot).endswith("of version 4")
    assert BattleStatus.PROPOSED.label == "Waiting for your opponent to confirm"


# The staff


def test_staff_look_and_never_edit(admin_client: Client) -> None:
    battle = make_duel()
    propose_result(battle_owner(battle), battle.token, **WON)
    page = admin_client.get(reverse("admin:battles_battle_changelist"), {"q": battle.token})
    assert battle.token in page.content.decode()
    email = User.objects.get(pk=battle.owner_id).email
    assert (
        battle.token
        in admin_client.get(
            reverse("admin:battles_battle_changelist"), {"q": email}
        ).content.decode()
    )
    address = reverse("admin:battles_battle_change", args=[battle.pk])
    page = admin_client.get(address)
    assert page.status_code == 200
    assert "The Ferrymen" in page.content.decode()
    assert battle.key not in page.content.decode()
    assert admin_client.post(address, {"visibility": "public"}).status_code == 403
    assert admin_client.post(reverse("admin:battles_battle_add")).status_code == 403
    assert (
        admin_client.post(
            reverse("admin:battles_battle_delete", args=[battle.pk]), {"post": "yes"}
        ).status_code
        == 403
    )
