"""Founding a club from a form that may be sent twice."""

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
    owner_id = actor.user_id

    def make() -> dict[str, str]:
        club = create_club(
            name=name, owner_id=owner_id, description=description, is_public=is_public
        )
        return {"slug": club.slug}

    answer, _ = request_keys.answer_once(actor, request_key, printed, make)
    return str(answer["slug"])
