"""`manage.py remove_demo`: takes the demo club away."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from campaigns.operations.demo import remove_demo_club


class Command(BaseCommand):
    help = "Delete the demo club, its league, its sample warbands and its made-up people."

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove the demo club and its people, and warn that it may be made again."""
        people = remove_demo_club()
        self.stdout.write(
            f"The demo club is gone, with {people} made-up people."
            if people
            else "There is no demo club."
        )
        if settings.DEMO:
            self.stdout.write("The next start makes it again, unless DEMO=0 is set.")
