"""Catalogues of another app that a club was sent: the list each comes to, its report, and
what became of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils import timezone

from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import Fields, Texts, frozen_dataclass
from interchange.files import NamedBytes
from interchange.names import plain_name
from interchange.reports import Translation, TranslationDoubt
from interchange.translation import Frame, ReadFiles, ReadingWishes, read_files
from jobs.queries import live_jobs
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, frame_of, list_document
from rulesdata.catalogue_lists.equipment_lists import unfolded
from rulesdata.catalogue_lists.versions import (
    Difference,
    PrintedArmy,
    PrintedUnit,
    UnitComparison,
    comparison,
    difference,
    laid_over,
    merged,
    own_edits,
    with_kept,
    without_words,
)
from rulesdata.errors import FaultyList
from rulesdata.models import SentCatalogue
from rulesdata.own_lists import OwnList, PrintedLists, digest, dump, read_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.queries.clubs import ClubHead, load_club, load_club_list, refuse_readers
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.schema.list_terms import LimitRecord

# A catalogue of another app, read for a club: the list it comes to, and what it changes.

Read = Callable[[Sequence[NamedBytes], ReadingWishes, Frame], ReadFiles]


# What is sent, and what it comes to


@frozen_dataclass
class CatalogueDraft:
    """Files of a game, and what is to be made of them; ``catalogue`` where several would do.

    ``base`` is the key of the army that the list lies over. ``also`` are names or ids of
    catalogues whose units join, ``price_type`` the name or id of the price that counts. ``token``
    is the list that a newer version is read for; then its collection and base count.
    """

    files: tuple[NamedBytes, ...] = field(repr=False)
    collection: str = ""
    catalogue: str = ""
    token: str = ""
    may_use: bool = False
    also: Texts = ()
    price_type: str = ""
    base: str = ""

    @property
    def wishes(self) -> ReadingWishes:
        return ReadingWishes(self.catalogue, self.also, self.price_type)


@frozen_dataclass
class ListState:
    """The list that a newer version is read for, and the digests of what the last reading made."""

    own: OwnList
    made: Mapping[str, str] = field(default_factory=dict)


@frozen_dataclass
class CatalogueReading:
    """What a reading comes to: the file of the list, the report, and what a list would change.

    ``places`` are the units that may take an army's place, ``edits`` keys of those that the club
    has changed itself.
    """

    document: Fields
    read: ReadFiles
    found: Translation
    places: tuple[UnitComparison, ...] = ()
    edits: Texts = ()
    difference: Difference | None = None

    @property
    def doubts(self) -> list[tuple[str, list[TranslationDoubt]]]:
        """The doubts by unit; those of no unit stand first."""
        told = sorted(self.found.report.doubts, key=lambda one: one.unit)
        return [
            (unit, list(ones)) for unit, ones in groupby(told, key=lambda one: one.unit)
        ]

    @property
    def dropped(self) -> list[tuple[str, int]]:
        """What was dropped, the most first."""
        return self.found.report.dropped.most_common()


class UnreadFiles(Refusal):
    """Files that come to no list; ``read`` says what they hold."""

    def __init__(self, read: ReadFiles) -> None:
        message, place = read.refusal or ("", "files")
        super().__init__(message, field=place)
        self.read = read


# Reading


def read_draft(
    draft: CatalogueDraft, state: ListState | None = None, read: Read = read_files
) -> CatalogueReading:
    """Return the list that files come to; nothing is stored, and no club is asked.

    Raises UnreadFiles naming the field, FaultyList where the list cannot be kept as it is.
    """
    before = dump(state.own.file) if state else {}
    shelf = _shelf(draft, state)
    frame = frame_of(shelf.collection, shelf.common, is_fixed=shelf.army is not None)
    # The id and the name of the catalogue that a list was made of; empty for none.
    made_of = before.get("catalogues") or [{"id": "", "name": ""}]
    answer = read(
        draft.files,
        replace(draft.wishes, known=(made_of[0]["id"], made_of[0]["name"])),
        frame,
    )
    found = answer.found
    if found is None:
        raise UnreadFiles(answer)
    base = shelf.army.army if shelf.army else ""
    name = before.get("name") or _list_name(found.name)
    head = ListHead(name, shelf.collection, base, timezone.localdate())
    army = printed_army(shelf)
    document = laid_over(list_document(found, head), army)
    if state:
        document = merged(before, document)
    _check(document, shelf)
    places = comparison(document, before, army)
    return CatalogueReading(
        document,
        answer,
        found,
        places,
        own_edits(before, state.made, digests_of(before)) if state else (),
        difference(before, _unticked(before, document, places)) if state else None,
    )


def _unticked(before: Fields, document: Fields, places: Sequence[UnitComparison]) -> Fields:
    """Return the list as it becomes where nothing new takes an army's place."""
    return with_kept(before, document, {one.key for one in places if not one.is_taken})


def _shelf(draft: CatalogueDraft, state: ListState | None) -> PrintedLists:
    """Return the printed lists that a list stands on. Raises Refusal where there are none."""
    if state:
        return registry.find_printed_lists(state.own.collection, state.own.base)
    try:
        return registry.find_printed_lists(draft.collection, draft.base)
    except registry.UnknownKey as error:
        place = "base" if isinstance(error, registry.UnknownArmy) else "collection"
        raise Refusal(f"Based on: {error} Choose one of the list.", field=place) from None


def printed_army(shelf: PrintedLists) -> PrintedArmy:
    """Return the army that a list lies over, as catalogues are compared with it."""
    if shelf.army is None:
        return PrintedArmy()
    aliases = registry.aliases_of(shelf.collection.id, shelf.army.army)
    units = [PrintedUnit(one.id, one.name, one.points) for one in shelf.army.units]
    return PrintedArmy(tuple(units), aliases.origins, aliases.names)


def digests_of(document: Fields) -> dict[str, str]:
    """Return what tells the state of each unit that a catalogue brought."""
    return {
        unit["id"]: digest(without_words(unit))
        for unit in unfolded({"units": [], **document})["units"]
        if unit.get("origins")
    }


# Names and limits


def _list_name(name: str) -> str:
    """Return a name without what its maker added in brackets: The Wardens (1a)."""
    bare = name.partition("(")[0].strip()
    return (bare or name)[:80].strip()


def _check(document: Fields, shelf: PrintedLists) -> None:
    file, faults = read_own_list(Document(document), shelf)
    if file is None or faults:
        raise FaultyList(faults)


# The report of a catalogue that was read, as it is kept with the list: names and figures
# only.

# A name may be so long; whatever is longer in a file is a text, and is cut.
TEXT_LENGTH = 120


def report_of(reading: CatalogueReading) -> Fields:
    """Return the report of a reading: what was translated, is doubtful and was dropped."""
    found, document = reading.found, reading.document
    names = {unit["id"]: unit["name"] for unit in document["units"]}
    limits = [LimitRecord.model_validate(one).words for one in document.get("limits", ())]
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


# Catalogues that a club was sent: one of them, and the one that a list was last made of.

NOT_THERE = "These files are not kept any more, or are not your club's. Choose them again."


@frozen_dataclass
class SentRecord:
    """Files that were sent, as the organisers of the club see them.

    ``list_token`` is the list they were read for, or that was made of them; "" where there is none.
    ``job`` is the token of the job while it is not over, else "". ``who`` confirmed ``at`` that
    moment that the club may use them.
    """

    club: ClubHead
    token: str
    list_token: str
    list_name: str
    is_newer: bool
    job: str
    who: str
    at: datetime
    wishes: Fields
    report: Fields | None
    refusal: Fields | None
    document: Fields | None
    is_taken: bool


def load_sent(actor: Owner, slug: str, token: str) -> SentRecord:
    """Return what files came to, for those who run the club.

    Raises NotAllowed for its other members, NotInRuleBook.
    """
    club = load_club(actor, slug)
    refuse_readers(club)
    return sent_record(club, find_sent(club.id, token))


def load_earlier(
    actor: Owner, slug: str, token: str, again: str | None
) -> SentRecord | None:
    """Return what a form of files begins with: those sent before, else those a list was made of.

    Raises as load_sent.
    """
    if again is not None:
        return load_sent(actor, slug, again)
    row = last_taken(token) if token else None
    return sent_record(load_club(actor, slug), row) if row else None


def find_sent(club_id: int, token: str) -> SentCatalogue:
    """Return the row of files that a club was sent. Raises NotInRuleBook."""
    rows = SentCatalogue.objects.filter(club_id=club_id, token=token).defer("files")
    row = rows.select_related("army", "author").first()
    if row is None:
        raise NotInRuleBook(NOT_THERE)
    return row


def load_list_report(actor: Owner, slug: str, token: str) -> SentRecord:
    """Return the report of the files that a list was last made of, for those who run its club.

    Raises NotAllowed for its other members, NotInRuleBook.
    """
    club, _ = load_club_list(actor, slug, token)
    refuse_readers(club)
    row = last_taken(token)
    if row is None:
        raise NotInRuleBook("This list was made without a catalogue.")
    return sent_record(club, row)


def last_taken(token: str) -> SentCatalogue | None:
    """Return the row of the files that a list was last made of."""
    rows = SentCatalogue.objects.filter(army__token=token, taken_at__isnull=False)
    return (
        rows.defer("files").select_related("army", "author").order_by("-taken_at").first()
    )


def sent_record(club: ClubHead, row: SentCatalogue) -> SentRecord:
    """Return a row as its readers see it. One query, for its job."""
    is_live = bool(row.job) and not row.outcome and row.job in live_jobs([row.job])
    return SentRecord(
        club=club,
        token=row.token,
        list_token=str(row.army.token) if row.army else "",
        list_name=row.army.name if row.army else "",
        is_newer=bool(row.wishes.get("token")),
        job=row.job if is_live else "",
        who=str(row.author) if row.author else "",
        at=row.at,
        wishes=row.wishes,
        report=row.outcome.get("report"),
        refusal=row.outcome.get("refusal"),
        document=row.document,
        is_taken=row.taken_at is not None,
    )
