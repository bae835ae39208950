"""Addresses of battles and their recorder; `career_patterns` are those below a warband's."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from battles.exports import KINDS
from battles.models import ResultVerb
from battles.views import battles, recorder, results


class VerbConverter(StringConverter):
    """A step of the result in an address."""

    regex = "|".join(ResultVerb.values)


class ExportConverter(StringConverter):
    """A kind of file in an address."""

    regex = "|".join(KINDS)


register_converter(VerbConverter, "verb")
register_converter(ExportConverter, "export")

urlpatterns = [
    path("", battles.battle_list, name="battle-list"),
    path("public/", battles.battle_public, name="battle-public"),
    path("new/", battles.battle_new, name="battle-new"),
    # The worker's own address is its scope: every page below /battles/.
    path("sw.js", recorder.recorder_worker, name="recorder-worker"),
    path("offline/", recorder.recorder_shell, name="recorder-shell"),
    path("<token:token>/record/", recorder.battle_record, name="battle-record"),
    path("<token:token>/", battles.battle_read, name="battle-read"),
    path("<token:token>/enter/", results.battle_enter, name="battle-enter"),
    path("<token:token>/join/", recorder.battle_join, name="battle-join"),
    path("<token:token>/share/", recorder.battle_share, name="battle-share"),
    path("<token:token>/report/", battles.battle_report, name="battle-report"),
    path("<token:token>/export.<export:kind>", battles.battle_export, name="battle-export"),
    path(
        "<token:token>/table-pack.pdf", battles.battle_table_pack, name="battle-table-pack"
    ),
    path("<token:token>/result/<verb:verb>/", results.result_decide, name="battle-result"),
]

career_patterns = [
    path("<token:token>/career/", battles.warband_career, name="warband-career")
]
