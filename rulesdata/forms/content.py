"""The forms of what people write beside the rule book: scenarios, a club's lists as a whole, and
its levels of guidelines.
"""

from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.errors import Refusal
from accounts.forms import (
    LongTextField,
    NumberField,
    PickField,
    RadioField,
    RefusalForm,
    TextField,
    TickField,
    TicksField,
)
from engine.records import ChoiceList, Fields, NamedValues, Texts
from engine.types.systems import Scenario
from interchange.files import FILES_MAX
from rulesdata import registry
from rulesdata.errors import FaultyList
from rulesdata.forms.fields import DocumentUploadForm, LinesField
from rulesdata.models import ScenarioVisibility
from rulesdata.operations import scenarios
from rulesdata.operations.own_lists import LEVELS, LIMITS, NAME_MAX, NOTE_MAX, ListDraft
from rulesdata.operations.sent_catalogues import MAY_USE
from rulesdata.queries.sent_catalogues import CatalogueDraft

LEVEL_NAMES = {"error": "Error", "warning": "Warning", "note": "Note", "off": "Off"}


class ListHeadForm(RefusalForm):
    """What a list is called and what is said of it."""

    name = TextField(
        "Name",
        NAME_MAX,
        required=True,
        help_text="Members see this name when they choose an army list.",
    )
    note = LongTextField(
        "Note",
        NOTE_MAX,
        rows=2,
        help_text="Shown with the list, for example what it is for.",
    )


class ListForm(ListHeadForm):
    """A new list: what it stands on as well."""

    stands_on = PickField(
        "Based on",
        required=True,
        help_text="Choose an army to add to or correct, or start an empty list.",
    )
    field_order = ["name", "stands_on", "note"]
    refused_fields = {"base": "stands_on", "collection": "stands_on"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["stands_on"].choices = [("", "Choose"), *stand_choices()]  # type: ignore[attr-defined]

    def draft(self) -> ListDraft:
        """The draft of a valid form."""
        collection, _, base = self.cleaned_data["stands_on"].partition("/")
        return ListDraft(
            self.cleaned_data["name"], collection, base, self.cleaned_data["note"]
        )


def stand_choices() -> list[tuple[str, ChoiceList]]:
    """Every army of every collection as ``collection/army``, and each collection alone, by
    collection.
    """
    groups = []
    for key in registry.collections():
        head = registry.collection_file(key)
        lists = {army: registry.find_printed_lists(key, army).army for army in head.armies}
        armies = sorted(
            (file.name, army) for army, file in lists.items() if file is not None
        )
        choices = [(f"{key}/{army}", name) for name, army in armies]
        groups.append((head.name, [*choices, (key, f"An empty list: {head.name}")]))
    return groups


class UploadForm(DocumentUploadForm):
    """A file of the pack format, as a file or as text."""

    size_most = LIMITS.size
    formats = "A .yaml file."

    collection = PickField("Stat lines of", help_text="Used if the file does not say.")

    def __init__(self, *args: Any, is_new: bool = True, **kwargs: Any) -> None:
        """Ask for a collection where the list is new."""
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
            self.faults = list(map(str, refusal.faults))
        else:
            super().add_refusal(refusal)


# Catalogues of another app

NAME_LENGTH = 120
ALSO_LENGTH = 1_000
USUAL = ("", "The usual one")


class FilesInput(forms.FileInput):
    """Several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """What was sent in a field of several files; each is looked at when it is read."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        if not data:
            raise forms.ValidationError(f"Files: choose 1 to {FILES_MAX} files.")
        return data


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


# Levels of guidelines


class LevelsForm(RefusalForm):
    """One level for each guideline of a system."""

    def __init__(self, *args: Any, page: Fields, **kwargs: Any) -> None:
        """Add a choice of level for each guideline, with the rule book's own beside it."""
        super().__init__(*args, **kwargs)
        for code, title, usual, current in page["lines"]:
            self.fields[code] = PickField(
                title,
                required=True,
                choices=[(level, LEVEL_NAMES[level]) for level in LEVELS],
                initial=current,
                help_text=f"In the rule book: {LEVEL_NAMES[usual].lower()}.",
            )


# Scenarios

_RULES_TEXT_MAX = 4000


class ScenarioForm(RefusalForm):
    """Everything but the sides."""

    name = TextField("Name", scenarios.NAME_MAX, required=True)
    summary = LongTextField(
        "Summary", scenarios.LINE_MAX, rows=2, help_text="The story in a sentence or two."
    )
    setup = LongTextField(
        "Setup",
        scenarios.TEXT_MAX,
        rows=4,
        help_text="The table, where each side begins, who goes first.",
    )
    objectives = LongTextField(
        "Objectives", scenarios.TEXT_MAX, rows=4, help_text="How a side wins."
    )
    special_rules = LongTextField(
        "Special rules", _RULES_TEXT_MAX, rows=4, help_text="One rule on each line."
    )
    length = TextField(
        "Length",
        scenarios.LINE_MAX,
        help_text="When the game ends, for example: six turns each.",
    )
    waives = TicksField(
        "Guidelines it waives",
        help_text="A warband that carries this scenario gets a note in place of these issues.",
    )
    visibility = RadioField(
        "Who can see it",
        choices=ScenarioVisibility.choices,
        initial=ScenarioVisibility.PRIVATE,
    )
    club = forms.TypedChoiceField(
        label="Club",
        required=False,
        coerce=int,
        empty_value=None,
        help_text="The club to share with.",
        error_messages={"invalid_choice": "Club: choose one of your clubs."},
    )

    def __init__(self, *args: Any, page: Fields, **kwargs: Any) -> None:
        """Fill the form from a scenario; without clubs nothing is shared with one."""
        super().__init__(*args, **{"initial": dict(page["fields"]), **kwargs})
        fields: Any = self.fields
        guidelines = page["guidelines"]
        fields["waives"].choices = [(g.code, g.title or g.code) for g in guidelines]
        if page["clubs"]:
            fields["club"].choices = [("", "None"), *page["clubs"]]
        else:
            choices = ScenarioVisibility.choices
            others = [pair for pair in choices if pair[0] != ScenarioVisibility.CLUB]
            fields["visibility"].choices = others
            del fields["club"]


class ScenarioSideForm(forms.Form):
    """One side of a scenario. A row with nothing in it is left out."""

    name = TextField("Name", scenarios.NAME_MAX, required=True)
    points = NumberField(
        "Points", scenarios.POINTS_MAX, help_text="Leave empty for “as agreed”."
    )
    role = TextField("Role", scenarios.LINE_MAX, help_text="What this side does.")


class BaseSides(forms.BaseFormSet):
    """At least one side, at most scenarios.SIDES_MAX."""

    default_error_messages = {
        **forms.BaseFormSet.default_error_messages,
        "missing_management_form": "Sides: this page is out of date. Reload it, then send it again.",
    }

    def clean(self) -> None:
        filled = [form for form in self.forms if form.has_changed() and not form.errors]
        if not filled and not any(self.errors):
            raise forms.ValidationError("Sides: give at least one side a name.")


Sides = forms.formset_factory(
    ScenarioSideForm,
    formset=BaseSides,
    extra=0,
    min_num=scenarios.SIDES_MAX,
    max_num=scenarios.SIDES_MAX,
    absolute_max=scenarios.SIDES_MAX + 1,
    validate_max=True,
)


def sides_form(data: Any = None, initial: Sequence[NamedValues] = ()) -> BaseSides:
    """The formset of the sides: as many rows as a scenario may have, the unused ones empty."""
    # What was sent stands alone: a row left as it was would count as empty beside its initial
    # values.
    rows = [dict(side) for side in initial] if data is None else []
    formset = Sides(data, prefix="sides", initial=rows or None)
    for form in formset.forms:
        form.empty_permitted = True
        form.use_required_attribute = False
    assert isinstance(formset, BaseSides)
    return formset


def draft_from(form: ScenarioForm, sides: BaseSides) -> scenarios.ScenarioDraft:
    """The draft of two valid forms."""
    data = form.cleaned_data
    scenario = Scenario(
        key="",
        system="",
        sides=tuple(side for side in sides.cleaned_data if side and side.get("name")),
        special_rules=tuple(data["special_rules"].splitlines()),
        waives=tuple(data["waives"]),
        **{
            name: data[name]
            for name in ("name", "summary", "setup", "objectives", "length")
        },
    )
    return scenarios.ScenarioDraft(scenario, data["visibility"], data.get("club"))
