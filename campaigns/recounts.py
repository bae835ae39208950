"""Listens to the rule books: totals that were worked out by what has changed are worked out again."""

from __future__ import annotations

from campaigns.operations import recount_battles
from rulesdata.signals import packs_changed


def connect_recounts() -> None:
    """Join the signal once; called when the app is ready."""
    packs_changed.connect(_recount, dispatch_uid="campaigns.recounts.packs")


def _recount(sender: object, **_: object) -> None:
    recount_battles()
