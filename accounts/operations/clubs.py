"""Clubs: what they are called, what they say about themselves, and the code that lets people in."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from accounts.access import ORGANISING
from accounts.errors import NotAllowed, NotFound, Stale, UnknownCode
from accounts.models import (
    CLUB_CODE_LENGTH,
    CLUB_DESCRIPTION_MAX,
    CLUB_NAME_MAX,
    MEMBERS_MAX,
    Club,
    Membership,
    Role,
)
from accounts.owner import Owner
from accounts.signals import membership_ended
from accounts.tokens import new_code as random_code
from accounts.tokens import read_code
from engine.errors import Refusal
from engine.text import clean_line, clean_lines

NOT_A_MEMBER = "Only members of this club can do this."
ALLOWED = {Role.MEMBER: tuple(Role), Role.ORGANISER: ORGANISING, Role.OWNER: (Role.OWNER,)}
"""The roles that may do what at least this role may."""


def lock_club(
    actor: Owner, slug: str, least: Role = Role.MEMBER
) -> tuple[Club, Membership]:
    """Lock the club until the transaction ends; return it with the actor's membership.

    Raises NotFound, and NotAllowed for those who see the club in the list and do not belong to it,
    or have less than the role ``least``.
    """
    club = Club.objects.select_for_update().filter(slug=slug).order_by().first()
    if club is None:
        raise NotFound("club")
    # No row has the person 0: a visitor belongs to no club.
    rows = Membership.objects.filter(club=club, user_id=actor.user_id or 0)
    membership = rows.order_by().first()
    if membership is None:
        raise NotAllowed(NOT_A_MEMBER) if club.is_public else NotFound("club")
    if membership.role not in ALLOWED[least]:
        raise NotAllowed(f"Only {least.label.lower()}s of this club can do this.")
    return club, membership


OWNED_MAX = 50
TRIES = 5
# Addresses below /clubs/ that are pages of their own.
RESERVED = frozenset({"join", "new"})


def create_club(
    *,
    name: str,
    owner_id: int,
    description: str = "",
    is_public: bool = False,
    slug: str = "",
) -> Club:
    """Create a club with its owner as first member.

    Raises `Refusal` for an empty name, a text that cannot be shown, and for somebody who owns
    `OWNED_MAX` already.
    """
    name, description = _checked_name(name), _checked_description(description)
    with transaction.atomic():
        memberships = Membership.objects.filter(user_id=owner_id, role=Role.OWNER)
        if memberships.count() >= OWNED_MAX:
            raise Refusal(
                f"You own {OWNED_MAX} clubs, the maximum. Hand one over first.",
                field="Club name",
            )
        # Somebody else may take the address or the code at the same moment; then others are tried.
        for left in reversed(range(TRIES)):
            try:
                with transaction.atomic():
                    club = Club.objects.create(
                        name=name,
                        slug=slug or _free_slug(name),
                        code=_free_code(),
                        description=description,
                        is_public=is_public,
                    )
                    break
            except IntegrityError:
                if slug or not left:
                    raise
        Membership.objects.create(club=club, user_id=owner_id, role=Role.OWNER)
    return club


def change_club(actor: Owner, slug: str, *, expected: str = "", **changes: Any) -> None:
    """Change the ``name``, ``description`` or ``is_public`` of a club, by organisers.

    What is missing or None stays as it is, and so does the address. ``expected`` is the
    `text_hash` that was seen; "" does not ask. Raises NotFound, NotAllowed, Stale, and `Refusal`
    for a text that cannot be shown.
    """
    # The texts are read before the club is locked: most of what is refused needs no lock.
    checks: dict[str, Any] = {
        "name": _checked_name,
        "description": _checked_description,
        "is_public": bool,
    }
    fields = {
        key: checks[key](value) for key, value in changes.items() if value is not None
    }
    with transaction.atomic():
        club, _ = lock_club(actor, slug, Role.ORGANISER)
        if expected not in ("", club.text_hash):
            listed = "listed" if club.is_public else "not listed"
            says = (
                f"says: “{club.description}”" if club.description else "has no description."
            )
            message = (
                "Somebody else changed the club in the meantime. Its name is "
                f"{club.name}, it is {listed} and {says}"
            )
            raise Stale("club", club.text_hash, expected, message)
        if fields:
            Club.objects.filter(pk=club.pk).update(**fields)


def new_code(actor: Owner, slug: str) -> str:
    """Give the club another code, by organisers; the old code and its links stop working.

    Raises NotFound and NotAllowed.
    """
    with transaction.atomic():
        club, _ = lock_club(actor, slug, Role.ORGANISER)
        code = _free_code()
        Club.objects.filter(pk=club.pk).update(code=code)
    return code


def _checked_name(name: str) -> str:
    name = clean_line(name, field="Club name", limit=CLUB_NAME_MAX)
    if not name:
        raise Refusal("Give the club a name.", field="Club name")
    return name


def _checked_description(description: str) -> str:
    return clean_lines(description, field="Description", limit=CLUB_DESCRIPTION_MAX)


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


SIGN_IN_FIRST = "Sign in first. You need an account to join a club."
NO_SUCH_CODE = (
    "No club has this code. Check it, or ask for the new code: an organiser may have "
    "changed it."
)


def add_member(club_id: int, user_id: int, role: Role = Role.MEMBER) -> Membership:
    """Add somebody to a club. A member keeps the role they have."""
    membership, _ = Membership.objects.get_or_create(
        club_id=club_id, user_id=user_id, defaults={"role": role}
    )
    return membership


def join_club(actor: Owner, code: str) -> tuple[Club, bool]:
    """Join the club of a code, typed in any case and with blanks, or of a link that holds it.

    Returns the club, and whether the actor was no member before.

    Joining again changes nothing. Raises `Refusal` for what can be no code, UnknownCode where no
    club has it, NotAllowed without an account.
    """
    if actor.user_id is None:
        raise NotAllowed(SIGN_IN_FIRST)
    wanted = read_code(code)
    with transaction.atomic():
        club = Club.objects.select_for_update().filter(code=wanted).order_by().first()
        if club is None:
            raise UnknownCode(NO_SUCH_CODE, field="code")
        rows = Membership.objects.filter(club=club)
        is_new = not rows.filter(user_id=actor.user_id).exists()
        if is_new and rows.count() >= MEMBERS_MAX:
            raise Refusal(
                f"{club.name} has {MEMBERS_MAX:,} members, the maximum.", field="code"
            )
        add_member(club.pk, actor.user_id)
    return club, is_new


def leave_club(actor: Owner, slug: str) -> None:
    """Leave a club. What one shared with it alone is one's own again.

    Raises NotFound, NotAllowed, and `Refusal` for the last owner.
    """
    with transaction.atomic():
        _, mine = lock_club(actor, slug)
        _check_owned_without(mine, "leave it")
        _end_membership(mine)


def remove_member(actor: Owner, slug: str, member_id: int) -> None:
    """Take somebody out of the club.

    Organisers remove members, owners everybody but the last owner. Raises NotFound, NotAllowed,
    `Refusal`.
    """
    with transaction.atomic():
        club, mine = lock_club(actor, slug, Role.ORGANISER)
        theirs = _member(club, member_id)
        if theirs.pk != mine.pk and theirs.role in ORGANISING and mine.role != Role.OWNER:
            raise NotAllowed(
                "Only owners of this club can remove its owners and organisers."
            )
        _check_owned_without(theirs, "remove this member")
        _end_membership(theirs)


def change_role(actor: Owner, slug: str, member_id: int, role: str) -> str:
    """Give somebody of the club another role, by an owner; returns the name they are seen by.

    Raises NotFound, NotAllowed, and `Refusal` for a role there is not and for the last owner
    stepping down.
    """
    if role not in Role.values:
        raise Refusal(f"Choose a role: {', '.join(Role.values)}.", field="role")
    with transaction.atomic():
        club, _ = lock_club(actor, slug, Role.OWNER)
        theirs = _member(club, member_id)
        if role != Role.OWNER:
            _check_owned_without(theirs, "step down")
        Membership.objects.filter(pk=theirs.pk).update(role=role)
    return theirs.user.display_name


def hand_over(actor: Owner, slug: str, member_id: int) -> None:
    """Make somebody else an owner and step back to organiser.

    Raises NotFound, NotAllowed for those who do not own it, `Refusal` for oneself.
    """
    with transaction.atomic():
        club, mine = lock_club(actor, slug, Role.OWNER)
        theirs = _member(club, member_id)
        if theirs.pk == mine.pk:
            raise Refusal("Choose another member as the new owner.", field="member")
        Membership.objects.filter(pk=theirs.pk).update(role=Role.OWNER)
        Membership.objects.filter(pk=mine.pk).update(role=Role.ORGANISER)


def pass_on(membership: Membership) -> None:
    """Give the club of an owner who leaves a new owner, unless it has another one.

    The longest-serving organiser comes first, then the longest-serving member. An empty club is
    unlisted. The caller holds the club's lock.
    """
    others = Membership.objects.filter(club_id=membership.club_id).exclude(pk=membership.pk)
    if others.filter(role=Role.OWNER).exists():
        return
    ranked = sorted(
        others, key=lambda other: (other.role not in ORGANISING, other.joined_at, other.pk)
    )
    if ranked:
        Membership.objects.filter(pk=ranked[0].pk).update(role=Role.OWNER)
    else:
        Club.objects.filter(pk=membership.club_id).update(is_public=False)


def _member(club: Club, member_id: int) -> Membership:
    rows = Membership.objects.select_related("user").filter(club=club, pk=member_id)
    theirs = rows.order_by().first()
    if theirs is None:
        raise NotFound("member")
    return theirs


def _check_owned_without(theirs: Membership, verb: str) -> None:
    """Raises Refusal where nobody else owns the club."""
    others = Membership.objects.filter(club_id=theirs.club_id).exclude(pk=theirs.pk)
    if theirs.role != Role.OWNER or others.filter(role=Role.OWNER).exists():
        return
    reason = (
        "This is the only owner of the club. Hand over the club first"
        if others.exists()
        else "This club has no other member to hand it over to. Invite somebody and hand it over"
    )
    raise Refusal(f"{reason}, then {verb}.", field="member")


def _end_membership(membership: Membership) -> None:
    """Take somebody out, and tell the other apps within the same transaction."""
    membership_ended.send(
        sender=Membership, club_id=membership.club_id, user_id=membership.user_id
    )
    Membership.objects.filter(pk=membership.pk).delete()
