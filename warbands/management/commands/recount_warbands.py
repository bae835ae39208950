"""Works the stored totals of all warbands out again, after a price or a guideline was corrected in
the packs.
"""

from typing import Any

from django.core.management.base import BaseCommand

from warbands.operations.upkeep import recount_warbands


class Command(BaseCommand):
    help = (
        "Work out points, models and findings of every warband again. Run it after the rule "
        "books changed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        count = recount_warbands()
        self.stdout.write(f"{count} warband{'' if count == 1 else 's'} had other totals.")
