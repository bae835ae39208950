"""Shapes of what people type about a fixture: how it ended, and what an organiser decides instead."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.forms import ReasonField, RefusalForm
from battles.forms.results import BOTH_READ_IT, NOBODY_WON, require_reason
from battles.models import MODELS_MAX, QUICK_MODELS_MAX, REASON_MAX
from campaigns.models import Decision
from campaigns.operations.fixture_battles import QUICK_MODELS
from campaigns.operations.results import DESTROYED_MAX
from campaigns.queries.fixtures import FixturePage, FixtureSide
from engine.battles.rules import BattleRules
from warbands.forms import NUMBER

UNPLAYED = Decision.UNPLAYED.value


class ReportForm(RefusalForm):
    """Who won and how, and for each side the models it lost and the points it destroyed, where
    nobody recorded them.

    ``seen`` is the version of the fixture when the page was drawn. A report of what was told
    already asks for a reason.
    """

    winner = forms.ChoiceField(label="Who won", widget=forms.RadioSelect)
    how = forms.ChoiceField(label="How it was won", required=False)
    reason = ReasonField(required=False, max_length=REASON_MAX)
    seen = forms.IntegerField(
        required=False, min_value=0, max_value=10**6, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, fixture: FixturePage, rules: BattleRules, **kwargs: Any) -> None:
        kwargs["initial"] = {"seen": fixture.record.version, **_initial_outcome(fixture)}
        super().__init__(*args, **kwargs)
        self.fixture = fixture
        endings = rules.endings.values()
        drawn = [
            (f"{NOBODY_WON}{one.id}", f"Nobody: {one.name.lower()}")
            for one in endings
            if not one.has_winner
        ]
        won = [("", "Choose how"), *((one.id, one.name) for one in endings if one.has_winner)]
        self._offer(
            "winner", [*((side.entry.token, side.entry.name) for side in fixture.sides), *drawn]
        )
        self._offer("how", won)
        self.fields["winner"].error_messages["required"] = "Say who won, or that nobody did."
        if fixture.is_told:
            require_reason(self)
        else:
            del self.fields["reason"]
        self.has_figures = not fixture.is_recorded and len(fixture.sides) == 2
        for side in fixture.sides if self.has_figures else ():
            name = side.entry.name
            self._number(f"out_{side.key}", f"{name}: models out", MODELS_MAX, side.told_out)
            self._number(
                f"destroyed_{side.key}",
                f"{name}: points destroyed",
                DESTROYED_MAX,
                side.told_destroyed,
            )

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _number(self, name: str, label: str, most: int, initial: int | None) -> None:
        self.fields[name] = forms.IntegerField(
            label=label,
            min_value=0,
            max_value=most,
            required=False,
            initial=initial,
            widget=forms.NumberInput(NUMBER),
        )

    @property
    def figures(self) -> list[tuple[FixtureSide, forms.BoundField, forms.BoundField]]:
        """Each side with its two fields."""
        if not self.has_figures:
            return []
        return [
            (side, self[f"out_{side.key}"], self[f"destroyed_{side.key}"])
            for side in self.fixture.sides
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        winner, how = cleaned.get("winner", ""), cleaned.get("how", "")
        if winner and not how and not winner.startswith(NOBODY_WON) and "how" not in self.errors:
            self.add_error("how", "Say how it was won.")
        return cleaned

    def operation_kwargs(self) -> dict[str, Any]:
        """The keywords of ``report_result``; only of a valid form."""
        cleaned = self.cleaned_data
        nobody = cleaned["winner"].startswith(NOBODY_WON)
        figures = {
            side.entry.token: {
                "out": cleaned[f"out_{side.key}"],
                "destroyed": cleaned[f"destroyed_{side.key}"],
            }
            for side in (self.fixture.sides if self.has_figures else ())
        }
        return {
            "winner": "" if nobody else cleaned["winner"],
            "how": cleaned["winner"].removeprefix(NOBODY_WON) if nobody else cleaned["how"],
            "figures": figures,
            "reason": cleaned.get("reason", ""),
            "expected": cleaned["seen"],
        }


def _initial_outcome(fixture: FixturePage) -> dict[str, str]:
    """What was reported last."""
    result = fixture.result
    if result is None or not result.how:
        return {}
    side = next((side for side in fixture.sides if side.key == result.winner), None)
    return (
        {"winner": side.entry.token, "how": result.how}
        if side
        else {"winner": f"{NOBODY_WON}{result.how}"}
    )


class OpenForm(forms.Form):
    """How many models each side has that brings no list."""

    def __init__(self, *args: Any, fixture: FixturePage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fixture = fixture
        for side in self.unlisted:
            self.fields[f"models_{side.key}"] = forms.IntegerField(
                label=f"Models of {side.entry.name}",
                min_value=1,
                max_value=QUICK_MODELS_MAX,
                initial=QUICK_MODELS,
                widget=forms.NumberInput(NUMBER),
            )

    @property
    def unlisted(self) -> list[FixtureSide]:
        """The sides whose entry means to bring no warband; a list that was handed in counts all the
        same.
        """
        return [side for side in self.fixture.sides if not side.entry.warband_name]

    @property
    def sizes(self) -> dict[str, int]:
        """The models by the entry's token; only of a valid form."""
        return {side.entry.token: self.cleaned_data[f"models_{side.key}"] for side in self.unlisted}


class DecideForm(RefusalForm):
    """What an organiser decides, and why."""

    decision = forms.ChoiceField(label="It counts as", widget=forms.RadioSelect)
    reason = ReasonField(BOTH_READ_IT, max_length=REASON_MAX)
    seen = forms.IntegerField(
        required=False, min_value=0, max_value=10**6, widget=forms.HiddenInput
    )
    refused_fields = {"decided_for": "decision"}

    def __init__(self, *args: Any, fixture: FixturePage, **kwargs: Any) -> None:
        kwargs["initial"] = {"seen": fixture.record.version}
        super().__init__(*args, **kwargs)
        choices = [
            (side.entry.token, f"Won by {side.entry.name} without a battle")
            for side in fixture.sides
        ]
        choices.append((UNPLAYED, "Not played, nobody to blame"))
        if fixture.record.decision:
            choices.append(("-", "As it was played: take the decision back"))
        self.fields["decision"].choices = choices  # type: ignore[attr-defined]
        self.fields["decision"].error_messages["required"] = "Say what it counts as."

    @property
    def is_back(self) -> bool:
        return bool(self.cleaned_data["decision"] == "-")

    @property
    def decision_kwargs(self) -> dict[str, str]:
        """``decision`` and ``decided_for``, both "" for taking it back; only of a valid form."""
        said = self.cleaned_data["decision"]
        if said == "-":
            return {"decision": "", "decided_for": ""}
        if said == UNPLAYED:
            return {"decision": UNPLAYED, "decided_for": ""}
        return {"decision": Decision.WALKOVER.value, "decided_for": said}
