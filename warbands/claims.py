"""Listens to the accounts: hands a session's warbands to whoever signs in, and lets them go with a closed account.

What somebody showed a club is theirs alone again once they leave it.
"""

from __future__ import annotations

from typing import Any

from accounts.signals import account_closing, membership_ended, owner_claimed
from warbands.operations import claim_warbands, delete_warbands_of, unshare_warbands


def connect_claims() -> None:
    """Join the signals once; called when the app is ready."""
    owner_claimed.connect(_claim, dispatch_uid="warbands.claims.claim")
    account_closing.connect(_close, dispatch_uid="warbands.claims.close")
    membership_ended.connect(_leave, dispatch_uid="warbands.claims.leave")


def _claim(sender: object, *, key: str, user: Any, **_: object) -> None:
    claim_warbands(key, user.pk)


def _close(sender: object, *, user: Any, **_: object) -> None:
    delete_warbands_of(user.pk)


def _leave(sender: object, *, club_id: int, user_id: int, **_: object) -> None:
    unshare_warbands(club_id, user_id)
