"""Fields that the forms of a club's records share: lines that can be shown, whole numbers, figures,
choices.
"""

from collections.abc import Iterable
from typing import Any

from django import forms

from accounts.text import clean_line
from engine.errors import Refusal
from engine.records import TextByKey
from engine.types.lists import RARITY_LEAST, RARITY_MOST

NAME_MAX = 120
TEXT_MAX = 2000
# Rules of one profile; a page has no room for more.
LINES_MAX = 40
POINTS_MAX = 5_000
# A description, as long as a sentence of a pack may be; and those of a profile's rules together.
DESCRIPTION_MAX = 1000
DESCRIPTIONS_MAX = 8_000
NUMBER = {"inputmode": "numeric"}


class LineField(forms.CharField):
    """One line of text that can be shown."""

    def __init__(self, label: str, max_length: int = NAME_MAX, **kwargs: Any) -> None:
        """Make the field with its label in each message."""
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
    """Several lines of at most `limit` characters, `most` together, each cleaned; a list of those
    that hold something.
    """

    def __init__(
        self, label: str, limit: int = NAME_MAX, most: int = TEXT_MAX, **kwargs: Any
    ) -> None:
        """Make the field with limits on each line and on all, both in characters."""
        self.limit = limit
        messages = {
            "max_length": f"{label}: at most {most:,} characters; this has %(show_value)s."
        }
        widget = forms.Textarea(attrs={"rows": 3})
        super().__init__(
            label=label,
            max_length=most,
            required=False,
            widget=widget,
            error_messages=messages,
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        """Return the lines without repeats; raise ValidationError for too many."""
        sent = super().clean(value).splitlines()
        lines = (_line(line, str(self.label), self.limit) for line in sent)
        found = list(dict.fromkeys(filter(None, lines)))
        if len(found) > LINES_MAX:
            raise forms.ValidationError(
                f"{self.label}: at most {LINES_MAX} lines; there are {len(found)}."
            )
        return found


class RuleTextsField(LinesField):
    """What special rules do, by their names: a line for each, the name, a colon and the words.

    Cleaned it is a list of lines; `texts_by_rule` tells names from words.
    """

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, dict):
            value = [f"{name}: {text}" for name, text in value.items()]
        return super().prepare_value(value)


def texts_by_rule(lines: Iterable[str], rules: Iterable[str]) -> TextByKey:
    """The words by the names of the rules. Raises ValidationError for a line of no rule."""
    # The longest name first: one may begin with another and a colon.
    names = sorted(rules, key=len, reverse=True)
    found: TextByKey = {}
    for line in lines:
        name = next((one for one in names if line.startswith(f"{one}:")), "")
        text = line.removeprefix(f"{name}:").strip()
        if not name or not text:
            raise forms.ValidationError(
                f"“{line[:40]}”: begin the line with one of the special rules above and a colon, "
                "like “Stubborn: Never flees from combat.”"
            )
        found[name] = text
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
        """Make the field of a whole number, with both bounds in its messages."""
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


class RarityField(PointsField):
    """The roll that finds something rare in a campaign; empty where it is not rare."""

    def __init__(self, label: str, **kwargs: Any) -> None:
        super().__init__(
            label, low=RARITY_LEAST, high=RARITY_MOST, required=False, **kwargs
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
