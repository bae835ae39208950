"""What the API takes from a request and tells in headers: who calls, pages of lists that are never
counted whole, versions, rates.
"""

from collections.abc import Callable, Mapping
from functools import cache
from time import time
from typing import Any

import re2
from allauth.core.internal.ratelimit import consume
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.utils.cache import set_response_etag
from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import exceptions, serializers, status
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle
from rest_framework.utils.urls import replace_query_param

from accounts.api_tokens.operations import Caller, load_caller, note_use
from accounts.owner import NOBODY, Owner
from accounts.pagination import RowsPage
from accounts.requests import owner_of
from engine.records import JsonObject

PAGE_SIZE = 50
PAGE_SIZE_MAX = 200
PAGES_MAX = 100
PAGES = (
    OpenApiParameter(
        "page", {"type": "integer", "minimum": 1, "maximum": PAGES_MAX, "default": 1}
    ),
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": PAGE_SIZE_MAX, "default": PAGE_SIZE},
    ),
)


def page_answer(
    request: Request, page: RowsPage[Any], shape: Callable[[Any], JsonObject]
) -> Response:
    """The rows with the addresses of the pages around them; raises 404 past the last one."""
    if page.number > 1 and not page.rows:
        raise exceptions.NotFound(f"There is no page {page.number}.")
    address = request.build_absolute_uri()
    after = replace_query_param(address, "page", page.number + 1)
    before = replace_query_param(address, "page", page.number - 1)
    return Response(
        {
            "next": after if page.has_next() else None,
            "previous": before if page.has_previous() else None,
            "results": [shape(row) for row in page.rows],
        }
    )


def page_of_rows(rows: tuple[Any, ...], page: int, per_page: int) -> RowsPage[Any]:
    """A page of rows that were all loaded."""
    start = (page - 1) * per_page
    return RowsPage(
        rows[start : start + per_page], page, per_page, len(rows) > start + per_page
    )


@cache
def page_shape(row: type[serializers.Serializer[Any]]) -> Any:
    """A page of such rows for the OpenAPI document, the same for every call that answers it."""
    fields: JsonObject = {
        "next": serializers.URLField(
            allow_null=True, help_text="The address of the next page."
        ),
        "previous": serializers.URLField(allow_null=True),
        "results": row(many=True),
    }
    name = row.__name__.removesuffix("Answer").removesuffix("Row")
    return inline_serializer(f"{name}Page", fields)


def read_number(request: Request, name: str, default: int, most: int) -> int:
    """A parameter of the address from 1 to ``most``; raises 400."""
    text = request.query_params.get(name, str(default))
    is_number = len(text) <= 9 and text.isascii() and text.isdigit()
    if not (is_number and 1 <= int(text) <= most):
        raise exceptions.ValidationError({name: [f"A whole number from 1 to {most}."]})
    return int(text)


_ETAG = re2.compile(r'"([0-9]{1,9})"')

IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string"},
    OpenApiParameter.HEADER,
    required=True,
    description=(
        'The ETag that was read, such as "3"; * for whatever it is now. Without it the answer is '
        "428."
    ),
)


class PreconditionRequired(exceptions.APIException):
    """A change that does not say which version it is of."""

    status_code = status.HTTP_428_PRECONDITION_REQUIRED
    default_detail = "Send the ETag you have read with the header If-Match, so that nobody's change is lost."


def expected(request: Request) -> int | None:
    """The version a change is of, None for whatever it is now (``*``).

    Raises PreconditionRequired without the header, and 400 for one that is no ETag of ours.
    """
    sent = _if_match(request)
    if sent == "*":
        return None
    match = _ETAG.fullmatch(sent)
    if match is None:
        raise exceptions.ValidationError(
            {"If-Match": ['If-Match must be one ETag as it was read, such as "3", or *.']}
        )
    return int(match[1])


def seen_stamp(request: Request) -> str:
    """Return what a change was made from, an ETag without its quotes, or ``*``.

    Raises PreconditionRequired without the header.
    """
    return _if_match(request).strip('"')


def _if_match(request: Request) -> str:
    # Compression makes a tag weak: W/"3".
    sent = request.headers.get("If-Match", "").strip().removeprefix("W/")
    if not sent:
        raise PreconditionRequired
    return sent


def unless_read(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The answer with an ETag of its content, or 304 where the caller has it already."""
    set_response_etag(response)
    # Without the rest of the headers: a read is not refused for what If-Match says.
    sent = parse_etags(request.headers.get("If-None-Match", ""))
    if not {tag.removeprefix("W/") for tag in sent} & {response["ETag"], "*"}:
        return response
    unchanged = HttpResponseNotModified()
    unchanged["ETag"] = response["ETag"]
    return unchanged


# How often the API may be called, and how much of that is left, for the headers of each
# answer.


class ToldRate(AnonRateThrottle):
    """A rate that the answer tells, whether the call was taken or refused."""

    history: list[float] = []
    duration: int  # seconds
    num_requests: int

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the call; returns whether it is taken."""
        is_allowed = super().allow_request(request, view)
        # Django's request, which the middleware sees.
        request._request.rate_headers = self.headers()  # type: ignore[attr-defined]
        return is_allowed

    def headers(self) -> Mapping[str, str]:
        """Return the limit, the calls that are left, and the seconds until one more is."""
        now = time()
        used = [at for at in self.history if at > now - self.duration]
        wait = used[-1] + self.duration - now if used else 0
        return {
            "RateLimit-Limit": str(self.num_requests),
            "RateLimit-Remaining": str(max(0, self.num_requests - len(used))),
            "RateLimit-Reset": str(round(wait)),
        }

    def headers_without_count(self, request: Any) -> Mapping[str, str]:
        """Return the headers of an answer that came before its call was counted, such as a 401."""
        key = self.get_cache_key(request, None)  # type: ignore[arg-type]
        self.history = self.cache.get(key, [])
        return self.headers()


# Who calls


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
