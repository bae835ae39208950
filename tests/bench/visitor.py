"""Somebody who asks the site as a server would: through the WSGI handler with every middleware,
without a socket.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.cached_db import SessionStore
from django.core.handlers.wsgi import WSGIHandler

from accounts.models import User

CSRF_SECRET = "x" * 32


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(slots=True)
class Visitor:
    """A browser's cookies and a handler.

    ``session`` is empty for somebody who has not signed in.
    """

    session: str = ""
    handler: Any = field(default_factory=lambda: site())

    def get(self, path: str, *, htmx: bool = False) -> Answer:
        return self._ask("GET", path, b"", htmx)

    def post(
        self, path: str, sent: Mapping[str, Any] | None = None, *, htmx: bool = False
    ) -> Answer:
        """A form, with the token that belongs to the cookie."""
        return self._ask(
            "POST",
            path,
            urlencode({**(sent or {}), "csrfmiddlewaretoken": CSRF_SECRET}).encode(),
            htmx,
        )

    def cookies(self) -> str:
        named = {
            settings.CSRF_COOKIE_NAME: CSRF_SECRET,
            settings.SESSION_COOKIE_NAME: self.session,
        }
        return "; ".join(f"{name}={value}" for name, value in named.items() if value)

    def _ask(self, method: str, path: str, body: bytes, htmx: bool) -> Answer:
        place, _, query = path.partition("?")
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": place,
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_COOKIE": self.cookies(),
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.url_scheme": "http",
            **({"HTTP_HX_REQUEST": "true"} if htmx else {}),
        }
        started: dict[str, Any] = {}

        def start(status: str, headers: list[tuple[str, str]], _: Any = None) -> None:
            started.update(status=int(status.split()[0]), headers=dict(headers))

        parts = self.handler(environ, start)
        try:
            found = b"".join(parts)
        finally:
            parts.close()
        return Answer(started["status"], started["headers"], found)


@cache
def site() -> WSGIHandler:
    return WSGIHandler()


def signed_in(user: User, handler: Any = None) -> Visitor:
    """The visitor with a session of this person's, kept where the site looks for it."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return Visitor(str(session.session_key), handler or site())
