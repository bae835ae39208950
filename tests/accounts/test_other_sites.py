"""Signing in with Discord and Google, against an OpenID server on this machine."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounts.models import User
from tests.reliability.server import database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
EMAIL = "wilma@example.org"
PROVIDERS = ("discord", "google")


class OpenIdServer(ThreadingHTTPServer):
    """Says of everybody who comes that they are Wilma."""

    audience = "muster"
    is_verified = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.asked: list[dict[str, str]] = []


class Answers(BaseHTTPRequestHandler):
    server: OpenIdServer

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/me":
            assert self.headers["Authorization"] == "Bearer access"
            self._tell(
                {
                    "id": "77",
                    "username": "wilma",
                    "global_name": "Wilma",
                    "email": EMAIL,
                    "verified": self.server.is_verified,
                }
            )
            return
        asked = {name: value[0] for name, value in parse_qs(url.query).items()}
        self.server.asked.append(asked)
        back = urlencode({"code": "once", "state": asked["state"]})
        self.send_response(302)
        self.send_header("Location", f"{asked['redirect_uri']}?{back}")
        self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        asked = {name: value[0] for name, value in parse_qs(body).items()}
        assert asked["code"] == "once"
        assert asked["code_verifier"]
        claims = {
            "iss": self.server.address, "aud": self.server.audience, "sub": "77",
            "email": EMAIL, "email_verified": self.server.is_verified, "name": "Wilma",
            "exp": time.time() + 60, "iat": time.time(),
        }  # fmt: skip
        token = jwt.encode(claims, "k" * 32)
        self._tell({"access_token": "access", "token_type": "Bearer", "id_token": token})

    def _tell(self, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def openid() -> Iterator[OpenIdServer]:
    with OpenIdServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def caller(django_db_setup, tmp_path_factory) -> Iterator[subprocess.Popen[str]]:
    """A process with the keys of both sites."""
    keys = {f"{name.upper()}_CLIENT_ID": "muster" for name in PROVIDERS}
    keys |= {f"{name.upper()}_CLIENT_SECRET": "secret" for name in PROVIDERS}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.accounts.openid_caller"],
        cwd=settings.BASE_DIR,
        env={
            "PATH": "/usr/bin:/bin",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(tmp_path_factory.mktemp("caller")),
            "DATABASE_URL": database_url(),
            "SECRET_KEY": "s" * 50,
            "DEBUG": "1",
            **keys,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


CameOf = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def came_of(caller: subprocess.Popen[str], openid: OpenIdServer) -> CameOf:
    """Returns what came of signing in by each provider in turn, with these settings."""

    def answered(*providers: str, **variables: str) -> list[dict[str, Any]]:
        assert caller.stdin
        assert caller.stdout
        print(json.dumps([openid.address, providers, variables]), file=caller.stdin)
        caller.stdin.flush()
        line = caller.stdout.readline()
        assert line, "the process ended; its reason stands on its error output"
        found: list[dict[str, Any]] = json.loads(line)
        return found

    return answered


@pytest.mark.parametrize("provider", PROVIDERS)
def test_first_time_makes_an_account_and_the_second_finds_it(came_of, openid, provider):
    found = came_of(provider, provider)
    user = User.objects.get()
    assert [(each["status"], each["path"], each["user"]) for each in found] == [
        (200, "/", str(user.pk))
    ] * 2
    assert (user.email, user.name) == (EMAIL, "Wilma")
    assert not user.has_usable_password()
    assert all(each["is_connected"] for each in found)
    # On the device that was ticked as shared, nothing is kept for reading offline.
    assert [each["is_kept"] for each in found] == [provider != "google"] * 2
    assert EmailAddress.objects.get(user=user).verified
    assert SocialAccount.objects.get(user=user).provider == provider
    assert {each["code_challenge_method"] for each in openid.asked} == {"S256"}
    assert {each["client_id"] for each in openid.asked} == {"muster"}


@pytest.mark.parametrize("mode", ["invited", "closed"])
def test_stranger_makes_none_where_registration_is_not_open(came_of, mode):
    found = came_of(*PROVIDERS, REGISTRATION=mode)
    outcomes = [(each["title"], each["user"]) for each in found]
    assert outcomes == [("No new accounts", None)] * 2
    assert not User.objects.exists()


def test_address_of_an_account_does_not_open_it(came_of: CameOf) -> None:
    User.objects.create_user(EMAIL, "halberd-and-lantern")
    found = came_of(*PROVIDERS)
    assert [each["user"] for each in found] == [None, None]
    assert not SocialAccount.objects.exists()


def test_statement_for_another_site_is_refused(came_of, openid):
    openid.audience = "another"
    (found,) = came_of("google")
    assert (found["title"], found["user"]) == ("Sign-in failed", None)
    assert not User.objects.exists()


def test_site_without_keys_has_no_such_way(client: Client) -> None:
    assert "With another account" not in client.get("/accounts/login/").text
    assert client.post("/accounts/google/login/").status_code == 404
    with pytest.raises(NoReverseMatch):
        reverse("socialaccount_connections")
