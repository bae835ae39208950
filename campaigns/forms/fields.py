"""Fields that several forms of events have, with what all of them agree on."""

from typing import Any

from django import forms

from accounts.forms import ReasonField
from battles.models import REASON_MAX
from warbands.forms import NUMBER, UNFILLED

LOCAL = "%Y-%m-%dT%H:%M"
VERSION_MAX = 10**6


class TextField(forms.CharField):
    """One line of at most ``most`` characters, which may be left empty."""

    def __init__(self, label: str, most: int, **kwargs: Any) -> None:
        super().__init__(label=label, max_length=most, **{"required": False, **kwargs})


class UnfilledField(TextField):
    """A line that a browser does not fill in from what was typed elsewhere."""

    widget = forms.TextInput(UNFILLED)


class NumberField(forms.IntegerField):
    """A whole number from ``least`` to ``most``; an empty one is None."""

    widget = forms.NumberInput(NUMBER)

    def __init__(self, label: str, most: int, least: int = 0, **kwargs: Any) -> None:
        limits = {"min_value": least, "max_value": most}
        super().__init__(label=label, **{"required": False, **limits, **kwargs})


class MomentField(forms.DateTimeField):
    """A date and a time, by the clock on the wall."""

    def __init__(self, label: str) -> None:
        # Browsers send seconds too where somebody typed them.
        super().__init__(
            label=label,
            required=False,
            widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL),
            input_formats=[LOCAL, f"{LOCAL}:%S"],
        )
        self.error_messages["invalid"] = (
            "Write a date and a time, such as 2026-11-18 19:00."
        )


class WhyField(ReasonField):
    """Why a game is changed, on one line."""

    def __init__(self) -> None:
        super().__init__(
            label="Why", required=False, max_length=REASON_MAX, widget=forms.TextInput()
        )


class SeenField(forms.IntegerField):
    """The version of a fixture when the page was drawn, sent back unseen."""

    widget = forms.HiddenInput

    def __init__(self) -> None:
        super().__init__(required=False, min_value=0, max_value=VERSION_MAX)
