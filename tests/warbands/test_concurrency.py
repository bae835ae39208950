"""Several editors at once: nothing is lost, nothing is done twice, no stored total is wrong."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connection

from accounts.errors import Stale
from accounts.owner import Owner
from tests.factories import make_owner, make_warband
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import WarriorDraft, add_warrior
from warbands.queries.warbands import load_warband, sheet_of

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(calls: list[Callable[[], str]]) -> list[str]:
    """Each call in a thread of its own with its own connection; what each returned."""

    def run(call: Callable[[], str]) -> str:
        close_old_connections()
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def edits(actor: Owner, token: str, count: int) -> Callable[[], str]:
    """Adds warriors one after another, reading the version first as a page does, and trying again
    when it is stale.
    """

    def work() -> str:
        for _ in range(count):
            while True:
                record = load_warband(actor, token)
                assert record is not None
                try:
                    add_warrior(
                        WriteContext(actor, token, version=record.version),
                        WarriorDraft("halberdiers"),
                    )
                    break
                except Stale:
                    continue
        return "done"

    return work


def test_no_edit_is_lost(soak: Callable[[int, int], int]) -> None:
    editors, each = soak(4, 8), soak(5, 25)
    actor = make_owner()
    warband = make_warband(actor=actor, points_limit=None)
    assert set(at_once([edits(actor, warband.token, each)] * editors)) == {"done"}
    warband.refresh_from_db()
    assert warband.warriors.count() == editors * each
    assert warband.version == 1 + editors * each
    assert sorted(warband.events.values_list("version", flat=True)) == list(
        range(1, warband.version + 1)
    )
    record = load_warband(actor, warband.token)
    assert record is not None
    sheet = sheet_of(record)
    assert (warband.points, warband.miniatures, warband.errors) == (
        sheet.points,
        sheet.models,
        sheet.errors,
    )


def test_same_request_at_once_has_one_effect() -> None:
    actor = make_owner()
    warband = make_warband(actor=actor)
    answers = at_once(
        [
            lambda: str(
                add_warrior(
                    WriteContext(actor, warband.token, key="k1"), WarriorDraft("captain")
                ).warrior_id
            )
            for _ in range(6)
        ]
    )
    assert len(set(answers)) == 1
    assert warband.warriors.count() == 1


def test_making_the_same_warband_at_once_makes_one() -> None:
    actor = make_owner()
    answers = at_once([lambda: make_warband(actor=actor, key="k1").token for _ in range(6)])
    assert len(set(answers)) == 1
    assert Warband.objects.count() == 1
