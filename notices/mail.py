"""Notices by mail: one message each, with a link that ends all of them in one click (RFC 8058).

A notice is marked before it is sent: a worker killed in between loses one mail, which the page of
notices makes good. The other way round somebody would get it twice. No address reaches a log:
failures are logged in words of our own.
"""

from contextlib import closing
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
from notices.queries import digests, to_be_mailed

SUBJECT_MAX = 110
NO_ANSWER = "The mail server does not answer or refuses the email. We will try again."


def mail_notices(work: Work) -> JobResult:
    """Send what was not sent yet.

    Where the site has no mail server nothing is sent, but printed in development.
    """
    if not (settings.SENDS_MAIL or settings.DEBUG):
        return JobResult()
    waiting = to_be_mailed(timezone.now())
    tokens = choice_tokens(notice.user_id for notice in waiting)
    sent = 0
    with closing(get_connection()) as connection:
        for number, notice in enumerate(waiting, 1):
            if _claim(notice):
                text = f"{notice.words}\n\n{settings.SITE_URL}{notice.path}"
                mail = build_mail(notice, notice.words, text, tokens[notice.user_id])
                sent += _send(mail, notice, connection)
            work.progress(number, len(waiting))
    return JobResult(words=f"{sent} sent.")


def mail_digests(work: Work) -> JobResult:
    """Send the daily mails that are due: one to each person, with all that waited."""
    if not (settings.SENDS_MAIL or settings.DEBUG):
        return JobResult()
    now = timezone.now()
    due = digests(now)
    tokens = choice_tokens(due)
    sent = 0
    with closing(get_connection()) as connection:
        for user_id, waiting in due.items():
            if not begin_digest(user_id, now):
                continue
            # Another worker may have some of them.
            notices = [notice for notice in waiting if _claim(notice)]
            if notices:
                count = f"{len(notices)} notices of today: " if notices[1:] else ""
                text = "\n\n".join(
                    f"{notice.words}\n{settings.SITE_URL}{notice.path}"
                    for notice in notices
                )
                subject = count + notices[0].words
                mail = build_mail(notices[0], subject, text, tokens[user_id])
                sent += _send(mail, notices[0], connection)
    return JobResult(words=f"{sent} sent.")


def build_mail(notice: Notice, subject: str, text: str, token: str) -> EmailMessage:
    """Return the mail to the person of a notice, with how to get no more of them."""
    stop = f"{settings.SITE_URL}{reverse('notice-stop', args=[token])}"
    subject = " ".join(subject.split())
    if len(subject) > SUBJECT_MAX:
        subject = f"{subject[: SUBJECT_MAX - 1].rstrip()}…"
    host = urlsplit(settings.SITE_URL).hostname
    return EmailMessage(
        subject=subject,
        body=f"{text}\n\n-- \nSent by Muster Roll. Stop these emails: {stop}\n",
        to=[notice.user.email],
        headers={
            "Message-ID": make_msgid(idstring=f"notice-{notice.pk}", domain=host),
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )


def _claim(notice: Notice) -> bool:
    """Whether this worker sends it: of several at once only one."""
    rows = Notice.objects.filter(pk=notice.pk, mailed_at=None)
    return bool(rows.update(mailed_at=timezone.now()))


def _send(mail: EmailMessage, notice: Notice, connection: BaseEmailBackend) -> int:
    """Returns how many were sent.

    Raises JobLater where trying again may help; the notice is then to be sent again.
    """
    # One connection for all: greeting the server takes longer than a mail.
    mail.connection = connection
    try:
        return mail.send()
    except SMTPRecipientsRefused:
        return 0  # this address takes no mail, and others may
    except (SMTPException, OSError) as error:
        Notice.objects.filter(pk=notice.pk).update(mailed_at=None)
        raise JobLater(NO_ANSWER) from error
