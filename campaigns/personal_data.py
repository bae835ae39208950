"""What the site keeps of a person in events, for their download."""

from collections.abc import Iterator

from campaigns.models import CareerStep, Entry, ListLock
from jobs.personal_data import DataFile


def event_files(user_id: int) -> Iterator[DataFile]:
    """Each event they are in: their entry, the lists they handed in, the steps of their campaign."""
    rows = Entry.objects.filter(user=user_id).select_related("event", "warband")
    for row in rows.order_by("pk"):
        locks = ListLock.objects.filter(entry=row).select_related("snapshot", "round")
        yield (
            f"events/{row.event.token}",
            {
                "event": row.event.name,
                "kind": row.event.kind,
                "name": row.name,
                "status": row.status,
                "warband": row.warband.token if row.warband else None,
                "entered_at": row.created_at,
                "lists": [_list_data(lock) for lock in locks.order_by("pk")],
                "steps": list(CareerStep.objects.filter(entry=row).order_by("pk").values()),
            },
        )


def _list_data(lock: ListLock) -> dict[str, object]:
    roster = lock.snapshot.document if lock.snapshot else None
    return {"round": lock.round.number, "roster": roster}
