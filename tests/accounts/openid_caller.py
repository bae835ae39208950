"""A browser that signs in by another site, in a process whose settings have that site's keys.

Usage: openid_caller.py, which reads lines of JSON: the address of the other site, its name for each
time, and settings. It prints a line for each: what each time came of it.
"""

import json
import sys
from typing import Any
from urllib.parse import urlsplit

import django

django.setup()

import requests  # noqa: E402
from allauth.socialaccount.providers.discord.views import DiscordOAuth2Adapter  # noqa: E402
from allauth.socialaccount.providers.google import views as google  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.test import Client, override_settings  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402


def outcomes(server: str, providers: list[str], settings: dict[str, Any]) -> list[Any]:
    cache.clear()
    for adapter in (DiscordOAuth2Adapter, google.GoogleOAuth2Adapter):
        adapter.authorize_url = f"{server}/authorize"
        adapter.access_token_url = f"{server}/token"
    DiscordOAuth2Adapter.profile_url = f"{server}/me"
    google.ID_TOKEN_ISSUER = server
    with override_settings(**settings):
        return [signed_in(provider) for provider in providers]


def signed_in(provider: str) -> dict[str, object]:
    """Follow the way there and back; returns the last status, the page, and who is signed in."""
    client = Client(headers={"host": "localhost"})
    assert f'action="/accounts/{provider}/login/"' in client.get("/accounts/login/").text
    tick = {"shared": "on"} if provider == "google" else {}
    sent = client.post(f"/accounts/{provider}/login/", tick)
    back = requests.get(sent["Location"], allow_redirects=False, timeout=10)
    parts = urlsplit(back.headers["Location"])
    answer = client.get(f"{parts.path}?{parts.query}", follow=True)
    shown = client.get("/accounts/3rdparty/").text
    return {
        "is_kept": "X-Keep" in client.get("/").headers,
        "is_connected": "Disconnect" in shown,
        "status": answer.status_code,
        "path": answer.request["PATH_INFO"],
        "title": answer.text.partition("<h1>")[2].partition("</h1>")[0],
        "user": client.session.get("_auth_user_id"),
    }


setup_test_environment()
for line in sys.stdin:
    print(json.dumps(outcomes(*json.loads(line))), flush=True)
