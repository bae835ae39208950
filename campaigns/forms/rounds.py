"""Shapes of what people type about rounds and fixtures, how these ended among it."""

from collections.abc import Container
from typing import Any

from django import forms

from accounts.form_fields import (
    NumberField,
    PickField,
    RadioField,
    TextField,
    TickField,
    TicksField,
    UnfilledField,
)
from accounts.forms import ReasonField, RefusalForm
from battles.forms.battles import NOBODY_WON, SAY_WHY, require_reason
from battles.models import MODELS_MAX, QUICK_MODELS_MAX, REASON_MAX
from campaigns.forms.events import READ_BY_MEMBERS
from campaigns.models import SEED_MAX, TABLES_MAX, Decision
from campaigns.operations.fixture_battles import QUICK_MODELS
from campaigns.operations.fixtures import FixtureDraft
from campaigns.operations.results import DESTROYED_MAX
from campaigns.queries.fixture_page import FixturePage, FixtureSide
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    Outcome,
    RoundRecord,
)
from campaigns.queries.rounds import FixtureLine, RoundPage
from engine.battles.rules import BattleRules
from engine.records import Fields, TextByKey, named_values
from engine.roster import MAX_LIMIT
from warbands.models import NAME_MAX

UNPLAYED = Decision.UNPLAYED.value
AS_AGREED = ("", "As the players agree")
ROUND_FIELDS = ("starts_at", "lists_due_at", "points_limit", "scenarios")
FIXTURE_FIELDS = ("table", "scenario", "plays_at", "is_friendly")
LOCAL = "%Y-%m-%dT%H:%M"
VERSION_MAX = 10**6


class MomentField(forms.DateTimeField):
    """A date and a time, by the clock on the wall."""

    def __init__(self, label: str) -> None:
        """Set up an optional date and time, with or without seconds."""
        # Browsers send seconds too where somebody typed them.
        super().__init__(
            label=label,
            required=False,
            widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL),
            input_formats=[LOCAL, f"{LOCAL}:%S"],
        )
        self.error_messages["invalid"] = (
            "Enter a date and a time, such as 2026-11-18 19:00."
        )


class WhyField(ReasonField):
    """Why a game is changed, on one line."""

    def __init__(self) -> None:
        """Set up an optional reason of at most ``REASON_MAX`` characters."""
        super().__init__(
            label="Reason",
            required=False,
            max_length=REASON_MAX,
            widget=forms.TextInput(),
            help_text=READ_BY_MEMBERS,
        )


class SeenField(forms.IntegerField):
    """The version of a fixture when the page was drawn, sent back unseen."""

    widget = forms.HiddenInput

    def __init__(self) -> None:
        super().__init__(required=False, min_value=0, max_value=VERSION_MAX)


class RoundForm(RefusalForm):
    """What a round is called and agrees on; what is empty is as the event says."""

    name = UnfilledField("Name", NAME_MAX)
    starts_at = MomentField("When")
    lists_due_at = MomentField("Lists due")
    points_limit = NumberField("Points limit", MAX_LIMIT)
    scenarios = TicksField("Scenarios")
    reason = TextField("Reason", REASON_MAX, help_text=READ_BY_MEMBERS)

    def __init__(
        self,
        data: Any,
        *,
        event: ClubEventRecord,
        offered: Choices,
        line: RoundRecord | None = None,
    ) -> None:
        """Begin with the values of ``line``; without one, the form makes a new round.

        Fields that this event has no use for are left out; a new round needs no reason.
        """
        begins = named_values(line, *ROUND_FIELDS) if line else {}
        begins["name"] = "" if line is None or line.is_unnamed else line.name
        super().__init__(data, initial=begins)
        self.fields["scenarios"].choices = offered  # type: ignore[attr-defined]
        if not offered:
            del self.fields["scenarios"]
        if not event.needs_list:
            del self.fields["lists_due_at"]
        if line is None:
            del self.fields["reason"]

    def operation_kwargs(self) -> Fields:
        """The fields of a `RoundDraft`; only of a valid form."""
        wanted = {name: self.cleaned_data[name] for name in self.fields}
        wanted.pop("reason", "")
        return wanted


class DrawForm(RefusalForm):
    """The seed of a draw; empty for a new one."""

    seed = UnfilledField("Seed", SEED_MAX)


class GuestForm(RefusalForm):
    """Somebody who walked in."""

    name = UnfilledField("Guest’s name", NAME_MAX, required=True)


class FixtureForm(RefusalForm):
    """Where, over what and by whom a game is played."""

    table = NumberField("Table", TABLES_MAX, least=1)
    scenario = PickField("Scenario")
    attacker = PickField("Attacks")
    plays_at = MomentField("Date, if not the date of the round")
    is_friendly = TickField("Friendly: does not count in the standings")
    reason = WhyField()

    def __init__(
        self, data: Any = None, *, page: RoundPage, line: FixtureLine, offered: Choices
    ) -> None:
        """Begin with the values of a game, and offer scenarios and who attacks."""
        record = line.record
        begins = named_values(record, *FIXTURE_FIELDS)
        begins["attacker"] = next(
            (one.entry.token for one in line.sitters if one.attacks), ""
        )
        super().__init__(data, initial=begins)
        # A person's own scenario may be shared no more; the game keeps it until it is changed.
        if record.scenario and record.scenario not in dict(offered):
            offered = [*offered, (record.scenario, record.scenario_name or record.scenario)]
        self.fields["scenario"].choices = [AS_AGREED, *offered]  # type: ignore[attr-defined]
        sides = [(one.entry.token, one.entry.name) for one in line.sitters]
        self.fields["attacker"].choices = [("", "Nobody"), *sides]  # type: ignore[attr-defined]
        # The battle was set up with them, and keeps its own.
        if record.battle_id is not None:
            del self.fields["scenario"], self.fields["attacker"]
        # A draft is changed without a word; what was published is explained to the players.
        if not page.round.is_shown:
            del self.fields["reason"]

    @property
    def draft(self) -> FixtureDraft:
        """What `change_fixture` is asked; only of a valid form."""
        asked = dict(self.cleaned_data)
        asked.pop("reason", "")  # the request says why, not the draft
        return FixtureDraft(**asked)


class SwapForm(RefusalForm):
    """Who of a game goes, and who comes in their place."""

    one = forms.ChoiceField(label="Swap with")
    other = forms.ChoiceField(label="Comes")
    reason = WhyField()

    def __init__(self, data: Any = None, *, page: RoundPage, line: FixtureLine) -> None:
        """Offer the players of a game, and everybody paired or here to swap with."""
        super().__init__(data)
        inside = {one.entry.token for one in line.sitters}
        here = [one.entry for one in page.ticks if one.is_paired or one in page.here]
        sitters = [(one.entry.token, one.entry.name) for one in line.sitters]
        self.fields["one"].choices = sitters  # type: ignore[attr-defined]
        others = [(one.token, one.name) for one in here if one.token not in inside]
        self.fields["other"].choices = others  # type: ignore[attr-defined]
        if not page.round.is_shown:
            del self.fields["reason"]

    def operation_kwargs(self) -> TextByKey:
        """The keywords of `swap_entries`; only of a valid form."""
        cleaned = self.cleaned_data
        return {"one_entry": cleaned["one"], "other_entry": cleaned["other"]}


class RemoveForm(RefusalForm):
    """Why a game is taken out."""

    reason = WhyField()


class FixtureNewForm(RefusalForm):
    """A game by hand."""

    one = forms.ChoiceField(label="Who")
    other = forms.ChoiceField(label="Against")
    third = PickField("And")
    table = NumberField("Table", TABLES_MAX, least=1)
    scenario = PickField("Scenario")
    is_friendly = TickField("Friendly: does not count in the standings")

    def __init__(self, data: Any, *, page: RoundPage, offered: Choices) -> None:
        """Offer the players of the round for two or three sides, and scenarios."""
        super().__init__(data)
        names = [(one.entry.token, one.entry.name) for one in page.ticks]
        self.fields["one"].choices = self.fields["other"].choices = [("", "Choose"), *names]  # type: ignore[attr-defined]
        self.fields["third"].choices = [("", "No third player"), *names]  # type: ignore[attr-defined]
        self.fields["scenario"].choices = [AS_AGREED, *offered]  # type: ignore[attr-defined]

    @property
    def draft(self) -> FixtureDraft:
        """What `add_fixture` is asked; only of a valid form."""
        asked = dict(self.cleaned_data)
        entries = [asked.pop(name) for name in ("one", "other", "third")]
        return FixtureDraft(entries=tuple(filter(None, entries)), **asked)


class ReportForm(RefusalForm):
    """Who won and how; for each side the models it lost and the points it destroyed.

    These figures are asked for where nobody recorded them. ``seen`` is the version of the fixture
    when the page was drawn. A report of what was told already asks for a reason.
    """

    winner = RadioField("Who won")
    how = PickField("How it was won")
    reason = ReasonField(required=False, max_length=REASON_MAX, help_text=READ_BY_MEMBERS)
    seen = SeenField()

    def __init__(self, data: Any, *, fixture: FixturePage, rules: BattleRules) -> None:
        """Offer who won and how, and begin with what was reported before.

        A changed result needs a reason. Models out and points destroyed are asked for
        only in a game of two that was not recorded.
        """
        begins = {"seen": fixture.record.version, **_initial_outcome(fixture)}
        super().__init__(data, initial=begins)
        self.fixture = fixture
        winner, how = self.fields["winner"], self.fields["how"]
        won = [(side.entry.token, f"{side.entry.name} won") for side in fixture.sides]
        drawn, ways = _ending_choices(rules)
        winner.choices = [*won, *drawn]  # type: ignore[attr-defined]
        winner.error_messages["required"] = "Choose who won, or “Draw”."
        how.choices = [("", "Choose how"), *ways]  # type: ignore[attr-defined]
        if fixture.is_told:
            require_reason(self)
            # The same result again needs none; what the sides have says so once all is read.
            self.fields["reason"].required = False
        else:
            del self.fields["reason"]
        has_figures = not fixture.is_recorded and len(fixture.sides) == 2
        self.counted = fixture.sides if has_figures else ()
        for side in self.counted:
            # Add the fields for a side's models out and points destroyed, as reported.
            for key, words, most, told in (
                ("out", "models out", MODELS_MAX, side.told_out),
                ("destroyed", "points destroyed", DESTROYED_MAX, side.told_destroyed),
            ):
                label = f"{side.entry.name}: {words}"
                self.fields[f"{key}_{side.key}"] = NumberField(label, most, initial=told)

    @property
    def figures(self) -> list[tuple[FixtureSide, forms.BoundField, forms.BoundField]]:
        """Each side with its two fields."""
        return [
            (side, self[f"out_{side.key}"], self[f"destroyed_{side.key}"])
            for side in self.counted
        ]

    def clean(self) -> Fields:
        """Return the values; a win needs how, and a changed result needs a reason."""
        cleaned = super().clean() or {}
        winner, how = cleaned.get("winner", ""), cleaned.get("how", "")
        if (
            winner
            and not how
            and not winner.startswith(NOBODY_WON)
            and "how" not in self.errors
        ):
            self.add_error("how", "Choose how the game was won.")
        if "reason" in self.fields and not cleaned.get("reason") and not self.is_same:
            self.add_error("reason", SAY_WHY)
        return cleaned

    @property
    def is_same(self) -> bool:
        """Whether it says what was reported already."""
        if self.errors or not self.fixture.is_told:
            return False
        result, said = self.fixture.result, self.outcome
        winner = next((one.entry.token for one in self.fixture.sides if one.is_winner), "")
        typed = {
            one.entry.token: {"out": one.told_out, "destroyed": one.told_destroyed}
            for one in self.counted
        }
        return result is not None and (winner, result.how, typed) == (
            said.winner,
            said.how,
            said.figures,
        )

    @property
    def outcome(self) -> Outcome:
        """How it ended; only of a valid form."""
        cleaned = self.cleaned_data
        winner, how = cleaned["winner"], cleaned["how"]
        if winner.startswith(NOBODY_WON):
            winner, how = "", winner.removeprefix(NOBODY_WON)
        figures = {
            side.entry.token: {
                key: cleaned[f"{key}_{side.key}"] for key in ("out", "destroyed")
            }
            for side in self.counted
        }
        return Outcome(how, winner, figures)


def _ending_choices(rules: BattleRules) -> tuple[Choices, Choices]:
    """How nobody wins, as answers to who won; and how somebody does."""
    nobody = [one for one in rules.endings.values() if not one.has_winner]
    drawn = [(f"{NOBODY_WON}{one.id}", one.words_without_winner) for one in nobody]
    return drawn, [(one.id, one.name) for one in rules.endings.values() if one.has_winner]


def _initial_outcome(fixture: FixturePage) -> TextByKey:
    """What was reported last."""
    result = fixture.result
    if result is None or not result.how:
        return {}
    for side in fixture.sides:
        if side.key == result.winner:
            return {"winner": side.entry.token, "how": result.how}
    return {"winner": f"{NOBODY_WON}{result.how}"}


class OpenForm(forms.Form):
    """How many models each side has that brings no list."""

    def __init__(
        self, data: Any = None, *, fixture: FixturePage, listed: Container[int] = ()
    ) -> None:
        """``listed`` are the ids of the entries that handed in a list, which is brought."""
        super().__init__(data)
        self.unlisted = [
            side
            for side in fixture.sides
            if not side.entry.warband_name and side.entry.id not in listed
        ]
        for side in self.unlisted:
            self.fields[f"models_{side.key}"] = NumberField(
                f"Models of {side.entry.name}",
                QUICK_MODELS_MAX,
                least=1,
                required=True,
                initial=QUICK_MODELS,
            )

    @property
    def sizes(self) -> dict[str, int]:
        """The models by the entry's token; only of a valid form."""
        return {
            side.entry.token: self.cleaned_data[f"models_{side.key}"]
            for side in self.unlisted
        }


class DecideForm(RefusalForm):
    """What an organiser decides, and why."""

    decision = RadioField("Result")
    reason = ReasonField(SAY_WHY, max_length=REASON_MAX, help_text=READ_BY_MEMBERS)
    seen = SeenField()
    refused_fields = {"decided_for": "decision"}

    def __init__(self, data: Any, *, fixture: FixturePage) -> None:
        """Offer walkovers, “not played”, and to reverse a decision that was made."""
        super().__init__(data, initial={"seen": fixture.record.version})
        choices = [
            (side.entry.token, f"Walkover for {side.entry.name}") for side in fixture.sides
        ]
        choices.append((UNPLAYED, "Not played (no fault)"))
        if fixture.record.decision:
            choices.append(("-", "Reverse the decision: the reported result counts"))
        decision = self.fields["decision"]
        decision.choices = choices  # type: ignore[attr-defined]
        decision.error_messages["required"] = "Choose a result."

    @property
    def is_back(self) -> bool:
        return bool(self.cleaned_data["decision"] == "-")

    @property
    def decision_kwargs(self) -> TextByKey:
        """``decision`` and ``decided_for``, both "" for taking it back; only of a valid form."""
        said = self.cleaned_data["decision"]
        if said in ("-", UNPLAYED):
            return {"decision": said.removeprefix("-"), "decided_for": ""}
        return {"decision": Decision.WALKOVER.value, "decided_for": said}
