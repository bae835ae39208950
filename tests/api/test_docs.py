"""The readable page: every operation, a true example with its true answer, nothing for axe to find."""

import html
import json

import pytest

from config.api.docs import EXAMPLE, example_answer, groups, pretty
from tests.api.operations import OPERATIONS
from tests.browser.looks import in_every_look, violations

DOCS = "/api/v1/docs/"


def test_example_has_no_error_and_one_finding(post):
    answer = post(EXAMPLE)
    assert answer.status_code == 200
    body = answer.json()
    assert [f["level"] for f in body["findings"]] == ["warning"]
    assert body["points"] <= EXAMPLE["points_limit"]
    assert json.loads(example_answer()) == body


def test_page_shows_the_example_its_answer_and_every_operation(program):
    answer = program.get(DOCS)
    assert answer.status_code == 200
    text = html.unescape(answer.content.decode())
    assert pretty(EXAMPLE) in text
    assert example_answer() in text
    assert {f"{o['method']} {o['path']}" for _, group in groups() for o in group} == set(
        OPERATIONS
    )
    assert all(f"<code>{label}</code>" in text for label in OPERATIONS)
    assert "600 calls a minute" in text


def test_page_names_every_key_of_the_document(program):
    text = program.get(DOCS).content.decode()
    for key in EXAMPLE:
        assert f"<code>{key}</code>" in text
    for key in ("profile", "name", "count", "leader", "options"):
        assert f"<code>warriors[].{key}</code>" in text


def test_pretty_json_is_the_same_json():
    assert json.loads(pretty(EXAMPLE)) == EXAMPLE
    assert json.loads(pretty({"empty": [], "name": "Flußwache"})) == {
        "empty": [],
        "name": "Flußwache",
    }


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@in_every_look
def test_axe_finds_nothing(page, live_server, scheme, width):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(live_server.url + DOCS)
    assert [(fault["id"], fault["help"]) for fault in violations(page)] == []
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
