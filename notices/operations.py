"""The only writers of notices and of whether somebody wants them by mail.

Who is told what is decided by the callers, such as `campaigns.operations.notify`.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotFound, Refusal
from accounts.owner import Owner
from accounts.tokens import is_token
from engine.records import frozen_dataclass, named_values
from engine.text import clean_line, clean_lines
from jobs.queue import JobDraft, enqueue
from notices.models import (
    GROUPS,
    REPORT_MAX,
    REPORTED_MAX,
    SUBJECT_MAX,
    WORDS_MAX,
    Notice,
    NoticeChoice,
    Pace,
    PageReport,
    ReportReason,
)
from notices.queries import DIGEST_EVERY, count_key, staff_ids

MAIL_NOTICES = "mail-notices"


@frozen_dataclass
class NoticeDraft:
    """A notice for one person: a sentence and the path to follow. Stored once for a kind and key."""

    user_id: int
    kind: str
    words: str
    path: str
    key: str = ""


def send_notices(drafts: Iterable[NoticeDraft], *, subject: str = "") -> None:
    """Store notices in the transaction of what they are about; mail follows after the commit.

    ``subject`` is the name of the event they belong to, "" for none. Three statements, and none
    where there is nobody to tell.
    """
    rows = [
        Notice(
            **named_values(draft, "user_id", "kind", "path", "key"),
            subject=subject[:SUBJECT_MAX],
            words=draft.words[:WORDS_MAX],
        )
        for draft in drafts
    ]
    if not rows:
        return
    with transaction.atomic():
        # A notice of a kind and key that is there already is left out.
        Notice.objects.bulk_create(rows, ignore_conflicts=True)
        enqueue(None, JobDraft(MAIL_NOTICES, "Mail notices"))
    _clear_counts({row.user_id for row in rows})


def report_page(
    actor: Owner, *, page: str, reason: str, words: str, email: str = ""
) -> int:
    """Store what somebody reports and tell the staff; returns its number.

    Raises Refusal for text that cannot be stored.
    """
    with transaction.atomic():
        report = PageReport.objects.create(
            page=clean_line(page, field="page", limit=REPORTED_MAX),
            reason=reason,
            words=clean_lines(words, field="words", limit=REPORT_MAX),
            email=email,
            user_id=actor.user_id,
        )
        path = reverse("admin:notices_pagereport_change", args=[report.pk])
        sentence = f"A page was reported. {ReportReason(reason).label}."
        send_notices(NoticeDraft(pk, "report", sentence, path) for pk in staff_ids())
    return report.pk


def open_notice(actor: Owner, pk: int) -> str:
    """Mark a notice as read; returns the path where it is dealt with.

    Raises NotFound for another's.
    """
    row = Notice.objects.filter(pk=pk, user_id=actor.user_id or 0).first()
    if row is None:
        raise NotFound("notice")
    if row.read_at is None:
        Notice.objects.filter(pk=row.pk).update(read_at=timezone.now())
        _clear_counts({row.user_id})
    return row.path


def read_all(actor: Owner) -> int:
    """Mark all of one's own as read; returns how many were not."""
    user_id = actor.user_id or 0  # no row has the person 0
    unread = Notice.objects.filter(user_id=user_id, read_at=None)
    count = unread.update(read_at=timezone.now())
    _clear_counts({user_id})
    return count


def choose_mail(actor: Owner, **choice: Any) -> None:
    """Set whether or when notices come by mail. Raises NotFound for somebody without an account."""
    if actor.user_id is None:
        raise NotFound("choice")
    NoticeChoice.objects.update_or_create(user_id=actor.user_id, defaults=choice)


def choose_paces(actor: Owner, paces: Mapping[str, str]) -> None:
    """Set when each group of notices comes by mail; what is left out comes at once.

    Raises NotFound for somebody without an account, Refusal for an unknown group or pace.
    """
    for group, pace in paces.items():
        if group not in GROUPS or pace not in Pace.values:
            raise Refusal(
                f"Choose {', '.join(Pace.values)} for each kind of notice.",
                field=f"pace-{group}",
            )
    later = {key: pace for key, pace in paces.items() if pace != Pace.NOW}
    choose_mail(actor, paces=later)


def begin_digest(user_id: int, now: datetime) -> bool:
    """Note that the daily mail of somebody goes out; of several workers one may send it."""
    due = NoticeChoice.objects.filter(user_id=user_id).filter(
        Q(digest_at=None) | Q(digest_at__lte=now - DIGEST_EVERY)
    )
    return bool(due.update(digest_at=now))


def choose_by_token(token: str, *, wants_mail: bool) -> None:
    """Set the same by the link of a mail, without signing in. Raises NotFound for a wrong link."""
    rows = NoticeChoice.objects.filter(token=token)
    if not (is_token(token) and rows.update(wants_mail=wants_mail)):
        raise NotFound("choice")


def choice_tokens(user_ids: Iterable[int]) -> dict[int, str]:
    """Return the token of each person's link, made where there is none. Three statements at most."""
    wanted = set(user_ids)
    rows = NoticeChoice.objects.filter(user_id__in=wanted)
    missing = wanted - set(rows.values_list("user_id", flat=True))
    if missing:
        NoticeChoice.objects.bulk_create(
            [NoticeChoice(user_id=pk) for pk in missing], ignore_conflicts=True
        )
    return dict(rows.values_list("user_id", "token"))


def _clear_counts(user_ids: Iterable[int]) -> None:
    """Forget the counts of the header, now and after the commit.

    A request in between would count the old rows and put that count into the cache.
    """
    forget = partial(cache.delete_many, [count_key(pk) for pk in user_ids])
    forget()
    transaction.on_commit(forget, robust=True)
