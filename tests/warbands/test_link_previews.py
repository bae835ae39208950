"""What a chat shows of a link, and what is handed out of a shared warband."""

import io

import pytest
from django.core.cache import caches
from django.urls import reverse
from PIL import Image

from campaigns.models import ClubEvent
from tests.campaigns.leagues import make_league
from tests.factories import make_legal_warband, make_person
from warbands.models import Warband

pytestmark = pytest.mark.django_db


def size_of(png: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(png)) as picture:
        return picture.size


@pytest.mark.parametrize(
    "visibility,status", [("private", 404), ("club", 404), ("link", 200)]
)
def test_picture_of_a_warband_is_there_while_its_link_is_on(client, visibility, status):
    warband = make_legal_warband(actor=make_person(), name="Wolfenburg Watch")
    Warband.objects.update(visibility=visibility)
    answer = client.get(reverse("warband-preview", args=[warband.token]))
    assert answer.status_code == status
    if status == 200:
        assert answer["Content-Type"] == "image/png"
        assert size_of(answer.content) == (1200, 630)
        Warband.objects.update(visibility="private")
        assert client.get(answer.wsgi_request.path).status_code == 404


def test_page_of_a_shared_warband_says_what_a_chat_may_show(client, settings):
    warband = make_legal_warband(actor=make_person(), name="A <b>", visibility="link")
    page = client.get(reverse("warband-read", args=[warband.token])).content.decode()
    address = settings.SITE_URL + reverse("warband-preview", args=[warband.token])
    assert f'property="og:image" content="{address}"' in page
    assert 'property="og:title" content="A &lt;b&gt;"' in page


def test_pictures_are_kept_and_new_ones_are_rationed(client, monkeypatch):
    warband = make_legal_warband(actor=make_person(), visibility="link")
    address = reverse("warband-preview", args=[warband.token])
    caches["documents"].clear()
    monkeypatch.setattr("warbands.views.sheets.may_print", lambda request: False)
    assert client.get(address).status_code == 429
    monkeypatch.setattr("warbands.views.sheets.may_print", lambda request: True)
    assert client.get(address).status_code == 200
    monkeypatch.setattr("warbands.views.sheets.may_print", lambda request: False)
    assert client.get(address).status_code == 200


def test_picture_of_an_event_follows_who_may_read_it(client):
    league = make_league(players=4, visibility="public")
    address = reverse("event-preview", args=[league.event.token])
    answer = client.get(address)
    assert size_of(answer.content) == (1200, 630)
    assert "og:image" in client.get(f"/leagues/{league.event.token}/").content.decode()
    ClubEvent.objects.update(visibility="club")
    assert client.get(address).status_code == 404


def test_copy_for_discord_has_bold_names_and_no_table(client):
    warband = make_legal_warband(actor=make_person(), name="*Wolf*", visibility="link")
    text = client.get(reverse("roster-discord", args=[warband.token])).content.decode()
    lines = text.splitlines()
    assert lines[0] == r"**\*Wolf\***"
    assert all(line.startswith("**") for line in lines[2:-1])
    assert "|" not in text
    assert lines[-1].startswith("<http")


def test_sitemap_names_public_pages_only(client):
    public = make_league(players=2, visibility="public").event
    hidden = make_league(players=2, visibility="link").event
    warband = make_legal_warband(actor=make_person(), visibility="public")
    text = client.get("/sitemap.xml").content.decode()
    assert public.token in text
    assert hidden.token not in text
    assert warband.token not in text
    assert "/rules/warhammer-skirmish/armies/the-empire/" in text
