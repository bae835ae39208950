"""Shapes of what people type when they set a battle up, and about its result."""

from collections.abc import Mapping, Sequence
from typing import Any

import re2
from django import forms

from accounts.forms import (
    NUMBER,
    UNFILLED,
    LongTextField,
    PageForm,
    PickField,
    RadioField,
    ReasonField,
    RefusalForm,
    UnfilledField,
)
from accounts.owner import Owner
from accounts.queries import load_clubs_of
from battles.models import (
    AUTHOR_MAX,
    NOTE_MAX,
    QUICK_LEADERSHIP_MAX,
    QUICK_MODELS_MAX,
    REASON_MAX,
    SIDES_LEAST,
    SIDES_MOST,
    BattleStatus,
    BattleVisibility,
    ResultVerb,
)
from battles.operations.sides import QuickSide, SideChoice, WarbandSide
from battles.queries.index import BattleRecord
from battles.result_rules import NEEDS_REASON, TAKES_EVENTS, Claim
from engine.battles.rules import BattleRules
from engine.records import ChoiceList, Fields, TextByKey
from engine.types.systems import System
from rulesdata.forms.rulings import HouseRuleFields, RulingFields
from warbands.forms.warbands import offer, scenario_choices
from warbands.models import NAME_MAX

# Shapes of what people type about a result: who won and how, and why another one is not
# so.

READ_BY_PLAYERS = "The players, and people with the battle code, can read it."
READ_BY_MEMBERS = "Players, organisers and members of the club can read it."
SAY_WHY = "Say why. The other players will want to know."
NOBODY_WON = "nobody:"  # no token and no side has a colon


def offered_wins(rules: BattleRules) -> ChoiceList:
    """How a battle may be won, to choose from; what is left empty is the usual way."""
    (_, usual), *others = (
        (end.id, end.name) for end in rules.endings.values() if end.has_winner
    )
    return [("", usual), *others]


def number_field(label: str, low: int, high: int, **options: Any) -> forms.IntegerField:
    """Return a field for a whole number within limits; it may be left empty."""
    return forms.IntegerField(
        label=label,
        min_value=low,
        max_value=high,
        widget=forms.NumberInput(NUMBER),
        **{"required": False} | options,
    )


class OutcomeForm(RefusalForm):
    """Who won, and how. That nobody won is a choice of its own, which says how as well."""

    winner = forms.ChoiceField(label="Winner", required=False, widget=forms.RadioSelect)
    how = PickField("How")
    author = forms.CharField(
        label="Your name",
        required=False,
        max_length=AUTHOR_MAX,
        widget=forms.TextInput(UNFILLED),
    )

    expected: int | None
    """How many steps the result had when the page was drawn, None where it does not say."""

    def __init__(
        self, *args: Any, record: BattleRecord, owner: Owner, **kwargs: Any
    ) -> None:
        """Offer the sides, the draws and the ways to win of this battle's rules.

        People with an account are not asked for a name to sign with.
        """
        super().__init__(*args, **kwargs)
        self.record = record
        endings = record.rules.endings.values()
        drawn = [
            (f"{NOBODY_WON}{end.id}", end.words_without_winner)
            for end in endings
            if not end.has_winner
        ]
        offer(self, "winner", [*((side.key, side.name) for side in record.sides), *drawn])
        offer(self, "how", offered_wins(record.rules))
        if owner.is_person:
            del self.fields["author"]

    def require_winner(self) -> None:
        field = self.fields["winner"]
        field.required = True
        field.error_messages["required"] = "Choose the winner, or “Draw”."

    def clean(self) -> Fields:
        """Return the values; without a word of how, a battle was played out."""
        cleaned = super().clean() or {}
        if self.errors.keys() & {"winner", "how"} or "winner" not in self.fields:
            return cleaned
        winner, how = cleaned["winner"], cleaned["how"]
        if winner and not how and not winner.startswith(NOBODY_WON):
            cleaned["how"] = self.record.rules.usual_ending(has_winner=True)
        if how and not winner:
            self.add_error("winner", "Choose the winner, or “Draw”.")
        return cleaned

    @property
    def outcome(self) -> tuple[str | None, str]:
        """The key of the side that won, or None, and how; without a word of it ``(None, "")``.

        Only of a valid form.
        """
        winner = self.cleaned_data.get("winner", "")
        if winner.startswith(NOBODY_WON):
            return None, winner.removeprefix(NOBODY_WON)
        return (winner, self.cleaned_data["how"]) if winner else (None, "")

    @property
    def claim(self) -> Claim:
        """What the form says of the result; only of a valid one."""
        return Claim(*self.outcome, self.cleaned_data.get("reason", ""))


def outcome_fields(winner: str | None, how: str) -> TextByKey:
    """Initial values of the two fields."""
    if how and not winner:
        return {"winner": f"{NOBODY_WON}{how}", "how": ""}
    return {"winner": (how and winner) or "", "how": how}


class ResultForm(OutcomeForm):
    """The fields a step of the result asks for.

    ``seen`` is how many steps there were when the page was drawn.
    """

    reason = ReasonField(required=False, rows=3, max_length=REASON_MAX)
    seen = forms.IntegerField(
        required=False, min_value=0, max_value=10**6, widget=forms.HiddenInput
    )
    field_order = ["winner", "how", "reason", "author"]

    def __init__(
        self, *args: Any, record: BattleRecord, verb: str, owner: Owner, **kwargs: Any
    ) -> None:
        """Ask for what ``verb`` needs: winner, how and reason, or some of them."""
        result, end = record.result, record.state.end
        kwargs["initial"] = {"seen": result.number}
        # A dispute begins without what is known, its version is its own.
        if verb != ResultVerb.DISPUTE and (result.number or end):
            known_result: Any = result if result.number else end
            kwargs["initial"] |= outcome_fields(known_result.winner, known_result.how)
        super().__init__(*args, record=record, owner=owner, **kwargs)
        self.verb = verb
        if verb in TAKES_EVENTS:
            self.require_winner()
        elif verb != ResultVerb.DISPUTE:
            del self.fields["winner"], self.fields["how"]
        if verb == ResultVerb.CONFIRM:
            del self.fields["reason"]
        if verb in NEEDS_REASON:
            require_reason(self)
        say_who_reads(self, record)

    def clean(self) -> Fields:
        cleaned = super().clean()
        self.expected = cleaned.get("seen")
        return cleaned


def say_who_reads(form: forms.Form, record: BattleRecord) -> None:
    """Say beside the reason who will read it, as `load_battle` shows it."""
    if "reason" in form.fields:
        in_club = bool(record.club_name)
        form.fields["reason"].help_text = READ_BY_MEMBERS if in_club else READ_BY_PLAYERS


def require_reason(form: forms.Form) -> None:
    """Ask for the reason of a step that the others will want to understand."""
    field = form.fields["reason"]
    assert isinstance(field, ReasonField)
    field.ask_for(SAY_WHY)


# Shapes of what people type when they set a battle up, and when they look for one.

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
        offer(self, "own", [("", "Choose a warband"), *warbands])
        if not system.leadership_stat:
            del self.fields["quick_leadership"]

    def clean(self) -> Fields:
        """Return the values, with an error for each field that this kind of side needs."""
        cleaned = super().clean() or {}
        for name, sentence in NEEDED.get(cleaned.get("kind", ""), {}).items():
            value = cleaned.get(name)
            is_good = _TOKEN.fullmatch(value or "") if name == "link" else value
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
        match = _TOKEN.fullmatch(cleaned["link"])
        return WarbandSide(match[1] if match else "")

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
        offer(self, "scenario", scenario_choices(owner, system.key))
        offer(self, "attacker", places)
        offer(self, "first", places)
        ways = [
            v for v in BattleVisibility if owner.is_person or v != BattleVisibility.PUBLIC
        ]
        offer(self, "visibility", [(v.value, v.label) for v in ways])
        clubs = load_clubs_of(owner.user_id) if owner.user_id is not None else ()
        choices = [(club.id, club.name) for club in clubs]
        offer(self, "club", [("", "No club"), *choices] if choices else ())
        self.house_rules = HouseRuleFields(self, system, {})
        self.rulings = RulingFields(self, system, {}, {})

    @property
    def is_folded(self) -> bool:
        """Whether what may be agreed on besides can stay folded away: nothing in it is wrong."""
        return not self.errors.keys() - {"scenario"}

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
            "ruling_choices": self.rulings.cleaned_choices(cleaned),
            "house_rules": self.house_rules.cleaned_choices(cleaned),
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
