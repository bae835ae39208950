"""Shapes of what people type about rounds and the games in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.forms import ReasonField, RefusalForm
from battles.models import REASON_MAX
from campaigns.models import SEED_MAX, TABLES_MAX
from campaigns.operations.fixtures import FixtureDraft
from campaigns.queries.records import ClubEventRecord, RoundRecord
from campaigns.queries.rounds import FixtureLine, RoundPage
from engine.roster import MAX_LIMIT
from warbands.forms import NUMBER, UNFILLED
from warbands.models import NAME_MAX

LOCAL = "%Y-%m-%dT%H:%M"
Choices = Sequence[tuple[str, str]]


class MomentField(forms.DateTimeField):
    """A date and a time, by the clock on the wall."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL)
        super().__init__(
            required=False, widget=widget, input_formats=[LOCAL, "%Y-%m-%dT%H:%M:%S"], **kwargs
        )
        self.error_messages["invalid"] = "Write a date and a time, such as 2026-11-18 19:00."


class WhyField(ReasonField):
    """Why a game is changed, on one line."""

    def __init__(self) -> None:
        super().__init__(
            label="Why", required=False, max_length=REASON_MAX, widget=forms.TextInput()
        )


class RoundForm(RefusalForm):
    """What a round is called and agrees on; what is empty is as the event says."""

    name = forms.CharField(
        label="Name", required=False, max_length=NAME_MAX, widget=forms.TextInput(UNFILLED)
    )
    starts_at = MomentField(label="When")
    lists_due_at = MomentField(label="Lists until")
    points_limit = forms.IntegerField(
        label="Points limit",
        required=False,
        min_value=0,
        max_value=MAX_LIMIT,
        widget=forms.NumberInput(NUMBER),
    )
    scenarios = forms.MultipleChoiceField(
        label="Scenarios", required=False, widget=forms.CheckboxSelectMultiple
    )
    reason = forms.CharField(label="Why", required=False, max_length=REASON_MAX)

    def __init__(
        self,
        *args: Any,
        event: ClubEventRecord,
        offered: Choices,
        line: RoundRecord | None = None,
        **kwargs: Any,
    ) -> None:
        begins = {}
        if line is not None:
            own = "" if line.is_unnamed else line.name
            names = ("starts_at", "lists_due_at", "points_limit", "scenarios")
            begins = {"name": own, **{name: getattr(line, name) for name in names}}
        kwargs["initial"] = begins
        super().__init__(*args, **kwargs)
        self.fields["scenarios"].choices = offered  # type: ignore[attr-defined]
        if not offered:
            del self.fields["scenarios"]
        if not event.needs_list:
            del self.fields["lists_due_at"]
        if line is None:
            del self.fields["reason"]

    def operation_kwargs(self) -> dict[str, Any]:
        """The fields of a `RoundDraft`; only of a valid form."""
        wanted = {name: self.cleaned_data[name] for name in self.fields}
        wanted.pop("reason", "")
        return wanted


class DrawForm(RefusalForm):
    """The seed of a draw; empty for a new one."""

    seed = forms.CharField(
        label="Seed", required=False, max_length=SEED_MAX, widget=forms.TextInput(UNFILLED)
    )


class GuestForm(RefusalForm):
    """Somebody who walked in."""

    name = forms.CharField(
        label="Guest’s name", max_length=NAME_MAX, widget=forms.TextInput(UNFILLED)
    )


class FixtureForm(RefusalForm):
    """Where, over what and by whom a game is played."""

    table = forms.IntegerField(
        label="Table",
        required=False,
        min_value=1,
        max_value=TABLES_MAX,
        widget=forms.NumberInput(NUMBER),
    )
    scenario = forms.ChoiceField(label="Scenario", required=False)
    attacker = forms.ChoiceField(label="Attacks", required=False)
    plays_at = MomentField(label="When, if not with the round")
    is_friendly = forms.BooleanField(label="Friendly: it counts in no table", required=False)
    reason = WhyField()

    def __init__(
        self, *args: Any, page: RoundPage, line: FixtureLine, offered: Choices, **kwargs: Any
    ) -> None:
        attacker = next((one.entry.token for one in line.sitters if one.attacks), "")
        record = line.record
        begins = {
            name: getattr(record, name) for name in ("table", "scenario", "plays_at", "is_friendly")
        }
        kwargs["initial"] = {**begins, "attacker": attacker}
        super().__init__(*args, **kwargs)
        if record.scenario and record.scenario not in dict(offered):
            offered = [*offered, (record.scenario, record.scenario_name or record.scenario)]
        self.fields["scenario"].choices = [("", "As agreed at the table"), *offered]  # type: ignore[attr-defined]
        sides = [(one.entry.token, one.entry.name) for one in line.sitters]
        self.fields["attacker"].choices = [("", "Nobody"), *sides]  # type: ignore[attr-defined]
        if record.battle_id is not None:
            del self.fields["scenario"], self.fields["attacker"]
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

    one = forms.ChoiceField(label="Instead of")
    other = forms.ChoiceField(label="Comes")
    reason = WhyField()

    def __init__(self, *args: Any, page: RoundPage, line: FixtureLine, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        inside = {one.entry.token for one in line.sitters}
        here = [one.entry for one in page.ticks if one.is_paired or one in page.here]
        self.fields["one"].choices = [(one.entry.token, one.entry.name) for one in line.sitters]  # type: ignore[attr-defined]
        others = [(one.token, one.name) for one in here if one.token not in inside]
        self.fields["other"].choices = others  # type: ignore[attr-defined]
        if not page.round.is_shown:
            del self.fields["reason"]

    def operation_kwargs(self) -> dict[str, str]:
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
    third = forms.ChoiceField(label="And", required=False)
    table = forms.IntegerField(
        label="Table",
        required=False,
        min_value=1,
        max_value=TABLES_MAX,
        widget=forms.NumberInput(NUMBER),
    )
    scenario = forms.ChoiceField(label="Scenario", required=False)
    is_friendly = forms.BooleanField(label="Friendly: it counts in no table", required=False)

    def __init__(self, *args: Any, page: RoundPage, offered: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [(one.entry.token, one.entry.name) for one in page.ticks]
        self.fields["one"].choices = self.fields["other"].choices = [("", "Choose"), *names]  # type: ignore[attr-defined]
        self.fields["third"].choices = [("", "Nobody else"), *names]  # type: ignore[attr-defined]
        self.fields["scenario"].choices = [("", "As agreed at the table"), *offered]  # type: ignore[attr-defined]

    @property
    def draft(self) -> FixtureDraft:
        """What `add_fixture` is asked; only of a valid form."""
        asked = dict(self.cleaned_data)
        entries = [asked.pop(name) for name in ("one", "other", "third")]
        return FixtureDraft(entries=tuple(filter(None, entries)), **asked)
