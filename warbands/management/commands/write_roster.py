"""Writes a warband as a file of another app, and says what its form does not keep."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rulesdata.management.refusals import refused_as_error
from warbands.exchange.foreign.export import FORMS, write_roster
from warbands.models import Warband
from warbands.queries.foreign_lists import outgoing_roster
from warbands.queries.warbands import build_roster, load_rows


class Command(BaseCommand):
    help = (
        "Write a warband for BattleScribe, New Recruit or Old World Builder, whoever owns it. "
        "Prints what the form does not keep."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("token", help="the last part of the warband's address")
        parser.add_argument("--to", required=True, choices=list(FORMS))
        parser.add_argument("--out", required=True, type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        warband = Warband.objects.filter(token=options["token"]).first()
        if warband is None:
            raise CommandError("There is no such warband.")
        out = outgoing_roster(build_roster(warband, load_rows(warband.pk)))
        if options["to"] not in out.forms:
            raise CommandError(f"This army can be written as {', '.join(out.forms)}.")
        file = write_roster(out, options["to"])
        with refused_as_error():
            options["out"].write_bytes(file.content)
        lost = [f"Not kept: {sentence}" for sentence in file.lost]
        self.stdout.write("\n".join([f"Wrote {options['out']}.", *lost]))
