"""What closing an account means, and whom a link signs in."""

from django.utils import timezone

from accounts.models import OneTimeLink, User
from accounts.signals import account_closing_asked
from accounts.tokens import hash_token
from engine.records import Texts


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
            token_hash=hash_token(token),
            used_at=None,
            expires_at__gt=timezone.now(),
            user__is_active=True,
        )
        .first()
    )
    return link.user if link else None
