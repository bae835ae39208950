"""The forms about a club's list as a whole: its head, its file; and the levels of guidelines."""

from __future__ import annotations

from typing import Any

from django import forms

from rulesdata import registry
from rulesdata.operations.levels import LEVELS
from rulesdata.operations.own_lists import LIMITS, NAME_MAX, NOTE_MAX, ListDraft
from rulesdata.queries.clubs import LevelsPage

LEVEL_NAMES = {"error": "Error", "warning": "Warning", "note": "Note", "off": "Off"}


class ListHeadForm(forms.Form):
    """What a list is called and what is said of it."""

    name = forms.CharField(
        label="Name",
        max_length=NAME_MAX,
        help_text="As members choose it for a warband.",
        error_messages={
            "required": "Name: give the list a name, so that members can choose it.",
            "max_length": f"Name: at most {NAME_MAX} characters; this has %(show_value)s.",
        },
    )
    note = forms.CharField(
        label="Note",
        max_length=NOTE_MAX,
        required=False,
        help_text="Told wherever the list is shown, for example what it is for.",
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={
            "max_length": f"Note: at most {NOTE_MAX} characters; this has %(show_value)s."
        },
    )


class ListForm(ListHeadForm):
    """A new list: what it stands on as well."""

    stands_on = forms.ChoiceField(
        label="Stands on",
        help_text="Over an army it holds what you add and correct. An army of its own begins empty.",
        error_messages={
            "required": "Stands on: choose an army, or an army of its own.",
            "invalid_choice": "Stands on: choose one of the list.",
        },
    )
    field_order = ["name", "stands_on", "note"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["stands_on"].choices = [("", "Choose"), *stand_choices()]  # type: ignore[attr-defined]

    def draft(self) -> ListDraft:
        """The draft of a valid form."""
        collection, _, base = self.cleaned_data["stands_on"].partition("/")
        return ListDraft(self.cleaned_data["name"], collection, base, self.cleaned_data["note"])


def stand_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every army of every collection as ``collection/army``, and each collection alone, by
    collection.
    """
    found = []
    for key in registry.collections():
        head = registry.collection_file(key)
        lists = {army: registry.find_printed_lists(key, army).army for army in head.armies}
        armies = sorted((one.name, army) for army, one in lists.items() if one is not None)
        choices = [(f"{key}/{army}", name) for name, army in armies]
        found.append((head.name, [*choices, (key, "An army of its own")]))
    return found


class UploadForm(forms.Form):
    """A file of the pack format, as a file or as text."""

    file = forms.FileField(
        label="File", required=False, help_text="A .yaml file. A file goes before the text."
    )
    text = forms.CharField(
        label="Or its text",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "class": "code"}),
    )
    collection = forms.ChoiceField(
        label="Stat lines of",
        required=False,
        help_text="Counts where the file does not say.",
        error_messages={"invalid_choice": "Stat lines of: choose one of the list."},
    )

    def __init__(self, *args: Any, is_new: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_new:
            choices = [(key, registry.collection_file(key).name) for key in registry.collections()]
            self.fields["collection"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["collection"]

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload is None:
            return None
        if upload.size > LIMITS.size:
            raise forms.ValidationError(
                f"File: at most {LIMITS.size:,} bytes; this has {upload.size:,}."
            )
        return upload.read()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("file") and not (cleaned.get("text") or "").strip():
            self.add_error("text", "Or its text: choose a file, or paste its text here.")
        return cleaned

    @property
    def raw(self) -> bytes | str:
        """What was sent; only of a valid form."""
        raw: bytes | str = self.cleaned_data.get("file") or self.cleaned_data["text"]
        return raw


class LevelsForm(forms.Form):
    """One level for each guideline of a system."""

    def __init__(self, *args: Any, page: LevelsPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for code, title, usual, own in page.lines:
            self.fields[code] = forms.ChoiceField(
                label=title,
                choices=[(level, LEVEL_NAMES[level]) for level in LEVELS],
                initial=own,
                help_text=f"The system says: {LEVEL_NAMES[usual].lower()}.",
                error_messages={
                    "required": f"{title}: choose a level.",
                    "invalid_choice": f"{title}: choose error, warning, note or off.",
                },
            )
