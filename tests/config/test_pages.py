"""The pages that belong to no app, and what a broken request is told."""

import json
import logging

import pytest
from django.core.exceptions import PermissionDenied, TooManyFieldsSent
from django.db import OperationalError
from django.http import Http404
from django.test import RequestFactory
from django.urls import path, reverse

from config import logs, pages
from config.middleware import RequestLogMiddleware


def raise_it(request, kind):
    raise {
        "403": PermissionDenied,
        "404": Http404,
        "503": OperationalError,
        "500": RuntimeError,
    }[kind]("owner@example.org")


def post_it(request):
    return pages.HttpResponse(str(len(request.POST)))


urlpatterns = [
    path("raise/<str:kind>/", raise_it),
    path("api/v1/raise/<str:kind>/", raise_it),
    path("post/", post_it),
]
handler400, handler403 = "config.pages.bad_request", "config.pages.forbidden"
handler404, handler500 = "config.pages.not_found", "config.pages.server_error"


@pytest.fixture
def rude(client, settings):
    """A client of pages that raise, which answers as the site would."""
    settings.ROOT_URLCONF = __name__
    client.raise_request_exception = False
    return client


@pytest.mark.django_db
@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_errors_are_pages_and_json_under_the_api(rude, status):
    page = rude.get(f"/raise/{status}/")
    assert page.status_code == status
    assert b"<h1" in page.content
    assert b"owner@example.org" not in page.content
    answer = rude.get(f"/api/v1/raise/{status}/")
    assert answer.status_code == status
    assert list(answer.json()) == ["detail", "errors", "code"]


def test_wrong_host_is_a_400(client):
    answer = client.get("/robots.txt", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert b"evil" not in answer.content


@pytest.mark.parametrize("address", ["/%00", "/robots.txt?q=%00", "/robots.txt?%00=1"])
def test_nul_in_the_address_is_a_400(client, address):
    answer = client.get(address)
    assert answer.status_code == 400
    assert b"NUL" in answer.content


def test_too_big_a_body_is_a_413_before_it_is_read(client, settings):
    answer = client.generic(
        "POST", "/robots.txt", b"", CONTENT_LENGTH=str(settings.REQUEST_MAX_BYTES + 1)
    )
    assert answer.status_code == 413
    assert (
        client.generic("POST", "/robots.txt", b"", CONTENT_LENGTH="9" * 5000).status_code
        == 413
    )
    assert (
        client.generic("POST", "/robots.txt", b"", CONTENT_LENGTH="-1").status_code == 400
    )


@pytest.mark.django_db
@pytest.mark.parametrize("address, body", [
    ("/report/", b"a=" + b"x" * 3_000),
    ("/report/", b"a=1&" * 30), ("/report/", b"x" * 4_001),
    ("/api/v1/site/", b"x" * 4_001),
])  # fmt: skip
def test_too_large_a_request_is_one_warning_without_a_traceback(
    client, settings, caplog, address, body
):
    settings.REQUEST_MAX_BYTES, settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 4_000, 2_000
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 20
    kind = "application/x-www-form-urlencoded"
    answer = client.post(address, body, content_type=kind)
    assert answer.status_code == (400 if b"&" in body else 413)
    logged = [(one.levelname, one.exc_info) for one in caplog.records]
    assert logged == [("WARNING", None)]


def test_too_big_a_form_is_a_413_and_too_many_fields_a_400(rude, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert (
        rude.post(
            "/post/", "a=" + "x" * 2000, content_type="application/x-www-form-urlencoded"
        ).status_code
        == 413
    )
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    assert rude.post("/post/", {f"f{n}": "1" for n in range(5)}).status_code == 400
    assert rude.post("/post/", {"f": "1"}).content == b"1"


@pytest.mark.parametrize(
    "exception", [TooManyFieldsSent("repeated"), ValueError("repeated")]
)
def test_a_400_repeats_no_message_of_others(exception):
    answer = pages.bad_request(RequestFactory().get("/"), exception)
    assert answer.status_code == 400
    assert b"repeated" not in answer.content


def test_429_says_when_to_come_back():
    answer = pages.too_many_requests(RequestFactory().get("/api/v1/check/"))
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "300")


def test_a_broken_error_page_keeps_its_status(monkeypatch, caplog):
    def broken(*args, **kwargs):
        raise RuntimeError

    monkeypatch.setattr(pages, "render_to_string", broken)
    answer = pages.not_found(RequestFactory().get("/"))
    assert answer.status_code == 404
    assert b"<h1>Page not found</h1>" in answer.content


@pytest.mark.django_db
def test_form_without_its_token_is_told_to_try_again(client):
    client.handler.enforce_csrf_checks = True
    answer = client.post(reverse("account_login"), {"login": "x"})
    assert answer.status_code == 403
    assert b"open for too long" in answer.content


def test_robots_are_kept_from_prints(client):
    answer = client.get(reverse("robots-read"))
    assert answer.headers["Content-Type"] == "text/plain"
    assert b"Disallow: /*/print" in answer.content


def test_the_request_log_names_the_route_and_not_the_address():
    request = RequestFactory().get("/warbands/by-link/s3cret/?search=s3cret")
    assert RequestLogMiddleware.format_request(request) == "GET (no page)"


@pytest.mark.parametrize("event", [
    {"password": "s3cret"}, {"csrf_token": "s3cret"},
    {"message": "mail to s3cret@example.org failed"},
    {"event": "no user s3cret@example.org"},
    {"exception": "cannot reach postgres://muster:s3cret@db/muster"},
])  # fmt: skip
def test_logs_hold_no_secrets(event):
    formatter = logs.settings("INFO")["formatters"]["json"]
    line = json.dumps(logs.hide_secrets(None, "info", dict(event)))
    assert "s3cret" not in line
    assert formatter


def test_a_logged_exception_is_one_line_of_json_without_secrets():
    options = dict(logs.settings("INFO")["formatters"]["json"])
    formatter = options.pop("()")(**options)
    try:
        raise RuntimeError("no such person: s3cret@example.org")
    except RuntimeError:
        import sys

        record = logging.LogRecord(
            "config",
            logging.ERROR,
            __file__,
            1,
            "broke for %s",
            ("s3cret@x.org",),
            sys.exc_info(),
        )
    line = formatter.format(record)
    assert "\n" not in line
    assert "s3cret" not in line
    assert "RuntimeError" in json.loads(line)["exception"]


def test_too_long_an_address_is_a_414_in_words(rude, settings):
    long = "x" * settings.ADDRESS_MAX_LENGTH
    page = rude.get(f"/rules/?q={long}")
    assert page.status_code == 414
    assert "longer than any page" in page.content.decode()
    answer = rude.get(f"/api/v1/systems/?{long}")
    assert answer.status_code == 414
    assert answer.json()["errors"][0]["message"].startswith("An address may have at most")
    assert rude.get(f"/robots.txt?{long[:-11]}").status_code != 414
    assert rude.get(f"/robots.txt?{long[:-10]}").status_code == 414
