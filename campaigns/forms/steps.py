"""Shapes of what people type about the steps of a campaign: what there is after a battle, and
taking a step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from accounts.forms import RefusalForm
from battles.models import COMBATANT_KEY_MAX, REASON_MAX, WORD_MAX
from campaigns.forms.fields import Choices, NumberField, TextField, UnfilledField
from engine.errors import Refusal
from engine.tournament.campaign_steps import (
    AMOUNT_MAX,
    FATE,
    NAME_MAX,
    PAY,
    RECRUITS,
    RECRUITS_MAX,
    ROWS_MAX,
    UNIT_MAX,
)
from warbands.forms import NUMBER, UNFILLED
from warbands.models import NAME_MAX as WARRIOR_NAME_MAX

GONE = "gone"
AMOUNTS = ("won", "drawn", "lost")
_LINE = re.compile(r"(\d{1,2})(?:\s*[-–]\s*(\d{1,2}))?\s*[:|.]?\s+(.+)")
_GONE = re.compile(r"\s*[,;(]\s*gone\)?\s*$", re.IGNORECASE)


class AmountField(NumberField):
    """What a step gives or takes; its limits stand before the rest in the page."""

    widget = forms.NumberInput()

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), **NUMBER}


class StepsForm(RefusalForm):
    """The steps of a campaign. An empty table, no unit and no recruits leave a step out."""

    stale_status = 422
    dice = UnfilledField("Dice", 4)
    rows = forms.CharField(
        label="Rows",
        required=False,
        max_length=ROWS_MAX * (NAME_MAX + 20),
        help_text=(
            f"One a line: “2–3 Sits out the next battle”. End a line with “, {GONE}” where they "
            "leave for good."
        ),
        widget=forms.Textarea(attrs={"rows": 6, **UNFILLED}),
    )
    unit = UnfilledField("What is earned", UNIT_MAX)
    won = AmountField("Won", AMOUNT_MAX)
    drawn = AmountField("Drawn", AMOUNT_MAX)
    lost = AmountField("Lost", AMOUNT_MAX)
    recruits = AmountField("Recruits after a battle", RECRUITS_MAX)
    reason = UnfilledField("Reason", REASON_MAX)

    def clean_rows(self) -> list[dict[str, Any]]:
        lines = [line.strip() for line in self.cleaned_data["rows"].splitlines() if line.strip()]
        return [_row(line) for line in lines]

    @property
    def event_steps(self) -> dict[str, Any]:
        """The steps as `set_steps` takes them; only of a valid form."""
        said, steps = self.cleaned_data, dict[str, Any]()
        if said["dice"] or said["rows"]:
            steps[FATE] = {"dice": said["dice"], "rows": said["rows"]}
        if said["unit"]:
            amounts = {name: said[name] or 0 for name in AMOUNTS}
            steps[PAY] = {"unit": said["unit"], **amounts}
        if said["recruits"]:
            steps[RECRUITS] = {"most": said["recruits"]}
        return steps

    def add_refusal(self, refusal: Refusal) -> None:
        """The schema names its place in words; the table is where most of it lies."""
        about_fate = any(word in refusal.message for word in ("fate", "row", "roll", "“"))
        self.add_error("rows" if refusal.field == "steps" and about_fate else None, refusal.message)


def initial_steps(steps: Mapping[str, Any]) -> dict[str, Any]:
    """Initial values of the form for steps as an event keeps them."""
    fate, pay = steps.get(FATE, {}), steps.get(PAY, {})
    return {
        "dice": fate.get("dice", ""),
        "rows": "\n".join(map(_line, fate.get("rows", ()))),
        **{name: pay.get(name, "") for name in ("unit", *AMOUNTS)},
        "recruits": steps.get(RECRUITS, {}).get("most", ""),
    }


def _row(line: str) -> dict[str, Any]:
    found = _LINE.fullmatch(line)
    if not found:
        raise forms.ValidationError(
            f"“{line[:40]}”: begin with the roll, such as “1 ” or “2–3 ”, then what it means."
        )
    name = _GONE.sub("", found[3])
    least = int(found[1])
    return {
        "least": least,
        "most": int(found[2] or least),
        "name": name.strip(),
        "is_gone": name != found[3],
    }


def _line(row: Mapping[str, Any]) -> str:
    rolls = str(row["least"]) if row["least"] == row["most"] else f"{row['least']}–{row['most']}"
    return f"{rolls} {row['name']}" + (f", {GONE}" if row.get("is_gone") else "")


class StepForm(forms.Form):
    """A step to take after a battle.

    ``roll`` is what lay on the table; without it the dice are thrown here.
    """

    fixture = forms.CharField(max_length=WORD_MAX)
    combatant = forms.CharField(required=False, max_length=COMBATANT_KEY_MAX)
    roll = forms.IntegerField(label="Rolled", required=False, min_value=1, max_value=99)
    name = TextField("Who joins", WARRIOR_NAME_MAX)


class ChallengeForm(RefusalForm):
    """Whom to challenge."""

    other = forms.ChoiceField(label="Whom")

    def __init__(self, data: Any, *, others: Choices) -> None:
        super().__init__(data)
        self.fields["other"].choices = others  # type: ignore[attr-defined]
