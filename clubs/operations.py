"""Founding a club from a form that may be sent twice."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from accounts.errors import NotAllowed
from accounts.operations.clubs import create_club
from accounts.owner import Owner
from warbands.operations import request_keys


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
        raise NotAllowed("Sign in first: a club needs an owner with an account.")
    printed = request_keys.fingerprint("found_club", name, description, is_public)
    try:
        with transaction.atomic():
            if (earlier := request_keys.stored_answer(actor, request_key, printed)) is not None:
                return str(earlier["slug"])
            club = create_club(
                name=name, owner_id=actor.user_id, description=description, is_public=is_public
            )
            request_keys.store_answer(actor, request_key, printed, {"slug": club.slug})
    except IntegrityError:
        # The same request came twice at once and the other one was first.
        if (earlier := request_keys.stored_answer(actor, request_key, printed)) is None:
            raise
        return str(earlier["slug"])
    return club.slug
