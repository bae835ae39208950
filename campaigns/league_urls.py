"""Addresses of leagues, club nights and campaigns."""

from django.urls import include, path, register_converter

from campaigns.league_files import WHATS
from campaigns.views.events import entering, exporting, lists, making, printing, reading, results


class WhatConverter:
    """What of an event a file holds."""

    regex = "|".join(WHATS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class DataConverter(WhatConverter):
    """A kind of file for programs."""

    regex = "|".join(exporting.DRAW)


register_converter(WhatConverter, "what")
register_converter(DataConverter, "data")

urlpatterns = [
    path("", include("campaigns.list_urls")),
    path("", include("campaigns.round_urls")),
    path("", lists.event_list, name="event-list"),
    path("public/", lists.event_public, name="event-public"),
    path("new/", making.event_new, name="event-new"),
    path("<token:token>/edit/", making.event_edit, name="event-edit"),
    path("<token:token>/archive/", making.event_settle, {"verb": "archive"}, name="event-archive"),
    path("<token:token>/restore/", making.event_settle, {"verb": "restore"}, name="event-restore"),
    path("<token:token>/finish/", making.event_settle, {"verb": "finish"}, name="event-finish"),
    path("<token:token>/reopen/", making.event_settle, {"verb": "reopen"}, name="event-reopen"),
    path("<token:token>/entries/", entering.event_entries, name="event-entries"),
    path("<token:token>/entries/<token:entry>/", entering.entry_edit, name="entry-edit"),
    path("<token:token>/entries/<token:entry>/drop/", entering.entry_drop, name="entry-drop"),
    path("<token:token>/entries/<token:entry>/rejoin/", entering.entry_rejoin, name="entry-rejoin"),
    path("<token:token>/enter/", entering.event_enter, name="event-enter"),
    path("<token:token>/", reading.event_read, name="event-read"),
    path("<token:token>/fixtures.ics", exporting.event_calendar, name="event-calendar"),
    path("<token:token>/files/", exporting.event_files, name="event-files"),
    path("<token:token>/summary.md", exporting.event_summary, name="event-summary"),
    path("<token:token>/<what:what>.<data:kind>", exporting.event_export, name="event-export"),
    path("<token:token>/standings/", reading.standings_read, name="standings-read"),
    path("<token:token>/log/", reading.event_log, name="event-log"),
    path("<token:token>/fixtures/<token:fixture>/", results.fixture_read, name="fixture-read"),
    path("<token:token>/fixtures/<token:fixture>/open/", results.fixture_open, name="fixture-open"),
    path(
        "<token:token>/fixtures/<token:fixture>/result/",
        results.fixture_result,
        name="fixture-result",
    ),
    path(
        "<token:token>/fixtures/<token:fixture>/decide/",
        results.fixture_decide,
        name="fixture-decide",
    ),
    path(
        "<token:token>/fixtures/<token:fixture>/slip.pdf", results.fixture_slip, name="fixture-slip"
    ),
    path("<token:token>/rounds/<int:number>/print/", printing.round_print, name="round-print"),
]
