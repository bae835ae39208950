"""The server's connections: how many, how long a request may take to arrive, how much it may hold.

gunicorn starts the processes, uvicorn reads the sockets in one event loop, and a thread is used only
for a request that has arrived whole. Event streams need none: phones that record one battle hear at
once that another one recorded something, and one task in each process asks the database for all of
them. docs/decisions/server.md has the figures behind these choices.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, ClassVar

import structlog
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.utils.module_loading import import_string
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn_worker import UvicornWorker

from battles.keys import STREAM_PATH, battle_of_address
from engine.records import Fields, Texts

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

HEADER_SECONDS = 10
BODY_SECONDS = 60  # 8 MB at 140 kB a second
WRITE_SECONDS = 60  # until a reader that fell behind has taken what waits for it
CONNECTIONS_MAX = 2000
STOP_SECONDS = 10
WAITING_MAX_BYTES = 64 * 1024 * 1024
UNKEPT_MAX_BYTES = 67_108_864
"""What unfinished bodies may hold in memory, all of them together."""

logger = structlog.get_logger(__name__)

STREAMS_MAX = 1000  # in one process; who comes later asks every few seconds instead
LOOK_EVERY = 1.0  # seconds
BEAT_EVERY = (
    20.0  # seconds without news, so that nobody on the way takes the stream for dead
)
RETRY_MS = 2000

STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
Position = tuple[int, int]
Listener = asyncio.Queue[Position]

BUSY = [(b"content-type", b"text/plain"), (b"connection", b"close"), (b"retry-after", b"5")]


class BoundedConnection(HttpToolsProtocol):
    """One connection, closed when it is one too many, or when its request or reader is too slow."""

    open_by_address: ClassVar[Counter[str]] = Counter()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.address = ""
        self.deadline: asyncio.TimerHandle | None = None
        self.header_bytes = 0
        self.headers_are_complete = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.open_by_address[self.address] += 1
        if self._is_one_too_many():
            self.refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            return
        self._allow(HEADER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        self.open_by_address[self.address] -= 1
        if not self.open_by_address[self.address]:
            del self.open_by_address[self.address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.headers_are_complete:
            return
        # The parser keeps an unfinished header in memory, and knows no limit of its own.
        self.header_bytes += len(data)
        if self.header_bytes > settings.HEADER_MAX_BYTES:
            self._refuse_header()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.header_bytes = 0
        self.headers_are_complete = False
        self._allow(HEADER_SECONDS)

    def on_headers_complete(self) -> None:
        self.headers_are_complete = True
        self._allow(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stop_clock()
        super().on_message_complete()

    def shutdown(self) -> None:
        """End the connection when the server stops; a stream has no end of its own."""
        super().shutdown()
        is_open = self.cycle is not None and not self.cycle.response_complete
        if is_open and self.scope["path"].startswith(STREAM_PATH):
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._allow(WRITE_SECONDS)

    def resume_writing(self) -> None:
        self._stop_clock()
        super().resume_writing()

    def refuse(self, status: HTTPStatus) -> None:
        """Answer with one line where nothing is answered yet, then close the connection."""
        self._stop_clock()
        if self.transport.is_closing():
            return
        if self.cycle is None or not self.cycle.response_started:
            text = f"{status.phrase}.\n"
            self.transport.write(
                f"HTTP/1.1 {status} {status.phrase}\r\nContent-Type: text/plain\r\nConnection: close\r\n"
                f"Retry-After: 5\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()
            )
        self.transport.close()

    def _refuse_header(self) -> None:
        """Answer as the site answers any other refusal, then close the connection."""
        # The site is not set up yet when this module is imported.
        header_refusal = import_string("config.middleware.header_refusal")
        self._stop_clock()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(header_refusal(self.url))
        self.transport.close()

    def _is_one_too_many(self) -> bool:
        """Return whether the site, or this address, holds more connections than it may."""
        if len(self.connections) > CONNECTIONS_MAX:
            return True
        # Behind a proxy every connection comes from the proxy's address.
        if settings.TRUST_PROXY:
            return False
        return self.open_by_address[self.address] > settings.CONNECTIONS_PER_ADDRESS

    def _allow(self, seconds: int) -> None:
        """Start the clock anew: the request or its reader has so many seconds."""
        self._stop_clock()
        self.deadline = self.loop.call_later(seconds, self._end_late_request)

    def _stop_clock(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _end_late_request(self) -> None:
        if self.flow.write_paused:
            self.transport.abort()  # its buffer would never empty
        else:
            self.refuse(HTTPStatus.REQUEST_TIMEOUT)


class Worker(UvicornWorker):
    """gunicorn's worker with bounded connections. Forwarded headers are left to the settings."""

    CONFIG_KWARGS: ClassVar[Fields] = {
        "loop": "asyncio",
        "http": BoundedConnection,
        "ws": "none",
        "lifespan": "off",
        "proxy_headers": False,
        "server_header": False,
        "timeout_graceful_shutdown": STOP_SECONDS,
    }


class WholeRequests:
    """An ASGI application that hands requests on when their bodies have arrived.

    A body over the site's limit is not kept: the request goes on without it, and the site's own
    middleware refuses it by its Content-Length. It is received all the same, within bounds: who is
    still sending when the connection ends sees no answer.
    """

    def __init__(self, app: App) -> None:
        self.app = app
        self.waiting_bytes = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        body = bytearray()
        length = declared_length(scope)
        is_complete = length > settings.REQUEST_MAX_BYTES
        if is_complete and length <= UNKEPT_MAX_BYTES:
            while (await receive()).get("more_body"):
                pass
        try:
            while not is_complete:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                part = message.get("body", b"")
                body += part
                self.waiting_bytes += len(part)
                if self.waiting_bytes > WAITING_MAX_BYTES:
                    await refuse_as_busy(send)
                    return
                # A body without a declared length ends where the limit does.
                is_complete = (
                    not message.get("more_body") or len(body) > settings.REQUEST_MAX_BYTES
                )
        finally:
            self.waiting_bytes -= len(body)
        await self.app(with_length(scope, len(body)), replay(bytes(body), receive), send)


def declared_length(scope: Message) -> int:
    """Return the Content-Length in bytes, 0 where there is none."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


def with_length(scope: Message, length: int) -> Message:
    """Return the scope with the length of a body that was sent in chunks, which WSGI must be told."""
    names = {name for name, _ in scope["headers"]}
    if not length or b"content-length" in names:
        return scope
    return {**scope, "headers": [*scope["headers"], (b"content-length", b"%d" % length)]}


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that gives the whole body first, then what the connection says."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_next() -> Message:
        return messages.pop() if messages else await receive()

    return receive_next


async def refuse_as_busy(send: Send) -> None:
    """Answer 503: too much is being sent at once."""
    await send({"type": "http.response.start", "status": 503, "headers": BUSY})
    await send({"type": "http.response.body", "body": b"Too much is being sent at once.\n"})


class BattleStreams:
    """An ASGI application: the streams of battles, and behind it the pages."""

    def __init__(self, pages: App) -> None:
        self.pages = pages
        self.listeners: dict[str, set[Listener]] = defaultdict(set)
        self.positions: dict[str, Position] = {}
        self.watch: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="streams")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(STREAM_PATH):
            await self.pages(scope, receive, send)
            return
        token = battle_of_address(scope["path"]) if scope["method"] == "GET" else ""
        if not token:
            await send(
                {
                    "type": "http.response.start",
                    "status": 404,
                    "headers": STREAM_HEADERS[1:],
                }
            )
            await send({"type": "http.response.body", "body": b""})
        elif self.is_full:
            await refuse_as_busy(send)
        else:
            await self._follow(token, receive, send)

    @property
    def is_full(self) -> bool:
        """Whether this process holds as many streams as it may."""
        return sum(map(len, self.listeners.values())) >= STREAMS_MAX

    async def _follow(self, token: str, receive: Receive, send: Send) -> None:
        """Tell one phone of one battle, until the phone leaves or the server stops.

        The first one of a process starts the task that asks the database, and the last one ends it.
        """
        listener: Listener = asyncio.Queue()
        self.listeners[token].add(listener)
        try:
            await send(
                {"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS}
            )
            await _say(send, f"retry: {RETRY_MS}\n\n")
            # What came between the page and its stream is told by the first look.
            self.positions.pop(token, None)
            if self.watch is None or self.watch.done():
                self.watch = asyncio.create_task(self._look())
            left = asyncio.create_task(_gone(receive))
            try:
                while not left.done():
                    await _say_next(listener, left, send)
            finally:
                left.cancel()
        finally:
            self.listeners[token].discard(listener)
            if not self.listeners[token]:
                del self.listeners[token]
                self.positions.pop(token, None)

    async def _look(self) -> None:
        """Ask how far the battles are, and tell those who follow one that moved.

        It ends when nobody follows any.
        """
        loop = asyncio.get_running_loop()
        while self.listeners:
            tokens = tuple(self.listeners)
            try:
                self._tell(await loop.run_in_executor(self.thread, _positions, tokens))
            except DatabaseError:
                logger.warning("streams_cannot_look")
            await asyncio.sleep(LOOK_EVERY)

    def _tell(self, positions: Mapping[str, Position]) -> None:
        """Pass on positions that nobody was told yet, each to those who follow that battle.

        A battle that is no longer there has no position: its followers hear no more, and their
        pages say so when they ask the API.
        """
        for token, position in positions.items():
            # The last follower may have left while the database was asked.
            if token not in self.listeners or self.positions.get(token) == position:
                continue
            self.positions[token] = position
            for listener in self.listeners[token]:
                listener.put_nowait(position)


async def _say_next(listener: Listener, left: asyncio.Task[None], send: Send) -> None:
    """Pass on what comes next, or a sign of life where nothing does."""
    news = asyncio.create_task(listener.get())
    done, _ = await asyncio.wait(
        {news, left}, timeout=BEAT_EVERY, return_when=asyncio.FIRST_COMPLETED
    )
    if news in done:
        count, version = news.result()
        await _say(send, f"data: {count} {version}\n\n")
        return
    news.cancel()
    if not done:
        await _say(send, ": \n\n")


async def _gone(receive: Receive) -> None:
    """Wait until the other side has left, or the server stops."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _say(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


def _positions(tokens: Texts) -> Mapping[str, Position]:
    """How far these battles are, asked in the thread of the streams.

    That thread has a database connection of its own, looked after as a request would.
    """
    # The server reads this module before any model may be.
    from battles.queries.battles import load_positions

    close_old_connections()
    try:
        return load_positions(tokens)
    finally:
        close_old_connections()
