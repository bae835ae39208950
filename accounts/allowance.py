"""What visitors without an account may store: one address in a day, and all of them together.

What an address stored is counted in the cache, what the site holds is added up there once a
minute. Both are close enough, for a whole change goes in or none of it.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.cache import cache

from accounts.errors import NoRoom, ShareUsed

DAY = 24 * 60 * 60  # seconds
SITE_SECONDS = 60
ADDRESS_KEY = "visitors:stored:"
MEGABYTE = 1_000_000


def json_size(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def charge_visitor(
    address: str, size: int, site_key: str, add_up: Callable[[], int]
) -> None:
    """Count bytes that are to be stored, for an address ("" for none) and the site.

    ``add_up`` says what the site holds of things like this, which is kept under ``site_key``.
    Raises ShareUsed, NoRoom.
    """
    used = cache.get_or_set(site_key, add_up, SITE_SECONDS) or 0
    if used + size > settings.UNCLAIMED_SITE_BYTES:
        raise NoRoom(
            "This site has no room left for what is stored without an account. Sign in, or try "
            "again tomorrow."
        )
    most, key = settings.UNCLAIMED_ADDRESS_BYTES, f"{ADDRESS_KEY}{address}"
    cache.add(key, 0, DAY)
    # Counted first: two at once must not both find the last of it free.
    if address and _add(key, size) > most:
        _add(key, -size)
        raise ShareUsed(
            f"What is stored without an account may take {most // MEGABYTE} MB a day from one "
            "address, and yours has used that up. Sign in, or try again tomorrow."
        )
    _add(site_key, size)


def _add(key: str, size: int) -> int:
    """Add to a count of the cache; return what it is now."""
    with suppress(ValueError):  # it ran out, or Redis went away, in between
        return int(cache.incr(key, size))
    return size
