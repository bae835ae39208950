"""The server's connections: how many, how long a request may take to arrive, how much it may hold.

gunicorn starts the processes, uvicorn reads the sockets in one event loop, and a thread is used only
for a request that has arrived whole. docs/decisions/server.md has the figures behind this choice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn_worker import UvicornWorker

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

HEADER_SECONDS = 10
BODY_SECONDS = 60  # 8 MB at 140 kB a second
WRITE_SECONDS = 60  # until a reader that fell behind has taken what waits for it
HEADER_MAX_BYTES = 32_768
CONNECTIONS_MAX = 2000
STOP_SECONDS = 10
WAITING_MAX_BYTES = 64 * 1024 * 1024
"""What unfinished bodies may hold in memory, all of them together."""

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
        if self.header_bytes > HEADER_MAX_BYTES:
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

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

    CONFIG_KWARGS: ClassVar[dict[str, Any]] = {
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

    A body over the site's limit is not read: the request goes on without it, and the site's own
    middleware refuses it by its Content-Length.
    """

    def __init__(self, app: App) -> None:
        self.app = app
        self.waiting_bytes = 0

    async def __call__(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        body = bytearray()
        is_complete = declared_length(scope) > settings.REQUEST_MAX_BYTES
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


def declared_length(scope: MutableMapping[str, Any]) -> int:
    """Return the Content-Length in bytes, 0 where there is none."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


def with_length(scope: MutableMapping[str, Any], length: int) -> MutableMapping[str, Any]:
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
