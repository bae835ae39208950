"""Founding a club from a form that may be sent twice, and the rulings it plays."""

from collections.abc import Mapping

from django.db import transaction

from accounts.errors import NotAllowed
from accounts.models import Club, Role
from accounts.operations.clubs import create_club, lock_club
from accounts.owner import Owner
from battles.operations.setup import checked_rules
from engine.types.systems import System
from rulesdata.agreements import checked_rulings
from warbands.operations import transaction as request_keys


def found_club(
    actor: Owner,
    *,
    name: str,
    description: str = "",
    is_public: bool = False,
    request_key: str = "",
) -> str:
    """Create a club run by this person and return its slug.

    The same ``request_key`` gives the same club. Raises `Refusal` as `create_club` does, NotAllowed
    without an account, KeyReused.
    """
    if actor.user_id is None:
        raise NotAllowed("Sign in first. You need an account to create a club.")
    fingerprint = request_keys.fingerprint("found_club", name, description, is_public)
    owner_id = actor.user_id

    def make() -> dict[str, str]:
        club = create_club(
            name=name, owner_id=owner_id, description=description, is_public=is_public
        )
        return {"slug": club.slug}

    answer, _ = request_keys.answer_once(actor, request_key, fingerprint, make)
    return str(answer["slug"])


def change_rulings(
    actor: Owner,
    slug: str,
    system: System,
    rulings: Mapping[str, object],
    house_rules: Mapping[str, bool] | None = None,
) -> None:
    """Choose the rulings and house rules the club plays under a system, by organisers.

    Events that are made from now on begin with both, battles with the rulings; those there are keep
    theirs. Without ``house_rules`` these stay. Raises NotFound, NotAllowed, and `Refusal` for what
    the system has not.
    """
    chosen = checked_rulings(system, rulings)
    switched = None if house_rules is None else checked_rules(system, house_rules)
    with transaction.atomic():
        club, _ = lock_club(actor, slug, Role.ORGANISER)
        # A system without a choice of its own leaves no trace.
        played = {**club.rulings, system.address: chosen}
        if not chosen:
            del played[system.address]
        rules = club.house_rules
        if switched is not None:
            rules = {**rules, system.address: switched}
        Club.objects.filter(pk=club.pk).update(rulings=played, house_rules=rules)
