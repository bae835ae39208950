"""Folds text for search: small letters without accents.

The same for both databases, because it is done here.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from django.urls import reverse

from accounts.owner import NOBODY, Owner
from engine.records import TextPairs, Texts, frozen_dataclass, grouped
from engine.types.lists import Armour, Army, MagicItem, Profile, Weapon
from engine.types.systems import System
from rulesdata import registry
from rulesdata import text as wording
from rulesdata.campaign_documents import packed_rules
from rulesdata.queries.campaign_book import sections_of
from rulesdata.queries.lookup import all_systems, list_armies_once, texts_of
from rulesdata.queries.scenarios import find_scenarios

# Every word is looked for in every entry.
WORDS_MAX = 8


def folded(text: str) -> str:
    """Small letters, accents and zero-width characters gone, every run of other signs one space."""
    plain = (
        unicodedata.normalize("NFKD", text).casefold().replace("’", "'").replace("'", "")
    )
    signs = (
        sign for sign in plain if sign.isprintable() and not unicodedata.combining(sign)
    )
    return " ".join("".join(sign if sign.isalnum() else " " for sign in signs).split())


def terms(text: str) -> Texts:
    """The folded words of a search, each once, at most WORDS_MAX."""
    return tuple(dict.fromkeys(folded(text).split()))[:WORDS_MAX]


QUERY_MAX = 100
# How many of each kind are shown, and how many where one kind is asked for.
SHORT = 8
LONG = 200
OWN_MAX = 100
NOTE_MAX = 70
KINDS: TextPairs = (
    ("units", "Units"),
    ("weapons", "Weapons"),
    ("armour", "Armour"),
    ("magic-items", "Magic items"),
    ("scenarios", "Scenarios"),
    ("armies", "Armies"),
    ("systems", "Rule systems"),
    ("charts", "Charts"),
    ("guidelines", "Guidelines"),
    ("campaigns", "Campaign rules"),
    ("rules", "Rules"),
)


class BadSearch(ValueError):
    """The search cannot be run; the text is a sentence for the person."""


@frozen_dataclass
class SearchResult:
    """One thing found.

    ``place`` is the name of its page and what that page needs; ``anchor`` where on it.
    """

    kind: str
    name: str
    note: str
    place: tuple[str, Texts]
    anchor: str = ""
    value: str = ""

    @property
    def url(self) -> str:
        page, arguments = self.place
        return reverse(page, args=arguments) + (f"#{self.anchor}" if self.anchor else "")

    @property
    def short_note(self) -> str:
        if len(self.note) <= NOTE_MAX:
            return self.note
        return f"{self.note[:NOTE_MAX].rsplit(' ', 1)[0]} …"


@frozen_dataclass
class SearchResultGroup:
    """The hits of one kind: ``hits`` are the first ones of ``count``."""

    kind: str
    name: str
    hits: tuple[SearchResult, ...]
    count: int

    @property
    def has_more(self) -> bool:
        return self.count > len(self.hits)


@frozen_dataclass
class Found:
    """What a search found. ``kind`` is set when only one kind was asked for."""

    text: str
    groups: tuple[SearchResultGroup, ...]
    kind: str = ""

    @property
    def count(self) -> int:
        return sum(group.count for group in self.groups)


@frozen_dataclass
class _Entry:
    hit: SearchResult
    name: str
    text: str

    def holds(self, words: Iterable[str]) -> bool:
        return all(word in self.text for word in words)


def search(text: str, actor: Owner = NOBODY, kind: str = "") -> Found:
    """Everything that holds all words of ``text``: best names first. One query.

    Raises BadSearch naming the limit.
    """
    _check_search(text, kind)
    words = terms(text)
    if not words:
        return Found(text.strip(), (), kind)
    entries = [entry for entry in _index() if entry.holds(words)]
    if kind in ("", "scenarios"):
        found = []
        for card in find_scenarios(words, actor, OWN_MAX):
            place = ("scenario-own", (card.scenario.system, card.token))
            note = f"by {card.by}" if card.by else ""
            found.append(_entry(SearchResult("scenarios", card.scenario.name, note, place)))
        entries += found
    entries.sort(key=lambda entry: _rank(entry, words))
    if kind:
        groups = [_group(entries, kind, dict(KINDS)[kind], LONG)]
    else:
        groups = [_group(entries, key, name, SHORT) for key, name in KINDS]
    return Found(text.strip(), tuple(group for group in groups if group.count), kind)


def _check_search(text: str, kind: str) -> None:
    """Raise BadSearch for a search that is too long or of an unknown kind."""
    if len(text) > QUERY_MAX:
        raise BadSearch(
            f"Search: at most {QUERY_MAX} characters, and this has {len(text)}. Try one or "
            "two words."
        )
    if kind and kind not in dict(KINDS):
        raise BadSearch(f"in: choose one of {', '.join(key for key, _ in KINDS)}.")


def _group(
    entries: Iterable[_Entry], kind: str, name: str, limit: int
) -> SearchResultGroup:
    hits = [entry.hit for entry in entries if entry.hit.kind == kind]
    return SearchResultGroup(kind, name, tuple(hits[:limit]), len(hits))


def _rank(entry: _Entry, words: Texts) -> tuple[int, int, str]:
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


def _entry(hit: SearchResult, *more: str) -> _Entry:
    """A result that is found by the words of its name, and ``more`` besides."""
    return _Entry(hit, folded(hit.name), folded(" ".join((hit.name, *more))))


@cache
def _index() -> tuple[_Entry, ...]:
    """Everything the packs hold. Made once for each process."""
    found: list[_Entry] = []
    for system in all_systems():
        found += _system_entries(system)
        for text in texts_of(system):
            found += _own_entries(text, system)
    for book in registry.rulesets():
        found += _item_entries(book, book.weapons, book.armour)
    shelves = grouped((book.address, army) for book, army in list_armies_once())
    for book in registry.rulesets():
        found += _army_entries(book, shelves.get(book.address, ()))
    found += _campaign_entries()
    return tuple(found)


def _campaign_entries() -> Iterator[_Entry]:
    """Yield the sets of the site, and their sections by what their tables hold."""
    for key, packed in packed_rules().items():
        place, name = ("campaign-read", (key,)), packed.rules.name
        yield _entry(SearchResult("campaigns", name, packed.rules.summary, place))
        for part in sections_of(packed.rules):
            hit = SearchResult("campaigns", part.title, name, place, part.key)
            yield _entry(hit, name, *part.words)


def _own_entries(book: System, shared: System) -> Iterator[_Entry]:
    """What a variant has beyond, or in place of, what all of them share."""
    # Two texts of a system print most things alike; these are found once, in the shared part.
    known = {(e.hit.kind, e.hit.anchor, e.text) for e in _system_entries(shared)}
    for entry in _system_entries(book):
        # Scenarios belong to the system, and its texts have them in common.
        is_scenario = entry.hit.place[0] == "scenario-detail"
        if not is_scenario and (entry.hit.kind, entry.hit.anchor, entry.text) not in known:
            yield entry


def _system_entries(system: System) -> Iterator[_Entry]:
    """Yield the entries of a system, with its charts, guidelines and scenarios."""
    page = ("system-detail", (system.address,))
    head = SearchResult("systems", system.full_name, system.summary, page)
    yield _entry(head, system.summary)
    yield from _chart_entries(system)
    yield from _guideline_entries(system)
    for scenario in system.scenarios.values():
        place = ("scenario-detail", (system.key, scenario.key))
        hit = SearchResult("scenarios", scenario.name, system.full_name, place)
        yield _entry(hit, scenario.summary)
    yield from _rule_entries(system)


def _chart_entries(system: System) -> Iterator[_Entry]:
    """Yield the entries of charts and of tables, with the names of their rows."""
    page, where = ("chart-list", (system.address,)), system.full_name
    for chart in system.charts.values():
        hit = SearchResult("charts", chart.name, where, page, f"chart-{chart.key}")
        yield _entry(hit, chart.row_label, chart.column_label)
    for table in system.tables.values():
        hit = SearchResult("charts", table.name, where, page, f"table-{table.key}")
        yield _entry(hit, *(row.name for row in table.rows))


def _guideline_entries(system: System) -> Iterator[_Entry]:
    """Yield the entry of each guideline, found by code, source and rulings too."""
    page, where = ("system-detail", (system.address,)), system.full_name
    for one in system.guidelines:
        anchor = f"guideline-{one.code.replace('.', '-')}"
        words = wording.guideline_words(one)
        hit = SearchResult("guidelines", one.title, where, page, anchor, words)
        yield _entry(hit, one.code, one.source, *one.refs)


def _rule_entries(system: System) -> Iterator[_Entry]:
    """Notes, states, house rules and rulings, in this order."""
    page, where = ("system-detail", (system.address,)), system.full_name
    for note in system.notes:
        hit = SearchResult("rules", note.title, where, page, f"note-{note.key}")
        yield _entry(hit, note.text, note.source)
    for state in system.states:
        hit = SearchResult(
            "rules", state.name, f"{where}, state", page, f"state-{state.key}"
        )
        yield _entry(hit, state.summary)
    for rule in system.house_rules:
        hit = SearchResult(
            "rules", rule.name, f"{where}, house rule", page, f"house-{rule.key}"
        )
        yield _entry(hit, rule.summary)
    for one in system.rulings:
        note_of = f"{where}, ruling"
        hit = SearchResult("rules", one.title, note_of, page, f"ruling-{one.ref}")
        yield _entry(hit, one.ref, one.default)


def _army_entries(system: System, armies: Iterable[Army]) -> Iterator[_Entry]:
    """Yield the entries of armies with units and magic items, then of their gear."""
    key = system.address
    weapons: dict[str, Weapon] = {}
    armour: dict[str, Armour] = {}
    for army in armies:
        place = ("army-detail", (key, army.key))
        yield _entry(SearchResult("armies", army.name, system.name, place), *army.rules)
        for profile in (*army.profiles.values(), *army.mounts.values()):
            yield _unit_entry(system, army, profile)
        for item in army.magic_items.values():
            yield _magic_item_entry(system, army, item)
        weapons |= {k: w for k, w in army.weapons.items() if k not in system.weapons}
        armour |= {k: a for k, a in army.armour.items() if k not in system.armour}
    yield from _item_entries(system, weapons, armour)


def _unit_entry(system: System, army: Army, profile: Profile) -> _Entry:
    """Return the entry of a unit, with its price; a hidden one is told as such."""
    note = f"{army.name}, {wording.category_of(profile, army)}"
    if not profile.is_offered:
        note += ", hidden"
    place = ("unit-detail", (system.address, army.key, profile.key))
    hit = SearchResult(
        "units", profile.name, note, place, value=f"{profile.points} {army.currency.short}"
    )
    return _entry(hit, profile.model_name, army.name, *profile.special_rules)


def _magic_item_entry(system: System, army: Army, item: MagicItem) -> _Entry:
    """Return the entry of a magic item, with its price."""
    note = f"{army.name}, {wording.key_words(item.type).lower()}"
    place = ("magic-item-list", (system.address, army.key))
    anchor, price = f"item-{item.key}", f"{item.points} {army.currency.short}"
    hit = SearchResult("magic-items", item.name, note, place, anchor, price)
    return _entry(hit, army.name, item.type.replace("-", " "))


def _item_entries(
    book: System, weapons: Mapping[str, Weapon], armour: Mapping[str, Armour]
) -> Iterator[_Entry]:
    """Yield the entries of weapons and of armour."""
    key = (book.address,)
    for weapon in weapons.values():
        words, anchor = wording.weapon_words(weapon), f"item-{weapon.key}"
        yield _entry(
            SearchResult("weapons", weapon.name, words, ("weapon-list", key), anchor)
        )
    for piece in armour.values():
        words, anchor = wording.armour_words(piece), f"item-{piece.key}"
        yield _entry(
            SearchResult("armour", piece.name, words, ("armour-list", key), anchor)
        )
