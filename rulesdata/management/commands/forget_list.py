"""Delete a club's list, or archive it: `forget_list own-… [--retire]`.

For the staff, where a list must not stay. Warbands that have it keep their units by name, and say
that the club has deleted it.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rulesdata.operations.own_lists import forget_list


class Command(BaseCommand):
    """Archives or deletes a list of a club."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("token", help="the list's key, such as own-abc")
        parser.add_argument("--retire", action="store_true", help="archive it only")

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete or archive the list of a token; CommandError where there is none."""

        name = forget_list(options["token"], is_deleted=not options["retire"])
        if not name:
            raise CommandError("There is no list of this key.")
        self.stdout.write(f"{name}: {'archived' if options['retire'] else 'deleted'}.")
