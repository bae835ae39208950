"""A catalogue of another app, from its files to a list of a club and to a roster that is checked."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import Club
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from rulesdata import registry
from rulesdata.models import Army
from tests.factories import SYSTEM, make_club, make_person, make_user
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogues import NAMES, packed
from tests.rulesdata.own_lists import COLLECTION, make_books

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def wardens(old: str = "", new: str = "") -> SimpleUploadedFile:
    """The files of the game in a zip, a text of them replaced."""
    made = [(name, (MADE / name).read_text()) for name in NAMES]
    changed = [(name, text.replace(old, new).encode()) for name, text in made]
    return SimpleUploadedFile("game.zip", packed(*changed))


@pytest.fixture
def club(client: Client) -> Club:
    user = make_user()
    make_books()
    client.force_login(user)
    return make_club(owner=make_person(user=user))


def send(client: Client, club: Club, token: str = "", **fields: object) -> HttpResponse:
    parts = [club.slug, token] if token else [club.slug]
    name = "own-list-newer" if token else "own-list-catalogue"
    asked = {"may_use": "on", "collection": COLLECTION, **fields}
    return client.post(reverse(name, args=parts), asked)  # type: ignore[return-value]


def held_of(answer: HttpResponse) -> str:
    found = re.search(r'name="held" value="([^"]+)"', answer.content.decode())
    assert found, answer.content.decode()
    return found[1]


def make_list(client: Client, club: Club) -> str:
    held = held_of(send(client, club, file=wardens()))
    answer = send(client, club, held=held)
    assert answer.status_code == 302, answer.content.decode()
    return str(Army.objects.get(club=club).token)


def test_files_are_previewed_and_nothing_is_stored(client: Client, club: Club) -> None:
    page = send(client, club, file=wardens()).content.decode()
    assert "The Wardens" in page
    assert "4 units" in page
    assert "it leads to nothing in these files" in page
    assert "Choices of a campaign: Experience: 1" in page
    assert "somebody else" not in page
    assert not Army.objects.filter(club=club).exists()


def test_a_list_made_of_a_catalogue_checks_rosters(client: Client, club: Club) -> None:
    token = make_list(client, club)
    page = client.get(reverse("own-list", args=[club.slug, token])).content.decode()
    assert "Lamp Captain" in page
    army = registry.load_army(SYSTEM, token)
    gang = Roster("Gang", SYSTEM, token, warriors=(RosterEntry("lamplighters", count=6),))
    codes = [one.code for one in check(gang, registry.load_system(SYSTEM), army)]
    assert codes.count("list.minimum") == 1
    assert codes.count("list.maximum") == 1


def test_a_newer_version_shows_what_changes(client: Client, club: Club) -> None:
    token = make_list(client, club)
    same = send(client, club, token, file=wardens()).content.decode()
    assert "the files say what the list says" in same
    answer = send(client, club, token, file=wardens('value="60"/>', 'value="45"/>'))
    page = answer.content.decode()
    assert "Lamp Captain: 60 → 45" in page
    assert page.count("→") == 1
    assert send(client, club, token, held=held_of(answer)).status_code == 302
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].points == 45


def test_a_renamed_unit_stays_the_same_unit(client: Client, club: Club) -> None:
    token = make_list(client, club)
    newer = wardens('name="Lamp Captain"', 'name="Lamp Marshal"')
    answer = send(client, club, token, file=newer)
    assert "Lamp Captain is now called Lamp Marshal" in answer.content.decode()
    send(client, club, token, held=held_of(answer))
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].name == "Lamp Marshal"


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({"may_use": ""}, "Confirm that your club may use these files here."),
        ({}, "choose 1 to 10 files"),
        ({"file": SimpleUploadedFile("a.cat", b"<a")}, "is malformed in line 1"),
        (
            {"file": SimpleUploadedFile("w.cat", (MADE / NAMES[2]).read_bytes())},
            "these are missing: “Armoury”, “the game system (.gst)”",
        ),
        ({"held": "nonsense"}, "more than a day old"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(
    client: Client,
    club: Club,
    fields: dict[str, object],
    sentence: str,
) -> None:
    answer = send(client, club, **fields)
    assert sentence in answer.content.decode()
    assert not Army.objects.filter(club=club).exists()


def test_only_organisers_of_the_club_may(client: Client, club: Club) -> None:
    held = held_of(send(client, club, file=wardens()))
    other = make_club()
    assert send(client, other, held=held).status_code == 404
    client.logout()
    assert send(client, club, held=held).status_code == 302
    assert not Army.objects.filter(token__isnull=False).exists()


def test_the_command_prints_the_report(tmp_path: Path) -> None:
    file = tmp_path / "game.zip"
    file.write_bytes(wardens().read())
    out = StringIO()
    call_command("read_catalogue", file, collection=COLLECTION, stdout=out)
    assert "Lamp Captain: 60 gc, 10 options" in out.getvalue()
    assert "to check: Owl Keepers: Owl: Price" in out.getvalue()
    with pytest.raises(CommandError, match="these are missing"):
        call_command("read_catalogue", MADE / NAMES[2], collection=COLLECTION)
