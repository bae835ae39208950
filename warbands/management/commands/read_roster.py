"""Reads a list of another app beside an army and prints what would become of it.

Nothing is stored. Ends with 1 where the list is refused.
"""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.owner import NOBODY
from rulesdata.management.refusals import refused_as_error
from warbands.exchange.document import to_document
from warbands.exchange.foreign.reader import read_list
from warbands.queries.foreign_lists import ListWishes, load_list_preview


class Command(BaseCommand):
    help = (
        "Read a list of BattleScribe, New Recruit, Old World Builder or a chat, and print what an "
        "army has of it, with both prices. --json prints our document. Nothing is stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--system", required=True, help="a rule system, with its variant: a-system.B"
        )
        parser.add_argument("--army", default="", help="found by the units if left out")
        parser.add_argument("--json", action="store_true", help="print our document alone")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        wishes = ListWishes(options["system"], options["army"])
        with refused_as_error():
            tree = read_list(file.name, file.read_bytes())
            found = load_list_preview(NOBODY, tree, wishes)
        if found.preview is None:
            near = [f"{one.key} ({one.share})" for one in found.armies[:5]]
            raise CommandError(
                f"The army is not certain. Choose one with --army: {', '.join(near)}."
            )
        if options["json"]:
            document = to_document(found.preview.roster)
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=1))
        else:
            preview = found.preview
            tree = found.tree
            lines = [f"{tree.name or 'A list'}, {tree.form}, army {found.army}"]
            for line in preview.lines:
                ours = f"{line.name}, {line.points_ours}" if line.entries else "a note"
                parts = [
                    f"    {part.theirs.name}: {part.match.how} {part.name}".rstrip()
                    for part in line.parts
                ]
                lines += [f"{line.theirs_words}: {line.match.how}, {ours}", *parts]
            lines.append(
                f"{preview.matched} of {len(preview.lines)} lines matched; theirs "
                f"{tree.total:f}, ours {preview.points_ours}"
            )
            report = lines + [f"! {remark}" for remark in preview.remarks]
            self.stdout.write("\n".join(report))
