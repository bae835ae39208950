"""Catalogues of another app that a club was sent: the list each comes to, its report, and
what became of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.utils import timezone

from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import Fields, Texts, frozen_dataclass
from interchange.catalogues import plain_name
from interchange.files import NamedBytes
from interchange.translation import (
    Frame,
    ReadFiles,
    ReadingWishes,
    Translation,
    TranslationDoubt,
    read_files,
)
from jobs.queries import live_jobs
from rulesdata import own_store, registry
from rulesdata.catalogue_lists.documents import ListHead, build_frame, list_document
from rulesdata.catalogue_lists.versions import (
    compare_prices,
    laid_over,
    merged,
    unit_digests,
    unit_keys,
)
from rulesdata.models import SentCatalogue
from rulesdata.own_lists import PrintedLists, dump
from rulesdata.own_store import parse_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.queries.clubs import load_club_to_write, load_list_to_write
from rulesdata.queries.lookup import NotInRuleBook, find_printed_lists
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


@frozen_dataclass
class CatalogueReading:
    """What a reading comes to: the file of the list, what was translated, and the report.

    ``stamp`` is that of the list that a newer version was read for.
    """

    document: Fields
    translation: Translation
    report: Fields
    stamp: str = ""


class UnreadFiles(Refusal):
    """Files that come to no list; ``offers`` says what they hold."""

    def __init__(self, read: ReadFiles) -> None:
        message, place = read.refusal or ("", "files")
        super().__init__(message, field=place)
        self.offers = list_offers(read)


# Reading


def read_draft(draft: CatalogueDraft, read: Read = read_files) -> CatalogueReading:
    """Return the list that files come to; nothing is stored, and no club is asked.

    Raises UnreadFiles naming the field, FaultyList where the list cannot be kept as it is.
    """
    own_list = own_store.find(draft.token) if draft.token else None
    before = dump(own_list.file) if own_list else {}
    basis = own_list or draft
    shelf = find_printed_lists(basis.collection, basis.base)
    frame = build_frame(shelf.collection, shelf.common, is_fixed=shelf.army is not None)
    # The id and the name of the catalogue that a list was made of; empty for none.
    first = (before.get("catalogues") or [{"id": "", "name": ""}])[0]
    wishes = ReadingWishes(
        draft.catalogue, draft.also, draft.price_type, (first["id"], first["name"])
    )
    answer = read(draft.files, wishes, frame)
    translation = answer.translation
    if translation is None:
        raise UnreadFiles(answer)
    head = _list_head(translation, before.get("name", ""), shelf)
    document = list_document(translation, head)
    units = shelf.army.units if shelf.army else []
    if shelf.army:
        aliases = registry.load_aliases(shelf.collection.id, head.base)
        document = laid_over(document, units, aliases)
    if own_list:
        document = merged(before, document)
    parse_own_list(Document(document), shelf)
    report = _build_report(document, translation)
    report |= list_offers(answer) | {"places": compare_prices(document, before, units)}
    report |= {"edits": _find_edits(draft.token, before, document)}
    return CatalogueReading(
        document, translation, cut_texts(report), own_list.stamp if own_list else ""
    )


def _list_head(translation: Translation, name: str, shelf: PrintedLists) -> ListHead:
    """Return what a list is called and stands on; without ``name`` as its catalogue is."""
    # A name without what its maker added in brackets: The Wardens (1a).
    bare_name = translation.name.partition("(")[0].strip() or translation.name
    base = shelf.army.army if shelf.army else ""
    return ListHead(
        name or bare_name[:80].strip(), shelf.collection, base, timezone.localdate()
    )


def _find_edits(token: str, before: Fields, document: Fields) -> list[Fields]:
    """Return the units of a list that its club changed since the last reading made them."""
    last = last_taken(token) if token else None
    made = last.outcome.get("made", {}) if last else {}
    digests = unit_digests(before)
    names = {unit["id"]: unit["name"] for unit in document["units"]}
    return [
        {"id": key, "name": names.get(key, key)}
        for key in unit_keys(before)
        if key in made and made[key] != digests.get(key, "")
    ]


# The report of a catalogue that was read, as it is kept with the list: names and figures
# only.

# A name may be so long; whatever is longer in a file is a text, and is cut.
TEXT_LENGTH = 120


def _build_report(document: Fields, translation: Translation) -> Fields:
    """Return what was translated, is doubtful and was dropped."""
    limits = document.get("limits", ())
    unit_limits = {limit["id"]: limit for limit in limits}
    source = {key: getattr(translation, key) for key in ("id", "name", "revision")}
    return {
        "catalogue": source,
        "list": document["name"],
        "price_type": translation.price_type,
        "second_type": translation.second_type,
        "counts": {**translation.counts, "limits": len(limits)},
        "units": [
            {
                "id": unit["id"],
                "name": unit["name"],
                "points": unit["points"],
                "second": unit.get("second"),
                "options": len(unit.get("options", ())),
                "least": unit_limits.get(unit["id"], {}).get("min"),
                "most": unit_limits.get(unit["id"], {}).get("max"),
            }
            for unit in document["units"]
        ],
        "limits": [LimitRecord.model_validate(limit).words for limit in limits],
        "equipment": [
            {"name": shared["name"], "options": len(shared.get("options", ()))}
            for shared in document.get("equipment", ())
        ],
        "doubts": [asdict(doubt) for doubt in translation.report.doubts],
        "is_cut": translation.report.is_cut,
        "dropped": [
            {"what": name, "count": number}
            for name, number in translation.report.dropped.most_common()
        ],
    }


def list_offers(read: ReadFiles) -> Fields:
    """Return what there is to choose from in files, and what is missing."""
    return {
        "catalogues": list(read.catalogues),
        "price_types": [{"id": key, "name": name} for key, name in read.price_types],
        "missing": list(read.missing),
    }


def cut_texts(value: Any) -> Any:
    """Return a value without texts that are longer than a name may be."""
    if isinstance(value, str):
        return value[:TEXT_LENGTH]
    if isinstance(value, Mapping):
        return {key: cut_texts(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [cut_texts(part) for part in value]
    return value


def report_page(report: Fields, unit: str) -> Fields:
    """Return a report as its page shows it: its doubts as sentences by unit.

    Doubts of no unit stand first. Where ``unit`` has words, only units with these in their name.
    """
    wanted = plain_name(unit)
    if wanted:
        report = {
            **report,
            "units": [row for row in report["units"] if wanted in plain_name(row["name"])],
            "doubts": [
                row for row in report["doubts"] if wanted in plain_name(row["unit"])
            ],
            "limits": [
                row for row in report.get("limits", ()) if wanted in plain_name(row)
            ],
            "equipment": [],
        }
    doubts = sorted(report["doubts"], key=itemgetter("unit"))
    by_unit = [
        (name, [TranslationDoubt(**doubt).sentence for doubt in rows])
        for name, rows in groupby(doubts, key=itemgetter("unit"))
    ]
    return {**report, "doubts": by_unit, "doubt_count": len(doubts)}


# Catalogues that a club was sent: one of them, and the one that a list was last made of.

NOT_THERE = "These files are not kept any more, or are not your club's. Choose them again."


def load_sent(actor: Owner, slug: str, token: str) -> SentCatalogue:
    """Return the row of what was sent, for those who run the club.

    Raises NotAllowed for its other members, NotInRuleBook.
    """
    return find_sent(load_club_to_write(actor, slug).id, token)


def live_job(row: SentCatalogue) -> str:
    """Return the token of the job that reads the files, "" where it is over. At most one query."""
    return "" if row.outcome else next(iter(live_jobs([row.job])), "")


def sent_offers(row: SentCatalogue) -> Fields:
    """Return the names there are to choose from in what was sent."""
    outcome = row.outcome
    offers: Fields = outcome.get("report") or outcome.get("refusal", {}).get("offers", {})
    return offers


def find_sent(club_id: int, token: str) -> SentCatalogue:
    """Return the row of files that a club was sent. Raises NotInRuleBook."""
    rows = SentCatalogue.objects.filter(club_id=club_id, token=token).defer("files")
    row = rows.select_related("army", "author", "club").first()
    if row is None:
        raise NotInRuleBook(NOT_THERE)
    return row


def load_list_report(actor: Owner, slug: str, token: str) -> SentCatalogue:
    """Return the row of the files that a list was last made of, for those who run its club.

    Raises NotAllowed for its other members, NotInRuleBook.
    """
    load_list_to_write(actor, slug, token)
    row = last_taken(token)
    if row is None:
        raise NotInRuleBook("This list was made without a catalogue.")
    return row


def last_taken(token: str) -> SentCatalogue | None:
    """Return the row of the files that a list was last made of."""
    rows = SentCatalogue.objects.filter(army__token=token, taken_at__isnull=False)
    return (
        rows.defer("files")
        .select_related("army", "author", "club")
        .order_by("-taken_at")
        .first()
    )
