"""What happens to warbands when people come and go: claimed, deleted with an account, purged when
nobody came back.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import NOBODY
from warbands.models import LearnedName, Warband, WarbandEvent, WarbandVisibility
from warbands.operations import transaction as request_keys
from warbands.operations.transaction import open_locked_warband, totals_of
from warbands.queries.records import UNCLAIMED_KEPT

BATCH = 200
PURGED = "warbands:purged"
DAY = 24 * 60 * 60  # seconds


def claim_warbands(key: str, user_id: int) -> int:
    """Everything a session's anonymous key owns becomes this person's; returns how many warbands."""
    if not key:
        return 0
    owned = {"owner_id": user_id, "owner_key": ""}
    with transaction.atomic():
        rows = Warband.objects.select_for_update().filter(owner=None, owner_key=key)
        changes = [(row, owned) for row in rows.only("pk", "version")]
        told = {"verb": "claim_warbands", "summary": "Moved into your account"}
        return _write_versions(changes, actor_id=user_id, **told)


def unshare_warbands(club_id: int, user_id: int) -> int:
    """What somebody showed a club they no longer belong to is theirs alone again; returns how many
    warbands.

    Those that others may read in other ways stay as they are, without the club.
    """
    kept = {WarbandVisibility.CLUB.value: WarbandVisibility.PRIVATE.value}
    with transaction.atomic():
        rows = Warband.objects.select_for_update(of=("self",)).order_by("pk")
        shared = rows.filter(owner_id=user_id, club_id=club_id).only(
            "pk", "version", "visibility"
        )
        changes = [
            (row, {"club": None, "visibility": kept.get(row.visibility, row.visibility)})
            for row in shared
        ]
        told = {
            "verb": "unshare_warbands",
            "summary": "Removed from a club, because its owner left",
        }
        return _write_versions(changes, **told)


def _write_versions(
    changes: Sequence[tuple[Warband, Mapping[str, Any]]], **event: Any
) -> int:
    """Write columns of locked rows as their next version, each with such an event."""
    events = []
    for row, columns in changes:
        version = row.version + 1
        Warband.objects.filter(pk=row.pk).update(**columns, version=version)
        events.append(WarbandEvent(warband_id=row.pk, version=version, **event))
    WarbandEvent.objects.bulk_create(events)
    return len(events)


def delete_warbands_of(user_id: int) -> int:
    """Everything somebody owns goes with the account; returns how many warbands that were."""
    with transaction.atomic():
        LearnedName.objects.filter(person=user_id).delete()
        rows = Warband.objects.filter(owner_id=user_id)
        count = rows.count()
        rows.delete()
    return count


def purge_unclaimed(now: datetime) -> int:
    """Delete unclaimed warbands unchanged for 90 days, and old request keys; returns how many
    warbands.
    """
    count = 0
    old = Warband.objects.filter(owner=None, updated_at__lt=now - UNCLAIMED_KEPT)
    while True:
        with transaction.atomic():
            ids = list(old.order_by("pk").values_list("pk", flat=True)[:BATCH])
            # Asked again while deleting: one of them may have been changed or claimed since.
            old.filter(pk__in=ids).delete()
        count += len(ids)
        if len(ids) < BATCH:
            break
    request_keys.delete_old_keys(now)
    return count


def purge_when_due() -> None:
    """Once a day at most, `purge_unclaimed`.

    Asked whenever something new is stored; the cache knows the day.
    """
    if cache.add(PURGED, "done", timeout=DAY):
        purge_unclaimed(timezone.now())


def recount_warbands(*, scenario: str = "", army: str = "") -> int:
    """Work every stored total out again, after the rule books changed; returns how many warbands
    had other ones.

    With ``scenario`` only those of the warbands that carry it, with ``army`` only those mustered
    from it.

    What a total says is not a change of the warband: no new version, no event. Warbands of lists
    that no pack holds any more keep what they have.
    """
    named = {"scenario": scenario, "army": army}
    wanted = Warband.objects.filter(**{column: key for column, key in named.items() if key})
    ids = wanted.order_by("pk").values_list("pk", flat=True)
    count, last = 0, 0
    # In batches by key: each warband is locked and written for itself, so nothing waits long.
    while batch := list(ids.filter(pk__gt=last)[:BATCH]):
        count += sum(map(_recount, batch))
        last = batch[-1]
    return count


def _recount(pk: int) -> bool:
    with transaction.atomic():
        warband = Warband.objects.select_for_update().filter(pk=pk).first()
        if warband is None:
            return False
        try:
            totals = totals_of(open_locked_warband(NOBODY, warband))
        # No pack knows its army any more; it keeps the totals it has.
        except Refusal:
            return False
        if all(getattr(warband, column) == value for column, value in totals.items()):
            return False
        Warband.objects.filter(pk=pk).update(**totals)
        return True
