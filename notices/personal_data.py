"""What the site keeps of a person's notices and reports, for their download."""

from collections.abc import Iterator

from jobs.personal_data import DataFile
from notices.models import Notice, Report


def notice_files(user_id: int) -> Iterator[DataFile]:
    """All notices in one file, and all reports in another."""
    notices = Notice.objects.filter(user=user_id).order_by("pk")
    yield (
        "notices",
        list(notices.values("kind", "words", "path", "subject", "created_at", "read_at")),
    )
    reports = Report.objects.filter(user=user_id).order_by("pk")
    yield (
        "reports",
        list(
            reports.values("page", "reason", "words", "email", "created_at", "handled_at")
        ),
    )
