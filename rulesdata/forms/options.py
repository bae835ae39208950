"""The options of a club's profile as a formset, drawn from the schema like the profile itself."""

from typing import Any

from django import forms

from accounts.form_fields import PickField, TickField
from engine.records import ChoiceList, Fields, NamedValues
from rulesdata.forms.fields import LineField
from rulesdata.forms.records import KEYS, OPTION_KINDS, draw_field
from rulesdata.keys import free_key, key_from
from rulesdata.models import KEY_MAX
from rulesdata.queries.drafts import RecordDraft
from rulesdata.schema.equipment import OptionRecord

OPTIONS_MAX = 60
# Empty rows below the options there are.
NEW_OPTIONS = 3


class OptionForm(forms.Form):
    """One option of a profile.

    A row with nothing in it is left out; a tick at ``gone`` takes one away.
    """

    id = forms.CharField(required=False, max_length=KEY_MAX, widget=forms.HiddenInput)
    name = LineField("Option")
    item = PickField("Gives")
    group = LineField(
        "Group",
        max_length=60,
        required=False,
        help_text="Only one option of a group can be taken.",
    )
    gone = TickField("Delete this option")

    def __init__(self, *args: Any, gear: ChoiceList, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for key in KEYS[OptionRecord]:
            self.fields[key] = draw_field(OptionRecord, key)
        kind: Any = self.fields["kind"]
        # Another kind needs more than the form asks for: only an option that has it keeps it.
        offered = {*OPTION_KINDS, self.initial.get("kind")}
        kind.choices = [choice for choice in kind.choices if choice[0] in offered]
        self.fields["item"].choices = [("", "Nothing to carry"), *gear]  # type: ignore[attr-defined]


class BaseOptions(forms.BaseFormSet):
    """The options of a profile: those it has, and a few rows for more."""

    default_error_messages = {
        **forms.BaseFormSet.default_error_messages,
        "missing_management_form": "Options: this page is out of date. Reload it, then send it again.",
    }

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Fill the rows with the options that the record has."""
        self.previous = {option["id"]: option for option in draft.raw.get("options", [])}
        kwargs["initial"] = [
            {**option, "item": next(iter(option.get("items", ())), "")}
            for option in self.previous.values()
        ]
        gear = draft.choices["default_equipment"]
        kwargs["form_kwargs"] = {"gear": gear}
        super().__init__(*args, **kwargs)

    def records(self) -> list[Fields]:
        """The options of a valid formset, those it had with what the form does not show."""
        records: list[Fields] = []
        for form in self.forms:
            cleaned = form.cleaned_data
            if not cleaned.get("name") or cleaned["gone"]:
                continue
            previous = self.previous.get(cleaned["id"], {})
            keys = {*self.previous, *(option["id"] for option in records)}
            key = free_key(cleaned["name"], keys, instead="option")
            records.append(_option_record(previous.get("id", key), previous, cleaned))
        return records


def _option_record(key: str, previous: NamedValues, cleaned: NamedValues) -> Fields:
    """Return the record of an option: what it had, under what the form shows."""
    group = key_from(cleaned["group"]) or None
    items = [cleaned["item"]] if cleaned["item"] else []
    values = {name: cleaned[name] for name in ("name", *KEYS[OptionRecord])}
    values |= {
        "id": key,
        "group": group,
        "items": [*items, *previous.get("items", [])[1:]] or None,
    }
    # A group that changes begins as one that shuts the others out and need not be chosen.
    if group != previous.get("group"):
        values |= {"exclusive": bool(group) or None, "group_required": None}
    if cleaned["per"] != "each":
        values["max"] = None
    # What was left empty is no text of the option.
    merged = {**previous, **values}
    return {name: value for name, value in merged.items() if value not in (None, "")}


def options_form(draft: RecordDraft, data: Any = None) -> BaseOptions:
    """The options of a draft's record, with empty rows behind them."""
    # A file may have brought more than a form begins with, and none of them may be lost.
    most = max(OPTIONS_MAX, len(draft.raw.get("options", ())))
    kind = forms.formset_factory(
        OptionForm,
        formset=BaseOptions,
        extra=NEW_OPTIONS,
        max_num=most,
        absolute_max=most + NEW_OPTIONS,
    )
    formset = kind(data, prefix="options", draft=draft)  # type: ignore[call-arg]  # BaseOptions takes it
    assert isinstance(formset, BaseOptions)
    return formset
