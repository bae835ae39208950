"""Changes to many warbands at once: their owners come and go, nobody came back for them, the rule
books change, or a club changes its list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import NOBODY, Owner
from engine.records import NumberByKey, Texts
from engine.roster import RosterEntry
from engine.selection import select
from rulesdata import registry
from rulesdata.own_lists import OwnList
from warbands.access import repriced_by
from warbands.models import LearnedName, Warband, WarbandEvent, WarbandVisibility, Warrior
from warbands.operations.transaction import (
    WriteResult,
    count_totals,
    delete_old_keys,
    open_locked_warband,
    write_result,
)
from warbands.queries.records import NO_NAME, UNCLAIMED_KEPT
from warbands.queries.warbands import options_by_warrior

BATCH = 200
PURGED = "warbands:purged"
DAY = 24 * 60 * 60  # seconds


def claim_warbands(key: str, user_id: int) -> int:
    """Everything a session's anonymous key owns becomes this person's; returns how many warbands."""
    if not key:
        return 0
    columns = {"owner_id": user_id, "owner_key": ""}
    with transaction.atomic():
        rows = Warband.objects.select_for_update().filter(owner=None, owner_key=key)
        return _write_versions(
            [(row, columns) for row in rows.only("pk", "version")],
            actor_id=user_id,
            verb="claim_warbands",
            summary="Moved into your account",
        )


def unshare_warbands(club_id: int, user_id: int) -> int:
    """What somebody showed a club they no longer belong to is theirs alone again; returns how many
    warbands.

    Those that others may read in other ways stay as they are, without the club.
    """
    with transaction.atomic():
        rows = Warband.objects.select_for_update(of=("self",)).order_by("pk")
        rows = rows.filter(owner_id=user_id, club_id=club_id)
        changes: list[tuple[Warband, dict[str, Any]]] = []
        for row in rows.only("pk", "version", "visibility"):
            visibility = row.visibility
            if visibility == WarbandVisibility.CLUB:
                visibility = WarbandVisibility.PRIVATE.value
            changes.append((row, {"club": None, "visibility": visibility}))
        return _write_versions(
            changes,
            verb="unshare_warbands",
            summary="Removed from a club, because its owner left",
        )


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


def delete_account_warbands(user_id: int) -> int:
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
    delete_old_keys(now)
    return count


def purge_when_due() -> None:
    """Once a day at most, `purge_unclaimed`.

    Asked whenever something new is stored; the cache knows the day.
    """
    if cache.add(PURGED, "done", timeout=DAY):
        purge_unclaimed(timezone.now())


def recount_warbands(**wanted: str) -> int:
    """Work every stored total out again, after the rule books changed; returns how many warbands
    had other ones.

    With ``scenario`` only those of the warbands that carry it, with ``army`` only those mustered
    from it.

    What a total says is not a change of the warband: no new version, no event. Warbands of lists
    that no pack holds any more keep what they have.
    """
    ids = Warband.objects.filter(**wanted).order_by("pk").values_list("pk", flat=True)
    # Each warband is locked and written for itself, so nothing waits long.
    return sum(map(_recount, ids))


def _recount(pk: int) -> bool:
    with transaction.atomic():
        rows = Warband.objects.filter(pk=pk)
        warband = rows.select_for_update().first()
        if warband is None:
            return False
        try:
            totals = count_totals(open_locked_warband(NOBODY, warband))
        # No pack knows its army any more; it keeps the totals it has.
        except Refusal:
            return False
        if all(getattr(warband, column) == value for column, value in totals.items()):
            return False
        return bool(rows.update(**totals))


# What becomes of prices when a club changes its list: what was paid is kept, and new prices are
# taken when asked.

TAKEN_MAX = 200


def keep_prices(before: OwnList, after: OwnList) -> int:
    """Let every warrior of a list go on counting what it counted before the list changed; returns
    how many differ.

    What a price says is not a change of a warband: no new version, no event. One that is back at
    its earlier price keeps nothing any more. Call it within the transaction that changes the list;
    three queries and one for each batch.
    """
    warbands = Warband.objects.filter(army=after.token)
    # Locked in order of their keys, as everywhere, so that two lists cannot wait for each other.
    locked = warbands.select_for_update().order_by("pk")
    systems = {row.pk: row for row in locked.only("pk", "system", "variant")}
    options = options_by_warrior(warrior__warband__army=after.token)
    changed: list[Warrior] = []
    for row in Warrior.objects.filter(warband__army=after.token).order_by("pk"):
        if row.warband_id not in systems:
            continue
        entry = RosterEntry(row.profile, options=tuple(options.get(row.pk, ())))
        played = systems[row.warband_id]
        rules = played.system, played.variant or None
        try:
            old = select(registry.own_list_under_system(before, *rules), entry)
            new = select(registry.own_list_under_system(after, *rules), entry)
        except registry.UnknownKey:
            continue
        paid: int | None = row.paid_each
        if not row.keeps_price:
            paid = old.points_each if old.profile else None
        # Nothing to write: a list cannot say, or the row says so already.
        if paid is None or not new.profile or (paid != new.points_each) == row.keeps_price:
            continue
        row.keeps_price, row.paid_each = paid != new.points_each, paid
        changed.append(row)
    Warrior.objects.bulk_update(changed, ["keeps_price", "paid_each"], batch_size=200)
    return len(changed)


def take_prices(
    actor: Owner, list_token: str, club_id: int, chosen: NumberByKey
) -> tuple[Texts, Texts]:
    """Today's prices for the chosen warbands of a club's list: token to the version it was chosen
    at. Returns the names of those that took them, and of those that changed meanwhile.

    Each becomes a new version with an event that its owner can take back. One that has changed
    since is left alone and named. Raises Refusal where nothing is chosen, or one is not this
    actor's to price anew.
    """
    if not 0 < len(chosen) <= TAKEN_MAX:
        raise Refusal(f"Choose 1 to {TAKEN_MAX} warbands to update.", field="warband")
    changed: list[str] = []
    stale: list[str] = []
    with transaction.atomic():
        wanted = Warband.objects.filter(
            repriced_by(actor, club_id), army=list_token, token__in=list(chosen)
        )
        rows = list(
            Warband.objects.select_for_update(of=("self",))
            .filter(pk__in=wanted.values("pk"), archived_at=None)
            .select_related("owner", "club")
            .order_by("pk")
        )
        # All or nothing: one that is not the actor's stops the others too.
        if len(rows) != len(chosen):
            raise Refusal(
                "One of these warbands is not there, or not yours to price anew. Nothing was "
                "changed."
            )
        for warband in rows:
            name = warband.name or NO_NAME
            # Its owner changed it while the organiser looked at the page.
            if warband.version != chosen[warband.token]:
                stale.append(name)
                continue
            draft = open_locked_warband(actor, warband)
            warriors = tuple(replace(entry, kept=None) for entry in draft.roster.warriors)
            roster = replace(draft.roster, warriors=warriors)
            outcome = WriteResult(roster, "Prices updated")
            if write_result(draft, outcome, "take_prices").changed:
                changed.append(name)
    return tuple(changed), tuple(stale)
