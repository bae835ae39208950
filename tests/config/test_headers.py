"""Headers and cookies, over plain http on a club's network and over https."""

import json
import subprocess
import sys

import pytest

PROBE = """
import django, json
django.setup()
from django.conf import settings
from django.test import Client
settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
client = Client(headers={"host": "rosters.example.org"})
scheme = settings.SITE_URL.partition(":")[0]
paths = ["/healthz", "/robots.txt", "/accounts/login/", "/no-such-page", "/admin/"]
answers = {path: client.get(path, secure=scheme == "https") for path in paths}
cookies = {n: [m["secure"], m["httponly"], m["samesite"], m["path"], m["domain"]] for n, m in client.cookies.items()}
plain = Client(headers={"host": "rosters.example.org"}).get("/robots.txt")
print(json.dumps({
    "headers": {path: {k.lower(): v for k, v in answer.headers.items()} for path, answer in answers.items()},
    "cookies": cookies,
    "plain": [plain.status_code, plain.headers.get("Location")],
}))
"""


@pytest.fixture(scope="module")
def probe(project_root, tmp_path_factory):
    """What the site says under a scheme, in a process of its own: the settings are read once."""

    def run(scheme: str) -> dict:
        environment = {
            "PATH": "/usr/bin:/bin",
            "DATA_DIR": str(tmp_path_factory.mktemp("data")),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SITE_URL": f"{scheme}://rosters.example.org",
        }
        command = [sys.executable, "-c", PROBE]
        result = subprocess.run(
            command,
            cwd=project_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return {scheme: run(scheme) for scheme in ("http", "https")}


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_answer_carries_the_headers(probe, scheme):
    assert len(probe[scheme]["headers"]) == 5
    for path, headers in probe[scheme]["headers"].items():
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy, path
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
        assert "camera=()" in headers["permissions-policy"]


def test_https_is_kept_to_and_cookies_are_bound_to_the_host(probe):
    answers = probe["https"]
    assert (
        answers["headers"]["/robots.txt"]["strict-transport-security"]
        == "max-age=31536000; includeSubDomains"
    )
    assert answers["plain"] == [301, "https://rosters.example.org/robots.txt"]
    assert answers["cookies"] == {"__Host-csrf": [True, True, "Lax", "/", ""]}


def test_plain_http_works_on_a_club_network(probe):
    answers = probe["http"]
    assert "strict-transport-security" not in answers["headers"]["/robots.txt"]
    assert (
        "upgrade-insecure-requests"
        not in answers["headers"]["/robots.txt"]["content-security-policy"]
    )
    assert answers["plain"] == [200, None]
    assert answers["cookies"] == {"csrf": ["", True, "Lax", "/", ""]}


def test_forwarded_headers_are_not_believed(client, settings):
    settings.SECURE_SSL_REDIRECT = True
    answer = client.get(
        "/robots.txt",
        headers={"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"},
    )
    assert answer.status_code == 301
    assert "evil" not in answer.headers["Location"]
    # Nor is the host that was asked, though the site answers to that name.
    answer = client.get("/robots.txt", headers={"Host": "127.0.0.1"})
    site = settings.SITE_URL.partition(":")[2]
    assert answer.headers["Location"] == f"https:{site}/robots.txt"


@pytest.mark.django_db
def test_admin_login_goes_through_the_limited_door(client):
    answer = client.get("/admin/login/")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/accounts/login/")


@pytest.mark.django_db
def test_eleventh_wrong_password_is_refused_and_the_owner_enters_from_elsewhere(
    client, django_user_model
):
    django_user_model.objects.create_user(
        email="owner@example.org", password="right-horse-battery"
    )
    form = {"login": "owner@example.org", "password": "wrong"}
    for _ in range(10):
        assert b"Too many" not in client.post("/accounts/login/", form).content
    assert b"Too many" in client.post("/accounts/login/", form).content
    right = {**form, "password": "right-horse-battery"}
    assert b"Too many" in client.post("/accounts/login/", right).content
    assert (
        client.post("/accounts/login/", right, REMOTE_ADDR="192.0.2.7").status_code == 302
    )
