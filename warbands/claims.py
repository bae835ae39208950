"""Listens to the accounts: hands a session's warbands to whoever signs in, and lets them go with a closed account."""

from __future__ import annotations

from typing import Any

from accounts.signals import account_closing, owner_claimed
from warbands.operations import claim_warbands, delete_warbands_of


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    owner_claimed.connect(_claim, dispatch_uid="warbands.claims.claim")
    account_closing.connect(_close, dispatch_uid="warbands.claims.close")


def _claim(sender: object, *, key: str, user: Any, **_: object) -> None:
    claim_warbands(key, user.pk)


def _close(sender: object, *, user: Any, **_: object) -> None:
    delete_warbands_of(user.pk)
