"""Shapes of what people type when they set a battle up, and when they look for one."""

from collections.abc import Mapping, Sequence
from typing import Any

import re2
from django import forms

from accounts.form_fields import (
    UNFILLED,
    LongTextField,
    PickField,
    RadioField,
    TickField,
    UnfilledField,
)
from accounts.forms import PageForm, RefusalForm
from accounts.owner import Owner
from accounts.queries.clubs import load_clubs_of
from battles.forms.results import number_field
from battles.models import (
    NOTE_MAX,
    QUICK_LEADERSHIP_MAX,
    QUICK_MODELS_MAX,
    SIDES_LEAST,
    SIDES_MOST,
    BattleStatus,
    BattleVisibility,
)
from battles.operations.sides import QuickSide, SideChoice, WarbandSide
from engine.records import ChoiceList, Fields, TextByKey
from engine.types.systems import System
from rulesdata.forms.rulings import RulingFields
from warbands.forms.warbands import scenario_choices
from warbands.models import NAME_MAX

ADDRESS_MAX = 300
_TOKEN = re2.compile(r"(?:.*/warbands/)?([A-Za-z0-9_-]{16})(?:[/?#].*)?")
NOT_AGREED = ("", "Not agreed")
# What each way to bring a side asks for, and the sentence where it is missing.
NEEDED = {
    "own": {"own": "Choose a warband, or another kind of side."},
    "link": {
        "link": "Paste the whole link of a warband, such as https://…/warbands/A1b2C3d4E5f6G7h8/."
    },
    "quick": {
        "quick_name": "Enter a name for this side.",
        "quick_models": "Enter how many models this side has.",
    },
}


class BattleListForm(PageForm):
    """Which of one's battles to list."""

    status = PickField("Status", choices=[("", "All"), *BattleStatus.choices])


class BattleSideForm(forms.Form):
    """One side of a new battle: one of one's own warbands, one by its link, or a quick side."""

    kind = RadioField(
        "Who",
        choices=[
            ("own", "My warband"),
            ("link", "Shared link"),
            ("quick", "No list"),
        ],
    )
    own = PickField("Warband")
    link = UnfilledField(
        "Link to the warband", ADDRESS_MAX, help_text="The owner finds it under “Share”."
    )
    quick_name = forms.CharField(
        label="Name", required=False, max_length=NAME_MAX, widget=forms.TextInput(UNFILLED)
    )
    quick_models = number_field("Models", 1, QUICK_MODELS_MAX)
    quick_leadership = number_field("Leader’s Leadership", 1, QUICK_LEADERSHIP_MAX)

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        place: int,
        system: System,
        warbands: Sequence[tuple[str, str]],
        initial: TextByKey,
    ) -> None:
        """Offer the own warbands for a side, and Leadership where the system has it.

        ``place`` counts sides from 0.
        """
        super().__init__(data, prefix=f"side{place}", initial=initial)
        self.title = side_title(place)
        self.fields["own"].choices = [("", "Choose a warband"), *warbands]  # type: ignore[attr-defined]
        if not system.leadership_stat:
            del self.fields["quick_leadership"]

    @property
    def kinds(self) -> ChoiceList:
        """The ways to say who it is, for the row of buttons."""
        return list(self.fields["kind"].choices)  # type: ignore[attr-defined]

    def clean(self) -> Fields:
        """Return the values, with an error for each field that this kind of side needs."""
        cleaned = super().clean() or {}
        for name, sentence in NEEDED.get(cleaned.get("kind", ""), {}).items():
            given = cleaned.get(name)
            is_good = _TOKEN.fullmatch(given or "") if name == "link" else given
            if not is_good and name not in self.errors:
                self.add_error(name, sentence)
        return cleaned

    @property
    def choice(self) -> SideChoice:
        """The side as the operation takes it; only of a valid form."""
        cleaned = self.cleaned_data
        if cleaned["kind"] == "quick":
            return QuickSide(
                cleaned["quick_name"],
                cleaned["quick_models"],
                cleaned.get("quick_leadership"),
            )
        if cleaned["kind"] == "own":
            return WarbandSide(cleaned["own"])
        found = _TOKEN.fullmatch(cleaned["link"])
        return WarbandSide(found[1] if found else "")

    def add_refusal(self, path: str, message: str) -> None:
        """Show what the operation refused at the field it was typed into.

        ``path`` is what it named of this side.
        """
        kind = self.cleaned_data["kind"]
        name = path.replace(".", "_") if path.startswith("quick.") else kind
        self.add_error(name if name in self.fields else None, message)


class BattleForm(RefusalForm):
    """A battle before its first turn, its sides apart."""

    scenario = PickField("Scenario")
    attacker = PickField("Attacker")
    first = PickField("Goes first")
    fought_date = forms.DateField(
        label="Played on",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    visibility = forms.ChoiceField(label="Who can see it", initial=BattleVisibility.LINK)
    club = forms.TypedChoiceField(
        label="Club", required=False, coerce=int, empty_value=None
    )
    note = LongTextField("Note", NOTE_MAX, rows=2)
    refused_fields = {"club_id": "club"}

    def __init__(
        self,
        *args: Any,
        owner: Owner,
        system: System,
        sides: int,
        **kwargs: Any,
    ) -> None:
        """Offer scenarios, sides, visibility, clubs and house rules of a system.

        Only people with an account may make a battle public.
        """
        super().__init__(*args, **kwargs)
        self.system = system
        places = [NOT_AGREED, *((str(place), side_title(place)) for place in range(sides))]
        self._offer("scenario", scenario_choices(owner, system.key))
        self._offer("attacker", places)
        self._offer("first", places)
        ways = [
            v for v in BattleVisibility if owner.is_person or v != BattleVisibility.PUBLIC
        ]
        self._offer("visibility", [(v.value, v.label) for v in ways])
        self._offer_clubs(owner)
        self.rules = {f"rule-{rule.key}": rule for rule in system.house_rules}
        for name, rule in self.rules.items():
            self.fields[name] = TickField(
                rule.name, help_text=rule.summary, initial=rule.default
            )
        self.rulings = RulingFields(self, system, {}, {})

    def _offer_clubs(self, owner: Owner) -> None:
        """Offer the owner's clubs, or remove the field where there are none. One query."""
        clubs = load_clubs_of(owner.user_id) if owner.user_id is not None else ()
        if clubs:
            self._offer(
                "club", [("", "No club"), *((club.id, club.name) for club in clubs)]
            )
        else:
            del self.fields["club"]

    def _offer(self, name: str, choices: list[tuple[Any, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    @property
    def is_folded(self) -> bool:
        """Whether what may be agreed on besides can stay folded away: nothing in it is wrong."""
        return not self.errors.keys() - {"scenario"}

    @property
    def rule_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.rules]

    def operation_kwargs(self) -> Fields:
        """The fields of a `BattleDraft` besides system and sides."""
        cleaned = self.cleaned_data
        return {
            "scenario": cleaned["scenario"] or None,
            "attacker": int(cleaned["attacker"]) if cleaned["attacker"] else None,
            "first": int(cleaned["first"]) if cleaned["first"] else None,
            "fought_date": cleaned["fought_date"],
            "visibility": cleaned["visibility"],
            "club_id": cleaned.get("club"),
            "note": cleaned["note"],
            "ruling_choices": self.rulings.choices_of(cleaned),
            "house_rules": {
                rule.key: cleaned[name]
                for name, rule in self.rules.items()
                if cleaned[name] != rule.default
            },
        }


def side_title(place: int) -> str:
    """How the form calls a side: the first is whoever fills it in."""
    return (
        ("Your side", "Their side")[place] if place < SIDES_LEAST else f"Side {place + 1}"
    )


def side_count(text: str) -> int:
    """How many sides a page asks for, within the limits."""
    count = (
        int(text) if text.isascii() and text.isdigit() and len(text) < 3 else SIDES_LEAST
    )
    return min(max(count, SIDES_LEAST), SIDES_MOST)
