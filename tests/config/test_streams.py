"""Event streams: a follower hears of news once, of nothing else, and leaves nothing behind."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from battles.keys import STREAM_PATH, battle_of_address, stream_address
from config import server
from config.server import BattleStreams

Positions = dict[str, tuple[int, int]]


async def pages(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "page"})


class Follower:
    """One phone: what it was sent, until it leaves."""

    def __init__(self, app: BattleStreams, path: str) -> None:
        self.sent: list[Any] = []
        self.leaves = asyncio.Event()
        scope = {"type": "http", "method": "GET", "path": path}
        self.task = asyncio.create_task(app(scope, self.receive, self.send))

    async def receive(self) -> dict[str, str]:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def text(self) -> str:
        return b"".join(one.get("body", b"") for one in self.sent).decode()

    async def hears(self, words: str) -> None:
        while words not in self.text:
            await asyncio.sleep(0.001)


def run(talk: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(talk(), 20)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, bounded()).result()


@pytest.fixture
def positions(monkeypatch: pytest.MonkeyPatch) -> Positions:
    """What the database says, without one; looked at as often as can be."""
    held: Positions = {}
    monkeypatch.setattr(server, "LOOK_EVERY", 0.001)
    monkeypatch.setattr(
        server, "_positions", lambda tokens: {t: held[t] for t in tokens if t in held}
    )
    return held


def test_follower_hears_each_position_once(positions: Positions) -> None:
    positions.update(one=(3, 7), two=(1, 1))

    async def talk() -> None:
        app = BattleStreams(pages)
        first, other = (
            Follower(app, stream_address("one")),
            Follower(app, stream_address("two")),
        )
        await first.hears("data: 3 7\n\n")
        await other.hears("data: 1 1\n\n")
        late = Follower(app, stream_address("one"))
        await late.hears("data: 3 7\n\n")
        positions["one"] = (4, 8)
        await first.hears("data: 4 8\n\n")
        await late.hears("data: 4 8\n\n")
        assert other.text == "retry: 2000\n\ndata: 1 1\n\n"
        for follower in (first, other, late):
            follower.leaves.set()
            await follower.task
        assert not app.listeners
        assert not app.positions
        while app.watch and not app.watch.done():
            await asyncio.sleep(0.001)

    run(talk)


def test_sign_of_life_and_too_many(positions, monkeypatch):
    monkeypatch.setattr(server, "BEAT_EVERY", 0.001)
    monkeypatch.setattr(server, "STREAMS_MAX", 1)

    async def talk() -> None:
        app = BattleStreams(pages)
        follower = Follower(app, stream_address("quiet"))
        await follower.hears(": \n\n")
        refused = Follower(app, stream_address("quiet"))
        await refused.task
        assert refused.sent[0]["status"] == 503
        follower.leaves.set()
        await follower.task

    run(talk)


# An address is signed with the time, so it cannot name its case.
@pytest.mark.parametrize(
    "path",
    [STREAM_PATH, f"{STREAM_PATH}x", stream_address("a") + "x"],
    ids=["none", "no ticket", "altered"],
)
def test_address_without_a_ticket_is_nothing(path: str) -> None:
    assert battle_of_address(path) == ""

    async def talk() -> None:
        follower = Follower(BattleStreams(pages), path)
        await follower.task
        assert follower.sent[0]["status"] == 404

    run(talk)


def test_every_other_address_goes_to_the_pages() -> None:
    async def talk() -> None:
        follower = Follower(BattleStreams(pages), "/battles/")
        await follower.task
        assert follower.sent == [{"type": "page"}]

    run(talk)
