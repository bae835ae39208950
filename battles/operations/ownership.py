"""What happens to battles when people come and go, and when time passes: claimed, let go of,
settled, purged.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.allowance import DAY
from accounts.errors import NotAllowed, Refusal
from battles import access
from battles.access import BattleCall
from battles.hooks import battle_follower
from battles.models import (
    Battle,
    BattleSide,
    BattleVisibility,
    Snapshot,
    new_battle_key,
)
from battles.operations.log import lock_battle, unclaimed, write_battle
from battles.operations.results import confirm_by_silence
from battles.queries.index import overdue
from warbands.exchange.document import shown

BATCH = 200
PURGED = "campaigns:purged"  # a key of the cache, from when battles were part of campaigns
KEPT, EMPTY_KEPT = timedelta(days=30), timedelta(days=2)
"""How long a battle of nobody stays after its last change, and one without events and result."""


def claim_battles(key: str, user_id: int) -> int:
    """The battles a session's anonymous key set up, and its sides, become this person's; returns
    how many battles.
    """
    if not key:
        return 0
    with transaction.atomic():
        # The key is emptied with it: a row belongs to a person or to a session, never to both.
        BattleSide.objects.filter(owner=None, owner_key=key).update(
            owner_id=user_id, owner_key=""
        )
        return Battle.objects.filter(owner=None, owner_key=key).update(
            owner_id=user_id, owner_key=""
        )


def release_battles(user_id: int) -> int:
    """Let go of an account that is about to close: battles stay with the others in them.

    Battles that nobody else takes part in and nobody else may read are deleted, but for those of
    a club's events. Returns how many were.
    """
    with transaction.atomic():
        others = BattleSide.objects.filter(
            battle=OuterRef("pk"), owner__isnull=False
        ).exclude(owner_id=user_id)
        private = Battle.objects.filter(
            ~battle_follower().is_bound(),
            owner_id=user_id,
            visibility=BattleVisibility.PRIVATE,
        )
        only_theirs = private.exclude(Exists(others))
        ids = list(only_theirs.values_list("pk", flat=True))
        _delete(ids)
        Battle.objects.filter(owner_id=user_id).update(owner=None)
        BattleSide.objects.filter(owner_id=user_id).update(owner=None)
    return len(ids)


def delete_battles_among(user_ids: Collection[int]) -> int:
    """Delete the battles of these people that nobody else with an account has a part in.

    Returns how many.
    """
    with transaction.atomic():
        theirs = Q(owner__in=user_ids) | Q(owner=None)
        fought = BattleSide.objects.filter(battle=OuterRef("pk"), owner__in=user_ids)
        others = BattleSide.objects.filter(battle=OuterRef("pk"), owner__isnull=False)
        battles = Battle.objects.filter(
            theirs,
            Exists(fought) | Q(owner__in=user_ids),
            ~Exists(others.exclude(owner__in=user_ids)),
        )
        ids = list(battles.values_list("pk", flat=True))
        _delete(ids)
    return len(ids)


def settle_overdue(now: datetime) -> int:
    """Write down what silence confirmed; returns how many results.

    Readers count them as confirmed before that, too.
    """
    count = 0
    due = Battle.objects.filter(overdue(now)).order_by("confirm_by", "pk")
    # One transaction for each result, so that a long queue holds no lock for long.
    for pk in due.values_list("pk", flat=True):
        with transaction.atomic():
            battle = Battle.objects.select_for_update().filter(pk=pk).first()
            if battle is not None:
                count += confirm_by_silence(battle, now)
    return count


def purge_unclaimed_battles(now: datetime) -> int:
    """Delete battles of nobody that nobody changed for so long; returns how many."""
    empty = Q(events_count=0, results_count=0, updated_at__lt=now - EMPTY_KEPT)
    due = unclaimed() & (empty | Q(updated_at__lt=now - KEPT))
    count = 0
    while True:
        with transaction.atomic():
            old = Battle.objects.filter(due).order_by("pk")
            ids = list(
                old.select_for_update(of=("self",)).values_list("pk", flat=True)[:BATCH]
            )
            _delete(ids)
        count += len(ids)
        if len(ids) < BATCH:
            return count


def _delete(ids: list[int]) -> None:
    """Delete battles with their sides, events and results, and the snapshots that nothing else
    holds.
    """
    # Read before the battles go: their sides go with them and would no longer name the snapshots.
    sides = BattleSide.objects.filter(battle__in=ids, snapshot__isnull=False)
    snapshots = set(sides.values_list("snapshot_id", flat=True))
    Battle.objects.filter(pk__in=ids).delete()
    unused = snapshots - battle_follower().snapshots_in_use(snapshots)
    in_battles = Exists(BattleSide.objects.filter(snapshot=OuterRef("pk")))
    Snapshot.objects.filter(pk__in=unused).exclude(in_battles).delete()


def purge_when_due() -> None:
    """Once a day at most, `purge_unclaimed_battles`.

    Asked whenever a battle is set up; the cache knows the day.
    """
    if cache.add(PURGED, value=True, timeout=DAY):
        purge_unclaimed_battles(timezone.now())


def change_visibility(call: BattleCall, visibility: str) -> str:
    """Who can see it from now on; returns the visibility. Raises NotFound, NotAllowed, Refusal."""
    with transaction.atomic():
        battle = _lock_own_battle(call)
        check_visibility(visibility, is_claimed=battle.owner_id is not None)
        if battle.visibility != visibility:
            write_battle(battle, visibility=visibility)
    return visibility


def new_key(call: BattleCall) -> str:
    """Another key; whoever holds the old one records no more. Returns it.

    Raises NotFound, NotAllowed.
    """
    with transaction.atomic():
        battle = _lock_own_battle(call)
        write_battle(battle, key=new_battle_key())
    return battle.key


def check_visibility(visibility: str, *, is_claimed: bool) -> None:
    """Raises Refusal for a way of sharing that there is not, or that needs an account."""
    if visibility not in BattleVisibility.values:
        ways = ", ".join(BattleVisibility.values)
        raise Refusal(
            f"{shown(visibility)} is not one of the ways to share: {ways}.",
            field="visibility",
        )
    if visibility == BattleVisibility.PUBLIC and not is_claimed:
        raise Refusal(
            "Sign in first. Only battles of people with an account can be public.",
            field="visibility",
        )


def _lock_own_battle(call: BattleCall) -> Battle:
    """Return the locked row of a battle; raises NotAllowed for all but who set it up."""
    battle = lock_battle(call)
    if not access.is_keeper(call.actor, battle, call.key):
        raise NotAllowed("Only the person who set up the battle can share it.")
    return battle
