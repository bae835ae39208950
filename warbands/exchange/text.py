"""A sheet as words to paste: plain text, Markdown, one compact line.

Draws a `RosterSheet`, works nothing out.
"""

from collections.abc import Callable

import re2

from engine.records import Texts
from warbands.sheet.growth import head_lines
from warbands.sheet.structure import (
    FINDINGS_SHOWN,
    RosterSheet,
    SheetWarrior,
)

_SPECIAL = re2.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&:@])")
_LEVELS = {"error": "Error", "warning": "Warning", "note": "Note"}


def as_text(sheet: RosterSheet) -> str:
    """Several lines for a chat or a mail: heading, everybody with gear and points, findings."""
    lines = [sheet.name, _head(sheet), *_campaign(sheet), ""]
    for warrior in sheet.warriors:
        points = f" - {warrior.points} {sheet.currency.short}" if sheet.shows_points else ""
        lines.append(f"{_title(warrior, sheet)}{points}")
        lines.extend(f"    {detail}" for detail in _details(warrior))
    lines += _text_tail(sheet)
    return "\n".join(lines).rstrip() + "\n"


def _text_tail(sheet: RosterSheet) -> list[str]:
    lines = ["", f"Total {_total(sheet)}"] if sheet.shows_points else [""]
    lines += _rout(sheet)
    lines += _agreed(sheet)
    lines += _issue_lines(sheet)
    if sheet.note:
        lines += ["", sheet.note]
    return [*lines, *(("", sheet.url) if sheet.url else ())]


def _issue_lines(sheet: RosterSheet, write: Callable[[str], str] = str) -> list[str]:
    """The gravest issues, and how many are left out where there are more."""
    shown = sheet.findings[:FINDINGS_SHOWN]
    left = len(sheet.findings) - len(shown)
    lines = [f"{_LEVELS[finding.level]}: {write(finding.message)}" for finding in shown]
    return [*lines, f"{left:,} more issues are not listed here."] if left else lines


def _rout(sheet: RosterSheet) -> list[str]:
    """When the warband tests to stay, as one line where its system knows that."""
    if sheet.rout is None or not sheet.rout.out:
        return []
    leadership = "-" if sheet.rout.leadership is None else sheet.rout.leadership
    return [f"Rout test from {sheet.rout.out} out of action, Leadership {leadership}"]


def _head(sheet: RosterSheet) -> str:
    words = [sheet.army_name, *sheet.tags, sheet.system_name]
    words += [_total(sheet)] if sheet.shows_points else []
    words.append(_models(sheet.models))
    if sheet.scenario:
        words.append(f"scenario {sheet.scenario}")
    return " · ".join(words)


def _campaign(sheet: RosterSheet) -> Texts:
    """What the campaign of a warband made of it, a line for each sort of thing."""
    return head_lines(sheet.growth) if sheet.growth else ()


def _total(sheet: RosterSheet) -> str:
    limit = "" if sheet.points_limit is None else f" / {sheet.points_limit}"
    second = f", {sheet.second_words}" if sheet.second_words else ""
    return f"{sheet.points}{limit} {sheet.currency.short}{second}"


def _models(number: int) -> str:
    return f"{number} model" if number == 1 else f"{number} models"


def _title(warrior: SheetWarrior, sheet: RosterSheet) -> str:
    name = f" “{warrior.name}”" if warrior.name else ""
    is_told = warrior.is_leader and sheet.leader_name
    return f"{warrior.heading}{name}" + (
        f" ({sheet.leader_name.lower()})" if is_told else ""
    )


def _details(warrior: SheetWarrior) -> list[str]:
    lines = [", ".join(warrior.gear), _figures(warrior), _magic(warrior)]
    if warrior.ranks:
        lines.insert(2, warrior.ranks.words)
    lines += warrior.remarks
    return [line for line in (*lines, *warrior.note.splitlines()) if line.strip()]


def _figures(warrior: SheetWarrior) -> str:
    """The first stat line and the save in one phrase."""
    if warrior.main_line is None:
        return ""
    figures = " ".join(f"{stat}{value}" for stat, value in warrior.main_line.cells)
    return figures + (f" · save {warrior.save.text}" if warrior.save.shown else "")


def _magic(warrior: SheetWarrior) -> str:
    if not warrior.wizard_level:
        return ""
    return f"Wizard, level {warrior.wizard_level}" + (
        f", {warrior.lore}" if warrior.lore else ""
    )


def _agreed(sheet: RosterSheet) -> list[str]:
    """The house rules and rulings that are played, a line for each sort."""
    rules = [f"House rules: {', '.join(sheet.house_rules)}"] if sheet.house_rules else []
    return rules + ([f"Rulings: {' '.join(sheet.rulings)}"] if sheet.rulings else [])


def escape_markdown(text: str) -> str:
    """A person's text, so that Markdown prints it as it is: no markup, no links, one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def as_markdown(sheet: RosterSheet) -> str:
    """A heading, a table of everybody, the findings as a list. What people typed is escaped."""
    parts = [
        [f"# {escape_markdown(sheet.name)}"],
        [escape_markdown(_head(sheet))],
        list(map(escape_markdown, _campaign(sheet))),
        [*_markdown_heads(sheet), *(_markdown_row(one, sheet) for one in sheet.warriors)],
        [f"**Total {_total(sheet)}**"] if sheet.shows_points else [],
        _rout(sheet),
        list(map(escape_markdown, _agreed(sheet))),
        [f"- {line}" for line in _issue_lines(sheet, escape_markdown)],
        [escape_markdown(line) for line in sheet.note.splitlines() if line.strip()],
        [f"<{sheet.url}>"] if sheet.url else [],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _markdown_heads(sheet: RosterSheet) -> list[str]:
    """The first two lines of the table: what stands in each column, and to which side."""
    heads = [(sheet.words.entry, ":--"), *((stat.key, "--:") for stat in sheet.stats)]
    heads += [("Save", "--:")] if sheet.shows_saves else []
    heads += [
        ("Gear", ":--"),
        *([(escape_markdown(sheet.price_head), "--:")] if sheet.shows_points else []),
    ]
    names, sides = zip(*heads, strict=True)
    return [f"| {' | '.join(names)} |", f"|{'|'.join(sides)}|"]


def _markdown_row(warrior: SheetWarrior, sheet: RosterSheet) -> str:
    line = warrior.main_line
    cells = [escape_markdown(_title(warrior, sheet))]
    cells += [value for _, value in line.cells] if line else ["–"] * len(sheet.stats)
    cells += [warrior.save.text] if sheet.shows_saves else []
    cells.append(escape_markdown("; ".join((", ".join(warrior.gear), *warrior.remarks))))
    cells += [str(warrior.points)] if sheet.shows_points else []
    return f"| {' | '.join(cells)} |"


def as_compact(sheet: RosterSheet) -> str:
    """One line: "The Ferrymen (The Empire, 147/150): Captain* [halberd] 56, 4x Halberdier 24"."""
    limit = "" if sheet.points_limit is None else f"/{sheet.points_limit}"
    size = f"{sheet.points}{limit}" if sheet.shows_points else _models(sheet.models)
    everybody = ", ".join(_compact(warrior, sheet) for warrior in sheet.warriors)
    line = f"{sheet.name} ({sheet.army_name}, {size}): {everybody or 'nobody yet'}"
    return " ".join(line.split()) + "\n"


def _compact(warrior: SheetWarrior, sheet: RosterSheet) -> str:
    leader = "*" if warrior.is_leader and sheet.leader_name else ""
    gear = (
        f" [{', '.join(warrior.gear).lower()}]" if warrior.options and warrior.gear else ""
    )
    points = f" {warrior.points}" if sheet.shows_points else ""
    return f"{warrior.heading}{leader}{gear}{points}"
