"""The pages of battles as a browser asks for them: who asks, and what a form holds before anybody
types.
"""

from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.owner import Owner
from accounts.requests import SESSION_NAME
from battles.models import Battle
from tests.guards.forms import forms_in


def browser_of(owner: Owner | None = None, battle: Battle | None = None) -> Client:
    """A browser of somebody with an account or a session's key, or of nobody; ``battle``: one whose
    key it holds.
    """
    client = Client()
    if owner is not None and owner.user_id is not None:
        client.force_login(User.objects.get(pk=owner.user_id))
    kept = {SESSION_NAME: owner.key} if owner is not None and owner.key else {}
    if battle is not None:
        kept["battle_keys"] = {battle.token: battle.key}
    if kept:
        session = client.session
        session.update(kept)
        session.save()
        client.cookies["session"] = str(session.session_key)
    return client


def url(name: str, battle: Battle, *further: str) -> str:
    return reverse(name, args=[battle.token, *further])


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.content.decode()


def fields(html: str, address: str) -> dict[str, Any]:
    """What a browser sends of the form that a page posts to itself, before anybody has touched it;
    no button.
    """
    form = next(
        form
        for form in forms_in(html, address, "")
        if form.method == "post" and form.url == address
    )
    return {
        name: c.value
        for name, c in form.controls.items()
        if c.kind != "button" and (c.value or c.kind == "hidden")
    }


def send(client: Client, address: str, **changes: str | None) -> HttpResponse:
    """Open a page, change these fields of its form (None: leave one out), and send it."""
    sent = {**fields(page(client, address), address), **changes}
    answer: HttpResponse = client.post(
        address, {name: value for name, value in sent.items() if value is not None}
    )
    return answer
