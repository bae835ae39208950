"""What views and API take from a request: who asks, the version seen, the request key.

Domain code takes values.

A reader gets no session: the anonymous key is made only when something is first stored.
"""

import hashlib
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import consume
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.entrance import INVITED
from accounts.errors import Refusal
from accounts.forms import RefusalForm
from accounts.owner import NOBODY, Owner
from accounts.signals import owner_claimed
from accounts.tokens import new_secret

SESSION_NAME = "anonymous_owner"
MAX_DIGITS = 9
KEY_MAX = 100
# As many as a busy evening's table needs from one address.
PRINT_RATES = {"pdf": "60/5m/ip"}
PRINT_SECONDS = 300
PRINTED_TOO_MUCH = "Too many documents. Wait a few minutes, then try again."
NO_ROBOTS = "noindex, nofollow"
T = TypeVar("T")
Passing = type[Refusal] | tuple[type[Refusal], ...]
_NOT_SENT = frozenset({"csrfmiddlewaretoken", "open", "version"})


def owner_of(request: HttpRequest) -> Owner:
    """Who asks. Reads only: never starts a session."""
    if request.user.is_authenticated:
        return Owner(user_id=request.user.pk)
    key = request.session.get(SESSION_NAME, "")
    return Owner(key=key) if key else NOBODY


def client_address(request: HttpRequest) -> str:
    """The address a request comes from, as limits count it."""
    return get_adapter().get_client_ip(request)


def visitor_address(request: HttpRequest) -> str:
    """The same of somebody without an account, whose storing is counted; "" for people with one."""
    return "" if request.user.is_authenticated else client_address(request)


def owner_for_storing(request: HttpRequest) -> Owner:
    """Who asks, with a new anonymous key in the session when there is neither an account nor a key
    yet.
    """
    owner = owner_of(request)
    if not owner.is_nobody:
        return owner
    key = new_secret()
    request.session[SESSION_NAME] = key
    return Owner(key=key)


def may_print(request: HttpRequest) -> bool:
    """Return whether this address may have one more document now; it counts as asked for."""
    # Counted before the drawing: what costs is the drawing.
    return bool(
        consume(request, app="warbands", action="pdf", config=PRINT_RATES, limit_get=True)
    )


def accept_invitation(request: HttpRequest) -> None:
    """Let a visitor with the link of a club or an event create an account, where that needs one.

    Kept in their session; a site that anybody may join starts none for it.
    """
    if settings.REGISTRATION == "invited" and not request.user.is_authenticated:
        request.session[INVITED] = True


def record_or_404(
    load: Callable[..., T | None], request: HttpRequest, *args: Any
) -> tuple[Owner, T]:
    """Return who asks and what ``load(owner, *args)`` gives them; raises Http404 where it is None."""
    owner = owner_of(request)
    record = load(owner, *args)
    if record is None:
        raise Http404
    return owner, record


def form_data(request: HttpRequest) -> QueryDict | None:
    """Return what a form was sent with, however little; None for a page that is only opened."""
    return request.POST if request.method == "POST" else None


class TellRefusal:
    """Context in which a refusal is told instead of raised, and the view goes on after the block.

    A class, for it says of itself (to mypy) that it ends an exception.
    """

    def __init__(self, tell: Callable[[Refusal], None], passing: Passing) -> None:
        self.tell = tell
        self.passing = passing

    def __enter__(self) -> None:
        """Nothing to begin."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Refusal) or isinstance(error, self.passing):
            return False
        self.tell(error)
        return True


def refused(form: RefusalForm, passing: Passing = ()) -> TellRefusal:
    """Put what is refused within the block on the form; classes in ``passing`` are raised on."""
    return TellRefusal(form.add_refusal, passing)


def refused_as_message(request: HttpRequest, passing: Passing = ()) -> TellRefusal:
    """Tell what is refused within the block on the next page; ``passing`` as for `refused`."""
    return TellRefusal(lambda refusal: messages.error(request, refusal.message), passing)


def redirect_with_message(
    request: HttpRequest, message: str, to: str, *args: Any
) -> HttpResponse:
    """Say what was done on the next page, and go there; ``to`` and ``args`` as `redirect` has them."""
    messages.success(request, message)
    return redirect(to, *args)


def page(address: str, view: Callable[..., Any]) -> URLPattern:
    """Return the route of a view, named like it: ``round_draw`` is "round-draw"."""
    return path(address, view, name=view.__name__.replace("_", "-"))


def read_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate the view of a page that is only opened: it is never cached."""
    return require_safe(never_cache(view))


def form_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate the view of a page with a form: it is opened and sent, and never cached."""
    return require_http_methods(["GET", "HEAD", "POST"])(never_cache(view))


def takes_document(field: str, most: int) -> Callable[[T], T]:
    """Decorate the view of a form whose field takes a whole document of so many characters."""

    def mark(view: T) -> T:
        # RequestLimitsMiddleware reads it.
        documents: dict[str, int] = getattr(view, "documents", {})
        view.documents = {**documents, field: most}  # type: ignore[attr-defined]
        return view

    return mark


class TokenConverter(StringConverter):
    """The 16 URL-safe characters of a row's token."""

    regex = "[A-Za-z0-9_-]{16}"


class RowIdConverter:
    """A row's number; longer ones than any database holds match nothing."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


def connect() -> None:
    """Register the converters of addresses, and listen for people signing in by whatever door.

    Called when the app is ready, before any address is read.
    """
    register_converter(TokenConverter, "token")
    register_converter(RowIdConverter, "rowid")
    user_logged_in.connect(_claim, dispatch_uid="accounts.requests.claim")


def _claim(
    sender: object, *, request: HttpRequest | None = None, user: Any, **_: object
) -> None:
    """Announce the session's anonymous key once, then forget it.

    Django keeps the session's data while signing in.
    """
    session: Any = getattr(request, "session", {})
    if key := session.get(SESSION_NAME):
        owner_claimed.send(sender=sender, key=key, user=user, request=request)
        del session[SESSION_NAME]


def parse_int(
    text: str | None, field: str, low: int = 0, high: int = 10**MAX_DIGITS - 1
) -> int:
    """A whole number a form sent; raises BadRequest naming the field and its limits."""
    value = text or ""
    is_number = value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS
    if not (is_number and low <= int(value) <= high):
        raise BadRequest(f"“{field}” must be a whole number from {low} to {high:,}.")
    return int(value)


def version_seen(request: HttpRequest) -> int | None:
    """Return the version this form was made from, None where it sends none; raises BadRequest for
    rubbish.
    """
    sent = request.POST.get("version")
    return parse_int(sent, "version") if sent else None


def request_key(request: HttpRequest) -> str:
    """One key for each button of a page: the page's own key with what this button sends.

    All forms of a page carry the same key, so what tells two buttons apart is where they post and
    what they hold.
    """
    key = request.POST.get("key", "")
    if not key:
        return ""
    if len(key) > KEY_MAX:
        raise BadRequest(f"“key” must have at most {KEY_MAX} characters.")
    sent = sorted(
        (name, tuple(values))
        for name, values in request.POST.lists()
        if name not in _NOT_SENT
    )
    content = repr((key, request.path, sent)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()


def without_robots(response: HttpResponse) -> HttpResponse:
    """Tell search engines to leave this alone; a link that was shared is not for everybody."""
    response.headers["X-Robots-Tag"] = NO_ROBOTS
    return response
