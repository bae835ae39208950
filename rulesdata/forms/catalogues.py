"""The form that a catalogue of another app comes in by, and what its preview sends back."""

import json
from typing import Any

from django import forms
from django.core import signing

from accounts.form_fields import PickField, TickField
from accounts.forms import RefusalForm
from engine.errors import Refusal
from engine.records import Fields
from rulesdata import registry
from rulesdata.errors import FaultyList
from rulesdata.foreign.archives import FILES_MAX, SENT_MAX, NamedBytes
from rulesdata.foreign.files import megabytes
from rulesdata.queries.catalogue_readings import MAY_USE, CatalogueDraft

HELD_MAX = 400_000
HELD_SECONDS = 86_400
HELD_SALT = "rulesdata.catalogue"


# Several files in one field


class FilesInput(forms.FileInput):
    """Several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """What was sent in a field of several files; each is looked at when it is read."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        return data if isinstance(data, list) else []


# The form


class CatalogueForm(RefusalForm):
    """Files of a game, and which of them becomes a list of the club."""

    file = FilesField(
        label="Files",
        required=False,
        widget=FilesInput(attrs={"accept": ".cat,.gst,.catz,.gstz,.zip"}),
        help_text="All .gst and .cat files of the game that the list needs, or one .zip of them.",
    )
    collection = PickField(
        "Stat lines of",
        help_text="The collection whose stat lines the list gets.",
        error_messages={
            "required": "Stat lines of: choose one of the list.",
            "invalid_choice": "Stat lines of: choose one of the list.",
        },
    )
    catalogue = forms.CharField(
        label="Catalogue",
        max_length=120,
        required=False,
        help_text="Its name, if the files hold several.",
    )
    may_use = TickField("Our club may use these files here.")

    refused_fields = {"files": "file"}

    def __init__(self, *args: Any, is_new: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.faults: list[str] = []
        if is_new:
            choices = [
                (key, registry.collection_file(key).name) for key in registry.collections()
            ]
            self.fields["collection"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["collection"]

    def add_refusal(self, refusal: Refusal) -> None:
        """Keep the faults of a list, which the page shows by themselves."""
        if isinstance(refusal, FaultyList):
            self.faults = list(map(str, refusal.faults[:20]))
        else:
            super().add_refusal(refusal)

    def clean_may_use(self) -> bool:
        if not self.cleaned_data["may_use"]:
            raise forms.ValidationError(MAY_USE)
        return True

    def draft(self, token: str = "") -> CatalogueDraft:
        """Return what is asked for; raises Refusal for files that are too many or too large."""
        return CatalogueDraft(
            self._sent(),
            self.cleaned_data.get("collection", ""),
            self.cleaned_data["catalogue"].strip(),
            token,
            may_use=True,
        )

    def _sent(self) -> tuple[NamedBytes, ...]:
        """Return the files by name. Raises Refusal for too many or too large ones."""
        uploads = self.cleaned_data["file"]
        if not 1 <= len(uploads) <= FILES_MAX:
            raise Refusal(f"Files: choose 1 to {FILES_MAX} files.", field="files")
        if sum(upload.size or 0 for upload in uploads) > SENT_MAX:
            raise Refusal(
                f"Files: together they are larger than {megabytes(SENT_MAX)}. Pack them as a "
                "zip file.",
                field="files",
            )
        return tuple((upload.name or "file", upload.read()) for upload in uploads)


# What the preview sends back


def hold_document(club: str, document: Fields) -> str:
    """The list's file as the preview sends it back; raises Refusal for one no page can hold."""
    held: str = signing.dumps([club, document], salt=HELD_SALT, compress=True)
    if len(held) > HELD_MAX:
        raise Refusal(
            f"This list takes {len(held):,} characters to preview; at most {HELD_MAX:,} are "
            "possible. Send a catalogue of fewer units.",
            field="files",
        )
    return held


def held_document(club: str, held: str) -> str:
    """The file that a preview of this club showed, as text; raises Refusal where it is too old."""
    try:
        owner, document = signing.loads(held, salt=HELD_SALT, max_age=HELD_SECONDS)
    except (signing.BadSignature, ValueError):
        owner, document = "", {}
    if owner != club:
        raise Refusal(
            "This preview is more than a day old. Choose the files again.", field="files"
        )
    return json.dumps(document, ensure_ascii=False)
