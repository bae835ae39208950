"""Listens to the accounts: hands a session's warbands to whoever signs in, and lets them go with a
closed account.

What somebody showed a club is theirs alone again once they leave it.
"""

from __future__ import annotations

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


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    owner_claimed.connect(_claim, dispatch_uid="warbands.receivers.claim")
    account_closing.connect(_close, dispatch_uid="warbands.receivers.close")
    membership_ended.connect(_leave, dispatch_uid="warbands.receivers.leave")
    packs_changed.connect(_recount_all, dispatch_uid="warbands.receivers.packs")
    scenario_changed.connect(_recount_carriers, dispatch_uid="warbands.receivers.scenario")
    own_list_changed.connect(_keep_prices, dispatch_uid="warbands.receivers.own_list")


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
    keep_prices(before, after)
    transaction.on_commit(lambda: recount_warbands(army=after.token))
