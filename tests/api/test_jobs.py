"""Jobs for programs: how far they are, and the file they made."""

from collections.abc import Callable

import pytest
from django.conf import settings

from accounts.owner import Owner
from campaigns.models.rounds import PRINT_ROUND
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from jobs import storage
from jobs.models import Job
from jobs.runner import run_job
from tests.api.conftest import Call
from tests.campaigns.leagues import League, make_league, make_round
from tests.factories import make_person

pytestmark = pytest.mark.django_db

Caller = Callable[[Owner], Call]


@pytest.fixture
def league() -> League:
    made = make_league(players=2)
    make_round(made)
    return made


def printed(league, call, number=1, status=202) -> dict[str, str]:
    address = f"events/{league.token}/rounds/{number}/print/"
    told: dict[str, str] = call("POST", address, {}, status).json()
    return told


def test_round_is_printed_and_its_file_read(caller: Caller, league: League) -> None:
    draw_round(ChangeRequest(league.organiser, league.token), 1)
    call = caller(league.organiser)
    job = printed(league, call)
    assert printed(league, call)["id"] == job["id"]
    address = f"jobs/{job['id']}/"
    call("GET", f"{address}file/", status=404)
    run_job(job["id"])
    done = call("GET", address).json()
    assert (done["done"], done["total"], done["status"]) == (1, 1, "done")
    assert done["file"] == f"{settings.SITE_URL}/api/v1/{address}file/"
    file = call("GET", f"{address}file/")
    assert file.headers["Content-Type"] == "application/octet-stream"
    assert done["file_name"] in file.headers["Content-Disposition"]
    assert b"".join(file.streaming_content).startswith(b"%PDF")


def test_job_is_its_persons_alone(caller: Caller, league: League) -> None:
    draw_round(ChangeRequest(league.organiser, league.token), 1)
    job = printed(league, caller(league.organiser))
    stranger = caller(make_person())
    for part in ("", "file/"):
        stranger("GET", f"jobs/{job['id']}/{part}", status=404)
    stranger("GET", "jobs/x/", status=404)


def test_player_does_not_print_a_round(caller: Caller, league: League) -> None:
    printed(league, caller(league.player("Ada")), status=403)
    printed(league, caller(make_person()), status=404)
    assert not Job.objects.filter(kind=PRINT_ROUND).exists()


def test_round_without_tables_and_another_paper_are_refused(caller, league):
    call, address = caller(league.organiser), f"events/{league.token}/rounds/"
    told = call("POST", f"{address}1/print/", {}, 400).json()
    assert [one["field"] for one in told["errors"]] == ["round"]
    call("POST", f"{address}9/print/", {}, 404)
    for wrong in ({"paper": "a0"}, {"paper": None}, {"site": "x"}):
        told = call("POST", f"{address}1/print/", wrong, 400).json()
        assert [one["field"] for one in told["errors"]] == [*wrong]


def test_file_that_is_gone_or_away_is_said_so(caller, league, monkeypatch):
    draw_round(ChangeRequest(league.organiser, league.token), 1)
    call = caller(league.organiser)
    job = printed(league, call)
    run_job(job["id"])

    def fail(error: Exception) -> Callable[[str], None]:
        def raise_it(_: str) -> None:
            raise error

        return raise_it

    monkeypatch.setattr("jobs.api.open_file", fail(FileNotFoundError()))
    gone = call("GET", f"jobs/{job['id']}/file/", status=404).json()
    assert "not kept any more" in gone["detail"]
    monkeypatch.setattr("jobs.api.open_file", fail(storage.StoreAway()))
    away = call("GET", f"jobs/{job['id']}/file/", status=503)
    assert away.headers["Retry-After"] == "60"
