"""A catalogue of another app, from its files to a list of a club and to a roster that is checked."""

import re
import sys
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Club
from accounts.owner import Owner
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from interchange import files
from interchange.files import ReadingLimits
from jobs.models import Job, JobStatus
from rulesdata import registry
from rulesdata.models import Army, SentCatalogue
from rulesdata.operations import sent_catalogues
from rulesdata.operations.sent_catalogues import forget_sent
from tests.factories import EMPIRE, SYSTEM, make_club, make_person, make_user
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogues import NAMES, packed
from tests.rulesdata.own_lists import COLLECTION, make_books

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def wardens(*changes: tuple[str, str]) -> SimpleUploadedFile:
    """The files of the game in a zip, texts of them replaced."""
    made = [(name, (MADE / name).read_text()) for name in NAMES]
    for old, new in changes:
        made = [(name, text.replace(old, new)) for name, text in made]
    return SimpleUploadedFile(
        "game.zip", packed(*((name, text.encode()) for name, text in made))
    )


@pytest.fixture
def club(client: Client, monkeypatch: pytest.MonkeyPatch) -> Club:
    # The job begins when the request is over.
    monkeypatch.setattr("rulesdata.views.content.WAIT_SECONDS", 0.0)
    user = make_user()
    make_books()
    client.force_login(user)
    return make_club(owner=make_person(user=user))


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Any) -> Any:
    return django_capture_on_commit_callbacks


@pytest.fixture
def send(client: Client, committed: Any) -> Any:
    def answer(club: Club, token: str = "", **fields: object) -> HttpResponse:
        parts = [club.slug, token] if token else [club.slug]
        name = "own-list-newer" if token else "own-list-catalogue"
        asked = {"may_use": "on", "collection": COLLECTION, **fields}
        with committed(execute=True):
            sent = client.post(reverse(name, args=parts), asked)
        if sent.status_code != 302 or "sign-in" in sent["Location"]:
            return sent
        row = SentCatalogue.objects.filter(club=club).latest("at")
        return client.get(reverse("catalogue-read", args=[club.slug, row.token]))

    return answer


def take(client: Client, club: Club, *ticked: str) -> HttpResponse:
    row = SentCatalogue.objects.filter(club=club).latest("at")
    address = reverse("catalogue-take", args=[club.slug, row.token])
    return client.post(address, {"take": ticked})


def make_list(client: Client, club: Club, send: Any, *ticked: str, **fields: object) -> str:
    send(club, file=wardens(), **fields)
    answer = take(client, club, *ticked)
    assert answer.status_code == 302, answer.content.decode()
    return str(Army.objects.get(club=club).token)


def test_files_are_previewed_and_nothing_is_stored(club: Club, send: Any) -> None:
    page = send(club, file=wardens()).content.decode()
    assert "The Wardens" in page
    assert "4 units" in page
    assert "it leads to nothing in these files" in page
    assert "Choices of a campaign: Experience: 1" in page
    assert "somebody else" not in page
    assert not Army.objects.filter(club=club).exists()


def test_a_list_made_of_a_catalogue_checks_rosters(client, club, send):
    token = make_list(client, club, send)
    page = client.get(reverse("own-list", args=[club.slug, token])).content.decode()
    assert "Lamp Captain" in page
    army = registry.load_army(SYSTEM, token)
    gang = Roster("Gang", SYSTEM, token, warriors=(RosterEntry("lamplighters", count=6),))
    codes = [one.code for one in check(gang, registry.load_system(SYSTEM), army)]
    assert codes.count("list.minimum") == 1
    assert codes.count("list.maximum") == 1
    assert take(client, club).status_code == 302  # sent twice is one list
    assert Army.objects.filter(club=club).count() == 1


# The files, and who sent them


@pytest.mark.parametrize("content", [None, b"<a"])
def test_files_are_deleted_once_they_are_read(club, send, content):
    file = SimpleUploadedFile("a.cat", content) if content else wardens()
    send(club, file=file)
    row = SentCatalogue.objects.get(club=club)
    assert row.files is None
    assert "files" not in row.wishes
    assert ("report" in row.outcome) == (content is None)


@pytest.mark.usefixtures("in_a_process")
def test_a_long_reading_gives_signs_of_life(club, send, monkeypatch):
    monkeypatch.setattr(files, "SIGN_SECONDS", 0.01)
    assert "4 units" in send(club, file=wardens()).content.decode()


@pytest.mark.usefixtures("in_a_process")
def test_a_job_that_breaks_keeps_no_files(club, send, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere")
    page = send(club, file=wardens()).content.decode()
    row = SentCatalogue.objects.get(club=club)
    assert row.files is None
    assert Job.objects.get(token=row.job).status == JobStatus.FAILED
    assert "reading them was stopped" in page


@pytest.mark.usefixtures("in_a_process")
@pytest.mark.parametrize("module, limit, least, sentence", [
    (files, "MEMORY_BYTES", 1, "takes more than 0 MB"),
    (sent_catalogues, "LIMITS", ReadingLimits(0, "files", ""), "more than 0 seconds"),
])  # fmt: skip
def test_a_reading_beyond_its_limits_is_refused(
    club, send, monkeypatch, module, limit, least, sentence
):
    monkeypatch.setattr(module, limit, least)
    # More than any process has left of what it began with.
    large = SimpleUploadedFile("large.cat", b"<catalogue>" + b" " * 3_000_000)
    assert sentence in send(club, file=large).content.decode()


def test_files_of_a_stopped_job_are_deleted(client: Client, club: Club) -> None:
    # Nothing is committed here, so that the job waits.
    asked = {"may_use": "on", "collection": COLLECTION, "file": wardens()}
    client.post(reverse("own-list-catalogue", args=[club.slug]), asked)
    row = SentCatalogue.objects.get(club=club)
    assert row.files is not None
    work: Any = None
    forget_sent(work)
    assert SentCatalogue.objects.get(pk=row.pk).files is not None
    client.post(reverse("job-stop", args=[row.job]))
    forget_sent(work)
    assert SentCatalogue.objects.get(pk=row.pk).files is None
    SentCatalogue.objects.update(at=timezone.now() - timedelta(days=2))
    forget_sent(work)
    assert not SentCatalogue.objects.exists()


def test_who_confirmed_is_kept_with_the_list(client: Client, club: Club, send: Any) -> None:
    token = make_list(client, club, send)
    row = SentCatalogue.objects.get(army__token=token)
    address = reverse("own-list-report", args=[club.slug, token])
    page = client.get(address).content.decode()
    assert f"{row.author} confirmed on" in page
    assert (
        address in client.get(reverse("own-list", args=[club.slug, token])).content.decode()
    )


def test_one_reading_at_a_time_and_twenty_a_day(client, club, monkeypatch):
    address = reverse("own-list-catalogue", args=[club.slug])

    def post() -> HttpResponse:
        asked = {"may_use": "on", "collection": COLLECTION, "file": wardens()}
        return client.post(address, asked)

    first = post()
    assert "/jobs/" in first["Location"]
    assert "has other files being read" in post().content.decode()
    Job.objects.update(status=JobStatus.CANCELLED)
    monkeypatch.setattr(sent_catalogues, "READINGS_MAX", 1)
    # What was only looked at does not count, but its time does.
    assert "/jobs/" in post()["Location"]
    Job.objects.update(status=JobStatus.CANCELLED)
    SentCatalogue.objects.update(outcome={"seconds": 600.0})
    assert "20 minutes of the processor" in post().content.decode()
    SentCatalogue.objects.update(outcome={"seconds": 599.0})
    SentCatalogue.objects.filter(pk=SentCatalogue.objects.latest("pk").pk).update(
        taken_at=timezone.now()
    )
    assert "has taken 1 catalogues in a day" in post().content.decode()


# Newer versions


def test_a_newer_version_leads_to_warbands_that_paid_older_prices(client, club, send):
    token = make_list(client, club, send)
    newer = wardens(('value="60"/>', 'value="45"/>'))
    page = send(club, token, file=newer).content.decode()
    assert "Lamp Captain, 45 gc" in page
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].points == 60
    prices = reverse("content-prices", args=[club.slug, token])
    assert take(client, club).headers["Location"] == prices
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].points == 45


def test_a_renamed_unit_stays_the_same_unit(client: Client, club: Club, send: Any) -> None:
    token = make_list(client, club, send)
    newer = wardens(('name="Lamp Captain"', 'name="Lamp Marshal"'))
    send(club, token, file=newer)
    take(client, club)
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].name == "Lamp Marshal"


@pytest.mark.parametrize("ticked, points", [((), 55), (("lamp-captain",), 45)])
def test_what_the_club_changed_stays_unless_it_is_ticked(
    client: Client, club: Club, send: Any, ticked: tuple[str, ...], points: int
) -> None:
    token = make_list(client, club, send)
    address = reverse("own-list-file", args=[club.slug, token])
    file = client.get(address).content.decode().replace("points: 60", "points: 55", 1)
    client.post(reverse("own-list-replace", args=[club.slug, token]), {"text": file})
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].points == 55
    changes = ('value="60"/>', 'value="45"/>'), ('name="Owl Keepers"', 'name="Owlers"')
    page = send(club, token, file=wardens(*changes)).content.decode()
    assert "Units that your club has changed" in page
    assert "Your version stays" in page
    take(client, club, *ticked)
    profiles = registry.load_army(SYSTEM, token).profiles
    assert profiles["lamp-captain"].points == points
    assert "Owlers: Keeper" in {one.name for one in profiles.values()}
    # What stayed is still the club's own at the next reading.
    again = send(club, token, file=wardens(*changes)).content.decode()
    assert ("Units that your club has changed" in again) == (not ticked)


def test_a_list_that_changed_meanwhile_is_not_overwritten(client, club, send):
    token = make_list(client, club, send)
    send(club, token, file=wardens(('value="60"/>', 'value="45"/>')))
    edit = {"name": "Wardens of the quay", "note": ""}
    client.post(reverse("own-list-edit", args=[club.slug, token]), edit)
    page = client.get(take(client, club)["Location"]).content.decode()
    assert "Somebody changed this list after the files were read" in page
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].points == 60


# Over an army


@pytest.mark.parametrize("ticked, points", [((), None), (("captain",), 60)])
def test_units_take_an_armys_place_only_where_they_are_ticked(
    client: Client, club: Club, send: Any, ticked: tuple[str, ...], points: int | None
) -> None:
    printed = registry.load_army(SYSTEM, EMPIRE).profiles["captain"]
    named = ('name="Lamp Captain"', f'name="{printed.name}"')
    page = send(
        club, file=wardens(named), collection=f"{COLLECTION}/{EMPIRE}"
    ).content.decode()
    assert f"<td>{printed.points}</td><td>60</td>" in page
    assert page.count('name="take"') == 1
    take(client, club, *ticked)
    token = str(Army.objects.get(club=club).token)
    found = registry.load_army(SYSTEM, token).profiles
    assert found["captain"].points == (points or printed.points)
    assert {"halberdiers", "lamplighters"} <= set(found)
    # What took no place before takes none when the same files come again.
    again = send(club, token, file=wardens(named)).content.decode()
    assert "Your version stays" not in again
    assert again.count('name="take"') == (0 if ticked else 1)


# What is wrong


def test_what_is_wrong_is_said_beside_its_field(club: Club, send: Any) -> None:
    whole = SimpleUploadedFile("w.cat", (MADE / NAMES[2]).read_bytes())
    for fields, sentence in (
        ({"file": SimpleUploadedFile("a.cat", b"<a")}, "is malformed in line 1"),
        ({"file": whole}, "these are missing: “Armoury”, “the game system (.gst)”"),
    ):
        assert sentence in send(club, **fields).content.decode()
    page = send(club, may_use="", collection="nonsense").content.decode()
    assert "choose 1 to 10 files" in page
    assert "choose one of the list" in page
    assert ">Our club may use these files here</a>: Confirm that" in page
    assert not Army.objects.filter(club=club).exists()


def test_a_newer_version_begins_with_the_choices_of_the_last(client, club, send):
    names = [*NAMES, "lantern-hands.cat"]
    files = [SimpleUploadedFile(name, (MADE / name).read_bytes()) for name in names]
    send(club, file=files, catalogue="The Wardens (1a)", also="Night Hands")
    take(client, club)
    token = Army.objects.get(club=club).token
    address = reverse("own-list-newer", args=[club.slug, token])
    page = client.get(address).content.decode()
    assert '<option value="The Wardens (1a)" selected>' in page
    assert re.search(r'value="Night Hands"[^>]* checked', page)
    # Who may use the files is confirmed for each of them.
    assert not re.search(r'name="may_use"[^>]* checked', page)


def test_the_report_is_filtered_by_unit(client: Client, club: Club, send: Any) -> None:
    token = make_list(client, club, send)
    address = reverse("own-list-report", args=[club.slug, token])
    found = client.get(f"{address}?unit=owl").content.decode()
    assert "Owl Keepers: Keeper, 25 gc" in found
    assert "The catalogue says 7.5" in found
    assert "Lamplighters, 20 gc" not in found
    assert "Show all units" in found
    assert "No unit of this name" in client.get(f"{address}?unit=zq").content.decode()


@pytest.mark.parametrize("asked", ["The Wardens (1a)", ""])
def test_a_renamed_catalogue_is_found_by_its_id(client, club, send, asked):
    names = [*NAMES, "lantern-hands.cat"]
    texts = {name: (MADE / name).read_text() for name in names}
    files = [SimpleUploadedFile(name, one.encode()) for name, one in texts.items()]
    send(club, file=files, catalogue="The Wardens (1a)")
    take(client, club)
    token = Army.objects.get(club=club).token
    newer = [
        SimpleUploadedFile(
            name, one.replace("The Wardens (1a)", "Wardens of the Lamp").encode()
        )
        for name, one in texts.items()
    ]
    page = send(club, token, file=newer, catalogue=asked).content.decode()
    assert "from Wardens of the Lamp" in page
    assert "Save changes" in page


def test_limits_and_prices_stand_on_the_list_and_in_its_report(client, club, send):
    preview = send(club, file=wardens()).content.decode()
    assert "2 limits" in preview
    token = make_list(client, club, send)
    page = client.get(reverse("own-list", args=[club.slug, token])).content.decode()
    for said in (preview, page):
        assert "<li>Lamp Captain: exactly 1</li><li>Lamplighters: at most 5</li>" in said
    assert "Prices in gold crowns" in page
    assert "Second price: Standing" in page
    assert "Usual limit: 500 gc" in page
    unit = reverse("own-profile", args=[club.slug, token, "lamplighters"])
    assert "Fewer than the list needs" not in client.get(unit).content.decode()


def test_the_page_of_a_job_leads_on_to_what_was_read(client, club, send):
    send(club, file=SimpleUploadedFile("a.cat", b"<a"))
    sent = SentCatalogue.objects.get(club=club)
    found = reverse("catalogue-read", args=[club.slug, sent.token])
    here = reverse("job-read", args=[sent.job])
    assert client.get(here)["Location"] == found
    assert client.get(here, headers={"HX-Request": "true"})["HX-Redirect"] == found


def test_several_catalogues_are_offered_to_choose_from(client, club, send):
    names = [*NAMES, "lantern-hands.cat"]
    files = [SimpleUploadedFile(name, (MADE / name).read_bytes()) for name in names]
    page = send(club, file=files).content.decode()
    assert "choose which of these becomes the list" in page
    assert '<option value="Night Hands">' in page
    again = f"?again={SentCatalogue.objects.get(club=club).token}"
    address = reverse("own-list-catalogue", args=[club.slug]) + again
    assert "Night Hands" in client.get(address).content.decode()
    for file in files:
        file.seek(0)
    chosen = {"catalogue": "The Wardens (1a)", "also": "Night Hands"}
    page = send(club, file=files, **chosen).content.decode()
    assert "Create list" in page


def test_only_organisers_of_the_club_may(client: Client, club: Club, send: Any) -> None:
    send(club, file=wardens())
    row = SentCatalogue.objects.get(club=club)
    other = make_club()
    assert send(other, file=wardens()).status_code == 404
    theirs = make_club(owner=Owner(user_id=row.author_id))
    elsewhere = reverse("catalogue-read", args=[theirs.slug, row.token])
    assert client.get(elsewhere).status_code == 404
    client.logout()
    assert take(client, club).status_code == 302
    assert not Army.objects.filter(token__isnull=False).exists()


# Commands


def test_the_command_prints_the_report(tmp_path: Path) -> None:
    file = tmp_path / "game.zip"
    file.write_bytes(wardens().read())
    out = StringIO()
    call_command("read_catalogue", file, collection=COLLECTION, stdout=out)
    assert "Lamp Captain: 60 gc, 10 options" in out.getvalue()
    assert "to check: Owl Keepers: Owl: Price" in out.getvalue()
    with pytest.raises(CommandError, match="these are missing"):
        call_command("read_catalogue", MADE / NAMES[2], collection=COLLECTION)


def test_the_staff_archive_and_delete_a_list(client: Client, club: Club, send: Any) -> None:
    token = make_list(client, club, send)
    call_command("forget_list", token, "--retire", stdout=StringIO())
    assert Army.objects.get(token=token).retired_at is not None
    call_command("forget_list", token, stdout=StringIO())
    assert not Army.objects.filter(token=token).exists()
    assert not SentCatalogue.objects.filter(taken_at__isnull=False).exists()
    with pytest.raises(CommandError, match="no list of this key"):
        call_command("forget_list", token)
