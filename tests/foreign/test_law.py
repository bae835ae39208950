"""What is kept of a catalogue are names and figures: no text of its files is stored or shown."""

import re
from itertools import count
from typing import Any

import pytest
from django.apps import apps
from django.core import serializers
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from accounts.models import Club
from rulesdata.models import Army
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogue_pages import (  # noqa: F401  (fixtures)
    club,
    committed,
    make_list,
    send,
    take,
    wardens,
)
from tests.foreign.test_catalogues import NAMES, packed

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

WORDS = "The lamp must never go out, and whoever carries it walks first into the dark. " * 3
NOTES = "A remark of whoever made these files, about what they thought of it. " * 3
# Long texts where files have theirs: of rules, of profiles, and notes to themselves.
TEXTS = (
    ("</readme>", f"{NOTES}</readme>"),
    ("</description>", f"{WORDS}</description>"),
    ("</characteristic>", f"</characteristic><!-- {NOTES} -->"),
    ("<sharedProfiles>", f"<comment>{NOTES}</comment><sharedProfiles>"),
)


def whole_database() -> str:
    models = [one for one in apps.get_models() if one._meta.managed]
    rows = (serializers.serialize("json", one._default_manager.all()) for one in models)
    return "\n".join(rows)


def test_no_text_of_the_files_is_stored(
    client: Client,
    club: Club,  # noqa: F811  (a fixture)
    send: Any,  # noqa: F811
) -> None:
    made = "".join((MADE / name).read_text() for name in NAMES)
    assert all(old in made for old, _ in TEXTS)
    page = send(club, file=wardens(*TEXTS)).content.decode()
    read = whole_database()
    make_list(client, club, send)
    send(club, file=wardens(*TEXTS))
    stored = read + whole_database()
    for words in (WORDS[:40], NOTES[:40], "Words about the game"):
        assert words not in page
        assert words not in stored
    assert "Lamp Captain" in stored
    assert connection.vendor


def test_a_name_that_is_a_text_is_cut(club: Club, send: Any) -> None:  # noqa: F811
    long = "Lamp " * 50
    send(club, file=wardens(('name="Lamp Captain"', f'name="{long}"')))
    stored = whole_database()
    assert "Lamp Lamp" in stored
    assert ("Lamp " * 25)[:121] not in stored


def test_nothing_of_the_files_is_longer_than_a_name(
    client: Client,
    club: Club,  # noqa: F811  (a fixture)
    send: Any,  # noqa: F811
) -> None:
    # Each name and each figure of the files becomes a text of 600 signs, and none says another's.
    numbers = count(100)

    def told(found: re.Match[str]) -> str:
        return f"{found[1]}{found[2]} {f'zq{next(numbers)}' * 120}{found[3]}"

    made = []
    for name in NAMES:
        text = re.sub(r'( name=")([^"]*)(")', told, (MADE / name).read_text())
        text = re.sub(r"(<characteristic [^>]*>)([^<]*)(<)", told, text)
        made.append((name, text.encode()))
    page = send(club, file=SimpleUploadedFile("game.zip", packed(*made))).content.decode()
    assert take(client, club).status_code == 302
    token = Army.objects.get(club=club).token
    pages = [page]
    for address in ("", "file/", "report/"):
        answer = client.get(f"/rules/clubs/{club.slug}/lists/{token}/{address}")
        assert answer.status_code == 200
        pages.append(answer.content.decode())
    texts = re.findall(r"(?:zq\d{3})+", "".join([whole_database(), *pages]))
    assert texts
    assert max(len(one) for one in texts) <= 120
