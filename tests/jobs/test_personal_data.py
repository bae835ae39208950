"""What somebody downloads of themselves: all of theirs, and nothing of anybody else's."""

import io
import json
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.operations.people import DEMO_EMAIL
from accounts.owner import Owner
from battles.models import Battle
from jobs.models import Job
from jobs.personal_data import GONE, ask_for_data
from jobs.queue import JobDraft, enqueue
from jobs.runner import run_job
from notices.models import Notice
from tests.factories import make_user
from warbands.models import Warband

pytestmark = pytest.mark.django_db


def downloaded(user: User) -> dict[str, Any]:
    client = Client()
    client.force_login(user)
    page = client.post(reverse("job-personal-data"))
    token = Job.objects.get(owner=user, kind="personal-data").token
    assert page["Location"] == reverse("job-read", args=[token])
    run_job(token)
    answer: Any = client.get(reverse("job-file", args=[token]))
    assert answer["Content-Type"] == "application/zip"
    with ZipFile(io.BytesIO(b"".join(answer))) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


@pytest.fixture
def organiser() -> User:
    from django.core.management import call_command

    call_command("make_demo", stdout=io.StringIO())
    return User.objects.get(email=DEMO_EMAIL)


def test_zip_holds_everything_of_a_person(organiser: User) -> None:
    found = downloaded(organiser)
    kinds = {
        kind: [n for n in found if n.startswith(kind)]
        for kind in ("warbands", "battles", "events")
    }
    theirs = Warband.objects.filter(owner=organiser)
    assert len(kinds["warbands"]) == theirs.count() == 4
    assert len(kinds["battles"]) == Battle.objects.count() == 18
    assert len(kinds["events"]) == 1
    assert len(found["notices.json"]) == Notice.objects.filter(user=organiser).count()
    assert found["account.json"]["email"] == DEMO_EMAIL
    assert [one["name"] for one in found["account.json"]["clubs"]] == ["Demo club"]
    assert found["reports.json"] == []


def test_nothing_of_others_and_no_secret_is_in_it(organiser: User) -> None:
    organiser.set_password("halberd-and-lantern")
    organiser.save()
    text = json.dumps(downloaded(organiser))
    others = User.objects.exclude(pk=organiser.pk).values_list("email", flat=True)
    assert len(others) == 8
    assert not [email for email in others if email in text]
    for secret in (organiser.password, "secret_hash", "token_hash", "owner_key"):
        assert secret not in text


def test_asked_twice_it_is_made_once() -> None:
    owner = Owner(user_id=make_user().pk)
    assert ask_for_data(owner, "/") == ask_for_data(owner, "/")
    assert Job.objects.count() == 1


def test_account_that_was_closed_meanwhile_fails_the_job() -> None:
    token = enqueue(None, JobDraft("personal-data", "Data", {"person": 99_999}))
    run_job(token)
    assert Job.objects.get(token=token).words == GONE
