"""Rows of the rule books for programs: filtered, in a fixed order, ready to be paged."""

from dataclasses import fields
from operator import itemgetter
from typing import Any

from django.db.models import Count, Q, QuerySet

from engine.records import Fields, named_values
from engine.types.lists import Armour, Weapon
from engine.types.systems import System
from rulesdata import models, registry
from rulesdata.models import Army, Profile, Scenario
from rulesdata.queries.lookup import all_systems

Rows = QuerySet[Any, Any]
Listed = Rows | list[Fields]
PRINTED = Q(club__isnull=True, retired_at__isnull=True)


def system_rows() -> Rows:
    """Every rule system."""
    return models.System.objects.filter(retired_at=None).order_by("name", "id")


def _narrow(
    rows: QuerySet[Any],
    collection: str = "",
    system: str = "",
    army: str = "",
    search: str = "",
) -> QuerySet[Any]:
    """Rows of a system, of an army, whose names hold every word; ``collection`` is the way from a
    row to its army lists' collection.
    """
    if system:
        rows = rows.filter(**{f"{collection}__systems__key": system})
    if army:
        rows = rows.filter(army__key=army)
    for word in search.split():
        rows = rows.filter(name__icontains=word)
    return rows


def army_rows(system: str = "") -> Rows:
    """Army lists, of one system or all, with how many profiles they hold and offer."""
    living = Q(
        profiles__is_mount=False,
        profiles__club__isnull=True,
        profiles__retired_at__isnull=True,
    )
    offered = living & Q(profiles__is_offered=True)
    rows = _narrow(Army.objects.filter(PRINTED), "collection", system)
    counted: Rows = rows.annotate(
        profile_count=Count("profiles", filter=living, distinct=True),
        offered_count=Count("profiles", filter=offered, distinct=True),
    )
    return counted.select_related("collection").order_by("name", "id")


def profile_rows(system: str = "", army: str = "", search: str = "") -> Rows:
    """Profiles a roster may hold (never mounts): the columns and the whole record as its file has
    it.
    """
    rows = Profile.objects.filter(PRINTED, is_mount=False)
    rows = _narrow(rows, "army__collection", system, army)
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
    rows = _narrow(model._default_manager.filter(PRINTED), "collection", system, "", search)
    printed = rows.order_by("name", "id").values(
        "key", "name", "collection__key", *columns, "data"
    )
    pieces = [as_row(piece) for piece in getattr(book, part).values()] if book else []
    if not pieces:
        return printed
    # The system's own pieces are no rows: they stand in its file alone.
    keys, words = {row["key"] for row in pieces}, search.casefold().split()
    matching = [
        row for row in pieces if all(word in row["name"].casefold() for word in words)
    ]
    others = [row for row in printed if row["key"] not in keys]
    return sorted([*matching, *others], key=itemgetter("name"))


def _weapon(item: Weapon) -> Fields:
    """Return the row of a system's own weapon, with range and Strength as texts."""
    hands = {} if item.hands is None else {"hands": item.hands}
    return {
        **named_values(item, "key", "name", "type"),
        "range": "" if item.range is None else str(item.range),
        "strength": "" if item.strength is None else str(item.strength),
        "collection__key": "",
        "data": {**hands, **item.traits, "source": item.source},
    }


def _armour(piece: Armour) -> Fields:
    """Return the row of a system's own armour."""
    return {
        **named_values(piece, "key", "name", "improves"),
        "collection__key": "",
        "save_value": piece.save,
        "data": {**piece.traits, "source": piece.source},
    }


GEAR: Fields = {
    "weapons": (models.Weapon, ("type", "range", "strength"), _weapon),
    "armour": (models.Armour, ("save_value", "improves"), _armour),
}
"""The table of each part of a system's gear, its columns, and how the system's own become rows."""


def magic_item_rows(system: str = "", army: str = "", search: str = "") -> Rows:
    """Magic items of the army lists, the dearest of each army first."""
    rows = models.MagicItem.objects.filter(PRINTED)
    rows = _narrow(rows, "army__collection", system, army, search)
    rows = rows.select_related("army").defer("data", "army__data")
    return rows.order_by("army__name", "-points", "name", "id")


def mechanics_rows(part: str, book: System | None) -> list[Fields]:
    """The rulings, guidelines or charts of a system, or of all, in the order of their files."""
    # They stand in files alone, so they are paged as a list.
    systems = [book] if book else all_systems()
    rows = []
    for system in systems:
        records = getattr(system, part)
        place = {"system": system.key, "variant": system.variant or ""}
        for record in records.values() if part == "charts" else records:
            values = named_values(record, *(field.name for field in fields(record)))
            rows.append({**values, **place})
    return rows


def scenario_rows(system: str = "") -> Rows:
    """The scenarios of the rule books, of one system or all."""
    rows = Scenario.objects.filter(origin="pack", retired_at=None).select_related("system")
    if system:
        rows = rows.filter(system__key=system)
    return rows.order_by("system__name", "position", "id")


def packs_are_loaded() -> bool:
    """Whether every rule system of the files has its row. One query."""
    return set(registry.systems()) <= set(
        models.System.objects.filter(retired_at=None).values_list("key", flat=True)
    )
