"""The server's connections in one event loop: what is too slow, too large or one too many is ended."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pytest_django import Settings
from uvicorn import Config
from uvicorn.server import ServerState

from config import server
from config.server import BoundedConnection, WholeRequests

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"POST /x HTTP/1.1\r\nHost: a\r\n"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the body and with the length that the application was told."""
    message = await receive()
    body = message["body"]
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    text = b"%d %s" % (len(body), b",".join(lengths))
    headers = [(b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})


async def talk_to_server(talk: Talk, connections: int) -> None:
    config = Config(WholeRequests(echo), http=BoundedConnection, ws="none", lifespan="off")
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(
        lambda: BoundedConnection(config, state, {}), "127.0.0.1", 0
    )
    port = listener.sockets[0].getsockname()[1]
    open_connections = [
        await asyncio.open_connection("127.0.0.1", port) for _ in range(connections)
    ]
    try:
        await talk(*open_connections[-1])
    finally:
        for _, writer in open_connections:
            writer.close()
        listener.close()
        await asyncio.sleep(0)


def run(talk: Talk, connections: int = 1) -> None:
    """Talk in a thread of its own: browser tests leave a running loop in the thread of the tests."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, talk_to_server(talk, connections)).result()


def answer_to(*parts: bytes, connections: int = 1) -> str:
    """Send the parts on the last of so many connections; return all that comes until it is closed."""
    answers: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.05)
        answers.append(await asyncio.wait_for(reader.read(), timeout=30))

    run(talk, connections)
    return answers[0].decode()


def test_whole_request_is_answered() -> None:
    answer = answer_to(HEAD + b"Connection: close\r\nContent-Length: 5\r\n\r\n12", b"345")
    assert answer.startswith("HTTP/1.1 200")
    assert answer.endswith("\r\n\r\n5 5")


def test_body_sent_in_chunks_is_told_its_length() -> None:
    chunks = b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
    assert answer_to(HEAD + chunks, b"2\r\nde\r\n0\r\n\r\n").endswith("\r\n\r\n5 5")


@pytest.mark.parametrize("limit,sent", [
    ("HEADER_SECONDS", HEAD), ("HEADER_SECONDS", b""),
    ("BODY_SECONDS", HEAD + b"Content-Length: 9\r\n\r\n1"),
], ids=["header", "nothing", "body"])  # fmt: skip
def test_late_request_is_ended(monkeypatch, limit, sent):
    monkeypatch.setattr(server, limit, 0.2)
    assert answer_to(sent).startswith("HTTP/1.1 408")


def test_a_byte_at_a_time_gains_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.3)
    answers: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reading = asyncio.ensure_future(reader.readline())
        writer.write(HEAD + b"X-A: ")
        for _ in range(100):
            writer.write(b"a")
            await asyncio.wait([reading], timeout=0.1)
            if reading.done():
                answers.append(await reading)
                return

    run(talk)
    assert answers == [b"HTTP/1.1 408 Request Timeout\r\n"]


def test_endless_header_is_refused(settings: Settings) -> None:
    most = settings.HEADER_MAX_BYTES
    answer = answer_to(HEAD + b"X-A: " + b"a" * most)
    assert answer.startswith("HTTP/1.1 431")
    fits = b"X-A: " + b"a" * (most - len(HEAD) - 200) + b"\r\nConnection: close\r\n\r\n"
    assert answer_to(HEAD + fits).startswith("HTTP/1.1 200")


@pytest.mark.parametrize("address,status,words", [
    (b"/", 431, "Headers too long"),
    (
        b"/api/v1/systems/",
        431,
        '"detail": "The headers of a request may have at most 32,768',
    ),
    (b"/" + b"a" * 9000, 414, "Address too long"),
])  # fmt: skip
def test_endless_header_is_refused_in_words(settings, address, status, words):
    """As Django refuses, though it never hears of the request: a page or JSON, and every header."""
    head = b"GET " + address + b" HTTP/1.1\r\nHost: localhost\r\nX-A: "
    answer = answer_to(head + b"a" * settings.HEADER_MAX_BYTES)
    first, _, rest = answer.partition("\r\n")
    headers, _, body = rest.partition("\r\n\r\n")
    assert first.startswith(f"HTTP/1.1 {status}")
    assert words in body
    assert f"Content-Length: {len(body.encode())}" in headers
    for name in ("Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options"):
        assert name in headers
    assert "Cache-Control: private, no-store" in headers


@pytest.mark.parametrize("sent,is_read", [(10, True), (11, False)])
def test_body_over_the_limit_is_not_read(settings, sent, is_read):
    settings.REQUEST_MAX_BYTES = 10
    head = HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % sent
    answer = answer_to(head + b"a" * sent)
    assert answer.endswith(f"\r\n\r\n{sent if is_read else 0} {sent}")


def test_who_sends_far_too_much_reads_the_answer(settings: Settings) -> None:
    settings.REQUEST_MAX_BYTES = 10
    size = 20_000_000
    head = HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % size
    assert answer_to(head, b"a" * size).endswith(f"\r\n\r\n0 {size}")


def test_too_much_waiting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "WAITING_MAX_BYTES", 4)
    head = HEAD + b"Connection: close\r\nContent-Length: 9\r\n\r\n"
    assert answer_to(head + b"1234", b"5").startswith("HTTP/1.1 503")
    assert answer_to(
        HEAD + b"Connection: close\r\nContent-Length: 4\r\n\r\n1234"
    ).startswith("HTTP/1.1 200")


@pytest.mark.parametrize(
    "connections,trusts_proxy,status",
    [(64, False, "200"), (65, False, "503"), (65, True, "200")],
)
def test_connections_of_one_address(settings, connections, trusts_proxy, status):
    settings.CONNECTIONS_PER_ADDRESS = 64
    settings.TRUST_PROXY = trusts_proxy
    answer = answer_to(HEAD + b"Connection: close\r\n\r\n", connections=connections)
    assert answer.startswith(f"HTTP/1.1 {status}")
    assert not BoundedConnection.open_by_address


@pytest.mark.parametrize("connections,status", [(8, "200"), (9, "503")])
def test_connections_in_all(settings, monkeypatch, connections, status):
    settings.TRUST_PROXY = True
    monkeypatch.setattr(server, "CONNECTIONS_MAX", 8)
    assert answer_to(
        HEAD + b"Connection: close\r\n\r\n", connections=connections
    ).startswith(f"HTTP/1.1 {status}")


@pytest.mark.parametrize("sent", [
    b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"GET / HTTP/1.1\r\nA B: c\r\n\r\n",
    b"\x16\x03\x01\x00\xa5\x01\x00\x00",
])  # fmt: skip
def test_nonsense_is_a_400(sent: bytes) -> None:
    assert answer_to(sent).startswith("HTTP/1.1 400")
