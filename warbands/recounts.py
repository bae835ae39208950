"""Listens to the rule books: totals that were worked out from what has changed are worked out again."""

from __future__ import annotations

from rulesdata.signals import packs_changed, scenario_changed
from warbands.operations import recount_warbands


def connect() -> None:
    """Join the signals once; called when the app is ready."""
    packs_changed.connect(_recount_all, dispatch_uid="warbands.recounts.packs")
    scenario_changed.connect(_recount_carriers, dispatch_uid="warbands.recounts.scenario")


def _recount_all(sender: object, **_: object) -> None:
    recount_warbands()


def _recount_carriers(sender: object, *, key: str, **_: object) -> None:
    recount_warbands(scenario=key)
