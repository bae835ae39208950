"""Lists of warbands: one query each, rows by index, never a count of the whole table; and the
starter warbands.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

import re2
from django.db.models import Q, QuerySet

from accounts.access import owned_by
from accounts.models import display_name_of
from accounts.owner import Owner
from accounts.pagination import load_page
from engine.records import Fields, frozen_dataclass
from engine.roster import Roster
from engine.selection import counts_points
from engine.starters import build_starter
from engine.types.lists import POINTS, Currency
from engine.types.systems import COMMON_LIMIT, System
from rulesdata import own_store, registry
from rulesdata.own_lists import is_own
from rulesdata.text import folded, folded_words
from warbands.models import Warband, WarbandVisibility, name_key
from warbands.queries.records import WarbandPage, WarbandRow
from warbands.sheet.build import build_sheet
from warbands.sheet.structure import RosterSheet

PER_PAGE = 30
# Of rows not archived. Where they have no date it changes nothing, but without it PostgreSQL does
# not see that an index on it is in this order already, and sorts every row there is.
NEWEST = ("archived_at", "-updated_at", "-id")
# The same index read backwards. Nothing changes in the archive, so these are the last changed as
# well.
LAST_ARCHIVED = ("-archived_at", "updated_at", "id")
_KEY = re2.compile(r"[a-z0-9-]{1,100}")
# What is found in a warband, as lists may be asked for it.
FINDINGS: dict[str, Q] = {
    "clear": Q(errors=0, warnings=0),
    "warning": Q(warnings__gt=0),
    "error": Q(errors__gt=0),
}
_FIELDS = [
    "token",
    "name",
    "system",
    "army",
    "variant",
    "points",
    "points_limit",
    "miniatures",
    "errors",
    "warnings",
    "notes",
    "visibility",
    "archived_at",
    "updated_at",
    "is_grown",
    "owner_id",
    "owner__name",
    "club__name",
]


@frozen_dataclass
class WarbandFilter:
    """Which warbands of a list are wanted, and which page of them; what is empty filters nothing.

    ``findings`` is one of `FINDINGS`, ``search`` how a name begins, a leading "the" left out.
    """

    system: str = ""
    army: str = ""
    points_from: int | None = None
    points_to: int | None = None
    findings: str = ""
    search: str = ""
    page: int = 1
    per_page: int = PER_PAGE


EVERYTHING = WarbandFilter()


SORTS = {
    "": "Last changed",
    "name": "Name",
    "points": "Most points",
    "army": "Army",
}
SORT_COLUMNS = {
    "name": ("name_key", "id"),
    "points": ("-points", "id"),
    "army": ("system", "army", "name_key", "id"),
}
SEARCHED = 2_000
"""So many of one's own warbands, the last changed, are looked through for words."""


def warbands_of(
    actor: Owner, *, archived: bool = False, page: int = 1, per_page: int = PER_PAGE
) -> WarbandPage:
    """The actor's own warbands, the last changed first; of the archive the last archived.

    Copies that campaigns have of them stand after the others.
    """
    rows = Warband.objects.filter(owned_by(actor), archived_at__isnull=not archived)
    order = LAST_ARCHIVED if archived else NEWEST
    return _page(rows.order_by("is_grown", *order), page, per_page)


def search_warbands(
    actor: Owner, search: str, sort: str, page: int, *, archived: bool = False
) -> WarbandPage:
    """The actor's own warbands whose name, army and system hold all words of a search, sorted as
    one of `SORTS`.

    One query: the names of armies are those of packs and clubs, so no database looks for them.
    """
    rows = Warband.objects.filter(owned_by(actor), archived_at__isnull=not archived)
    order = SORT_COLUMNS.get(sort, ("is_grown", *(LAST_ARCHIVED if archived else NEWEST)))
    rows, terms = rows.order_by(*order), folded_words(search)
    if not terms:
        return _page(rows, page, PER_PAGE)

    def matches(row: WarbandRow) -> bool:
        text = folded(f"{row.name} {row.army_name} {row.system_name}")
        return all(term in text for term in terms)

    matching = list(filter(matches, _page(rows, 1, SEARCHED).rows))
    return load_page(matching, lambda row: row, page=page, per_page=PER_PAGE)


def club_warbands(
    club_id: int, wanted: WarbandFilter = EVERYTHING, *, is_member: bool
) -> WarbandPage:
    """What a club's members show each other, for its members; for others what is public of it.
    One query.
    """
    visible = [WarbandVisibility.PUBLIC]
    if is_member:
        visible.append(WarbandVisibility.CLUB)
    rows = _filtered(wanted).filter(
        club_id=club_id, visibility__in=visible, owner__isnull=False
    )
    return _page(rows.order_by(*NEWEST), wanted.page, wanted.per_page)


def public_warbands(wanted: WarbandFilter = EVERYTHING) -> WarbandPage:
    """The public warbands, the last changed first.

    They stand by name with a search, the most points first with bounds of points. Each order has
    its index, so that a filter which nothing meets costs no more than one that many meet.
    """
    rows = _filtered(wanted).filter(visibility=WarbandVisibility.PUBLIC)
    has_bounds = wanted.points_from is not None or wanted.points_to is not None
    order = ("archived_at", "-points", "-id") if has_bounds else NEWEST
    # A range of the index, where LIKE would depend on the database's collation.
    if key := name_key(wanted.search):
        order = ("archived_at", "name_key", "id")
        # "g" sorts behind every hexadecimal digit in every language's order.
        rows = rows.filter(name_key__gte=key, name_key__lt=f"{key}g")
    return _page(rows.order_by(*order), wanted.page, wanted.per_page)


def _filtered(wanted: WarbandFilter) -> QuerySet[Warband]:
    """The warbands that are not archived and meet the filters all lists share; none where a key is
    no key at all.
    """
    keys = (key for key in (wanted.system, wanted.army) if key)
    if not all(map(_KEY.fullmatch, keys)) or wanted.findings not in ("", *FINDINGS):
        return Warband.objects.none()
    columns = {
        "system": wanted.system,
        "army": wanted.army,
        "points__gte": wanted.points_from,
        "points__lte": wanted.points_to,
    }
    filters = {name: value for name, value in columns.items() if value not in ("", None)}
    rows = Warband.objects.filter(archived_at=None, **filters)
    return rows.filter(FINDINGS[wanted.findings]) if wanted.findings else rows


def _page(rows: QuerySet[Warband], number: int, per_page: int) -> WarbandPage:
    page: Any = load_page(rows.values(*_FIELDS), dict, page=number, per_page=per_page)
    # All lists of clubs with one query, before the rows name them one by one.
    own_store.preload(row["army"] for row in page.rows)
    return replace(page, rows=tuple(map(_row, page.rows)))


def _row(row: Fields) -> WarbandRow:
    try:
        system = registry.load_base(row["system"])
        shows_points = counts_points(row["points_limit"], system)
    except registry.UnknownKey:
        shows_points = True
    return WarbandRow(
        owner_name=display_name_of(row["owner_id"], row.pop("owner__name")),
        club_name=row.pop("club__name") or "",
        models=row.pop("miniatures"),
        system_name=system_name(row["system"], row["variant"]),
        army_name=army_name(row["system"], row["army"]),
        shows_points=shows_points,
        unit=currency_of(row["system"], row["army"]).short,
        **row,
    )


def system_name(key: str, variant: str = "") -> str:
    """The system's name with its variant's, or its key where no pack has it."""
    try:
        if variant:
            return registry.load_system(key, variant).full_name
        return registry.load_base(key).name
    except registry.UnknownKey:
        return key


def currency_of(system: str, key: str) -> Currency:
    """What the prices of an army are counted in; points where no pack has it."""
    try:
        return registry.printed_army(system, key).currency
    except registry.UnknownKey:
        return POINTS


def find_list_limit(system: str, key: str) -> int | None:
    """Return the limit that an army's list says itself; None also where no pack has it."""
    try:
        return registry.printed_army(system, key).default_limit
    except registry.UnknownKey:
        return None


def army_name(system: str, key: str) -> str:
    """The army's name, or its key where no pack has it."""
    try:
        return registry.printed_army(system, key).name
    except registry.UnknownKey:
        return key


def count_holders(token: str) -> int:
    """Return how many warbands use a list, archived ones left out. One query."""
    return Warband.objects.filter(army=token, archived_at=None).count()


# Starter warbands, worked out once for each process; no database.


@frozen_dataclass
class Starter:
    """A warband made by the program, ready to be copied and changed."""

    key: str
    roster: Roster
    sheet: RosterSheet


@cache
def starters(address: str = "") -> tuple[Starter, ...]:
    """One for each army of each system and of each of its variants; of one of them if named. Those
    of its first collection come first, by the army's name.
    """
    systems = [s for s in registry.rulesets() if address in ("", s.address)]
    return tuple(chain.from_iterable(map(_starters, systems)))


def first_starter() -> Starter:
    """One of them, whichever is there first."""
    return next(_starters(registry.rulesets()[0]))


def _starters(system: System) -> Iterator[Starter]:
    for _, _, ready in chain.from_iterable(army_shelves(system)):
        if ready:
            yield ready


def army_shelves(system: System) -> list[list[tuple[str, str, Starter | None]]]:
    """The armies by the collections of a system: key, name and starter warband of each."""
    shelves: dict[str, list[tuple[str, str, Starter | None]]]
    shelves = {collection: [] for collection in system.collections}
    for key, name in registry.army_names(system.key).items():
        ready = starter(f"{system.address}--{key}")
        collection = registry.find_collection_key(system.key, key)
        shelves[collection].append((key, name, ready))
    return list(shelves.values())


def starter(key: str) -> Starter | None:
    """The starter of that key, or None."""
    address, _, army = key.partition("--")
    # A starter is made of printed lists only; a club's list may change every minute.
    if is_own(army):
        return None
    system, _, variant = address.partition(".")
    try:
        built = _build_starter(system, army, variant or None)
    except registry.UnknownKey:
        return None
    return built if built.sheet.models else None


@cache
def _build_starter(system_key: str, army_key: str, variant: str | None) -> Starter:
    system = registry.load_system(system_key, variant)
    army = registry.load_army(system_key, army_key, variant)
    limit = system.usual_limit(army.default_limit) or COMMON_LIMIT
    roster = build_starter(system, army, limit)
    sheet = build_sheet(roster, system, army)
    return Starter(f"{system.address}--{army_key}", roster, sheet)
