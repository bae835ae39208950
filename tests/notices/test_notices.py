"""Notices: told once, counted in the header, sent through a real mail server, ended by one click."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from email import message_from_bytes
from email.message import Message
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.errors import NotFound
from accounts.models import User
from accounts.owner import NOBODY
from jobs.models import Job
from jobs.runner import run_job
from notices import operations
from notices.models import Notice, NoticeChoice
from notices.operations import MAIL_NOTICES, NoticeDraft, send_notices
from notices.queries import choice_by_token, load_notices, to_be_mailed, unread_count
from tests.factories import make_person, make_user

pytestmark = pytest.mark.django_db
OnCommit = Callable[..., AbstractContextManager[Any]]
LIST = "/notices/"


@pytest.fixture
def user() -> User:
    person = make_user(email="ada@example.org", name="Ada")
    EmailAddress.objects.create(
        user=person, email=person.email, primary=True, verified=True
    )
    return person


def told(user, words="You meet Ben.", *, kind="round", key="") -> NoticeDraft:
    return NoticeDraft(user.pk, kind, words, "/leagues/", key)


def signed_in(user: User, **kwargs: Any) -> Client:
    client = Client(**kwargs)
    client.force_login(user)
    return client


# In the app


def test_same_thing_is_told_once_and_another_again(user: User) -> None:
    for _ in range(2):
        send_notices([told(user, key="1"), told(user, key="2"), told(user)])
    assert Notice.objects.filter(user=user).count() == 4
    assert unread_count(make_person(user=user)) == 4


def test_count_is_asked_once_and_anew_after_every_change(user: User) -> None:
    actor, other = make_person(user=user), make_user()
    send_notices([told(user), told(user), told(other)])
    with CaptureQueriesContext(connection) as queries:
        assert [unread_count(actor) for _ in range(3)] == [2, 2, 2]
    assert len(queries) == 1
    assert (
        operations.open_notice(actor, Notice.objects.filter(user=user)[0].pk) == "/leagues/"
    )
    assert unread_count(actor) == 1
    assert operations.read_all(actor) == 1
    assert unread_count(actor) == 0
    assert unread_count(make_person(user=other)) == 1


def test_header_counts_for_those_signed_in_and_asks_nothing_for_others(user: User) -> None:
    send_notices([told(user)])
    page = signed_in(user).get("/rules/").content.decode()
    assert 'aria-label="Notices, 1 unread"' in page
    with CaptureQueriesContext(connection) as queries:
        assert "Notices" not in Client().get("/rules/").content.decode()
    assert not [query for query in queries if "notice" in query["sql"]]


@pytest.mark.parametrize("count", [1, 3])
def test_page_asks_as_often_for_one_as_for_three(user: User, count: int) -> None:
    send_notices([told(user, f"Notice {number}.") for number in range(count)])
    client = signed_in(user)
    client.get(LIST)
    with CaptureQueriesContext(connection) as queries:
        page = client.get(LIST).content.decode()
    assert page.count("tag is-note") == count
    assert len(queries) == 3  # the person, the notices, the choice


def test_pages_of_many(user: User) -> None:
    send_notices([told(user, f"Notice {number}.") for number in range(21)])
    actor = make_person(user=user)
    assert [row.words for row in load_notices(actor, page=2).rows] == ["Notice 0."]
    client = signed_in(user)
    assert "Notice 0." in client.get(f"{LIST}?page=2").content.decode()
    assert "No more notices on this page" in client.get(f"{LIST}?page=3").content.decode()
    assert client.get(f"{LIST}?page=x").status_code == 400


def test_opening_one_reads_it_and_leads_on(user: User) -> None:
    send_notices([told(user)])
    pk = Notice.objects.get().pk
    assert signed_in(make_user()).post(f"{LIST}{pk}/open/").status_code == 404
    answer = signed_in(user).post(f"{LIST}{pk}/open/")
    assert (answer.status_code, answer["Location"]) == (302, "/leagues/")
    assert "tag is-note" not in signed_in(user).get(LIST).content.decode()
    with pytest.raises(NotFound):
        operations.open_notice(make_person(), pk)


# By mail


class Box:
    """A mail server that keeps what it is sent, or refuses it."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.refuses: str = ""

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.refuses:
            return self.refuses
        self.mails.append(message_from_bytes(bytes(envelope.content or b"")))
        return "250 Kept"


@pytest.fixture
def box(settings: Any) -> Iterator[Box]:
    """A real server on this machine, which the site sends its mail to."""
    box = Box()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port, ready_timeout=60)
    controller.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    yield box
    controller.stop()


def test_mail_goes_out_after_the_commit_and_one_click_ends_it(
    user: User, box: Box, django_capture_on_commit_callbacks: OnCommit
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        send_notices([told(user, "Autumn league, Round 2: you meet Ben.")])
        assert box.mails == []
    (mail,) = box.mails
    values = (mail["To"], mail["Subject"])
    assert values == ("ada@example.org", "Autumn league, Round 2: you meet Ben.")
    body = mail.get_payload()
    assert "http://localhost:8000/leagues/" in body
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop = mail["List-Unsubscribe"].strip("<>")
    assert stop in body
    path = stop.removeprefix("http://localhost:8000")
    anybody = Client(enforce_csrf_checks=True)
    assert anybody.get(path).status_code == 200
    assert NoticeChoice.objects.get(user=user).wants_mail
    answer = anybody.post(
        path, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 200
    assert not NoticeChoice.objects.get(user=user).wants_mail
    with django_capture_on_commit_callbacks(execute=True):
        send_notices([told(user, "One more.")])
    assert len(box.mails) == 1
    assert anybody.post(path, {"mail": "1"}).status_code == 200
    assert choice_by_token(path.split("/")[-2]) is True


def test_mail_is_sent_once_whoever_does_the_job_twice(user: User, box: Box) -> None:
    send_notices([told(user, "First."), told(user, "Second.")])
    for token in Job.objects.filter(kind=MAIL_NOTICES).values_list("token", flat=True):
        run_job(token)
        Job.objects.filter(token=token).update(status="waiting")
        run_job(token)
    assert [mail["Subject"] for mail in box.mails] == ["First.", "Second."]


def test_server_that_is_busy_is_tried_again_and_names_nobody(user, box, capfd, caplog):
    send_notices([told(user)])
    job = Job.objects.get(kind=MAIL_NOTICES)
    box.refuses = "451 ada@example.org is busy"
    assert run_job(job.token) is not None
    job.refresh_from_db()
    assert job.status == "waiting"
    logs = "".join(capfd.readouterr()) + caplog.text
    assert "ada@example.org" not in f"{job.words} {job.payload} {logs}"
    assert "job_put_off" in logs
    box.refuses = ""
    Job.objects.filter(pk=job.pk).update(due_at=job.created_at)
    run_job(job.token)
    assert len(box.mails) == 1


def test_nobody_else_gets_mail(user: User, settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    unconfirmed, gone, unwilling = make_user(), make_user(is_active=False), make_user()
    for other in (gone, unwilling):
        EmailAddress.objects.create(
            user=other, email=other.email, primary=True, verified=True
        )
    operations.choose_mail(make_person(user=unwilling), wants_mail=False)
    send_notices([told(one) for one in (user, unconfirmed, gone, unwilling)])
    now = Notice.objects.latest("pk").created_at
    assert [one.user_id for one in to_be_mailed(now)] == [user.pk]
    assert to_be_mailed(now.replace(year=now.year + 1)) == ()


def test_site_without_a_mail_server_sends_and_prints_nothing(user, mailoutbox, settings):
    settings.SENDS_MAIL = settings.DEBUG = False
    send_notices([told(user)])
    run_job(Job.objects.get(kind=MAIL_NOTICES).token)
    assert mailoutbox == []
    assert Job.objects.get(kind=MAIL_NOTICES).status == "done"


# What somebody wants


def test_choice_is_made_on_the_page_of_notices(user: User) -> None:
    client, url = signed_in(user), reverse("notice-mail")
    for sent, wants in (("0", False), ("1", True)):
        assert client.post(url, {"mail": sent}).status_code == 302
        assert NoticeChoice.objects.get(user=user).wants_mail is wants
        cache.clear()
    assert reverse("notice-list") in client.get(reverse("account_profile")).content.decode()


def test_who_has_no_account_has_no_notices_to_read_or_be_mailed() -> None:
    assert operations.read_all(NOBODY) == 0
    for wants in (True, False):
        with pytest.raises(NotFound):
            operations.choose_mail(NOBODY, wants_mail=wants)
    with pytest.raises(NotFound):
        operations.open_notice(NOBODY, 1)


@pytest.mark.parametrize("token", ["x" * 16, "x", "é" * 16])
def test_link_that_is_none_leads_nowhere(token: str) -> None:
    for ask in (Client().get, Client().post):
        assert ask(f"/notices/stop/{token}/").status_code == 404
    with pytest.raises(NotFound):
        operations.choose_by_token(token, wants_mail=False)
