"""A catalogue of another app, read for a club: the list it comes to, and what it changes."""

from itertools import groupby

from django.utils import timezone

from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import Fields, frozen_dataclass
from rulesdata import registry
from rulesdata.errors import FaultyList
from rulesdata.foreign.archives import NamedBytes, open_archives
from rulesdata.foreign.catalogues import choose_catalogue, close, read_catalogue_file
from rulesdata.foreign.differences import Difference, difference, merged
from rulesdata.foreign.documents import ListHead, frame_of, list_document
from rulesdata.foreign.reports import Translation, TranslationDoubt
from rulesdata.foreign.translation import missing_sentence, translate
from rulesdata.own_lists import PrintedLists, dump, read_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.queries.clubs import load_club_to_write
from rulesdata.queries.drafts import load_list_to_write

MAY_USE = "Confirm that your club may use these files here."


# What is sent, and what it comes to


@frozen_dataclass
class CatalogueDraft:
    """Files of a game, and what is to be made of them; ``catalogue`` where several would do.

    ``token`` is the list that a newer version is read for; then its collection counts.
    """

    files: tuple[NamedBytes, ...]
    collection: str = ""
    catalogue: str = ""
    token: str = ""
    may_use: bool = False


@frozen_dataclass
class CatalogueReading:
    """What a reading comes to: the file of the list, the report, and what a list would change."""

    document: Fields
    found: Translation
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


# Reading


def load_catalogue_reading(
    actor: Owner, slug: str, draft: CatalogueDraft
) -> CatalogueReading:
    """Return the list a catalogue comes to, for those who run the club; nothing is stored.

    Raises Refusal naming the field, FaultyList where the list cannot be kept as it is.
    """
    load_club_to_write(actor, slug)
    if not draft.may_use:
        raise Refusal(MAY_USE, field="may_use")
    if draft.token:
        own = load_list_to_write(actor, slug, draft.token).own
        before = dump(own.file)
        shelf = registry.find_printed_lists(own.collection, own.base)
        found, new = _read(draft, shelf, own.file.name)
        document = merged(before, new)
        _check(document, shelf)
        return CatalogueReading(document, found, difference(before, document))
    return read_files(draft)


def read_files(draft: CatalogueDraft) -> CatalogueReading:
    """Return the list that files come to; nothing is stored, and no club is asked.

    Raises Refusal naming the field, FaultyList.
    """
    shelf = _shelf(draft.collection)
    found, document = _read(draft, shelf, "")
    _check(document, shelf)
    return CatalogueReading(document, found)


def _shelf(collection: str) -> PrintedLists:
    """Return the printed lists of a collection. Raises Refusal where there is none."""
    try:
        return registry.find_printed_lists(collection, "")
    except registry.UnknownKey as error:
        raise Refusal(
            f"Stat lines of: {error} Choose one of the list.", field="collection"
        ) from None


def _read(
    draft: CatalogueDraft, shelf: PrintedLists, name: str
) -> tuple[Translation, Fields]:
    """Return what the files come to, and the list's file. Raises Refusal."""
    files = [read_catalogue_file(file) for file in open_archives(draft.files)]
    main = choose_catalogue(files, draft.catalogue)
    closure = close(main, files)
    if closure.missing:
        raise Refusal(missing_sentence(closure.missing), field="files")
    frame = frame_of(shelf.collection, shelf.common)
    found = translate(closure, frame)
    head = ListHead(
        name or _list_name(main.name),
        shelf.collection,
        read_on=timezone.localdate(),
    )
    return found, list_document(found, head)


# Names and limits


def _list_name(name: str) -> str:
    """Return a name without what its maker added in brackets: The Wardens (1a)."""
    bare = name.partition("(")[0].strip()
    return (bare or name)[:80].strip()


def _check(document: Fields, shelf: PrintedLists) -> None:
    file, faults = read_own_list(Document(document), shelf)
    if file is None or faults:
        raise FaultyList(faults)
