"""Fields that the forms of every app share. Each begins with its label and may be left empty."""

from typing import Any

from django import forms
from django.utils.html import escape

NUMBER = {"inputmode": "numeric"}
UNFILLED = {"autocomplete": "off"}


class _Labelled(forms.Field):
    is_asked = False

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(label=label, **{"required": self.is_asked, **options})


class TextField(_Labelled, forms.CharField):
    """One line of at most ``most`` characters."""

    def __init__(self, label: str, most: int, **options: Any) -> None:
        super().__init__(label, max_length=most, **options)


class UnfilledField(TextField):
    """A line that a browser does not fill in from what was typed elsewhere."""

    widget = forms.TextInput(UNFILLED)


class LongTextField(TextField):
    """Several lines, ``rows`` of which are shown."""

    def __init__(self, label: str, most: int, rows: int, **options: Any) -> None:
        super().__init__(label, most, widget=forms.Textarea({"rows": rows}), **options)


ECHO_BYTES = 1_000_000  # of a text that comes back with what is wrong in it
TOO_LONG = "Your text is too long to show again. Choose it as a file, or paste it again."


def echo_of(text: str) -> str:
    """What was sent, to be shown again; nothing of what no page can hold."""
    return text if len(escape(text).encode()) <= ECHO_BYTES else ""


class DocumentInput(forms.Textarea):
    """Several lines for a whole document; a very long one is not shown again."""

    def format_value(self, value: Any) -> str:
        return echo_of(super().format_value(value) or "")

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        is_left_out = bool(value) and not self.format_value(value)
        hint = {"placeholder": TOO_LONG} if is_left_out else {}
        return super().get_context(name, value, {**(attrs or {}), **hint})


class NumberField(_Labelled, forms.IntegerField):
    """A whole number from ``least`` to ``most``; an empty one is None."""

    widget = forms.NumberInput(NUMBER)

    def __init__(self, label: str, most: int, least: int = 0, **options: Any) -> None:
        super().__init__(label, **{"min_value": least, "max_value": most, **options})


class PickField(_Labelled, forms.ChoiceField):
    """One of a list."""


class RadioField(_Labelled, forms.ChoiceField):
    """One of a few that are all shown; one of them has to be chosen."""

    widget = forms.RadioSelect
    is_asked = True


class TickField(_Labelled, forms.BooleanField):
    """Yes or no."""


class TicksField(_Labelled, forms.MultipleChoiceField):
    """Any of a list, each with a tick of its own."""

    widget = forms.CheckboxSelectMultiple
