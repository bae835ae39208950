"""Rule books may be stored by caches and read by pages of other sites, and are validated by ETag."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Scope
from tests.api.operations import SCHEMA
from tests.api.refusals import bearer
from tests.factories import SYSTEM, make_person

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SHARED = "public, no-cache"
PRIVATE = "private, no-store"


@pytest.fixture
def addresses(program: Client, loaded_books: None) -> list[str]:
    """Every address of the rule books."""
    paths = program.get(SCHEMA).json()["paths"]
    books = [
        path.replace("{key}", SYSTEM)
        for path, methods in paths.items()
        if methods.get("get", {}).get("tags") == ["rule books"]
    ]
    assert len(books) == 11
    return books


def test_rule_books_are_the_same_for_everybody_and_may_be_stored(program, addresses):
    token = bearer(make_person(), Scope.values)
    for address in addresses:
        answers = [program.get(address, headers=sent) for sent in ({}, token)]
        for answer in answers:
            assert answer.status_code == 200
            assert answer["Cache-Control"] == SHARED
            assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
            assert "Cookie" not in answer.get("Vary", "")
            assert not answer.cookies
        assert answers[0].content == answers[1].content
        assert answers[0]["ETag"] == answers[1]["ETag"] == program.head(address)["ETag"]


def test_rule_book_that_was_read_is_not_sent_again(program, addresses):
    for address in addresses:
        etag = program.get(address)["ETag"]
        for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
            answer = program.get(address, headers={"If-None-Match": known})
            assert (answer.status_code, answer.content) == (304, b"")
            assert answer["ETag"] == etag
            assert answer["Cache-Control"] == SHARED
            assert answer["RateLimit-Remaining"].isdigit()
        for known in ("", '"other"', "nonsense"):
            sent = {"If-None-Match": known, "If-Match": '"other"'}
            assert program.get(address, headers=sent).status_code == 200
    pages = [program.get(f"/api/v1/profiles/?page={page}")["ETag"] for page in (1, 2)]
    assert pages[0] != pages[1]


def test_refusals_and_other_answers_are_not_stored(program, addresses):
    wrong = {"Authorization": "Bearer nonsense", "If-None-Match": "*"}
    answers: list[Any] = [program.get(one, headers=wrong) for one in addresses]
    answers += [program.get(f"{one}?nothing=1") for one in addresses]
    answers += [program.options(one) for one in addresses]
    answers += [program.get("/api/v1/systems/chess/"), program.get("/api/v1/site/")]
    for answer in answers:
        assert answer["Cache-Control"] == PRIVATE
        assert not answer.has_header("ETag")


def test_page_of_another_site_may_validate_what_it_read(program, addresses):
    sent = {
        "Origin": "https://elsewhere.example.org",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "if-none-match",
    }
    for address in addresses:
        assert "ETag" in program.get(address, headers=sent)["Access-Control-Expose-Headers"]
        allowed = program.options(address, headers=sent)["Access-Control-Allow-Headers"]
        assert "if-none-match" in allowed
    for private in ("/api/v1/clubs/", "/api/v1/campaign-rules/", "/rules/"):
        answer = program.get(private, headers=sent)
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer["Cache-Control"] == PRIVATE
