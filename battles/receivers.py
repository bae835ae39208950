"""Listens to the accounts: hands a session's battles to whoever signs in, and lets go of a closed
account.
"""

from accounts.signals import account_closing, owner_claimed
from battles.operations.log import recount_battles
from battles.operations.ownership import claim_battles, release_battles
from rulesdata.signals import packs_changed


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    for name, signal, receive in (
        ("claim", owner_claimed, lambda key, user, **_: claim_battles(key, user.pk)),
        ("close", account_closing, lambda user, **_: release_battles(user.pk)),
        ("packs", packs_changed, lambda **_: recount_battles()),
    ):
        signal.connect(receive, weak=False, dispatch_uid=f"battles.receivers.{name}")
