"""Addresses of the rule book.

A system of several texts is named with one of them behind a full stop. A unit stands under its
army, a person's scenario under ``own``, and what a club has written under ``clubs``.
"""

from django.urls import URLPattern, include, path, register_converter
from django.urls.converters import StringConverter

from accounts.requests import page
from rulesdata.views import book as views
from rulesdata.views import campaign_rules, content


class Book(StringConverter):
    """A rule system, or one text of it behind a full stop: ``warhammer-skirmish``,
    ``mordheim-rulings.A``.
    """

    regex = r"[-a-zA-Z0-9_]+(?:\.[A-Z][A-Z0-9]{0,9})?"


class UrlPart(Book):
    """A part of a club's list that is written record by record."""

    regex = "units|weapons|armour|equipment"


class Gear(StringConverter):
    """A part of a club's list that holds what may be carried or worn."""

    regex = "weapons|armour"


register_converter(UrlPart, "part")
register_converter(Gear, "gear")


class RulesSection(StringConverter):
    """A page of campaign rules that are written: a section, or one table or list of it."""

    regex = r"[a-z]{1,20}(?:/[-A-Za-z0-9_]{1,40})?"


register_converter(RulesSection, "section")

LIST = "<slug:slug>/lists/<slug:token>/"
RULES = "<slug:slug>/campaign-rules/"
RULES_SET = f"{RULES}sets/<token:token>/"
RULES_DRAFT = f"{RULES}drafts/<token:token>/"


def record_patterns(name: str, address: str, **place: str) -> list[URLPattern]:
    """The addresses of the form of a new record and of one that is there."""
    return [
        path(f"{address}new/", content.record_edit, dict(place), name=f"{name}-new"),
        path(
            f"{address}<slug:key>/edit/",
            content.record_edit,
            dict(place),
            name=f"{name}-edit",
        ),
    ]


club_patterns = [
    page(RULES, campaign_rules.rules_shelf),
    page(f"{RULES}new/", campaign_rules.rules_new),
    page(f"{RULES}upload/", campaign_rules.rules_upload),
    page(RULES_SET, campaign_rules.rules_set),
    page(f"{RULES_SET}file/", campaign_rules.rules_file),
    page(f"{RULES_SET}edit/", campaign_rules.rules_edit),
    page(f"{RULES_SET}archive/", campaign_rules.rules_archive),
    path(
        f"{RULES_SET}restore/",
        campaign_rules.rules_archive,
        {"is_archived": False},
        name="rules-restore",
    ),
    page(RULES_DRAFT, campaign_rules.rules_draft),
    page(f"{RULES_DRAFT}save/", campaign_rules.rules_save),
    page(f"{RULES_DRAFT}discard/", campaign_rules.rules_discard),
    page(f"{RULES_DRAFT}file/", campaign_rules.rules_draft_file),
    path(f"{RULES_DRAFT}upload/", campaign_rules.rules_upload, name="rules-draft-upload"),
    page(f"{RULES_DRAFT}pages/<section:section>/", campaign_rules.rules_section),
    page("<slug:slug>/", content.content_list),
    page("<slug:slug>/levels/<slug:system>/", content.levels_edit),
    page("<slug:slug>/lists/new/", content.own_list_new),
    path("<slug:slug>/lists/upload/", content.list_upload, name="own-list-upload"),
    path("<slug:slug>/lists/catalogue/", content.list_catalogue, name="own-list-catalogue"),
    page("<slug:slug>/lists/catalogue/<token:sent>/", content.catalogue_read),
    page("<slug:slug>/lists/catalogue/<token:sent>/take/", content.catalogue_take),
    page(LIST, content.own_list),
    page(f"{LIST}edit/", content.own_list_edit),
    path(f"{LIST}retire/", content.list_retire, name="own-list-retire"),
    path(
        f"{LIST}restore/",
        content.list_retire,
        {"is_retired": False},
        name="own-list-restore",
    ),
    page(f"{LIST}file/", content.own_list_file),
    path(f"{LIST}upload/", content.list_upload, name="own-list-replace"),
    path(f"{LIST}catalogue/", content.list_catalogue, name="own-list-newer"),
    page(f"{LIST}report/", content.own_list_report),
    *record_patterns("own-profile", f"{LIST}profiles/", part="units"),
    page(f"{LIST}profiles/<slug:key>/", content.own_profile),
    *record_patterns("own-equipment", f"{LIST}equipment/", part="equipment"),
    *record_patterns("own-gear", f"{LIST}<gear:part>/"),
    path(
        f"{LIST}<part:part>/<slug:key>/retire/",
        content.record_archive,
        name="own-record-retire",
    ),
    path(
        f"{LIST}<part:part>/<slug:key>/restore/",
        content.record_archive,
        {"is_archived": False},
        name="own-record-restore",
    ),
]


register_converter(Book, "book")

urlpatterns = [
    page("", views.rulebook),
    page("search/", views.search),
    page("compare/", views.unit_compare),
    path("clubs/", include(club_patterns)),
    page("campaigns/", campaign_rules.campaign_list),
    page("campaigns/own/<token:token>/", campaign_rules.campaign_own),
    page("campaigns/<slug:rules>/", campaign_rules.campaign_read),
    page("families/<slug:family>/", views.family_detail),
    page("<book:system>/", views.system_detail),
    page("<book:system>/charts/", views.chart_list),
    page("<book:system>/weapons/", views.weapon_list),
    page("<book:system>/armour/", views.armour_list),
    page("<book:system>/collections/<slug:collection>/", views.collection_detail),
    page("<book:system>/armies/", views.army_list),
    page("<book:system>/armies/<slug:army>/", views.army_detail),
    page("<book:system>/armies/<slug:army>/magic-items/", views.magic_item_list),
    page("<book:system>/armies/<slug:army>/units/<slug:unit>/", views.unit_detail),
    page("<slug:system>/scenarios/", views.scenario_list),
    path("<slug:system>/scenarios/new/", views.scenario_edit, name="scenario-create"),
    page("<slug:system>/scenarios/own/<str:token>/", views.scenario_own),
    page("<slug:system>/scenarios/own/<str:token>/edit/", views.scenario_edit),
    page("<slug:system>/scenarios/own/<str:token>/archive/", views.scenario_archive),
    path(
        "<slug:system>/scenarios/own/<str:token>/restore/",
        views.scenario_archive,
        {"is_archived": False},
        name="scenario-restore",
    ),
    page("<slug:system>/scenarios/<slug:key>/", views.scenario_detail),
]
