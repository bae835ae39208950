"""Addresses of the rule book.

A system of several texts is named with one of them behind a full stop. A unit stands under its army, a person's
scenario under ``own``, and what a club has written under ``clubs``.
"""

from django.urls import include, path, register_converter

from rulesdata import addresses
from rulesdata.views import book as views

register_converter(addresses.Book, "book")

urlpatterns = [
    path("", views.home, name="rulebook"),
    path("search/", views.search, name="search"),
    path("compare/", views.compare, name="unit-compare"),
    path("clubs/", include("rulesdata.content_urls")),
    path("<book:system>/", views.system, name="system-detail"),
    path("<book:system>/charts/", views.charts, name="chart-list"),
    path("<book:system>/weapons/", views.weapons, name="weapon-list"),
    path("<book:system>/armour/", views.armour, name="armour-list"),
    path("<book:system>/armies/", views.armies, name="army-list"),
    path("<book:system>/armies/<slug:army>/", views.army, name="army-detail"),
    path(
        "<book:system>/armies/<slug:army>/magic-items/", views.magic_items, name="magic-item-list"
    ),
    path("<book:system>/armies/<slug:army>/units/<slug:unit>/", views.unit, name="unit-detail"),
    path("<slug:system>/scenarios/", views.scenarios, name="scenario-list"),
    path("<slug:system>/scenarios/new/", views.scenario_create, name="scenario-create"),
    path("<slug:system>/scenarios/own/<str:token>/", views.scenario_own, name="scenario-own"),
    path(
        "<slug:system>/scenarios/own/<str:token>/edit/", views.scenario_edit, name="scenario-edit"
    ),
    path(
        "<slug:system>/scenarios/own/<str:token>/archive/",
        views.scenario_archive,
        name="scenario-archive",
    ),
    path(
        "<slug:system>/scenarios/own/<str:token>/restore/",
        views.scenario_restore,
        name="scenario-restore",
    ),
    path("<slug:system>/scenarios/<slug:key>/", views.scenario, name="scenario-detail"),
]
