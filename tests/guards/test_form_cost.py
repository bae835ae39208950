"""R36: every text, list and file of a form at ten times its limit is refused before a lock is taken,
in a short answer.

The fields are found in the forms of the pages.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile

from config import middleware
from tests.guards.cast import World
from tests.guards.forms import Form
from tests.guards.watching import fault_of, locks_taken, taken_back

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

TEXT = "x" * 10 * middleware.FIELD_MAX
DOCUMENT = "x" * 10 * 1_048_576
DOCUMENTS = {"warband-import text", "own-list-upload text", "own-list-replace text"}
FILE = b"x" * 10 * 1_048_576
PAGE = 160_000  # bytes; a page with a form
LIST = ["x"] * 1_900  # more fields than 2,000 are refused by Django


def too_much_for(form: Form) -> Iterator[tuple[str, Any]]:
    for control in form.sorts():
        if control.kind == "file":
            yield control.name, SimpleUploadedFile("x", FILE)
            continue
        is_document = f"{form.route} {control.name}" in DOCUMENTS
        yield control.name, DOCUMENT if is_document else TEXT
        yield f"{control.name}, many", LIST


def form_faults(world: World, form: Form) -> Iterator[tuple[str, str]]:
    """What was sent in one form, and what is wrong with its answer."""
    client = world.cast[form.who].client()
    for name, value in too_much_for(form):
        sent = {**form.filled(), name.partition(",")[0]: value}
        cache.clear()  # or a message of the form before would be shown, and its session saved
        with taken_back(), locks_taken() as locks:
            answer = client.post(form.url, sent)
        fault = fault_of(answer, locks)
        if value is LIST:
            # Of a field that is no list the last value counts, and the page may be a large one.
            fault = "" if answer.status_code < 500 and len(answer.content) < PAGE else fault
        yield name, fault


def test_too_much_in_a_form_is_refused_early(world, found, share):
    faults, sent = [], 0
    for form in share([form for form in found.values() if form.method == "post"], 13):
        for name, fault in form_faults(world, form):
            sent += 1
            faults += [f"{form.route} {name}: {fault}"] if fault else []
    assert sent > 20
    assert not faults, "\n".join(faults)


def test_control_a_text_of_any_length_falls(world, found, monkeypatch):
    monkeypatch.setattr(middleware, "FIELD_MAX", 10**9)
    faults = dict(form_faults(world, found["warband-new post"]))
    assert "an answer of" in faults["name"]
