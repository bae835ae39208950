"""Battles for the staff: to look at, never to edit. What changes one goes through `operations`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from battles.models import Battle, BattleSide, ResultEntry
from warbands.admin import ReadOnlyAdmin, UncountedPaginator

if TYPE_CHECKING:
    SideTable = admin.TabularInline[BattleSide, Battle]
    StepTable = admin.TabularInline[ResultEntry, Battle]
    Staff = admin.ModelAdmin[Battle]
else:
    SideTable = StepTable = admin.TabularInline
    Staff = admin.ModelAdmin


class SideInline(ReadOnlyAdmin, SideTable):
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


class StepInline(ReadOnlyAdmin, StepTable):
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
class BattleAdmin(ReadOnlyAdmin, Staff):
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
        "The address of a battle or the e-mail address of whoever set it up, whole."
    )
    # Counting every row and sorting by any column would read the whole table.
    show_full_result_count = False
    paginator = UncountedPaginator
    list_per_page = 50
    ordering = ("-id",)
    sortable_by = ()
    # A key lets its holder record; what is locked and what it came to are long, and shown by the
    # battle's page.
    exclude = ("key", "owner_key", "locked", "state")
    inlines = (SideInline, StepInline)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Battle], search_term: str
    ) -> tuple[QuerySet[Battle], bool]:
        """An e-mail address or a battle's: each has its index, and one question for both would use
        neither.
        """
        wanted = search_term.strip()
        if not wanted:
            return queryset, False
        return queryset.filter(
            **{"owner__email" if "@" in wanted else "token": wanted}
        ), False
