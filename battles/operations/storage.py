"""How much battles of nobody may hold: each, those of one address in a day, and all of the site.

Somebody with an account can be found, so theirs are not counted. What an address stored is counted
in the cache, what the site holds is added up there once a minute; both are close enough, for a
whole batch goes in or none of it.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Exists, F, OuterRef, Q, Sum

from accounts.errors import NoRoom, ShareUsed
from battles.hooks import battle_follower
from battles.models import Battle, BattleSide, Snapshot

EVENT_ROW_BYTES = 300  # of a row and its indexes, without the payload
DAY = 24 * 60 * 60  # seconds
SITE_KEY, SITE_SECONDS = "battles:unclaimed", 60
MEGABYTE = 1_000_000


def unclaimed() -> Q:
    """Return the condition on battles that neither an account nor an event has a part in."""
    claimed_side = BattleSide.objects.filter(battle=OuterRef("pk"), owner__isnull=False)
    return Q(owner=None) & ~Q(Exists(claimed_side)) & ~battle_follower().is_bound()


def events_size(payloads: Iterable[Any]) -> int:
    """Return the bytes that events with these payloads take."""
    return sum(EVENT_ROW_BYTES + _json_size(payload) for payload in payloads)


def _json_size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def charge_setup(battle: Battle, address: str) -> None:
    """Write what the sides of a battle take, and charge what is more than before."""
    sheets = Snapshot.objects.filter(sides__battle=battle)
    # The state begins as large as what is locked.
    parts = [*sheets.values_list("document", "sheet"), battle.locked, battle.locked]
    size = _json_size(parts)
    charge(battle, address, size - battle.setup_bytes)
    Battle.objects.filter(pk=battle.pk).update(setup_bytes=size)


def charge(battle: Battle, address: str, size: int) -> None:
    """Count bytes that are to be stored in a battle, for an address ("" for none) and the site.

    At most two queries, none for a battle with an owner. Raises ShareUsed, NoRoom.
    """
    rows = Battle.objects.filter(unclaimed())
    if battle.owner_id is not None or not rows.filter(pk=battle.pk).exists():
        return
    most = settings.UNCLAIMED_BATTLE_BYTES
    if battle.events_bytes + size > most:
        raise NoRoom(
            f"A battle without an account holds at most {most // MEGABYTE} MB, and this one is "
            "full. Sign in to go on, if you set it up."
        )
    total = Sum(F("setup_bytes") + F("events_bytes"), default=0)
    used: Any = cache.get_or_set(
        SITE_KEY, lambda: rows.aggregate(total=total)["total"], SITE_SECONDS
    )
    if used + size > settings.UNCLAIMED_SITE_BYTES:
        raise NoRoom(
            "This site has no room left for battles without an account. Sign in, or try again "
            "tomorrow."
        )
    most, key = settings.UNCLAIMED_ADDRESS_BYTES, f"{SITE_KEY}:{address}"
    cache.add(key, 0, DAY)
    # Counted first: two at once must not both find the last of it free.
    if address and _add(key, size) > most:
        _add(key, -size)
        raise ShareUsed(
            f"Battles without an account may take {most // MEGABYTE} MB a day from one address, "
            "and yours has used that up. Sign in, or try again tomorrow."
        )
    _add(SITE_KEY, size)


def _add(key: str, size: int) -> int:
    """Add to a count of the cache; return what it is now."""
    with suppress(ValueError):  # it ran out, or Redis went away, in between
        return int(cache.incr(key, size))
    return size
