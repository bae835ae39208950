"""A catalogue of another app, read for a club: the list it comes to, and what it changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby

from django.utils import timezone

from engine.errors import Refusal
from engine.records import Fields, Texts, frozen_dataclass
from rulesdata import registry
from rulesdata.errors import FaultyList
from rulesdata.foreign.archives import NamedBytes
from rulesdata.foreign.differences import Difference, difference, merged
from rulesdata.foreign.documents import ListHead, frame_of, list_document
from rulesdata.foreign.equipment_lists import unfolded
from rulesdata.foreign.overlays import (
    PrintedArmy,
    PrintedUnit,
    UnitComparison,
    comparison,
    laid_over,
    own_edits,
    with_kept,
    without_words,
)
from rulesdata.foreign.readings import ReadFiles, ReadingWishes, read_files
from rulesdata.foreign.reports import Translation, TranslationDoubt
from rulesdata.foreign.translation import Frame
from rulesdata.own_lists import OwnList, PrintedLists, digest, dump, read_own_list
from rulesdata.pack_files.yaml_files import Document

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
    answer = read(draft.files, replace(draft.wishes, known=_known(before)), frame)
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


def _known(before: Fields) -> tuple[str, str]:
    """Return the id and the name of the catalogue that a list was made of; empty for none."""
    made_of = before.get("catalogues") or [{"id": "", "name": ""}]
    return made_of[0]["id"], made_of[0]["name"]


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
