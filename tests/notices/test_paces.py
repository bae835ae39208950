"""A person chooses for each kind of notice whether it is mailed at once, once a day, or never."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.test import Client
from django.utils import timezone

from accounts.errors import NotFound, Refusal
from accounts.models import User
from accounts.owner import NOBODY, Owner
from jobs.handlers import JobLater
from notices.mail import mail_digests, mail_notices
from notices.models import GROUPS, NoticeChoice, find_group
from notices.operations import NoticeDraft, begin_digest, choose_paces, send_notices
from notices.queries import digests, mail_choice, to_be_mailed
from tests.factories import make_user

pytestmark = pytest.mark.django_db
KINDS = ("round", "result_propose", "list_due", "finished")


@pytest.fixture
def user(settings: Any) -> User:
    settings.SENDS_MAIL = True
    person = make_user(email="ada@example.org", name="Ada")
    EmailAddress.objects.create(
        user=person, email=person.email, primary=True, verified=True
    )
    return person


class Work:
    def progress(self, *_: int) -> None: ...


def tell(user: User) -> None:
    send_notices([NoticeDraft(user.pk, kind, f"About {kind}.", "/") for kind in KINDS])


def test_every_kind_has_a_group() -> None:
    assert {find_group(kind) for kind in (*KINDS, "message")} == set(GROUPS)


def test_each_pace_is_kept_to(user: User, mailoutbox: list[Any]) -> None:
    owner, now = Owner(user_id=user.pk), timezone.now()
    choose_paces(owner, {"games": "daily", "results": "daily", "lists": "never"})
    tell(user)
    assert [one.kind for one in to_be_mailed(now)] == ["finished"]
    mail_notices(Work())
    assert [mail.subject for mail in mailoutbox] == ["About finished."]
    mail_digests(Work())
    daily = mailoutbox[-1]
    assert daily.subject.startswith("2 notices of today: About round.")
    assert "About result_propose." in daily.body
    assert "About list_due." not in daily.body
    assert "Stop these emails" in daily.body
    # The next one is a day later, and tells nothing twice.
    tell(user)
    mail_digests(Work())
    assert len(mailoutbox) == 2
    NoticeChoice.objects.update(digest_at=now - timedelta(days=2))
    assert [one.kind for one in digests(now)[user.pk]] == ["round", "result_propose"]


def test_a_digest_is_begun_once_and_again_when_its_time_is_over(user: User) -> None:
    NoticeChoice.objects.create(user=user)
    now = timezone.now()
    assert begin_digest(user.pk, now)
    late = now + timedelta(hours=24)
    early = late - timedelta(seconds=1)
    assert [begin_digest(user.pk, moment) for moment in (now, early, late, late)] == [
        False, False, True, False,
    ]  # fmt: skip


def test_digest_that_was_not_sent_is_sent_whole(
    user: User, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_paces(Owner(user_id=user.pk), dict.fromkeys(GROUPS, "daily"))
    tell(user)
    with monkeypatch.context() as away:
        away.setattr(EmailMessage, "send", refuse)
        with pytest.raises(JobLater):
            mail_digests(Work())  # type: ignore[arg-type]
    mail_digests(Work())  # type: ignore[arg-type]
    [daily] = mailoutbox
    assert daily.subject.startswith(f"{len(KINDS)} notices of today: ")


def refuse(_mail: EmailMessage) -> int:
    raise ConnectionRefusedError


def test_choices_are_made_on_the_page(user: User) -> None:
    client = Client()
    client.force_login(user)
    page = client.get("/notices/").content.decode()
    assert page.count("<select") == len(GROUPS)
    sent = {f"pace-{group}": "daily" for group in GROUPS}
    assert client.post("/notices/mail/", sent).status_code == 302
    assert set(mail_choice(Owner(user_id=user.pk)).paces.values()) == {"daily"}
    client.post("/notices/mail/", {**sent, "pace-games": "hourly"})
    assert set(mail_choice(Owner(user_id=user.pk)).paces.values()) == {"daily"}
    client.post("/notices/mail/", {"mail": "0"})
    tell(user)
    assert digests(timezone.now()) == {}


def test_odd_choices_are_refused(user: User) -> None:
    with pytest.raises(Refusal, match="now, daily, never"):
        choose_paces(Owner(user_id=user.pk), {"weather": "now"})
    with pytest.raises(NotFound):
        choose_paces(NOBODY, {})
