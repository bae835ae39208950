"""What a browser keeps of the site, so that its reader has it at hand without a network.

Which pages the service worker keeps is decided here alone (docs/recorder.md).
"""

import hashlib
import json
from functools import cache

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_safe

from accounts.entrance import SHARED_DEVICE
from accounts.requests import owner_of, without_robots
from battles.views import recorder

KEPT = {
    **dict.fromkeys((
        "home", "warband-list", "event-list", "standings-read", "sheet-read", "sheet-reference",
        "sheet-cards", "sheet-opponent", "round-list", "round-read", "rulebook", "search",
        "unit-compare", "family-detail", "collection-detail", "system-detail", "chart-list",
        "weapon-list", "armour-list", "magic-item-list", "army-list", "army-detail",
        "unit-detail", "scenario-list", "scenario-detail", "campaign-list", "campaign-read",
        "own-list", "own-profile",
    ), ()),
    "warband-read": ("sheet-read", "sheet-reference"),
    "event-read": ("standings-read", "round-list"),
}  # fmt: skip
"""The routes of pages that a browser may keep, each with those fetched along with it.

None of them holds a key, or somebody else's list before it is revealed.
"""
FOLDERS = ("css/*.css", "js/*.js", "js/battle/*.js", "fonts/*.woff2")
FILES = ("icons/sprite.svg", "icons/favicon.svg", "django_htmx/htmx-2.min.js")
WORKER = "js/worker.js"


def mark_kept(request: HttpRequest, response: HttpResponse) -> None:
    """Name the reader of a page, and let their browser keep it where it may.

    ``X-Reader`` changes with the account. ``X-Keep`` names the release whose files the page needs,
    then the pages to fetch along.
    """
    # Whoever asked for nobody is not told whom it was: that would cost a query.
    if not hasattr(request, "_cached_user"):
        return
    owner, match = owner_of(request), request.resolver_match
    mark = salted_hmac("reader", f"{owner.user_id} {owner.key}")
    response.headers["X-Reader"] = mark.hexdigest()[:16]
    if match is None or match.view_name not in KEPT or response.status_code != 200:
        return
    is_shared = request.session.get(SHARED_DEVICE) or hasattr(request, "is_kept_off")
    if request.method == "GET" and not is_shared and "HX-Request" not in request.headers:
        along = [reverse(name, kwargs=match.kwargs) for name in KEPT[match.view_name]]
        response.headers["X-Keep"] = " ".join([version(), *along])


@require_safe
def offline_read(request: HttpRequest) -> HttpResponse:
    """What stands in for a page that is not kept: the same for everybody."""
    return without_robots(HttpResponse(render_to_string("offline.html")))


@require_safe
def site_worker(request: HttpRequest) -> HttpResponse:
    """The service worker, with what of this release it keeps: another release, another text,
    another worker.
    """
    release = {
        "version": version(),
        "shell": reverse("recorder-shell"),
        "recorder": reverse("battle-record", args=[recorder.ANY_TOKEN]),
        "offline": reverse("offline-read"),
        "static": settings.STATIC_URL,
        # A developer's files change under their names.
        "is_fixed": not settings.DEBUG,
        "files": [static(name) for name in files()],
    }
    script = f"const RELEASE = {json.dumps(release)};\n{_text(WORKER)}"
    response = HttpResponse(script, content_type="text/javascript; charset=utf-8")
    # A browser asks for the worker each time, or it would keep an old release for a day.
    response.headers["Cache-Control"] = "no-cache"
    return response


def files() -> list[str]:
    """Every static file a page needs, the worker apart."""
    folder = settings.BASE_DIR / "static"
    paths = sorted(path for pattern in FOLDERS for path in folder.glob(pattern))
    names = (path.relative_to(folder).as_posix() for path in paths)
    return [*FILES, *(name for name in names if name != WORKER)]


def version() -> str:
    """Names what is kept: other files, or another shell, have another one."""
    return _version() if not settings.DEBUG else _version.__wrapped__()


@cache
def _version() -> str:
    """Return 16 hex digits of a hash over files, worker and pages without a reader."""
    total = hashlib.sha256(recorder.shell_page().encode())
    total.update(render_to_string("offline.html").encode())
    for name in [*files(), WORKER]:
        total.update(_text(name).encode("utf-8", "surrogateescape"))
    return total.hexdigest()[:16]


def _text(name: str) -> str:
    """A static file as it is in the source."""
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(f"The site needs static/{name}.")
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
