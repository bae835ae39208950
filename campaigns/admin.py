"""Events for the staff: to look at, never to edit. What changes one goes through `operations`."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin import LargeTableAdmin, ReadOnlyAdmin
from campaigns.models import ClubEvent, Entry, Round


class EntryInline(ReadOnlyAdmin, admin.TabularInline):
    model = Entry
    extra = 0
    fields = ("name", "user", "warband", "status", "joined", "dropped", "is_paid")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        """The entries with whose they are and what they bring, in one question."""
        return super().get_queryset(request).select_related("user", "warband")


class RoundInline(ReadOnlyAdmin, admin.TabularInline):
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
class ClubEventAdmin(LargeTableAdmin):
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
    inlines = (RoundInline, EntryInline)

    def find(self, rows: QuerySet[ClubEvent], wanted: str) -> QuerySet[ClubEvent]:
        """Return the event with this address, else those of the club with this short name."""
        events = rows.filter(token=wanted)
        return events if events.exists() else rows.filter(club__slug=wanted)
