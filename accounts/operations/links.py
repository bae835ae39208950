"""Links that sign one person in once."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import OneTimeLink, User
from accounts.tokens import hash_of, new_link_secret
from engine.refusal import Refusal

LINK_DAYS = 7


def make_link(user_id: int) -> str:
    """The token of a new one-time sign-in link, good for `LINK_DAYS` days. Earlier links stop working."""
    token = new_link_secret()
    with transaction.atomic():
        OneTimeLink.objects.filter(user_id=user_id).delete()
        expires_at = timezone.now() + timedelta(days=LINK_DAYS)
        OneTimeLink.objects.create(
            user_id=user_id, token_hash=hash_of(token), expires_at=expires_at
        )
    return token


def use_link(token: str) -> User:
    """Use a one-time link up and return whom it signs in. The old password stops working, so that a new one is chosen.

    Raises `Refusal` when the link is unknown, used, out of date, or its account is switched off.
    """
    now = timezone.now()
    with transaction.atomic():
        links = OneTimeLink.objects.filter(
            token_hash=hash_of(token), used_at=None, expires_at__gt=now
        )
        # One statement decides: of two at once only one finds the row unused.
        if not links.filter(user__is_active=True).update(used_at=now):
            raise Refusal("This link has been used already or is out of date. Ask for a new one.")
        user = User.objects.get(one_time_links__token_hash=hash_of(token))
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
