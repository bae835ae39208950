"""Lists pasted as text, in the shapes of four tools and chats.

A line that is not understood is kept, with its number, as a setting of the list. Blanks are folded
before anything else looks at a line, so that each pattern knows single ones.
"""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import re2

from engine.records import frozen_dataclass
from engine.roster import MAX_COUNT
from interchange.files import refusal
from interchange.tree import (
    LEADER_HEADINGS,
    PARTS_MAX,
    UNSAID,
    ZERO,
    Force,
    ForeignModel,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    Source,
    check_unit,
    check_units,
    name_stem,
    names_leader,
    read_price,
    storable,
)

TEXT_LINES_MAX = 2000
LINE_MOST = 2000

_WORD = r"pts?\.?|points?|gc|punkte|puntos|punti|pkt\.?"
_THOUSANDS = r"\d{1,3}(?:[., ]\d{3})+"
_FIGURE = rf"{_THOUSANDS}|\d{{1,6}}(?:\.\d{{1,2}})?"
_ONLY_THOUSANDS, _ONLY_FIGURE = re2.compile(_THOUSANDS), re2.compile(_FIGURE)
_FIRST_FIGURE = re2.compile(f"({_FIGURE})")
_IN_BRACKETS = re2.compile(
    rf"(?i) ?[\[(] ?\+?(?:[^\[\]()]*? )?({_FIGURE}) ?(?:{_WORD}) ?[\])]"
)
_BARE_BRACKETS = re2.compile(r" ?\((\d{1,6})\) ?$")
_AT_END = re2.compile(rf"(?i) [-–:] ?({_FIGURE}) ?(?:{_WORD})? ?$")
_WORD_AT_END = re2.compile(rf"(?i)[ ,]+({_FIGURE}) ?(?:{_WORD}) ?$")
_BARE_END = re2.compile(r" (\d{1,6}) ?$")
_AT_START = re2.compile(rf"(?i)^({_FIGURE}) ?(?:{_WORD})? [-–] ")
# The name begins where the second group does.
_COUNT_FIRST = re2.compile(r"(?i)^(\d{1,6}) ?(?:[x×] ?|with | )(\D)")
_COUNT_LAST = re2.compile(r"(?i) (?:[x×] ?(\d{1,6})|\[(\d{1,6})\]) ?$")
_PART_SIGNS = "-•*◦–·"
_SLOT = re2.compile(r"(?i)^(?:char|other)?\d+ ?: ?")
_NUMBERED = re2.compile(r"^\d{1,3}[.)] (\S)")
# "100/150 pts" at the end of a title: the total and the limit.
_TOTAL_AND_LIMIT = re2.compile(
    rf"(?i)[ \[(:-]*\b({_FIGURE}) ?/ ?({_FIGURE}) ?({_WORD})? ?[\])]?$"
)
# What a list says of itself before its units, and the headings that only count.
_STATED = re2.compile(
    r"(?i)^(?:drops?|auxiliar(?:y|ies)|command points|models|wounds|units) ?: ?\d"
)
_COUNTED_HEADING = re2.compile(
    r"(?i)^(?:regiment|unit|group|squad|detachment|battalion|wave) \d{1,2}$"
)
_IN_SQUARE = re2.compile(r"^\[[^\[\]:]+: ?([^\[\]]+)\]$")
_TOTAL = re2.compile(r"(?i)^[ +*]*(?:total(?: army points)?|gesamt|summe)\b(.*)")
# The total, before a limit: "147 / 150 pts"; power levels beside it are no points.
_SUM = re2.compile(rf"(?i)({_FIGURE}) ?(?:/|(?:{_WORD})\b)")
_DECORATION = frozenset(" =+-_*~#")
_MADE_BY = re2.compile(r"(?i)^(?:created|generated) (?:with|by) ['\"“]?(.+?)['\"”]?\.?$")
_STAT_LINE = re2.compile(r"^\[[^\]]+\] [\pL\pN_]+\(|^(?:[A-Z][A-Za-z]{0,2}[-–\d]\S* ){4}")
_HEAD = re2.compile(r"^\++ ?(.*?) ?\++$")
_KEYED = re2.compile(r"^\+ ?([^:+]+): ?(.*?) ?\+?$")
_LEADER = re2.compile(rf"(?i) ?\((?:{'|'.join(sorted(LEADER_HEADINGS))})\)")
_LAST_BRACKETS = re2.compile(r"[(\[]([^()\[\]]*)[)\]] ?$")
_LAST_SQUARE = re2.compile(r" ?\[[^\]]*\] ?$")
_THREE_LETTERS = re2.compile(r"[\pL_]{3}")


@frozen_dataclass
class _Line:
    """One line taken apart: how many of what, for how many points, with what."""

    count: int
    name: str
    points: Decimal | None
    rest: str = ""


def _points(figure: str) -> Decimal | None:
    """Return a figure as points; a full stop or a comma may part its thousands."""
    if _ONLY_THOUSANDS.fullmatch(figure):
        figure = "".join(filter(str.isdigit, figure))
    return read_price(figure)


def take_line(text: str, *, bare: bool = True) -> _Line:
    """Return a unit's line taken apart; without ``bare`` only figures with a word are prices."""
    text = _SLOT.sub("", text.strip()).lstrip("#*_ ").rstrip("*_").strip()
    first = _AT_START.match(text) if bare else None
    if first:
        text = text[first.end() :]
    head, rest = _halves(text)
    points, head = _price(head, bare=bare)
    if points is None:
        points, rest = _price(rest, bare=bare)
    if first:
        points = _points(first[1])
    # "3x Owls", "3 Owls", "Owls x3" and "Owls [3]" are three of them. Where both are there, the
    # first one counts.
    count = 1
    if trailing := _COUNT_LAST.search(head):
        head = head[: trailing.start()]
        count = int(trailing[1] or trailing[2])
    if leading := _COUNT_FIRST.match(head):
        head, count = head[leading.start(2) :], int(leading[1])
    return _Line(count, storable(head.strip(" -:,")), points, rest.strip())


def _halves(text: str) -> tuple[str, str]:
    """Return what stands before the first colon or comma outside brackets, and behind it."""
    # A comma between figures parts thousands.
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        is_thousand = sign == "," and text[place - 1 : place].isdigit()
        if (
            depth == 0
            and sign in ":,"
            and not (is_thousand and text[place + 1 :][:3].isdigit())
        ):
            return text[:place], text[place + 1 :]
    return text, ""


def _price(text: str, *, bare: bool) -> tuple[Decimal | None, str]:
    """Return the price that stands in a text, and the text without it."""
    # The surest pattern first; a bare figure at the end of a line is the least sure.
    patterns = [_IN_BRACKETS, _AT_END, _WORD_AT_END]
    patterns += [_BARE_BRACKETS, _BARE_END] if bare else []
    for pattern in patterns:
        if match := pattern.search(text):
            return _points(match[1]), text[: match.start()] + text[match.end() :]
    return None, text


def take_parts(text: str) -> list[ForeignPart]:
    """Return the options named in a line, split at commas outside brackets.

    Raises Refusal for more than a unit may have.
    """
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    cuts, closes = [len(text)], False
    for place in range(len(text) - 1, -1, -1):
        sign = text[place]
        if sign in "()[]":
            closes = sign in ")]"
        elif sign in ",;" and not closes:
            cuts.append(place)
    cuts.append(-1)
    cuts.reverse()
    pieces = [text[start + 1 : end] for start, end in pairwise(cuts)]
    if len(pieces) > PARTS_MAX:
        raise refusal(
            f"“{storable(text[:40])}…” has {len(pieces):,} options; at most {PARTS_MAX} are read."
        )
    return [part for piece in pieces for part in _part(piece.strip(" .-"))]


def _part(piece: str) -> list[ForeignPart]:
    """Return one option, and behind it what its brackets name."""
    points, name = _price(piece, bare=False)
    extras: list[ForeignPart] = []
    inner = _LAST_BRACKETS.search(piece) if points is None else None
    if points is None:
        name = piece
    if inner is not None:
        # What stands in the brackets at its end are options too. What holds no word, such as
        # "(4+)", names none.
        name = piece[: inner.start()]
        extras = take_parts(inner[1]) if _THREE_LETTERS.search(inner[1]) else []
    line = take_line(name, bare=False)
    # A colon without anything behind it belongs to the name.
    title = storable(name if ":" in name and not line.rest else line.name)
    if not title:
        return extras
    is_counted = line.count > 1 or bool(_COUNT_FIRST.match(name))
    count = line.count if is_counted else UNSAID
    part = ForeignPart(title, count, points or ZERO)
    return [part, *(replace(extra, group=title) for extra in extras)]


FORMS = (
    ("owb-text", re2.compile(r"(?im)old world builder|^===")),
    ("new-recruit-text", re2.compile(r"(?m)^\+ FACTION KEYWORD|TOTAL ARMY POINTS")),
    ("battlescribe-text", re2.compile(r"(?m)^\+\+ .*\+\+$")),
)
TOOLS = {
    "owb-text": "Old World Builder",
    "new-recruit-text": "New Recruit",
    "battlescribe-text": "BattleScribe",
    "chat-text": "a pasted text",
}


def check_lines(number: int) -> None:
    """Refuse a text of more lines than any list has."""
    if number > TEXT_LINES_MAX:
        raise refusal(
            f"This text has {number:,} lines; at most {TEXT_LINES_MAX:,} are read."
        )


def read_pasted(text: str) -> ForeignRoster:
    """Return the list that a text writes down; raises Refusal for one that is far too long."""
    check_lines(text.count("\n") + 1)
    lines = [line[:LINE_MOST].rstrip() for line in text.replace("\u00a0", " ").split("\n")]
    whole = "\n".join(lines)
    # Chat where it has no sign of a tool.
    form = next((form for form, sign in FORMS if sign.search(whole)), "chat-text")
    reader = _TextReader(form)
    for number, line in enumerate(lines, 1):
        reader.line(number, line)
    return reader.roster()


class _TextReader:
    """Reads line by line; a part belongs to the unit above it."""

    def __init__(self, form: str) -> None:
        self.form, self.tool = form, TOOLS[form]
        self.name, self.army = "", ""
        self.section = ""
        self.sections: list[Force] = []
        self.total: Decimal | None = None
        self.limit: int | None = None
        self.units: list[ForeignUnit] = []
        self.settings: list[str] = []
        self.last_sign = ""

    def roster(self) -> ForeignRoster:
        """Return the list as far as it was read."""
        sections = self.sections or [Force("", self.army)]
        first, *others = self.units or [ForeignUnit(0, "")]
        is_title = not (self.name or first.parts or first.models) and len(others) > 1
        if is_title and first.points and first.points == sum(u.points for u in others):
            # "The Watch (150 pts)" looks like a unit; but it costs what all the others do.
            self.name, self.total = first.name, first.points
            self.units = [replace(unit, line=n) for n, unit in enumerate(others, 1)]
        return ForeignRoster(
            self.form,
            Source(self.tool),
            self.name,
            self.limit,
            self.total,
            tuple(sections),
            tuple(map(_sized, self.units)),
            tuple(self.settings),
        )

    def line(self, number: int, line: str) -> None:
        """Take one line: decoration is left out, and what is not understood is kept."""
        text = " ".join(line.split())
        if _DECORATION.issuperset(text) or _STAT_LINE.match(text):
            return
        if made := _MADE_BY.match(text):
            self.tool = storable(made[1], 60)
            return
        if self.form == "chat-text":
            if self.heading(text):
                return
            # A list that is numbered, or has a sign before each unit.
            text = _NUMBERED.sub(r"\1", text)
            if self.is_listed(line):
                line = text = text[1:].strip()
            elif in_square := _IN_SQUARE.match(text):
                line = text = f"- {in_square[1]}"
        if not (self.head(text) or self.below(line, text) or self.unit(number, text)):
            self.keep(number, text)

    def heading(self, text: str) -> bool:
        """Take the heading of a part of the list, or a figure that it states before its units."""
        bare = text.strip("#* ")
        is_marked = text.startswith("#") and bool(self.name or self.units)
        is_title = bare.endswith(":") and any(map(str.isalpha, bare))
        if is_title or is_marked or _COUNTED_HEADING.match(bare):
            self.section, self.last_sign = storable(bare.rstrip(":")), ""
        elif self.units or not _STATED.match(text):
            return False
        else:
            self.settings.append(storable(text))
        return True

    def is_listed(self, line: str) -> bool:
        """Return whether a line with a sign in front is a unit, and no part of the one above.

        It has a price and is not indented. It comes first or below a heading, another unit has such
        a sign, or it says how many there are.
        """
        sign, text = line[:1], " ".join(line[1:].split())
        points, name = _price(text, bare=True)
        if sign not in _PART_SIGNS or points is None or not line[1:2].isspace():
            return False
        is_first = not self.units or self.section != self.units[-1].section
        is_listed = is_first or sign == self.last_sign or bool(_COUNT_FIRST.match(name))
        self.last_sign = sign if is_listed else self.last_sign
        return is_listed

    def figures(self, text: str) -> bool:
        """Take the total of the list, and the limit behind it; return whether they stand there.

        Before its units they stand behind the list's name.
        """
        total = _TOTAL.match(text)
        both = _TOTAL_AND_LIMIT.search(text) if total or not self.units else None
        if both and (both[3] or len(both[2]) > 2):  # "24/12" is a date
            self.total, self.limit = _points(both[1]), int(_points(both[2]) or 0) or None
            self.name = self.name or storable(
                text[: both.start()].strip("#* ") * (not total)
            )
        elif total:
            figure = _SUM.search(total[1]) or _FIRST_FIGURE.search(total[1])
            self.total = _points(figure[1]) if figure else None
        else:
            return False
        return True

    def head(self, text: str) -> bool:
        """Take a heading, a total, a line of the list's head; return whether it was one."""
        if self.figures(text):
            return True
        # Only this shape begins lines of its head with a plus and a key.
        keyed = _KEYED.match(text) if self.form == "new-recruit-text" else None
        if keyed:
            if keyed[1].strip().upper() == "FACTION KEYWORD":
                self.army = storable(keyed[2].rpartition(" - ")[2])
            else:
                self.settings.append(storable(f"{keyed[1].strip()}: {keyed[2]}"))
            return True
        if head := _HEAD.match(text):
            # The name of a force, with its army in brackets, or of a section.
            _, name = _price(head[1], bare=False)
            name = _LAST_SQUARE.sub("", name).strip()
            if catalogue := _LAST_BRACKETS.search(name):
                self.sections.append(Force(storable(name), storable(catalogue[1])))
            self.section = storable(name)
            return True
        return False

    def below(self, line: str, text: str) -> bool:
        """Take a line that belongs to the unit above; return whether it does."""
        head, _, rest = text.partition(":")
        is_enhanced = head in ("Enhancement", "Enhancements") and bool(rest)
        if not self.units or not (is_enhanced or _is_part(line)):
            return False
        unit = self.units[-1]
        # The sign in front says how deep it stands, which does not matter here.
        text = text.lstrip(f"{_PART_SIGNS}. ") if not is_enhanced else text
        head, _, rest = text.partition(":")
        if is_enhanced:
            unit = replace(unit, parts=(*unit.parts, *_part(rest.strip())))
        elif rest and (_COUNT_FIRST.match(head) or not len(head.split()) > 3):
            model_line = take_line(head, bare=False)
            model = ForeignModel(
                model_line.name,
                model_line.count if _COUNT_FIRST.match(head) else UNSAID,
                (),
                model_line.points or ZERO,
                tuple(take_parts(rest)),
            )
            unit = replace(unit, models=(*unit.models, model))
        else:
            unit = replace(unit, parts=(*unit.parts, *take_parts(text)))
        # Refuse what is too much at once.
        check_unit(unit)
        self.units[-1] = unit
        return True

    def unit(self, number: int, text: str) -> bool:
        """Take a unit's line; return whether it is one: it has a price, or a number of models."""
        if self.units and _ONLY_FIGURE.fullmatch(text):
            self.total = _points(text)
            return True
        line = take_line(_LEADER.sub("", text))
        has_count = _COUNT_FIRST.match(_SLOT.sub("", text)) is not None
        if not has_count and self.is_title(line, text):
            # Where its total stands beside the name of the list.
            self.name, self.total = line.name, line.points
            return True
        is_unit = has_count or line.points is not None
        if not (line.name and is_unit and 1 <= line.count <= MAX_COUNT):
            return False
        # What stands below it belongs to it until the next one.
        unit = ForeignUnit(
            len(self.units) + 1,
            line.name,
            line.count,
            line.points or ZERO,
            self.section,
            parts=tuple(take_parts(line.rest)) if line.rest else (),
            is_leader=_LEADER.search(text) is not None,
        )
        self.units.append(unit)
        check_units(self.units)
        return True

    def is_title(self, line: _Line, text: str) -> bool:
        """Return whether a line before the first unit names the list."""
        # A name comes first, and only once.
        if self.units or self.name or self.section:
            return False
        return self.form == "owb-text" or (line.points is None and ":" not in text)

    def keep(self, number: int, text: str) -> None:
        """Keep a line that was not understood, with its number.

        The head of a list names the army in such a line.
        """
        is_before = not self.units and not self.army
        if is_before and "," in text and self.form == "owb-text":
            self.army = storable(text.split(",")[1])
        elif is_before:
            # It is only compared with the names of armies, so another line does no harm.
            self.army = storable(text.rpartition("|")[2].strip())
        self.settings.append(storable(f"line {number}: {text}"))


def _is_part(line: str) -> bool:
    """Return whether a line begins as those below a unit do: indented, or with a sign."""
    sign, after = line[:1], line[1:2]
    if sign == ".":
        return after != ""
    return after.isspace() and (sign.isspace() or sign in _PART_SIGNS)


def _sized(unit: ForeignUnit) -> ForeignUnit:
    """Return the unit with the number of models that its lines below name.

    "16x Clan Marksman" among the options of "Clan Marksmen" is no option.
    """
    stem = name_stem(unit.name)
    # An option that is the number of miniatures itself.
    sizes = [part for part in unit.parts if part.count > 1 and name_stem(part.name) == stem]
    unit = _with_models(unit, has_size=bool(sizes))
    below = sum(group.count for group in (unit.models or sizes))
    parts = tuple(part for part in unit.parts if unit.models or part not in sizes)
    # A number in the unit's own line goes before what its lines below come to.
    count = unit.count if unit.count > 1 else max(below, 1)
    is_leader = unit.is_leader or names_leader(unit.parts)
    return replace(unit, parts=parts, count=count, is_leader=is_leader)


def _with_models(unit: ForeignUnit, *, has_size: bool) -> ForeignUnit:
    """Return a unit whose models are counted.

    ". Banner: Old Flag" below a line that says how many there are is an option, and no model.
    """
    models, parts = [], list(unit.parts)
    for model in unit.models:
        if has_size and model.count == UNSAID:
            parts.append(ForeignPart(model.name, UNSAID, model.points))
            parts += [replace(part, group=model.name) for part in model.parts]
        else:
            models.append(replace(model, count=max(1, model.count)))
    return replace(unit, parts=tuple(parts), models=tuple(models))
