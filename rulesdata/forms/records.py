"""The forms of a club's records: a profile with its stat line, a weapon, a piece of armour.

A form writes the fields it shows into the record it began with; what it does not show stays as it
was. Whether the record can be kept is decided by the shape of the pack files alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from engine.errors import Refusal
from rulesdata.errors import FaultyList
from rulesdata.forms.fields import LineField, LinesField, PointsField, choices_of, figure
from rulesdata.queries.drafts import RecordDraft

FIGURE_MAX = 12


class RecordForm(forms.Form):
    """What the forms of all records share.

    ``seen`` tells the state of the record that the form was opened with.
    """

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    name = LineField(label="Name")

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        self.draft = draft
        kwargs["initial"] = {
            "seen": draft.seen,
            "name": draft.raw.get("name", ""),
            **self.begins(draft.raw),
        }
        super().__init__(*args, **kwargs)

    def begins(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The initial values of the form's own fields."""
        return {}

    def record(self) -> dict[str, Any]:
        """The record of a valid form: what it began with, and what was filled in over it."""
        raw = {"name": self.cleaned_data["name"], **self.filled()}
        found = {**self.draft.raw, **raw}
        if self.draft.key:
            found["id"] = self.draft.key
        return {key: value for key, value in found.items() if value is not None}

    def filled(self) -> dict[str, Any]:
        """The values of the form's own fields; None takes a key away."""
        return {}

    def add_refusal(self, refusal: Refusal) -> None:
        """Show what was refused at the fields it is about."""
        faults = refusal.faults if isinstance(refusal, FaultyList) else ()
        for fault in faults:
            name = self.place(fault.path.split("/"))
            self.add_error(name, fault.message if name else f"{fault.path}: {fault.message}")
        if not faults:
            self.add_error(refusal.field if refusal.field in self.fields else None, refusal.message)

    def place(self, parts: list[str]) -> str | None:
        """The field a fault's place in the file belongs to, if the form shows it."""
        return next(
            (name for name in (parts[-1], f"stat-{parts[-1]}") if name in self.fields), None
        )


class UnitForm(RecordForm):
    """A profile: who it is, what it costs in points, its first stat line, what it carries."""

    model_name = LineField(
        label="One of them", required=False, help_text="The name of a single miniature."
    )
    category = forms.ChoiceField(label="Category")
    troop_type = forms.ChoiceField(label="Troop type")
    points = PointsField(label="Points")
    miniatures = PointsField(
        label="Miniatures", low=1, high=200, initial=1, help_text="That one price puts down."
    )
    carries = forms.MultipleChoiceField(
        label="Carries", required=False, widget=forms.CheckboxSelectMultiple
    )
    special_rules = LinesField(label="Special rules", help_text="Names only, one to the line.")
    musician = PointsField(
        label="Musician", required=False, help_text="Points; empty where there is none."
    )
    standard = PointsField(
        label="Standard bearer", required=False, help_text="Points; empty where there is none."
    )
    allowance = PointsField(
        label="Magic items up to", required=False, help_text="Points; empty where it has none."
    )

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        super().__init__(*args, draft=draft, **kwargs)
        army, line = draft.army, self._line_of(draft.raw)
        choices_of(self.fields["category"], [(c.key, c.name) for c in army.categories])
        choices_of(
            self.fields["troop_type"],
            [(key, key.replace("-", " ").capitalize()) for key in draft.troop_types],
        )
        choices_of(self.fields["carries"], draft.gear)
        for stat in army.stats:
            shown = line.get(stat.key, 0 if not draft.raw else None)
            self.fields[f"stat-{stat.key}"] = LineField(
                label=stat.key,
                max_length=FIGURE_MAX,
                required=False,
                initial="–" if shown is None else shown,
                widget=forms.TextInput(attrs={"title": stat.name, "autocomplete": "off"}),
            )

    @property
    def stat_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("stat-")]

    @property
    def other_lines(self) -> list[str]:
        """The names of the stat lines that the form does not show."""
        return [line["name"] for line in self.draft.raw.get("profiles", [])[1:]]

    def begins(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        command = raw.get("command") or {}
        return {
            "model_name": raw.get("model_name", ""),
            "category": raw.get("category"),
            "troop_type": raw.get("troop_type", "infantry"),
            "points": raw.get("points"),
            "miniatures": raw.get("miniatures", 1),
            "carries": raw.get("default_equipment", []),
            "special_rules": "\n".join(raw.get("special_rules", [])),
            "musician": command.get("musician"),
            "standard": command.get("standard_bearer"),
            "allowance": raw.get("magic_allowance"),
        }

    @staticmethod
    def _line_of(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        lines = raw.get("profiles") or [{}]
        return dict(lines[0])

    def filled(self) -> dict[str, Any]:
        cleaned, raw = self.cleaned_data, self.draft.raw
        is_mount = cleaned["category"] == "mount"
        command = {"musician": cleaned["musician"], "standard_bearer": cleaned["standard"]}
        command = {key: value for key, value in command.items() if value is not None}
        return {
            "model_name": cleaned["model_name"] or None,
            "category": cleaned["category"],
            "troop_type": cleaned["troop_type"],
            "points": cleaned["points"],
            "points_basis": raw.get("points_basis", "model"),
            "miniatures": None if is_mount else cleaned["miniatures"],
            "profiles": self._lines(),
            "command": command or None,
            "magic_allowance": cleaned["allowance"],
            "default_equipment": cleaned["carries"],
            "equipment_source": raw.get("equipment_source", "first"),
            "options": raw.get("options", []),
            "flags": raw.get("flags", []),
            "special_rules": cleaned["special_rules"],
        }

    def _lines(self) -> list[dict[str, Any]]:
        lines = [dict(line) for line in self.draft.raw.get("profiles", [])]
        name = self.cleaned_data["model_name"] or self.cleaned_data["name"]
        first = lines[0] if lines else {"name": name, "role": "model"}
        if not lines or len(lines) == 1:
            first["name"] = name
        for stat in self.draft.army.stats:
            first[stat.key] = figure(self.cleaned_data[f"stat-{stat.key}"])
        return [first, *lines[1:]]

    def place(self, parts: list[str]) -> str | None:
        names = {
            "default_equipment": "carries",
            "magic_allowance": "allowance",
            "profiles": "points",
        }
        named = names.get(parts[-1])
        return named if named in self.fields and parts[-1] != "profiles" else super().place(parts)


class WeaponForm(RecordForm):
    """A weapon: reach, strength, hands, and what the game's figures know of it."""

    type = forms.ChoiceField(label="Used")
    range = LineField(
        label="Range", max_length=10, required=False, help_text="In inches; empty in close combat."
    )
    strength = LineField(
        label="Strength",
        max_length=6,
        required=False,
        help_text="A number, user, or +1 on the user's; may be empty.",
    )
    hands = forms.TypedChoiceField(label="Hands", required=False, coerce=int, empty_value=None)
    save_modifier = PointsField(label="Save modifier", low=-6, high=-1, required=False)
    shots = PointsField(label="Shots", low=1, high=200, required=False)
    note = LineField(label="Note", max_length=300, required=False)

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        super().__init__(*args, draft=draft, **kwargs)
        choices_of(self.fields["type"], [("melee", "In close combat"), ("missile", "From afar")])
        choices_of(self.fields["hands"], [("", "Not said"), (1, "One"), (2, "Two")])

    def begins(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: raw.get(name, "")
            for name in ("type", "range", "strength", "hands", "save_modifier", "shots", "note")
        }

    def filled(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "type": cleaned["type"], "range": figure(cleaned["range"]), "strength": figure(cleaned["strength"]),
            "hands": cleaned["hands"], "save_modifier": cleaned["save_modifier"], "shots": cleaned["shots"],
            "note": cleaned["note"] or None, "sources": self.draft.raw.get("sources", ["first"]),
        }  # fmt: skip


class ArmourForm(RecordForm):
    """A piece of armour: a save of its own, or one it betters."""

    save_of_its_own = PointsField(
        label="Save of its own", low=2, high=6, required=False, help_text="5 for 5+."
    )
    improves = PointsField(label="Betters a save by", low=1, high=3, required=False)
    note = LineField(label="Note", max_length=300, required=False)

    def begins(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "save_of_its_own": raw.get("save"),
            "improves": raw.get("improves"),
            "note": raw.get("note", ""),
        }

    def filled(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "save": cleaned["save_of_its_own"], "improves": cleaned["improves"], "note": cleaned["note"] or None,
            "sources": self.draft.raw.get("sources", ["first"]),
        }  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if (
            not self.errors
            and cleaned.get("save_of_its_own") is None
            and cleaned.get("improves") is None
        ):
            self.add_error(
                "save_of_its_own",
                "Save of its own: give it a save, or say how much it betters one.",
            )
        return cleaned
