"""What the forms of a club share: fields for lines that can be shown, whole numbers, figures and
choices, and the form of a document that is sent as a file or as text.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from django import forms

from accounts.forms import (
    DocumentInput,
    LongTextField,
    PickField,
    RefusalForm,
    TextField,
    TickField,
)
from engine.errors import Refusal
from engine.records import Fields, TextByKey
from engine.text import clean_line

NAME_MAX = 120
TEXT_MAX = 2000
# Rules of one profile; a page has no room for more.
LINES_MAX = 40
# A description, as long as a sentence of a pack may be; and those of a profile's rules together.
DESCRIPTION_MAX = 1000
DESCRIPTIONS_MAX = 8_000
# As long as a printed figure may be in a pack.
FIGURE_MAX = 12


class LineField(TextField):
    """One line of text that can be shown."""

    is_asked = True

    def __init__(self, label: str, max_length: int = NAME_MAX, **kwargs: Any) -> None:
        super().__init__(label, max_length, **kwargs)

    def clean(self, value: Any) -> str:
        return _clean_line(
            super().clean(value), str(self.label), self.max_length or NAME_MAX
        )


class LinesField(LongTextField):
    """Several lines of at most `limit` characters, `most` together, each cleaned; a list of those
    that hold something, without repeats.
    """

    def __init__(
        self, label: str, limit: int = NAME_MAX, most: int = TEXT_MAX, **kwargs: Any
    ) -> None:
        self.limit = limit
        super().__init__(label, most, rows=3, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        typed = super().clean(value).splitlines()
        cleaned = (_clean_line(line, str(self.label), self.limit) for line in typed)
        lines = list(dict.fromkeys(filter(None, cleaned)))
        if len(lines) > LINES_MAX:
            raise forms.ValidationError(
                f"{self.label}: at most {LINES_MAX} lines; there are {len(lines)}."
            )
        return lines


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
    texts: TextByKey = {}
    for line in lines:
        name = next((name for name in names if line.startswith(f"{name}:")), "")
        text = line.removeprefix(f"{name}:").strip()
        if not name or not text:
            raise forms.ValidationError(
                f"“{line[:40]}”: begin the line with one of the special rules above and a colon, "
                "like “Stubborn: Never flees from combat.”"
            )
        texts[name] = text
    return texts


def _clean_line(text: str, label: str, limit: int) -> str:
    try:
        return clean_line(text, field=label, limit=limit)
    except Refusal as refusal:
        raise forms.ValidationError(refusal.message) from None


class FigureField(LineField):
    """A figure as the files hold it: a number, else the printed text; None for a dash."""

    def clean(self, value: Any) -> Any:
        # People type either dash.
        plain = super().clean(value).strip()
        if plain in ("", "-", "–"):
            return None
        return (
            int(plain) if plain.isascii() and plain.isdigit() and len(plain) < 6 else plain
        )


class NumbersField(LineField):
    """So many whole numbers with commas between them; None for an empty line."""

    def __init__(self, label: str, count: int, **kwargs: Any) -> None:
        super().__init__(label, required=False, **kwargs)
        self.count = count

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        numbers = [part.strip() for part in super().clean(value).split(",")]
        if numbers == [""]:
            return None
        are_whole = all(
            part.isascii() and part.isdigit() and len(part) < 6 for part in numbers
        )
        if not are_whole or len(numbers) != self.count:
            raise forms.ValidationError(
                f"{self.label}: enter {self.count} whole numbers, or none."
            )
        return [int(part) for part in numbers]


class FlagField(TickField):
    """A flag as the files hold it: there or left out."""

    def clean(self, value: Any) -> bool | None:
        return super().clean(value) or None


class ChosenField(PickField, forms.TypedChoiceField):
    """One of a list, as the files hold it, at first the first; None where nothing is chosen."""

    def __init__(
        self, label: str, choices: Sequence[tuple[Any, str]], **kwargs: Any
    ) -> None:
        super().__init__(
            label,
            choices=choices,
            initial=choices[0][0],
            coerce=int if isinstance(choices[-1][0], int) else str,
            empty_value=None,
            **kwargs,
        )


# A document as a file or as text


class DocumentUploadForm(RefusalForm):
    """A file, or its text; with both the file is used."""

    size_most: ClassVar[int]
    """The most bytes that a file may have."""
    formats: ClassVar[str]
    """What kind of file it is, in a sentence."""

    file = forms.FileField(label="File", required=False)
    text = forms.CharField(
        label="Or its text",
        required=False,
        strip=False,
        widget=DocumentInput(attrs={"rows": 14, "class": "code"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        both = "With both a file and a text, the file is used."
        self.fields["file"].help_text = f"{self.formats} {both}"

    def clean_file(self) -> Any:
        """Return the bytes of the file, None without one."""
        upload = self.cleaned_data["file"]
        if upload is None:
            return None
        if upload.size > self.size_most:
            raise forms.ValidationError(
                f"File: at most {self.size_most:,} bytes; this has {upload.size:,}."
            )
        return upload.read()

    def clean(self) -> Fields:
        """Ask for a file or a text."""
        cleaned = super().clean() or {}
        has_text = bool((cleaned.get("text") or "").strip())
        if not self.errors and not cleaned.get("file") and not has_text:
            self.add_error("text", "Or its text: choose a file, or paste its text here.")
        return cleaned

    @property
    def raw(self) -> bytes | str:
        """What was sent; only of a valid form."""
        return self.cleaned_data.get("file") or self.cleaned_data["text"]
