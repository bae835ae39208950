"""Listens to accounts and rule books: warbands go to whoever signs in, leave with a closed account
or membership, and are counted anew when the rules change.
"""

from django.db import transaction

from accounts.signals import account_closing, membership_ended, owner_claimed
from rulesdata.own_lists import OwnList
from rulesdata.signals import own_list_changed, packs_changed, scenario_changed
from warbands.operations import upkeep


def _keep_prices(before: OwnList, after: OwnList, **_: object) -> None:
    """Nobody's points change because a club changed a price: what was paid is kept until somebody
    takes the new one.
    """
    # In the transaction that changes the list: no reader sees a new price before.
    upkeep.keep_prices(before, after)
    transaction.on_commit(lambda: upkeep.recount_warbands(army=after.token))


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    for name, signal, receive in (
        (
            "claim",
            owner_claimed,
            lambda key, user, **_: upkeep.claim_warbands(key, user.pk),
        ),
        (
            "close",
            account_closing,
            lambda user, **_: upkeep.delete_account_warbands(user.pk),
        ),
        (
            "leave",
            membership_ended,
            lambda club_id, user_id, **_: upkeep.unshare_warbands(club_id, user_id),
        ),
        ("recount", packs_changed, lambda **_: upkeep.recount_warbands()),
        (
            "carriers",
            scenario_changed,
            lambda key, **_: upkeep.recount_warbands(scenario=key),
        ),
        ("prices", own_list_changed, _keep_prices),
    ):
        signal.connect(receive, weak=False, dispatch_uid=f"warbands.receivers.{name}")
