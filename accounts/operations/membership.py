"""Who belongs to a club, and as what. A club that has anybody always has an owner."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from accounts.access import ORGANISING
from accounts.codes import read_code
from accounts.errors import NotAllowed, NotFound, UnknownCode
from accounts.models import MEMBERS_MAX, Club, Membership, Role
from accounts.operations.locking import joined_club, organised_club, owned_club
from accounts.owner import Owner
from accounts.signals import membership_ended
from engine.refusal import Refusal

SIGN_IN_FIRST = "Sign in first: only people with an account belong to a club."
NO_SUCH_CODE = "No club has this code. Look at it again, or ask for a new one: an organiser may have changed it."


@dataclass(frozen=True, slots=True)
class Joined:
    """The club somebody belongs to now; ``is_new`` unless they did before."""

    slug: str
    name: str
    is_new: bool


def add_member(club_id: int, user_id: int, role: Role = Role.MEMBER) -> Membership:
    """Put somebody into a club. Who is in already keeps the role they have."""
    membership, _ = Membership.objects.get_or_create(
        club_id=club_id, user_id=user_id, defaults={"role": role}
    )
    return membership


def join_club(actor: Owner, code: str) -> Joined:
    """Join the club of this code, typed in any case and with blanks, or of a link that holds it. Again changes nothing.

    Raises `Refusal` for what can be no code, UnknownCode for one that no club has, NotAllowed without an account.
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
                f"{club.name} has {MEMBERS_MAX:,} members, which is the most.", field="code"
            )
        add_member(club.pk, actor.user_id)
    return Joined(club.slug, club.name, is_new)


def leave_club(actor: Owner, slug: str) -> None:
    """Leave a club. What one shared with it alone is one's own again.

    Raises NotFound, NotAllowed, and `Refusal` for the last owner.
    """
    with transaction.atomic():
        _, mine = joined_club(actor, slug)
        _check_owned_without(mine, "leave")
        _end_membership(mine)


def remove_member(actor: Owner, slug: str, member_id: int) -> str:
    """Take somebody out of the club; returns the name they are seen by.

    Organisers remove members, owners everybody but the last owner. Raises NotFound, NotAllowed, `Refusal`.
    """
    with transaction.atomic():
        club, mine = organised_club(actor, slug)
        theirs = _member(club, member_id)
        if theirs.pk != mine.pk and theirs.role in ORGANISING and mine.role != Role.OWNER:
            raise NotAllowed("Only owners of this club remove its owners and organisers.")
        _check_owned_without(theirs, "go")
        _end_membership(theirs)
    return theirs.user.display_name


def change_role(actor: Owner, slug: str, member_id: int, role: str) -> str:
    """Give somebody of the club another role, by an owner; returns the name they are seen by.

    Raises NotFound, NotAllowed, and `Refusal` for a role there is not and for the last owner stepping down.
    """
    if role not in Role.values:
        raise Refusal(f"Choose a role: {', '.join(Role.values)}.", field="role")
    with transaction.atomic():
        club, _ = owned_club(actor, slug)
        theirs = _member(club, member_id)
        if role != Role.OWNER:
            _check_owned_without(theirs, "step down")
        Membership.objects.filter(pk=theirs.pk).update(role=role)
    return theirs.user.display_name


def hand_over(actor: Owner, slug: str, member_id: int) -> str:
    """Make somebody else an owner and step back to organiser, at once; returns the name they are seen by.

    Raises NotFound, NotAllowed for those who own it not, and `Refusal` for handing it to oneself.
    """
    with transaction.atomic():
        club, mine = owned_club(actor, slug)
        theirs = _member(club, member_id)
        if theirs.pk == mine.pk:
            raise Refusal("Choose somebody else to hand the club over to.", field="member")
        Membership.objects.filter(pk=theirs.pk).update(role=Role.OWNER)
        Membership.objects.filter(pk=mine.pk).update(role=Role.ORGANISER)
    return theirs.user.display_name


def pass_on(membership: Membership) -> None:
    """Give a club whose owner goes to the longest-serving organiser, or member, unless another owner stays.

    An empty club is unlisted. The club is locked already.
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
    theirs = (
        Membership.objects.select_related("user").filter(club=club, pk=member_id).order_by().first()
    )
    if theirs is None:
        raise NotFound("member")
    return theirs


def _check_owned_without(theirs: Membership, verb: str) -> None:
    """Raises Refusal where nobody else owns the club."""
    if theirs.role != Role.OWNER:
        return
    others = Membership.objects.filter(club_id=theirs.club_id).exclude(pk=theirs.pk)
    if others.filter(role=Role.OWNER).exists():
        return
    if others.exists():
        raise Refusal(
            f"A club needs an owner, and this is the only one. Hand it over to somebody first, then {verb}.",
            field="member",
        )
    raise Refusal(
        f"A club needs an owner, and nobody else is in this one. Invite somebody and hand it over, then {verb}.",
        field="member",
    )


def _end_membership(membership: Membership) -> None:
    """Take somebody out, and tell the other apps within the same transaction."""
    membership_ended.send(sender=Membership, club_id=membership.club_id, user_id=membership.user_id)
    Membership.objects.filter(pk=membership.pk).delete()
