"""Every component in every state on one page, with figures from the army lists.

Served while developing only.
"""

import json
from pathlib import Path

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from config.ui.html import icon_names

EXAMPLES = Path(__file__).with_name("styleguide.json")
ARMIES = (("empire", "The Empire"), ("orcs", "Orcs and Goblins"))
SHARING = (("private", "Private"), ("link", "By link"), ("public", "Public"))


class ExampleForm(forms.Form):
    """One field of each kind, sent with faults so that they show."""

    name = forms.CharField(
        label="Warband name",
        max_length=80,
        help_text="Shown on the sheet and to your opponent.",
    )
    points_limit = forms.IntegerField(label="Points limit", min_value=100, max_value=250)
    army = forms.ChoiceField(label="Army list", choices=ARMIES)
    sharing = forms.ChoiceField(
        label="Who may see it", choices=SHARING, widget=forms.RadioSelect
    )
    notes = forms.CharField(
        label="Notes", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    keep = forms.BooleanField(label="Keep me signed in on this device", required=False)


def styleguide(request: HttpRequest) -> HttpResponse:
    """The page of all components."""
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    context = {
        **examples,
        "form": ExampleForm(examples["entered"]),
        "icons": sorted(icon_names()),
        "page": Paginator(range(70), 10).page(2),
    }
    return render(request, "styleguide.html", context)
