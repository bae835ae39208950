"""Addresses of battles."""

from django.urls import include, path, register_converter

from campaigns.exporting import KINDS
from campaigns.models import ResultVerb
from campaigns.views import deciding, entering, exporting, joining, lists, making, packing, reading


class VerbConverter:
    """A step of the result in an address."""

    regex = "|".join(ResultVerb.values)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class ExportConverter(VerbConverter):
    """A kind of file in an address."""

    regex = "|".join(KINDS)


register_converter(VerbConverter, "verb")
register_converter(ExportConverter, "export")

urlpatterns = [
    path("", lists.battle_list, name="battle-list"),
    path("public/", lists.battle_public, name="battle-public"),
    path("new/", making.battle_new, name="battle-new"),
    path("", include("campaigns.recorder_urls")),
    path("<token:token>/", reading.battle_read, name="battle-read"),
    path("<token:token>/enter/", entering.battle_enter, name="battle-enter"),
    path("<token:token>/join/", joining.battle_join, name="battle-join"),
    path("<token:token>/share/", joining.battle_share, name="battle-share"),
    path("<token:token>/report/", reading.battle_report, name="battle-report"),
    path("<token:token>/export.<export:kind>", exporting.battle_export, name="battle-export"),
    path("<token:token>/table-pack.pdf", packing.battle_table_pack, name="battle-table-pack"),
    path("<token:token>/result/<verb:verb>/", deciding.result_decide, name="battle-result"),
]
