"""The form that makes a program's token."""

from __future__ import annotations

from django import forms

from accounts.models import TOKEN_NAME_MAX, Scope
from accounts.programs.operations import DAYS

LASTS = ((30, "30 days"), (90, "90 days"), (180, "180 days"), (365, "A year"))


class TokenForm(forms.Form):
    """Which program, what it may change, how long."""

    name = forms.CharField(
        label="Name",
        max_length=TOKEN_NAME_MAX,
        help_text="The program that will use it, such as “Scoreboard at the club”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="What it may change",
        required=False,
        choices=Scope.choices,
        help_text="It reads everything that you may read. With nothing ticked it only reads.",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(label="Works for", choices=LASTS, coerce=int, initial=DAYS)
