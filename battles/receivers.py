"""Listens to the accounts: hands a session's battles to whoever signs in, and lets go of a closed
account.
"""

from typing import Any

from accounts.signals import account_closing, owner_claimed
from battles.operations.log import recount_battles
from battles.operations.ownership import claim_battles, release_battles
from rulesdata.signals import packs_changed


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    owner_claimed.connect(_claim, dispatch_uid="battles.receivers.claim")
    account_closing.connect(_close, dispatch_uid="battles.receivers.close")
    packs_changed.connect(_recount, dispatch_uid="battles.receivers.packs")


def _claim(sender: object, *, key: str, user: Any, **_: object) -> None:
    claim_battles(key, user.pk)


def _close(sender: object, *, user: Any, **_: object) -> None:
    release_battles(user.pk)


def _recount(sender: object, **_: object) -> None:
    recount_battles()
