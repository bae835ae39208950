"""Who may read a battle, and who may record it: its visibility, its club, its key."""

from __future__ import annotations

from django.db import transaction

from accounts.access import is_club_member
from accounts.owner import Owner
from campaigns import access
from campaigns.errors import NotAllowed, Refusal
from campaigns.hooks import battle_follower
from campaigns.models import Battle, BattleVisibility, new_battle_key
from campaigns.operations.ledger import lock_battle, write_battle
from warbands.exchange.limits import shown

NOT_THEIRS = "Only whoever set the battle up shares it."


def change_visibility(actor: Owner, token: str, key: str = "", *, visibility: str) -> str:
    """Who may read it from now on; returns the visibility. Raises NotFound, NotAllowed, Refusal."""
    with transaction.atomic():
        battle = _lock_own_battle(actor, token, key)
        check_visibility(visibility, is_claimed=battle.owner_id is not None)
        if battle.visibility != visibility:
            write_battle(battle, visibility=visibility)
    return visibility


def change_club(actor: Owner, token: str, key: str = "", *, club_id: int | None) -> int | None:
    """The club whose organisers decide about its result, or none. Only while nothing is reported yet.

    A battle of a league, a club night or a campaign stays with the club that runs it.
    """
    with transaction.atomic():
        battle = _lock_own_battle(actor, token, key)
        if battle.results_count:
            raise Refusal(
                "The result was reported already, so the club stays as it is.", field="club_id"
            )
        if Battle.objects.filter(battle_follower().is_bound(), pk=battle.pk).exists():
            raise Refusal(
                "This battle counts in an event of its club, so the club stays as it is.",
                field="club_id",
            )
        if club_id is not None and not is_club_member(actor, club_id):
            raise Refusal("Choose one of the clubs you belong to.", field="club_id")
        write_battle(battle, club_id=club_id)
    return club_id


def new_key(actor: Owner, token: str, key: str = "") -> str:
    """Another key; whoever holds the old one records no more. Returns it. Raises NotFound, NotAllowed."""
    with transaction.atomic():
        battle = _lock_own_battle(actor, token, key)
        write_battle(battle, key=new_battle_key())
    return battle.key


def check_visibility(visibility: str, *, is_claimed: bool) -> None:
    """Raises Refusal for a way of sharing that there is not, or that needs an account."""
    if visibility not in BattleVisibility.values:
        ways = ", ".join(BattleVisibility.values)
        raise Refusal(
            f"{shown(visibility)} is not one of the ways to share: {ways}.", field="visibility"
        )
    if visibility == BattleVisibility.PUBLIC and not is_claimed:
        raise Refusal(
            "Sign in first: only battles of somebody with an account are listed.",
            field="visibility",
        )


def _lock_own_battle(actor: Owner, token: str, key: str) -> Battle:
    battle = lock_battle(actor, token, key)
    if not access.is_keeper(actor, battle, key):
        raise NotAllowed(NOT_THEIRS)
    return battle
