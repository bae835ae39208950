"""Every address of the site, pages and API. Names are noun-verb."""

from allauth.account.decorators import secure_admin_login
from allauth.urls import build_provider_urlpatterns
from django.conf import settings
from django.contrib import admin
from django.contrib.sitemaps.views import sitemap
from django.urls import include, path
from django.views.decorators.http import require_safe

import battles.api
import battles.urls
import campaigns.api
import campaigns.growth.api.calls
import clubs.api
import jobs.api
import notices.views
import odds.api
import rulesdata.api
import warbands.api
import warbands.urls
from config import health, pages, service_worker
from config.api import docs, schema
from config.sitemap import SITEMAPS

# Django's own form has no rate limit; send the staff through the same door as everybody.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = admin.site.site_title = "Muster Roll"

API = [
    path("schema/", schema.SchemaView.as_view(), name="schema-read"),
    path("docs/", docs.read_api, name="docs-read"),
    *docs.urlpatterns,
    *rulesdata.api.urlpatterns,
    *odds.api.urlpatterns,
    *warbands.api.urlpatterns,
    *battles.api.urlpatterns,
    *clubs.api.urlpatterns,
    # Addresses that end in the word of a step come last, in `campaigns.api`.
    *campaigns.growth.api.calls.urlpatterns,
    *campaigns.api.urlpatterns,
    *jobs.api.urlpatterns,
]

ALLAUTH = [
    path("", include("allauth.account.urls")),
    path("2fa/", include("allauth.mfa.urls")),
    path("sessions/", include("allauth.usersessions.urls")),
]
if settings.SOCIALACCOUNT_PROVIDERS:
    ALLAUTH.append(path("3rdparty/", include("allauth.socialaccount.urls")))
    ALLAUTH += build_provider_urlpatterns()

urlpatterns = [
    path("", pages.home, name="home"),
    path("healthz", health.health_check, name="health-check"),
    path("readyz", health.ready_check, name="ready-check"),
    path("imprint/", pages.imprint, name="imprint"),
    path("privacy/", pages.privacy, name="privacy"),
    path("report/", notices.views.report_new, name="report-new"),
    path("sw.js", service_worker.site_worker, name="site-worker"),
    path("offline/", service_worker.offline_read, name="offline-read"),
    path("robots.txt", pages.robots, name="robots-read"),
    path("sitemap.xml", require_safe(sitemap), {"sitemaps": SITEMAPS}, name="sitemap"),
    path("admin/", admin.site.urls),
    path("rules/", include(warbands.urls.campaign_rules_patterns)),
    path("rules/", include("rulesdata.urls")),
    path("warbands/", include("warbands.urls")),
    path("warbands/", include(battles.urls.career_patterns)),
    path("battles/", include("battles.urls")),
    path("leagues/", include("campaigns.urls")),
    path("clubs/", include("clubs.urls")),
    path("odds/", include(warbands.urls.odds_patterns)),
    path("notices/", include("notices.urls")),
    path("jobs/", include("jobs.urls")),
    path("accounts/", include("accounts.urls")),
    path("accounts/", include(ALLAUTH)),
    path("api/v1/", include(API)),
]

handler400 = "config.pages.bad_request"
handler403 = "config.pages.forbidden"
handler404 = "config.pages.not_found"
handler429 = "config.pages.too_many_requests"  # allauth asks for this one
handler500 = "config.pages.server_error"
