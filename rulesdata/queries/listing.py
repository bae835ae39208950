"""Rows of the rule books for programs: plain dictionaries, filtered, in a fixed order, ready to be paged."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet

from rulesdata.models import Armour, Army, Profile, Scenario, System, Weapon

Rows = QuerySet[Any, Any]  # of dictionaries
PRINTED = Q(club__isnull=True, retired_at__isnull=True)


def system_rows() -> Rows:
    """Every rule system: key, name, summary."""
    return System.objects.filter(retired_at__isnull=True).order_by("name", "id").values("key", "name", "summary")


def army_rows(system: str = "") -> Rows:
    """Army lists, of one system or all, with how many profiles they hold and offer."""
    rows = Army.objects.filter(PRINTED)
    if system:
        rows = rows.filter(collection__systems__key=system)
    living = Q(profiles__is_mount=False, profiles__club__isnull=True, profiles__retired_at__isnull=True)
    return (
        rows.annotate(
            profile_count=Count("profiles", filter=living, distinct=True),
            offered_count=Count("profiles", filter=living & Q(profiles__is_offered=True), distinct=True),
        )
        .order_by("name", "id")
        .values("key", "name", "collection__key", "profile_count", "offered_count")
    )


def profile_rows(system: str = "", army: str = "", search: str = "") -> Rows:
    """Profiles a roster may hold (never mounts): the columns and the whole record as its file has it."""
    rows = Profile.objects.filter(PRINTED, is_mount=False)
    if system:
        rows = rows.filter(army__collection__systems__key=system)
    if army:
        rows = rows.filter(army__key=army)
    for word in search.casefold().split():
        rows = rows.filter(search__contains=word)
    return rows.order_by("army__name", "position", "id").values(
        "key", "name", "model_name", "army__key", "category", "troop_type", "points", "miniatures", "is_offered", "data"
    )


def weapon_rows(system: str = "", search: str = "") -> Rows:
    """Weapons of the collections a system fields, or of all."""
    rows = Weapon.objects.filter(PRINTED)
    return _of_system(rows, system, search).values("key", "name", "type", "range", "strength", "data")


def armour_rows(system: str = "", search: str = "") -> Rows:
    """Armour of the collections a system fields, or of all."""
    rows = Armour.objects.filter(PRINTED)
    return _of_system(rows, system, search).values("key", "name", "save_value", "improves", "data")


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
