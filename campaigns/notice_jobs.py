"""The job that mails notices. What does it is loaded when the first one comes."""

from __future__ import annotations

from campaigns.operations.notices import MAIL_NOTICES
from jobs.handlers import JobResult, Work, add_handler


def connect_notice_jobs() -> None:
    """Make the kind known."""
    add_handler(MAIL_NOTICES, _mail_notices)


def _mail_notices(work: Work) -> JobResult:
    from campaigns.mailing import mail_notices

    return mail_notices(work)
