"""One person's account, and who a link or an address belongs to."""

from datetime import datetime

from django.utils import timezone

from accounts.models import OneTimeLink, User
from accounts.queries.clubs import ClubOfPerson, load_clubs_of
from accounts.signals import account_closing_asked
from accounts.tokens import hash_of
from engine.records import Texts, copy_fields, frozen_dataclass


@frozen_dataclass
class AccountProfile:
    """What somebody's own account page shows."""

    id: int
    name: str
    display_name: str
    email: str
    has_password: bool
    created_at: datetime
    clubs: tuple[ClubOfPerson, ...]


def load_profile(user_id: int) -> AccountProfile:
    """Return the account of one person, in two queries. Raises `User.DoesNotExist`."""
    user = User.objects.get(pk=user_id)
    has_password = user.has_usable_password()
    return copy_fields(
        AccountProfile, user, has_password=has_password, clubs=load_clubs_of(user_id)
    )


def closing_told(user_id: int) -> Texts:
    """What deleting this account means for what other apps keep, in sentences."""
    answers = account_closing_asked.send(sender=User, user_id=user_id)
    return tuple(sentence for _, sentences in answers for sentence in sentences or ())


def load_person_of_link(token: str) -> User | None:
    """Return whom a one-time link would sign in.

    None where the link is unknown, used or expired, or the account is switched off.
    """
    link = (
        OneTimeLink.objects.select_related("user")
        .filter(
            token_hash=hash_of(token),
            used_at=None,
            expires_at__gt=timezone.now(),
            user__is_active=True,
        )
        .first()
    )
    return link.user if link else None


def is_email_taken(email: str, *, except_user_id: int | None = None) -> bool:
    """True when another account signs in with this address, in upper or lower case."""
    others = User.objects.filter(email=email.strip())
    return (
        others if except_user_id is None else others.exclude(pk=except_user_id)
    ).exists()
