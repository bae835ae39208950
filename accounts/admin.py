"""People and clubs in the administration. Passwords are set by one-time links, not here."""

from django.contrib import admin

from accounts.models import ApiToken, Club, Membership, OneTimeLink, User


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    list_display = ("email", "name", "is_active", "is_staff", "created_at", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    ordering = ("email",)
    fields = (
        "email",
        "name",
        "is_active",
        "is_staff",
        "is_superuser",
        "groups",
        "created_at",
        "last_login",
    )
    readonly_fields = ("created_at", "last_login")
    filter_horizontal = ("groups",)

    def has_add_permission(self, request: object) -> bool:
        """People sign up themselves, or `manage.py createsuperuser` makes them."""
        return False


@admin.register(Club)
class ClubAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "code", "is_public", "created_at")
    list_filter = ("is_public",)
    search_fields = ("name", "slug", "code")
    readonly_fields = ("code", "created_at")
    prepopulated_fields = {"slug": ("name",)}
    inlines = (MembershipInline,)


class MadeElsewhereAdmin(admin.ModelAdmin):
    """Rows that are made elsewhere and may only be looked at or deleted here."""

    list_select_related = ("user",)

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        return False


@admin.register(OneTimeLink)
class OneTimeLinkAdmin(MadeElsewhereAdmin):
    """Read only: a link is made by `manage.py organiser_link`."""

    list_display = ("user", "created_at", "expires_at", "used_at")
    fields = ("user", "created_at", "expires_at", "used_at")
    readonly_fields = fields


@admin.register(ApiToken)
class ApiTokenAdmin(MadeElsewhereAdmin):
    """Read only: people make their own, and whoever runs the site may delete one.

    No secret is kept to be shown.
    """

    list_display = (
        "name",
        "prefix",
        "user",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    fields = (
        "name",
        "prefix",
        "user",
        "scopes",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    readonly_fields = fields
