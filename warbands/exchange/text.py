"""A sheet as words to paste, and read back: plain text, Markdown, one compact line.

``army`` says which names of its list are shared. An entry is its count, the name of its unit, its
own name and the mark of a leader, then what was bought for it and its points. What it carries
anyway and what a campaign made of it are for people: they are not read back. Lines that do not fit
are kept with their numbers.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

import re2

from engine.records import TextByKey, Texts, quantity
from engine.selection import KEPT, profile_names, purchase_names
from engine.text import bare_letters
from engine.types.lists import Army
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
from warbands.sheet.structure import FINDINGS_SHOWN, RosterSheet, SheetWarrior, head_lines

_SPECIAL = re2.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&:@])")
_LEVELS = {"error": "Error", "warning": "Warning", "note": "Note"}


def as_text(sheet: RosterSheet, army: Army) -> str:
    """Several lines for a chat or a mail: heading, everybody with gear and points, findings."""
    lines = [sheet.name, head_words(sheet), *head_lines(sheet.growth), ""]
    for warrior, title, bought, carried in _entries(sheet, army):
        points = f" - {warrior.points} {sheet.currency.short}" if sheet.shows_points else ""
        lines.append(f"{title}{points}")
        details = [*_gear_lines(bought, carried, _figures(warrior))]
        details += [warrior.ranks.words] if warrior.ranks else []
        details += [_magic(warrior), *warrior.remarks, *warrior.note.splitlines()]
        lines += [f"    {detail}" for detail in details if detail.strip()]
    lines += ["", f"Total {_total(sheet)}"] if sheet.shows_points else [""]
    lines += [*_rout(sheet), *_agreed(sheet), *_issue_lines(sheet)]
    lines += ["", sheet.note] if sheet.note else []
    lines += ["", sheet.url] if sheet.url else []
    return "\n".join(lines).rstrip() + "\n"


def _gear_lines(bought: str, carried: str, figures: str) -> Iterator[str]:
    """The lines below an entry; its first one is what was bought, or none that looks like that."""
    if bought:
        yield f"{BOUGHT}{bought}"
    if carried or not (bought or figures):
        yield carried or f"{CARRIED}nothing"
    yield figures


def _entries(
    sheet: RosterSheet, army: Army, *, is_compact: bool = False
) -> Iterator[tuple[SheetWarrior, str, str, str]]:
    """Everybody with their title, what was bought for them, and what they carry besides."""
    titles = profile_names(army)
    keys = {warrior.profile_key for warrior in sheet.warriors}
    sold = {key: purchase_names(army, army.profiles[key]) for key in keys & titles.keys()}
    for warrior in sheet.warriors:
        key, name = warrior.profile_key, warrior.name
        title, mark = titles.get(key, warrior.title), f" ({sheet.leader_name.lower()})"
        if is_compact:
            # In one line a comma and a quotation mark end something.
            title, name, mark = title.replace(",", ""), name.replace("”", "””"), "*"
        leads = warrior.is_leader and sheet.leader_name
        words = entry_words(warrior.count, title, name, mark if leads else "")
        yield (warrior, words, *_gear(warrior, sold.get(key, {})))


def _gear(warrior: SheetWarrior, names: TextByKey) -> tuple[str, str]:
    """What was bought for an entry by its ``names``, and what it carries besides."""
    lines = [line for line in warrior.receipt[1:] if line.key != KEPT]
    bought = {bare_letters(line.label) for line in lines}
    carried = [item for item in warrior.gear if bare_letters(item) not in bought]
    return (
        option_words([(names.get(line.key, line.label), line.times) for line in lines]),
        f"{CARRIED}{', '.join(carried)}" if carried else "",
    )


def _issue_lines(sheet: RosterSheet, write: Callable[[str], str] = str) -> list[str]:
    """The gravest issues, and how many are left out where there are more."""
    listed = sheet.findings[:FINDINGS_SHOWN]
    left = len(sheet.findings) - len(listed)
    lines = [f"{_LEVELS[finding.level]}: {write(finding.message)}" for finding in listed]
    return [*lines, f"{left:,} more issues are not listed here."] if left else lines


def _rout(sheet: RosterSheet) -> list[str]:
    """When the warband tests to stay, as one line where its system knows that."""
    if sheet.rout is None or not sheet.rout.out:
        return []
    leadership = "-" if sheet.rout.leadership is None else sheet.rout.leadership
    return [f"Rout test from {sheet.rout.out} out of action, Leadership {leadership}"]


def head_words(sheet: RosterSheet) -> str:
    """Army, system, points and models in one line."""
    parts = [sheet.army_name, *sheet.tags, sheet.system_name]
    parts += [_total(sheet)] if sheet.shows_points else []
    parts.append(quantity(sheet.models, "model"))
    if sheet.scenario:
        parts.append(f"scenario {sheet.scenario}")
    return BETWEEN.join(parts)


def _total(sheet: RosterSheet) -> str:
    limit = "" if sheet.points_limit is None else f" / {sheet.points_limit}"
    second = f", {sheet.second_words}" if sheet.second_words else ""
    return f"{sheet.points}{limit} {sheet.currency.short}{second}"


def _figures(warrior: SheetWarrior) -> str:
    """The first stat line and the save in one phrase."""
    if warrior.main_line is None:
        return ""
    figures = " ".join(f"{stat}{value}" for stat, value in warrior.main_line.cells)
    return figures + (f" · save {warrior.save.text}" if warrior.save.shown else "")


def _magic(warrior: SheetWarrior) -> str:
    if not warrior.wizard_level:
        return ""
    lore = f", {warrior.lore}" if warrior.lore else ""
    return f"Wizard, level {warrior.wizard_level}{lore}"


def _agreed(sheet: RosterSheet) -> list[str]:
    """The house rules and rulings that are played, a line for each sort."""
    rules = [f"House rules: {', '.join(sheet.house_rules)}"] if sheet.house_rules else []
    return rules + ([f"Rulings: {' '.join(sheet.rulings)}"] if sheet.rulings else [])


def escape_markdown(text: str) -> str:
    """A person's text, so that Markdown prints it as it is: no markup, no links, one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def as_markdown(sheet: RosterSheet, army: Army) -> str:
    """A heading, a table of everybody, the findings as a list. What people typed is escaped."""
    parts = [
        [f"# {escape_markdown(sheet.name)}"],
        [escape_markdown(head_words(sheet))],
        list(map(escape_markdown, head_lines(sheet.growth))),
        _markdown_table(sheet, army),
        [f"**Total {_total(sheet)}**"] if sheet.shows_points else [],
        _rout(sheet),
        list(map(escape_markdown, _agreed(sheet))),
        [f"- {line}" for line in _issue_lines(sheet, escape_markdown)],
        [escape_markdown(line) for line in sheet.note.splitlines() if line.strip()],
        [f"<{sheet.url}>"] if sheet.url else [],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _markdown_table(sheet: RosterSheet, army: Army) -> list[str]:
    """Heads of the columns, the side to which each is set, and everybody."""
    heads = [(sheet.words.entry, ":--"), *((stat.key, "--:") for stat in sheet.stats)]
    heads += [("Save", "--:")] if sheet.shows_saves else []
    heads.append(("Gear", ":--"))
    heads += [(escape_markdown(sheet.currency.head), "--:")] if sheet.shows_points else []
    names, sides = zip(*heads, strict=True)
    rows = [f"| {' | '.join(names)} |", f"|{'|'.join(sides)}|"]
    for warrior, title, bought, carried in _entries(sheet, army):
        line = warrior.main_line
        cells = [escape_markdown(title)]
        cells += [text for _, text in line.cells] if line else ["–"] * len(sheet.stats)
        cells += [warrior.save.text] if sheet.shows_saves else []
        gear = [bought, carried] if bought or carried else [NOTHING]
        words = filter(None, (*gear, *warrior.remarks))
        cells.append(escape_markdown(BETWEEN.join(words)))
        cells += [str(warrior.points)] if sheet.shows_points else []
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def as_discord(sheet: RosterSheet, army: Army) -> str:
    """Bold names with what was bought, a line each: Markdown without tables or stat lines."""
    lines = [f"**{escape_markdown(sheet.name)}**", escape_markdown(head_words(sheet))]
    for warrior, title, bought, _ in _entries(sheet, army):
        points = f" {warrior.points} {sheet.currency.short}" if sheet.shows_points else ""
        options = f": {bought}" if bought else ""
        lines.append(f"**{escape_markdown(title)}**{escape_markdown(points + options)}")
    # In angle brackets a link stands without its preview.
    lines += [f"<{sheet.url}>"] if sheet.url else []
    return "\n".join(lines) + "\n"


def as_compact(sheet: RosterSheet, army: Army) -> str:
    """One line: "The Ferrymen (The Empire, 147/150): Captain* [halberd] 56, 4x Halberdier 24"."""
    limit = "" if sheet.points_limit is None else f"/{sheet.points_limit}"
    size = (
        f"{sheet.points}{limit}" if sheet.shows_points else quantity(sheet.models, "model")
    )
    everybody = []
    for warrior, title, bought, _ in _entries(sheet, army, is_compact=True):
        options = f" [{bought.lower()}]" if bought else ""
        points = f" {warrior.points}" if sheet.shows_points else ""
        everybody.append(f"{title}{options}{points}")
    names = ", ".join(everybody) or "nobody yet"
    link = f" {sheet.url}" if sheet.url else ""
    return f"{sheet.name} ({sheet.army_name}, {size}): {names}{link}\n"


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
