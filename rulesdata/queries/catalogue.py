"""Rows of the rule books for programs: plain dictionaries, filtered, in a fixed order, ready to be
paged.
"""

from typing import Any

from django.db.models import Count, Q, QuerySet

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
        profiles__is_mount=False, profiles__club__isnull=True, profiles__retired_at__isnull=True
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


def weapon_rows(system: str = "", search: str = "") -> Rows:
    """Weapons of the collections a system fields, or of all."""
    rows = models.Weapon.objects.filter(PRINTED)
    return _of_system(rows, system, search).values(
        "key", "name", "collection__key", "type", "range", "strength", "data"
    )


def armour_rows(system: str = "", search: str = "") -> Rows:
    """Armour of the collections a system fields, or of all."""
    rows = models.Armour.objects.filter(PRINTED)
    return _of_system(rows, system, search).values(
        "key", "name", "collection__key", "save_value", "improves", "data"
    )


def weapons_under(book: System | None, system: str = "", search: str = "") -> Listed:
    """The same, those a system has figures of its own for with these figures, and those it adds, by
    name.
    """
    own = book.weapons.values() if book else ()
    return _under([_weapon(item) for item in own], weapon_rows(system, search), search)


def armour_under(book: System | None, system: str = "", search: str = "") -> Listed:
    """Armour in the same way."""
    own = book.armour.values() if book else ()
    return _under([_armour(piece) for piece in own], armour_rows(system, search), search)


def _under(own: list[Row], printed: Rows, search: str) -> Listed:
    if not own:
        return printed
    keys = {row["key"] for row in own}
    # The system's own pieces are no rows: they stand in its file alone.
    words = search.casefold().split()
    found = [row for row in own if all(word in row["name"].casefold() for word in words)]
    return sorted(
        [*found, *(row for row in printed if row["key"] not in keys)], key=lambda row: row["name"]
    )


def _weapon(item: Weapon) -> Row:
    reach, strength = (
        "" if figure is None else str(figure) for figure in (item.range, item.strength)
    )
    hands = {} if item.hands is None else {"hands": item.hands}
    data = {**hands, **item.traits, "source": item.source}
    return {
        "key": item.key, "name": item.name, "collection__key": "", "type": item.type, "range": reach,
        "strength": strength, "data": data,
    }  # fmt: skip


def _armour(piece: Armour) -> Row:
    data = {**piece.traits, "source": piece.source}
    return {
        "key": piece.key, "name": piece.name, "collection__key": "", "save_value": piece.save,
        "improves": piece.improves, "data": data,
    }  # fmt: skip


def _of_system(rows: QuerySet[Any], system: str, search: str) -> QuerySet[Any]:
    if system:
        rows = rows.filter(collection__systems__key=system)
    for word in search.split():
        rows = rows.filter(name__icontains=word)
    return rows.order_by("name", "id")


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
