"""Listens to the accounts: hands a session's battles to whoever signs in, and lets go of a closed account."""

from __future__ import annotations

from typing import Any

from accounts.signals import account_closing, owner_claimed
from campaigns.operations import claim_battles, release_battles


def connect_claims() -> None:
    """Join the signals once; called when the app is ready."""
    owner_claimed.connect(_claim, dispatch_uid="campaigns.claims.claim")
    account_closing.connect(_close, dispatch_uid="campaigns.claims.close")


def _claim(sender: object, *, key: str, user: Any, **_: object) -> None:
    claim_battles(key, user.pk)


def _close(sender: object, *, user: Any, **_: object) -> None:
    release_battles(user.pk)
