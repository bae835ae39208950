"""Claiming, closing an account and purging."""

import time
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.operations.people import close_account
from accounts.owner import Owner
from accounts.requests import SESSION_NAME
from rulesdata.operations.packs import load_packs
from rulesdata.operations.scenarios import change_scenario, create_scenario
from tests.factories import (
    SYSTEM,
    make_legal_warband,
    make_owner,
    make_person,
    make_user,
    make_warband,
)
from tests.rulesdata.scenarios import draft as draft_scenario
from tests.rulesdata.scenarios import load_systems
from warbands.models import RequestKey, Warband
from warbands.operations import upkeep
from warbands.operations.transaction import WriteContext
from warbands.operations.upkeep import claim_warbands, purge_unclaimed, purge_when_due
from warbands.operations.warbands import undo_last_change
from warbands.operations.warriors import WarriorDraft, add_warrior
from warbands.queries.warbands import load_warband

pytestmark = pytest.mark.django_db


def test_claim_hands_over_what_the_key_owns_and_nothing_else() -> None:
    visitor, other, ada = make_owner(), make_owner(), make_person()
    mine, theirs = make_legal_warband(actor=visitor), make_warband(actor=other)
    assert claim_warbands(visitor.key, ada.user_id or 0) == 1
    assert claim_warbands(visitor.key, ada.user_id or 0) == 0
    assert claim_warbands("", ada.user_id or 0) == 0
    changed = Warband.objects.get(pk=mine.pk)
    assert (changed.owner_id, changed.owner_key, changed.updated_at) == (
        ada.user_id,
        "",
        mine.updated_at,
    )
    assert changed.events.count() == changed.version
    assert load_warband(visitor, mine.token) is None
    assert load_warband(ada, theirs.token) is None
    undo_last_change(WriteContext(ada, mine.token))


def test_signing_in_claims(client: pytest.FixtureRequest) -> None:
    user, visitor = make_user(password="halberd-and-lantern"), make_owner()
    warband = make_warband(actor=visitor)
    session = client.session
    session[SESSION_NAME] = visitor.key
    session.save()
    client.post(
        "/accounts/login/", {"login": user.email, "password": "halberd-and-lantern"}
    )
    warband.refresh_from_db()
    assert warband.owner == user


def test_closed_account_takes_its_warbands() -> None:
    user = make_user()
    make_legal_warband(actor=Owner(user_id=user.pk))
    kept = make_warband()
    close_account(user.pk)
    assert list(Warband.objects.all()) == [kept]


def test_purge_takes_only_unclaimed_ones_after_ninety_days() -> None:
    now = timezone.now()
    ages = {"old": 91, "young": 89}
    for name, days in ages.items():
        for actor in (make_owner(), make_person()):
            warband = make_legal_warband(actor=actor, name=name)
            Warband.objects.filter(pk=warband.pk).update(
                updated_at=now - timedelta(days=days)
            )
    assert purge_unclaimed(now) == 1
    left = Warband.objects.filter(name="old")
    assert [warband.owner_id is None for warband in left] == [False]
    assert Warband.objects.count() == 3


@pytest.mark.parametrize("count", [0, 2, 3])
def test_every_batch_of_old_warbands_goes(count, monkeypatch):
    monkeypatch.setattr(upkeep, "BATCH", 2)
    for _ in range(count):
        make_warband(actor=make_owner())
    later = timezone.now() + timedelta(days=91)
    assert purge_unclaimed(later) == count
    assert not Warband.objects.exists()


def test_every_warband_is_recounted() -> None:
    for _ in range(5):
        make_warband()
    Warband.objects.update(points=7)
    assert upkeep.recount_warbands() == 5
    assert set(Warband.objects.values_list("points", flat=True)) == {0}


def test_request_keys_go_after_seven_days() -> None:
    warband = make_warband(key="k1")
    make_warband(key="k2")
    now = timezone.now()
    RequestKey.objects.filter(key="k1").update(at=now - timedelta(days=7, seconds=1))
    RequestKey.objects.filter(key="k2").update(at=now - timedelta(days=7))
    purge_unclaimed(now)
    assert list(RequestKey.objects.values_list("key", flat=True)) == ["k2"]
    assert Warband.objects.filter(pk=warband.pk).exists()


def test_purge_command_says_how_many() -> None:
    out = StringIO()
    call_command("purge_unclaimed", stdout=out)
    assert out.getvalue() == "Deleted 0 unclaimed warbands.\n"


def test_recount_mends_totals_without_a_new_version() -> None:
    wrong, right = make_legal_warband(), make_legal_warband()
    Warband.objects.filter(pk=wrong.pk).update(points=1, errors=9)
    strange = make_warband()
    Warband.objects.filter(pk=strange.pk).update(army="gone", points=7)
    out = StringIO()
    call_command("recount_warbands", stdout=out)
    assert out.getvalue() == "1 warband had other totals.\n"
    wrong.refresh_from_db()
    assert (wrong.points, wrong.errors, wrong.version) == (right.points, 0, right.version)
    assert Warband.objects.get(pk=strange.pk).points == 7


def test_purge_runs_by_itself_once_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    old = make_warband()
    Warband.objects.filter(pk=old.pk).update(updated_at=timezone.now() - timedelta(days=91))
    purge_when_due()
    assert not Warband.objects.filter(pk=old.pk).exists()
    late = make_warband()
    Warband.objects.filter(pk=late.pk).update(
        updated_at=timezone.now() - timedelta(days=91)
    )
    purge_when_due()
    assert Warband.objects.filter(pk=late.pk).exists()
    day = 24 * 60 * 60
    for seconds, is_there in ((day - 60, True), (day + 60, False)):
        monkeypatch.setattr(time, "time", lambda later=now + seconds: later)
        purge_when_due()
        assert Warband.objects.filter(pk=late.pk).exists() is is_there


def test_totals_follow_the_rule_books_and_a_scenarios_waivers(
    django_capture_on_commit_callbacks,
) -> None:
    load_systems()
    ada = make_person()
    token = create_scenario(ada, SYSTEM, draft_scenario(waives=("type.cavalry",)))
    warband = make_warband(actor=ada, scenario=f"own/{token}")
    add_warrior(WriteContext(ada, warband.token), WarriorDraft("pistoliers"))
    warband.refresh_from_db()
    before = warband.warnings
    with django_capture_on_commit_callbacks(execute=True):
        change_scenario(ada, SYSTEM, token, draft_scenario())
    warband.refresh_from_db()
    assert warband.warnings == before + 1
    Warband.objects.update(points=1)
    load_packs()
    warband.refresh_from_db()
    assert warband.points > 1
