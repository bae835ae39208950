"""Two web machines as docs/deploy.md has them, and a browser that asks either.

Each has a folder of its own. They share the database of the tests, a Redis, the secret key and the
address of the site, and nothing else, and stand behind a load balancer that names the caller.
"""

import http.client
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from pypdf import PdfReader

from tests.reliability.server import (
    CSRF_SECRET,
    NOTHING,
    SECONDS,
    Server,
    gather_statics,
    serving,
)
from tests.reliability.test_outage import own_redis

SITE = "http://localhost:8000"
API_RATE = 12  # calls a minute; each reader of pages comes from an address of its own
# What is drawn at random, or for one request alone.
_RANDOM = re.compile(
    r'(?:name="(?:csrfmiddlewaretoken|key)"\s+value|data-key)="[^"]*"|"now": "[^"]*"'
)
_numbers = count(1)


@dataclass(frozen=True)
class Answer:
    status: int
    kind: str
    body: bytes
    where: str = ""
    session: str = ""

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def words(self) -> object:
        if self.kind.startswith("text/html"):
            return _RANDOM.sub("", self.text)
        # A PDF names the moment it was made.
        return words_in(self.body) if self.kind == "application/pdf" else self.body


def words_in(pdf: bytes) -> tuple[int, str]:
    """How many pages there are, and the text of the first, for reading all takes seconds."""
    pages = PdfReader(io.BytesIO(pdf)).pages
    return len(pages), pages[0].extract_text()


def new_address() -> str:
    number = next(_numbers)
    return f"10.{number // 65_536}.{number // 256 % 256}.{number % 256}"


class Browser:
    """Somebody's browser, or a program with its headers, at one address of the internet."""

    def __init__(self, session: str = "", **headers: str) -> None:
        self.session, self.headers = session, headers
        self.address = new_address()

    def get(self, server: Server, path: str) -> Answer:
        return self._ask(server, "GET", path)

    def post(self, server: Server, path: str, form: Mapping[str, str] = NOTHING) -> Answer:
        body = urlencode({**form, "csrfmiddlewaretoken": CSRF_SECRET})
        return self._ask(server, "POST", path, body)

    def call(self, server: Server, path: str, body: Any) -> Answer:
        return self._ask(server, "POST", path, json.dumps(body), "application/json")

    def _ask(
        self,
        server: Server,
        method: str,
        path: str,
        body: str | None = None,
        kind: str = "application/x-www-form-urlencoded",
    ) -> Answer:
        cookies = {
            settings.SESSION_COOKIE_NAME: self.session,
            settings.CSRF_COOKIE_NAME: CSRF_SECRET,
        }
        headers = {
            "Host": SITE.partition("//")[2],
            "X-Forwarded-For": self.address,
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            **({} if body is None else {"Content-Type": kind}),
            **self.headers,
        }
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, headers)
            found = connection.getresponse()
            answer = _answer_of(found, found.read())
        finally:
            connection.close()
        self.session = answer.session or self.session
        return answer


def moved(browser: Browser) -> Browser:
    browser.address = new_address()
    return browser


def _answer_of(found: http.client.HTTPResponse, body: bytes) -> Answer:
    named = re.compile(rf"{re.escape(settings.SESSION_COOKIE_NAME)}=([^;]+)")
    cookies = map(named.match, found.headers.get_all("Set-Cookie", []))
    session = next((one[1] for one in cookies if one), "")
    kind, where = (found.getheader(name, "") for name in ("Content-Type", "Location"))
    return Answer(found.status, kind, body, where, session)


@dataclass(frozen=True)
class Machines:
    """The two, and what a third one needs to know of what they share."""

    one: Server
    other: Server
    folder: Path
    shared: Mapping[str, str]

    @property
    def mails(self) -> Path:
        return self.folder / "mails"

    @property
    def both(self) -> tuple[Server, Server]:
        return self.one, self.other


@contextmanager
def two_machines(folder: Path, **only_other: str) -> Iterator[Machines]:
    """Two running machines; ``only_other`` are variables that the second alone has, as a control."""
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        redis = stack.enter_context(own_redis(folder))
        shared = {
            "REDIS_URL": redis.url,
            "SITE_URL": SITE,
            "TRUST_PROXY": "1",
            "API_RATE": f"{API_RATE}/min",
            # Mail is a file for each, so that a limit of mails can be counted.
            "EMAIL_URL": f"filemail:///{folder / 'mails'}",
        }
        servers = []
        for name, more in (("one", NOTHING), ("other", only_other)):
            gather_statics(folder / name)
            server = serving(folder / name, settings_of={**shared, **more})
            servers.append(stack.enter_context(server))
        yield Machines(*servers, folder, shared)
