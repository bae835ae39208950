"""The form of a person's own scenario: its fields, its sides as a small formset, and the draft they
make together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from engine.types.mechanics import Guideline
from rulesdata.models import ScenarioVisibility
from rulesdata.operations.scenarios import (
    LINE_MAX,
    NAME_MAX,
    POINTS_MAX,
    SIDES_MAX,
    TEXT_MAX,
    ScenarioDraft,
    ScenarioSide,
)

_RULES_TEXT_MAX = 4000


def _limits(what: str, limit: int) -> dict[str, str]:
    return {
        "required": f"{what}: please fill this in.",
        "max_length": f"{what}: at most {limit} characters; this has %(show_value)s.",
    }


def _text(
    label: str, limit: int, rows: int = 4, help_text: str = "", required: bool = False
) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=limit,
        required=required,
        help_text=help_text,
        widget=forms.Textarea(attrs={"rows": rows}),
        error_messages=_limits(label, limit),
    )


class ScenarioForm(forms.Form):
    """Everything but the sides.

    ``guidelines`` are those that may be waived, ``clubs`` the person's own (id, name).
    """

    name = forms.CharField(
        label="Name", max_length=NAME_MAX, error_messages=_limits("Name", NAME_MAX)
    )
    summary = _text(
        "Summary", LINE_MAX, rows=2, help_text="What happens here, in a sentence or two."
    )
    setup = _text("Setup", TEXT_MAX, help_text="The table, where each side begins, who goes first.")
    objectives = _text("Objectives", TEXT_MAX, help_text="How a side wins.")
    special_rules = _text("Special rules", _RULES_TEXT_MAX, help_text="One rule to the line.")
    length = forms.CharField(
        label="Length",
        max_length=LINE_MAX,
        required=False,
        help_text="When the game ends, for example: six turns each.",
        error_messages=_limits("Length", LINE_MAX),
    )
    waives = forms.MultipleChoiceField(
        label="Guidelines it waives",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="A warband that carries this scenario gets a note in place of these findings.",
        error_messages={
            "invalid_choice": "Guidelines it waives: one of these is no guideline a scenario may waive."
        },
    )
    visibility = forms.ChoiceField(
        label="Who may see it",
        choices=ScenarioVisibility.choices,
        initial=ScenarioVisibility.PRIVATE,
        widget=forms.RadioSelect,
        error_messages={
            "required": "Who may see it: choose one.",
            "invalid_choice": "Who may see it: choose only me, everybody with the link, my club or everybody.",
        },
    )
    club = forms.TypedChoiceField(
        label="Club",
        required=False,
        coerce=int,
        empty_value=None,
        help_text="For sharing with a club: which one.",
        error_messages={"invalid_choice": "Club: choose one of your clubs."},
    )

    def __init__(
        self,
        *args: Any,
        guidelines: Sequence[Guideline],
        clubs: Sequence[tuple[int, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        waives = self.fields["waives"]
        assert isinstance(waives, forms.MultipleChoiceField)
        waives.choices = [(g.code, g.title or g.code) for g in guidelines]
        club = self.fields["club"]
        assert isinstance(club, forms.ChoiceField)
        club.choices = [("", "None"), *clubs]
        if not clubs:
            visibility = self.fields["visibility"]
            assert isinstance(visibility, forms.ChoiceField)
            visibility.choices = [
                pair for pair in ScenarioVisibility.choices if pair[0] != ScenarioVisibility.CLUB
            ]
            del self.fields["club"]


class ScenarioSideForm(forms.Form):
    """One side of a scenario. A row with nothing in it is left out."""

    name = forms.CharField(
        label="Name",
        max_length=NAME_MAX,
        error_messages=_limits("Side, name", NAME_MAX),
    )
    points = forms.IntegerField(
        label="Points",
        min_value=0,
        max_value=POINTS_MAX,
        required=False,
        help_text="Empty: as agreed.",
        error_messages={
            "invalid": f"Side, points: a whole number from 0 to {POINTS_MAX:,}.",
            "min_value": f"Side, points: a whole number from 0 to {POINTS_MAX:,}.",
            "max_value": f"Side, points: a whole number from 0 to {POINTS_MAX:,}.",
        },
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    role = forms.CharField(
        label="Role",
        max_length=LINE_MAX,
        required=False,
        help_text="What this side does.",
        error_messages=_limits("Side, role", LINE_MAX),
    )


class BaseSides(forms.BaseFormSet):
    """At least one side, at most SIDES_MAX."""

    default_error_messages = {
        **forms.BaseFormSet.default_error_messages,
        "missing_management_form": "Sides: this page has lost count of its sides. Open it again and send it once more.",
    }

    def clean(self) -> None:
        filled = [form for form in self.forms if form.has_changed() and not form.errors]
        if not filled and not any(self.errors):
            raise forms.ValidationError("Sides: give at least one side a name.")


Sides = forms.formset_factory(
    ScenarioSideForm,
    formset=BaseSides,
    extra=0,
    min_num=SIDES_MAX,
    max_num=SIDES_MAX,
    absolute_max=SIDES_MAX + 1,
    validate_max=True,
)


def sides_form(data: Any = None, initial: Sequence[Mapping[str, Any]] = ()) -> BaseSides:
    """The formset of the sides: always as many rows as a scenario may have, the unused ones empty."""
    # What was sent stands alone: a row left as it was would count as empty beside its initial
    # values.
    shown = [dict(side) for side in initial] if data is None else []
    formset = Sides(data, prefix="sides", initial=shown or None)
    for form in formset.forms:
        form.empty_permitted = True
        form.use_required_attribute = False
    assert isinstance(formset, BaseSides)
    return formset


def draft_from(form: ScenarioForm, sides: BaseSides) -> ScenarioDraft:
    """The draft of two valid forms."""
    data = form.cleaned_data
    return ScenarioDraft(
        name=data["name"],
        summary=data["summary"],
        sides=tuple(
            ScenarioSide(side["name"], side["points"], side["role"])
            for side in sides.cleaned_data
            if side and side.get("name")
        ),
        setup=data["setup"],
        objectives=data["objectives"],
        special_rules=tuple(data["special_rules"].splitlines()),
        length=data["length"],
        waives=tuple(data["waives"]),
        visibility=data["visibility"],
        club=data.get("club"),
    )
