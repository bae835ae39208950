"""R2: nobody is ever told that the database is locked, however many read and write at once."""

import statistics
import time
from threading import Barrier, Lock
from typing import Any

import pytest
from django.db import OperationalError, close_old_connections, connection

from campaigns import battle_follower
from campaigns.models import FixtureStatus
from campaigns.operations import results
from tests.battles.steps import confirm_result
from tests.campaigns.leagues import make_league
from tests.campaigns.results import fresh, put_up, report
from tests.conftest import Soak, is_postgres
from tests.factories import make_warband, make_warrior, owner_of, record_of
from tests.reliability.threads import SECONDS, at_once
from warbands.models import Warband, Warrior
from warbands.operations import transaction
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import change_warrior
from warbands.queries.lists import warbands_of
from warbands.queries.warbands import load_warband, sheet_of

pytestmark = pytest.mark.django_db(transaction=True)


def made(count: int) -> list[tuple[Warband, Warrior]]:
    warbands = [make_warband() for _ in range(count)]
    return [(warband, make_warrior(warband=warband)) for warband in warbands]


class StillWriting:
    """How many writers are not done yet."""

    def __init__(self, count: int) -> None:
        self.count, self.lock = count, Lock()

    def leave(self) -> None:
        with self.lock:
            self.count -= 1


def test_writers_and_readers_never_meet_a_locked_database(soak: Soak) -> None:
    """Each write and each read ends as a request does: what PostgreSQL's pool lent goes back to it."""
    writers, readers, writes = soak(6, 32), soak(2, 8), 12
    end = time.monotonic() + soak(0, 60, on_postgres=20)
    places = made(writers)
    busy = StillWriting(writers)

    def write(warband: Warband, warrior: Warrior) -> list[float]:
        taken: list[float] = []
        try:
            while len(taken) < writes or time.monotonic() < end:
                start = time.perf_counter()
                change_warrior(
                    WriteContext(owner_of(warband), warband.token),
                    warrior.pk,
                    count=len(taken) % 9 + 2,
                )
                taken.append(time.perf_counter() - start)
                close_old_connections()
        finally:
            busy.leave()
        return taken

    def read(warband: Warband) -> list[float]:
        while busy.count:
            record = load_warband(owner_of(warband), warband.token)
            assert record is not None
            sheet = sheet_of(record)
            assert (sheet.points, sheet.models) == (
                record.points,
                record.models,
            )  # of one version, never of two
            assert warbands_of(owner_of(warband)).rows
            close_old_connections()
        return []

    def work(number: int) -> list[float]:
        return (
            write(*places[number])
            if number < writers
            else read(places[number % writers][0])
        )

    taken = at_once(writers + readers, work)
    for (warband, _), times in zip(places, taken, strict=False):
        warband.refresh_from_db()
        assert warband.version == 2 + len(times)
        assert warband.points == sheet_of(record_of(warband)).points
    every = sorted(t for times in taken for t in times)
    p99 = statistics.quantiles(every, n=100)[98]
    print(
        f"\n{len(every)} writes, half of them under {statistics.median(every) * 1000:.0f} "
        f"ms, 99 of 100 {p99:.3f} s"
    )


@pytest.mark.skipif(is_postgres(), reason="only SQLite locks a whole database")
def test_in_djangos_default_mode_the_database_is_locked(monkeypatch):
    places = made(2)
    both_have_read = Barrier(2, timeout=SECONDS)
    open_locked_warband = transaction.open_locked_warband

    def wait_for_the_other(*arguments: object) -> object:
        both_have_read.wait()
        return open_locked_warband(*arguments)

    def write(number: int) -> str:
        connection.ensure_connection()
        connection.transaction_mode = None  # as Django has it unless told otherwise
        warband, warrior = places[number]
        try:
            change_warrior(
                WriteContext(owner_of(warband), warband.token), warrior.pk, count=5
            )
        except OperationalError as error:
            return str(error)
        return "written"

    monkeypatch.setattr(transaction, "open_locked_warband", wait_for_the_other)
    assert sorted(at_once(2, write)) == ["database is locked", "written"]


@pytest.mark.skipif(not is_postgres(), reason="SQLite has one lock for everything")
def test_two_ways_to_a_result_never_wait_for_each_other(monkeypatch):
    """An organiser holds the event and wants the battle; a player holds the battle and logs."""
    league = make_league(players=2)
    (game,) = put_up(league, 1, [("Ada", "Ben")])
    battle = report(league, game, "Ada", by=league.player("Ada")).battle
    both_hold = Barrier(2, timeout=SECONDS)

    write_typed, recount = results._write_typed, battle_follower._recount
    waiting = [both_hold]

    def hold_event(*arguments: Any) -> None:
        both_hold.wait()
        write_typed(*arguments)

    def hold_battle(*arguments: Any) -> Any:
        fixture = recount(*arguments)
        # The player's step; the organiser's, later, meets nobody.
        if waiting:
            waiting.pop().wait()
        return fixture

    monkeypatch.setattr(results, "_write_typed", hold_event)
    monkeypatch.setattr(battle_follower, "_recount", hold_battle)
    figures = {league.entry("Ada").token: {"out": 2}}

    def work(number: int) -> None:
        if number:
            confirm_result(league.player("Ben"), battle)
        else:
            report(league, game, "Ben", reason="Misread.", figures=figures)

    at_once(2, work)
    assert (fresh(game).status, fresh(game).out_one) == (FixtureStatus.FINAL, 2)
