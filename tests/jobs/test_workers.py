"""R25 with real processes: a worker is killed in the middle of a job, and another brings it to its
end.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.conf import settings
from django.utils import timezone

from jobs import queue, runner
from jobs.handlers import write_file
from jobs.models import Job
from jobs.queue import JobDraft, enqueue
from jobs.runner import LEASE
from jobs.storage import job_folder
from tests.reliability.server import ROOT, database_url

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 60  # seconds until a test gives up
REDIS = "redis://127.0.0.1:6379/9"
THREAD = (sys.executable, "-m", "tests.jobs.worker")
CELERY = (
    sys.executable, "-m", "celery", "--app", "tests.jobs.worker:app", "worker",
    "--concurrency", "1",
)  # fmt: skip
CELERY += ("--without-gossip", "--without-mingle", "--loglevel", "WARNING")


def has_redis() -> bool:
    try:
        return bool(redis.Redis.from_url(REDIS, socket_connect_timeout=1).ping())
    except redis.RedisError:
        return False


@contextmanager
def working(command, folder, **extra) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process in a group of its own, killed at the end with all its children."""
    environment = {
        **os.environ,
        "DATA_DIR": str(folder),
        "DATABASE_URL": database_url(),
        "SECRET_KEY": settings.SECRET_KEY,
        **extra,
    }
    with (folder / "worker.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(happened, worker, folder) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        is_working = worker.poll() is None and time.monotonic() < end
        assert is_working, (folder / "worker.log").read_text()[-3000:]
        time.sleep(0.05)


def say(token: str, parts: int) -> None:
    write_file(job_folder(token) / "go", b"x" * parts)


def is_done(token: str, parts: int) -> bool:
    return Job.objects.filter(token=token, done=parts).exists()


def written(token: str) -> str:
    return (job_folder(token) / "written").read_text()


def test_killed_worker_is_followed_by_another_and_nothing_is_done_twice(settings, tmp_path):
    settings.JOBS_RUNNER, settings.JOBS_DIR = "thread", tmp_path / "jobs"
    token = enqueue(None, JobDraft("slow", "Slow", {"to": 3}))
    say(token, 2)
    with working(THREAD, tmp_path, REDIS_URL="") as first:
        until(lambda: is_done(token, 2), first, tmp_path)
        kill(first)
    job = Job.objects.get(token=token)
    assert job.status == "running"
    assert job.due_at <= timezone.now() + LEASE
    assert LEASE + timedelta(seconds=queue.SECONDS) < timedelta(minutes=2)
    Job.objects.filter(token=token).update(due_at=timezone.now())  # its time is over
    say(token, 3)
    with working(THREAD, tmp_path, REDIS_URL="") as second:
        until(
            lambda: Job.objects.filter(token=token, status="done").exists(),
            second,
            tmp_path,
        )
    assert written(token) == "1 2 3 "
    assert Job.objects.get(token=token).words == "All parts are there."


@pytest.mark.skipif(not has_redis(), reason="no Redis on 127.0.0.1:6379")
def test_celery_does_it_and_goes_on_after_its_process_was_killed(settings, tmp_path):
    prefix = f"test-{uuid4().hex}:"
    settings.JOBS_RUNNER, settings.JOBS_DIR = "celery", tmp_path / "jobs"
    with (
        own_queue(prefix),
        working(CELERY, tmp_path, REDIS_URL=REDIS, TEST_PREFIX=prefix) as celery,
    ):
        token = enqueue(None, JobDraft("slow", "Slow", {"to": 3}))
        say(token, 1)
        until(lambda: is_done(token, 1), celery, tmp_path)
        os.kill(
            int((job_folder(token) / "1.part").read_text()), signal.SIGKILL
        )  # the child that does the job
        Job.objects.filter(token=token).update(due_at=timezone.now())  # its time is over
        say(token, 3)
        until(
            lambda: Job.objects.filter(token=token, status="done").exists(),
            celery,
            tmp_path,
        )
    assert written(token) == "1 2 3 "


@contextmanager
def own_queue(prefix: str) -> Iterator[None]:
    """Messages of this process go to the test's own queue, of which nothing is left."""
    app = runner.celery_app()
    before = app.conf.broker_url, dict(app.conf.broker_transport_options)
    app.conf.broker_url = REDIS
    app.conf.broker_transport_options["global_keyprefix"] = prefix
    try:
        yield
    finally:
        app.pool.force_close_all()
        app.conf.broker_url, app.conf.broker_transport_options = before
        store = redis.Redis.from_url(REDIS)
        for key in store.scan_iter(f"{prefix}*"):
            store.delete(key)


def test_redis_gone_loses_no_job(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The asking goes through; the server's own thread finds the job once it has been due for a
    while.
    """
    settings.JOBS_RUNNER = "celery"

    def gone(*_: object, **__: object) -> None:
        raise ConnectionError("Redis is gone")

    monkeypatch.setattr(runner.celery_app().tasks[runner.CELERY_TASK], "apply_async", gone)
    token = enqueue(None, JobDraft("strange", "Strange"))
    assert queue.do_due_jobs() == 0
    Job.objects.filter(token=token).update(due_at=timezone.now() - queue.GRACE["celery"])
    assert queue.do_due_jobs() == 1
    assert Job.objects.get(token=token).status == "failed"
