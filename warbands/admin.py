"""Warbands for the staff: to look at, never to edit.

What changes a roster goes through `operations`.
"""

from django.contrib import admin

from accounts.admin import LargeTableAdmin, ReadOnlyAdmin
from warbands.models import Warband, Warrior


class WarriorInline(ReadOnlyAdmin, admin.TabularInline):
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


@admin.register(Warband)
class WarbandAdmin(LargeTableAdmin):
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
    search_help_text = (
        "The full address of a warband, or the full email address of its owner."
    )
    exclude = (
        "owner_key",
        "name_key",
    )
    inlines = (WarriorInline,)
