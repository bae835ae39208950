"""What is read about programs' tokens: a person's own, and whom a token speaks for."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.models import ApiToken, Scope
from accounts.owner import Owner
from accounts.programs.operations import USE_NOTED
from accounts.tokens import hash_of

_TOKEN = re.compile(r"(mr[a-z0-9]{8})_([a-z2-7]{32})", re.ASCII)
_NO_HASH = hash_of("")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token on its person's page. Its secret is nowhere."""

    id: int
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    is_live: bool

    @property
    def changes(self) -> tuple[str, ...]:
        """What it may change, in words."""
        return tuple(str(Scope(scope).label) for scope in self.scopes)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: ``scopes`` is what their token may change, None where no token speaks but a browser's session."""

    owner: Owner
    scopes: frozenset[str] | None = None
    token_id: int | None = None
    is_use_noted: bool = True

    @property
    def is_program(self) -> bool:
        """True when a token speaks."""
        return self.scopes is not None


def load_tokens(user_id: int) -> tuple[TokenRow, ...]:
    """A person's tokens: those that work first, then those that have ended, the newest first. One query."""
    now = timezone.now()
    rows = [
        _row(row, now)
        for row in ApiToken.objects.filter(user_id=user_id).order_by("-created_at", "-id")
    ]
    return tuple(sorted(rows, key=lambda row: not row.is_live))


def load_caller(text: str) -> Caller | None:
    """Whom a token speaks for; None for one that is unknown, expired or revoked, or whose account is switched off.

    One query. The comparison takes as long whether or not the prefix is known.
    """
    match = _TOKEN.fullmatch(text)
    if match is None:
        return None
    prefix, secret = match.groups()
    now = timezone.now()
    live = ApiToken.objects.filter(revoked_at=None, expires_at__gt=now, user__is_active=True)
    row = live.filter(prefix=prefix).order_by().first()
    is_right = hmac.compare_digest(hash_of(secret), row.secret_hash if row else _NO_HASH)
    if row is None or not is_right:
        return None
    is_noted = row.last_used_at is not None and row.last_used_at > now - USE_NOTED
    return Caller(Owner(user_id=row.user_id), frozenset(row.scopes), row.pk, is_noted)


def _row(row: ApiToken, now: datetime) -> TokenRow:
    return TokenRow(
        id=row.pk,
        name=row.name,
        prefix=row.prefix,
        scopes=tuple(scope for scope in row.scopes if scope in Scope.values),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
        is_live=row.revoked_at is None and row.expires_at > now,
    )
