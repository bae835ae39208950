"""R3: the server is killed outright while people write, again and again, and nothing it acknowledged is lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Condition

import pytest
from django.db import connection
from django.urls import reverse

from tests.conftest import is_postgres
from tests.factories import make_person, make_user, make_warband, make_warrior, record_of
from tests.reliability.server import SECONDS, Caller, serving
from warbands import queries
from warbands.models import Warband, WarbandEvent, Warrior

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
        """Until so many more have been acknowledged."""
        with self.changed:
            goal = self.count + count
            done = self.changed.wait_for(lambda: self.count >= goal or self.refused, timeout=SECONDS)
        assert done, "the server answers nobody"
        assert not self.refused, self.refused


def test_nothing_acknowledged_is_lost(soak: Callable[[int, int], int], tmp_path: Path) -> None:
    kills, chance = soak(2, 500), random.Random(3)
    user = make_user()
    warbands = [make_warband(actor=make_person(user=user)) for _ in range(WRITERS)]
    warriors = [make_warrior(warband=warband) for warband in warbands]
    paths = [reverse("warrior-change", args=[w.token, each.pk]) for w, each in zip(warbands, warriors, strict=True)]
    told = Acknowledged(WRITERS)
    with serving(tmp_path) as server:
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

        for kill in range(kills):
            with ThreadPoolExecutor(WRITERS) as pool:
                done = [pool.submit(write_until_it_dies, writer) for writer in range(WRITERS)]
                told.wait_for(chance.randint(1, 20))
                server.kill()
                for each in done:
                    each.result()
            look_over(warbands, warriors, told, kill + 1)
            server.start()
        assert callers[0].post(paths[0], {"name": "after"}) == 302


def look_over(warbands: list[Warband], warriors: list[Warrior], told: Acknowledged, kills: int) -> None:
    """What is in the database is whole: all that was acknowledged, and at most what was under way at each kill."""
    for writer, (warband, warrior) in enumerate(zip(warbands, warriors, strict=True)):
        warband.refresh_from_db()
        warrior.refresh_from_db()
        events = list(WarbandEvent.objects.filter(warband=warband).order_by("version"))
        stored = [event.summary.partition("“")[2].rstrip("”") for event in events[2:]]
        acknowledged = set(told.names[writer])
        assert acknowledged <= set(stored), acknowledged - set(stored)
        assert len(stored) <= len(acknowledged) + kills
        assert [event.version for event in events] == list(range(1, warband.version + 1))
        assert warrior.name == (stored[-1] if stored else ""), "the roster and its last event must be of one write"
        assert queries.sheet_of(record_of(warband)).points == warband.points
    if not is_postgres():
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert cursor.execute("PRAGMA foreign_key_check").fetchall() == []
