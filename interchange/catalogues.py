"""Files of a game: which there are, which belong together, and what an id in them stands for.

Raises Refusal that names what is wrong with which file.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

import re2

from engine.errors import Refusal
from engine.records import TextByKey, Texts, frozen_dataclass
from engine.text import bare_letters
from interchange.files import OpenedFile, refusal
from interchange.nodes import Node, parse_xml

ALL_ELEMENTS_MAX = 600_000
DIALECTS = ("2.00", "2.01", "2.02", "2.03")
SYSTEM, CATALOGUE = "gameSystem", "catalogue"
_WHICH = "choose which of these becomes the list"
# What links and conditions lead to.
_TARGETS = frozenset(
    (
        "selectionEntry",
        "selectionEntryGroup",
        "profile",
        "rule",
        "infoGroup",
        "categoryEntry",
    )
)


@frozen_dataclass
class CatalogueFile:
    """One file: a game system, or a catalogue of it. ``digest`` is that of its content."""

    file_name: str
    root: Node
    digest: str
    size: int

    @property
    def id(self) -> str:
        return self.root.get("id")

    @property
    def name(self) -> str:
        return clean_name(self.root.get("name")) or self.file_name

    @property
    def is_system(self) -> bool:
        return self.root.name == SYSTEM

    @property
    def revision(self) -> str:
        return self.root.get("revision")[:20]


def read_catalogue_file(file: OpenedFile) -> CatalogueFile:
    """Return a file as the game system or catalogue it holds. Raises Refusal."""
    if file.form != "xml":
        raise refusal(
            f"{file.name[:80]} is no catalogue: it is not XML. Choose .gst and .cat files, or a "
            "zip file of them."
        )
    root = parse_xml(file.text, file.name[:80])
    if root.name not in (SYSTEM, CATALOGUE):
        raise refusal(
            f"{file.name[:80]} is no catalogue: its first element is “{root.name[:40]}”. Choose "
            ".gst and .cat files, or a zip file of them."
        )
    dialect = root.get("battleScribeVersion")
    if dialect not in DIALECTS:
        raise refusal(
            f"{file.name[:80]} is of BattleScribe {dialect[:10] or 'of no version'}, and we read "
            "2.00 to 2.03. Open it in the Data Editor of BattleScribe 2.03, save it there and "
            "send the new file."
        )
    if not root.get("id"):
        raise refusal(f"{file.name[:80]} has no id, so nothing can refer to it.")
    digest = hashlib.sha256(file.text.encode("utf-8", "replace")).hexdigest()
    return CatalogueFile(file.name, root, digest, sum(1 for _ in root.walk()))


def choose_catalogue(
    files: Sequence[CatalogueFile], wanted: str = "", also: Iterable[CatalogueFile] = ()
) -> CatalogueFile:
    """Return the catalogue to make a list of; ``wanted`` is its name or id, ``also`` are others.

    Raises Refusal that names those there are, where it is not clear which.
    """
    beside = {file.id for file in also}
    # Neither a game system nor a library becomes a list.
    lists = [
        file
        for file in files
        if not (file.is_system or file.root.get("library") == "true" or file.id in beside)
    ]
    if not lists:
        raise Refusal(
            "Files: none of them is a catalogue with units. Add the .cat file of your list.",
            field="files",
        )
    matching = [file for file in lists if wanted in ("", file.id, file.name)]
    if len(matching) == 1:
        return matching[0]
    which = f"there is no “{wanted[:60]}”. Choose one of" if not matching else _WHICH
    raise Refusal(f"Catalogue: {which}: {_names(lists)}.", field="catalogue")


def choose_also(
    files: Sequence[CatalogueFile], wanted: Iterable[str]
) -> tuple[CatalogueFile, ...]:
    """Return the catalogues whose units the list offers too, by name or id: hired swords.

    Raises Refusal that names those there are, where one is not among them.
    """
    offered = [file for file in files if not file.is_system]
    chosen: dict[str, CatalogueFile] = {}
    for name in wanted:
        matching = [file for file in offered if name in (file.id, file.name)]
        if len(matching) != 1:
            raise Refusal(
                f"Also offered: there is no single “{name[:60]}”. Choose from: "
                f"{_names(offered)}.",
                field="also",
            )
        chosen[matching[0].id] = matching[0]
    return tuple(chosen.values())


def _names(files: Iterable[CatalogueFile]) -> str:
    """Return the names of files for a sentence, the first twenty of them."""
    return ", ".join(file.name for file in list(files)[:20])


@frozen_dataclass
class Closure:
    """A catalogue with all it refers to: itself first, then linked ones, the game system last.

    ``missing`` names the files that it refers to and nobody sent. ``also`` are the catalogues whose
    units join the list, each with what it refers to itself.
    """

    files: tuple[CatalogueFile, ...]
    imported: tuple[CatalogueFile, ...]
    missing: Texts
    also: tuple["Closure", ...] = ()

    @property
    def main(self) -> CatalogueFile:
        return self.files[0]

    @property
    def all_files(self) -> tuple[CatalogueFile, ...]:
        """Return each file once, those of what is also offered behind its own."""
        files = chain(self.files, *(file.files for file in self.also))
        return tuple({file.id: file for file in files}.values())

    def index(self) -> dict[str, Node]:
        """Return what ids stand for. Only these files are asked: siblings repeat ids."""
        nodes: dict[str, Node] = {}
        for file in self.files:
            for node in file.root.walk():
                if node.name in _TARGETS and (key := node.get("id")):
                    nodes.setdefault(key, node)
        return nodes

    def listed(self, wrapper: str, name: str) -> Iterator[Node]:
        """Yield the nodes of this name at the top of each file, also those also offered."""
        for file in self.all_files:
            yield from file.root.listed(wrapper, name)


def close(
    main: CatalogueFile, files: Iterable[CatalogueFile], also: Iterable[CatalogueFile] = ()
) -> Closure:
    """Return a catalogue with all it refers to among these files; ``also`` join it.

    Raises Refusal where they are too large together.
    """
    # Files are found by their id: a revision says nothing, and a name may be anybody's.
    files_by_id = {file.id: file for file in files}
    main_closure = _close_one(main, files_by_id)
    others = tuple(_close_one(file, files_by_id) for file in also if file.id != main.id)
    missing = dict.fromkeys(chain(main_closure.missing, *(file.missing for file in others)))
    closure = replace(main_closure, missing=tuple(missing), also=others)
    elements = sum(file.size for file in closure.all_files)
    if elements > ALL_ELEMENTS_MAX:
        raise refusal(
            f"These files have {elements:,} elements together; at most {ALL_ELEMENTS_MAX:,} are "
            "read. Send one catalogue with what it needs."
        )
    return closure


def _close_one(main: CatalogueFile, files_by_id: Mapping[str, CatalogueFile]) -> Closure:
    """Return one catalogue with all it refers to. Ids are looked up in these alone."""
    linked, missing = {main.id: main}, TextByKey()
    imported: dict[str, CatalogueFile] = {}
    waiting = [(main, True)]
    while waiting:
        file, is_imported = waiting.pop(0)
        links = list(file.root.listed("catalogueLinks", "catalogueLink"))
        # Its game system is a link too.
        if system := file.root.get("gameSystemId"):
            name = file.root.get("gameSystemName") or "the game system (.gst)"
            links.append(Node("catalogueLink", {"targetId": system, "name": name}))
        for link in links:
            key = link.get("targetId")
            target = files_by_id.get(key)
            if target is None:
                missing[key] = (
                    clean_name(link.get("name")) or f"the file with the id {key[:60]}"
                )
                continue
            takes_roots = is_imported and link.get("importRootEntries") == "true"
            if takes_roots and target is not main:
                imported[key] = target
            if key not in linked:
                linked[key] = target
                waiting.append((target, takes_roots))
    ordered = sorted(linked.values(), key=lambda file: file.is_system)
    return Closure(tuple(ordered), tuple(imported.values()), tuple(missing.values()))


# Names: as pages show them, as they are compared, and the keys made of them

KEY_LENGTH = 80
NAME_LENGTH = 120
_SIGNS = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-"})
_BRACKETS = re2.compile(r"\([^)]*\)|\[[^\]]*\]|\{[^}]*\}")
_OTHER = re2.compile(r"[^a-z0-9]+")
_APOSTROPHES = dict.fromkeys(map(ord, "'’`´"))
WORDS_MOST = 12
# Both sides are compared in this form, so that a word that is no plural harms nothing.
# Each with the letters that a word must have at least.
_PLURALS = (("ies", "y", 4), ("ves", "f", 4), ("men", "man", 3), ("s", "", 4))


# The same name stands at hundreds of places of a large catalogue.
@lru_cache(maxsize=20_000)
def clean_name(text: str) -> str:
    """Return a name as pages show it: one line, plain quotation marks, not too long."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(plain.translate(_SIGNS).split())[:NAME_LENGTH].strip()


@lru_cache(maxsize=20_000)
def plain_name(name: str) -> str:
    """Return a name as it is compared: no marks, brackets, signs or plural endings."""
    text = _BRACKETS.sub(" ", name.replace("&", " and "))
    marked = unicodedata.normalize("NFKD", text).lower().translate(_APOSTROPHES)
    letters = "".join(sign for sign in marked if not unicodedata.combining(sign))
    return " ".join(map(_singular, bare_letters(letters).split()[:WORDS_MOST]))


def _singular(word: str) -> str:
    """Return a word as its singular is compared: harpies, wolves, swordsmen, shields."""
    for plural, single, letters in _PLURALS:
        if len(word) >= letters and word.endswith(plural):
            return word.removesuffix(plural) + single
    return word


@lru_cache(maxsize=20_000)
def slug(name: str, instead: str) -> str:
    """Return a name as a key of a list: small letters, figures and single hyphens."""
    marked = unicodedata.normalize("NFKD", name).lower().replace("'", "")
    letters = "".join(sign for sign in marked if not unicodedata.combining(sign))
    return _OTHER.sub("-", letters).strip("-")[:KEY_LENGTH].strip("-") or instead


class KeySet:
    """Hands out keys, none of them twice."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self.taken = set(used)

    def take(self, name: str, instead: str) -> str:
        """Return a key for a name, with a number behind it where the key is taken."""
        base = slug(name, instead)
        key, number = base, 1
        while key in self.taken:
            number += 1
            key = f"{base}-{number}"
        self.taken.add(key)
        return key
