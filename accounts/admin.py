"""People and clubs in the administration. Passwords are set by one-time links, not here."""

from typing import Any, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from accounts.models import ApiToken, Club, Membership, OneTimeLink, User
from accounts.operations.people import close_account


class MadeElsewhereAdmin:
    """Rows that are made elsewhere and may only be looked at or deleted here."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(MadeElsewhereAdmin):
    """Nothing is added, changed or deleted here."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class UncountedPaginator(Paginator):
    """Pages of the first rows only: counting every row reads the whole table."""

    ROWS = 5000

    @cached_property
    def count(self) -> int:
        return int(cast(QuerySet[Any], self.object_list).order_by()[: self.ROWS].count())


class LargeTableAdmin(ReadOnlyAdmin, admin.ModelAdmin):
    """A table that is too large to be counted, or sorted by any column.

    What is searched for is an e-mail address of an owner or a token, whole.
    """

    show_full_result_count = False
    paginator = UncountedPaginator
    list_per_page = 50
    ordering = ("-id",)
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Ask by one column: each has its index, and one question for both would use neither."""
        wanted = search_term.strip()
        return (self.find(queryset, wanted) if wanted else queryset), False

    def find(self, rows: QuerySet[Any], wanted: str) -> QuerySet[Any]:
        """Return the rows that are searched for."""
        return rows.filter(**{"owner__email" if "@" in wanted else "token": wanted})


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

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What is only theirs goes with them, also what nobody deletes by itself here."""
        deleted, counts, _, protected = super().get_deleted_objects(objs, request)
        return deleted, counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        close_account(obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            close_account(user.pk)


@admin.register(Club)
class ClubAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "code", "is_public", "created_at")
    list_filter = ("is_public",)
    search_fields = ("name", "slug", "code")
    readonly_fields = ("code", "created_at")
    prepopulated_fields = {"slug": ("name",)}
    inlines = (MembershipInline,)


@admin.register(OneTimeLink)
class OneTimeLinkAdmin(MadeElsewhereAdmin, admin.ModelAdmin):
    """Read only: a link is made by `manage.py organiser_link`."""

    list_select_related = ("user",)
    fields = list_display = ("user", "created_at", "expires_at", "used_at")


@admin.register(ApiToken)
class ApiTokenAdmin(MadeElsewhereAdmin, admin.ModelAdmin):
    """Read only: people make their own, and whoever runs the site may delete one.

    No secret is kept to be shown.
    """

    list_select_related = ("user",)
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
