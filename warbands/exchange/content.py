"""What a text or a file of somebody holds, read without Django: JSON values, and lists of other apps
by their form. What no roster can hold is refused before anything else looks at it.
"""

from typing import Any

from accounts.errors import Fault, FaultyDocument
from engine.errors import refused_at
from engine.records import NamedValues
from interchange import nodes
from interchange.battlescribe import read_battlescribe
from interchange.files import FILE_MAX, OpenedFile, open_file, refusal
from interchange.nodes import from_json, parse_xml
from interchange.old_world_builder import is_old_world_list, only_list, read_old_world
from interchange.pasted import read_pasted
from interchange.strict_json import LEVELS_MAX, read_json
from interchange.tree import ForeignRoster, checked_tree, storable
from warbands.exchange.grammar import read_own_words

MEGABYTE = 1_048_576
MAX_BYTES = MEGABYTE


def decode(text: str, *, most: int = MAX_BYTES, levels: int = LEVELS_MAX) -> Any:
    """The JSON value in a text of at most so many bytes and levels.

    Raises FaultyDocument with one fault that says what is wrong and where.
    """
    if len(text.encode("utf-8", "surrogatepass")) > most:
        size = f"{most // MEGABYTE} MB ({most:,} bytes)"
        raise _fault(f"The document is larger than {size}. Send a smaller one.")
    try:
        return read_json(text, levels=levels)
    except ValueError as error:
        raise _fault(str(error)) from None


def _fault(sentence: str) -> FaultyDocument:
    return FaultyDocument([Fault("", sentence)])


# Files of other apps

FILE_NAME_SHOWN = 80


def read_file(name: str, data: bytes) -> ForeignRoster | NamedValues:
    """Return the list in a file, or a document of ours that is yet to be compared with its army."""
    return read_opened(open_file(name, data))


def read_opened(opened: OpenedFile) -> ForeignRoster | NamedValues:
    """Return the same of an opened file; every refusal names the file as what to correct."""
    with refused_at("file"):
        if opened.form == "xml":
            root = parse_xml(opened.text, storable(opened.name, FILE_NAME_SHOWN))
            tree = read_battlescribe(root, "battlescribe")
        elif opened.form == "json":
            # By the keys that its tool writes.
            data = decode(opened.text, most=FILE_MAX, levels=nodes.LEVELS_MAX)
            is_object = isinstance(data, dict)
            if is_old_world_list(data):
                tree = read_old_world(data)
            elif isinstance(data, list):
                # The tool saves all lists of somebody as an array.
                tree = read_old_world(only_list(data))
            elif is_object and isinstance(data.get("roster"), dict):
                tree = read_battlescribe(from_json("roster", data["roster"]), "nr-json")
            elif is_object and "format" in data:
                return dict(data)
            else:
                raise refusal(
                    "This JSON is no list of New Recruit, Old World Builder or Muster Roll. "
                    "Export the list again and send the new file."
                )
        else:
            tree = read_own_words(opened.text) or read_pasted(opened.text)
        return checked_tree(tree)
