"""People: the name others see, the address they sign in with, and the end of an account."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from accounts import queries
from accounts.models import NAME_MAX, Membership, Role, User
from accounts.operations.locking import lock_clubs
from accounts.operations.membership import pass_on
from accounts.signals import account_closing
from accounts.text import clean_line
from engine.refusal import Refusal


def rename_person(user_id: int, name: str) -> None:
    """Set the name others see; empty goes back to "Player 7". Raises `Refusal` for a name that cannot be shown."""
    User.objects.filter(pk=user_id).update(
        name=clean_line(name, field="Display name", limit=NAME_MAX)
    )


def change_email(user_id: int, email: str) -> None:
    """Make `email` the one address this person signs in with, unconfirmed. Raises `Refusal` when bad or taken."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Refusal(
            "That is not an e-mail address; it should look like name@example.org.", field="email"
        ) from None
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
        # The clubs before the person, as joining does: two who wait for each other would both be refused.
        lock_clubs(user_id)
        user = User.objects.select_for_update().get(pk=user_id)
        for membership in Membership.objects.filter(user=user, role=Role.OWNER).select_related(
            "club"
        ):
            pass_on(membership)
        account_closing.send(sender=User, user=user)
        user.delete()
