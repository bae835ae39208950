"""Shapes of what people type about rounds and fixtures, how these ended among it."""

from collections.abc import Container
from dataclasses import replace
from typing import Any

from django import forms

from accounts.forms import (
    MomentField,
    NumberField,
    PickField,
    RadioField,
    ReasonField,
    RefusalForm,
    TextField,
    TickField,
    TicksField,
    UnfilledField,
)
from battles.forms.battles import NOBODY_WON, SAY_WHY, offered_wins
from battles.models import MODELS_MAX, QUICK_MODELS_MAX, REASON_MAX
from campaigns.forms.events import READ_BY_MEMBERS
from campaigns.models import SCORE_MAX, SEED_MAX, TABLES_MAX, Decision, Round
from campaigns.operations.fixture_battles import QUICK_MODELS
from campaigns.operations.fixtures import FixtureDraft
from campaigns.operations.results import DESTROYED_MAX, RoundReport
from campaigns.queries.fixture_page import FixturePage
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    Outcome,
)
from campaigns.queries.rounds import FixtureLine, RoundPage
from engine.battles.rules import BattleRules
from engine.records import Fields, TextByKey, named_values
from engine.roster import MAX_LIMIT
from warbands.models import NAME_MAX

UNPLAYED = Decision.UNPLAYED.value
TAKE_BACK = "-"
AS_AGREED = ("", "As the players agree")
CHOOSE_WINNER = "Choose who won, or “Draw”."
ROUND_FIELDS = ("starts_at", "lists_due_at", "points_limit", "scenarios")
FIXTURE_FIELDS = ("table", "scenario", "plays_at", "is_friendly")
VERSION_MAX = 10**6


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
        record: Round | None = None,
    ) -> None:
        """Begin with the values of ``record``; without one, the form makes a new round.

        Fields that this event has no use for are left out; a new round needs no reason.
        """
        initial = named_values(record, *ROUND_FIELDS) if record else {}
        initial["name"] = "" if record is None or record.is_unnamed else record.name
        super().__init__(data, initial=initial)
        self.fields["scenarios"].choices = offered  # type: ignore[attr-defined]
        if not offered:
            del self.fields["scenarios"]
        if not event.needs_list:
            del self.fields["lists_due_at"]
        if record is None:
            del self.fields["reason"]

    def operation_kwargs(self) -> Fields:
        """The fields of a `RoundDraft`; only of a valid form."""
        values = dict(self.cleaned_data)
        values.pop("reason", "")  # the request says why, not the draft
        return values


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
        initial = named_values(record, *FIXTURE_FIELDS)
        initial["attacker"] = line.attacker.token if line.attacker else ""
        super().__init__(data, initial=initial)
        # A person's own scenario may be shared no more; the game keeps it until it is changed.
        if record.scenario and record.scenario not in dict(offered):
            offered = [*offered, (record.scenario, record.scenario_name or record.scenario)]
        self.fields["scenario"].choices = [AS_AGREED, *offered]  # type: ignore[attr-defined]
        sides = [(entry.token, entry.name) for entry in line.sides]
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
        values = dict(self.cleaned_data)
        values.pop("reason", "")
        return FixtureDraft(**values)


class SwapForm(RefusalForm):
    """Who of a game goes, and who comes in their place."""

    one = forms.ChoiceField(label="Swap")
    other = forms.ChoiceField(label="With")
    reason = WhyField()

    def __init__(self, data: Any = None, *, page: RoundPage, line: FixtureLine) -> None:
        """Offer the players of a game, and everybody paired or here to swap with."""
        super().__init__(data)
        present = [row.entry for row in page.ticks if row.is_paired or row in page.present]
        for name, entries in (
            ("one", line.sides),
            ("other", [entry for entry in present if entry not in line.sides]),
        ):
            choices = [(entry.token, entry.name) for entry in entries]
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        if not page.round.is_shown:
            del self.fields["reason"]

    def operation_kwargs(self) -> TextByKey:
        """The keywords of `swap_entries`; only of a valid form."""
        cleaned = self.cleaned_data
        return {"one_entry": cleaned["one"], "other_entry": cleaned["other"]}


class RemoveForm(RefusalForm):
    """Why a game is taken out, or somebody drops out."""

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
        names = [(row.entry.token, row.entry.name) for row in page.ticks]
        self.fields["one"].choices = self.fields["other"].choices = [("", "Choose"), *names]  # type: ignore[attr-defined]
        self.fields["third"].choices = [("", "No third player"), *names]  # type: ignore[attr-defined]
        self.fields["scenario"].choices = [AS_AGREED, *offered]  # type: ignore[attr-defined]

    @property
    def draft(self) -> FixtureDraft:
        """What `add_fixture` is asked; only of a valid form."""
        values = dict(self.cleaned_data)
        entries = [values.pop(name) for name in ("one", "other", "third")]
        return FixtureDraft(entries=tuple(filter(None, entries)), **values)


class ReportForm(RefusalForm):
    """Who won and how; for each side the models it lost and the points it destroyed and scored.

    What was lost and destroyed is asked for where nobody recorded it. ``seen`` is the version of the fixture
    when the page was drawn. A report of what was told already asks for a reason.
    """

    winner = RadioField("Who won")
    how = PickField("How it ended")
    reason = ReasonField(required=False, max_length=REASON_MAX, help_text=READ_BY_MEMBERS)
    seen = SeenField()
    counts = {"out": "Models out", "destroyed": "Points destroyed"}

    def __init__(
        self, data: Any, *, fixture: FixturePage, rules: BattleRules, prefix: str = ""
    ) -> None:
        """Offer who won and how, and begin with what was reported before."""
        super().__init__(data, initial={"seen": fixture.record.version}, prefix=prefix)
        self.fixture, self.rules = fixture, rules
        event = fixture.event
        counts = {} if fixture.is_recorded else self.counts
        limits = {
            "out": MODELS_MAX,
            "destroyed": DESTROYED_MAX,
            "score": event.score_max or SCORE_MAX,
        }
        self.counted = {"score": event.score_name, **counts} if event.score_name else counts
        for side in fixture.sides:
            for key, label in self.counted.items():
                name = f"{key}_{side.key}"
                self.fields[name] = NumberField(f"{label}: {side.entry.name}", limits[key])
                self.initial[name] = side.typed.get(key)
        if not fixture.is_told:
            del self.fields["reason"]
        self._offer_endings()
        result = fixture.result
        if result is not None and result.how:
            tokens = {side.key: side.entry.token for side in fixture.sides}
            winner = tokens.get(result.winner or "", f"{NOBODY_WON}{result.how}")
            self.initial.update(winner=winner, how=result.how)

    def _offer_endings(self) -> None:
        """Offer who won or how nobody did, and how a win came about."""
        winner, how = self.fields["winner"], self.fields["how"]
        winners = [
            (side.entry.token, f"{side.entry.name} won") for side in self.fixture.sides
        ]
        winners += [
            (f"{NOBODY_WON}{ending.id}", ending.words_without_winner)
            for ending in self.rules.endings.values()
            if not ending.has_winner
        ]
        winner.choices, how.choices = winners, offered_wins(self.rules)  # type: ignore[attr-defined]
        winner.error_messages["required"] = CHOOSE_WINNER

    @property
    def figures(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Each player with the fields of their figures; none where nothing is counted."""
        return [
            (side.entry.name, [self[f"{key}_{side.key}"] for key in self.counted])
            for side in self.fixture.sides
            if self.counted
        ]

    @property
    def outcome(self) -> Outcome:
        """How it ended; only of a valid form."""
        cleaned = self.cleaned_data
        winner, how = cleaned["winner"], cleaned["how"]
        if winner.startswith(NOBODY_WON):
            winner, how = "", winner.removeprefix(NOBODY_WON)
        figures = {
            side.entry.token: {key: cleaned[f"{key}_{side.key}"] for key in self.counted}
            for side in self.fixture.sides
            if self.counted
        }
        return Outcome(how or self.rules.usual_ending(has_winner=True), winner, figures)


class ReportRow(ReportForm):
    """A game among those of its round, which begins empty; figures that stay so are as reported.

    Points are asked for where the tie-breakers of the event count them, and no figures where
    warbands grow. What was reported may be accepted.
    """

    winner = RadioField("Who won", required=False)
    accept = TickField("Accept what was reported")
    reason = WhyField()

    def __init__(self, data: Any, *, fixture: FixturePage, rules: BattleRules) -> None:
        """Put a draw between the two players."""
        event, self.counts = fixture.event, {"out": "Out"}
        if "points_destroyed" in event.tie_breaks:
            self.counts["destroyed"] = "Destroyed"
        if event.growth_position:
            self.counts = {}
        super().__init__(data, fixture=fixture, rules=rules, prefix=fixture.record.token)
        self.initial = {"seen": fixture.record.version}
        # Columns are narrow: several figures of a player stand below the name.
        for name, label in self.counted.items() if len(self.counted) > 1 else ():
            for side in fixture.sides:
                self.fields[f"{name}_{side.key}"].label = label
        winner: Any = self.fields["winner"]
        names = [(side.entry.token, side.entry.name) for side in fixture.sides]
        winner.choices = [names[0], *winner.choices[len(names) :], *names[1:]]
        if not fixture.may_accept:
            del self.fields["accept"]

    @property
    def is_touched(self) -> bool:
        """Whether it says anything."""
        return not {"seen"}.issuperset(self.changed_data)

    def clean(self) -> Fields:
        """Return the values; without a winner it accepts what was reported."""
        cleaned = super().clean() or {}
        if not (cleaned.get("winner") or cleaned.get("accept") or self.errors):
            self.add_error("winner", CHOOSE_WINNER)
        return cleaned

    @property
    def report(self) -> RoundReport:
        """What it says; only of a valid form."""
        cleaned, outcome = self.cleaned_data, None
        if cleaned["winner"]:
            figures = {
                token: {key: value for key, value in counts.items() if value is not None}
                for token, counts in self.outcome.figures.items()
            }
            outcome = replace(self.outcome, figures=figures)
        token, reason = self.fixture.record.token, cleaned.get("reason", "")
        return RoundReport(token, cleaned["seen"], outcome, reason)


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
            choices.append((TAKE_BACK, "Reverse the decision: the reported result counts"))
        decision = self.fields["decision"]
        decision.choices = choices  # type: ignore[attr-defined]
        decision.error_messages["required"] = "Choose a result."

    @property
    def decision_kwargs(self) -> TextByKey:
        """``decision`` and ``decided_for``, both "" for taking it back; only of a valid form."""
        answer = self.cleaned_data["decision"]
        if answer in (TAKE_BACK, UNPLAYED):
            return {"decision": answer.removeprefix(TAKE_BACK), "decided_for": ""}
        return {"decision": Decision.WALKOVER.value, "decided_for": answer}
