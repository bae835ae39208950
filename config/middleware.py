"""What happens to every request before a view sees it, and to every response."""

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import re2
import structlog
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.gzip import GZipMiddleware
from django.middleware.security import SecurityMiddleware
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django_structlog.middlewares import RequestMiddleware

from accounts.errors import NotAllowed, NotFound
from config import health, pages, service_worker

FIELD_MAX = 32_000  # characters of one field of a form


class SecurityHeadersMiddleware(MiddlewareMixin):
    """The headers that neither Django nor django-csp sets."""

    def process_response(
        self, request: HttpRequest, response: HttpResponse
    ) -> HttpResponse:
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        # What CORS lets other sites' pages read, they may also load without its header.
        is_shared = re2.match(settings.CORS_URLS_REGEX, request.path_info)
        policy = "cross-origin" if is_shared else "same-origin"
        response.headers.setdefault("Cross-Origin-Resource-Policy", policy)
        return response


class SiteAddressMiddleware(MiddlewareMixin):
    """Absolute addresses begin with SITE_URL: anybody may type a Host header.

    Also those of allauth's mails and of REST framework, which ask the request.
    """

    def process_request(self, request: HttpRequest) -> None:
        # Django's cached property, from which `build_absolute_uri` begins.
        request._current_scheme_host = settings.SITE_URL  # type: ignore[attr-defined]


DECIDING = ("Cookie", "HX-Request", "X-Keep")
DECIDING_API = ("Cookie", "Authorization", "X-Battle-Key", "Origin")
"""The headers of a request that decide what a page, or an answer of the API, holds."""
FOR_EVERYBODY = frozenset({"robots-read", "site-worker"})
"""The routes whose answer is the same for everybody, beside the rule books of the API."""


class PrivacyMiddleware(MiddlewareMixin):
    """Keeps caches from storing what depends on who asks, which is everything but a few files.

    A page names the reader, and even an error page may. Static files are answered further out.
    A rule book may be stored and is asked for anew each time, by its ETag.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponse
    ) -> HttpResponse:
        match = request.resolver_match
        view = getattr(match and match.func, "cls", None)
        if getattr(view, "is_for_everybody", False) and response.has_header("ETag"):
            response.headers["Cache-Control"] = "public, no-cache"
        elif match is None or match.view_name not in FOR_EVERYBODY:
            response.headers["Cache-Control"] = "private, no-store"
            is_api = request.path_info.startswith("/api/")
            patch_vary_headers(response, DECIDING_API if is_api else DECIDING)
            service_worker.mark_kept(request, response)
        return response


COMPRESSED_FROM = 1_000  # bytes
COMPRESSED_TYPES = ("text/", "application/json", "image/svg")
HOLD_KEYS = (
    *("/accounts/", "/admin/", "/battles/", "/clubs/"),
    *("/api/v1/battles/", "/api/v1/clubs/"),
)
"""Where an answer may hold a key: the length of a compressed one tells what it repeats."""


class CompressionMiddleware(GZipMiddleware):
    """Compresses texts for whoever takes gzip, but for streams and pages that hold a key."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_text = response.get("Content-Type", "").startswith(COMPRESSED_TYPES)
        # A stream is no HttpResponse.
        if not isinstance(response, HttpResponse) or not is_text:
            return response
        if len(response.content) < COMPRESSED_FROM:
            return response
        if request.path_info.startswith(HOLD_KEYS):
            return response
        return super().process_response(request, response)


class MethodPageMiddleware(MiddlewareMixin):
    """Words for a 405: Django's own has no body, and a browser would show a page of its own."""

    def process_response(
        self, request: HttpRequest, response: HttpResponse
    ) -> HttpResponse:
        if response.status_code != 405 or request.method != "GET" or response.content:
            return response
        page = pages.answer(request, pages.NOT_ALLOWED)
        page.headers["Allow"] = response.headers.get("Allow", "")
        return page


class RefusalPageMiddleware(MiddlewareMixin):
    """A 404 for what an operation does not find for this person, a 403 for what is not theirs."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> None:
        """Raise what Django answers with its page; leave every other exception alone."""
        if isinstance(exception, NotFound):
            raise Http404 from exception
        if isinstance(exception, NotAllowed):
            raise PermissionDenied from exception


class ProbesMiddleware(MiddlewareMixin):
    """Answers the two probes before sessions, logs and the check of the Host header.

    A probe calls by address, so its Host header is not the site's.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        probe = health.PROBES.get(request.path_info)
        return probe(request) if probe else None


class RequestLogMiddleware(RequestMiddleware):
    """django-structlog's request log, naming the route instead of the URL.

    A URL can hold a share link, a reset key or what somebody searched for; its route cannot.
    """

    def prepare(self, request: HttpRequest) -> None:
        request.began_at = time.perf_counter()  # type: ignore[attr-defined]
        super().prepare(request)

    def handle_response(self, request: HttpRequest, response: HttpResponse) -> None:
        self._bind_duration(request)
        super().handle_response(request, response)

    def process_got_request_exception(
        self, sender: type[Any], request: HttpRequest, **kwargs: Any
    ) -> None:
        self._bind_duration(request)
        super().process_got_request_exception(sender, request, **kwargs)

    @staticmethod
    def _bind_duration(request: HttpRequest) -> None:
        """Log how long the request took so far, in milliseconds."""
        # One that broke before it came here has no beginning.
        seconds = time.perf_counter() - getattr(request, "began_at", time.perf_counter())
        structlog.contextvars.bind_contextvars(duration_ms=round(seconds * 1000, 1))

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        match = request.resolver_match
        return f"{request.method} {'/' + match.route if match else '(no page)'}"

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        """Log who it was only when the view has asked: a log line is not worth a query."""
        user: Any = getattr(request, "_cached_user", None)
        if user is not None:
            structlog.contextvars.bind_contextvars(user_id=user.pk)


class RateHeadersMiddleware(MiddlewareMixin):
    """Tells on every answer of the API how many calls are left."""

    def process_response(
        self, request: HttpRequest, response: HttpResponse
    ) -> HttpResponse:
        if request.path_info.startswith("/api/"):
            from config.api.base import PerAddress  # noqa: PLC0415  (DRF reads settings)

            headers = getattr(request, "rate_headers", None)
            headers = headers or PerAddress().headers_without_count(request)
            for name, value in headers.items():
                response.headers[name] = value
        return response


class RequestLimitsMiddleware(MiddlewareMixin):
    """Refuses what no page can use: a body (413) or an address (414) over the limit, a NUL in the
    address (400), a text that no field takes (400).

    PostgreSQL refuses NUL characters. A form that is refused shows what was typed.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        query = request.META.get("QUERY_STRING", "")
        if len(request.path_info) + len(query) > settings.ADDRESS_MAX_LENGTH:
            return pages.answer(request, pages.TOO_LONG)
        if "\0" in request.path_info or "%00" in query:
            raise BadRequest("The address holds a NUL character, which no page can use.")
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdigit()):
            raise BadRequest("The Content-Length header is not a number.")
        if len(length) > 15 or int(length) > settings.REQUEST_MAX_BYTES:
            raise RequestDataTooBig(
                f"A request may hold at most {settings.REQUEST_MAX_BYTES:,} bytes."
            )
        return None

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *_: object
    ) -> None:
        """Raise BadRequest for a text longer than any field of the page's form."""
        if request.method != "POST" or request.path_info.startswith("/api/"):
            return
        documents: dict[str, int] = getattr(view, "documents", {})
        for name, texts in request.POST.lists():
            most = documents.get(name, FIELD_MAX)
            if any(len(text) > most for text in texts):
                raise BadRequest(f"A field takes at most {most:,} characters.")


# --- Requests that Django never hears of ---


def header_refusal(url: bytes) -> bytes:
    """The whole answer, status line and all, where address and headers are too long.

    ``url`` is as much of the address as has come.
    """
    return _refusal(
        is_api=url.startswith(b"/api/"), is_address=len(url) > settings.ADDRESS_MAX_LENGTH
    )


@cache
def _refusal(*, is_api: bool, is_address: bool) -> bytes:
    request = HttpRequest()
    request.method = "GET"
    request.path = request.path_info = "/api/" if is_api else "/"
    page = pages.TOO_LONG if is_address else pages.HEADERS_TOO_LONG
    response = pages.answer(request, page)

    # What the outer middleware adds, none of which asks more of the request.
    for kind in (
        PrivacyMiddleware, SecurityHeadersMiddleware, XFrameOptionsMiddleware,
        SecurityMiddleware, CSPMiddleware,
    ):  # fmt: skip
        outer: Any = kind(lambda _: response)
        outer.process_response(request, response)
    response.headers["Connection"] = "close"
    response.headers["Content-Length"] = str(len(response.content))
    first = f"HTTP/1.1 {response.status_code} {response.reason_phrase}\r\n"
    return first.encode() + response.serialize()
