"""People: the name others see, the address they sign in with, and the end of an account."""

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import NAME_MAX, Club, Membership, OneTimeLink, Role, User
from accounts.operations.clubs import add_member, create_club, pass_on
from accounts.signals import account_closing
from accounts.tokens import hash_token, new_link_secret
from engine.errors import Refusal
from engine.text import clean_line

LINK_DAYS = 7


def make_link(user_id: int) -> str:
    """Create a one-time sign-in link for `LINK_DAYS` days and return its token.

    Earlier links stop working.
    """
    token = new_link_secret()
    with transaction.atomic():
        OneTimeLink.objects.filter(user_id=user_id).delete()
        expires_at = timezone.now() + timedelta(days=LINK_DAYS)
        OneTimeLink.objects.create(
            user_id=user_id, token_hash=hash_token(token), expires_at=expires_at
        )
    return token


def use_link(token: str) -> User:
    """Use up a one-time link and return the person it signs in.

    Their old password stops working, so that a new one is chosen. Raises `Refusal` when the link is
    unknown, used or expired, or the account is switched off.
    """
    now = timezone.now()
    with transaction.atomic():
        links = OneTimeLink.objects.filter(
            token_hash=hash_token(token), used_at=None, expires_at__gt=now
        )
        # One statement on one table decides: of two at once only one finds the row unused. With a
        # join both would, since PostgreSQL looks again at the row and not at the table beside it.
        is_first = links.update(used_at=now) == 1
        people = User.objects.filter(one_time_links__token_hash=hash_token(token))
        user = people.filter(is_active=True).first() if is_first else None
        if user is None:
            raise Refusal("This link has been used or has expired. Get a new link.")
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def rename_person(user_id: int, name: str) -> None:
    """Set the name others see; empty goes back to "Player 7".

    Raises `Refusal` for a name that cannot be shown.
    """
    User.objects.filter(pk=user_id).update(
        name=clean_line(name, field="Display name", limit=NAME_MAX)
    )


def forget_goal(user_id: int) -> None:
    """They are back on the page they came from when they signed up."""
    User.objects.filter(pk=user_id).update(goes_to="")


def change_email(user_id: int, email: str) -> None:
    """Make `email` the one address this person signs in with, unconfirmed.

    Raises `Refusal` when bad or taken.
    """
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Refusal(
            "Email: enter an address such as name@example.org.", field="email"
        ) from None
    refusal = Refusal(
        "Another account uses this email address. Choose another one.", field="email"
    )
    if User.objects.filter(email=email).exclude(pk=user_id).exists():
        raise refusal
    try:
        with transaction.atomic():
            User.objects.filter(pk=user_id).update(email=email)
            EmailAddress.objects.filter(user_id=user_id).delete()
            EmailAddress.objects.create(
                user_id=user_id, email=email, primary=True, verified=False
            )
    except IntegrityError:  # somebody took it in between
        raise refusal from None


def close_account(user_id: int) -> None:
    """Delete a person and all that is only theirs.

    Their clubs pass to those who stay; an empty club is unlisted. Sends `account_closing` first, in
    the same transaction, for what other apps keep.
    """
    with transaction.atomic():
        # The clubs before the person, as joining does, and always in the same order: two who wait
        # for each other would both be refused.
        clubs = Club.objects.select_for_update(of=("self",))
        list(clubs.filter(memberships__user_id=user_id).order_by("pk"))
        user = User.objects.select_for_update().get(pk=user_id)
        for membership in Membership.objects.filter(user=user, role=Role.OWNER):
            pass_on(membership)
        account_closing.send(sender=User, user=user)
        user.delete()


# The demo club, and who runs it.

DEMO_SLUG = "demo-club"
DEMO_DOMAIN = "@demo.invalid"
DEMO_EMAIL = f"organiser{DEMO_DOMAIN}"


def make_demo_club() -> tuple[Club, User, bool]:
    """Create the demo club and its organiser once; return them, and whether the club is new.

    The organiser has no password and signs in by a one-time link.
    """
    with transaction.atomic():
        organiser, is_new_person = User.objects.get_or_create(
            email=DEMO_EMAIL, defaults={"name": "Demo organiser"}
        )
        if is_new_person:
            organiser.set_unusable_password()
            organiser.save(update_fields=["password"])
            # Vouched for by whoever set the site up: a made-up address could never be confirmed by
            # mail.
            EmailAddress.objects.create(
                user=organiser, email=DEMO_EMAIL, primary=True, verified=True
            )
        club = Club.objects.filter(slug=DEMO_SLUG).first()
        if club is None:
            description = "A club with sample warbands, to try things out."
            club = create_club(
                name="Demo club",
                slug=DEMO_SLUG,
                owner_id=organiser.pk,
                description=description,
            )
            return club, organiser, True
    return club, organiser, False


def make_demo_member(club: Club, name: str) -> User:
    """Somebody made up who belongs to the demo club, and whom nobody can sign in as."""
    member = User.objects.create_user(f"{name.lower()}{DEMO_DOMAIN}", None, name=name)
    add_member(club.pk, member.pk)
    return member
