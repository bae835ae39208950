"""The forms of a club's weapons and armour, with the fields that go with the list's figures."""

from typing import Any

from django import forms

from engine.records import Fields, NamedValues
from rulesdata.forms.fields import LineField, PointsField, choices_of, figure
from rulesdata.forms.records import RecordForm
from rulesdata.queries.drafts import RecordDraft


class WeaponForm(RecordForm):
    """A weapon: reach, strength, hands, and what the game's figures know of it.

    Where models meet by opposed rolls it has a melee bonus, a second range and penetration instead
    of Strength.
    """

    defaults = {"sources": ["first"]}
    only_with = {
        "strength": "strength_stat",
        "hands": "strength_stat",
        "save_modifier": "strength_stat",
        "melee_attack": "defence_stat",
        "close_range": "defence_stat",
        "close_shots": "defence_stat",
        "armour_penetration": "defence_stat",
    }

    type = forms.ChoiceField(label="Used")
    range = LineField(
        "Range",
        max_length=10,
        required=False,
        help_text="In inches. Leave empty for close combat.",
    )
    strength = LineField(
        "Strength",
        max_length=6,
        required=False,
        help_text="A number, “user”, or a bonus such as +1. Can be empty.",
    )
    hands = forms.TypedChoiceField(
        label="Hands", required=False, coerce=int, empty_value=None
    )
    save_modifier = PointsField("Save modifier", low=-6, high=-1, required=False)
    shots = PointsField("Shots", low=1, high=200, required=False)
    melee_attack = PointsField(
        "Melee bonus",
        low=1,
        high=5,
        required=False,
        help_text="Added to melee attack rolls. Leave empty for none.",
    )
    close_range = LineField(
        "Second, shorter range",
        max_length=10,
        required=False,
        help_text="In inches, with its own number of shots. Leave empty for none.",
    )
    close_shots = PointsField("Shots at the second range", low=1, high=200, required=False)
    armour_penetration = PointsField(
        "Armour penetration",
        low=1,
        high=10,
        required=False,
        help_text="Without it, a weapon cannot hurt armour values of 2 or more.",
    )
    note = LineField("Note", max_length=300, required=False)

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Set the choices of type and hands."""
        super().__init__(*args, draft=draft, **kwargs)
        choices_of(
            self.fields["type"], [("melee", "In close combat"), ("missile", "From afar")]
        )
        if "hands" in self.fields:
            choices_of(self.fields["hands"], [("", "Not said"), (1, "One"), (2, "Two")])

    def clean(self) -> Fields:
        """Return the cleaned data; a second range in inches and its shots go together."""
        cleaned = super().clean() or {}
        pair = ("close_range", "close_shots")
        missing = [name for name in pair if name in self.fields and not cleaned.get(name)]
        if len(missing) == 1 and not self.errors:
            label = self.fields[missing[0]].label
            self.add_error(
                missing[0],
                f"{label}: enter the second range and its number of shots, or neither.",
            )
        return cleaned

    def filled(self) -> Fields:
        """Return the record, with ranges and Strength as figures where they are ones."""
        names = ("range", "strength", "close_range")
        printed = {
            name: figure(self.cleaned_data[name]) for name in names if name in self.fields
        }
        return {**super().filled(), **printed}


class ArmourForm(RecordForm):
    """A piece of armour: a save of its own, or one it betters.

    Where models meet by opposed rolls it betters the defence, or gives armour values.
    """

    keys = {"save_of_its_own": "save"}
    defaults = {"sources": ["first"]}
    only_with = {
        "save_of_its_own": "strength_stat",
        "improves": "strength_stat",
        "defence": "defence_stat",
        "front": "value_stats",
        "side": "value_stats",
        "rear": "value_stats",
    }

    save_of_its_own = PointsField(
        "Save of its own", low=2, high=6, required=False, help_text="5 for 5+."
    )
    improves = PointsField("Improves a save by", low=1, high=3, required=False)
    defence = PointsField(
        "Defence bonus",
        low=1,
        high=5,
        required=False,
        help_text="Added to defence rolls. Leave empty for none.",
    )
    front = PointsField("Front armour value", high=20, required=False)
    side = PointsField("Side armour value", high=20, required=False)
    rear = PointsField("Rear armour value", high=20, required=False)
    note = LineField("Note", max_length=300, required=False)

    def begins(self, raw: NamedValues) -> Fields:
        values = dict(zip(FACINGS, raw.get("armour_values", ()), strict=False))
        return {**super().begins(raw), **values}

    def clean(self) -> Fields:
        """Return the cleaned data; armour values go together, and some figure is needed."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        name = next(name for name in self.only_with if name in self.fields)
        values = [cleaned.get(facing) for facing in FACINGS]
        if None in values and values != [None] * len(FACINGS):
            self.add_error(
                FACINGS[values.index(None)],
                "Armour values: enter all three, front, side and rear, or none.",
            )
        elif all(cleaned.get(field) is None for field in self.only_with):
            self.add_error(name, _NO_FIGURE[name])
        return cleaned

    def filled(self) -> Fields:
        """Return the record with the three armour values as one list."""
        found = super().filled()
        values = [found.pop(facing, None) for facing in FACINGS]
        # The record holds all three as one list, or does not have it.
        if "front" in self.fields:
            found["armour_values"] = None if None in values else values
        return found


FACINGS = ("front", "side", "rear")
_NO_FIGURE = {
    "save_of_its_own": "Save of its own: enter a save, or how much it improves one.",
    "defence": "Defence bonus: enter a bonus, or three armour values.",
}
