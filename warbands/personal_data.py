"""What the site keeps of a person's warbands, for their download."""

from collections.abc import Iterator

from accounts.owner import Owner
from engine.records import named_values
from jobs.personal_data import DataFile
from warbands.exchange.document import to_document
from warbands.models import Warband
from warbands.queries.warbands import load_warband


def warband_files(user_id: int) -> Iterator[DataFile]:
    """Each warband as the document that can be imported again, and when it changed."""
    owner = Owner(user_id=user_id)
    rows = Warband.objects.filter(owner=user_id).order_by("pk")
    for row in rows.iterator(chunk_size=200):
        record = load_warband(owner, row.token)
        if record is not None:
            yield (
                f"warbands/{row.token}",
                {
                    "document": to_document(record.roster),
                    **named_values(
                        row, "visibility", "created_at", "updated_at", "archived_at"
                    ),
                },
            )
