"""Writes down the results that silence confirmed. Safe to run as often as you like."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from battles.operations.ownership import purge_unclaimed_battles, settle_overdue


class Command(BaseCommand):
    help = (
        "Confirm proposed results that nobody answered in time, and delete battles nobody "
        "claimed for 90 days."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Confirm overdue results, delete unclaimed battles, and print how many."""
        now = timezone.now()
        settled, purged = settle_overdue(now), purge_unclaimed_battles(now)
        self.stdout.write(
            f"Confirmed {settled} result{'' if settled == 1 else 's'}, "
            f"deleted {purged} unclaimed battle{'' if purged == 1 else 's'}."
        )
