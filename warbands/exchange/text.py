"""A sheet as words to paste: plain text, Markdown, one compact line.

Draws a `RosterSheet` in the words of `grammar`, so that it can be read back; ``army`` says which
names of its list are shared.
"""

from collections.abc import Callable, Iterator

import re2

from engine.records import TextByKey, quantity
from engine.selection import KEPT, profile_names, purchase_names
from engine.text import bare_letters
from engine.types.lists import Army
from warbands.exchange.grammar import (
    BETWEEN,
    BOUGHT,
    CARRIED,
    NOTHING,
    entry_words,
    option_words,
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
