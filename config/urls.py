"""Every address of the site. Names are noun-verb."""

from importlib.util import find_spec

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from config import health, pages

# Django's own form has no rate limit; send the staff through the same door as everybody.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = admin.site.site_title = "Muster Roll"


def _app(prefix: str, module: str) -> list[URLPattern | URLResolver]:
    return [path(prefix, include(module))] if find_spec(module) else []


urlpatterns = [
    path("", pages.home, name="home"),
    path("healthz", health.health_check, name="health-check"),
    path("readyz", health.ready_check, name="ready-check"),
    path("robots.txt", pages.robots, name="robots-read"),
    path("admin/", admin.site.urls),
    *_app("rules/", "rulesdata.urls"),
    *_app("warbands/", "warbands.urls"),
    *_app("accounts/", "accounts.urls"),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", include("config.api_urls")),
]

handler400 = "config.pages.bad_request"
handler403 = "config.pages.forbidden"
handler404 = "config.pages.not_found"
handler429 = "config.pages.too_many_requests"  # allauth asks for this one
handler500 = "config.pages.server_error"
