"""Listens to accounts and rule books: warbands go to whoever signs in, leave with a closed account
or membership, and are counted anew when the rules change.
"""

from typing import Any

from django.db import transaction

from accounts.signals import account_closing, membership_ended, owner_claimed
from rulesdata.own_lists import OwnList
from rulesdata.signals import own_list_changed, packs_changed, scenario_changed
from warbands.operations import upkeep


def _claim(sender: object, *, key: str, user: Any, **_: object) -> None:
    upkeep.claim_warbands(key, user.pk)


def _close(sender: object, *, user: Any, **_: object) -> None:
    upkeep.delete_account_warbands(user.pk)


def _leave(sender: object, *, club_id: int, user_id: int, **_: object) -> None:
    upkeep.unshare_warbands(club_id, user_id)


def _recount_all(sender: object, **_: object) -> None:
    upkeep.recount_warbands()


def _recount_carriers(sender: object, *, key: str, **_: object) -> None:
    upkeep.recount_warbands(scenario=key)


def _keep_prices(sender: object, *, before: OwnList, after: OwnList, **_: object) -> None:
    """Nobody's points change because a club changed a price: what was paid is kept until somebody
    takes the new one.
    """
    # In the transaction that changes the list: no reader sees a new price before.
    upkeep.keep_prices(before, after)
    transaction.on_commit(lambda: upkeep.recount_warbands(army=after.token))


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    for signal, receiver in (
        (owner_claimed, _claim),
        (account_closing, _close),
        (membership_ended, _leave),
        (packs_changed, _recount_all),
        (scenario_changed, _recount_carriers),
        (own_list_changed, _keep_prices),
    ):
        signal.connect(receiver, dispatch_uid=f"warbands.receivers.{receiver.__name__}")
