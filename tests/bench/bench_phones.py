"""50 phones recording 25 battles at once, against one server on this machine: from the tap to the
stored event.

Two phones share a battle. Each sends a tap of its own every few seconds and asks in between what
others recorded, as static/js/battle/sync.js does. BENCH_PHONES_SECONDS says for how long; the
phones work on the same cores as the server.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from tests.bench.measure import sized, table, verdict
from tests.bench.place import ready

if TYPE_CHECKING:
    from battles.models import Battle

PHONES, BATTLES = sized((50, 25), (4, 2))
P95_MS = 200.0
SECONDS = float(os.environ.get("BENCH_PHONES_SECONDS", sized("300", "2")))
LOOK_EVERY = sized(4.0, 0.4)  # seconds, as a phone does while something happens
TAP_FROM, TAP_TO = sized((2.0, 6.0), (0.2, 0.6))  # seconds between two taps of one phone


class Phone(Thread):
    """One device. ``taps`` and ``looks`` are milliseconds, ``faults`` what went wrong."""

    def __init__(self, number: int, port: int, battle: Battle, until: float) -> None:
        super().__init__(daemon=True)
        self.device, self.port, self.battle, self.until = (
            f"phone {number}",
            port,
            battle,
            until,
        )
        self.chance = random.Random(number)
        self.taps: list[float] = []
        self.looks: list[float] = []
        self.faults: list[str] = []
        self.position = 0

    def run(self) -> None:
        now = time.monotonic()
        next_tap, next_look = (
            now + self.chance.uniform(0, TAP_TO),
            now + self.chance.uniform(0, LOOK_EVERY),
        )
        while (now := time.monotonic()) < self.until:
            if now >= next_tap:
                self._tap()
                next_tap = now + self.chance.uniform(TAP_FROM, TAP_TO)
            if now >= next_look:
                self._look()
                next_look = now + LOOK_EVERY
            time.sleep(max(0.0, min(next_tap, next_look) - time.monotonic()))

    def _tap(self) -> None:
        from tests.factories import make_event

        event = make_event(
            seq=len(self.taps) + 1, device=self.device, text=f"Tap {len(self.taps)}"
        )
        told = self._call("POST", "", {"events": [event]}, self.taps)
        if told and not all(one["stored"] for one in told["events"]):
            self.faults.append(f"not stored: {told['events']}")

    def _look(self) -> None:
        told = self._call("GET", f"?after={self.position}", None, self.looks)
        self.position = told["position"] if told else self.position

    def _call(
        self, method: str, asked: str, body: object, times: list[float]
    ) -> dict[str, Any] | None:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json", "X-Battle-Key": self.battle.key}
        start = time.perf_counter()
        try:
            line.request(
                method,
                f"/api/v1/battles/{self.battle.token}/events/{asked}",
                body and json.dumps(body),
                headers,
            )
            answer = line.getresponse()
            read = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.faults.append(repr(error))
            return None
        finally:
            line.close()
        times.append((time.perf_counter() - start) * 1000)
        if answer.status != 200:
            self.faults.append(f"{answer.status} {read[:120]!r}")
            return None
        found: dict[str, Any] = json.loads(read)
        return found


def main() -> None:
    ready()
    from battles.models import BattleEvent
    from tests.factories import make_duel
    from tests.reliability.server import serving

    battles = [make_duel() for _ in range(BATTLES)]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        serving(Path(folder)) as server,
    ):
        until = time.monotonic() + SECONDS
        phones = [
            Phone(number, server.port, battles[number % BATTLES], until)
            for number in range(PHONES)
        ]
        for phone in phones:
            phone.start()
        for phone in phones:
            phone.join()
    taps = [ms for phone in phones for ms in phone.taps]
    looks = [ms for phone in phones for ms in phone.looks]
    faults = [fault for phone in phones for fault in phone.faults]
    lost = len(taps) - BattleEvent.objects.count()
    p95 = statistics.quantiles(taps, n=20)[-1]
    table(
        [f"{PHONES} phones, {BATTLES} battles, {SECONDS:.0f} s", "measured", "budget", ""],
        [
            ["taps sent", len(taps), "", ""],
            ["looks between them", len(looks), "", ""],
            ["errors", len(faults), 0, verdict(len(faults), 0)],
            ["taps that were answered and are not stored", lost, 0, verdict(abs(lost), 0)],
            ["tap to stored, median ms", statistics.median(taps), "", ""],
            ["tap to stored, 95 in 100 under ms", p95, P95_MS, verdict(p95, P95_MS)],
            [
                "tap to stored, 99 in 100 under ms",
                statistics.quantiles(taps, n=100)[-1],
                "",
                "",
            ],
        ],
    )
    for fault in faults[:5]:
        print(fault)
