"""The form that reports a page."""

from django import forms

from accounts.forms import RefusalForm
from notices.models import REPORT_MAX, REPORTED_MAX, ReportReason


class ReportForm(RefusalForm):
    """What is wrong, where, and where an answer is wanted."""

    page = forms.CharField(
        required=False, max_length=REPORTED_MAX, widget=forms.HiddenInput
    )
    reason = forms.ChoiceField(label="What is wrong", choices=ReportReason.choices)
    words = forms.CharField(
        label="Say more",
        max_length=REPORT_MAX,
        help_text="For a wrong figure: what stands there, what it should be, and where you read it.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    email = forms.EmailField(
        label="E-mail address for an answer",
        required=False,
        max_length=254,
        help_text="Only whoever runs this site sees it.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def clean_page(self) -> str:
        """Keep an address of this site; another one says nothing about a page of ours."""
        typed: str = self.cleaned_data["page"]
        return typed if typed.startswith("/") and not typed.startswith("//") else ""
