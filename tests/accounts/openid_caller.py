"""A browser that signs in by another site, in a process whose settings have that site's keys.

Usage: openid_caller.py SERVER PROVIDER... Prints what each time came of it, as JSON.
"""

from __future__ import annotations

import json
import sys
from urllib.parse import urlsplit

import django

django.setup()

import requests  # noqa: E402
from allauth.socialaccount.providers.discord.views import DiscordOAuth2Adapter  # noqa: E402
from allauth.socialaccount.providers.google import views as google  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402


def main(server: str, *providers: str) -> None:
    for adapter in (DiscordOAuth2Adapter, google.GoogleOAuth2Adapter):
        adapter.authorize_url = f"{server}/authorize"
        adapter.access_token_url = f"{server}/token"
    DiscordOAuth2Adapter.profile_url = f"{server}/me"
    google.ID_TOKEN_ISSUER = server
    setup_test_environment()
    print(json.dumps([signed_in(provider) for provider in providers]))


def signed_in(provider: str) -> dict[str, object]:
    """Follow the way there and back; returns the last status, the page, and who is signed in."""
    client = Client(headers={"host": "localhost"})
    assert f'action="/accounts/{provider}/login/"' in client.get("/accounts/login/").text
    sent = client.post(f"/accounts/{provider}/login/")
    back = requests.get(sent["Location"], allow_redirects=False, timeout=10)
    parts = urlsplit(back.headers["Location"])
    answer = client.get(f"{parts.path}?{parts.query}", follow=True)
    shown = client.get("/accounts/3rdparty/").text
    return {
        "is_connected": "Disconnect" in shown,
        "status": answer.status_code,
        "path": answer.request["PATH_INFO"],
        "title": answer.text.partition("<h1>")[2].partition("</h1>")[0],
        "user": client.session.get("_auth_user_id"),
    }


main(*sys.argv[1:])
