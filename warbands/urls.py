"""Addresses of the warband pages, and of odds and dice.

A warband is found by its token, a warrior by its id within it.
"""

from django.urls import URLPattern, URLResolver, include, path

from warbands.views import builder, lists, manage, odds, sheets

warrior_patterns = [
    path("", builder.warrior_read, name="warrior-read"),
    path("count/", builder.warrior_count, name="warrior-count"),
    path("change/", builder.warrior_change, name="warrior-change"),
    path("options/", builder.warrior_options, name="warrior-options"),
    path("swap/", builder.warrior_swap, name="warrior-swap"),
    path("lead/", builder.warrior_lead, name="warrior-lead"),
    path("move/", builder.warrior_move, name="warrior-move"),
    path("duplicate/", builder.warrior_duplicate, name="warrior-duplicate"),
    path("split/", builder.warrior_split, name="warrior-split"),
    path("remove/", builder.warrior_remove, name="warrior-remove"),
]

warband_patterns: list[URLPattern | URLResolver] = [
    path("", builder.warband_read, name="warband-read"),
    path("add/", builder.warrior_add, name="warrior-add"),
    path("sort/", builder.roster_sort, name="roster-sort"),
    path("fix/", builder.finding_fix, name="finding-fix"),
    path("undo/", builder.change_undo, name="change-undo"),
    path("warrior/<rowid:warrior_id>/", include(warrior_patterns)),
    path("details/", manage.warband_change, name="warband-change"),
    path("share/", manage.warband_share, name="warband-share"),
    path("history/", manage.warband_history, name="warband-history"),
    path("duplicate/", manage.warband_duplicate, name="warband-duplicate"),
    path("archive/", manage.warband_archive, name="warband-archive"),
    path("restore/", manage.warband_restore, name="warband-restore"),
    path("delete/", manage.warband_delete, name="warband-delete"),
    path("sheet/", sheets.sheet_read, name="sheet-read"),
    path("sheet/reference/", sheets.sheet_reference, name="sheet-reference"),
    path("sheet/cards/", sheets.sheet_cards, name="sheet-cards"),
    path("sheet/opponent/", sheets.sheet_opponent, name="sheet-opponent"),
    path("sheet/blank/", sheets.sheet_blank, name="sheet-blank"),
    path("sheet.pdf", sheets.sheet_pdf, name="sheet-pdf"),
    path("blank.pdf", sheets.blank_sheet_pdf, name="blank-pdf"),
    path("roster.txt", manage.roster_text, name="roster-text"),
    path("roster.md", manage.roster_markdown, name="roster-markdown"),
    path("compact.txt", manage.roster_compact, name="roster-compact"),
    path("roster.json", manage.roster_json, name="roster-json"),
]

urlpatterns = [
    path("", lists.warband_list, name="warband-list"),
    path("public/", lists.warband_public, name="warband-public"),
    path("starters/", lists.starter_list, name="starter-list"),
    path("starters/use/", lists.starter_use, name="starter-use"),
    path("new/", lists.warband_new, name="warband-new"),
    path("import/", lists.warband_import, name="warband-import"),
    path("prices/<slug:slug>/<slug:token>/", manage.content_prices, name="content-prices"),
    path("<token:token>/", include(warband_patterns)),
]

odds_patterns = [
    path("", odds.odds_read, name="odds-read"),
    path("choose/", odds.odds_choose, name="odds-choose"),
    path("match-up/", odds.match_up_read, name="match-up-read"),
    path("tests/", odds.test_read, name="test-read"),
    path("dice/", odds.dice_read, name="dice-read"),
    path("dice/clear/", odds.dice_clear, name="dice-clear"),
]
