"""Jobs in the administration: to look at. What they were told is left out."""

from django.contrib import admin

from accounts.admin import MadeElsewhereAdmin
from jobs.models import Job


@admin.register(Job)
class JobAdmin(MadeElsewhereAdmin, admin.ModelAdmin):
    list_display = (
        "kind",
        "title",
        "status",
        "done",
        "total",
        "attempts",
        "created_at",
        "ended_at",
    )
    list_filter = ("status", "kind")
    fields = (
        "kind",
        "title",
        "status",
        "done",
        "total",
        "words",
        "attempts",
        "due_at",
        "created_at",
        "started_at",
        "ended_at",
    )
    readonly_fields = fields
