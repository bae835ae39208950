"""Shapes of what people type about lists and waivers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.forms import RefusalForm
from campaigns.forms.deciding import one_line
from campaigns.forms.events.entering import BringForm
from campaigns.models import REASON_MAX, ROUNDS_MAX, WORD_MAX
from engine.types import Guideline


class RoundChoiceForm(forms.Form):
    """Which round's lists to show."""

    round = forms.IntegerField(
        label="Round", required=False, min_value=1, max_value=ROUNDS_MAX * 10
    )


class HandInForm(BringForm):
    """The warband to hand in: one that is offered, or by its link."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("warband") and not cleaned.get("link"):
            self.add_error("warband", "Choose a warband.")
        return cleaned


class UnlockForm(forms.Form):
    """Whose list to unlock, or with ``lock`` to lock again."""

    entry = forms.CharField(max_length=WORD_MAX, widget=forms.HiddenInput)
    lock = forms.BooleanField(required=False, widget=forms.HiddenInput)


class WaiveForm(RefusalForm):
    """Which guideline to let pass, and why."""

    code = forms.ChoiceField(label="What you let pass")
    reason = forms.CharField(
        label="Reason", max_length=REASON_MAX, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, guidelines: Sequence[Guideline], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [(one.code, one.title or one.code) for one in guidelines if one.is_waivable]
        self.fields["code"].choices = offered  # type: ignore[attr-defined]
        self.fields["reason"].error_messages["required"] = "Say why; the sheet prints it."

    def clean_reason(self) -> str:
        return one_line(self.cleaned_data["reason"])


class ReasonForm(RefusalForm):
    """Why something is taken back."""

    reason = forms.CharField(
        label="Reason", max_length=REASON_MAX, widget=forms.Textarea(attrs={"rows": 2})
    )

    def clean_reason(self) -> str:
        return one_line(self.cleaned_data["reason"])
