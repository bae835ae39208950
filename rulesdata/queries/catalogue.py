"""Rows of the rule books for programs: plain dictionaries, filtered, in a fixed order, ready to be
paged.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import Count, Q, QuerySet

from engine.records import named_values
from engine.types.lists import Armour, Weapon
from engine.types.systems import System
from rulesdata import models, registry
from rulesdata.models import Army, Profile, Scenario

Row = dict[str, Any]

Rows = QuerySet[Any, Any]  # of dictionaries
Listed = Rows | list[Row]
PRINTED = Q(club__isnull=True, retired_at__isnull=True)


def system_rows() -> Rows:
    """Every rule system: key, name, summary."""
    return (
        models.System.objects.filter(retired_at__isnull=True)
        .order_by("name", "id")
        .values("key", "name", "summary")
    )


def army_rows(system: str = "") -> Rows:
    """Army lists, of one system or all, with how many profiles they hold and offer."""
    rows = Army.objects.filter(PRINTED)
    if system:
        rows = rows.filter(collection__systems__key=system)
    living = Q(
        profiles__is_mount=False,
        profiles__club__isnull=True,
        profiles__retired_at__isnull=True,
    )
    return (
        rows.annotate(
            profile_count=Count("profiles", filter=living, distinct=True),
            offered_count=Count(
                "profiles", filter=living & Q(profiles__is_offered=True), distinct=True
            ),
        )
        .order_by("name", "id")
        .values("key", "name", "collection__key", "profile_count", "offered_count")
    )


def profile_rows(system: str = "", army: str = "", search: str = "") -> Rows:
    """Profiles a roster may hold (never mounts): the columns and the whole record as its file has
    it.
    """
    rows = Profile.objects.filter(PRINTED, is_mount=False)
    if system:
        rows = rows.filter(army__collection__systems__key=system)
    if army:
        rows = rows.filter(army__key=army)
    for word in search.casefold().split():
        rows = rows.filter(search__contains=word)
    return rows.order_by("army__name", "position", "id").values(
        "key",
        "name",
        "model_name",
        "army__key",
        "category",
        "troop_type",
        "points",
        "miniatures",
        "is_offered",
        "data",
    )


def gear_under(part: str, book: System | None, system: str, search: str) -> Listed:
    """The weapons or armour of the collections a system fields, or of all.

    Those a system has figures of its own for stand with these figures, and those it adds beside
    them, by name.
    """
    model, columns, as_row = GEAR[part]
    rows = _of_system(model._default_manager.filter(PRINTED), system, search)
    printed = rows.values("key", "name", "collection__key", *columns, "data")
    pieces = getattr(book, part).values() if book else ()
    return _under([as_row(item) for item in pieces], printed, search)


def _under(pieces: list[Row], printed: Rows, search: str) -> Listed:
    """Return the printed rows with the system's own in place of those of their key."""
    if not pieces:
        return printed
    keys = {row["key"] for row in pieces}
    # The system's own pieces are no rows: they stand in its file alone.
    terms = search.casefold().split()
    matching = [
        row for row in pieces if all(word in row["name"].casefold() for word in terms)
    ]
    return sorted(
        [*matching, *(row for row in printed if row["key"] not in keys)],
        key=lambda row: row["name"],
    )


def _weapon(item: Weapon) -> Row:
    """Return the row of a system's own weapon, with range and Strength as texts."""
    printed = named_values(item, "range", "strength")
    hands = {} if item.hands is None else {"hands": item.hands}
    return {
        **named_values(item, "key", "name", "type"),
        **{name: "" if figure is None else str(figure) for name, figure in printed.items()},
        "collection__key": "",
        "data": {**hands, **item.traits, "source": item.source},
    }


def _armour(piece: Armour) -> Row:
    """Return the row of a system's own armour."""
    return {
        **named_values(piece, "key", "name", "improves"),
        "collection__key": "",
        "save_value": piece.save,
        "data": {**piece.traits, "source": piece.source},
    }


GEAR: dict[str, tuple[type[Any], tuple[str, ...], Callable[[Any], Row]]] = {
    "weapons": (models.Weapon, ("type", "range", "strength"), _weapon),
    "armour": (models.Armour, ("save_value", "improves"), _armour),
}
"""The table of each part of a system's gear, its columns, and how the system's own become rows."""


def _of_system(rows: QuerySet[Any], system: str, search: str) -> QuerySet[Any]:
    """Return rows of a system whose name has every word, sorted by name."""
    if system:
        rows = rows.filter(collection__systems__key=system)
    for word in search.split():
        rows = rows.filter(name__icontains=word)
    return rows.order_by("name", "id")


def magic_item_rows(system: str = "", army: str = "", search: str = "") -> Rows:
    """Magic items of the army lists, the dearest of each army first."""
    rows = models.MagicItem.objects.filter(PRINTED)
    if system:
        rows = rows.filter(army__collection__systems__key=system)
    if army:
        rows = rows.filter(army__key=army)
    for word in search.split():
        rows = rows.filter(name__icontains=word)
    return rows.order_by("army__name", "-points", "name", "id").values(
        "key", "name", "army__key", "type", "points", "is_unique"
    )


def mechanics_rows(part: str, book: System | None) -> list[Row]:
    """The rulings, guidelines or charts of a system, or of all, in the order of their files."""
    # They stand in files alone, so they are paged as a list.
    books = [book] if book else [registry.load_base(key) for key in registry.systems()]
    return [
        {"system": system.key, "variant": system.variant or "", "record": record}
        for system in books
        for record in MECHANICS[part](system)
    ]


MECHANICS: dict[str, Callable[[System], Iterable[Any]]] = {
    "rulings": lambda system: system.rulings,
    "guidelines": lambda system: system.guidelines,
    "charts": lambda system: system.charts.values(),
}
"""The parts of a system that stand in its files alone."""


def scenario_rows(system: str = "") -> Rows:
    """The scenarios of the rule books, of one system or all."""
    rows = Scenario.objects.filter(origin="pack", retired_at__isnull=True)
    if system:
        rows = rows.filter(system__key=system)
    return rows.order_by("system__name", "position", "id").values(
        "key",
        "name",
        "system__key",
        "summary",
        "sides",
        "setup",
        "objectives",
        "special_rules",
        "length",
        "waives",
        "source",
    )


def packs_are_loaded() -> bool:
    """Whether every rule system of the files has its row. One query."""
    return set(registry.systems()) <= set(
        models.System.objects.filter(retired_at=None).values_list("key", flat=True)
    )
