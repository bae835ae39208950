"""The report of a catalogue that was read, as it is kept with the list: names and figures only."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any

from engine.records import Fields
from rulesdata.foreign.differences import Difference
from rulesdata.foreign.keys import plain_name
from rulesdata.foreign.readings import ReadFiles
from rulesdata.foreign.reports import TranslationDoubt
from rulesdata.queries.catalogue_readings import CatalogueReading
from rulesdata.schema.list_terms import LimitRecord

# A name may be so long; whatever is longer in a file is a text, and is cut.
TEXT_LENGTH = 120


def report_of(reading: CatalogueReading) -> Fields:
    """Return the report of a reading: what was translated, is doubtful and was dropped."""
    found, document = reading.found, reading.document
    names = {unit["id"]: unit["name"] for unit in document["units"]}
    limits = _limits(document)
    report = {
        "catalogue": {"id": found.id, "name": found.name, "revision": found.revision},
        "list": document["name"],
        "price_type": found.price_type,
        "second_type": found.second_type,
        **offers_of(reading.read),
        "counts": {**found.counts, "limits": len(limits)},
        "units": _units(document),
        "limits": limits,
        "equipment": [
            {"name": one["name"], "options": len(one.get("options", ()))}
            for one in document.get("equipment", ())
        ],
        "doubts": [asdict(one) for one in found.report.doubts],
        "is_cut": found.report.is_cut,
        "dropped": [{"what": name, "count": number} for name, number in reading.dropped],
        "places": [asdict(one) for one in reading.places],
        "edits": [{"id": key, "name": names.get(key, key)} for key in reading.edits],
        "difference": told_difference(reading.difference),
    }
    cut: Fields = short(report)
    return cut


def offers_of(read: ReadFiles) -> Fields:
    """Return what there is to choose from in files, and what is missing."""
    return {
        "catalogues": list(read.catalogues),
        "price_types": [{"id": key, "name": name} for key, name in read.price_types],
        "missing": list(read.missing),
    }


def told_difference(found: Difference | None) -> Fields | None:
    """Return what a newer version changes; None where there is no older one."""
    if found is None:
        return None
    told = asdict(found)
    told["renamed"] = [{"was": was, "now": now} for was, now in found.renamed]
    told["prices"] = [
        {**asdict(one), "option": one.option or None, "words": one.words}
        for one in found.prices
    ]
    return {**told, "is_empty": found.is_empty}


def short(told: Any) -> Any:
    """Return a value without texts that are longer than a name may be."""
    if isinstance(told, str):
        return told[:TEXT_LENGTH]
    if isinstance(told, Mapping):
        return {key: short(one) for key, one in told.items()}
    if isinstance(told, list | tuple):
        return [short(one) for one in told]
    return told


def _units(document: Fields) -> list[Fields]:
    """Return each unit's name, points, number of options and limits."""
    limits = {one["id"]: one for one in document.get("limits", ())}
    return [
        {
            "id": unit["id"],
            "name": unit["name"],
            "points": unit["points"],
            "second": unit.get("second"),
            "options": len(unit.get("options", ())),
            "least": limits.get(unit["id"], {}).get("min"),
            "most": limits.get(unit["id"], {}).get("max"),
        }
        for unit in document["units"]
    ]


def _limits(document: Fields) -> list[str]:
    return [LimitRecord.model_validate(one).words for one in document.get("limits", ())]


# As its page shows it


def of_unit(report: Fields, wanted: str) -> Fields:
    """Return what a report says of the units whose name has these words; all of it without."""
    words = plain_name(wanted)
    if not words:
        return report
    return {
        **report,
        "units": [one for one in report["units"] if words in plain_name(one["name"])],
        "doubts": [one for one in report["doubts"] if words in plain_name(one["unit"])],
        "limits": [one for one in report.get("limits", ()) if words in plain_name(one)],
        "equipment": [],
    }


def report_page(report: Fields) -> Fields:
    """Return a report with its doubts as sentences by unit; those of no unit stand first."""
    told = sorted(report["doubts"], key=lambda one: str(one["unit"]))
    by_unit = [
        (unit, [TranslationDoubt(**one).sentence for one in ones])
        for unit, ones in groupby(told, key=lambda one: str(one["unit"]))
    ]
    return {**report, "doubts": by_unit, "doubt_count": len(told)}
