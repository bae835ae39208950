"""Shapes of what people type into the rule book: scenarios, and the content of clubs."""

from rulesdata.forms.content import LevelsForm, ListForm, ListHeadForm, UploadForm
from rulesdata.forms.options import BaseOptions, OptionForm, options_form
from rulesdata.forms.records import ArmourForm, RecordForm, UnitForm, WeaponForm
from rulesdata.forms.scenarios import BaseSides, ScenarioForm, draft_from, sides_form

__all__ = [
    "ArmourForm",
    "BaseOptions",
    "BaseSides",
    "LevelsForm",
    "ListForm",
    "ListHeadForm",
    "OptionForm",
    "RecordForm",
    "ScenarioForm",
    "UnitForm",
    "UploadForm",
    "WeaponForm",
    "draft_from",
    "options_form",
    "sides_form",
]
