"""Print-all: every table of a round in one document, made by a job that goes on from where it was
broken off.
"""

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from accounts.errors import NotAllowed, NotFound, Refusal
from accounts.owner import Owner
from campaigns import pdf
from campaigns.models import Fixture
from campaigns.models.rounds import PRINT_ROUND
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture
from campaigns.operations.rounds import (
    RoundDraft,
    add_round,
    print_round,
    publish_round,
    withdraw_round,
)
from jobs.models import Job
from jobs.queries import load_job
from jobs.runner import run_job
from jobs.storage import open_file
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_league
from tests.factories import make_person
from warbands.pdf.press import PdfFailed

pytestmark = pytest.mark.django_db
SITE = "https://rosters.example.org"
OnCommit = Callable[..., AbstractContextManager[Any]]


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.JOBS_DIR = tmp_path


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Four members with warbands and a guest: two tables and a bye."""
    league = make_league(players=4, guests=1, with_warbands=True)
    add_round(league.ask(), RoundDraft())
    draw_round(league.ask(), 1, seed="x")
    publish_round(league.ask(), 1)
    return league


def asked(league: League, actor: Owner | None = None, **fields: Any) -> str:
    return print_round(
        ChangeRequest(actor or league.organiser, league.token), 1, site=SITE, **fields
    )


def document(league: League, token: str) -> PdfReader:
    job = load_job(league.organiser, token)
    assert job is not None
    assert job.file, job.words
    with open_file(job.file) as file:
        return PdfReader(io.BytesIO(file.read()))


def texts(found: PdfReader) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in found.pages]


def test_every_table_stands_in_one_document(league, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        token = asked(league)
    job = load_job(league.organiser, token)
    assert job is not None
    assert (job.status, job.done, job.total) == ("done", 2, 2)
    found = document(league, token)
    firsts = [text for text in texts(found) if "Result slip" in text]
    tables = sorted(
        (row for row in league.fixtures(1) if row.other), key=lambda row: row.table or 0
    )
    for row, first in zip(tables, firsts, strict=True):
        assert row.other is not None
        assert f"Table {row.table}, Autumn league, Round 1" in first
        assert f"{row.one.name} against {row.other.name}" in first
    lines = [line.title for line in found.outline]
    assert lines == [
        f"Table {r.table}: {r.one.name} against {r.other.name}" for r in tables if r.other
    ]
    assert found.metadata is not None
    assert found.metadata.title == "Autumn league, Round 1: table packs"
    assert sum("Captain" in text for text in texts(found)) >= sum(
        row.one.warband_id is not None for row in tables
    )


def test_table_whose_battle_is_set_up_has_its_key_on_the_slip(league: League) -> None:
    row = next(row for row in league.fixtures(1) if row.other)
    open_fixture(league.ask(), row.token)
    battle = Fixture.objects.get(pk=row.pk).battle
    assert battle is not None
    token = asked(league)
    run_job(token)
    spelt = "-".join(battle.key[at : at + 4] for at in (0, 4, 8))
    slips = [text for text in texts(document(league, token)) if "Result slip" in text]
    assert [spelt in text for text in slips].count(True) == 1
    assert sum("hand this slip to an organiser" in text for text in slips) == 1


def test_job_that_was_broken_off_draws_only_what_is_missing(league, monkeypatch):
    real, drawings = pdf.pages_pdf, []

    def draw(*given: Any) -> bytes:
        drawings.append(given)
        if len(drawings) == 2:
            raise PdfFailed("Too many documents are being made at once.")
        return real(*given)

    monkeypatch.setattr(pdf, "pages_pdf", draw)
    token = asked(league)
    run_job(token)
    job = Job.objects.get(token=token)
    values = (job.status, job.done, job.words)
    assert values == ("waiting", 1, "Too many documents are being made at once.")
    Job.objects.filter(token=token).update(due_at=timezone.now())
    run_job(token)
    assert Job.objects.get(token=token).status == "done"
    assert len(drawings) == 3
    assert drawings[1] == drawings[2]
    assert (
        len([text for text in texts(document(league, token)) if "Result slip" in text]) == 2
    )


def test_asked_twice_it_is_one_job_and_each_organiser_has_their_own(league: League) -> None:
    assert asked(league) == asked(league)
    assert asked(league, paper="letter") != asked(league)


def test_round_withdrawn_meanwhile_ends_in_words(league: League) -> None:
    token = asked(league)
    withdraw_round(league.ask(), 1)
    Fixture.objects.filter(round__event=league.event).delete()
    run_job(token)
    job = load_job(league.organiser, token)
    assert job is not None
    assert (job.status, job.words) == ("failed", pdf.GONE)


def test_who_does_not_run_the_club_prints_nothing(league: League) -> None:
    with pytest.raises(NotAllowed):
        asked(league, league.player("Ada"))
    with pytest.raises(NotFound):
        asked(league, make_person())
    with pytest.raises(NotFound):
        print_round(league.ask(), 7, site=SITE)
    with pytest.raises(Refusal, match="a4 or letter"):
        asked(league, paper="a5")
    add_round(league.ask(), RoundDraft())
    with pytest.raises(Refusal, match="no tables to print"):
        print_round(league.ask(), 2, site=SITE)
    assert not Job.objects.filter(kind=PRINT_ROUND).exists()


def test_button_leads_to_the_job(league: League) -> None:
    url = reverse("round-print", args=[league.token, 1])
    answer = browser_of(league.organiser).post(url)
    job = Job.objects.get(kind=PRINT_ROUND)
    assert answer["Location"] == reverse("job-read", args=[job.token])
    assert job.payload["site"] == settings.SITE_URL
    assert browser_of(league.player("Ada")).post(url).status_code == 403
    assert browser_of(league.organiser).post(url, {"paper": "a5"}).status_code == 400
