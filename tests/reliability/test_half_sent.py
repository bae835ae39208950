"""R35: requests of which only a part has come hold nobody else up.

The control is the server that was used before, which gives each connection a thread.
"""

import http.client
import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from accounts.owner import Owner
from tests.factories import make_legal_warband, make_user
from tests.reliability.server import Server, gather_statics, serving
from tests.systems import in_turn

HALF_HEADER = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Never: end"
HALF_BODY = (
    b"POST /api/v1/roll/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n12345"
)
ROUNDS = 60
SLOWER_MOST = 2.0
MORE_MIB = 100


@contextmanager
def half_sent(port: int, number: int, sent: bytes, addresses: int) -> Iterator[None]:
    """Hold so many connections open that have sent the beginning of a request."""
    with ExitStack() as stack:
        for index in range(number):
            address = f"127.0.0.{1 + index % addresses}"
            connection = socket.create_connection(
                ("127.0.0.1", port), source_address=(address, 0)
            )
            stack.enter_context(connection)
            connection.sendall(sent)
        yield


def seconds_of(server: Server, path: str, timeout: float = 30) -> float:
    """How long a whole request takes; raises TimeoutError."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    connection.request("GET", path, headers={"Host": f"localhost:{server.port}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 200, answer.status
    return time.perf_counter() - began


def p95_of(server: Server, path: str) -> float:
    return statistics.quantiles((seconds_of(server, path) for _ in range(ROUNDS)), n=20)[-1]


def memory_mib(server: Server) -> float:
    held = 0
    for folder in Path("/proc").glob("[0-9]*"):
        # Other processes of the machine come and go meanwhile.
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == server.group:
                held += int((folder / "statm").read_text().split()[1]) * 4096
    return held / 2**20


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "sent", in_turn([HALF_HEADER, HALF_BODY], of=2), ids=["headers", "bodies"]
)
def test_half_sent_requests_hold_nobody_up(tmp_path: Path, sent: bytes) -> None:
    with serving(tmp_path) as server, half_sent(server.port, 100, sent, addresses=1):
        seconds_of(server, "/healthz")
        seconds_of(server, "/api/v1/systems/")


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
def test_control_a_thread_for_each_connection_is_held_up(tmp_path: Path) -> None:
    with serving(tmp_path, "--gthread") as server:
        seconds_of(server, "/healthz")
        with (
            half_sent(server.port, 100, HALF_HEADER, addresses=1),
            pytest.raises(TimeoutError),
        ):
            seconds_of(server, "/healthz", timeout=5)


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("addresses", [1, 50])
@pytest.mark.parametrize("sent", [HALF_HEADER, HALF_BODY], ids=["headers", "bodies"])
def test_five_hundred_half_sent_requests(tmp_path, sent, addresses):
    warband = make_legal_warband(actor=Owner(user_id=make_user().pk), visibility="public")
    gather_statics(tmp_path)
    paths = ["/healthz", f"/warbands/{warband.token}/"]
    with serving(tmp_path) as server:
        for path in paths:
            p95_of(server, path)
        before = {path: p95_of(server, path) for path in paths}
        held = memory_mib(server)
        for path in paths:
            # A header may take ten seconds, so each page has its own five hundred.
            with half_sent(server.port, 500, sent, addresses):
                # What is measured is the site beside them, not their arrival.
                p95_of(server, path)
                slower = p95_of(server, path) / before[path]
                more = memory_mib(server) - held
            print(f"{path}: {slower:.2f} times, {more:.0f} MiB more")
            assert slower <= SLOWER_MOST
            assert more <= MORE_MIB
