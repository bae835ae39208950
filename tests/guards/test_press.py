"""R16, R41: whatever answers with a PDF does so from a place in the queue, and counts as paper.

The addresses are found: every route that ends in ``.pdf``, and every endpoint that declares one.
"""

from collections.abc import Iterator

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts import requests
from config.api.docs import EXAMPLE
from tests.guards.cast import World
from tests.guards.pages import pages_of
from warbands.pdf import press

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SHEET = "/api/v1/sheet/"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> press.Press:
    """A press that stands still, with two places, and no limit for an address."""
    still = press.Press(printers=1, places=2)

    def write(pages: press.Pages, paper: str) -> bytes:
        return b"%PDF-" if still.places._value < 2 else b"outside"

    monkeypatch.setattr(press, "own_press", lambda: still)
    monkeypatch.setattr(press, "write", write)
    monkeypatch.setattr(requests, "PRINT_RATES", {"pdf": "100000/5m/ip"})
    return still


def printed(world: World) -> Iterator[tuple[str, HttpResponse]]:
    """The answer of each address that prints, asked now."""
    client: Client = world.cast["owner"].client()
    for page in pages_of(world):
        answer = client.get(page.url) if page.url.endswith(".pdf") else None
        # The lists of a draft round are nobody's to read.
        if answer is not None and answer.status_code != 404:
            yield page.url, answer
    yield SHEET, client.post(SHEET, EXAMPLE, content_type="application/json")


def test_every_document_is_drawn_from_a_place_in_the_queue(world, quick):
    answers = dict(printed(world))
    assert len(answers) >= 6
    drawn = {url: answer.content for url, answer in answers.items()}
    assert set(drawn.values()) == {b"%PDF-"}, drawn
    assert quick.places._value == 2


def test_every_document_is_refused_when_the_queue_is_full(world, quick):
    with quick.places, quick.places:
        for url, answer in printed(world):
            assert answer.status_code == 503, url
            assert answer.headers["Retry-After"] == "10", url
            assert "Too many documents" in answer.content.decode(), url


def test_every_document_counts_for_its_address(world, quick, monkeypatch):
    monkeypatch.setattr(requests, "PRINT_RATES", {"pdf": "1/5m/ip"})
    asked = list(printed(world))
    assert asked[0][1].status_code == 200
    for url, answer in asked[1:]:
        assert answer.status_code == 429, url
        assert answer.headers["Retry-After"] == "300", url
        assert "Too many documents" in answer.content.decode(), url
