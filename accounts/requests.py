"""What views and API take from a request: who asks, the version seen, the request key.

Domain code takes values.

A reader gets no session: the anonymous key is made only when something is first stored.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

from accounts.owner import KEY_LENGTH, NOBODY, Owner
from accounts.signals import owner_claimed

SESSION_NAME = "anonymous_owner"
MAX_DIGITS = 9
KEY_MAX = 100
NO_ROBOTS = "noindex, nofollow"
_NOT_SENT = frozenset({"csrfmiddlewaretoken", "open", "version"})


def owner_of(request: HttpRequest) -> Owner:
    """Who asks. Reads only: never starts a session."""
    if request.user.is_authenticated:
        return Owner(user_id=request.user.pk)
    key = request.session.get(SESSION_NAME, "")
    return Owner(key=key) if key else NOBODY


def owner_for_storing(request: HttpRequest) -> Owner:
    """Who asks, with a new anonymous key in the session when there is neither an account nor a key
    yet.
    """
    owner = owner_of(request)
    if not owner.is_nobody:
        return owner
    key = new_key()
    request.session[SESSION_NAME] = key
    return Owner(key=key)


def new_key() -> str:
    """An opaque random key of `KEY_LENGTH` small letters and digits."""
    key = base64.b32encode(secrets.token_bytes(20)).decode("ascii").lower()
    assert len(key) == KEY_LENGTH
    return key


def connect() -> None:
    """Listen for people signing in, by whatever door: password, sign-up, one-time link."""
    user_logged_in.connect(_claim, dispatch_uid="accounts.requests.claim")


def _claim(sender: object, *, request: HttpRequest | None = None, user: Any, **_: object) -> None:
    """Announce the session's anonymous key once, then forget it.

    Django keeps the session's data while signing in.
    """
    session = getattr(request, "session", None)
    key = session.get(SESSION_NAME, "") if session is not None else ""
    if session is None or not key:
        return
    owner_claimed.send(sender=sender, key=key, user=user, request=request)
    del session[SESSION_NAME]


def parse_int(text: str | None, field: str, low: int = 0, high: int = 10**MAX_DIGITS - 1) -> int:
    """A whole number a form sent; raises BadRequest naming the field and its limits."""
    value = text or ""
    if (
        not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS)
        or not low <= int(value) <= high
    ):
        raise BadRequest(f"“{field}” must be a whole number from {low} to {high:,}.")
    return int(value)


def version_seen(request: HttpRequest) -> int | None:
    """Return the version this form was made from, None where it sends none; raises BadRequest for
    rubbish.
    """
    sent = request.POST.get("version")
    return parse_int(sent, "version") if sent else None


def request_key(request: HttpRequest) -> str:
    """One key for each button of a page: the page's own key with what this button sends.

    All forms of a page carry the same key, so what tells two buttons apart is where they post and
    what they hold.
    """
    key = request.POST.get("key", "")
    if not key:
        return ""
    if len(key) > KEY_MAX:
        raise BadRequest(f"“key” must have at most {KEY_MAX} characters.")
    sent = sorted(
        (name, tuple(values)) for name, values in request.POST.lists() if name not in _NOT_SENT
    )
    told = repr((key, request.path, sent)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(told).hexdigest()


def without_robots(response: HttpResponse) -> HttpResponse:
    """Tell search engines to leave this alone; a link that was shared is not for everybody."""
    response.headers["X-Robots-Tag"] = NO_ROBOTS
    return response
