"""Shapes of what people type about clubs. What may be done with it is decided by the operations."""

from collections.abc import Mapping
from typing import Any

from django import forms

from accounts.errors import Refusal, Stale
from accounts.forms import (
    UNFILLED,
    LongTextField,
    NumberField,
    PageForm,
    PickField,
    RadioField,
    RefusalForm,
    TextField,
    TickField,
    TicksField,
)
from accounts.models import CLUB_DESCRIPTION_MAX, CLUB_NAME_MAX
from accounts.queries import ClubRecord
from accounts.tokens import TYPED_MAX
from campaigns.models import EVENT_NAME_MAX
from campaigns.models.leagues import SEASON_EVENTS_MAX, SeasonCount
from campaigns.operations.seasons import PLACES_MAX, SeasonDraft
from campaigns.queries.records import Choices
from clubs.queries import WARBANDS_PER_PAGE
from engine.records import Fields, NumberByKey, named_values
from engine.types.systems import System
from rulesdata.forms.rulings import HouseRuleFields, RulingFields
from warbands.forms.warbands import ClubForm
from warbands.queries.lists import WarbandFilter

FINDINGS = (
    ("", "Any issues"),
    ("clear", "No errors or warnings"),
    ("warning", "With warnings"),
    ("error", "With errors"),
)
FILTERS = ("army", "findings", "points_from", "points_to")


class SeasonForm(RefusalForm):
    """A season: its events, and how their results add up. ``seen`` is the version it was drawn at."""

    name = TextField("Name", EVENT_NAME_MAX, required=True)
    counts = RadioField("Points", choices=SeasonCount.choices)
    place_points = TextField(
        "Points by place",
        PLACES_MAX * 5,
        help_text="From first place on, such as 10, 8, 6, 5, 4, 3, 2, 1. Later places get none.",
    )
    best = NumberField(
        "Best results that count",
        SEASON_EVENTS_MAX,
        least=1,
        help_text="Leave empty to count all.",
    )
    events = TicksField("Events")
    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(
        self, data: Any, *, offered: Choices, draft: SeasonDraft, seen: int | None = None
    ) -> None:
        initial = named_values(draft, "name", "counts", "best", "events")
        initial["place_points"] = ", ".join(map(str, draft.place_points))
        super().__init__(data, initial={**initial, "seen": seen})
        self.fields["events"].choices = offered  # type: ignore[attr-defined]

    def clean_place_points(self) -> tuple[int, ...]:
        """Return the numbers; raises ValidationError for anything else."""
        words = self.cleaned_data["place_points"].replace(",", " ").split()
        if not all(word.isdecimal() and len(word) <= 4 for word in words):
            raise forms.ValidationError("Enter whole numbers with commas between them.")
        return tuple(map(int, words))

    @property
    def draft(self) -> SeasonDraft:
        """What the operations take; only of a valid form."""
        values = dict(self.cleaned_data)
        values.pop("seen")
        return SeasonDraft(**values)


class ClubListForm(PageForm):
    """What to look for among the listed clubs."""

    search = TextField("Part of the name", CLUB_NAME_MAX)


class ClubWarbandsForm(ClubForm):
    """What to look for among a club's warbands."""

    findings = PickField("Checks", choices=FINDINGS)

    def read_filter(self) -> WarbandFilter:
        """Return what a valid form asks for."""
        values: Fields = dict(self.cleaned_data)
        system, _, army = values.pop("army").partition("/")
        page = values.pop("page") or 1
        return WarbandFilter(
            system=system, army=army, page=page, per_page=WARBANDS_PER_PAGE, **values
        )


class ClubTextForm(RefusalForm):
    """What a club is called and says about itself."""

    refused_fields = {"Club name": "name", "Description": "description"}

    name = forms.CharField(
        label="Name",
        max_length=CLUB_NAME_MAX,
        widget=forms.TextInput(attrs={**UNFILLED, "autocapitalize": "words"}),
        error_messages={"required": "Give the club a name."},
    )
    description = LongTextField(
        "Description",
        CLUB_DESCRIPTION_MAX,
        rows=6,
        help_text="Where and when you meet, and what you play. The list of clubs shows the first line.",
    )
    is_public = TickField(
        "Listed",
        help_text="Anyone can find the club and see this page with its public events and warbands. "
        "People still need an invitation to join.",
    )


class ClubEditForm(ClubTextForm):
    """The same of a club there is; ``seen`` tells what it said when the form was opened."""

    seen = forms.CharField(required=False, max_length=16, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, club: ClubRecord) -> None:
        begins = named_values(club, "name", "description", "is_public")
        super().__init__(data, initial={**begins, "seen": club.text_hash})

    def add_refusal(self, refusal: Refusal) -> None:
        super().add_refusal(refusal)
        if isinstance(refusal, Stale):
            # the sentence says what changed, so what is sent once more is sent knowingly
            self.data = {**dict(self.data.items()), "seen": refusal.current}

    def operation_kwargs(self) -> Fields:
        """The keywords of `change_club`; only of a valid form."""
        texts = dict(self.cleaned_data)
        return {"expected": texts.pop("seen"), **texts}


class RulingsForm(RefusalForm):
    """The rulings and house rules a club plays under one rule system."""

    def __init__(
        self,
        data: Any = None,
        *,
        system: System,
        played: NumberByKey,
        house_rules: Mapping[str, bool],
    ) -> None:
        super().__init__(data)
        self.house_rules = HouseRuleFields(self, system, house_rules)
        self.rulings = RulingFields(self, system, played, {})

    def operation_kwargs(self) -> Fields:
        """What `change_rulings` takes; only of a valid form."""
        return {
            "rulings": self.rulings.cleaned_choices(self.cleaned_data),
            "house_rules": self.house_rules.cleaned_choices(self.cleaned_data),
        }


class CodeForm(RefusalForm):
    """The code of a club, or the link that holds it."""

    code = forms.CharField(
        label="Code",
        max_length=TYPED_MAX,
        widget=forms.TextInput(
            attrs={
                **UNFILLED,
                "autocapitalize": "characters",
                "spellcheck": "false",
                "placeholder": "CDF GHJ",
            }
        ),
        error_messages={"required": "Enter the code of the club. It has six characters."},
    )
