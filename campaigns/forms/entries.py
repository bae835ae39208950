"""Shapes of what people type about entries: who is in, and their lists."""

from collections.abc import Sequence
from typing import Any

import re2
from django import forms

from accounts.forms import (
    UNFILLED,
    LongTextField,
    NumberField,
    PickField,
    RadioField,
    ReasonField,
    RefusalForm,
    TextField,
    UnfilledField,
)
from battles.models import REASON_MAX
from campaigns.forms.events import READ_BY_MEMBERS
from campaigns.models import ENTRIES_MAX, ROUNDS_MAX, SCORE_MAX, ListCheck
from campaigns.operations.messages import MESSAGE_MAX
from campaigns.queries.records import Choices, EntryRecord
from campaigns.queries.round_lists import LIST_FILTERS
from engine.records import Fields
from engine.types.mechanics import Guideline
from warbands.models import NAME_MAX

ADDRESS_MAX = 300
GUESTS_MAX = ENTRIES_MAX * 60
NO_WARBAND = ("", "Not decided yet")
_TOKEN = re2.compile(r"(?:.*/warbands/)?([A-Za-z0-9_-]{16})(?:[/?#].*)?")


class AddForm(RefusalForm):
    """Members to tick, and guests to type, one a line."""

    refused_fields = {"names": "guests"}
    members = forms.TypedMultipleChoiceField(
        label="Members of the club",
        required=False,
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
    )
    guests = forms.CharField(
        label="Guests",
        required=False,
        max_length=GUESTS_MAX,
        help_text="One name per line. Guests need no account.",
        widget=forms.Textarea(attrs={"rows": 3, **UNFILLED}),
    )

    def __init__(self, data: Any, *, candidates: Sequence[tuple[int, str]]) -> None:
        """Offer members of the club as (user id, name); without any, only guests."""
        super().__init__(data)
        self.fields["members"].choices = candidates  # type: ignore[attr-defined]
        if not candidates:
            del self.fields["members"]

    def clean(self) -> Fields:
        """Return the values; raises ValidationError without a member or a guest."""
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("members") and not cleaned["guests"].strip():
            raise forms.ValidationError("Tick a member, or enter the name of a guest.")
        return cleaned

    @property
    def operation_kwargs(self) -> Fields:
        """The keywords of `add_entries`; only of a valid form."""
        lines = [line.strip() for line in self.cleaned_data["guests"].splitlines()]
        members = self.cleaned_data.get("members", [])
        return {"members": members, "names": [line for line in lines if line]}


class BringForm(RefusalForm):
    """What is brought: a warband that is offered, or one by its link."""

    warband = PickField("Warband")
    link = UnfilledField("Or its link", ADDRESS_MAX)

    def __init__(self, *args: Any, choices: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["warband"].choices = [NO_WARBAND, *choices]  # type: ignore[attr-defined]

    def clean_link(self) -> str:
        """Return the token in a pasted link, "" for nothing; raises ValidationError."""
        typed: str = self.cleaned_data["link"].strip()
        match = _TOKEN.fullmatch(typed)
        if typed and not match:
            raise forms.ValidationError(
                "Paste the whole link of a warband, such as https://…/warbands/A1b2C3d4E5f6G7h8/."
            )
        return match[1] if match else ""

    @property
    def warband_token(self) -> str:
        """The token of what is brought, "" for nothing yet; only of a valid form."""
        cleaned = self.cleaned_data
        return str(cleaned.get("link") or cleaned["warband"])


class EnterForm(BringForm):
    """Entering oneself."""

    name = TextField("Play as", NAME_MAX)
    field_order = ["name", "warband"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["link"]

    @property
    def operation_kwargs(self) -> Fields:
        """The keywords of `enter_event`; only of a valid form."""
        return {"name": self.cleaned_data["name"], "warband": self.warband_token}


class EntryForm(BringForm):
    """An entry as it is; its place in a play-off is for organisers alone."""

    name = TextField("Name", NAME_MAX, required=True)
    play_off = NumberField(
        "Place in the play-off",
        ENTRIES_MAX,
        least=1,
        help_text="Used if the tie-breakers include a play-off. 1 is first.",
    )
    field_order = ["name", "warband", "link", "play_off"]

    def __init__(
        self, data: Any, *, entry: EntryRecord, choices: Choices, may_organise: bool
    ) -> None:
        """Offer the warbands in ``choices`` and what the entry already brings.

        Only organisers are asked for the place in the play-off.
        """
        is_hidden = entry.warband_name and entry.warband not in dict(choices)
        self.now = "kept" if is_hidden else entry.warband
        # What is brought may not be shared with whoever edits; it stays unless they choose another.
        current = [(self.now, f"{entry.warband_name}, as it is now")] if is_hidden else []
        begins = {"name": entry.name, "warband": self.now, "play_off": entry.play_off}
        super().__init__(data, choices=[*current, *choices], initial=begins)
        if not may_organise:
            del self.fields["play_off"]
        # One's own warbands are all on offer; a link is for somebody else’s.
        if entry.is_mine:
            del self.fields["link"]

    @property
    def operation_kwargs(self) -> Fields:
        """The keywords of `change_entry`; only of a valid form."""
        names = ("name", "play_off")
        changes = {key: self.cleaned_data[key] for key in names if key in self.fields}
        if self.warband_token != self.now:
            changes["warband"] = self.warband_token
        return changes


class ScoresForm(RefusalForm):
    """The score of every player; only what was changed on the page is written."""

    def __init__(self, data: Any, *, entries: Sequence[EntryRecord]) -> None:
        super().__init__(data)
        for entry in entries:
            self.fields[entry.token] = NumberField(
                entry.name,
                SCORE_MAX,
                initial=entry.player_score,
                show_hidden_initial=True,
            )

    @property
    def scores(self) -> dict[str, int | None]:
        """What `score_players` takes; only of a valid form."""
        return {token: self.cleaned_data[token] for token in self.changed_data}


class MessageForm(RefusalForm):
    """What organisers write to players, and to whom."""

    to = RadioField("To", choices=[])
    text = LongTextField("Message", MESSAGE_MAX, rows=3, required=True)

    def __init__(self, data: Any, *, choices: Choices) -> None:
        super().__init__(data, initial={"to": choices[0][0]})
        self.fields["to"].choices = choices  # type: ignore[attr-defined]


class RoundChoiceForm(forms.Form):
    """Which round's lists to show, and which of them."""

    round = forms.IntegerField(
        label="Round", required=False, min_value=1, max_value=ROUNDS_MAX * 10
    )
    show = PickField(
        "Show", choices=[(key, name) for key, (name, _) in LIST_FILTERS.items()]
    )


class HandInForm(BringForm):
    """The warband to hand in: one that is offered, or by its link."""

    def clean(self) -> Fields:
        """Return the values, with an error where neither warband nor link is given."""
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("warband") and not cleaned.get("link"):
            self.add_error("warband", "Choose a warband.")
        return cleaned


class CheckForm(RefusalForm):
    """What an organiser makes of a list."""

    check = PickField("Check", choices=ListCheck.choices)
    check_reason = UnfilledField("What to change", REASON_MAX)


class WaiveForm(RefusalForm):
    """Which guideline to let pass, and why."""

    stale_status = 422
    code = forms.ChoiceField(label="Rule to waive")
    reason = ReasonField(
        "Say why.",
        max_length=REASON_MAX,
        help_text="Printed on the roster sheet. Everyone who can see this event can read it.",
    )

    def __init__(self, *args: Any, guidelines: Sequence[Guideline], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [(rule.code, rule.title) for rule in guidelines if rule.is_waivable]
        self.fields["code"].choices = offered  # type: ignore[attr-defined]


class ReasonForm(RefusalForm):
    """Why something is taken back."""

    stale_status = 422
    reason = ReasonField(max_length=REASON_MAX, help_text=READ_BY_MEMBERS)
