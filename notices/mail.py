"""Notices by mail: one message each, with a link that ends all of them in one click (RFC 8058).

A notice is marked before it is sent: a worker killed in between loses one mail, which the page of
notices makes good. The other way round somebody would get it twice. No address reaches a log:
failures are logged in words of our own.
"""

from collections.abc import Sequence
from dataclasses import replace
from email.utils import make_msgid
from smtplib import SMTPException, SMTPRecipientsRefused
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.urls import reverse
from django.utils import timezone

from jobs.handlers import JobLater, JobResult, Work
from notices.models import Notice
from notices.operations import begin_digest, choice_tokens
from notices.queries import Mailing, digests, to_be_mailed

SUBJECT_MAX = 110
NO_ANSWER = "The mail server does not answer or refuses the email. We will try again."


def mail_notices(work: Work) -> JobResult:
    """Send what was not sent yet.

    Where the site has no mail server nothing is sent, but printed in development.
    """
    if not (settings.SENDS_MAIL or settings.DEBUG):
        return JobResult()
    waiting = to_be_mailed(timezone.now())
    tokens = choice_tokens(one.user_id for one in waiting)
    # One connection for all: greeting the server takes longer than a mail.
    connection = get_connection()
    sent = 0
    try:
        for number, one in enumerate(waiting, 1):
            if _claim(one):
                sent += _send(message(one, tokens[one.user_id], connection), one)
            work.progress(number, len(waiting))
    finally:
        connection.close()
    return JobResult(words=f"{sent} sent.")


def mail_digests(work: Work) -> JobResult:
    """Send the daily mails that are due: one to each person, with all that waited."""
    if not (settings.SENDS_MAIL or settings.DEBUG):
        return JobResult()
    now = timezone.now()
    due = digests(now)
    tokens = choice_tokens(due)
    connection = get_connection()
    sent = 0
    try:
        for user_id, waiting in due.items():
            if begin_digest(user_id, now):
                claimed = [one for one in waiting if _claim(one)]
                sent += _send_digest(claimed, tokens[user_id], connection)
    finally:
        connection.close()
    return JobResult(words=f"{sent} sent.")


def _send_digest(told: Sequence[Mailing], token: str, connection: BaseEmailBackend) -> int:
    """One mail of several notices; nothing where another worker has them."""
    if not told:
        return 0
    first, *others = told
    words = first.words
    if others:
        words = f"{len(told)} notices of today: {words}"
    listed = "\n\n".join(f"{one.words}\n{settings.SITE_URL}{one.path}" for one in told)
    mail = message(replace(first, words=words), token, connection)
    stop = mail.body.partition("\n\n-- \n")[2]
    mail.body = f"{listed}\n\n-- \n{stop}"
    return _send(mail, first)


def message(
    one: Mailing, token: str, connection: BaseEmailBackend | None = None
) -> EmailMessage:
    """The mail of a notice: its sentence, where it is dealt with, and how to get no more of them."""
    stop = f"{settings.SITE_URL}{reverse('notice-stop', args=[token])}"
    body = (
        f"{one.words}\n\n{settings.SITE_URL}{one.path}\n\n-- \nSent by Muster Roll. Stop "
        f"these emails: {stop}\n"
    )
    return EmailMessage(
        subject=_subject(one),
        body=body,
        to=[one.address],
        connection=connection,
        headers={
            "Message-ID": make_msgid(
                idstring=f"notice-{one.id}", domain=urlsplit(settings.SITE_URL).hostname
            ),
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )


def _subject(one: Mailing) -> str:
    words = " ".join(one.words.split())
    return words if len(words) <= SUBJECT_MAX else f"{words[: SUBJECT_MAX - 1].rstrip()}…"


def _claim(one: Mailing) -> bool:
    """Whether this worker sends it: of several at once only one."""
    return bool(
        Notice.objects.filter(pk=one.id, mailed_at=None).update(mailed_at=timezone.now())
    )


def _send(mail: EmailMessage, one: Mailing) -> int:
    """Returns how many were sent.

    Raises JobLater where trying again may help; the notice is then to be sent again.
    """
    try:
        return mail.send()
    except SMTPRecipientsRefused:
        return 0  # this address takes no mail, and others may
    except (SMTPException, OSError) as error:
        Notice.objects.filter(pk=one.id).update(mailed_at=None)
        raise JobLater(NO_ANSWER) from error
