"""The only writers of people, clubs, memberships and one-time links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts import queries
from accounts.access import ORGANISING
from accounts.models import CLUB_CODE_LENGTH, CLUB_NAME_MAX, NAME_MAX, Club, Membership, OneTimeLink, Role, User
from accounts.signals import account_closing
from accounts.text import clean_line
from accounts.tokens import hash_of, new_code, new_token
from engine.refusal import Refusal

LINK_DAYS = 7
DEMO_SLUG = "demo-club"
DEMO_EMAIL = "organiser@demo.invalid"


@dataclass(frozen=True, slots=True)
class DemoClub:
    """The demo club with the person who runs it; `is_new` when it was made just now."""

    club: Club
    organiser: User
    is_new: bool


def rename_person(user_id: int, name: str) -> None:
    """Set the name others see; empty goes back to "Player 7". Raises `Refusal` for a name that cannot be shown."""
    User.objects.filter(pk=user_id).update(name=clean_line(name, field="Display name", limit=NAME_MAX))


def change_email(user_id: int, email: str) -> None:
    """Make `email` the one address this person signs in with, unconfirmed. Raises `Refusal` when bad or taken."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Refusal("That is not an e-mail address; it should look like name@example.org.", field="email") from None
    taken = Refusal("Another account uses this e-mail address. Choose another one.", field="email")
    if queries.is_email_taken(email, except_user_id=user_id):
        raise taken
    try:
        with transaction.atomic():
            User.objects.filter(pk=user_id).update(email=email)
            EmailAddress.objects.filter(user_id=user_id).delete()
            EmailAddress.objects.create(user_id=user_id, email=email, primary=True, verified=False)
    except IntegrityError:  # somebody took it in between
        raise taken from None


def close_account(user_id: int) -> None:
    """Delete a person and all that is only theirs. Their clubs pass to those who stay; an empty club is unlisted.

    Sends `account_closing` first, in the same transaction, for what other apps keep.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user_id)
        for membership in Membership.objects.filter(user=user, role=Role.OWNER).select_related("club"):
            _hand_over(membership)
        account_closing.send(sender=User, user=user)
        user.delete()


def _hand_over(membership: Membership) -> None:
    """Make the longest-serving organiser the owner, or the longest-serving member, unless another owner stays."""
    others = Membership.objects.filter(club_id=membership.club_id).exclude(pk=membership.pk)
    if others.filter(role=Role.OWNER).exists():
        return
    ranked = sorted(others, key=lambda other: (other.role not in ORGANISING, other.joined_at, other.pk))
    if ranked:
        Membership.objects.filter(pk=ranked[0].pk).update(role=Role.OWNER)
    else:
        Club.objects.filter(pk=membership.club_id).update(is_public=False)


def create_club(*, name: str, owner_id: int, description: str = "", is_public: bool = False, slug: str = "") -> Club:
    """A new club with its owner as first member. Raises `Refusal` for an empty name or one that cannot be shown."""
    name = clean_line(name, field="Club name", limit=CLUB_NAME_MAX)
    if not name:
        raise Refusal("Give the club a name.", field="Club name")
    with transaction.atomic():
        club = Club.objects.create(
            name=name,
            slug=slug or _free_slug(name),
            code=_free_code(),
            description=description,
            is_public=is_public,
        )
        Membership.objects.create(club=club, user_id=owner_id, role=Role.OWNER)
    return club


def add_member(club_id: int, user_id: int, role: Role = Role.MEMBER) -> Membership:
    """Put somebody into a club. Who is in already keeps the role they have."""
    membership, _ = Membership.objects.get_or_create(club_id=club_id, user_id=user_id, defaults={"role": role})
    return membership


def _free_slug(name: str) -> str:
    base = slugify(name)[: CLUB_NAME_MAX - 8].strip("-") or "club"
    slug = base
    while Club.objects.filter(slug=slug).exists():
        slug = f"{base}-{new_code(4).lower()}"
    return slug


def _free_code() -> str:
    code = new_code(CLUB_CODE_LENGTH)
    while Club.objects.filter(code=code).exists():
        code = new_code(CLUB_CODE_LENGTH)
    return code


def make_demo_club() -> DemoClub:
    """The demo club and its organiser, who has no password and comes in by a one-time link. Makes them once only."""
    with transaction.atomic():
        organiser, is_new_person = User.objects.get_or_create(email=DEMO_EMAIL, defaults={"name": "Demo organiser"})
        if is_new_person:
            organiser.set_unusable_password()
            organiser.save(update_fields=["password"])
            # Vouched for by whoever set the site up: a made-up address could never be confirmed by mail.
            EmailAddress.objects.create(user=organiser, email=DEMO_EMAIL, primary=True, verified=True)
        club = Club.objects.filter(slug=DEMO_SLUG).first()
        if club is None:
            description = "A club with sample warbands, to try things out."
            club = create_club(name="Demo club", slug=DEMO_SLUG, owner_id=organiser.pk, description=description)
            return DemoClub(club, organiser, is_new=True)
    return DemoClub(club, organiser, is_new=False)


def make_link(user_id: int) -> str:
    """The token of a new one-time sign-in link, good for `LINK_DAYS` days. Earlier links stop working."""
    token = new_token()
    with transaction.atomic():
        OneTimeLink.objects.filter(user_id=user_id).delete()
        expires_at = timezone.now() + timedelta(days=LINK_DAYS)
        OneTimeLink.objects.create(user_id=user_id, token_hash=hash_of(token), expires_at=expires_at)
    return token


def use_link(token: str) -> User:
    """Use a one-time link up and return whom it signs in. The old password stops working, so that a new one is chosen.

    Raises `Refusal` when the link is unknown, used, out of date, or its account is switched off.
    """
    now = timezone.now()
    with transaction.atomic():
        links = OneTimeLink.objects.filter(token_hash=hash_of(token), used_at=None, expires_at__gt=now)
        # One statement decides: of two at once only one finds the row unused.
        if not links.filter(user__is_active=True).update(used_at=now):
            raise Refusal("This link has been used already or is out of date. Ask for a new one.")
        user = User.objects.get(one_time_links__token_hash=hash_of(token))
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
