"""What every answer carries whatever it is, and what no page holds: nothing inline, no code."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from http.cookies import Morsel
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse

from tests.guards.books import book_pages, warband_pages
from tests.guards.cast import Actor, World
from tests.guards.codes import FOR_PROGRAMS, codes_in, internal_names, words_of
from tests.guards.pages import Page, admin_pages, is_html, pages_of, shape_of, wrong_pages
from tests.guards.routes import routes
from tests.guards.watching import taken_back

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

NEEDED = {
    "X-Content-Type-Options": {"nosniff"},
    "Referrer-Policy": {"same-origin"},
    "X-Frame-Options": {"DENY"},
    "Cross-Origin-Opener-Policy": {"same-origin"},
    "Cross-Origin-Resource-Policy": {"same-origin"},
}
# What the policy must say of each; anything wider would let a page run or load what is not the
# site's own.
POLICY = {
    "default-src": {"'self'"}, "script-src": {"'self'"}, "style-src": {"'self'"},
    "img-src": {"'self'", "data:"}, "object-src": {"'none'"}, "base-uri": {"'none'"},
    "form-action": {"'self'"}, "frame-ancestors": {"'none'"},
}  # fmt: skip
WHO = [
    "nobody",
    "owner",
    *(pytest.param(who, marks=pytest.mark.soak) for who in ("guest", "staff")),
]


def everything(world: World, who: str) -> list[Page]:
    visibility = "unclaimed" if who == "guest" else "club" if who == "owner" else "public"
    own = [
        *pages_of(world, visibility),
        *wrong_pages(),
        *(admin_pages(world) if who in ("nobody", "staff") else []),
    ]
    return [*own, *book_pages(), *warband_pages(world)] if who == "owner" else own


def answers(actor: Actor, page: Page, methods: Sequence[str]) -> list[HttpResponse]:
    client = actor.client()
    with taken_back():
        return [client.generic(method, page.url) for method in methods]


def header_faults(url: str, answer: HttpResponse) -> list[str]:
    # Pages of other sites may read these, so their pages may load them.
    is_shared = bool(re.match(settings.CORS_URLS_REGEX, url))
    shared = {"Cross-Origin-Resource-Policy": {"cross-origin"}} if is_shared else {}
    found = [
        f"{name}: {answer.get(name)}"
        for name, values in (NEEDED | shared).items()
        if answer.get(name) not in values
    ]
    policy = dict(
        part.strip().partition(" ")[::2]
        for part in answer.get("Content-Security-Policy", "").split(";")
    )
    found += [
        f"{name} {policy.get(name)}"
        for name, values in POLICY.items()
        if set(policy.get(name, "").split()) != values
    ]
    found += ["unsafe"] if "unsafe" in str(policy) else []
    return found + [
        f"cookie {name}"
        for name, cookie in answer.cookies.items()
        if not is_safe_cookie(cookie)
    ]


def is_safe_cookie(cookie: Morsel[str]) -> bool:
    if not cookie.value and cookie["max-age"] == 0:  # taken away again
        return cookie["samesite"] == "Lax" and cookie["path"] == "/"
    return (
        bool(cookie["httponly"])
        and cookie["samesite"] == "Lax"
        and cookie["path"] == "/"
        and not cookie["domain"]
    )


@pytest.mark.parametrize("who", WHO)
def test_every_answer_carries_the_headers_and_no_page_anything_inline(world, share, who):
    """The plain run opens one page of seven, of the owner's one of eleven, and sends it one other
    method by turns.
    """
    faults, drawn = [], 0
    names = internal_names()
    pages = everything(world, who)
    assert len({page.name for page in pages}) == len(routes()) + 1 or who in (
        "guest",
        "owner",
    )
    for number, page in enumerate(share(pages, 11 if who == "owner" else 7)):
        for answer in answers(
            world.cast[who], page, ["GET", *share(["POST", "OPTIONS"], 2, number)]
        ):
            faults += [
                f"{page.url} {answer.status_code}: {fault}"
                for fault in header_faults(page.url, answer)
            ]
            if is_html(answer):
                drawn += 1
                inside = shape_of(answer.content.decode()).faults
                # The administration's own pages are Django's; the policy refuses what they hold
                # inline.
                faults += [
                    f"{page.url}: {fault}"
                    for fault in inside
                    if not page.url.startswith("/admin/")
                ]
                # People meet no code of the index, of a check or of a ruling.
                if not page.url.startswith(FOR_PROGRAMS):
                    codes = codes_in(words_of(answer), names)
                    faults += [f"{page.url}: {code}" for code in codes]
            assert answer.status_code < 500, page.url
    assert faults == []
    assert drawn > 15


def test_shape_sees_what_is_inline() -> None:
    """The guard's own eyes."""
    html = (
        "<p style='x'>1</p><b onclick=x>2</b><script>3</script><style>4</style><a href=' "
        "JaVa\tscript:5'>5</a>"
        "<iframe src='data:text/html,6'></iframe><img src='data:image/png;base64,x'><script "
        "src='/ok.js'></script>"
        "<i hx-on:click='7'>7</i><p>onclick=8 style=8</p>"
    )
    assert len(shape_of(html).faults) == 7


HTTPS = """
import django, json
django.setup()
from django.apps import apps
from django.conf import settings
settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
from django.core.management import call_command
from django.test import Client
from tests.guards.routes import routes
settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}  # the tables alone: no rows are asked
call_command("migrate", run_syncdb=True, verbosity=0)
scheme = settings.SITE_URL.partition(":")[0]
jar, asked, strict = {}, 0, []
for route in routes():
    if route.arguments:
        continue
    for method in ("get", "post"):
        client = Client(headers={"host": "rosters.example.org"}, raise_request_exception=False)
        sent = {"system": "warhammer-skirmish", "army": "the-empire", "limit": "150"} if method == "post" else {}
        answer = getattr(client, method)(route.url({}), sent, secure=scheme == "https")
        asked += 1
        strict.append("max-age=31536000" in answer.headers.get("Strict-Transport-Security", ""))
        for name, cookie in answer.cookies.items():
            jar.setdefault(name, []).append([cookie[k] for k in ("secure", "httponly", "samesite", "path", "domain")])
print(json.dumps({"jar": jar, "asked": asked, "strict": [all(strict), any(strict)]}))
"""


@pytest.fixture(scope="module")
def cookies(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every cookie of every address without arguments, by scheme, in a process each: the settings
    are read once.
    """
    found, data = {}, str(tmp_path_factory.mktemp("data"))
    for scheme in ("http", "https"):
        environment = {
            "PATH": "/usr/bin:/bin",
            "DATA_DIR": data,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SITE_URL": f"{scheme}://rosters.example.org",
        }
        command = [sys.executable, "-c", HTTPS]
        done = subprocess.run(
            command,
            cwd=project_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        found[scheme] = json.loads(done.stdout)
    return found


def test_cookies_follow_the_scheme_of_the_site(cookies: dict[str, Any]) -> None:
    plain, bound = cookies["http"], cookies["https"]
    assert plain["asked"] == bound["asked"] > 60
    assert sorted(plain["jar"]) == ["csrf", "session"]
    assert sorted(bound["jar"]) == ["__Host-csrf", "__Host-session"]
    assert all(
        cookie == ["", True, "Lax", "/", ""]
        for found in plain["jar"].values()
        for cookie in found
    )
    assert all(
        cookie == [True, True, "Lax", "/", ""]
        for found in bound["jar"].values()
        for cookie in found
    )
    assert (plain["strict"], bound["strict"]) == ([False, False], [True, True])
