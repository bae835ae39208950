"""Addresses of the warband pages. A warband is found by its token, a warrior by its id within it."""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from warbands.views import builder, changes, copies, lists, making, managing, prices, sheets


class TokenConverter:
    """The 16 URL-safe characters of a warband's token."""

    regex = "[A-Za-z0-9_-]{16}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class IdConverter:
    """A row's number; longer ones than any database holds match nothing."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(TokenConverter, "token")
register_converter(IdConverter, "rowid")

warrior_patterns = [
    path("", builder.warrior_read, name="warrior-read"),
    path("count/", changes.warrior_count, name="warrior-count"),
    path("change/", changes.warrior_change, name="warrior-change"),
    path("options/", changes.warrior_options, name="warrior-options"),
    path("swap/", changes.warrior_swap, name="warrior-swap"),
    path("lead/", changes.warrior_lead, name="warrior-lead"),
    path("move/", changes.warrior_move, name="warrior-move"),
    path("duplicate/", changes.warrior_duplicate, name="warrior-duplicate"),
    path("split/", changes.warrior_split, name="warrior-split"),
    path("remove/", changes.warrior_remove, name="warrior-remove"),
]

warband_patterns: list[URLPattern | URLResolver] = [
    path("", builder.warband_read, name="warband-read"),
    path("add/", changes.warrior_add, name="warrior-add"),
    path("sort/", changes.roster_sort, name="roster-sort"),
    path("fix/", changes.finding_fix, name="finding-fix"),
    path("undo/", changes.change_undo, name="change-undo"),
    path("warrior/<rowid:warrior_id>/", include(warrior_patterns)),
    path("details/", managing.warband_change, name="warband-change"),
    path("share/", managing.warband_share, name="warband-share"),
    path("history/", managing.warband_history, name="warband-history"),
    path("duplicate/", managing.warband_duplicate, name="warband-duplicate"),
    path("archive/", managing.warband_archive, name="warband-archive"),
    path("restore/", managing.warband_restore, name="warband-restore"),
    path("delete/", managing.warband_delete, name="warband-delete"),
    path("sheet/", sheets.sheet_read, name="sheet-read"),
    path("sheet/reference/", sheets.sheet_reference, name="sheet-reference"),
    path("sheet/cards/", sheets.sheet_cards, name="sheet-cards"),
    path("sheet/opponent/", sheets.sheet_opponent, name="sheet-opponent"),
    path("sheet/blank/", sheets.sheet_blank, name="sheet-blank"),
    path("sheet.pdf", sheets.sheet_pdf, name="sheet-pdf"),
    path("blank.pdf", sheets.blank_sheet_pdf, name="blank-pdf"),
    path("roster.txt", copies.roster_text, name="roster-text"),
    path("roster.md", copies.roster_markdown, name="roster-markdown"),
    path("compact.txt", copies.roster_compact, name="roster-compact"),
    path("roster.json", copies.roster_json, name="roster-json"),
]

urlpatterns = [
    path("", lists.warband_list, name="warband-list"),
    path("public/", lists.warband_public, name="warband-public"),
    path("starters/", making.starter_list, name="starter-list"),
    path("starters/use/", making.starter_use, name="starter-use"),
    path("new/", making.warband_new, name="warband-new"),
    path("import/", making.warband_import, name="warband-import"),
    path("prices/<slug:slug>/<slug:token>/", prices.content_prices, name="content-prices"),
    path("<token:token>/", include(warband_patterns)),
]
