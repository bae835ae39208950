"""The forms of a club's campaign rules: to begin a set, upload one, and change its draft."""

from itertools import groupby
from typing import Any

import re2
from django import forms

from accounts.forms import (
    DocumentInput,
    NumberField,
    PickField,
    RadioField,
    RefusalForm,
    TextField,
)
from engine.errors import Refusal
from engine.growth.tables import DICE
from engine.records import ChoiceList, Fields
from rulesdata.campaign_documents import DOCUMENT_MAX
from rulesdata.campaign_editor import SHARE, STEPS, THROW, Figure, find_figures
from rulesdata.errors import FaultyCampaignRules
from rulesdata.forms.fields import DocumentUploadForm, LineField
from rulesdata.pack_files.yaml_files import Place
from rulesdata.schema.campaign_tables import AMOUNT

STEPS_TEXT = 600
SEEN_MOST = 64
_SHARE = re2.compile(r"[0-9]{1,4}(?: ?/ ?[0-9]{1,4})?")
_STEPS = re2.compile(r"(?:[0-9]{1,6}(?: *, *[0-9]{1,6})*)?")


class NewRulesForm(RefusalForm):
    """The name of a new set, and what it starts from."""

    name = LineField("Name", help_text="Organisers see it when they start a campaign.")
    start = RadioField("Start from", required=False)
    refused_fields = {"rules": "start", "document": "name"}

    def __init__(self, *args: Any, choices: ChoiceList, **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": {"start": choices[0][0]}, **kwargs})
        self.fields["start"].choices = choices  # type: ignore[attr-defined]


class RulesUploadForm(DocumentUploadForm):
    """Campaign rules as a file or as text."""

    size_most = DOCUMENT_MAX
    formats = "YAML or JSON."

    def add_refusal(self, refusal: Refusal) -> None:
        """Show what is wrong with the file above the form."""
        if isinstance(refusal, FaultyCampaignRules):
            for fault in refusal.faults:
                self.add_error(None, f"File: {fault.message}")
        else:
            super().add_refusal(refusal)


# The draft


class StepsField(TextField):
    """Whole numbers with commas."""

    pattern, separator = _STEPS, ","
    advice = "whole numbers with commas, such as 4, 8, 13"

    def prepare_value(self, value: Any) -> Any:
        spaced = self.separator.replace(",", ", ")
        return spaced.join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[int]:
        text = super().clean(value)
        if not self.pattern.fullmatch(text):
            raise forms.ValidationError(f"{self.label}: enter {self.advice}.")
        return [int(number) for number in text.split(self.separator) if number]


class ShareField(StepsField):
    """A share such as 1/2, as its two numbers."""

    pattern, separator = _SHARE, "/"
    advice = "a share such as 1/2"

    def clean(self, value: Any) -> list[int]:
        return [*super().clean(value), 1][:2]


class RulesDraftForm(RefusalForm):
    """The text of a draft, and an input for each figure that the stored text has."""

    text = forms.CharField(
        label="Rules as text",
        strip=False,
        help_text="YAML or JSON, at most 256 KiB. A line that begins with # is a note of yours.",
        error_messages={
            "required": "Rules as text: enter the rules, or delete the draft under “More”."
        },
        widget=DocumentInput({"rows": 30, "class": "code", "spellcheck": "false"}),
    )
    seen = forms.CharField(required=False, max_length=SEEN_MOST, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, page: Fields) -> None:
        self.figures = {figure.name: figure for figure in find_figures(page["document"])}
        values = {name: figure.value for name, figure in self.figures.items()}
        initial = {"text": page["draft"].text, "seen": page["seen"], **values}
        super().__init__(data, initial=initial)
        self.use_required_attribute = False
        for name, figure in self.figures.items():
            self.fields[name] = _input(figure)

    def clean_text(self) -> str:
        """Refuse a text that no document can be."""
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        if (size := len(text.encode())) > DOCUMENT_MAX:
            raise forms.ValidationError(
                f"Rules as text: at most {DOCUMENT_MAX:,} bytes; this has {size:,}."
            )
        return text

    def add_refusal(self, refusal: Refusal) -> None:
        """Show it at its field, with the label of a figure."""
        figure = self.figures.get(refusal.field)
        if figure:
            self.add_error(figure.name, f"{figure.label}: {refusal.message}")
        else:
            super().add_refusal(refusal)

    @property
    def changed_figures(self) -> dict[Place, Any]:
        """What a valid form has in place of the figures of the stored text."""
        return {
            figure.path: self.cleaned_data[name]
            for name, figure in self.figures.items()
            if self.cleaned_data[name] != figure.value
        }

    @property
    def sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The inputs of figures by heading."""
        groups = groupby(self.figures.values(), lambda figure: figure.section)
        return [
            (section, [self[figure.name] for figure in figures])
            for section, figures in groups
        ]


def _input(figure: Figure) -> forms.Field:
    """Return the input of a figure."""
    key, label = figure.path[-1], figure.label
    if key == THROW:
        return PickField(label, choices=[(dice, dice) for dice in DICE], required=True)
    if key == STEPS:
        return StepsField(label, STEPS_TEXT)
    return (
        ShareField(label, 12) if key == SHARE else NumberField(label, AMOUNT, required=True)
    )
