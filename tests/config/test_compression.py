"""Answers are compressed by the server itself, but for small ones, streams and pages that hold a key."""

import gzip

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from accounts.api_tokens.operations import make_token
from accounts.models import Scope
from config.middleware import COMPRESSED_FROM, CompressionMiddleware
from tests.factories import make_battle, make_legal_warband, make_person, make_user

GZIP = {"Accept-Encoding": "gzip"}


def encoding_of(response: HttpResponse, path: str = "/") -> str:
    def get_response(_: HttpRequest) -> HttpResponse:
        return response

    request = RequestFactory().get(path, headers=GZIP)
    return CompressionMiddleware(get_response)(request).get("Content-Encoding", "")


def test_small_answers_streams_and_pictures_are_not_compressed() -> None:
    text = "a" * COMPRESSED_FROM
    assert encoding_of(HttpResponse(text)) == "gzip"
    assert encoding_of(HttpResponse(text[1:])) == ""
    assert encoding_of(StreamingHttpResponse([text])) == ""
    assert encoding_of(HttpResponse(text, content_type="application/pdf")) == ""
    for path in ("/accounts/profile/", "/battles/x/", "/api/v1/battles/x/"):
        assert encoding_of(HttpResponse(text), path) == ""


@pytest.mark.django_db
def test_page_is_compressed_unless_it_holds_a_key(client: Client) -> None:
    user = make_user()
    warband = make_legal_warband(actor=make_person(user=user))
    client.force_login(user)
    plain = client.get(f"/warbands/{warband.token}/")
    packed = client.get(f"/warbands/{warband.token}/", headers=GZIP)
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in plain["Vary"]
    assert len(packed.content) < len(plain.content) / 4
    assert b"</html>" in gzip.decompress(packed.content)
    battle = make_battle()
    assert "Content-Encoding" not in client.get(f"/battles/{battle.token}/", headers=GZIP)


@pytest.mark.django_db
def test_weak_tag_that_compression_makes_is_taken(client: Client) -> None:
    user = make_user()
    warband = make_legal_warband(actor=make_person(user=user))
    token = make_token(user.pk, name="-", scopes=Scope.values)
    call = {"Authorization": f"Bearer {token.text}"}
    path = f"/api/v1/warbands/{warband.token}/"

    def change(tag: str, **fields: str) -> int:
        headers = {**call, "If-Match": tag}
        kind = "application/json"
        return client.patch(path, fields, kind, headers=headers).status_code

    # Long enough to be compressed.
    assert change("*", note="n" * COMPRESSED_FROM) == 200
    tag = client.get(path, headers={**call, **GZIP})["ETag"]
    assert tag.startswith('W/"')
    assert change(tag, name="Ferrymen") == 200
    assert change(tag, name="Ferrywomen") == 412
