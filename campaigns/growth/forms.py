"""Shapes of what people type in campaigns whose warbands grow."""

from collections.abc import Sequence
from typing import Any

import re2
from django import forms

from accounts.forms import (
    NumberField,
    PageForm,
    RadioField,
    ReasonField,
    RefusalForm,
    TextField,
    TicksField,
)
from battles.models import REASON_MAX
from campaigns.forms.events import READ_BY_MEMBERS
from campaigns.growth.operations.acts import ADJUST_MOST, GivenAct
from campaigns.growth.operations.answers import ACT_NUMBER_MOST, CHOICE_MAX, GivenAnswer
from campaigns.growth.operations.results import TAKEN_MOST, FieldChoice
from campaigns.growth.operations.setup import NOW, START, FoundingDraft, RulesDraft
from campaigns.growth.queries.aftermaths import AfterSide
from campaigns.growth.queries.ledger import LATE_MOST
from campaigns.growth.queries.lineups import LineupSide
from campaigns.growth.queries.setup import FoundingPage, RulesPage
from campaigns.models import ROUNDS_MAX
from campaigns.models.growth import DUE_MAX
from campaigns.queries.records import Outcome
from engine.growth.rules import TradeRule
from engine.growth.tables import parse_dice
from engine.records import Numbers
from engine.roster import MAX_COUNT
from rulesdata.pack_files.yaml_files import ReadingError, read_text
from warbands.models import NAME_MAX

SINCE = (
    (NOW, "From now on: games already played keep their outcome"),
    (START, "From the start: every game is worked out again"),
)
FACES_TEXT_MAX = 20
EFFECT_MAX = 200
_NUMBERS = re2.compile(r"\d+")


# Rules and founding


class GrowthRulesForm(RefusalForm):
    """The campaign rules of an event; once somebody has founded, from when on, and why."""

    rules = RadioField("Campaign rules")
    since = RadioField("From when", choices=SINCE, initial=NOW)
    reason = ReasonField(
        "Enter a reason. Players see it in the change log.",
        max_length=REASON_MAX,
        help_text=READ_BY_MEMBERS,
    )
    previewed = TextField("Previewed", DUE_MAX)
    refused_fields = {"from": "since", "document": "rules"}

    def __init__(self, data: Any, *, page: RulesPage) -> None:
        """Offer sets of rules; once somebody has founded, ask since when and why too."""
        first = page.choices[0][0] if page.choices else ""
        super().__init__(data, initial={"rules": page.current or first})
        self.fields["rules"].choices = page.choices  # type: ignore[attr-defined]
        self.fields["rules"].error_messages["required"] = "Choose campaign rules."
        if not page.has_begun:
            del self.fields["since"], self.fields["reason"]

    @property
    def choice(self) -> str:
        """What is chosen, in one word: the page that previews it sends it back."""
        values = self.cleaned_data
        return f"{values['rules']} {values.get('since', '')}"

    @property
    def draft(self) -> RulesDraft:
        """What the operation takes; only of a valid form."""
        return RulesDraft(
            rules=self.cleaned_data["rules"], since=self.cleaned_data.get("since", "")
        )


class FoundForm(RefusalForm):
    """The roster that is copied into the campaign; organisers may say how late somebody is."""

    warband = RadioField("Roster")
    late_rounds = NumberField(
        "Rounds missed",
        LATE_MOST,
        help_text="Leave empty for the number of closed rounds.",
    )
    refused_fields = {"roster": "warband", "entry": "warband"}

    def __init__(self, data: Any, *, page: FoundingPage, may_organise: bool) -> None:
        """Offer the rosters of the page; only organisers are asked for late rounds."""
        super().__init__(data, initial={"warband": page.usual})
        self.fields["warband"].choices = page.choices  # type: ignore[attr-defined]
        self.fields["warband"].error_messages["required"] = "Choose a roster."
        if not may_organise:
            del self.fields["late_rounds"]

    def draft(self, entry: str) -> FoundingDraft:
        """Return what the operation takes; only of a valid form."""
        return FoundingDraft(
            entry,
            warband=self.cleaned_data["warband"],
            late_rounds=self.cleaned_data.get("late_rounds"),
        )


# After the battle


class AnswerForm(RefusalForm):
    """The answer to one due: faces as they were typed, a choice, or an organiser's ruling."""

    due = TextField("Roll", DUE_MAX, required=True)
    faces = TextField("Dice", FACES_TEXT_MAX)
    choice = TextField("Choice", CHOICE_MAX)
    row = NumberField("Row", 99)
    reason = TextField("Reason", REASON_MAX)

    def answer(self, dice: str) -> GivenAnswer:
        """Return what the operation takes, for the dice of the due; only of a valid form."""
        values = self.cleaned_data
        typed = values["faces"].strip()
        return GivenAnswer(
            due=values["due"],
            faces=read_faces(typed, dice) if typed else None,
            choice=values["choice"] or None,
            row=values["row"],
            reason=values["reason"],
        )


def read_faces(typed: str, *throws: str) -> Numbers:
    """Return the faces that somebody typed for some throws: "2 5", "2, 5" or "25" for two dice.

    What is no number comes back as faces that no dice can show.
    """
    faces = _NUMBERS.findall(typed)
    # People write dice with and without a space; a D10 and a D20 may show two figures.
    if all(parse_dice(dice)[1] < 10 for dice in throws if dice):
        faces = list("".join(faces))
    return tuple(int(part) for part in faces) or (0,)


class ConfirmForm(RefusalForm):
    """Why something is done that was previewed first."""

    reason = ReasonField(required=False, max_length=REASON_MAX, help_text=READ_BY_MEMBERS)

    def __init__(self, data: Any = None, *, needs_reason: bool = False) -> None:
        super().__init__(data)
        if needs_reason:
            self.fields["reason"].required = True


class ObjectivesForm(RefusalForm):
    """How many objectives each side took, and how many each of its units."""

    def __init__(self, data: Any, *, sides: Sequence[AfterSide]) -> None:
        """``sides`` are those of the page after a battle."""
        super().__init__(data)
        self.sides = sides
        for side in sides:
            for key, name, _ in side.objectives:
                self.fields[f"{side.entry}-{key}"] = NumberField(name, TAKEN_MOST)
            for unit, name, _ in side.takers:
                self.fields[f"{side.entry}-by-{unit}"] = NumberField(name, TAKEN_MOST)

    @property
    def objectives(self) -> Outcome:
        """What the operation takes; only of a valid form."""
        values = self.cleaned_data
        counts = {
            side.entry: {
                key: values[f"{side.entry}-{key}"] or 0 for key, *_ in side.objectives
            }
            for side in self.sides
        }
        by = tuple(
            f"{side.entry}/{unit}"
            for side in self.sides
            for unit, *_ in side.takers
            for _ in range(values[f"{side.entry}-by-{unit}"] or 0)
        )
        # Where nobody learns from it, what a program told stays.
        takers = by if any(side.takers for side in self.sides) else None
        return Outcome(objectives=counts, objective_by=takers)


WORD_KEY_MAX = 60


# The shop


class ActForm(RefusalForm):
    """One act of a warband; which of its fields count follows from its kind.

    A profile "hired:pikeman" is a hired sword; a group's key in ``into`` enlarges it.
    """

    kind = TextField("Act", WORD_KEY_MAX, required=True)
    profile = TextField("Unit", 200)
    name = TextField("Name", NAME_MAX)
    count = NumberField("Models", MAX_COUNT, least=1)
    into = TextField("Group", WORD_KEY_MAX)
    bearer = TextField("For", WORD_KEY_MAX)
    option = TextField("Piece", WORD_KEY_MAX)
    seeker = TextField("Who looks", WORD_KEY_MAX)
    good = TextField("Rare goods", WORD_KEY_MAX)
    faces = TextField("Dice", FACES_TEXT_MAX)
    piece = TextField("Piece", 2 * WORD_KEY_MAX)
    target = TextField("To", WORD_KEY_MAX)
    who = TextField("Unit", WORD_KEY_MAX)
    currency = TextField("Currency", WORD_KEY_MAX)
    amount = forms.IntegerField(
        required=False, min_value=-ADJUST_MOST, max_value=ADJUST_MOST
    )
    experience = forms.IntegerField(
        required=False, min_value=-ADJUST_MOST, max_value=ADJUST_MOST
    )
    word = TextField("Game", WORD_KEY_MAX)
    act = NumberField("Purchase", ACT_NUMBER_MOST, least=1)
    reason = TextField("Reason", REASON_MAX)
    ruling = TextField("What happens", EFFECT_MAX)
    effect = TextField("What happens", EFFECT_MAX)
    # What an act costs belongs to no field: it stands above all of them.
    refused_fields = {
        "kind": "",
        "for": "bearer",
        "from": "piece",
        "item": "piece",
        "as": "word",
    }

    def __init__(self, data: Any, *, trade: TradeRule) -> None:
        # The ids of the shop's inputs, to which the list of errors leads.
        super().__init__(data, auto_id="t-%s")
        ids = {"recruit": "t-roll", "buy": f"t-price-{self['option'].value()}"}
        kind = self["kind"].value()
        self.fields["faces"].widget.attrs["id"] = ids.get(kind, "t-faces")
        self.fields["amount"].label = "Ransom" if kind == "captive" else "Add"
        self.trade = trade

    def clean_effect(self) -> Any:
        """Return what a ruling does as rules of campaigns say it; None where nothing is typed."""
        typed = self.cleaned_data["effect"].strip() or self.cleaned_data.get("ruling")
        if not typed:
            return None
        try:
            data = read_text(typed, "effect").data
        except ReadingError as error:
            raise forms.ValidationError(f"This {error.fault.message}.") from None
        if not isinstance(data, dict):
            raise forms.ValidationError("Enter a verb and its value, such as raise: [S].")
        return data

    @property
    def order(self) -> GivenAct:
        """What the operation takes; only of a valid form."""
        values = dict(self.cleaned_data)
        # A piece is named with who has it, a hired sword apart from the units of the list.
        typed, piece = values.pop("faces").strip(), values.pop("piece")
        del values["ruling"]
        source, _, item = piece.partition(" ")
        hired, _, sword = values["profile"].partition(":")
        is_hired = hired == "hired" and bool(sword)
        good = self.trade.goods.get(values["option"] or values["good"])
        throws = (self.trade.search, good.dice if good else "")
        return GivenAct(
            **values
            | {
                "profile": sword if is_hired else values["profile"],
                "hired": is_hired,
                "count": values["count"] or 1,
                "amount": 0 if values["word"] == "free" else values["amount"] or 0,
                "experience": values["experience"] or 0,
                "faces": read_faces(typed, *throws) if typed else None,
                "source": source,
                "item": item,
            }
        )


class LedgerForm(PageForm):
    """A page of a ledger, of all rows or those of a unit and a round."""

    unit = TextField("Unit", WORD_KEY_MAX)
    round = NumberField("Round", ROUNDS_MAX, least=1)


class LineupForm(RefusalForm):
    """Which units fight, as <entry>/<unit>."""

    fights = TicksField("Who fights")

    def __init__(self, data: Any, *, sides: Sequence[LineupSide]) -> None:
        """Offer every unit of the sides as ``<entry>/<unit key>``."""
        super().__init__(data)
        self.sides = sides
        units = [
            (f"{side.entry}/{unit.key}", unit.title)
            for side in sides
            for unit in side.units
        ]
        self.fields["fights"].choices = units  # type: ignore[attr-defined]

    @property
    def choice(self) -> FieldChoice:
        """What the operation takes: who differs from the usual; only of a valid form."""
        ticked = set(self.cleaned_data["fights"])
        absent, fielded = {}, {}
        for side in self.sides:
            away, sent = [], []
            # Only what somebody changed is told: the others fight as the campaign has them.
            for unit in side.units:
                is_ticked = f"{side.entry}/{unit.key}" in ticked
                if unit.fights and not is_ticked:
                    away.append(unit.key)
                elif is_ticked and not unit.fights:
                    sent.append(unit.key)
            absent[side.entry], fielded[side.entry] = tuple(away), tuple(sent)
        return FieldChoice(absent, fielded)
