"""The forms around campaign rules of a club: to begin a set, upload one, and name its tables."""

from collections.abc import Collection
from typing import Any

from django import forms

from accounts.form_fields import PickField, RadioField, TextField
from accounts.forms import RefusalForm
from engine.errors import Refusal
from engine.growth.tables import DICE
from engine.records import ChoiceList, Fields, Texts
from rulesdata.campaign_documents import DOCUMENT_MAX
from rulesdata.campaign_editor.parts import EditorPage, RuleField, RulesPart
from rulesdata.campaign_editor.values import MISSING
from rulesdata.errors import FaultyCampaignRules
from rulesdata.forms.fields import LineField
from rulesdata.forms.uploads import DocumentUploadForm
from rulesdata.keys import key_from
from rulesdata.schema.campaigns import SKILLS_MOST, TABLES_MOST

NAME_MOST = 40
NOUNS = {"tables": "table", "skills": "list of skills"}
MOST = {"tables": TABLES_MOST, "skills": SKILLS_MOST}


# Beginning a set


class NewRulesForm(RefusalForm):
    """The name of a new set, and what it starts from."""

    name = LineField("Name", help_text="Organisers see it when they start a campaign.")
    start = RadioField(
        "Start from",
        required=False,
        error_messages={"invalid_choice": "Start from: choose one of the list."},
    )
    refused_fields = {"rules": "start", "document": "name"}

    def __init__(self, *args: Any, choices: ChoiceList, **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": {"start": choices[0][0]}, **kwargs})
        self.fields["start"].choices = choices  # type: ignore[attr-defined]


class RulesUploadForm(DocumentUploadForm):
    """Campaign rules as a file or as text."""

    size_most = DOCUMENT_MAX
    formats = "YAML or JSON."

    def add_refusal(self, refusal: Refusal) -> None:
        """Show what is wrong with the file above the form."""
        if isinstance(refusal, FaultyCampaignRules):
            for fault in refusal.faults:
                self.add_error(None, f"File: {fault.message}")
        else:
            super().add_refusal(refusal)


# Adding to a section


class NamedEntryForm(RefusalForm):
    """A new table or list of skills, or, with ``gone``, one to delete."""

    name_text = TextField("Name", NAME_MOST, help_text="For example hero injuries.")
    dice = PickField("Dice", choices=[(one, one) for one in DICE])
    gone = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, section: str, taken: Collection[str], **kwargs: Any
    ) -> None:
        """Keep the section and the keys it has; only tables ask for dice."""
        super().__init__(*args, **kwargs)
        self.section, self.taken = section, taken
        if section != "tables":
            del self.fields["dice"]

    def clean(self) -> Fields:
        """Ask for a name that is free, and for room."""
        cleaned = super().clean() or {}
        if cleaned.get("gone"):
            return cleaned
        name, noun = (
            key_from(cleaned.get("name_text") or "")[:NAME_MOST],
            NOUNS[self.section],
        )
        if not name:
            self.add_error("name_text", f"Name: give the {noun} a name.")
        elif name in self.taken:
            self.add_error("name_text", f"Name: there is a {noun} of this name.")
        elif len(self.taken) >= MOST[self.section]:
            most = MOST[self.section]
            self.add_error("name_text", f"Name: at most {most}; delete one first.")
        cleaned["name"] = name
        return cleaned

    @property
    def is_new(self) -> bool:
        """Whether a valid form adds something."""
        return not self.cleaned_data.get("gone")

    @property
    def name(self) -> str:
        """The id of what a valid form adds or deletes."""
        return str(self.cleaned_data.get("gone") or self.cleaned_data["name"])

    @property
    def page(self) -> EditorPage:
        """What a valid form writes, as a page of one place."""
        part = RulesPart((self.section,), "", (RuleField(self.name, ""),))
        return EditorPage(self.section, "", "", (part,))

    def changes(self) -> list[tuple[Texts, Any]]:
        """Return what a valid form puts into the document."""
        value: Any = MISSING
        if self.is_new:
            dice = self.cleaned_data.get("dice") or DICE[0]
            value = {"dice": dice, "rows": []} if self.section == "tables" else []
        return [((self.section, self.name), value)]

    @property
    def done(self) -> str:
        """What a valid form did, as a sentence."""
        noun = NOUNS[self.section].capitalize()
        return f"{noun} {'added' if self.is_new else 'deleted'}."
