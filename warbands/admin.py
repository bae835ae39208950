"""Warbands for the staff: to look at, never to edit.

What changes a roster goes through `operations`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from warbands.models import Warband, Warrior

if TYPE_CHECKING:
    WarriorTable = admin.TabularInline[Warrior, "Warband"]
    Staff = admin.ModelAdmin["Warband"]
else:
    WarriorTable = admin.TabularInline
    Staff = admin.ModelAdmin


class ReadOnlyAdmin:
    """Nothing is added, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class WarriorInline(ReadOnlyAdmin, WarriorTable):
    model = Warrior
    extra = 0
    fields = (
        "position",
        "profile",
        "name",
        "count",
        "is_leader",
        "lore",
        "paid_each",
    )


class UncountedPaginator(Paginator):
    """Pages of the first rows only: counting every row reads the whole table."""

    ROWS = 5000

    @cached_property
    def count(self) -> int:
        return int(cast(QuerySet[Any], self.object_list).order_by()[: self.ROWS].count())


@admin.register(Warband)
class WarbandAdmin(ReadOnlyAdmin, Staff):
    list_display = (
        "__str__",
        "army",
        "owner",
        "points",
        "points_limit",
        "miniatures",
        "errors",
        "visibility",
        "updated_at",
    )
    list_filter = ("visibility",)
    list_select_related = ("owner",)
    search_fields = (
        "=token",
        "=owner__email",
    )
    search_help_text = "The address of a warband or the e-mail address of its owner, whole."
    # Counting every row and sorting by any column would read the whole table.
    show_full_result_count = False
    paginator = UncountedPaginator
    list_per_page = 50
    ordering = ("-id",)
    sortable_by = ()
    exclude = (
        "owner_key",
        "name_key",
    )
    inlines = (WarriorInline,)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Warband], search_term: str
    ) -> tuple[QuerySet[Warband], bool]:
        """An e-mail address or a warband's: each has its index, and one question for both would use
        neither.
        """
        wanted = search_term.strip()
        if not wanted:
            return queryset, False
        return queryset.filter(
            **{"owner__email" if "@" in wanted else "token": wanted}
        ), False
