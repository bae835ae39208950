"""Addresses of battles and their recorder; `career_patterns` are those below a warband's."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from accounts.requests import page
from battles.exports import KINDS
from battles.models import ResultVerb
from battles.views import battles, recorder


class VerbConverter(StringConverter):
    """A step of the result in an address."""

    regex = "|".join(ResultVerb.values)


class ExportConverter(StringConverter):
    """A kind of file in an address."""

    regex = "|".join(KINDS)


register_converter(VerbConverter, "verb")
register_converter(ExportConverter, "export")

urlpatterns = [
    page("", battles.battle_list),
    page("public/", battles.battle_public),
    page("new/", battles.battle_new),
    path("join/", recorder.battle_join, name="battle-find"),
    page("offline/", recorder.recorder_shell),
    page("<token:token>/record/", recorder.battle_record),
    page("<token:token>/", battles.battle_read),
    page("<token:token>/enter/", recorder.battle_enter),
    page("<token:token>/join/", recorder.battle_join),
    page("<token:token>/share/", recorder.battle_share),
    page("<token:token>/side/", recorder.battle_side),
    page("<token:token>/report/", battles.battle_report),
    page("<token:token>/export.<export:kind>", battles.battle_export),
    page("<token:token>/table-pack.pdf", battles.battle_table_pack),
    path("<token:token>/result/<verb:verb>/", recorder.result_decide, name="battle-result"),
]

career_patterns = [page("<token:token>/career/", battles.warband_career)]
