"""Which page of the editor a part of a document is written on."""

from collections.abc import Mapping
from typing import Any

import re2

from engine.growth.tables import DICE, rolls_of
from engine.records import Texts
from rulesdata.campaign_editor.pages import EFFECTS, FIXED, ID, NAME, WORDS, pairs_of
from rulesdata.campaign_editor.parts import ROWS_ADDED, EditorPage, RuleField, RulesPart
from rulesdata.schema.campaigns import ROWS_MOST

NAME_FORM = re2.compile(r"[A-Za-z0-9][-A-Za-z0-9_]{0,39}")
NAMED: Mapping[str, tuple[str, str]] = {
    "tables": ("Tables", "Tables of advances, injuries and whatever else is rolled."),
    "skills": ("Skills", "Lists of skills that kinds of models learn from."),
}
"""Sections that are mappings of ids: each entry has a page of its own."""
ORDER = (
    "head", "money", "kinds", "tables", "skills", "maxima", "experience", "income",
    "underdog", "trade", "events", "territories", "hired", "rolls",
)  # fmt: skip
OWNERS: Mapping[str, str] = {
    "currencies": "money",
    "prices": "money",
    "limits": "money",
    "recruits": "money",
    "upkeep": "income",
    "rating": "underdog",
    "leader": "events",
    "gone_gear": "events",
    "captives": "events",
    "late": "events",
}
"""The page of each key of a document that has not a page of its own name."""


def maxima_page(kinds: Texts) -> EditorPage:
    """Return the page of how far characteristics rise, with a field for each kind."""
    gains = tuple(RuleField(kind, kind, "figures") for kind in kinds)
    return EditorPage(
        "maxima",
        "Maxima",
        "How far advances raise characteristics. What is not named has no limit.",
        (
            RulesPart(
                ("maxima", "gain"),
                "Advances add at most",
                gains,
                note="By kind, for example WS 2, BS 2, W 1.",
            ),
            RulesPart(
                ("maxima",),
                "Highest for all",
                (RuleField("most", "Characteristics", "figures", "WS 7, BS 6 …"),),
            ),
            RulesPart(
                ("maxima", "for"),
                "Other maxima",
                (
                    RuleField("armies", "Armies", "list", "Ids of armies."),
                    RuleField("profiles", "Units", "list", "Ids of units."),
                    RuleField("most", "Characteristics", "figures"),
                ),
                is_rows=True,
                noun="row",
                note="For some armies or units. The last row that matches counts.",
            ),
        ),
    )


def table_page(name: str, dice: str, rows: int) -> EditorPage:
    """Return the page of one table, with room for a row of every roll."""
    # Room for a row of every roll, so that a whole table is typed in one go.
    rolls = len(rolls_of(dice)) if dice in DICE else ROWS_ADDED
    added = max(ROWS_ADDED, min(rolls, ROWS_MOST) - rows)
    return EditorPage(
        f"tables/{name}",
        f"Table “{name}”",
        "Every roll needs exactly one row. A row does one thing, or the other where it cannot.",
        (
            RulesPart(
                ("tables", name),
                "Dice",
                (RuleField("dice", "Dice", "pick", names=pairs_of(DICE)),),
            ),
            RulesPart(
                ("tables", name, "rows"),
                "Rows",
                (
                    RuleField("least", "From", "number"),
                    RuleField("most", "To", "number", "Empty: the same.", same_as="least"),
                    NAME,
                    RuleField("effect", "What happens", "effect"),
                    RuleField("otherwise", "If it cannot", "effect"),
                ),
                is_rows=True,
                noun="row",
                added=added,
                order_by="least",
            ),
        ),
    )


def skills_page(name: str) -> EditorPage:
    """Return the page of one list of skills."""
    return EditorPage(
        f"skills/{name}",
        f"Skills “{name}”",
        "Each model learns a skill once. Its rule is in your own words.",
        (
            RulesPart(
                ("skills", name),
                "Skills",
                (
                    NAME,
                    ID,
                    WORDS,
                    EFFECTS,
                    RuleField("search", "Added to a search", "number"),
                ),
                is_rows=True,
                noun="skill",
            ),
        ),
    )


def page_of(document: Mapping[str, Any], key: str) -> EditorPage | None:
    """Return the page of a key; None where the document has none such."""
    for page in FIXED:
        if page.key == key:
            return page
    if key == "maxima":
        maxima = document.get("maxima")
        gains = maxima.get("gain") if isinstance(maxima, Mapping) else None
        named = list(gains) if isinstance(gains, Mapping) else []
        gaining_kinds = tuple(dict.fromkeys([*ids_of(document.get("kinds")), *named]))
        return maxima_page(gaining_kinds)
    section, _, name = key.partition("/")
    entries = document.get(section) if section in NAMED else None
    if not isinstance(entries, Mapping) or name not in names_in(document, section)[0]:
        return None
    if section == "skills":
        return skills_page(name)
    table = entries[name] if isinstance(entries[name], Mapping) else {}
    rows = table.get("rows")
    return table_page(
        name, str(table.get("dice")), len(rows) if isinstance(rows, list) else 0
    )


def ids_of(entries: Any) -> list[str]:
    """Return the ids of a list of entries, or of a mapping."""
    if isinstance(entries, Mapping):
        return list(map(str, entries))
    if not isinstance(entries, list | tuple):
        return []
    named = (one.get("id") for one in entries if isinstance(one, Mapping))
    return [one for one in named if isinstance(one, str)]


def names_in(document: Mapping[str, Any], section: str) -> tuple[list[str], list[str]]:
    """Return the names of tables or lists of skills, and those that cannot be names.

    A faulty name has no page of its own; it can only be deleted.
    """
    entries = document.get(section)
    names = ids_of(entries) if isinstance(entries, Mapping) else []
    fitting = [name for name in names if name.isascii() and NAME_FORM.fullmatch(name)]
    return fitting, [name for name in names if name not in fitting]


def page_key_of(path: str, document: Mapping[str, Any]) -> str:
    """Return the key of the page on which the fault of a path is put right."""
    first, _, rest = path.partition(".")
    first = first.partition("[")[0]
    if first in NAMED:
        # A name may hold no full stop and no bracket.
        name = rest.partition(".")[0].partition("[")[0]
        return f"{first}/{name}" if name in names_in(document, first)[0] else first
    key = OWNERS.get(first, first)
    return key if key in ORDER else "head"
