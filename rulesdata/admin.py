"""The rule books in the administration.

What comes from the packs is read only: their files are the source.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin import ReadOnlyAdmin
from rulesdata.models import (
    Armour,
    Army,
    Collection,
    MagicItem,
    Origin,
    Profile,
    Scenario,
    SentCatalogue,
    System,
    Weapon,
)


class ReadOnly(ReadOnlyAdmin, admin.ModelAdmin):
    """Shows rows of the packs; the load changes them."""

    search_fields = ("name", "key")


@admin.register(System, Collection)
class PackAdmin(ReadOnly):
    list_display = ("name", "key", "loaded_at", "retired_at")


@admin.register(Army)
class ArmyAdmin(ReadOnly):
    list_display = ("name", "key", "collection", "retired_at")
    list_select_related = ("collection",)


@admin.register(Profile)
class ProfileAdmin(ReadOnly):
    list_display = (
        "name",
        "army",
        "category",
        "troop_type",
        "points",
        "is_offered",
        "has_doubts",
        "is_incomplete",
    )
    list_filter = ("army", "category", "is_offered", "has_doubts", "is_incomplete")
    list_select_related = ("army",)


@admin.register(Weapon)
class WeaponAdmin(ReadOnly):
    list_display = ("name", "type", "range", "strength")


@admin.register(Armour)
class ArmourAdmin(ReadOnly):
    list_display = ("name", "save_value", "improves")


@admin.register(MagicItem)
class MagicItemAdmin(ReadOnly):
    list_display = ("name", "army", "type", "points", "is_unique")
    list_filter = ("army", "type")
    list_select_related = ("army",)


@admin.register(SentCatalogue)
class SentCatalogueAdmin(ReadOnlyAdmin, admin.ModelAdmin):
    """Who confirmed when that their club may use the files that a list was made of."""

    list_display = ("club", "army", "author", "at", "taken_at")
    list_select_related = ("club", "army", "author")
    fields = ("club", "army", "author", "at", "taken_at", "token", "outcome")

    def get_queryset(self, request: HttpRequest) -> QuerySet[SentCatalogue]:
        """Leave out what is only there until it is read or taken."""
        return super().get_queryset(request).defer("files", "document")


@admin.register(Scenario)
class ScenarioAdmin(ReadOnly):
    """The staff may delete a person's scenario that must not stay; its author changes it on the
    site.
    """

    list_display = (
        "name",
        "system",
        "origin",
        "visibility",
        "author",
        "changed_at",
        "retired_at",
    )
    list_filter = ("system", "origin", "visibility")
    list_select_related = ("system", "author")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed: bool = request.user.has_perm("rulesdata.delete_scenario")
        return allowed and (obj is None or obj.origin == Origin.OWN)
