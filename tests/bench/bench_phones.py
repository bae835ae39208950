"""50 phones recording 25 battles at once, against one server on this machine: from the tap to the
stored event.

Two phones share a battle. Each sends a tap of its own every few seconds. Of 20 battles' phones each
follows the battle's event stream and asks what others recorded when it tells of news, those of 5
have none and ask every few seconds, as static/js/battle/sync.js does. BENCH_PHONES_SECONDS says for
how long; the phones work on the same cores as the server.
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
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from tests.bench.measure import sized, table, verdict
from tests.bench.place import ready

if TYPE_CHECKING:
    from battles.models import Battle

PHONES, BATTLES = sized((50, 25), (4, 2))
P95_MS = 200.0
SECONDS = float(os.environ.get("BENCH_PHONES_SECONDS", sized("300", "2")))
LOOK_EVERY = sized(2.0, 0.4)  # seconds, as a phone does that has no stream
FOLLOWED_MS = 3000.0
STREAMED = 4  # of 5 battles
TAP_FROM, TAP_TO = sized((2.0, 6.0), (0.2, 0.6))  # seconds between two taps of one phone


class Phone(Thread):
    """One device. ``taps`` and ``looks`` are milliseconds, ``faults`` what went wrong.

    ``lags``: milliseconds from a tap on the other phone to this one having it.
    """

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
        self.lags: list[float] = []
        self.has_stream = (number % BATTLES) % 5 < STREAMED
        self.is_told = Event()

    def follow(self) -> None:
        from battles.keys import stream_address

        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        line.request("GET", stream_address(self.battle.token))
        answer = line.getresponse()
        while time.monotonic() < self.until and (text := answer.fp.readline()):
            if text.startswith(b"data: ") and int(text.split()[1]) > self.position:
                self.is_told.set()
        line.close()

    def run(self) -> None:
        if self.has_stream:
            Thread(target=self.follow, daemon=True).start()
        now = time.monotonic()
        next_tap, next_look = (
            now + self.chance.uniform(0, TAP_TO),
            now + self.chance.uniform(0, LOOK_EVERY),
        )
        while (now := time.monotonic()) < self.until:
            if now >= next_tap:
                self._tap()
                next_tap = now + self.chance.uniform(TAP_FROM, TAP_TO)
            if self.is_told.is_set() or (now >= next_look and not self.has_stream):
                self.is_told.clear()
                self._look()
                next_look = now + LOOK_EVERY
            due = next_tap if self.has_stream else min(next_tap, next_look)
            self.is_told.wait(max(0.0, due - time.monotonic()))

    def _tap(self) -> None:
        from tests.factories import make_event

        event = make_event(
            seq=len(self.taps) + 1, device=self.device, text=repr(time.monotonic())
        )
        told = self._call("POST", "", {"events": [event]}, self.taps)
        if told and not all(one["stored"] for one in told["events"]):
            self.faults.append(f"not stored: {told['events']}")

    def _look(self) -> None:
        told = self._call("GET", f"?after={self.position}", None, self.looks)
        if told is None:
            return
        self.position, now = told["position"], time.monotonic()
        others = [e for e in told["events"] if e["device"] != self.device]
        self.lags += [(now - float(event["payload"]["text"])) * 1000 for event in others]

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


def lag_rows(how: str, lags: list[float]) -> list[list[object]]:
    if len(lags) < 2:
        return []
    most = statistics.quantiles(lags, n=100)[-1]
    return [
        [f"second phone, {how}, median ms", statistics.median(lags), "", ""],
        [
            f"second phone, {how}, 99 in 100 under ms",
            most,
            FOLLOWED_MS,
            verdict(most, FOLLOWED_MS),
        ],
    ]


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
    streamed = [ms for phone in phones if phone.has_stream for ms in phone.lags]
    asked = [ms for phone in phones if not phone.has_stream for ms in phone.lags]
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
            *lag_rows("stream", streamed),
            *lag_rows("asking every 2 s", asked),
        ],
    )
    for fault in faults[:5]:
        print(fault)
