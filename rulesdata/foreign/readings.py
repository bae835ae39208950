"""Files of a game, read as one army list: what they hold, what is missing, and what they come to.

Pure: no database, no clock. `rulesdata.foreign.reader` does it in a process of its own.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import Refusal
from engine.records import TextPairs, Texts, frozen_dataclass
from rulesdata.foreign.archives import NamedBytes, open_archives
from rulesdata.foreign.catalogues import (
    CatalogueFile,
    choose_also,
    choose_catalogue,
    close,
    read_catalogue_file,
)
from rulesdata.foreign.prices import price_names
from rulesdata.foreign.reports import Translation
from rulesdata.foreign.translation import Frame, missing_sentence, translate

NAMES_TOLD = 60


@frozen_dataclass
class ReadingWishes:
    """Which catalogue becomes the list, which join it, and by its id or name which price counts.

    ``known`` are the id and the name of the catalogue that the list was made of before.
    """

    catalogue: str = ""
    also: Texts = ()
    price_type: str = ""
    known: tuple[str, str] = ("", "")


@frozen_dataclass
class ReadFiles:
    """What files come to: ``found``, or the sentence and the field of a ``refusal``.

    ``catalogues`` and ``price_types`` are the names there are to choose from; ``missing`` those of
    files that others refer to.
    """

    found: Translation | None = None
    catalogues: Texts = ()
    price_types: TextPairs = ()
    missing: Texts = ()
    refusal: tuple[str, str] | None = None


def read_files(
    sent: Sequence[NamedBytes], wishes: ReadingWishes, frame: Frame
) -> ReadFiles:
    """Return what the files come to; nothing is raised for files that nobody can read."""
    told = ReadFiles()
    try:
        files = [read_catalogue_file(file) for file in open_archives(sent)]
        catalogues = tuple(one.name for one in files if not one.is_system)[:NAMES_TOLD]
        told = replace(told, catalogues=catalogues)
        also = choose_also(files, wishes.also)
        closure = close(choose_catalogue(files, _wanted(files, wishes), also), files, also)
        types = price_names(closure)
        told = replace(told, price_types=tuple(types.items())[:NAMES_TOLD])
        if closure.missing:
            told = replace(told, missing=closure.missing)
            raise Refusal(missing_sentence(closure.missing), field="files")
        # The id of a type of price that is called so; what is none's name stays as it is.
        named = [key for key, name in types.items() if name == wishes.price_type]
        price_type = (
            named[0] if named and wishes.price_type not in types else wishes.price_type
        )
        found = translate(closure, frame, price_type)
    except Refusal as refusal:
        return replace(told, refusal=(refusal.message, refusal.field))
    return replace(told, found=found)


def _wanted(files: Sequence[CatalogueFile], wishes: ReadingWishes) -> str:
    """Return the catalogue asked for, by its id where it has another name by now."""
    key, name = wishes.known
    is_renamed = all(one.name != name for one in files)
    is_there = any(one.id == key for one in files)
    is_meant = wishes.catalogue in ("", name)
    return key if is_meant and is_renamed and is_there else wishes.catalogue
