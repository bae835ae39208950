"""The edge between a request and `accounts.owner.Owner`. Views and API use it; domain code takes the `Owner`.

A reader gets no session: the anonymous key is made only when something is first stored.
"""

from __future__ import annotations

import base64
import secrets
from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest

from accounts.owner import KEY_LENGTH, NOBODY, Owner
from accounts.signals import owner_claimed

SESSION_NAME = "anonymous_owner"


def owner_of(request: HttpRequest) -> Owner:
    """Who asks. Reads only: never starts a session."""
    if request.user.is_authenticated:
        return Owner(user_id=request.user.pk)
    key = request.session.get(SESSION_NAME, "")
    return Owner(key=key) if key else NOBODY


def owner_for_storing(request: HttpRequest) -> Owner:
    """Who asks, with a new anonymous key in the session when there is neither an account nor a key yet."""
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
    user_logged_in.connect(_claim, dispatch_uid="accounts.owners.claim")


def _claim(sender: object, *, request: HttpRequest | None = None, user: Any, **_: object) -> None:
    """Announce the session's anonymous key once, then forget it. Django keeps the session's data while signing in."""
    session = getattr(request, "session", None)
    key = session.get(SESSION_NAME, "") if session is not None else ""
    if session is None or not key:
        return
    owner_claimed.send(sender=sender, key=key, user=user, request=request)
    del session[SESSION_NAME]
