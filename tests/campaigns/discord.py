"""Discord as a server of the test's own on this machine, and a league that posts to it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from campaigns.models import Fixture, Round
from campaigns.models.leagues import DISCORD_POST
from campaigns.operations.rounds import publish_round
from campaigns.operations.screens import step_webhook
from jobs.models import Job
from tests.campaigns.leagues import League
from tests.campaigns.results import put_up

SECRET = "Abc-_1234567890abcdefghijklmnop"
HOOK = f"https://discord.com/api/webhooks/123456789012345678/{SECRET}"
DONE = (204, {})


@dataclass
class Channel:
    """A server that answers each post with the next of ``answers``, and then that it is done."""

    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    @property
    def posts(self) -> list[str]:
        return [body["content"] for _, _, body in self.requests]


@pytest.fixture
def channel(settings: Any, tmp_path: Path) -> Iterator[Channel]:
    channel = Channel()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            channel.requests.append((self.path, dict(self.headers), body))
            status, headers = channel.answers.pop(0) if channel.answers else DONE
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answering)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.JOBS_DIR = tmp_path

    def connect(host: str, timeout: float) -> HTTPConnection:
        assert host == "discord.com"
        return HTTPConnection("127.0.0.1", server.server_port, timeout=timeout)

    settings.DISCORD_CONNECTION = connect
    yield channel
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def posting(league: League, channel: Channel) -> League:
    """A league of four with a webhook."""
    step_webhook(league.ask(), "set", HOOK)
    return league


def states() -> list[tuple[str, str, str]]:
    rows = Job.objects.filter(kind=DISCORD_POST).order_by("id")
    return list(rows.values_list("title", "status", "words"))


def publish(league: League, pairs: list[Any]) -> list[Fixture]:
    number = league.event.rounds.count() + 1
    games = put_up(league, number, pairs)
    Round.objects.filter(pk=games[0].round_id).update(status="draft")
    publish_round(league.ask(), number, as_drawn=True)
    return games
