"""Pages of a list whose stat lines have columns of their own: the club's, the roster's, paper."""

import io
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from accounts.models import Club, User
from rulesdata.models import Army
from tests.factories import make_person, make_warband, make_warrior
from tests.foreign.test_catalogue_pages import (  # noqa: F401  (fixtures)
    club,
    committed,
    send,
    take,
)
from tests.foreign.test_own_columns import KEYS, texts
from warbands.models import Warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
EEL_CATCHER = "eel-catcher"


@pytest.fixture
def token(client: Client, club: Club, send: Any) -> str:  # noqa: F811  (fixtures)
    """A list of a club, made of the Fen."""
    files = [SimpleUploadedFile(name, one.encode()) for name, one in texts().items()]
    assert "Eel Catcher, 12" in send(club, file=files).content.decode()
    assert take(client, club).status_code == 302
    return str(Army.objects.get(club=club).token)


@pytest.fixture
def warband(token: str) -> Warband:
    """Two eel catchers of whoever is signed in."""
    actor = make_person(user=User.objects.get())
    made = make_warband(actor=actor, army=token)
    make_warrior(warband=made, profile=EEL_CATCHER, count=2)
    return made


def columns_on(page: str) -> list[str]:
    """The columns that head a table or a row of figures of a page, in its order."""
    heads = re.findall(r"<(?:th|dt|span|b|label)[^>]*>\s*([A-Z][a-z]{2,3})\s*<", page)
    return list(dict.fromkeys(one for one in heads if one in KEYS))


def test_the_club_sees_its_columns(client: Client, club: Club, token: str) -> None:  # noqa: F811
    for name in ("own-profile", "own-profile-edit"):
        page = client.get(reverse(name, args=[club.slug, token, EEL_CATCHER]))
        assert columns_on(page.content.decode()) == list(KEYS), name


def test_a_warband_is_built_shown_and_printed_with_them(client, warband):
    for address in ("", "sheet/", "sheet/cards/"):
        page = client.get(f"/warbands/{warband.token}/{address}").content.decode()
        assert columns_on(page) == list(KEYS), address
    pdf = client.get(f"/warbands/{warband.token}/sheet.pdf")
    assert pdf.status_code == 200
    text = PdfReader(io.BytesIO(pdf.content)).pages[0].extract_text()
    assert all(key in text for key in KEYS)
    assert client.get(f"/warbands/{warband.token}/roster.md").status_code == 200
