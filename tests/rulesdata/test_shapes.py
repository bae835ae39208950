"""The published shapes of the files are current, and every pack keeps to them."""

import json
import re

import jsonschema

from rulesdata.campaign_documents import packed_rules
from rulesdata.checks.coverage import read_coverage
from rulesdata.management.commands.check_rules import FILES, outdated_schemas
from rulesdata.pack_files.collections import collection_folders, read_collection
from rulesdata.pack_files.folders import (
    FAMILIES,
    PACKS,
    Reader,
    read_system,
    system_folders,
)
from rulesdata.pack_files.yaml_files import VARIANTS
from rulesdata.schema.system import FamilyFile

KINDS = {
    "house_rules": "house-rules",
    "reference": "notes",
    "armies": "army",
    "families": "family",
}


def readers():
    for folder in collection_folders():
        yield read_collection(folder).reader
    for folder in system_folders():
        for variant in ("", *(path.name for path in (folder / VARIANTS).glob("*"))):
            pack = read_system(folder, variant)
            read_coverage(pack)
            yield pack.reader
    families = Reader(PACKS)
    for path in (PACKS / FAMILIES).glob("*.yaml"):
        families.read(f"{FAMILIES}/{path.name}", FamilyFile)
    yield families


def test_published_schemas_are_current(project_root):
    assert outdated_schemas(project_root / "docs" / "schema") == []


def test_published_schemas_accept_the_packs(project_root):
    published = {}
    for path in (project_root / "docs" / "schema").glob("*.json"):
        schema = json.loads(path.read_text())
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        published[path.stem] = validator(schema)
    assert set(published) == set(FILES)
    used = set()
    for reader in readers():
        for name, document in reader.documents.items():
            word = re.sub(r"\.yaml$", "", name.split("/")[0])
            kind = KINDS.get(word, word)
            published[kind].validate(document.data)
            used.add(kind)
    for packed in packed_rules().values():
        published["campaign-rules"].validate(packed.document)
        used.add("campaign-rules")
    assert used == set(FILES) - {"own-list"}  # a club's, and in no pack
