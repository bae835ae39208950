"""The only writers of programs' tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.errors import NotFound
from accounts.models import REQUEST_KEY_MAX, TOKEN_NAME_MAX, ApiToken, Scope, User
from accounts.text import clean_line
from accounts.tokens import hash_of, new_code, new_secret
from engine.refusal import Refusal

DAYS = 90
DAYS_MAX = 365
LIVE_MAX = 20
ENDED_KEPT = timedelta(days=90)
USE_NOTED = timedelta(hours=1)
PREFIX_MARK = "mr"
PREFIX_CODE = 8


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A token that was made just now. ``text`` is the whole of it, which nobody can be shown again."""

    id: int
    name: str
    text: str
    scopes: tuple[str, ...]
    expires_at: datetime


def make_token(
    user_id: int, *, name: str, scopes: Iterable[str] = (), days: int = DAYS, request_key: str = ""
) -> MadeToken:
    """A new token of this person; raises Refusal for a name, scope or time that cannot be, and for one too many.

    The same request key again means the same token: it gets another secret, as the first answer may never have been
    seen. Once a program has used it, this is refused.
    """
    name = _name(name)
    wanted = _scopes(scopes)
    if isinstance(days, bool) or not 1 <= days <= DAYS_MAX:
        raise Refusal(f"A token works for 1 to {DAYS_MAX} days.", field="days")
    if len(request_key) > REQUEST_KEY_MAX:
        raise Refusal(
            f"The request key may have at most {REQUEST_KEY_MAX} characters.", field="key"
        )
    now = timezone.now()
    with transaction.atomic():
        User.objects.select_for_update().get(
            pk=user_id
        )  # two forms at once are counted one after the other
        ApiToken.objects.filter(
            Q(revoked_at__lt=now - ENDED_KEPT) | Q(expires_at__lt=now - ENDED_KEPT)
        ).filter(user_id=user_id).delete()
        row = _token_of_request(user_id, request_key) or _free_row(user_id, now)
        row.name, row.scopes, row.expires_at, row.request_key = (
            name,
            list(wanted),
            now + timedelta(days=days),
            request_key,
        )
        secret = new_secret()
        row.secret_hash = hash_of(secret)
        row.save()
    return MadeToken(row.pk, name, f"{row.prefix}_{secret}", wanted, row.expires_at)


def revoke_token(user_id: int, token_id: int) -> str:
    """End a token of this person at once, and return its name. Raises NotFound for anybody else's."""
    token = ApiToken.objects.filter(pk=token_id, user_id=user_id).first()
    if token is None:
        raise NotFound("token")
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    return token.name


def note_use(token_id: int, now: datetime) -> None:
    """Remember that a token was used, at most once an hour."""
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED)
    ApiToken.objects.filter(unnoted, pk=token_id).update(last_used_at=now)


def _name(name: str) -> str:
    name = clean_line(name, field="Name", limit=TOKEN_NAME_MAX)
    if not name:
        raise Refusal(
            "Name the program that will use it, so that you know later which one it is.",
            field="name",
        )
    return name


def _scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    asked = set(scopes)
    if unknown := sorted(asked - set(Scope.values)):
        raise Refusal(
            f"There is no scope {unknown[0][:40]}; there are {', '.join(Scope.values)}.",
            field="scopes",
        )
    return tuple(scope for scope in Scope.values if scope in asked)


def _token_of_request(user_id: int, request_key: str) -> ApiToken | None:
    """The token this form has made already, if it has."""
    row = (
        ApiToken.objects.filter(user_id=user_id, request_key=request_key).first()
        if request_key
        else None
    )
    if row is not None and (row.last_used_at or row.revoked_at):
        raise Refusal(
            "This form has made its token already. Open the page again to make another one.",
            field="key",
        )
    return row


def _free_row(user_id: int, now: datetime) -> ApiToken:
    """A row for one more; raises Refusal where there are enough."""
    if (
        ApiToken.objects.filter(user_id=user_id, revoked_at=None, expires_at__gt=now).count()
        >= LIVE_MAX
    ):
        raise Refusal(
            f"You have {LIVE_MAX} tokens, the most there may be. Revoke one that is not used any more."
        )
    prefix = PREFIX_MARK + new_code(PREFIX_CODE).lower()
    while ApiToken.objects.filter(prefix=prefix).exists():
        prefix = PREFIX_MARK + new_code(PREFIX_CODE).lower()
    return ApiToken(user_id=user_id, prefix=prefix)
