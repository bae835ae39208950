"""Fields that the forms of a club's records share: lines that can be shown, whole numbers, figures,
choices.
"""

from collections.abc import Iterable
from typing import Any

from django import forms

from accounts.text import clean_line
from engine.errors import Refusal

NAME_MAX = 120
TEXT_MAX = 2000
# Rules of one profile; a page has no room for more.
LINES_MAX = 40
POINTS_MAX = 5_000
NUMBER = {"inputmode": "numeric"}


class LineField(forms.CharField):
    """One line of text that can be shown."""

    def __init__(self, label: str, max_length: int = NAME_MAX, **kwargs: Any) -> None:
        messages = {
            "required": f"{label}: fill this in.",
            "max_length": f"{label}: at most {max_length} characters; this has %(show_value)s.",
        }
        super().__init__(
            label=label, max_length=max_length, error_messages=messages, **kwargs
        )

    def clean(self, value: Any) -> str:
        return _line(super().clean(value), str(self.label), self.max_length or NAME_MAX)


class LinesField(forms.CharField):
    """Several lines, each cleaned; a list of those that hold something."""

    def __init__(self, label: str, **kwargs: Any) -> None:
        messages = {
            "max_length": f"{label}: at most {TEXT_MAX} characters; this has %(show_value)s."
        }
        widget = forms.Textarea(attrs={"rows": 3})
        super().__init__(
            label=label,
            max_length=TEXT_MAX,
            required=False,
            widget=widget,
            error_messages=messages,
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        sent = super().clean(value).splitlines()
        lines = (_line(line, str(self.label), NAME_MAX) for line in sent)
        found = list(dict.fromkeys(filter(None, lines)))
        if len(found) > LINES_MAX:
            raise forms.ValidationError(
                f"{self.label}: at most {LINES_MAX} lines; there are {len(found)}."
            )
        return found


def _line(text: str, label: str, limit: int) -> str:
    try:
        return clean_line(text, field=label, limit=limit)
    except Refusal as refusal:
        raise forms.ValidationError(refusal.message) from None


class PointsField(forms.IntegerField):
    """A price in whole points, or another whole number within bounds."""

    def __init__(
        self, label: str, low: int = 0, high: int = POINTS_MAX, **kwargs: Any
    ) -> None:
        said = f"{label}: a whole number from {low} to {high:,}."
        messages = {"required": said, "invalid": said, "min_value": said, "max_value": said}
        widget = forms.NumberInput(attrs=NUMBER)
        super().__init__(
            label=label,
            min_value=low,
            max_value=high,
            widget=widget,
            error_messages=messages,
            **kwargs,
        )


def figure(text: str) -> int | str | None:
    """A figure as the files hold it: a number, the printed text where it is none, None for a dash."""
    # People type either dash.
    plain = text.strip()
    if plain in ("", "-", "–"):
        return None
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) < 6 else plain


def choices_of(field: forms.Field, choices: Iterable[tuple[Any, Any]]) -> None:
    """Give a field of choices its choices, and the sentence for another one."""
    field.choices = list(choices)  # type: ignore[attr-defined]
    field.error_messages["invalid_choice"] = f"{field.label}: choose one of the list."
    field.error_messages.setdefault("required", f"{field.label}: choose one of the list.")
