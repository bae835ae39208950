"""The page of a job: its progress with and without htmx, its JSON, its file, for whoever asked for
it alone.
"""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from jobs.models import Job
from jobs.queue import JobDraft, enqueue
from jobs.runner import run_job
from jobs.storage import delete_files
from tests.factories import make_person, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return make_user()


def asked(user: User, kind: str = "count") -> str:
    actor = make_person(user=user)
    draft = JobDraft(kind, "Print all", {"to": 2}, back="/leagues/", back_label="Leagues")
    return enqueue(actor, draft)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def url(name: str, token: str) -> str:
    return reverse(name, args=[token])


def test_page_goes_on_asking_until_it_is_over(user: User) -> None:
    token, client = asked(user), signed_in(user)
    waiting = client.get(url("job-read", token)).content.decode()
    assert 'http-equiv="refresh"' in waiting
    assert 'hx-trigger="every 2s"' in waiting
    run_job(token)
    part = client.get(
        url("job-read", token), headers={"HX-Request": "true"}
    ).content.decode()
    assert "<h1>" not in part
    assert "hx-trigger" not in part
    assert url("job-file", token) in part
    assert "2 of 2" in part
    assert 'http-equiv="refresh"' not in client.get(url("job-read", token)).content.decode()


def test_file_is_sent_and_its_loss_is_told(user: User) -> None:
    token, client = asked(user), signed_in(user)
    assert client.get(url("job-file", token)).status_code == 404
    run_job(token)
    answer = client.get(url("job-file", token))
    assert b"".join(answer) == b"2"
    assert answer["Content-Disposition"] == 'inline; filename="Count.txt"'
    delete_files(token)
    assert client.get(url("job-file", token)).status_code == 302
    assert "has been deleted" in client.get(url("job-read", token)).content.decode()


def test_it_is_stopped_and_tried_again(user: User) -> None:
    token, client = asked(user, "fail"), signed_in(user)
    assert client.post(url("job-stop", token)).status_code == 302
    assert "You stopped this job." in client.get(url("job-read", token)).content.decode()
    assert client.post(url("job-retry", token)).status_code == 302
    run_job(token)
    assert (
        "There is nobody to print." in client.get(url("job-read", token)).content.decode()
    )


@pytest.mark.parametrize("name", ["job-read", "job-file", "job-stop", "job-retry"])
def test_another_finds_nothing_and_nobody_is_sent_to_the_door(user, name):
    token, other = asked(user), signed_in(make_user())
    ask = "post" if name in ("job-stop", "job-retry") else "get"
    assert getattr(other, ask)(url(name, token)).status_code == 404
    assert getattr(other, ask)(url(name, "x" * 16)).status_code == 404
    assert getattr(Client(), ask)(url(name, token)).status_code == 302
    assert Job.objects.get(token=token).status == "waiting"
