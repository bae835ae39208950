"""Folds text for search: small letters without accents.

The same for both databases, because it is done here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from django.urls import reverse

from accounts.owner import NOBODY, Owner
from engine.types import Armour, Army, System, Weapon
from rulesdata import registry
from rulesdata import text as wording
from rulesdata.queries.lookup import all_systems, list_armies_once
from rulesdata.queries.scenarios import find_scenarios

WORDS_MAX = 8


def folded(text: str) -> str:
    """Small letters, accents and zero-width characters gone, every run of other signs one space."""
    plain = unicodedata.normalize("NFKD", text).casefold().replace("’", "'").replace("'", "")
    return " ".join(
        "".join(
            c if c.isalnum() else " "
            for c in plain
            if not unicodedata.combining(c) and c.isprintable()
        ).split()
    )


def terms(text: str) -> tuple[str, ...]:
    """The folded words of a search, each once, at most WORDS_MAX."""
    return tuple(dict.fromkeys(folded(text).split()))[:WORDS_MAX]


QUERY_MAX = 100
SHORT = 8
LONG = 200
OWN_MAX = 100
NOTE_MAX = 70
KINDS: tuple[tuple[str, str], ...] = (
    ("units", "Units"),
    ("weapons", "Weapons"),
    ("armour", "Armour"),
    ("magic-items", "Magic items"),
    ("scenarios", "Scenarios"),
    ("armies", "Armies"),
    ("systems", "Rule systems"),
    ("charts", "Charts"),
    ("guidelines", "Guidelines"),
    ("rules", "Rules"),
)


class BadSearch(ValueError):
    """The search cannot be run; the text is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One thing found.

    ``place`` is the name of its page and what that page needs; ``anchor`` where on it.
    """

    kind: str
    name: str
    note: str
    place: tuple[str, tuple[str, ...]]
    anchor: str = ""
    value: str = ""

    @property
    def url(self) -> str:
        page, arguments = self.place
        return reverse(page, args=arguments) + (f"#{self.anchor}" if self.anchor else "")

    @property
    def short_note(self) -> str:
        return (
            self.note
            if len(self.note) <= NOTE_MAX
            else f"{self.note[:NOTE_MAX].rsplit(' ', 1)[0]} …"
        )


@dataclass(frozen=True, slots=True)
class SearchResultGroup:
    """The hits of one kind: ``hits`` are the first ones of ``count``."""

    kind: str
    name: str
    hits: tuple[SearchResult, ...]
    count: int

    @property
    def has_more(self) -> bool:
        return self.count > len(self.hits)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. ``kind`` is set when only one kind was asked for."""

    text: str
    groups: tuple[SearchResultGroup, ...]
    kind: str = ""

    @property
    def count(self) -> int:
        return sum(group.count for group in self.groups)


@dataclass(frozen=True, slots=True)
class _Entry:
    hit: SearchResult
    name: str
    text: str


def search(text: str, actor: Owner = NOBODY, kind: str = "") -> Found:
    """Everything that holds all words of ``text``: best names first. One query.

    Raises BadSearch naming the limit.
    """
    _check_search(text, kind)
    words = terms(text)
    if not words:
        return Found(text.strip(), (), kind)
    entries = [entry for entry in _index() if all(word in entry.text for word in words)]
    if kind in ("", "scenarios"):
        entries += _own_scenarios(words, actor)
    entries.sort(key=lambda entry: _rank(entry, words))
    groups = (_group(entries, key, name, LONG if kind else SHORT) for key, name in KINDS)
    wanted = (group for group in groups if group.count and kind in ("", group.kind))
    return Found(text.strip(), tuple(wanted), kind)


def _check_search(text: str, kind: str) -> None:
    if len(text) > QUERY_MAX:
        raise BadSearch(
            f"Search: at most {QUERY_MAX} characters, and this has {len(text)}. Try one or "
            "two words."
        )
    if kind and kind not in dict(KINDS):
        raise BadSearch(f"in: choose one of {', '.join(key for key, _ in KINDS)}.")


def _group(entries: Iterable[_Entry], kind: str, name: str, limit: int) -> SearchResultGroup:
    hits = [entry.hit for entry in entries if entry.hit.kind == kind]
    return SearchResultGroup(kind, name, tuple(hits[:limit]), len(hits))


def _rank(entry: _Entry, words: tuple[str, ...]) -> tuple[int, int, str]:
    """The whole name first, then names that begin with the search, that hold all words, then the
    rest.
    """
    asked = " ".join(words)
    if entry.name == asked:
        return 0, 0, entry.name
    if entry.name.startswith(asked):
        return 1, len(entry.name), entry.name
    if all(f" {word}" in f" {entry.name}" for word in words):
        return 2, len(entry.name), entry.name
    return (3 if all(word in entry.name for word in words) else 4), 0, entry.name


def _own_scenarios(words: tuple[str, ...], actor: Owner) -> list[_Entry]:
    cards = find_scenarios(words, actor, OWN_MAX)
    return [
        _entry(
            "scenarios",
            c.scenario.name,
            f"by {c.by}" if c.by else "",
            "scenario-own",
            (c.scenario.system, c.token),
        )
        for c in cards
    ]


def _entry(
    kind: str,
    name: str,
    note: str,
    page: str,
    arguments: tuple[str, ...],
    more: Iterable[str] = (),
    anchor: str = "",
    value: str = "",
) -> _Entry:
    return _Entry(
        SearchResult(kind, name, note, (page, arguments), anchor, value),
        folded(name),
        folded(" ".join((name, *more))),
    )


@cache
def _index() -> tuple[_Entry, ...]:
    """Everything the packs hold. Made once for each process."""
    found: list[_Entry] = []
    for system in all_systems():
        found += _system_entries(system)
        for key in system.variant_keys:
            found += _own_entries(registry.load_system(system.key, key), system)
    for book in registry.rulesets():
        found += _item_entries(book, book.weapons, book.armour)
    shelves: dict[str, list[Army]] = {}
    for book, army in list_armies_once():
        shelves.setdefault(book.address, []).append(army)
    for book in registry.rulesets():
        found += _army_entries(book, shelves.get(book.address, ()))
    return tuple(found)


def _own_entries(book: System, shared: System) -> Iterator[_Entry]:
    """What a variant has beyond, or in place of, what all of them share."""
    known = {(e.hit.kind, e.hit.anchor, e.text) for e in _system_entries(shared)}
    for entry in _system_entries(book):
        is_scenario = entry.hit.place[0] == "scenario-detail"
        if not is_scenario and (entry.hit.kind, entry.hit.anchor, entry.text) not in known:
            yield entry


def _system_entries(system: System) -> Iterator[_Entry]:
    key, where = system.address, system.full_name
    yield _entry(
        "systems", system.full_name, system.summary, "system-detail", (key,), [system.summary]
    )
    for chart in system.charts.values():
        yield _entry(
            "charts",
            chart.name,
            where,
            "chart-list",
            (key,),
            [chart.row_label, chart.column_label],
            f"chart-{chart.key}",
        )
    for table in system.tables.values():
        yield _entry(
            "charts",
            table.name,
            where,
            "chart-list",
            (key,),
            [r.name for r in table.rows],
            f"table-{table.key}",
        )
    for g in system.guidelines:
        yield _entry(
            "guidelines", g.title or g.code, where, "system-detail", (key,), [g.code, g.source, *g.refs],
            f"guideline-{g.code.replace('.', '-')}", wording.guideline_words(g),
        )  # fmt: skip
    for scenario in system.scenarios.values():
        yield _entry(
            "scenarios",
            scenario.name,
            where,
            "scenario-detail",
            (system.key, scenario.key),
            [scenario.summary],
        )
    for note in system.notes:
        yield _entry(
            "rules",
            note.title,
            where,
            "system-detail",
            (key,),
            [note.text, note.source],
            f"note-{note.key}",
        )
    for state in system.states:
        yield _entry(
            "rules",
            state.name,
            f"{where}, state",
            "system-detail",
            (key,),
            [state.summary],
            f"state-{state.key}",
        )
    for rule in system.house_rules:
        yield _entry(
            "rules",
            rule.name,
            f"{where}, house rule",
            "system-detail",
            (key,),
            [rule.summary],
            f"house-{rule.key}",
        )
    for ruling in system.rulings:
        more = [ruling.ref, ruling.default]
        yield _entry(
            "rules",
            ruling.title,
            f"{where}, ruling {ruling.ref}",
            "system-detail",
            (key,),
            more,
            f"ruling-{ruling.ref}",
        )


def _army_entries(system: System, armies: Iterable[Army]) -> Iterator[_Entry]:
    key = system.address
    weapons: dict[str, Weapon] = {}
    armour: dict[str, Armour] = {}
    for army in armies:
        yield _entry("armies", army.name, system.name, "army-detail", (key, army.key), army.rules)
        for profile in (*army.profiles.values(), *army.mounts.values()):
            note = ", ".join([army.name, wording.category_of(profile, army)])
            if not profile.is_offered:
                note += ", not offered"
            more = [profile.model_name, army.name, *profile.special_rules]
            yield _entry(
                "units",
                profile.name,
                note,
                "unit-detail",
                (key, army.key, profile.key),
                more,
                "",
                f"{profile.points} pts",
            )
        for item in army.magic_items.values():
            yield _entry(
                "magic-items", item.name, f"{army.name}, {wording.key_words(item.type).lower()}", "magic-item-list",
                (key, army.key), [army.name, item.type.replace("-", " ")], f"item-{item.key}", f"{item.points} pts",
            )  # fmt: skip
        weapons |= {k: w for k, w in army.weapons.items() if k not in system.weapons}
        armour |= {k: a for k, a in army.armour.items() if k not in system.armour}
    yield from _item_entries(system, weapons, armour)


def _item_entries(
    book: System, weapons: Mapping[str, Weapon], armour: Mapping[str, Armour]
) -> Iterator[_Entry]:
    key = (book.address,)
    for weapon in weapons.values():
        yield _entry(
            "weapons",
            weapon.name,
            wording.weapon_words(weapon),
            "weapon-list",
            key,
            [],
            f"item-{weapon.key}",
        )
    for piece in armour.values():
        yield _entry(
            "armour",
            piece.name,
            wording.armour_words(piece),
            "armour-list",
            key,
            [],
            f"item-{piece.key}",
        )
