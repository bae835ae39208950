"""Notices by mail: one message each, with a link that ends all of them in one click (RFC 8058).

A notice is marked before it is sent: a worker killed in between loses one mail, which the page of
notices makes good. The other way round somebody would get it twice. No address reaches a log:
failures are logged in words of our own.
"""

from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from email.utils import make_msgid
from smtplib import SMTPException, SMTPRecipientsRefused
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.urls import reverse
from django.utils import timezone

from jobs.handlers import JobLater, JobResult, Work
from notices.models import Notice, NoticeChoice
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
    return _send_all(([notice] for notice in waiting), tokens, "\n\n")


def mail_digests(work: Work) -> JobResult:
    """Send the daily mails that are due: one to each person, with all that waited."""
    if not (settings.SENDS_MAIL or settings.DEBUG):
        return JobResult()
    now = timezone.now()
    due = digests(now)
    tokens = choice_tokens(due)
    # Each begins when its turn comes, for another worker may send some of them.
    begun = (notices for user_id, notices in due.items() if begin_digest(user_id, now))
    return _send_all(begun, tokens, "\n", now)


def _send_all(
    mails: Iterable[list[Notice]],
    tokens: dict[int, str],
    separator: str,
    begun_at: datetime | None = None,
) -> JobResult:
    """Send the notices of each list as one mail; raises JobLater where trying again may help.

    What was not sent waits again, and a daily mail ``begun_at`` that moment is due again.
    """
    sent = 0
    # One connection for all: greeting the server takes longer than a mail.
    with closing(get_connection()) as connection:
        for waiting in mails:
            # Of several workers at once only one sends a notice.
            notices = [
                notice
                for notice in waiting
                if Notice.objects.filter(pk=notice.pk, mailed_at=None).update(
                    mailed_at=timezone.now()
                )
            ]
            if not notices:
                continue
            first, url = notices[0], settings.SITE_URL
            count = f"{len(notices)} notices of today: " if len(notices) > 1 else ""
            text = "\n\n".join(
                f"{notice.words}{separator}{url}{notice.path}" for notice in notices
            )
            mail = build_mail(first, count + first.words, text, tokens[first.user_id])
            mail.connection = connection
            try:
                sent += mail.send()
            except SMTPRecipientsRefused:
                continue  # this address takes no mail, and others may
            except (SMTPException, OSError) as error:
                unsent = [notice.pk for notice in notices]
                Notice.objects.filter(pk__in=unsent).update(mailed_at=None)
                choices = NoticeChoice.objects.filter(user_id=first.user_id)
                choices.filter(digest_at=begun_at).update(digest_at=None)
                raise JobLater(NO_ANSWER) from error
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
