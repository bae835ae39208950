"""The live recorder: its page, the shell of it that works without a signal, and the worker that
keeps that shell.
"""

import hashlib
import json
from functools import cache

from django.conf import settings
from django.contrib import messages
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import (
    address_of,
    form_page,
    read_page,
    refused_as_message,
    without_robots,
)
from battles.access import BattleCall
from battles.exports import bundle_of
from battles.keys import stream_address
from battles.operations.ownership import change_visibility, new_key
from battles.operations.sides import take_side
from battles.queries.battles import token_of_key
from battles.request_keys import keep_key, read_key
from battles.views.battles import battle_for
from engine.records import JsonObject

WRONG = "That is not the code of this battle. Check it: it has twelve characters."
NOWHERE = "No battle has this code. Check it: it has twelve characters."


@form_page
def battle_join(request: HttpRequest, token: str) -> HttpResponse:
    """Type the key, or come by the QR code, whose key a script puts into the form.

    Tells nothing about the battle.
    """
    wrong = ""
    if request.method == "POST":
        if keep_key(request, token, request.POST.get("key", "")):
            return redirect(
                "battle-record" if request.POST.get("to") == "record" else "battle-read",
                token,
            )
        wrong = WRONG
    context = {"wrong": wrong, "typed": request.POST.get("key", "")[:60]}
    return without_robots(
        render(request, "battles/join.html", context, status=400 if wrong else 200)
    )


@form_page
def battle_find(request: HttpRequest) -> HttpResponse:
    """Type the code of any battle, without its address."""
    wrong, typed = "", request.POST.get("key", "")
    if request.method == "POST":
        if token := token_of_key(read_key(typed)):
            keep_key(request, token, typed)
            to = "battle-record" if request.POST.get("to") == "record" else "battle-read"
            return redirect(to, token)
        wrong = NOWHERE
    context = {"wrong": wrong, "typed": typed[:60]}
    return without_robots(
        render(request, "battles/join.html", context, status=400 if wrong else 200)
    )


@require_POST
def battle_side(request: HttpRequest, token: str) -> HttpResponse:
    """Bring one's own warband for a side that has no list."""
    owner, key, record = battle_for(request, token)
    if not record.may_record:
        raise Http404
    side, warband = request.POST.get("side", ""), request.POST.get("warband", "")
    with refused_as_message(request):
        call = BattleCall(owner, token, key, address=address_of(request))
        take_side(call, side, warband)
        messages.success(
            request, "Your warband is in this battle. Its list is locked as it is now."
        )
    return redirect("battle-read", token)


@require_POST
def battle_share(request: HttpRequest, token: str) -> HttpResponse:
    """Change who may read the battle, or its key."""
    owner, key, record = battle_for(request, token)
    if not record.may_share:
        raise Http404
    call = BattleCall(owner, token, key)
    with refused_as_message(request):
        if "new_key" in request.POST:
            keep_key(request, token, new_key(call))
            messages.success(
                request, "The battle has a new code. The old code no longer works."
            )
        else:
            change_visibility(call, request.POST.get("visibility", ""))
            messages.success(request, "Sharing saved.")
    return redirect("battle-read", token)


ANY_TOKEN = (
    "0" * 16
)  # stands in the links of the page for the token of the battle; the script puts it in
LINKS = {
    "battle": "battle-read",
    "record": "battle-record",
    "join": "battle-join",
    "api": "api-battle-read",
}
MODULES = "static/js/battle"
FILES = (
    "css/tokens.css",
    "css/base.css",
    "css/ui.css",
    "css/battle.css",
    "js/theme.js",
    "icons/sprite.svg",
    "icons/favicon.svg",
    "fonts/besley-600.woff2",
    "fonts/besley-600-ext.woff2",
)
WORKER = "js/battle/worker.js"


@read_page
def battle_record(request: HttpRequest, token: str) -> HttpResponse:
    """The recorder with the battle in it. Whoever may only read watches; nobody else gets it."""
    _, _, record = battle_for(request, token)
    if not record.rules.can_record:
        return redirect("battle-read", token)
    page = {
        **shell(),
        "token": record.token,
        "now": timezone.now().isoformat(),
        "may_record": record.may_record,
        "key": record.key,
        "stream": stream_address(record.token),
        "is_person": request.user.is_authenticated,
        "bundle": bundle_of(record),
    }
    context = {
        "page": page,
        "title": record.title,
        "enter_url": _url("battle-enter", record.token),
    }
    return without_robots(render(request, "battles/record.html", context))


@require_safe
def recorder_shell(request: HttpRequest) -> HttpResponse:
    """The recorder without a battle: the same for everybody and for every battle, so that a browser
    may keep it.
    """
    return without_robots(HttpResponse(_shell_page()))


@require_safe
def recorder_worker(request: HttpRequest) -> HttpResponse:
    """The service worker, with what of this release it keeps: another release, another text,
    another worker.
    """
    release = {
        "version": version(),
        "shell": reverse("recorder-shell"),
        "files": [static(name) for name in files()],
    }
    script = f"const RELEASE = {json.dumps(release)};\n{_text(WORKER)}"
    response = HttpResponse(script, content_type="text/javascript; charset=utf-8")
    # A browser asks for the worker each time, or it would keep an old release for a day.
    response.headers["Cache-Control"] = "no-cache"
    return response


def files() -> list[str]:
    """Every static file the recorder needs, the worker apart."""
    modules = (settings.BASE_DIR / MODULES).glob("*.js")
    names = sorted(f"js/battle/{path.name}" for path in modules)
    return [*FILES, *(name for name in names if name != WORKER)]


def shell() -> JsonObject:
    """What the page knows without a battle."""
    links = {name: _url(route, ANY_TOKEN) for name, route in LINKS.items()}
    return {
        "token": "",
        "links": {**links, "worker": reverse("recorder-worker")},
        "bundle": None,
    }


def version() -> str:
    """Names what is kept: other files, or another shell, have another one."""
    return _version() if not settings.DEBUG else _version.__wrapped__()


@cache
def _version() -> str:
    """Return 16 hex digits of a hash over the shell, all files and the worker."""
    total = hashlib.sha256(_shell_page().encode())
    for name in [*files(), WORKER]:
        total.update(_text(name).encode("utf-8", "surrogateescape"))
    return total.hexdigest()[:16]


def _shell_page() -> str:
    return render_to_string("battles/record.html", {"page": shell()})


def _text(name: str) -> str:
    """A static file as it is in the source."""
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(f"The recorder needs static/{name}.")
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _url(route: str, token: str) -> str:
    """The address of a battle, or "" where this site has no such page."""
    try:
        return reverse(route, args=[token])
    except NoReverseMatch:
        return ""
