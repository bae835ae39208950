"""The neutral tree: what a list of any tool says, before it is matched with an army of ours.

Names and figures are theirs, made fit to be stored and shown.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

import re2

from engine.records import Texts, frozen_dataclass
from engine.roster import MAX_COUNT, MAX_ENTRIES, NAME_MAX, NOTE_MAX
from engine.text import MARKS_MAX, bare_letters, text_fault
from interchange.files import refusal

PARTS_MAX = 100
PRICE_MAX = 100_000
ID_MOST = 120
REMARKS_KEPT = 50
ZERO = Decimal(0)
# The count of a part where a text does not say how many have it.
UNSAID = 0
LEADER_OPTIONS = frozenset({"general", "leader", "warlord"})
"""What an option is called whose unit leads, in small letters. The champion of a regiment is
often called Captain, so that name says it as a heading only.
"""
LEADER_HEADINGS = LEADER_OPTIONS | {"captain"}
"""What a category, or a mark behind a name, is called whose unit leads."""
_PLACES = Decimal("0.0001")
_ENDING = re2.compile("(?:man|men|es|s)$")


@frozen_dataclass
class Source:
    """Which tool wrote a list, and for which game."""

    tool: str
    version: str = ""
    game: str = ""
    game_id: str = ""


@frozen_dataclass
class Force:
    """One force of a list, each with its army."""

    name: str
    army: str = ""
    army_id: str = ""


@frozen_dataclass
class ForeignPart:
    """Something a unit has: ``count`` pieces of all its miniatures, ``points`` for all of them.

    ``count`` is `UNSAID` in texts that name no number. ``ids`` are the last part of the tool's id
    first; ``group`` is what it was chosen under.
    """

    name: str
    count: int = 1
    points: Decimal = ZERO
    ids: Texts = ()
    group: str = ""


def names_leader(parts: Iterable[ForeignPart]) -> bool:
    """Return whether one of a unit's parts says that it leads."""
    return any(part.name.lower() in LEADER_OPTIONS for part in parts)


@frozen_dataclass
class ForeignModel:
    """One kind of miniature of a unit that has several, with what it alone carries."""

    name: str
    count: int = 1
    ids: Texts = ()
    points: Decimal = ZERO
    parts: tuple[ForeignPart, ...] = ()


@frozen_dataclass
class ForeignUnit:
    """One line of a list: ``count`` miniatures, ``points`` for them with everything they have."""

    line: int
    name: str
    count: int = 1
    points: Decimal = ZERO
    section: str = ""
    custom: str = ""
    heading: str = ""
    second: Decimal = ZERO
    ids: Texts = ()
    parts: tuple[ForeignPart, ...] = ()
    models: tuple[ForeignModel, ...] = ()
    notes: str = ""
    spells: str = ""
    is_leader: bool = False


@frozen_dataclass
class ForeignRoster:
    """A whole list.

    ``settings`` are choices that are no miniatures, ``remarks`` what seemed odd.
    """

    form: str
    source: Source
    name: str = ""
    limit: int | None = None
    stated_total: Decimal | None = None
    sections: tuple[Force, ...] = ()
    units: tuple[ForeignUnit, ...] = ()
    settings: Texts = ()
    settings_points: Decimal = ZERO
    remarks: Texts = ()
    note: str = ""

    @property
    def total(self) -> Decimal:
        """Return what its lines come to."""
        return whole(sum((unit.points for unit in self.units), self.settings_points))


def storable(text: object, most: int = NAME_MAX, *, many_lines: bool = False) -> str:
    """Return a text of theirs as it can be stored: without signs that cannot be shown, cut."""
    # A text of a megabyte is cut before anything works on it.
    raw = str(text)[: most * 20].replace("\r\n", "\n")
    lines = (line.strip() for line in raw.replace("\t", " ").split("\n"))
    joined = ("\n" if many_lines else " ").join(lines).strip()
    if not text_fault(joined, most, many_lines=many_lines):
        return joined
    signs: list[str] = []
    marks = 0
    for sign in joined:
        marks = marks + 1 if unicodedata.category(sign) in {"Mn", "Me"} else 0
        if marks <= MARKS_MAX and (sign == "\n" or not text_fault(f"x{sign}", 9)):
            signs.append(sign)
        if len(signs) == most:
            break
    shortened = "".join(signs).strip()
    return "" if text_fault(shortened, most, many_lines=many_lines) else shortened


def read_price(text: object) -> Decimal | None:
    """Return a price to four places, or None for what is none."""
    try:
        price = Decimal(str(text).strip() or "0")
    except InvalidOperation:
        return None
    return whole(price) if price.is_finite() and abs(price) <= PRICE_MAX else None


def whole(price: Decimal) -> Decimal:
    """Return a price of at most four places without noughts behind its point."""
    rounded = price.quantize(_PLACES).normalize()
    return rounded.quantize(Decimal(1)) if rounded == rounded.to_integral() else rounded


def name_stem(name: str) -> str:
    """Return what singular and plural of a name share ("marksm" of Marksman, Marksmen)."""
    return " ".join(_ENDING.sub("", word) for word in bare_letters(name).split())


def last_first(entry_id: str) -> Texts:
    """Return the parts of an id of links and an entry, the entry first."""
    parts = (part.strip()[:ID_MOST] for part in entry_id.split("::"))
    return tuple(filter(None, reversed(list(parts))))


def own_id(key: str) -> str:
    """Return the id that our own document gives a key in the neutral tree."""
    return f"muster-roll:{key}"


def written_id(name: str) -> str:
    """Return the id that our own texts give a name in the neutral tree: its bare letters."""
    return own_id(f"“{bare_letters(name)}”")


def checked_tree(tree: ForeignRoster) -> ForeignRoster:
    """Return the tree with its remarks; raises Refusal for a list larger than a warband may be."""
    if not tree.units:
        raise refusal(
            "This list has no units, so there is nothing to create a warband from."
        )
    check_units(tree.units)
    for unit in tree.units:
        check_unit(unit)
    remarks = tree.remarks[:REMARKS_KEPT]
    if tree.stated_total is not None and tree.stated_total != tree.total:
        # Somebody may have edited the total. The total is never mended.
        remarks += (
            f"The file says {tree.stated_total:f} points in all, but its lines come to "
            f"{tree.total:f}.",
        )
    return replace(
        tree, note=storable(tree.note, NOTE_MAX, many_lines=True), remarks=remarks
    )


def check_units(units: Sequence[ForeignUnit]) -> None:
    """Refuse more units than a warband may have."""
    if len(units) > MAX_ENTRIES:
        raise refusal(
            f"This list has more than {MAX_ENTRIES} units, the most of a warband."
        )


def check_unit(unit: ForeignUnit) -> None:
    """Refuse a unit of more miniatures or options than an entry may have."""
    if not 1 <= unit.count <= MAX_COUNT:
        number = unit.count
        figure = f"{number:,}" if abs(number) < 10**9 else "a number far outside"
        raise refusal(
            f"The number of models of {unit.name[:60]} must be from 1 to {MAX_COUNT}, not "
            f"{figure}."
        )
    parts = len(unit.parts) + sum(len(model.parts) for model in unit.models)
    if parts > PARTS_MAX:
        raise refusal(
            f"{unit.name[:60]} has {parts:,} options; at most {PARTS_MAX} are read."
        )
