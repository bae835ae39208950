"""The forms that a catalogue of another app comes in by, and that its list is made by."""

from typing import Any

from django import forms

from accounts.errors import Refusal
from accounts.form_fields import PickField, TextField, TickField, TicksField
from accounts.forms import RefusalForm
from engine.records import Fields, Texts
from interchange.files import FILES_MAX, SENT_MAX, megabytes
from rulesdata.forms.content import stand_choices
from rulesdata.forms.fields import LinesField
from rulesdata.operations.sent_catalogues import MAY_USE
from rulesdata.queries.sent_catalogues import CatalogueDraft

NAME_LENGTH = 120
ALSO_LENGTH = 1_000
BASED_ON = "Based on: choose one of the list."
USUAL = ("", "The usual one")


# Several files in one field


class FilesInput(forms.FileInput):
    """Several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """What was sent in a field of several files; each is looked at when it is read."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Return the files. Raises ValidationError for too many or too large ones."""
        uploads = data if isinstance(data, list) else []
        if not 1 <= len(uploads) <= FILES_MAX:
            raise forms.ValidationError(f"Files: choose 1 to {FILES_MAX} files.")
        if sum(upload.size or 0 for upload in uploads) > SENT_MAX:
            raise forms.ValidationError(
                f"Files: together they are larger than {megabytes(SENT_MAX)}. Pack them as a "
                "zip file."
            )
        return uploads


# The form


class CatalogueForm(RefusalForm):
    """Files of a game, and which of them becomes a list of the club.

    ``offers`` is what the same files were found to hold: names to choose from.
    """

    file = FilesField(
        label="Files",
        required=False,
        widget=FilesInput(attrs={"accept": ".cat,.gst,.catz,.gstz,.zip"}),
        help_text="All .gst and .cat files of the game that the list needs, or one .zip of them.",
    )
    collection = PickField(
        "Based on",
        required=True,
        help_text="“An empty list” of the game whose stat lines your units have, or an army "
        "that the list adds to.",
        error_messages={"required": BASED_ON, "invalid_choice": BASED_ON},
    )
    catalogue = TextField(
        "Catalogue", NAME_LENGTH, help_text="Its name, if the files hold several."
    )
    also = LinesField(
        "Also offered",
        limit=NAME_LENGTH,
        most=ALSO_LENGTH,
        help_text="Catalogues whose units join the list, such as hired swords. One name a line.",
    )
    price_type = TextField(
        "Points are",
        NAME_LENGTH,
        help_text="The name of a price, if it is not the usual one.",
    )
    may_use = TickField("Our club may use these files here")

    refused_fields = {"files": "file", "base": "collection"}

    def __init__(
        self, *args: Any, is_new: bool = True, offers: Fields | None = None, **kwargs: Any
    ) -> None:
        """Ask for a collection where the list is new, and list what the files hold."""
        super().__init__(*args, **kwargs)
        self.faults: Texts = ()
        if is_new:
            choices = [("", "Choose"), *stand_choices()]
            self.fields["collection"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["collection"]
        offers = offers or {}
        names = [(name, name) for name in offers.get("catalogues", ())]
        prices = [(price["id"], price["name"]) for price in offers.get("price_types", ())]
        if len(names) > 1:
            self.fields["catalogue"] = PickField(
                "Catalogue", choices=[("", "Choose"), *names]
            )
            self.fields["also"] = TicksField("Also offered", choices=names)
        if len(prices) > 1:
            self.fields["price_type"] = PickField("Points are", choices=[USUAL, *prices])
        self.order_fields(
            ("file", "collection", "catalogue", "also", "price_type", "may_use")
        )

    def show_refusal(self, refusal: Fields) -> None:
        """Show what a reading was refused with; the faults of a list by themselves."""
        self.faults = tuple(refusal.get("faults", ()))
        # Files cannot be sent back, so their field has nothing that could be checked.
        self.full_clean()
        self.errors.clear()
        if not self.faults:
            self.add_refusal(Refusal(refusal["message"], field=refusal["field"]))

    def clean_may_use(self) -> bool:
        if not self.cleaned_data["may_use"]:
            raise forms.ValidationError(MAY_USE)
        return True

    def draft(self, token: str = "") -> CatalogueDraft:
        """Return what is asked for."""
        data = self.cleaned_data
        collection, _, base = data.get("collection", "").partition("/")
        uploads = self.cleaned_data["file"]
        sent = tuple((upload.name or "file", upload.read()) for upload in uploads)
        return CatalogueDraft(
            sent,
            collection,
            data["catalogue"].strip(),
            token,
            may_use=data["may_use"],
            also=tuple(data["also"]),
            price_type=data["price_type"].strip(),
            base=base,
        )


def first_wishes(wishes: Fields) -> Fields:
    """Return what was asked for, as a form begins with it."""
    stands_on = "/".join(filter(None, (wishes["collection"], wishes["base"])))
    choices = {key: wishes[key] for key in ("catalogue", "also", "price_type")}
    return {"collection": stands_on, "may_use": True, **choices}
