"""Reports in the administration: the queue of the staff."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from notices.models import PageReport


class WaitingFilter(admin.SimpleListFilter):
    """Reports that wait, or those dealt with; all where neither is chosen."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("waiting", "Waiting"), ("handled", "Dealt with")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[PageReport]
    ) -> QuerySet[PageReport]:
        if self.value() is None:
            return queryset
        return queryset.filter(handled_at__isnull=self.value() == "waiting")


@admin.register(PageReport)
class ReportAdmin(admin.ModelAdmin):
    """What was reported stays as it was written; only whether it is dealt with changes."""

    list_display = ("created_at", "reason", "page", "user", "handled_at")
    list_filter = (WaitingFilter, "reason")
    list_select_related = ("user",)
    fields = ("page", "reason", "words", "email", "user", "created_at", "handled_at")
    readonly_fields = fields
    actions = ("mark_as_handled",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Mark as dealt with", permissions=["change"])
    def mark_as_handled(self, request: HttpRequest, queryset: QuerySet[PageReport]) -> None:
        """Take reports out of the queue."""
        count = queryset.filter(handled_at=None).update(handled_at=timezone.now())
        self.message_user(request, f"{count} marked as dealt with.")
