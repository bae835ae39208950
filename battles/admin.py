"""Battles for the staff: to look at, never to edit. What changes one goes through `operations`."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin import LargeTableAdmin, ReadOnlyAdmin
from battles.models import Battle, BattleSide, ResultEntry


class SideInline(ReadOnlyAdmin, admin.TabularInline):
    model = BattleSide
    extra = 0
    fields = (
        "key",
        "name",
        "army_name",
        "owner",
        "is_quick",
        "size",
        "leadership",
        "points",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[BattleSide]:
        """The sides with whose they are, in one question."""
        return super().get_queryset(request).select_related("owner")


class StepInline(ReadOnlyAdmin, admin.TabularInline):
    model = ResultEntry
    extra = 0
    fields = (
        "number",
        "verb",
        "side",
        "winner",
        "how",
        "reason",
        "is_silent",
        "author",
        "at",
    )
    readonly_fields = ("at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ResultEntry]:
        """The steps with who took them, in one question."""
        return super().get_queryset(request).select_related("author")


@admin.register(Battle)
class BattleAdmin(LargeTableAdmin):
    list_display = (
        "__str__",
        "system",
        "owner",
        "status",
        "winner",
        "how",
        "turn",
        "events_count",
        "visibility",
        "updated_at",
    )
    list_filter = ("status", "visibility")
    list_select_related = ("owner",)
    search_fields = ("=token", "=owner__email")
    search_help_text = (
        "The full address of a battle, or the full email address of its creator."
    )
    # A key lets its holder record; what is locked and what it came to are long, and shown by the
    # battle's page.
    exclude = ("key", "owner_key", "locked", "state")
    inlines = (SideInline, StepInline)
