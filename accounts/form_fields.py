"""Fields that the forms of every app share. Each begins with its label and may be left empty."""

from typing import Any

from django import forms
from django.utils.html import escape

NUMBER = {"inputmode": "numeric"}
UNFILLED = {"autocomplete": "off"}


class TextField(forms.CharField):
    """One line of at most ``most`` characters."""

    def __init__(self, label: str, most: int, **options: Any) -> None:
        super().__init__(label=label, max_length=most, **{"required": False, **options})


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
        said = {"placeholder": TOO_LONG} if is_left_out else {}
        return super().get_context(name, value, {**(attrs or {}), **said})


class NumberField(forms.IntegerField):
    """A whole number from ``least`` to ``most``; an empty one is None."""

    widget = forms.NumberInput(NUMBER)

    def __init__(self, label: str, most: int, least: int = 0, **options: Any) -> None:
        limits = {"min_value": least, "max_value": most}
        super().__init__(label=label, **{"required": False, **limits, **options})


class PickField(forms.ChoiceField):
    """One of a list."""

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(label=label, **{"required": False, **options})


class RadioField(forms.ChoiceField):
    """One of a few that are all shown; one of them has to be chosen."""

    widget = forms.RadioSelect

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(label=label, **options)


class TickField(forms.BooleanField):
    """Yes or no."""

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(label=label, required=False, **options)


class TicksField(forms.MultipleChoiceField):
    """Any of a list, each with a tick of its own."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(label=label, required=False, **options)
