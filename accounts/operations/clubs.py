"""Clubs: what they are called, what they say about themselves, and the code that lets people in."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from accounts.errors import StaleClub
from accounts.models import (
    CLUB_CODE_LENGTH,
    CLUB_DESCRIPTION_MAX,
    CLUB_NAME_MAX,
    Club,
    Membership,
    Role,
)
from accounts.operations.locking import organised_club
from accounts.owner import Owner
from accounts.text import clean_line, clean_lines
from accounts.tokens import new_code as random_code
from engine.refusal import Refusal

OWNED_MAX = 50
TRIES = 5
# Addresses below /clubs/ that are pages of their own.
RESERVED = frozenset({"join", "new"})


def create_club(
    *, name: str, owner_id: int, description: str = "", is_public: bool = False, slug: str = ""
) -> Club:
    """A new club with its owner as first member.

    Raises `Refusal` for an empty name, a text that cannot be shown, and for somebody who owns `OWNED_MAX` already.
    """
    name, description = _checked_name(name), _checked_description(description)
    with transaction.atomic():
        if Membership.objects.filter(user_id=owner_id, role=Role.OWNER).count() >= OWNED_MAX:
            raise Refusal(
                f"You own {OWNED_MAX} clubs, which is the most. Hand one over first.",
                field="Club name",
            )
        club = _insert(name, slug, description=description, is_public=is_public)
        Membership.objects.create(club=club, user_id=owner_id, role=Role.OWNER)
    return club


def change_club(
    actor: Owner,
    slug: str,
    *,
    name: str | None = None,
    description: str | None = None,
    is_public: bool | None = None,
    expected: str = "",
) -> None:
    """What a club says about itself, by those who run it; None leaves a thing as it is. The address stays.

    ``expected`` is the `text_hash` that was seen; "" does not ask. Raises NotFound, NotAllowed, StaleClub, and
    `Refusal` for a text that cannot be shown.
    """
    fields: dict[str, str | bool] = {}
    if name is not None:
        fields["name"] = _checked_name(name)
    if description is not None:
        fields["description"] = _checked_description(description)
    if is_public is not None:
        fields["is_public"] = is_public
    with transaction.atomic():
        club, _ = organised_club(actor, slug)
        if expected not in ("", club.text_hash):
            raise StaleClub(_current_club(club))
        if fields:
            Club.objects.filter(pk=club.pk).update(**fields)


def new_code(actor: Owner, slug: str) -> str:
    """Another code for the club, by those who run it; links and codes handed out before let nobody in any more.

    Raises NotFound and NotAllowed.
    """
    with transaction.atomic():
        club, _ = organised_club(actor, slug)
        code = _free_code()
        Club.objects.filter(pk=club.pk).update(code=code)
    return code


def _current_club(club: Club) -> str:
    listed = "listed" if club.is_public else "not listed"
    says = f"says: “{club.description}”" if club.description else "says nothing of itself."
    return f"Somebody else changed the club in the meantime. It is called {club.name} now, is {listed} and {says}"


def _checked_name(name: str) -> str:
    name = clean_line(name, field="Club name", limit=CLUB_NAME_MAX)
    if not name:
        raise Refusal("Give the club a name.", field="Club name")
    return name


def _checked_description(description: str) -> str:
    return clean_lines(description, field="Description", limit=CLUB_DESCRIPTION_MAX)


def _insert(name: str, slug: str, *, description: str, is_public: bool) -> Club:
    """The row, with an address and a code of its own. Another club may take either in between: then another one."""
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                return Club.objects.create(
                    name=name,
                    slug=slug or _free_slug(name),
                    code=_free_code(),
                    description=description,
                    is_public=is_public,
                )
        except IntegrityError:
            if slug or not left:
                raise
    raise AssertionError("unreachable")


def _free_slug(name: str) -> str:
    base = slugify(name)[: CLUB_NAME_MAX - 8].strip("-") or "club"
    slug = base
    while slug in RESERVED or Club.objects.filter(slug=slug).exists():
        slug = f"{base}-{random_code(4).lower()}"
    return slug


def _free_code() -> str:
    code = random_code(CLUB_CODE_LENGTH)
    while Club.objects.filter(code=code).exists():
        code = random_code(CLUB_CODE_LENGTH)
    return code
