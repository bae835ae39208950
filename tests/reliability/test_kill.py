"""R3: the server is killed outright while people write, again and again, and nothing it
acknowledged is lost.
"""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Condition

import pytest
from django.db import connection
from django.urls import reverse

from tests.conftest import Soak, is_postgres
from tests.factories import make_person, make_user, make_warband, make_warrior, record_of
from tests.reliability.nursery import FORGETFUL
from tests.reliability.server import SECONDS, Caller, serving
from warbands.models import Warband, WarbandEvent, Warrior
from warbands.queries.warbands import sheet_of

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS = 4


class Acknowledged:
    """The names the server has said are stored, by writer."""

    def __init__(self, writers: int) -> None:
        self.names: list[list[str]] = [[] for _ in range(writers)]
        self.sent: list[int] = [0] * writers
        self.refused: list[int] = []
        self.changed = Condition()

    @property
    def count(self) -> int:
        return sum(map(len, self.names))

    def add(self, writer: int, name: str) -> None:
        with self.changed:
            self.names[writer].append(name)
            self.changed.notify_all()

    def refuse(self, status: int) -> None:
        """The server answered with something else: a writer gives up, and nobody waits for it."""
        with self.changed:
            self.refused.append(status)
            self.changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self.changed:
            goal = self.count + count
            done = self.changed.wait_for(
                lambda: self.count >= goal or self.refused, timeout=SECONDS
            )
        assert done, "the server answers nobody"
        assert not self.refused, self.refused


def test_nothing_acknowledged_is_lost(soak: Soak, tmp_path: Path) -> None:
    kill_again_and_again(soak(2, 500, on_postgres=100), tmp_path)


@pytest.mark.soak
def test_server_that_acknowledges_what_it_has_not_stored_is_found_out(tmp_path):
    with pytest.raises(AssertionError, match="acknowledged and lost"):
        kill_again_and_again(1, tmp_path, FORGETFUL)


def kill_again_and_again(kills: int, folder: Path, *options: str) -> None:
    """Kill a server in the middle of its work, look over what it has stored, start it again."""
    chance = random.Random(3)
    user = make_user()
    warbands = [make_warband(actor=make_person(user=user)) for _ in range(WRITERS)]
    warriors = [make_warrior(warband=warband) for warband in warbands]
    paths = [
        reverse("warrior-change", args=[w.token, each.pk])
        for w, each in zip(warbands, warriors, strict=True)
    ]
    told, rolls, broken_off = (
        Acknowledged(WRITERS),
        [Roll(*each) for each in zip(warbands, warriors, strict=True)],
        0,
    )
    with serving(folder, *options) as server:
        callers = [Caller(server, user) for _ in range(WRITERS)]

        def write_until_it_dies(writer: int) -> None:
            while True:
                name = f"n{writer}-{told.sent[writer]}"
                told.sent[writer] += 1
                status = callers[writer].post(paths[writer], {"name": name})
                if status is None:
                    return
                if status != 302:
                    return told.refuse(status)
                told.add(writer, name)

        for _ in range(kills):
            with ThreadPoolExecutor(WRITERS) as pool:
                done = [
                    pool.submit(write_until_it_dies, writer) for writer in range(WRITERS)
                ]
                told.wait_for(chance.randint(1, 8))
                server.kill()
                for each in done:
                    each.result()
            broken_off += was_broken_off()
            for roll, names in zip(rolls, told.names, strict=True):
                roll.look_over(names)
            check_file()
            server.start()
        assert callers[0].post(paths[0], {"name": "after"}) == 302
    for roll, names in zip(
        rolls, [[*told.names[0], "after"], *told.names[1:]], strict=True
    ):
        roll.look_over(names)
        roll.look_over_all(names)
    print(
        f"\n{kills} kills, {told.count} writes acknowledged, {broken_off} transactions to undo"
    )


class Roll:
    """One warband and its only warrior, looked over after every kill."""

    def __init__(self, warband: Warband, warrior: Warrior) -> None:
        self.warband, self.warrior = warband, warrior
        self.first = self.seen = 2  # the versions that made them
        self.acknowledged = 0

    def look_over(self, names: list[str]) -> None:
        """What has come since is whole: all that was acknowledged, and at most the one that was
        under way.
        """
        self.warband.refresh_from_db()
        self.warrior.refresh_from_db()
        fresh, stored = names[self.acknowledged :], self.stored_after(self.seen)
        assert set(fresh) <= set(stored), (
            f"acknowledged and lost: {set(fresh) - set(stored)}"
        )
        assert len(stored) <= len(fresh) + 1
        assert not stored or self.warrior.name == stored[-1], (
            "the roster and its last event must be of one write"
        )
        assert sheet_of(record_of(self.warband)).points == self.warband.points
        self.seen, self.acknowledged = self.warband.version, len(names)

    def look_over_all(self, names: list[str]) -> None:
        """Nor has any later write or kill taken away what was there."""
        assert set(names) <= set(self.stored_after(self.first))

    def stored_after(self, version: int) -> list[str]:
        """The names in the events behind this version, of which none may be missing up to the
        warband's own.
        """
        events = WarbandEvent.objects.filter(
            warband=self.warband, version__gt=version
        ).order_by("version")
        rows = list(events.values_list("version", "summary"))
        assert [number for number, _ in rows] == list(
            range(version + 1, self.warband.version + 1)
        )
        return [summary.partition("“")[2].rstrip("”") for _, summary in rows]


def was_broken_off() -> bool:
    """Whether a transaction was killed half written, so that the next who opens the file has to
    undo it.
    """
    return (
        not is_postgres() and Path(f"{connection.settings_dict['NAME']}-journal").exists()
    )


def check_file() -> None:
    if not is_postgres():
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert cursor.execute("PRAGMA foreign_key_check").fetchall() == []
