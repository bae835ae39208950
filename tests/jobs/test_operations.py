"""Jobs from being asked for to being forgotten: each step has its effect once, whoever does it
twice.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import NotFound
from accounts.operations.people import close_account
from accounts.owner import Owner
from jobs import handlers
from jobs.handlers import JobFailed, JobResult, JobStopped, Work
from jobs.models import Job, JobStatus
from jobs.queries import due_jobs, load_job
from jobs.queue import JobDraft, cancel, enqueue, enqueue_regular, forget_old, retry
from jobs.runner import (
    ATTEMPTS_MAX,
    BROKEN,
    DIED,
    FULL,
    LEASE,
    UNKNOWN,
    beat,
    claim,
    fail,
    finish,
    give_up_dead,
    run_job,
)
from jobs.storage import open_file
from tests.factories import make_person
from tests.jobs.conftest import count

pytestmark = pytest.mark.django_db
OnCommit = Callable[..., AbstractContextManager[Any]]


@pytest.fixture
def ada() -> Owner:
    return make_person()


def asked(actor: Owner | None, kind: str = "count", *, key: str = "", to: int = 3) -> str:
    return enqueue(actor, JobDraft(kind, "Counting", {"to": to}, key=key))


def row(token: str) -> Job:
    return Job.objects.get(token=token)


def pass_time(token: str, by: timedelta = LEASE) -> None:
    job = row(token)
    Job.objects.filter(token=token).update(due_at=job.due_at - by)


def test_job_is_done_once_it_is_committed(ada, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        token = asked(ada)
        assert row(token).status == JobStatus.WAITING
    job = load_job(ada, token)
    assert job is not None
    assert (job.status, job.done, job.total, job.percent, job.words) == (
        "done", 3, 3, 100, "Counted to 3.",
    )  # fmt: skip
    with open_file(job.file) as file:
        assert file.read() == b"3"
    assert run_job(token) is None
    assert row(token).attempts == 1


def test_same_key_is_one_job_while_it_is_live(ada: Owner) -> None:
    first = asked(ada, key="round 1")
    assert asked(ada, key="round 1") == first
    assert asked(ada, key="round 2") != first
    run_job(first)
    assert asked(ada, key="round 1") != first


@pytest.mark.parametrize("kind, words", [
    ("fail", "There is nobody to print."),
    ("break", BROKEN), ("full", FULL), ("strange", UNKNOWN),
])  # fmt: skip
def test_failure_is_told_in_words_and_may_be_tried_again(ada, kind, words):
    token = asked(ada, kind)
    run_job(token)
    job = load_job(ada, token)
    assert job is not None
    assert (job.status, job.words, job.may_retry) == ("failed", words, True)
    retry(ada, token)
    retry(ada, token)
    assert (row(token).status, row(token).attempts) == (JobStatus.WAITING, 0)


def test_passing_failure_is_put_off_and_given_up_after_a_day() -> None:
    token = asked(None, "later")
    waits = []
    for _ in range(4):
        waits.append(round((run_job(token) or 0) / 60))
        Job.objects.filter(token=token).update(due_at=timezone.now())
    assert waits == [1, 5, 30, 30]
    Job.objects.filter(token=token).update(created_at=timezone.now() - timedelta(days=2))
    assert run_job(token) is None
    assert (row(token).status, row(token).words) == (
        JobStatus.FAILED,
        "The mail server does not answer.",
    )


def test_one_worker_has_it_and_another_takes_it_once_the_first_is_silent(ada):
    token = asked(ada)
    first = claim(token, "one")
    assert first is not None
    assert claim(token, "two") is None
    assert due_jobs(timezone.now()) == ()
    beat(first, 1, 3)
    pass_time(token)
    assert due_jobs(timezone.now()) == (token,)
    second = claim(token, "two")
    assert second is not None
    with pytest.raises(JobStopped):
        beat(first, 2, 3)
    assert not finish(first, words="Too late.")
    assert not fail(first, "Too late.")
    assert finish(second, words="Done.")
    assert (row(token).words, row(token).done) == ("Done.", 1)


def test_job_that_kills_its_workers_is_given_up(ada: Owner) -> None:
    token = asked(ada)
    for number in range(ATTEMPTS_MAX):
        assert claim(token, f"worker {number}") is not None
        assert give_up_dead(timezone.now()) == 0
        pass_time(token)
    assert claim(token, "one more") is None
    assert give_up_dead(timezone.now()) == 1
    assert (row(token).status, row(token).words) == (JobStatus.FAILED, DIED)


def test_step_forward_counts_the_attempts_anew_and_a_step_back_is_none(ada: Owner) -> None:
    token = asked(ada)
    for number in range(1, ATTEMPTS_MAX + 3):
        job = claim(token, f"worker {number}")
        assert job is not None
        beat(job, number, 9)
        beat(job, 0, 9)
        assert row(token).done == number
        pass_time(token)


def test_stopped_job_stops_its_worker(ada: Owner) -> None:
    token = asked(ada)
    job = claim(token, "one")
    assert job is not None
    cancel(ada, token)
    with pytest.raises(JobStopped):
        beat(job, 1, 3)
    assert run_job(token) is None
    assert row(token).status == JobStatus.CANCELLED
    retry(ada, token)
    run_job(token)
    cancel(ada, token)
    assert row(token).status == JobStatus.DONE


def test_job_of_another_is_none(ada: Owner) -> None:
    token, ben = asked(ada), make_person()
    assert load_job(ben, token) is None
    for verb in (cancel, retry):
        with pytest.raises(NotFound):
            verb(ben, token)
    assert load_job(Owner(), asked(None)) is None


def test_old_jobs_go_with_their_files_and_so_do_those_of_a_closed_account(
    ada: Owner, django_capture_on_commit_callbacks: OnCommit
) -> None:
    old, new, closed = asked(ada), asked(ada), asked(ben := make_person())
    for token in (old, new, closed):
        run_job(token)
    Job.objects.filter(token=old).update(ended_at=timezone.now() - timedelta(days=8))
    forget_old()
    assert not Job.objects.filter(token=old).exists()
    kept = Job.objects.filter(chunks__isnull=False).values_list("token", flat=True)
    assert set(kept) == {new, closed}
    with django_capture_on_commit_callbacks(execute=True):
        close_account(ben.user_id or 0)
    assert list(kept.all()) == [new]
    assert not Job.objects.filter(token__in=[old, closed]).exists()


def test_what_comes_round_is_asked_for_when_it_is_due() -> None:
    handlers.add_regular("count", count, title="Counting", every=timedelta(hours=1))
    now = timezone.now()
    try:
        for _ in range(2):
            enqueue_regular(now)
        assert Job.objects.filter(kind="count").count() == 1
        Job.objects.filter(kind="count").update(
            status=JobStatus.DONE, created_at=now - timedelta(hours=2)
        )
        enqueue_regular(now)
        assert Job.objects.filter(kind="count").count() == 2
    finally:
        del handlers.REGULAR["count"]


@pytest.mark.parametrize("is_once", [True, False])
def test_what_uses_up_its_work_is_not_tried_again_and_leads_back(ada, is_once):
    def used_up(work: Work) -> JobResult:
        raise JobFailed("Send it again.")

    kind = f"used-up-{is_once}"
    handlers.add_handler(kind, used_up, is_once=is_once)
    token = enqueue(ada, JobDraft(kind, "Reading", back="/clubs/", back_label="Clubs"))
    waiting = load_job(ada, token)
    run_job(token)
    job = load_job(ada, token)
    assert waiting is not None
    assert job is not None
    assert (waiting.leads_on, job.leads_on) == (False, is_once)
    assert job.may_retry is not is_once
