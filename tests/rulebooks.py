"""The rule books' rows, for tests that read them and do not look at how they are loaded."""

import pytest

from rulesdata import registry
from rulesdata.operations import packs


def load_books() -> None:
    """Load the site's packs without looking for their faults, which takes most of a load.

    ``manage.py check_rules`` and tests/rulesdata look for them. The registry has read the same
    files and keeps what it read.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packs, "check_collection", lambda pack: [])
        patch.setattr(packs, "check_variants", lambda folder, collections: [])
        patch.setattr(registry, "clear_cache", lambda: None)
        packs.load_packs()
