"""Campaign rules out of documents: those of the packs, and whatever else is checked for a system.

Reading a document takes some milliseconds, so what was read is kept by its digest. No database.
"""

import hashlib
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from threading import Lock

from engine.growth.document import check_document_size, read_rules
from engine.growth.rules import CampaignRules
from engine.growth.sections import FaultyRules, RulesFault
from engine.records import NamedValues, Texts, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.pack_files.folders import PACKS
from rulesdata.pack_files.yaml_files import Fault, ReadingError, read_file

FOLDER = "campaigns"
READ_KEPT = 200


@frozen_dataclass
class PackedRules:
    """Campaign rules that come with the site."""

    id: str
    document: NamedValues
    rules: CampaignRules


@cache
def packed_rules() -> dict[str, PackedRules]:
    """Return the sets of the packs by their ids. Raises ReadingError, FaultyRules."""
    found = {}
    for path in sorted((PACKS / FOLDER).glob("*.yaml")):
        document = read_file(path).data
        rules = read_rules(document)
        found[rules.id] = PackedRules(rules.id, document, rules)
    return found


def check_campaign_files(packs: Path) -> list[Fault]:
    """Return what is wrong with the campaign rules in a folder of packs."""
    found = []
    for path in sorted((packs / FOLDER).glob("*.yaml")):
        name = f"{FOLDER}/{path.name}"
        try:
            document = read_file(path, name)
            read_rules(document.data)
        except ReadingError as error:
            found.append(error.fault)
        except FaultyRules as error:
            found += [Fault(name, one.path, one.message) for one in error.faults]
    return found


def digest_of(document: NamedValues) -> str:
    """Return what tells one document from another."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class _ReadRules:
    """The rules that were read last, by digest of the document and characteristics checked."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, Texts], CampaignRules] = {}
        self.lock = Lock()

    def read(self, document: NamedValues, stats: Texts) -> CampaignRules:
        """Return the rules of a document. Raises FaultyRules, which is not kept."""
        key = digest_of(document), stats
        if (known := self.kept.get(key)) is not None:
            return known
        rules = read_rules(document, stats or None)
        with self.lock:
            # Emptied, not sorted out: rules are read again in some milliseconds.
            if len(self.kept) >= READ_KEPT:
                self.kept.clear()
            self.kept[key] = rules
        return rules


_read = _ReadRules()


def stats_of(system: System) -> Texts:
    """Return the characteristics that campaign rules may name in a system."""
    return tuple(stat.key for stat in system.stats)


def rules_reader(system: System) -> Callable[[NamedValues], CampaignRules]:
    """Return what reads the rules of a campaign that is played by this system.

    It raises FaultyRules.
    """
    return partial(read_for, system)


def read_for(system: System | None, document: NamedValues) -> CampaignRules:
    """Return the rules of a document, for a system where one is given.

    Raises FaultyRules with every fault: also where they are not for this system.
    """
    # Its size first: a digest of something nested too deeply cannot be made.
    check_document_size(document)
    rules = _read.read(document, stats_of(system) if system else ())
    if system and rules.systems and system.key not in rules.systems:
        words = f"do not name {system.key}: these rules are for others."
        raise FaultyRules([RulesFault("systems", words)])
    return rules


def find_system(key: str, variant: str) -> System:
    """Return a system by its key and variant. Raises UnknownKey."""
    return registry.load_system(key, variant or None)
