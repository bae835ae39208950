"""Our own rosters as words: one grammar for the text, the Markdown and the compact line.

An entry is its count, the name of its unit, its own name and the mark of a leader, then what was
bought for it and its points. What it carries anyway and what a campaign made of it are for people:
they are not read back. Lines that do not fit are kept with their numbers.
"""

from collections.abc import Iterable
from itertools import takewhile

import re2

from engine.records import Texts
from interchange.pasted import LINE_MOST, check_lines
from interchange.tree import (
    LEADER_HEADINGS,
    ZERO,
    Force,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    Source,
    check_unit,
    check_units,
    read_price,
    storable,
    written_id,
)

UNNAMED = "Unnamed warband"
BOUGHT, CARRIED = "with ", "carries "
NOTHING = "–"
BETWEEN = " · "

_PLAIN = str.maketrans(
    {"“": '"', "”": '"', "[": "(", "]": ")", "*": " ", "·": "-", "\n": " "}
)
_TIMES = re2.compile(r"^(\d{1,3})x (.*)$")
_LEADER = "|".join(sorted(LEADER_HEADINGS))
_ENTRY = re2.compile(rf"^(?:(\d{{1,3}})x )?(.*?)(?: “(.*)”)?((?i: \((?:{_LEADER})\)))?$")
_PRICED = re2.compile(r"^(.*) - (-?\d{1,6}) [^“”]{1,8}$")
_COMPACT_HEAD = re2.compile(
    r"^(.*?) \(((?:[^()]|\([^()]*\))*), (?:(-?\d{1,6})(?:/(\d{1,6}))?|\d{1,5} models?)\): "
)
_COMPACT_ENTRY = (
    r"(?:(\d{1,3})x )?([^“\[\],]*?)(?: “((?:[^”]|””)*)”)?(\*)?(?: \[([^\]]*)\])?%s(?:, |$)"
)
_COMPACT_PRICED = re2.compile(_COMPACT_ENTRY % r" (-?\d{1,6})")
_COMPACT_PLAIN = re2.compile(_COMPACT_ENTRY % "")
_LINK = re2.compile(r"<?(https?://[^\s<>]{1,300})>?$")
_SIZE = re2.compile(r"^\d{1,5} models?$")
_TOTAL = re2.compile(r"^(-?\d{1,6})(?: / (\d{1,6}))? \S")
_FIGURES = re2.compile(r"^[A-Z][A-Za-z]{0,3}(?:[-–(+*]|D?\d)")
_CELL = re2.compile(r"((?:[^|\\]|\\.)*)\|")
_ESCAPED = re2.compile(r"\\(.)")


# Written


def entry_words(count: int, title: str, name: str, mark: str) -> str:
    """An entry as all three forms name it: "4x Halberdier “The Rooks”", "Captain (leader)"."""
    own_name = f" “{name}”" if name else ""
    return f"{_counted(count, title.translate(_PLAIN).strip())}{own_name}{mark}"


def option_words(options: Iterable[tuple[str, int]]) -> str:
    """What was bought and how often for each model: "Halberd, 2x Rope"."""
    # What has a comma in its name is parted by another sign.
    names = [
        _counted(times, label.translate(_PLAIN).replace(";", ","))
        for label, times in options
    ]
    if not any("," in name for name in names):
        return ", ".join(names)
    return f"{names[0]};" if len(names) == 1 else "; ".join(names)


def _counted(number: int, name: str) -> str:
    return f"{number}x {name}" if number > 1 or _TIMES.match(name) else name


# Read


def read_own_words(text: str) -> ForeignRoster | None:
    """The roster in one of our three forms, None for a text of another form.

    Raises Refusal for one that is far too long.
    """
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    is_table = lines[0].startswith("# ")
    heads = lines[2:3] if is_table else lines[1:2]
    name, head = _ESCAPED.sub(r"\1", lines[0][2:]) if is_table else lines[0], "".join(heads)
    parts = (_ESCAPED.sub(r"\1", head) if is_table else head)[:LINE_MOST].split(BETWEEN)
    # Army, tags, system, points where they count, models, scenario.
    models = next((n for n, part in enumerate(parts) if _SIZE.match(part.strip())), 0)
    if models < 2:
        return _compact(lines)
    check_lines(len(lines))
    total = _TOTAL.match(parts[models - 1])
    reader = _Entries(is_priced=total is not None)
    read = _table_entries if is_table else _text_entries
    read(reader, [line[:LINE_MOST] for line in lines])
    system = parts[models - (2 if total else 1)]
    sizes = total.groups() if total else (None, None)
    return reader.roster(name.strip(), parts[0], system, sizes, lines[-1])


class _Entries:
    """Collects entries and the lines that are none; the three forms read into it."""

    def __init__(self, *, is_priced: bool) -> None:
        self.is_priced = is_priced
        self.units: list[ForeignUnit] = []
        self.unread: list[str] = []

    def add(
        self, words: Texts, price: str | None, options: str, *, is_leader: bool = False
    ) -> None:
        """Add an entry by its count, title and own name."""
        number, title, name = words
        count = int(number or 1)
        parts = []
        separator = ";" if ";" in options else ","
        for text in filter(None, map(str.strip, options.split(separator))):
            times = _TIMES.match(text)
            pieces, label = (int(times[1]), times[2]) if times else (1, text)
            # Pieces of all of its models.
            ids = (written_id(label),)
            parts.append(ForeignPart(storable(label), pieces * count, ids=ids))
        unit = ForeignUnit(
            len(self.units) + 1,
            storable(title.strip()),
            count,
            (read_price(price) or ZERO) if price else ZERO,
            custom=storable(name or ""),
            ids=(written_id(title),),
            parts=tuple(parts),
            is_leader=is_leader,
        )
        check_unit(unit)
        self.units.append(unit)
        check_units(self.units)

    def line(self, number: int, text: str, price: str | None, options: str) -> None:
        """Add the entry of a line, or keep the line."""
        entry = _ENTRY.match(text.strip())
        if not entry or not entry[2].strip() or (self.is_priced and price is None):
            self.unread.append(storable(f"line {number}: {text}"))
            return
        self.add(entry.groups()[:3], price, options, is_leader=bool(entry[4]))

    def roster(
        self, name: str, army: str, system: str, total: tuple[str | None, ...], last: str
    ) -> ForeignRoster:
        link = _LINK.search(last.strip())
        remarks = (
            (f"The roster with its notes, lores and campaign: {link[1]}",) if link else ()
        )
        return ForeignRoster(
            "muster-roll",
            Source("Muster Roll", "", storable(system)),
            storable("" if name == UNNAMED else name),
            int(total[1]) if total[1] else None,
            read_price(total[0]) if total[0] else None,
            (Force("", storable(army)),),
            tuple(self.units),
            tuple(self.unread),
            remarks=remarks,
        )


def _text_entries(reader: _Entries, lines: list[str]) -> None:
    """Read the entries of the text: between two empty lines, with what is indented below each."""
    numbered = list(enumerate(lines, 1))
    first = next((number for number, line in numbered if not line.strip()), 2)
    block = list(takewhile(lambda pair: pair[1].strip(), numbered[first:]))
    for place, (number, line) in enumerate(block):
        if _is_detail(line):
            continue
        below = block[place + 1][1] if place + 1 < len(block) else ""
        # What was bought is the first line below, and older texts had everything carried there.
        below = below.strip() if _is_detail(below) else ""
        options = below.removeprefix(BOUGHT)
        if below.startswith(CARRIED) or _FIGURES.match(below):
            options = ""
        priced = _PRICED.match(line) if reader.is_priced else None
        words, price = (priced[1], priced[2]) if priced else (line, None)
        reader.line(number, words, price, options)


def _is_detail(line: str) -> bool:
    return line[:1].isspace() or line.startswith((BOUGHT, CARRIED))


def _table_entries(reader: _Entries, lines: list[str]) -> None:
    """Read the entries of the Markdown: the rows of its table, by the heads of its columns."""
    rows = [(n, line.strip()) for n, line in enumerate(lines, 1) if line[:1] == "|"]
    heads: list[str] = []
    for number, row in rows:
        cells = [
            _ESCAPED.sub(r"\1", cell).strip()
            for cell in _CELL.findall(row.removeprefix("|"))
        ]
        if not heads:
            heads = cells
        elif "Gear" not in heads or len(cells) != len(heads):
            reader.unread.append(storable(f"line {number}: {row}"))
        elif not cells[0].startswith(":-"):
            gear = cells[heads.index("Gear")].partition(BETWEEN)[0]
            price = cells[-1] if heads[-1] != "Gear" else None
            is_bought = gear != NOTHING and not gear.startswith(CARRIED)
            reader.line(number, cells[0], price, gear if is_bought else "")


def _compact(lines: list[str]) -> ForeignRoster | None:
    """The roster in a compact line, alone but for its link."""
    line = lines[0][: LINE_MOST * 20]
    head = _COMPACT_HEAD.match(line)
    if not head or any(other.strip() for other in lines[1:]):
        return None
    link = _LINK.search(line)
    body = line[head.end() : link.start() if link else len(line)].strip()
    reader = _Entries(is_priced=head[3] is not None)
    pattern = _COMPACT_PRICED if reader.is_priced else _COMPACT_PLAIN
    while body:
        entry = pattern.match(body)
        if not entry or not entry[2].strip():
            reader.unread.append(storable(f"line 1: {body}"))
            break
        price = entry[6] if reader.is_priced else None
        words = (entry[1], entry[2], (entry[3] or "").replace("””", "”"))
        reader.add(words, price, entry[5] or "", is_leader=bool(entry[4]))
        body = body[entry.end() :]
    return reader.roster(head[1], head[2], "", (head[3], head[4]), line)
