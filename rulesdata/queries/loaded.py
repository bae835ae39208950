"""Whether the packs have been loaded."""

from __future__ import annotations

from rulesdata import registry
from rulesdata.models import System


def packs_are_loaded() -> bool:
    """Whether every rule system of the files has its row. One query."""
    return set(registry.systems()) <= set(
        System.objects.filter(retired_at=None).values_list("key", flat=True)
    )
