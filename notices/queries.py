"""The only readers of notices: the count of unread ones, a page of them, those to be mailed."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from accounts.owner import Owner
from accounts.pagination import RowsPage, load_page
from accounts.tokens import is_token
from engine.records import grouped
from jobs.personal_data import DataFile
from notices.models import Notice, NoticeChoice, Pace, PageReport, find_group

PER_PAGE = 20
COUNT_MAX = 99
STAFF_MAX = 50
# How long a count stays in the cache; what another process wrote is seen after that at the latest.
COUNT_SECONDS = 60
MAILED_WITHIN = timedelta(days=1)
DIGEST_EVERY = timedelta(hours=24)
# A daily mail holds what came since the last one, with some hours to spare.
DIGEST_WITHIN = timedelta(hours=36)
MAILED_MOST = 500


def mail_choice(actor: Owner) -> NoticeChoice:
    """Return what somebody chose; all at once until they choose otherwise. One query."""
    choice = NoticeChoice.objects.filter(user_id=actor.user_id or 0).first()
    return choice or NoticeChoice()


def count_key(user_id: int) -> str:
    """Return the key of somebody's count in the cache."""
    return f"notices-unread-{user_id}"


def staff_ids() -> list[int]:
    """Return who is told of a report: those who may use the administration, at most `STAFF_MAX`."""
    staff = User.objects.filter(is_staff=True, is_active=True).order_by("pk")
    return list(staff.values_list("pk", flat=True)[:STAFF_MAX])


def unread_count(actor: Owner) -> int:
    """Return the number of unread notices, at most `COUNT_MAX` + 1. One query a minute at most."""
    if actor.user_id is None:
        return 0
    key = count_key(actor.user_id)
    count = cache.get(key)
    if count is None:
        rows = Notice.objects.filter(user_id=actor.user_id, read_at=None).order_by()
        count = len(rows.values_list("pk")[: COUNT_MAX + 1])
        cache.set(key, count, COUNT_SECONDS)
    return int(count)


def load_notices(actor: Owner, *, page: int = 1) -> RowsPage[Notice]:
    """Return one page of somebody's notices, the newest first. One query."""
    rows = Notice.objects.filter(user_id=actor.user_id or 0).order_by("-id")
    return load_page(rows, lambda row: row, page=page, per_page=PER_PAGE)


def choice_by_token(token: str) -> bool | None:
    """Return the same by the token of a mail's link; None for an unknown one."""
    if not is_token(token):
        return None
    rows = NoticeChoice.objects.filter(token=token)
    return rows.values_list("wants_mail", flat=True).first()


def to_be_mailed(now: datetime) -> tuple[Notice, ...]:
    """Return the unsent notices of the last day that are to be mailed at once. Two queries."""
    return tuple(_of_pace(Pace.NOW, now - MAILED_WITHIN))


def digests(now: datetime) -> dict[int, list[Notice]]:
    """Return what the daily mail of each person holds who is due for one. Two queries."""
    sent_today = NoticeChoice.objects.filter(digest_at__gt=now - DIGEST_EVERY)
    waiting = set(sent_today.values_list("user_id", flat=True))
    notices = _of_pace(Pace.DAILY, now - DIGEST_WITHIN)
    return grouped(
        (notice.user_id, notice) for notice in notices if notice.user_id not in waiting
    )


def _of_pace(pace: Pace, since: datetime) -> Iterator[Notice]:
    """Return the unsent notices of a pace with their people, who want mail.

    Where addresses must be confirmed, only confirmed ones are written to.
    """
    paces = dict(NoticeChoice.objects.exclude(paces={}).values_list("user_id", "paces"))
    unwanted = NoticeChoice.objects.filter(user=OuterRef("user"), wants_mail=False)
    rows = Notice.objects.filter(mailed_at=None, created_at__gt=since, user__is_active=True)
    # No mail leads to .invalid, where the people of the demo club live.
    nowhere = Q(user__email="") | Q(user__email__endswith=".invalid")
    rows = rows.exclude(nowhere).exclude(Exists(unwanted))
    if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        confirmed = EmailAddress.objects.filter(user=OuterRef("user"), verified=True)
        rows = rows.filter(Exists(confirmed))
    if pace != Pace.NOW:
        rows = rows.filter(user_id__in=list(paces))
    notices = rows.select_related("user").order_by("id").iterator(chunk_size=MAILED_MOST)
    wanted = (
        notice
        for notice in notices
        if paces.get(notice.user_id, {}).get(find_group(notice.kind), Pace.NOW) == pace
    )
    return islice(wanted, MAILED_MOST)


def notice_files(user_id: int) -> Iterator[DataFile]:
    """All notices in one file, and all reports in another."""
    notices = Notice.objects.filter(user=user_id).order_by("pk")
    columns = ("kind", "words", "path", "subject", "created_at", "read_at")
    yield "notices", list(notices.values(*columns))
    reports = PageReport.objects.filter(user=user_id).order_by("pk")
    columns = ("page", "reason", "words", "email", "created_at", "handled_at")
    yield "reports", list(reports.values(*columns))
