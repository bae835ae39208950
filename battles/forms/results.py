"""Shapes of what people type about a result: who won and how, and why another one is not so."""

from typing import Any

from django import forms

from accounts.form_fields import NUMBER, UNFILLED, PickField
from accounts.forms import ReasonField, RefusalForm
from accounts.owner import Owner
from battles.models import AUTHOR_MAX, REASON_MAX, ResultVerb
from battles.queries.records import BattleRecord
from battles.result_rules import NEEDS_REASON, Claim
from engine.records import ChoiceList, Fields, TextByKey, Texts

READ_BY_PLAYERS = "The players, and people with the battle code, can read it."
READ_BY_MEMBERS = "Players, organisers and members of the club can read it."
SAY_WHY = "Say why. The other players will want to know."
NOBODY_WON = "nobody:"  # no token and no side has a colon
# What each step of a result asks for.
ASKED: dict[str, Texts] = {
    ResultVerb.PROPOSE: ("winner", "how", "reason"),
    ResultVerb.CONFIRM: (),
    ResultVerb.DISPUTE: ("winner", "how", "reason"),
    ResultVerb.CORRECT: ("winner", "how", "reason"),
    ResultVerb.VOID: ("reason",),
    ResultVerb.RESTORE: ("reason",),
}
_NEEDS_OUTCOME = (ResultVerb.PROPOSE, ResultVerb.CORRECT)


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
        endings = record.rules.endings
        drawn = [
            (f"{NOBODY_WON}{one.id}", one.words_without_winner)
            for one in endings.values()
            if not one.has_winner
        ]
        self._offer("winner", [*((side.key, side.name) for side in record.sides), *drawn])
        self._offer(
            "how",
            [
                ("", "Choose how"),
                *((one.id, one.name) for one in endings.values() if one.has_winner),
            ],
        )
        if owner.is_person:
            del self.fields["author"]

    def _offer(self, name: str, choices: ChoiceList) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> Fields:
        """Return the values; a winner needs a way of winning, and the other way round."""
        cleaned = super().clean() or {}
        if self.errors.keys() & {"winner", "how"} or "winner" not in self.fields:
            return cleaned
        winner, how = cleaned["winner"], cleaned["how"]
        if winner and not how and not winner.startswith(NOBODY_WON):
            self.add_error("how", "Choose how the battle ended.")
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
    if not how:
        return {"winner": "", "how": ""}
    return (
        {"winner": winner, "how": how}
        if winner
        else {"winner": f"{NOBODY_WON}{how}", "how": ""}
    )


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
        kwargs["initial"] = {**_initial_outcome(record, verb), "seen": record.result.number}
        super().__init__(*args, record=record, owner=owner, **kwargs)
        self.verb = verb
        for name in ("winner", "how", "reason"):
            if name not in ASKED[verb]:
                del self.fields[name]
        if verb in _NEEDS_OUTCOME:
            self.fields["winner"].required = True
            self.fields["winner"].error_messages["required"] = (
                "Choose the winner, or “Draw”."
            )
        if verb in NEEDS_REASON:
            require_reason(self)
        say_who_reads(self, record)

    def clean(self) -> Fields:
        cleaned = super().clean()
        self.expected = cleaned.get("seen")
        return cleaned


def _initial_outcome(record: BattleRecord, verb: str) -> TextByKey:
    """What is known of the outcome; a dispute begins without, its version is its own."""
    if verb == ResultVerb.DISPUTE:
        return {}
    result, end = record.result, record.state.end
    if result.number:
        return outcome_fields(result.winner, result.how)
    return outcome_fields(end.winner, end.how) if end else {}


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
