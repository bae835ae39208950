"""Folds every growing campaign anew, and puts stored states right that are not what it comes to.

There should be none. Safe to run as often as you like.
"""

from typing import Any

from django.core.management.base import BaseCommand

from campaigns.growth.operations.ledger import recount_growth


class Command(BaseCommand):
    help = "Fold every campaign in which warbands grow, and correct stored states."

    def handle(self, *args: Any, **options: Any) -> None:
        """Recount all growing campaigns, print each corrected warband, and totals."""
        campaigns, wrong = recount_growth()
        for name in wrong:
            self.stdout.write(f"Corrected {name}.")
        self.stdout.write(f"{campaigns} campaigns, {len(wrong)} warbands corrected.")
