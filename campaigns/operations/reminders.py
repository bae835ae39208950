"""Reminders of lists: to be handed in within a day, or missing now that the deadline is over.

Told once each.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Entry, EntryStatus, EventStatus, ListLock, Round, RoundStatus
from notices.operations import NoticeDraft, send_notices

NEAR = timedelta(days=1)
BEFORE_CLOSED = (RoundStatus.PLANNED, RoundStatus.DRAFT, RoundStatus.PUBLISHED)


def remind_of_lists(now: datetime | None = None) -> int:
    """Tell everybody without a list, of the rounds whose deadline is a day away or was over within
    the last day.

    Returns how many were to be told. Two queries for each round, whose lists are due on the same
    day.
    """
    now = now or timezone.now()
    rounds = Round.objects.filter(
        lists_due_at__gt=now - NEAR,
        lists_due_at__lte=now + NEAR,
        status__in=BEFORE_CLOSED,
        event__needs_list=True,
        event__archived_at=None,
    ).exclude(event__status=EventStatus.FINISHED)
    return sum(_remind(row, now) for row in rounds.select_related("event").order_by("id"))


def _remind(row: Round, now: datetime) -> int:
    event, due = row.event, row.lists_due_at
    assert due is not None
    handed_in = ListLock.objects.filter(round=row, entry=OuterRef("pk"), snapshot__isnull=False)
    missing = Entry.objects.filter(
        event=event, status=EntryStatus.ACTIVE, joined__lte=row.number, user__isnull=False
    )
    users = list(missing.exclude(Exists(handed_in)).values_list("user_id", flat=True))
    is_over = due <= now
    at = f"{timezone.localtime(due):%a %-d %B, %H:%M}"
    words = (
        (
            f"{event.name}, {row}: your list is missing and the deadline is over. Ask an "
            "organiser to unlock yours."
        )
        if is_over
        else f"{event.name}, {row}: hand in your list by {at}."
    )
    kind = "list_missing" if is_over else "list_due"
    path = reverse("list-hand-in", args=[event.token, row.number])
    with transaction.atomic():
        send_notices(
            [
                NoticeDraft(pk, kind, words, path, f"{row.pk} {due:%Y%m%d%H%M}")
                for pk in users
                if pk
            ],
            subject=event.name,
        )
    return len(users)
