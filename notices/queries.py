"""The only readers of notices: the count of unread ones, a page of them, those to be mailed."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.cache import cache
from django.db.models import Exists, OuterRef

from accounts.models import User
from accounts.owner import Owner
from accounts.pagination import RowsPage, load_page
from engine.records import copy_fields, frozen_dataclass
from jobs.personal_data import DataFile
from notices.models import Notice, NoticeChoice, PageReport

PER_PAGE = 20
COUNT_MAX = 99
STAFF_MAX = 50
# How long a count stays in the cache; what another process wrote is seen after that at the latest.
COUNT_SECONDS = 60
MAILED_WITHIN = timedelta(days=1)


@frozen_dataclass
class NoticeRow:
    """One notice.

    ``path`` is where it is dealt with; ``subject`` names the event it belongs to, "" for none.
    """

    id: int
    kind: str
    words: str
    path: str
    subject: str
    created_at: datetime
    is_read: bool


@frozen_dataclass
class Mailing:
    """A notice to be sent by mail. The address is for the mail server and for nobody else."""

    id: int
    user_id: int
    address: str
    words: str
    path: str


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


def notices_of(actor: Owner, *, page: int = 1) -> RowsPage[NoticeRow]:
    """Return one page of somebody's notices, the newest first. One query."""
    rows = Notice.objects.none()
    if actor.user_id is not None:
        rows = Notice.objects.filter(user_id=actor.user_id)
    return load_page(rows.order_by("-id"), _notice_row, page=page, per_page=PER_PAGE)


def _notice_row(row: Notice) -> NoticeRow:
    return copy_fields(NoticeRow, row, is_read=row.read_at is not None)


def wants_mail(actor: Owner) -> bool:
    """Return whether somebody gets notices by mail: yes until they choose otherwise. One query."""
    if actor.user_id is None:
        return False
    return not NoticeChoice.objects.filter(user_id=actor.user_id, wants_mail=False).exists()


def choice_by_token(token: str) -> bool | None:
    """Return the same by the token of a mail's link; None for an unknown one."""
    if not (token.isascii() and token.isprintable()):
        return None
    rows = NoticeChoice.objects.filter(token=token)
    return rows.values_list("wants_mail", flat=True).first()


def to_be_mailed(now: datetime) -> tuple[Mailing, ...]:
    """Return the unsent notices of the last day, for people who want mail. One query.

    Where addresses must be confirmed, only confirmed ones are written to.
    """
    unwanted = NoticeChoice.objects.filter(user=OuterRef("user"), wants_mail=False)
    rows = Notice.objects.filter(
        mailed_at=None, created_at__gt=now - MAILED_WITHIN, user__is_active=True
    )
    # No mail leads to .invalid, where the people of the demo club live.
    rows = (
        rows.exclude(Exists(unwanted))
        .exclude(user__email="")
        .exclude(user__email__endswith=".invalid")
    )
    if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        rows = rows.filter(
            Exists(EmailAddress.objects.filter(user=OuterRef("user"), verified=True))
        )
    return tuple(
        Mailing(row.pk, row.user_id, row.user.email, row.words, row.path)
        for row in rows.select_related("user").order_by("id")[:500]
    )


def notice_files(user_id: int) -> Iterator[DataFile]:
    """All notices in one file, and all reports in another."""
    notices = Notice.objects.filter(user=user_id).order_by("pk")
    yield (
        "notices",
        list(notices.values("kind", "words", "path", "subject", "created_at", "read_at")),
    )
    reports = PageReport.objects.filter(user=user_id).order_by("pk")
    yield (
        "reports",
        list(
            reports.values("page", "reason", "words", "email", "created_at", "handled_at")
        ),
    )
