"""Who calls the API: a program with a token, a browser with its session, or nobody.

A token sees exactly what its person sees. What it may change is narrowed by its scopes: an endpoint
that changes anything says which one it needs (`requires_scope`), and one that says nothing takes no
change from a token.
"""

from typing import Any

from allauth.core.internal.ratelimit import consume
from django.conf import settings
from django.utils import timezone
from rest_framework import exceptions, status
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.api_tokens.operations import Caller, load_caller, note_use
from accounts.owner import NOBODY, Owner
from accounts.requests import owner_of

REALM = 'Bearer realm="api"'
RATES = {"wrong_token": "30/m/ip"}


class TooManyWrong(exceptions.APIException):
    """Somebody tries tokens."""

    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_detail = "Too many wrong tokens from this address. Try again in a minute."
    wait = 60  # seconds


class BearerToken(BaseAuthentication):
    """The token of ``Authorization: Bearer``.

    ``request.auth`` is the `Caller`, None without such a header.

    Raises AuthenticationFailed (401) for a token that does not work, and answers 429 to whoever
    tries many.
    """

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        token = self.sent(request)
        if not token:
            return None
        caller = load_caller(token)
        if caller is None:
            # Only what is wrong is counted: a good token of the same address goes on working.
            if not consume(
                request._request,
                app="accounts",
                action="wrong_token",
                config=RATES,
                limit_get=True,
            ):
                raise TooManyWrong
            raise exceptions.AuthenticationFailed(
                "This token is not known here, is out of date or was revoked. Make another "
                "one on your account page."
            )
        if caller.token:
            note_use(caller.token, timezone.now())
        return None, caller

    def sent(self, request: Request) -> str:
        """What stands in the header as a token, "" where nothing does."""
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        return text.strip() if kind.lower() == "bearer" else ""

    def authenticate_header(self, request: Request) -> str:
        return REALM


class Visitor(BearerToken):
    """A program's token or else whoever the session of a browser belongs to.

    No CSRF token guards against a foreign page: it cannot send JSON here without being asked, and
    what names another origin is answered as nobody.
    """

    def authenticate(self, request: Request) -> tuple[Any, Caller]:
        program = super().authenticate(request)
        if program is not None:
            return program
        if is_foreign(request):
            return None, Caller(NOBODY)
        return request._request.user, Caller(owner_of(request._request))


class TokenScope(BasePermission):
    """Lets a token change only what its scopes say; whoever comes without one is the operation's to
    judge.

    The view's ``scope`` names what its endpoints change, "" where a token may change nothing.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        caller = request.auth
        if (
            request.method in SAFE_METHODS
            or not isinstance(caller, Caller)
            or caller.scopes is None
        ):
            return True
        scope: str = getattr(view, "scope", "")
        if scope and scope in caller.scopes:
            return True
        error: Any = exceptions.PermissionDenied(
            f"This token may not change this: it would need the scope {scope}."
            if scope
            else "This token only reads."
        )
        error.auth_header = f'{REALM}, error="insufficient_scope"' + (
            f', scope="{scope}"' if scope else ""
        )
        raise error


class StoresNothing(TokenScope):
    """For an endpoint that is posted to and changes nothing."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return True


def calling_owner(request: Request) -> Owner:
    """Who calls."""
    return request.auth.owner if isinstance(request.auth, Caller) else NOBODY


def calling_person(request: Request) -> Owner:
    """Who calls, where only somebody with an account can; raises NotAuthenticated (401) for others."""
    actor = calling_owner(request)
    if not actor.is_person:
        raise exceptions.NotAuthenticated(
            "Send a token of your account, with the header Authorization: Bearer."
        )
    return actor


def is_program(request: Request) -> bool:
    """Whether a token speaks: then no session does."""
    return isinstance(request.auth, Caller) and request.auth.is_program


def is_foreign(request: Request) -> bool:
    """Whether a page of another site sends this: then nothing that its session holds counts."""
    origin = request.headers.get("Origin")
    site = f"{request._request.scheme}://{request.get_host()}"
    return bool(origin) and origin not in (site, *settings.CSRF_TRUSTED_ORIGINS)
