"""The job that mails notices. What does it is loaded when the first one comes."""

from __future__ import annotations

from jobs.handlers import JobResult, Work, add_handler
from notices.operations import MAIL_NOTICES


def connect() -> None:
    """Make the kind known."""
    add_handler(MAIL_NOTICES, _mail_notices)


def _mail_notices(work: Work) -> JobResult:
    from notices.mail import mail_notices

    return mail_notices(work)
