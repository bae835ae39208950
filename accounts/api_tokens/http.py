"""Lists of the API that are never counted whole: a page of rows, and whether there is another one."""

from collections.abc import Callable, Mapping
from time import time
from typing import Any

import re2
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import set_response_etag
from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle
from rest_framework.utils.urls import replace_query_param

from accounts.pagination import RowsPage
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


def page_shape(name: str, row: serializers.BaseSerializer[Any]) -> Any:
    """A page for the OpenAPI document; ``row`` is the shape of its rows, many of them."""
    fields: JsonObject = {
        "next": serializers.URLField(
            allow_null=True, help_text="The address of the next page."
        ),
        "previous": serializers.URLField(allow_null=True),
        "results": row,
    }
    return inline_serializer(name, fields)


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
    sent = request.headers.get("If-Match", "").strip()
    if not sent:
        raise PreconditionRequired
    return sent


def unless_read(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The answer with an ETag of its content, or 304 where the caller has it already."""
    set_response_etag(response)
    # Without the rest of the headers: a read is not refused for what If-Match says.
    sent = parse_etags(request.headers.get("If-None-Match", ""))
    tags = {tag.removeprefix("W/") for tag in sent}
    if not tags & {response["ETag"], "*"}:
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
