"""The only writers of programs' tokens."""

import hmac
from collections.abc import Iterable
from datetime import datetime, timedelta

import re2
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.errors import NotFound
from accounts.models import REQUEST_KEY_MAX, TOKEN_NAME_MAX, ApiToken, Scope, User
from accounts.owner import Owner
from accounts.tokens import hash_token, new_code, new_secret
from engine.errors import Refusal
from engine.records import frozen_dataclass
from engine.text import clean_line

DAYS = 90
DAYS_MAX = 365
LIVE_MAX = 20
ENDED_KEPT = timedelta(days=90)
USE_NOTED = timedelta(hours=1)
PREFIX_MARK = "mr"
PREFIX_CODE = 8


def make_token(
    user_id: int,
    *,
    name: str,
    scopes: Iterable[str] = (),
    days: int = DAYS,
    request_key: str = "",
) -> ApiToken:
    """Store a new token of this person and return it, its ``text`` with its secret.

    Raises Refusal for a wrong name, scope or number of days, and above `LIVE_MAX` tokens. The same
    request key means the same token with another secret, as the first answer may have been lost;
    once a program has used the token, that is refused.
    """
    name, wanted = _name(name), _scopes(scopes)
    if isinstance(days, bool) or not 1 <= days <= DAYS_MAX:
        raise Refusal(f"A token works for 1 to {DAYS_MAX} days.", field="days")
    if len(request_key) > REQUEST_KEY_MAX:
        raise Refusal(
            f"The request key may have at most {REQUEST_KEY_MAX} characters.", field="key"
        )
    now = timezone.now()
    with transaction.atomic():
        # The person's row is locked, so that two forms at once are counted one after the other.
        User.objects.select_for_update().get(pk=user_id)
        ApiToken.objects.filter(
            Q(revoked_at__lt=now - ENDED_KEPT) | Q(expires_at__lt=now - ENDED_KEPT)
        ).filter(user_id=user_id).delete()
        row = _token_of_request(user_id, request_key) or _free_row(user_id, now)
        row.name = name
        row.scopes = wanted
        row.expires_at = now + timedelta(days=days)
        row.request_key = request_key
        secret = new_secret()
        row.secret_hash = hash_token(secret)
        row.save()
    row.text = f"{row.prefix}_{secret}"
    return row


def revoke_token(user_id: int, token_id: int) -> str:
    """End a token of this person at once, and return its name.

    Raises NotFound for anybody else's.
    """
    token = ApiToken.objects.filter(pk=token_id, user_id=user_id).first()
    if token is None:
        raise NotFound("token")
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    return token.name


def note_use(token: ApiToken, now: datetime) -> None:
    """Remember that a token was used, at most once an hour."""
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _name(name: str) -> str:
    name = clean_line(name, field="Name", limit=TOKEN_NAME_MAX)
    if not name:
        raise Refusal(
            "Name: enter the program that uses the token, so that you recognise it later.",
            field="name",
        )
    return name


def _scopes(scopes: Iterable[str]) -> list[str]:
    wanted = set(scopes)
    if unknown := sorted(wanted - set(Scope.values)):
        raise Refusal(
            f"There is no scope {unknown[0][:40]}; there are {', '.join(Scope.values)}.",
            field="scopes",
        )
    return [scope for scope in Scope.values if scope in wanted]


def _token_of_request(user_id: int, request_key: str) -> ApiToken | None:
    """The token this form has made already, if it has."""
    if not request_key:
        return None
    row = ApiToken.objects.filter(user_id=user_id, request_key=request_key).first()
    if row is not None and (row.last_used_at or row.revoked_at):
        raise Refusal(
            "This form has already created its token. Reload the page to create another.",
            field="key",
        )
    return row


def _free_row(user_id: int, now: datetime) -> ApiToken:
    """A row for one more; raises Refusal where there are enough."""
    live = ApiToken.objects.filter(user_id=user_id, revoked_at=None, expires_at__gt=now)
    if live.count() >= LIVE_MAX:
        raise Refusal(
            f"You have {LIVE_MAX} tokens, the maximum. Revoke a token that you no longer "
            "use."
        )
    prefix = PREFIX_MARK + new_code(PREFIX_CODE).lower()
    while ApiToken.objects.filter(prefix=prefix).exists():
        prefix = PREFIX_MARK + new_code(PREFIX_CODE).lower()
    return ApiToken(user_id=user_id, prefix=prefix)


_TOKEN = re2.compile(r"(mr[a-z0-9]{8})_([a-z2-7]{32})")
_NO_HASH = hash_token("")


@frozen_dataclass
class Caller:
    """Who calls: ``scopes`` is what their token may change, None for a browser's session."""

    owner: Owner
    scopes: frozenset[str] | None = None
    token: ApiToken | None = None

    @property
    def is_program(self) -> bool:
        """True when a token speaks."""
        return self.scopes is not None


def load_tokens(user_id: int) -> list[ApiToken]:
    """A person's tokens: those that work first, then those that have ended, the newest first.

    One query.
    """
    tokens = ApiToken.objects.filter(user_id=user_id).order_by("-created_at", "-id")
    return sorted(tokens, key=lambda token: not token.is_live)


def load_caller(text: str) -> Caller | None:
    """Return the person of a token, None for one that is unknown, expired, revoked or switched off.

    One query. The comparison takes as long whether or not the prefix is known.
    """
    match = _TOKEN.fullmatch(text) if text.isascii() else None
    if match is None:
        return None
    prefix, secret = match.groups()
    live = ApiToken.objects.filter(
        revoked_at=None, expires_at__gt=timezone.now(), user__is_active=True
    )
    row = live.filter(prefix=prefix).order_by().first()
    # An unknown prefix is compared with a hash too, so that the time tells nothing about it.
    is_right = hmac.compare_digest(hash_token(secret), row.secret_hash if row else _NO_HASH)
    if row is None or not is_right:
        return None
    return Caller(Owner(user_id=row.user_id), frozenset(row.scopes), row)
