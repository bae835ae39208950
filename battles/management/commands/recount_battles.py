"""Works every total of every battle out again from its events and its result.

Safe to run as often as you like.
"""

from typing import Any

from django.core.management.base import BaseCommand

from battles.operations.log import recount_battles


class Command(BaseCommand):
    help = (
        "Work out again what battles keep of their events and results; says how many had other "
        "totals."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        count = recount_battles()
        self.stdout.write(f"{count} battle{'' if count == 1 else 's'} had other totals.")
