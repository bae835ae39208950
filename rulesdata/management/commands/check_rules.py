"""`manage.py check_rules`: the work list of the rule packs, the shapes of their files as JSON Schema, and
the kinds of guidelines.
"""

import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from pydantic import BaseModel

from engine.findings.checks import KINDS
from rulesdata.campaign_documents import check_campaign_files
from rulesdata.checks import check_folder
from rulesdata.pack_files.collections import SHARED_FILES
from rulesdata.pack_files.folders import PACKS, SYSTEM_FILES
from rulesdata.schema.campaigns import CampaignRulesFile
from rulesdata.schema.equipment import CommonFile
from rulesdata.schema.lists import (
    AliasesFile,
    ArmyFile,
    CollectionFile,
    MagicItemsFile,
    OwnListFile,
)
from rulesdata.schema.system import CoverageFile, FamilyFile

OTHER_NAMES = {"house_rules.yaml": "house-rules", "reference.yaml": "notes"}
"""Schemas that are not called like their file."""
FILES: dict[str, type[BaseModel]] = {
    "collection": CollectionFile,
    "common": CommonFile,
    "army": ArmyFile,
    "magic-items": MagicItemsFile,
    "own-list": OwnListFile,
    "aliases": AliasesFile,
    "family": FamilyFile,
    "coverage": CoverageFile,
    "campaign-rules": CampaignRulesFile,
    **{
        OTHER_NAMES.get(name, name.removesuffix(".yaml")): shape
        for name, shape in (*SHARED_FILES.values(), *SYSTEM_FILES.items())
    },
}
"""The name of each published schema, and the shape it is of."""
HEAD = "| kind | what it does | parameters | fields of the sentence |\n|---|---|---|---|\n"


def schema_documents() -> dict[str, str]:
    """File name to JSON text, one for each kind of file."""
    documents = {}
    for kind, shape in FILES.items():
        dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        schema = dialect | shape.model_json_schema()
        text = json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True)
        documents[f"{kind}.json"] = f"{text}\n"
    return documents


def outdated_schemas(folder: Path) -> list[str]:
    """Names of published schemas that are missing, differ from the code, or belong to no kind of
    file.
    """
    wanted = schema_documents()
    present = {
        path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")
    }
    names = wanted.keys() | present.keys()
    return sorted(name for name in names if wanted.get(name) != present.get(name))


def write_schemas(folder: Path) -> None:
    """Write every schema and remove those that belong to no kind of file."""
    folder.mkdir(parents=True, exist_ok=True)
    # A schema of a kind that is gone would mislead an editor for ever.
    for name in outdated_schemas(folder):
        (folder / name).unlink(missing_ok=True)
    for name, text in schema_documents().items():
        (folder / name).write_text(text, encoding="utf-8")


def kinds_table() -> str:
    """Return a Markdown table of all kinds; in brackets what may be left out."""
    rows = []
    for name, kind in KINDS.items():
        parameters = ", ".join([*kind.needs, *(f"({optional})" for optional in kind.may)])
        rows.append(
            f"| `{name}` | {kind.summary} | {parameters} | {', '.join(kind.fields)} |\n"
        )
    return HEAD + "".join(rows)


class Command(BaseCommand):
    help = (
        "Check every file of the rule packs; prints each fault with file, line, key and what was "
        "expected."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the pack to check, and the switches for schemas and kinds."""
        parser.add_argument(
            "--pack",
            type=Path,
            default=PACKS,
            help="one pack, or a tree of packs, anywhere",
        )
        parser.add_argument(
            "--write-schema", action="store_true", help="write docs/schema/*.json anew"
        )
        parser.add_argument(
            "--kinds", action="store_true", help="print the kinds of guidelines as Markdown"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print every fault of packs and schemas, and exit with 1 if there is any; or the kinds."""
        if options["kinds"]:
            self.stdout.write(kinds_table())
            return
        folder = settings.BASE_DIR / "docs" / "schema"
        if options["write_schema"]:
            write_schemas(folder)
        pack_faults = [
            *check_folder(options["pack"]),
            *check_campaign_files(options["pack"]),
        ]
        faults = [str(fault) for fault in pack_faults]
        # The schemas describe this program's own shapes, not those of a pack elsewhere.
        if options["pack"] == PACKS:
            faults += [
                f"docs/schema/{name}: run check_rules --write-schema"
                for name in outdated_schemas(folder)
            ]
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            self.stderr.write("1 fault." if len(faults) == 1 else f"{len(faults)} faults.")
            sys.exit(1)
        self.stdout.write("Every rule pack is in order.")
