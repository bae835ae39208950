"""Deletes the warbands that somebody made without an account and left for 90 days.

Safe to run as often as you like.
"""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from warbands.operations.upkeep import purge_unclaimed


class Command(BaseCommand):
    help = (
        "Delete unclaimed warbands that nobody changed for 90 days, and request keys older than "
        "7 days."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        count = purge_unclaimed(timezone.now())
        self.stdout.write(f"Deleted {count} unclaimed warband{'' if count == 1 else 's'}.")
