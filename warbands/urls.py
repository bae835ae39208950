"""Addresses of the warband pages, and of odds and dice.

A warband is found by its token, a warrior by its id within it.
"""

from django.urls import URLPattern, URLResolver, include, path

from accounts.requests import page
from warbands.views import builder, lists, manage, odds, sheets

warrior_patterns = [
    page("", builder.warrior_read),
    page("count/", builder.warrior_count),
    page("change/", builder.warrior_change),
    page("options/", builder.warrior_options),
    page("swap/", builder.warrior_swap),
    path("lead/", builder.warrior_lead, name="warrior-lead"),
    page("move/", builder.warrior_move),
    path("duplicate/", builder.warrior_duplicate, name="warrior-duplicate"),
    path("split/", builder.warrior_split, name="warrior-split"),
    path("remove/", builder.warrior_remove, name="warrior-remove"),
]

warband_patterns: list[URLPattern | URLResolver] = [
    page("", builder.warband_read),
    page("unit/", builder.unit_about),
    page("legal/", builder.profile_legal),
    page("add/", builder.warrior_add),
    path("sort/", builder.roster_sort, name="roster-sort"),
    page("fix/", builder.finding_fix),
    path("figures/", builder.figures_acknowledge, name="figures-acknowledge"),
    path("figures/withdraw/", builder.figures_withdraw, name="figures-withdraw"),
    path("undo/", builder.change_undo, name="change-undo"),
    page("back/", builder.version_restore),
    path("warrior/<rowid:warrior_id>/", include(warrior_patterns)),
    page("details/", manage.warband_change),
    page("share/", manage.warband_share),
    page("history/", manage.warband_history),
    page("duplicate/", manage.warband_duplicate),
    page("archive/", manage.warband_archive),
    page("restore/", manage.warband_restore),
    page("delete/", manage.warband_delete),
    path("sheet/", sheets.sheet_read, name="sheet-read"),
    path("sheet/reference/", sheets.sheet_reference, name="sheet-reference"),
    path("sheet/cards/", sheets.sheet_cards, name="sheet-cards"),
    path("sheet/opponent/", sheets.sheet_opponent, name="sheet-opponent"),
    path("sheet/blank/", sheets.sheet_blank, name="sheet-blank"),
    page("sheet.pdf", sheets.sheet_pdf),
    page("preview.png", sheets.warband_preview),
    path("blank.pdf", sheets.blank_sheet_pdf, name="blank-pdf"),
    path("roster.txt", manage.roster_text, name="roster-text"),
    path("roster.md", manage.roster_markdown, name="roster-markdown"),
    path("compact.txt", manage.roster_compact, name="roster-compact"),
    path("discord.txt", manage.roster_discord, name="roster-discord"),
    page("roster.json", manage.roster_json),
    page("export/", manage.list_export),
    page("export/<slug:form>/", manage.list_export_file),
]

urlpatterns = [
    page("", lists.warband_list),
    page("public/", lists.warband_public),
    page("starters/", lists.starter_list),
    page("starters/use/", lists.starter_use),
    page("new/", lists.warband_new),
    page("import/", lists.warband_import),
    page("prices/<slug:slug>/<slug:token>/", manage.content_prices),
    path("<token:token>/", include(warband_patterns)),
]

odds_patterns = [
    page("", odds.odds_read),
    page("choose/", odds.odds_choose),
    page("match-up/", odds.match_up_read),
    page("tests/", odds.test_read),
    page("dice/", odds.dice_read),
    page("dice/clear/", odds.dice_clear),
]

campaign_rules_patterns = [
    path(
        "campaigns/own/<token:token>.pdf",
        sheets.campaign_own_pdf,
        name="campaign-own-pdf",
    ),
    path("campaigns/<slug:rules>.pdf", sheets.campaign_pdf, name="campaign-pdf"),
]
