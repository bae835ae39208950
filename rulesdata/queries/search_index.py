"""The search of the rule book: what the packs hold, in memory, and people's scenarios.

Text is folded to small letters without accents, here and not by a database, so that both databases
find the same.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from django.urls import reverse

from accounts.owner import NOBODY, Owner
from engine.records import Fields, Texts, grouped
from engine.types.lists import Armour, Army, Weapon
from engine.types.systems import System
from rulesdata import registry
from rulesdata import text as wording
from rulesdata.campaign_documents import packed_rules
from rulesdata.queries.campaign_book import build_sections
from rulesdata.queries.lookup import all_systems, list_armies_once, load_texts
from rulesdata.queries.scenarios import find_scenarios
from rulesdata.text import folded, folded_words

QUERY_MAX = 100
# How many of each kind are shown, and how many where one kind is asked for.
SHORT = 8
LONG = 200
OWN_MAX = 100
NOTE_MAX = 70
KINDS = (
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


@dataclass(frozen=True)
class SearchResult:
    """One thing that can be found, by the words of its name and ``more`` besides.

    ``place`` is the name of its page and what that page needs; ``anchor`` where on it.
    """

    kind: str
    name: str
    note: str
    place: tuple[str, Texts]
    anchor: str = ""
    value: str = ""
    more: Texts = ()

    @cached_property
    def folded_name(self) -> str:
        return folded(self.name)

    @cached_property
    def text(self) -> str:
        return folded(" ".join((self.name, *self.more)))

    @property
    def url(self) -> str:
        page, arguments = self.place
        return reverse(page, args=arguments) + (f"#{self.anchor}" if self.anchor else "")

    @property
    def short_note(self) -> str:
        if len(self.note) <= NOTE_MAX:
            return self.note
        return f"{self.note[:NOTE_MAX].rsplit(' ', 1)[0]} …"

    def rank(self, wanted: str) -> tuple[int, int, str]:
        """The whole name first, then names that begin with the search, that hold words of it at
        their beginning, that hold them all, then the rest.
        """
        name, words = self.folded_name, wanted.split()
        if name == wanted:
            return 0, 0, name
        if name.startswith(wanted):
            return 1, len(name), name
        if all(f" {word}" in f" {name}" for word in words):
            return 2, len(name), name
        return (3 if all(word in name for word in words) else 4), 0, name


def search(text: str, actor: Owner = NOBODY, kind: str = "") -> Fields:
    """Everything that holds all words of ``text``: best names first. One query.

    Of each kind ``hits`` are the first ones of ``count``. Raises BadSearch naming the limit.
    """
    if len(text) > QUERY_MAX:
        raise BadSearch(
            f"Search: at most {QUERY_MAX} characters, and this has {len(text)}. Try one or "
            "two words."
        )
    names = dict(KINDS)
    if kind and kind not in names:
        raise BadSearch(f"in: choose one of {', '.join(names)}.")
    words = folded_words(text)
    results = _find_results(words, actor, kind) if words else []
    wanted = " ".join(words)
    results.sort(key=lambda result: result.rank(wanted))
    by_kind = grouped((result.kind, result) for result in results)
    limit = LONG if kind else SHORT
    groups = [
        {
            "kind": key,
            "name": names[key],
            "hits": by_kind[key][:limit],
            "count": len(by_kind[key]),
        }
        for key in names
        if key in by_kind
    ]
    return {"text": text.strip(), "groups": groups, "kind": kind, "count": len(results)}


def _find_results(words: Texts, actor: Owner, kind: str) -> list[SearchResult]:
    """Return what holds every word, of one kind where it is named, people's scenarios last."""
    results = [
        result
        for result in _index()
        if kind in ("", result.kind) and all(word in result.text for word in words)
    ]
    if kind in ("", "scenarios"):
        for card in find_scenarios(words, actor, OWN_MAX):
            place = ("scenario-own", (card.scenario.system, card.token))
            note = f"by {card.by}" if card.by else ""
            results.append(SearchResult("scenarios", card.scenario.name, note, place))
    return results


# Everything that can be found


@cache
def _index() -> tuple[SearchResult, ...]:
    """Everything the packs hold. Made once for each process."""
    results: list[SearchResult] = []
    for system in all_systems():
        shared = list(_system_results(system))
        results += shared
        # Two texts of a system print most things alike; these are found once, in the shared part.
        seen = {(result.kind, result.anchor, result.text) for result in shared}
        for book in load_texts(system):
            # Scenarios belong to the system, and its texts have them in common.
            results += [
                result
                for result in _system_results(book)
                if result.kind != "scenarios"
                and (result.kind, result.anchor, result.text) not in seen
            ]
    for book in registry.rulesets():
        results += _gear_results(book, book.weapons, book.armour)
    shelves = grouped((book.address, army) for book, army in list_armies_once())
    for book in registry.rulesets():
        results += _army_results(book, shelves.get(book.address, ()))
    for key, packed in packed_rules().items():
        rules, place = packed.rules, ("campaign-read", (key,))
        results.append(SearchResult("campaigns", rules.name, rules.summary, place))
        # Its sections, by what their tables hold.
        results += [
            SearchResult(
                "campaigns",
                part.title,
                rules.name,
                place,
                part.key,
                more=(rules.name, *part.words),
            )
            for part in build_sections(rules)
        ]
    return tuple(results)


def _system_results(system: System) -> Iterator[SearchResult]:
    """A system, its charts and tables with the names of their rows, its guidelines, found by code,
    source and rulings too, scenarios and rules.
    """
    where, address = system.full_name, (system.address,)
    page, charts = ("system-detail", address), ("chart-list", address)
    yield SearchResult("systems", where, system.summary, page, more=(system.summary,))
    for chart in system.charts.values():
        anchor, labels = f"chart-{chart.key}", (chart.row_label, chart.column_label)
        yield SearchResult("charts", chart.name, where, charts, anchor, more=labels)
    for table in system.tables.values():
        anchor, rows = f"table-{table.key}", tuple(row.name for row in table.rows)
        yield SearchResult("charts", table.name, where, charts, anchor, more=rows)
    for guideline in system.guidelines:
        more = (guideline.code, guideline.source, *guideline.refs)
        yield SearchResult(
            "guidelines",
            guideline.title,
            where,
            page,
            f"guideline-{guideline.code.replace('.', '-')}",
            wording.guideline_words(guideline),
            more,
        )
    for scenario in system.scenarios.values():
        place = ("scenario-detail", (system.key, scenario.key))
        yield SearchResult(
            "scenarios", scenario.name, where, place, more=(scenario.summary,)
        )
    rules = [
        *((n.title, "", f"note-{n.key}", (n.text, n.source)) for n in system.notes),
        *((s.name, ", state", f"state-{s.key}", (s.summary,)) for s in system.states),
        *(
            (rule.name, ", house rule", f"house-{rule.key}", (rule.summary,))
            for rule in system.house_rules
        ),
        *(
            (ruling.title, ", ruling", f"ruling-{ruling.ref}", (ruling.ref, ruling.default))
            for ruling in system.rulings
        ),
    ]
    for name, kind, anchor, more in rules:
        yield SearchResult("rules", name, f"{where}{kind}", page, anchor, more=more)


def _army_results(system: System, armies: Iterable[Army]) -> Iterator[SearchResult]:
    """Armies with their units and magic items, then their gear that is not the system's."""
    address = system.address
    weapons: dict[str, Weapon] = {}
    armour: dict[str, Armour] = {}
    for army in armies:
        place: tuple[str, Texts] = ("army-detail", (address, army.key))
        yield SearchResult("armies", army.name, system.name, place, more=army.rules)
        short = army.currency.short
        for profile in (*army.listed, *army.mounts.values()):
            hidden = "" if profile.is_offered else ", hidden"
            note = f"{army.name}, {wording.category_label(profile, army)}{hidden}"
            place = ("unit-detail", (address, army.key, profile.key))
            carried = (wording.item_name(army, key) for key in profile.default_items)
            more = (profile.model_name, army.name, *profile.special_rules)
            more = (*more, *carried, *profile.default_upgrades)
            price = f"{profile.points} {short}"
            yield SearchResult("units", profile.name, note, place, "", price, more)
        place = ("magic-item-list", (address, army.key))
        for item in army.magic_items.values():
            yield SearchResult(
                "magic-items",
                item.name,
                f"{army.name}, {wording.key_words(item.type).lower()}",
                place,
                f"item-{item.key}",
                f"{item.points} {short}",
                (army.name, item.type.replace("-", " ")),
            )
        weapons |= {k: w for k, w in army.weapons.items() if k not in system.weapons}
        armour |= {k: a for k, a in army.armour.items() if k not in system.armour}
    yield from _gear_results(system, weapons, armour)


def _gear_results(
    book: System, weapons: Mapping[str, Weapon], armour: Mapping[str, Armour]
) -> Iterator[SearchResult]:
    address = (book.address,)
    # Several systems have a halberd.
    for weapon in weapons.values():
        note = f"{book.full_name}: {wording.weapon_words(weapon)}".removesuffix(": ")
        anchor = f"item-{weapon.key}"
        yield SearchResult("weapons", weapon.name, note, ("weapon-list", address), anchor)
    for piece in armour.values():
        note = f"{book.full_name}: {wording.armour_words(piece)}".removesuffix(": ")
        anchor = f"item-{piece.key}"
        yield SearchResult("armour", piece.name, note, ("armour-list", address), anchor)
