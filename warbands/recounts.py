"""Listens to the rule books: totals that were worked out from what has changed are worked out again."""

from __future__ import annotations

from django.db import transaction

from rulesdata.own_lists import OwnList
from rulesdata.signals import own_list_changed, packs_changed, scenario_changed
from warbands.operations import keep_prices, recount_warbands


def connect_recounts() -> None:
    """Join the signals once; called when the app is ready."""
    packs_changed.connect(_recount_all, dispatch_uid="warbands.recounts.packs")
    scenario_changed.connect(_recount_carriers, dispatch_uid="warbands.recounts.scenario")
    own_list_changed.connect(_keep_prices, dispatch_uid="warbands.recounts.own_list")


def _recount_all(sender: object, **_: object) -> None:
    recount_warbands()


def _recount_carriers(sender: object, *, key: str, **_: object) -> None:
    recount_warbands(scenario=key)


def _keep_prices(sender: object, *, before: OwnList, after: OwnList, **_: object) -> None:
    """Nobody's points change because a club changed a price: what was paid is kept until somebody takes the new one."""
    keep_prices(before, after)
    transaction.on_commit(lambda: recount_warbands(army=after.token))
