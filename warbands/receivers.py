"""Listens to the accounts: hands a session's warbands to whoever signs in, and lets them go with a
closed account.

What somebody showed a club is theirs alone again once they leave it.
"""

from typing import Any

from django.db import transaction

from accounts.signals import account_closing, membership_ended, owner_claimed
from rulesdata.own_lists import OwnList
from rulesdata.signals import own_list_changed, packs_changed, scenario_changed
from warbands.operations.ownership import (
    claim_warbands,
    delete_warbands_of,
    recount_warbands,
    unshare_warbands,
)
from warbands.operations.prices import keep_prices


def _claim(sender: object, *, key: str, user: Any, **_: object) -> None:
    claim_warbands(key, user.pk)


def _close(sender: object, *, user: Any, **_: object) -> None:
    delete_warbands_of(user.pk)


def _leave(sender: object, *, club_id: int, user_id: int, **_: object) -> None:
    unshare_warbands(club_id, user_id)


def _recount_all(sender: object, **_: object) -> None:
    recount_warbands()


def _recount_carriers(sender: object, *, key: str, **_: object) -> None:
    recount_warbands(scenario=key)


def _keep_prices(sender: object, *, before: OwnList, after: OwnList, **_: object) -> None:
    """Nobody's points change because a club changed a price: what was paid is kept until somebody
    takes the new one.
    """
    # In the transaction that changes the list: no reader sees a new price before.
    keep_prices(before, after)
    transaction.on_commit(lambda: recount_warbands(army=after.token))


RECEIVERS = (
    (owner_claimed, _claim),
    (account_closing, _close),
    (membership_ended, _leave),
    (packs_changed, _recount_all),
    (scenario_changed, _recount_carriers),
    (own_list_changed, _keep_prices),
)


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    for signal, receiver in RECEIVERS:
        signal.connect(receiver, dispatch_uid=f"warbands.receivers.{receiver.__name__}")
