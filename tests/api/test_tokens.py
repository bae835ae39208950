"""Tokens at the API's door: what they open, what they may not, and what a wrong one gets."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.api_tokens import http
from accounts.api_tokens.operations import make_token, revoke_token
from accounts.models import ApiToken
from tests.api.battles import BATTLES, SETUP
from tests.api.conftest import Post, document, is_refusal
from tests.factories import make_battle, make_person, make_user

pytestmark = pytest.mark.django_db

SYSTEMS = "/api/v1/systems/"


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


@pytest.mark.parametrize(
    "header",
    ["Bearer x", "bearer mrabcdefgh_" + "a" * 32, "Bearer \xff", "Bearer " + "x" * 5000],
)
def test_wrong_token_is_refused_everywhere(program, post, header):
    for answer in (
        program.get(SYSTEMS, headers={"Authorization": header}),
        post(document(), headers={"Authorization": header}),
        post(SETUP, BATTLES, headers={"Authorization": header}),
    ):
        assert answer.status_code == 401
        assert is_refusal(answer)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer realm=")
        assert not answer.cookies


def test_revoked_token_is_refused_and_named_nowhere(program: Client) -> None:
    made = make_token(make_user().pk, name="Score")
    assert program.get(SYSTEMS, headers=bearer(made.text)).status_code == 200
    revoke_token(ApiToken.objects.get().user_id, made.id)
    answer = program.get(SYSTEMS, headers=bearer(made.text))
    assert answer.status_code == 401
    assert made.text[:10] not in answer.content.decode()


def test_other_schemes_and_a_battles_key_are_no_tokens(program: Client) -> None:
    battle = make_battle(visibility="private")
    assert program.get(SYSTEMS, headers={"Authorization": "Basic YTpi"}).status_code == 200
    address = f"{BATTLES}{battle.token}/"
    assert program.get(address, headers=bearer(battle.key)).status_code == 200
    assert program.get(address).status_code == 404


def test_token_sees_what_its_person_sees(program: Client) -> None:
    ada = make_person()
    battle = make_battle(actor=ada, visibility="private")
    mine, other = (
        make_token(owner.user_id or 0, name="-").text for owner in (ada, make_person())
    )
    address = f"{BATTLES}{battle.token}/"
    assert program.get(address, headers=bearer(mine)).status_code == 200
    assert program.get(address, headers=bearer(other)).status_code == 404


@pytest.mark.parametrize(
    "scopes, status", [([], 403), (["events:write"], 403), (["battles:write"], 201)]
)
def test_scope_is_needed_to_change(post: Post, scopes: list[str], status: int) -> None:
    user = make_user()
    answer = post(
        SETUP, BATTLES, headers=bearer(make_token(user.pk, name="-", scopes=scopes).text)
    )
    assert answer.status_code == status
    if status == 403:
        assert is_refusal(answer)
        assert (
            'error="insufficient_scope", scope="battles:write"'
            in answer.headers["WWW-Authenticate"]
        )


def test_what_stores_nothing_takes_any_token(post: Post) -> None:
    text = make_token(make_user().pk, name="-").text
    assert post(document(), headers=bearer(text)).status_code == 200


def test_session_of_a_browser_does_not_help_a_token(client: Client) -> None:
    """A browser that may read, with the token of somebody who may not: the token speaks, and no
    cookie is set.
    """
    ada, other = make_user(), make_user()
    battle = make_battle(actor=make_person(user=ada), visibility="private")
    client.force_login(ada)
    address = f"{BATTLES}{battle.token}/"
    assert client.get(address).status_code == 200
    answer = client.get(address, headers=bearer(make_token(other.pk, name="-").text))
    assert answer.status_code == 404
    assert not answer.cookies


def test_token_in_an_address_or_a_body_is_none(program: Client) -> None:
    ada = make_person()
    battle = make_battle(actor=ada, visibility="private")
    text = make_token(ada.user_id or 0, name="-").text
    for name in ("token", "access_token", "key"):
        # A parameter that the address does not know is refused as such.
        assert program.get(f"{BATTLES}{battle.token}/?{name}={text}").status_code == 400


def test_use_is_written_down_once(program: Client, django_assert_num_queries: Any) -> None:
    text = make_token(make_user().pk, name="-").text
    with CaptureQueriesContext(connection) as first:
        program.get(SYSTEMS, headers=bearer(text))
    used = ApiToken.objects.get().last_used_at
    assert used is not None
    with django_assert_num_queries(len(first) - 1):
        program.get(SYSTEMS, headers=bearer(text))
    assert ApiToken.objects.get().last_used_at == used


def test_tokens_of_one_person_share_an_allowance(program, rate):
    rate("2/min")
    ada, ben = make_user(), make_user()
    texts = [make_token(ada.pk, name="-").text for _ in range(2)]
    asked = [program.get(SYSTEMS, headers=bearer(text)) for text in (*texts, texts[0])]
    assert [answer.status_code for answer in asked] == [200, 200, 429]
    assert int(asked[2].headers["Retry-After"]) > 0
    assert (
        program.get(SYSTEMS, headers=bearer(make_token(ben.pk, name="-").text)).status_code
        == 200
    )
    assert program.get(SYSTEMS).status_code == 200


def test_whoever_tries_tokens_is_slowed_down(program, monkeypatch):
    monkeypatch.setattr(http, "RATES", {"wrong_token": "2/m/ip"})
    good = make_token(make_user().pk, name="-").text
    statuses = [
        program.get(SYSTEMS, headers=bearer("mrabcdefgh_" + "a" * 32)).status_code
        for _ in range(3)
    ]
    assert statuses == [401, 401, 429]
    assert program.get(SYSTEMS, headers=bearer(good)).status_code == 200
