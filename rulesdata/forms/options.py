"""The options of a profile as a formset: those it has, and a few empty rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from rulesdata.forms.fields import LineField, PointsField, choices_of
from rulesdata.keys import free_key, key_from
from rulesdata.models import KEY_MAX
from rulesdata.queries.drafts import RecordDraft

OPTIONS_MAX = 60
NEW_OPTIONS = 3
KINDS = {
    "weapon": "Weapon",
    "armour": "Armour",
    "shield": "Shield",
    "upgrade": "Upgrade",
    "other": "Other",
}
PER = {"model": "Each model", "unit": "The unit", "each": "By the piece"}


class OptionForm(forms.Form):
    """One option of a profile.

    A row with nothing in it is left out; a tick at ``gone`` takes one away.
    """

    id = forms.CharField(required=False, max_length=KEY_MAX, widget=forms.HiddenInput)
    name = LineField(label="Option")
    points = PointsField(label="Points", low=-1000)
    kind = forms.ChoiceField(label="Kind")
    per = forms.ChoiceField(label="Paid by")
    item = forms.ChoiceField(label="Gives", required=False)
    group = LineField(
        label="Group",
        max_length=60,
        required=False,
        help_text="One of a group shuts the others out.",
    )
    gone = forms.BooleanField(label="Take it away", required=False)

    def __init__(
        self, *args: Any, gear: Iterable[tuple[str, str]], kind: str = "", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        kinds = (
            KINDS if kind in ("", *KINDS) else {kind: kind.replace("-", " ").capitalize(), **KINDS}
        )
        choices_of(self.fields["kind"], kinds.items())
        choices_of(self.fields["per"], PER.items())
        self.fields["kind"].initial, self.fields["per"].initial = next(iter(kinds)), next(iter(PER))
        choices_of(self.fields["item"], [("", "Nothing to carry"), *gear])


class BaseOptions(forms.BaseFormSet):
    """The options of a profile: those it has, and a few rows for more."""

    default_error_messages = {
        **forms.BaseFormSet.default_error_messages,
        "missing_management_form": "Options: this page has lost count of them. Open it again and send it once more.",
    }

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        self.had = {option["id"]: option for option in draft.raw.get("options", [])}
        self.gear = draft.gear
        kwargs["initial"] = [_option_begins(option) for option in self.had.values()]
        super().__init__(*args, **kwargs)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        known = list(self.had.values())
        kind = known[index]["kind"] if index is not None and index < len(known) else ""
        return {"gear": self.gear, "kind": kind, "use_required_attribute": False}

    def records(self) -> list[dict[str, Any]]:
        """The options of a valid formset, those it had with what the form does not show."""
        found: list[dict[str, Any]] = []
        for form in self.forms:
            cleaned = form.cleaned_data
            if not cleaned.get("name") or cleaned["gone"]:
                continue
            had = self.had.get(cleaned["id"], {})
            known = {*self.had, *(one["id"] for one in found)}
            key = cleaned["id"] if had else free_key(cleaned["name"], known, instead="option")
            found.append(_option_record(key, had, cleaned))
        return found


def _option_begins(option: Mapping[str, Any]) -> dict[str, Any]:
    items = option.get("items", [])
    return {
        "id": option["id"], "name": option["name"], "points": option["points"], "kind": option["kind"],
        "per": option.get("per", "model"), "item": items[0] if items else "", "group": option.get("group", ""),
    }  # fmt: skip


def _option_record(key: str, had: Mapping[str, Any], cleaned: Mapping[str, Any]) -> dict[str, Any]:
    group = key_from(cleaned["group"]) or None
    items = [cleaned["item"]] if cleaned["item"] else []
    shown = {
        "id": key, "name": cleaned["name"], "points": cleaned["points"], "per": cleaned["per"], "kind": cleaned["kind"],
        "group": group, "items": [*items, *had.get("items", [])[1:]] or None,
    }  # fmt: skip
    if group != had.get("group"):
        shown |= {"exclusive": bool(group) or None, "group_required": None}
    if cleaned["per"] != "each":
        shown["max"] = None
    return {name: value for name, value in {**had, **shown}.items() if value is not None}


def options_form(draft: RecordDraft, data: Any = None) -> BaseOptions:
    """The options of a draft's profile, with empty rows behind them."""
    kind = forms.formset_factory(
        OptionForm,
        formset=BaseOptions,
        extra=NEW_OPTIONS,
        max_num=OPTIONS_MAX,
        absolute_max=OPTIONS_MAX + NEW_OPTIONS,
    )
    formset = kind(data, prefix="options", draft=draft)  # type: ignore[call-arg]  # BaseOptions takes it
    assert isinstance(formset, BaseOptions)
    return formset
