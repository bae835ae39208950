"""Events for the staff: to look at, never to edit. What changes one goes through `operations`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from campaigns.models import ClubEvent, Entry, Round
from warbands.admin import ReadOnlyAdmin, UncountedPaginator

if TYPE_CHECKING:
    EntryTable = admin.TabularInline[Entry, ClubEvent]
    RoundTable = admin.TabularInline[Round, ClubEvent]
    EventStaff = admin.ModelAdmin[ClubEvent]
else:
    EntryTable = RoundTable = admin.TabularInline
    EventStaff = admin.ModelAdmin


class EntryInline(ReadOnlyAdmin, EntryTable):
    model = Entry
    extra = 0
    fields = ("name", "user", "warband", "status", "joined", "dropped", "play_off")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        """The entries with whose they are and what they bring, in one question."""
        return super().get_queryset(request).select_related("user", "warband")


class RoundInline(ReadOnlyAdmin, RoundTable):
    model = Round
    extra = 0
    fields = (
        "number",
        "name",
        "status",
        "points_limit",
        "starts_at",
        "lists_due_at",
        "published_at",
        "seed",
    )


@admin.register(ClubEvent)
class ClubEventAdmin(ReadOnlyAdmin, EventStaff):
    list_display = (
        "name",
        "kind",
        "club",
        "system",
        "method",
        "status",
        "visibility",
        "updated_at",
    )
    list_filter = ("kind", "status", "visibility")
    list_select_related = ("club",)
    search_fields = ("=token", "=club__slug")
    search_help_text = "The address of an event or the short name of its club, whole."
    # Counting every row and sorting by any column would read the whole table.
    show_full_result_count = False
    paginator = UncountedPaginator
    list_per_page = 50
    ordering = ("-id",)
    sortable_by = ()
    inlines = (RoundInline, EntryInline)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[ClubEvent], search_term: str
    ) -> tuple[QuerySet[ClubEvent], bool]:
        """An address or a short name: each has its index, and one question for both would use
        neither.
        """
        wanted = search_term.strip()
        if not wanted:
            return queryset, False
        found = queryset.filter(token=wanted)
        return (found if found.exists() else queryset.filter(club__slug=wanted)), False
