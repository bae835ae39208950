"""The form a roster comes in by, and what the preview of a list of another app sends back."""

from typing import Any

import re2
from django import forms
from django.core import signing

from accounts.errors import Fault, FaultyDocument, Refusal
from accounts.forms import DocumentInput, PickField
from accounts.owner import Owner
from engine.errors import refused_at
from interchange.files import (
    FILE_MAX,
    ZIP_SIGNS,
    NamedBytes,
    decoded,
    form_of,
    megabytes,
)
from interchange.tree import ForeignRoster
from rulesdata import registry
from warbands.exchange.foreign.preview import LineChoice
from warbands.exchange.foreign.reader import read_list, read_text
from warbands.forms.warbands import WarbandForm, offer
from warbands.queries.foreign_lists import ListWishes, army_choices
from warbands.sheet.frozen import SnapshotMismatch, from_json, to_json

HELD_MAX = 400_000
HELD_SECONDS = 86_400
HELD_SALT = "warbands.foreign-list"
# What a choice sends that leaves a line as a note.
AS_NOTE = "-"
OUR_MARK = '"muster-roll/'
"""What the JSON of our own documents holds, and no other."""
_CHOICE = re2.compile(r"^(?:unit-(\d{1,3})|part-(\d{1,3})-(\d{1,3}))$")


class ImportForm(WarbandForm):
    """A roster from anywhere, pasted or as a file; the preview sends back what was read, signed.

    ``faults`` are what is wrong within a document of ours.
    """

    faults: tuple[Fault, ...] = ()

    text = forms.CharField(
        label="Roster",
        required=False,
        strip=False,
        widget=DocumentInput(attrs={"rows": 10, "class": "code"}),
        help_text="Paste a list as an app or a chat shows it, or “Open JSON” of Muster Roll.",
    )
    file = forms.FileField(
        label="Or a file",
        required=False,
        help_text="A .ros, .rosz, .json or .txt file, up to 4 MB. A file goes before the text.",
    )
    rules = PickField("Rules")
    army = PickField("Army")
    held = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        owner: Owner,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        books = [(book.address, book.full_name) for book in registry.rulesets()]
        offer(self, "rules", [("", "Find them by the list"), *books])
        # Only what is sent is compared with the choices: the first page asks for no army.
        choices = army_choices(owner) if self.is_bound else []
        offer(self, "army", [("", "Find it by the units"), *choices])

    def add_refusal(self, refusal: Refusal) -> None:
        if isinstance(refusal, FaultyDocument):
            self.faults = refusal.faults
        else:
            super().add_refusal(refusal)

    @property
    def status(self) -> int:
        return 400 if self.faults else super().status

    def clean_file(self) -> NamedBytes | None:
        upload = self.cleaned_data["file"]
        if upload is None:
            return None
        if upload.size > FILE_MAX:
            raise forms.ValidationError(
                f"This file is larger than {megabytes(FILE_MAX)}. Choose a smaller one."
            )
        return upload.name, upload.read()

    @property
    def document(self) -> str:
        """The text of a document of ours, empty where something else was sent."""
        file = self.cleaned_data["file"]
        text = self.cleaned_data["text"]
        if file:
            is_marked = OUR_MARK.encode() in file[1]
            text = decoded(*file) if is_marked and not file[1].startswith(ZIP_SIGNS) else ""
        return text if form_of(text) == "json" and OUR_MARK in text else ""

    def read_tree(self) -> ForeignRoster:
        """Return the list that was sent, or that an earlier page held.

        Raises Refusal that names the field.
        """
        if file := self.cleaned_data["file"]:
            return read_list(*file)
        if (text := self.cleaned_data["text"]).strip():
            with refused_at("text"):
                return read_text(text)
        if not (preview := self.cleaned_data["held"]):
            raise Refusal("Paste a list here, or choose its file.", field="text")
        try:
            data = signing.loads(preview, salt=HELD_SALT, max_age=HELD_SECONDS)
            return from_json(data, ForeignRoster)
        except (signing.BadSignature, SnapshotMismatch):
            raise Refusal(
                "This preview is more than a day old. Choose the file again.", field="file"
            ) from None

    @property
    def wishes(self) -> ListWishes:
        """The rules, the army, and what was decided line by line."""
        rules, army = self.cleaned_data["rules"], self.cleaned_data["army"]
        # What no unit of one army fitted may fit one of another: then notes are no decision.
        with_notes = self.data.get("shown", f"{rules}/{army}") == f"{rules}/{army}"
        profiles: dict[int, str] = {}
        options: dict[int, dict[int, str]] = {}
        for name, value in self.data.items():
            # By the names of the fields: unit-3, part-3-0.
            match = _CHOICE.match(name)
            if not value or not match or (value == AS_NOTE and not with_notes):
                continue
            key = "" if value == AS_NOTE else str(value)
            if match[1]:
                profiles[int(match[1])] = key
            else:
                options.setdefault(int(match[2]), {})[int(match[3])] = key
        lines = profiles.keys() | options.keys()
        choices = {n: LineChoice(profiles.get(n), options.get(n, {})) for n in lines}
        return ListWishes(rules, army, choices)


def hold_list(tree: ForeignRoster) -> str:
    """The list as the preview sends it back; raises Refusal for one that no page can hold."""
    text: str = signing.dumps(to_json(tree), salt=HELD_SALT, compress=True)
    if len(text) > HELD_MAX:
        raise Refusal(
            f"This list takes {len(text):,} characters to preview; at most {HELD_MAX:,} are "
            "possible. Import fewer units at a time.",
            field="file",
        )
    return text
