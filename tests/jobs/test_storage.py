"""R39: finished files in the database or in a bucket (moto's server), read by every machine."""

import http.client
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import pytest
from django.conf import settings as site
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from moto.server import ThreadedMotoServer

from accounts.models import User
from accounts.operations.people import close_account
from accounts.owner import Owner
from jobs import queue
from jobs.handlers import write_file
from jobs.models import Job, JobFileChunk
from jobs.queue import JobDraft, enqueue
from jobs.runner import LARGE, NOT_STORED, run_job
from jobs.storage import CHUNK, StoreAway, job_folder, keep_file, open_file
from tests.conftest import Soak
from tests.factories import make_user
from tests.reliability.server import Server, serving

KEYS = {"S3_ACCESS_KEY": "muster", "S3_SECRET_KEY": "not secret"}
REGION = "eu-west-1"


@contextmanager
def bucket_store() -> Iterator[Any]:
    """A server of the protocol with a ``bucket``, and the ``variables`` that name it."""
    server: Any = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    name = f"finished-{uuid4().hex}"  # of two servers in one process both have all buckets
    address = {"S3_ENDPOINT": f"http://{host}:{port}", "S3_REGION": REGION}
    server.variables = {**KEYS, **address, "S3_BUCKET": name}
    session = boto3.Session(KEYS["S3_ACCESS_KEY"], KEYS["S3_SECRET_KEY"])
    service = session.resource(
        "s3", endpoint_url=address["S3_ENDPOINT"], region_name=REGION
    )
    server.bucket = service.Bucket(name)
    server.bucket.create(CreateBucketConfiguration={"LocationConstraint": REGION})
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def store(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket which this process and those it starts keep their files in."""
    with bucket_store() as server:
        for name, value in server.variables.items():
            monkeypatch.setenv(name, value)
        options = {
            "bucket_name": server.variables["S3_BUCKET"],
            "endpoint_url": server.variables["S3_ENDPOINT"],
            "region_name": REGION,
            "access_key": KEYS["S3_ACCESS_KEY"],
            "secret_key": KEYS["S3_SECRET_KEY"],
        }
        settings.STORAGES = {
            **settings.STORAGES,
            "finished": {"BACKEND": "jobs.object_store.ObjectStore", "OPTIONS": options},
        }
        yield server


def stored(store: Any) -> list[str]:
    return [each.key for each in store.bucket.objects.all()]


def counted(user: User) -> str:
    token = enqueue(Owner(user_id=user.pk), JobDraft("count", "Counting", {"to": 3}))
    run_job(token)
    return token


def fetched(server: Server, user: User, token: str) -> tuple[int, bytes]:
    client = Client()
    client.force_login(user)
    session = client.cookies[site.SESSION_COOKIE_NAME].value
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    cookie = {"Cookie": f"{site.SESSION_COOKIE_NAME}={session}"}
    connection.request("GET", reverse("job-file", args=[token]), headers=cookie)
    answer = connection.getresponse()
    try:
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_bucket", [True, False])
def test_two_machines_send_the_file_that_a_worker_made(
    request: pytest.FixtureRequest, tmp_path: Path, soak: Soak, *, has_bucket: bool
) -> None:
    """Folders of their own, a third machine under --soak; control: a machine that looks into its folder has no file."""
    if has_bucket:
        request.getfixturevalue("store")
    user = make_user()
    token = counted(user)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(serving(tmp_path / name)) for name in "ab"[: soak(1, 2)]
        ]
        answers = [fetched(server, user, token) for server in servers]
        JobFileChunk.objects.all().delete()
        without_rows = fetched(servers[0], user, token)
    assert answers == [(200, b"3")] * len(servers)
    assert without_rows == ((200, b"3") if has_bucket else (302, b""))


@pytest.mark.django_db
def test_database_holds_the_file_in_rows_and_the_folder_nothing() -> None:
    token = counted(make_user())
    assert not job_folder(token).exists()
    content = bytes(range(256)) * 1000
    for written in (content, content[: 2 * CHUNK], content[:7]):
        write_file(job_folder(token) / "count.txt", written)
        keep_file(token, "count.txt")
        rows = JobFileChunk.objects.filter(job__token=token)
        assert rows.count() == -(-len(written) // CHUNK)
        with open_file(f"{token}/count.txt") as file:
            assert file.read() == written


@pytest.mark.django_db
def test_file_of_before_the_database_held_them_is_read() -> None:
    token = counted(make_user())
    JobFileChunk.objects.all().delete()
    with pytest.raises(FileNotFoundError):
        open_file(f"{token}/count.txt")
    write_file(job_folder(token) / "count.txt", b"older")
    with open_file(f"{token}/count.txt") as file:
        assert file.read() == b"older"
    queue.delete_files(token)
    assert not job_folder(token).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("spare,is_done", [(1, True), (0, True), (-1, False)])
def test_file_of_more_than_the_database_takes_is_refused(monkeypatch, *, spare, is_done):
    monkeypatch.setattr("jobs.storage.FINISHED_MAX", len("3") + spare)
    job = Job.objects.get(token=counted(make_user()))
    assert (job.status == "done") == is_done
    assert (job.words == LARGE) == (not is_done)
    assert JobFileChunk.objects.exists() == is_done


@pytest.mark.django_db
def test_bucket_holds_the_file_and_the_folder_nothing(store: Any) -> None:
    token = counted(make_user())
    assert stored(store) == [f"{token}/count.txt"]
    assert not job_folder(token).exists()
    with open_file(f"{token}/count.txt") as file:
        assert file.read() == b"3"
    with pytest.raises(FileNotFoundError):
        open_file(f"{token}/other.txt")


@pytest.mark.django_db
@pytest.mark.parametrize("has_bucket", [True, False])
def test_file_goes_with_its_job_and_with_its_person(
    request, django_capture_on_commit_callbacks, *, has_bucket
):
    store = request.getfixturevalue("store") if has_bucket else None
    old, closed = make_user(), make_user()
    first, _ = counted(old), counted(closed)
    Job.objects.filter(token=first).update(ended_at=timezone.now() - 2 * queue.KEPT)
    queue.forget_old()
    with django_capture_on_commit_callbacks(execute=True):
        close_account(closed.pk)
    assert not JobFileChunk.objects.exists()
    assert store is None or stored(store) == []


@pytest.mark.django_db
def test_store_that_is_away_delays_the_job_and_tells_the_person(
    store: Any, django_capture_on_commit_callbacks: Any
) -> None:
    user = make_user()
    before = counted(user)
    store.stop()
    token = counted(user)
    job = Job.objects.get(token=token)
    assert (job.status, job.words) == ("waiting", NOT_STORED)
    assert job_folder(token).exists()
    client = Client()
    client.force_login(user)
    answer = client.get(reverse("job-file", args=[before]), follow=True)
    assert "does not answer" in answer.content.decode()
    with pytest.raises(StoreAway):
        queue.delete_files(before)
    with django_capture_on_commit_callbacks(execute=True):
        close_account(user.pk)
    assert not User.objects.filter(pk=user.pk).exists()
