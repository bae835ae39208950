"""What whoever runs a site sees of it: times, figures, and errors without secrets."""

import json
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import brotli
import pytest
from django.test import Client

from config import logs
from tests.reliability.server import serving


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.django_db
def test_log_tells_how_long_a_request_took(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="django_structlog")
    Client().get("/robots.txt")
    events: list[Any] = [record.msg for record in caplog.records]
    (ended,) = [event for event in events if event["event"] == "request_finished"]
    assert ended["request"] == "GET /robots.txt"
    assert ended["duration_ms"] >= 0
    (begun,) = [event for event in events if event["event"] == "request_started"]
    assert "duration_ms" not in begun


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_asked", [True, False])
def test_figures_are_on_their_own_address_where_one_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_asked: bool
) -> None:
    address = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("METRICS", address if is_asked else "")
    with serving(tmp_path) as server:
        urllib.request.urlopen(f"http://127.0.0.1:{server.port}/robots.txt").read()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics")
        if not is_asked:
            with pytest.raises(urllib.error.URLError):
                urllib.request.urlopen(f"http://{address}/metrics")
            return
        figures = urllib.request.urlopen(f"http://{address}/metrics").read().decode()
    line = "django_http_responses_total_by_status_view_method_total{"
    found = [each for each in figures.splitlines() if each.startswith(line)]
    assert any('view="robots-read"' in each and 'status="200"' in each for each in found)


class Collector(BaseHTTPRequestHandler):
    """Stands for Sentry: keeps what it is sent."""

    sent: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.sent.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


BREAK = """
import django; django.setup()
from django.test import Client
from config import pages
def broken(request, token): raise ValueError("of ann@example.org at redis://:hush@host/0")
import config.urls
from django.urls import path
config.urls.urlpatterns.insert(0, path("shared/<str:token>/", broken))
Client(raise_request_exception=False).get(
    "/shared/a-secret-link/?q=words", HTTP_COOKIE="session=abc", HTTP_HOST="localhost"
)
import sentry_sdk; sentry_sdk.flush()
"""


def test_error_is_sent_without_people_addresses_and_secrets(project_root, tmp_path):
    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    dsn = f"http://key@127.0.0.1:{server.server_port}/1"
    variables = {"DATA_DIR": str(tmp_path), "SENTRY_DSN": dsn, "PATH": os.environ["PATH"]}
    variables |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DEBUG": "1"}
    run = [sys.executable, "-c", BREAK]
    subprocess.run(run, cwd=project_root, env=variables, check=True, capture_output=True)
    server.shutdown()
    server.server_close()
    sent = [_decoded(each) for each in Collector.sent]
    (event,) = [each for each in sent if "ValueError" in each]
    assert "of (e-mail) at redis://:(hidden)@host/0" in event, event
    for secret in ("a-secret-link", "ann@example.org", "hush", "session=abc", "q=words"):
        assert not [each for each in sent if secret in each], secret


def _decoded(body: bytes) -> str:
    return brotli.decompress(body).decode()


def test_error_reports_need_their_package_and_a_whole_address(monkeypatch, capsys):
    with pytest.raises(SystemExit):
        logs.begin_error_reports("nonsense", "1")
    assert "must look like https://" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(SystemExit):
        logs.begin_error_reports("https://key@sentry.example.org/1", "1")
    assert "needs a package" in capsys.readouterr().err


def test_event_keeps_no_request() -> None:
    event = {"request": {"url": "x"}, "user": {}, "logentry": {"message": "a@b.org"}}
    assert json.dumps(logs.without_secrets(event)) == (
        '{"logentry": {"message": "(e-mail)"}}'
    )
