"""The forms of a club's records, drawn from the schema of the pack files.

A form has a field for each key that a club may write; the schema says what stands there. It writes
these into the record it began with, and what it does not show stays as it was. Whether the record
can be kept is decided by the schema and the checks of lists alone.
"""

from functools import cache
from typing import Any

from django import forms
from pydantic import BaseModel

from accounts.forms import NumberField, PickField, RefusalForm, TickField, TicksField
from engine.errors import Refusal
from engine.records import ChoiceList, Fields, NamedValues
from engine.text import join_words
from rulesdata.errors import FaultyList
from rulesdata.forms.fields import (
    DESCRIPTION_MAX,
    DESCRIPTIONS_MAX,
    FIGURE_MAX,
    ChosenField,
    FigureField,
    FlagField,
    LineField,
    LinesField,
    NumbersField,
    RuleTextsField,
    texts_by_rule,
)
from rulesdata.keys import free_key, key_from
from rulesdata.models import KEY_MAX
from rulesdata.queries.drafts import RecordDraft
from rulesdata.schema.equipment import MOUNT, ArmourRecord, OptionRecord, WeaponRecord
from rulesdata.schema.lists import CommandRecord, HireRecord, UnitRecord

KEYS = {
    UnitRecord: (
        "name", "model_name", "category", "troop_type", "points", "miniatures",
        "default_equipment", "equipment", "description", "special_rules", "rule_texts",
        "magic_allowance", "rarity", "starting_experience",
    ),
    CommandRecord: ("musician", "standard_bearer"),
    HireRecord: ("upkeep",),
    WeaponRecord: (
        "name", "type", "range", "strength", "hands", "save_modifier", "shots",
        "melee_attack", "close_range", "close_shots", "armour_penetration", "note",
    ),
    ArmourRecord: ("name", "save", "improves", "defence", "armour_values", "note"),
    OptionRecord: ("points", "kind", "per", "description", "rarity", "trade_only"),
}  # fmt: skip
"""The keys of each record that a form shows, in order."""
LABELS = {
    "model_name": "One of them",
    "miniatures": "Models per purchase",
    "default_equipment": "Carries",
    "equipment": "Buys from",
    "rule_texts": "What the special rules do",
    "magic_allowance": "Magic items up to",
    "rarity": "Rare",
    "starting_experience": "Experience at the beginning",
    "upkeep": "Hired sword: upkeep",
    "type": "Used",
    "melee_attack": "Melee bonus",
    "close_range": "Second, shorter range",
    "close_shots": "Shots at the second range",
    "save": "Save of its own",
    "improves": "Improves a save by",
    "defence": "Defence bonus",
    "per": "Paid by",
    "trade_only": "Sold in campaigns only",
}
"""Labels that are not the words of the key."""
HELP = {
    "model_name": "The name of one model.",
    "miniatures": "That one price puts down.",
    "equipment": "Everything on these equipment lists is for sale to it.",
    "description": "In your club's own words. The builder and the quick reference show it.",
    "special_rules": "Names only, one on each line.",
    "rule_texts": "In your club's own words, one rule on each line: its name, a colon, the words.",
    "musician": "Points. Leave empty for none.",
    "standard_bearer": "Points. Leave empty for none.",
    "magic_allowance": "Points. Leave empty for none.",
    "rarity": "In a campaign it is found by so high a roll. Leave empty if it is not rare.",
    "starting_experience": "Leave empty for none.",
    "upkeep": "What it costs after each battle. Leave empty if it is no hired sword.",
    "range": "In inches. Leave empty for close combat.",
    "strength": "A number, “user”, or a bonus such as +1. Can be empty.",
    "melee_attack": "Added to melee attack rolls. Leave empty for none.",
    "close_range": "In inches, with its own number of shots. Leave empty for none.",
    "armour_penetration": "Without it, a weapon cannot hurt armour values of 2 or more.",
    "save": "5 for 5+.",
    "defence": "Added to defence rolls. Leave empty for none.",
    "armour_values": "Front, side and rear, such as 2, 1, 0. Leave empty for none.",
}
CHOICES = {
    "melee": "In close combat",
    "missile": "From afar",
    "model": "Each model",
    "unit": "The unit",
    "each": "By the piece",
}
"""What stands for values that are chosen, where it is not the value itself."""
ONLY_WITH = {
    "strength": "strength_stat",
    "hands": "strength_stat",
    "save_modifier": "strength_stat",
    "save": "strength_stat",
    "improves": "strength_stat",
    "melee_attack": "defence_stat",
    "close_range": "defence_stat",
    "close_shots": "defence_stat",
    "armour_penetration": "defence_stat",
    "defence": "defence_stat",
    "armour_values": "value_stats",
}
"""Keys that only some lists have, each with the figure of the list that it goes with."""
# Narrower in a form than in a file.
NOTE_MAX = 300
NUMBERS_ALONE = {"shots"}
OPTION_KINDS = ("weapon", "armour", "shield", "upgrade", "other")


# Fields out of the schema


@cache
def _properties(record: type[BaseModel]) -> tuple[Fields, list[str]]:
    """The keys of a record as its JSON schema describes them, and those that it must have."""
    schema = record.model_json_schema()
    return schema["properties"], schema.get("required", [])


def draw_field(record: type[BaseModel], key: str, choices: ChoiceList | None = None) -> Any:
    """The form field for a key of a record; a key that names something takes ``choices``."""
    properties, needed = _properties(record)
    shapes = properties[key].get("anyOf", [properties[key]])
    shape, *others = [candidate for candidate in shapes if candidate.get("type") != "null"]
    label = LABELS.get(key, _words(key))
    options: Fields = {"help_text": HELP.get(key, "")}
    if shape["type"] in ("array", "object", "boolean"):
        return _draw_collection(shape, choices, label, options)
    options["required"] = key in needed
    if others and key not in NUMBERS_ALONE:
        return FigureField(label, FIGURE_MAX, **options)
    if choices is not None:
        return ChosenField(label, choices, **options)
    if "enum" in shape:
        pairs = [(value, CHOICES.get(value, _words(value))) for value in shape["enum"]]
        # What may be left out and has no default may be chosen away.
        is_open = properties[key].get("default", "") is None
        options["required"] = not is_open
        return ChosenField(
            label, [("", "Not said"), *pairs] if is_open else pairs, **options
        )
    if shape["type"] == "integer":
        return NumberField(label, shape["maximum"], shape["minimum"], **options)
    length = NOTE_MAX if key == "note" else shape.get("maxLength")
    return LineField(label, length, **options)


def _draw_collection(
    shape: Fields, choices: ChoiceList | None, label: str, options: Fields
) -> Any:
    """The form field for a switch, for texts by rule, or for a list."""
    if shape["type"] == "boolean":
        return FlagField(label, **options)
    if shape["type"] == "object":
        return RuleTextsField(label, DESCRIPTION_MAX, DESCRIPTIONS_MAX, **options)
    if choices is not None:
        return TicksField(label, choices=choices, **options)
    if "minItems" in shape:
        return NumbersField(label, shape["minItems"], **options)
    return LinesField(label, shape["items"]["maxLength"], **options)


def _words(key: object) -> str:
    return str(key).replace("_", " ").replace("-", " ").capitalize()


# Forms


class RecordForm(RefusalForm):
    """The form of a record of ``kinds``: the record itself, and those that stand within it.

    ``seen`` tells the state of the record that the form was opened with; ``defaults`` is what a
    new record holds beside the form's fields.
    """

    kinds: tuple[type[BaseModel], ...] = ()
    defaults: NamedValues = {}
    first_values: NamedValues = {}

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Draw the fields that the list has figures for, filled from the record."""
        values = self.read(draft.raw) if draft.raw else self.first_values
        kwargs["initial"] = {"seen": draft.seen, **values}
        super().__init__(*args, **kwargs)
        self.draft, choices = draft, draft.choices
        for record in self.kinds:
            for key in KEYS[record]:
                figure = ONLY_WITH.get(key)
                if figure is None or getattr(draft.army, figure):
                    self.fields[key] = draw_field(record, key, choices.get(key))

    def read(self, raw: NamedValues) -> Fields:
        """The values of the form's fields in a record."""
        return dict(raw)

    def record(self) -> Fields:
        """The record of a valid form: what it began with, and what was filled in over it."""
        record = {**self.defaults, **self.draft.raw, **self.filled()}
        if self.draft.key:
            record["id"] = self.draft.key
        return {key: value for key, value in record.items() if value is not None}

    def filled(self) -> Fields:
        """The values of the form's fields; None takes a key away."""
        keys = [key for record in self.kinds for key in KEYS[record] if key in self.fields]
        values = {key: self.cleaned_data[key] for key in keys}
        return {key: None if value == "" else value for key, value in values.items()}

    def add_refusal(self, refusal: Refusal) -> None:
        """Show what was refused at the fields it is about, or with its place in the record."""
        if not isinstance(refusal, FaultyList) or not refusal.faults:
            super().add_refusal(refusal)
            return
        for fault in refusal.faults:
            key = fault.path.rpartition("/")[2]
            name = next(
                (name for name in (key, f"stat-{key}") if name in self.fields), None
            )
            self.add_error(
                name, fault.message if name else f"{fault.path}: {fault.message}"
            )


class UnitForm(RecordForm):
    """A profile: who it is, what it costs in points, its first stat line, what it carries."""

    kinds = (UnitRecord, CommandRecord, HireRecord)
    defaults = {
        "points_basis": "model",
        "equipment_source": "first",
        "options": [],
        "flags": [],
    }
    first_values = {"troop_type": "infantry", "miniatures": 1}

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Add a field for each stat of the list's lines."""
        super().__init__(*args, draft=draft, **kwargs)
        # A file leaves it out for mounts, whose number is dropped below.
        self.fields["miniatures"].required = True
        army = draft.army
        # Which categories need armour values, in a list whose lines have such.
        flagged = [category.plural for category in army.categories if category.flags]
        if army.value_stats and flagged:
            self.fields["category"].help_text = (
                f"{' and '.join(flagged)} need the armour values "
                f"{join_words(army.value_stats)}: in the stat line, or by armour or an option."
            )
        # Most lists have no equipment lists, and ask nothing about them.
        if not draft.choices["equipment"]:
            del self.fields["equipment"]
        line: Fields = next(iter(draft.raw.get("profiles", ())), {})
        for stat in army.stats:
            value = line.get(stat.key, None if draft.raw else 0)
            self.fields[f"stat-{stat.key}"] = FigureField(
                stat.key,
                FIGURE_MAX,
                required=False,
                initial="–" if value is None else value,
                widget=forms.TextInput(attrs={"title": stat.name, "autocomplete": "off"}),
            )

    def clean(self) -> Fields:
        """Return the cleaned data, with the texts of rules by the rule they belong to."""
        data: Fields = super().clean() or {}
        lines, rules = data.get("rule_texts"), data.get("special_rules")
        if lines and rules is not None:
            try:
                data["rule_texts"] = texts_by_rule(lines, rules)
            except forms.ValidationError as error:
                self.add_error("rule_texts", error)
        return data

    @property
    def stat_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("stat-")]

    @property
    def other_lines(self) -> list[str]:
        """The names of the stat lines that the form does not show."""
        return [line["name"] for line in self.draft.raw.get("profiles", [])[1:]]

    def read(self, raw: NamedValues) -> Fields:
        inner = {**(raw.get("command") or {}), **(raw.get("hired") or {})}
        equipment = [entry["list"] for entry in raw.get("equipment", ())]
        return {**raw, **inner, "equipment": equipment}

    def filled(self) -> Fields:
        """Return the record of the unit, with what only some units have set or left out."""
        values, raw = super().filled(), self.draft.raw
        # Both stand in a record of their own, which a unit without either does not have.
        command = {key: values.pop(key) for key in KEYS[CommandRecord]}
        values["command"] = {k: v for k, v in command.items() if v is not None} or None
        upkeep = values.pop("upkeep")
        values["hired"] = None if upkeep is None else {"upkeep": upkeep}
        values["rule_texts"] = values["rule_texts"] or None
        if values["category"] == MOUNT:
            values["miniatures"] = None
        if "equipment" in values:
            # With what the unit said of each list before.
            previous = {entry["list"]: entry for entry in raw.get("equipment", ())}
            keys = values["equipment"]
            values["equipment"] = [previous.get(key, {"list": key}) for key in keys] or None
        return {**values, "profiles": self._stat_lines(values)}

    def _stat_lines(self, values: Fields) -> list[Fields]:
        """The stat lines of the record, the first with the figures of the form."""
        lines = [dict(line) for line in self.draft.raw.get("profiles", [])]
        first, *others = lines or [{"role": "model"}]
        # A single line is the unit's own and is called like it; several have names of their own.
        if not others:
            first["name"] = values["model_name"] or values["name"]
        for stat in self.draft.army.stats:
            first[stat.key] = self.cleaned_data[f"stat-{stat.key}"]
        return [first, *others]


class WeaponForm(RecordForm):
    """A weapon: reach, strength, hands, and what the game's figures know of it.

    Where models meet by opposed rolls it has a melee bonus, a second range and penetration instead
    of Strength.
    """

    kinds = (WeaponRecord,)
    defaults = {"sources": ["first"]}

    def clean(self) -> Fields:
        """Return the cleaned data; a second range in inches and its shots go together."""
        cleaned: Fields = super().clean() or {}
        pair = ("close_range", "close_shots")
        missing = [name for name in pair if name in self.fields and not cleaned.get(name)]
        if len(missing) == 1 and not self.errors:
            label = self.fields[missing[0]].label
            message = (
                f"{label}: enter the second range and its number of shots, or neither."
            )
            self.add_error(missing[0], message)
        return cleaned


class ArmourForm(RecordForm):
    """A piece of armour: a save of its own, or one it betters.

    Where models meet by opposed rolls it betters the defence, or gives armour values.
    """

    kinds = (ArmourRecord,)
    defaults = {"sources": ["first"]}

    def clean(self) -> Fields:
        """Return the cleaned data; some figure is needed where the list has figures for it."""
        cleaned: Fields = super().clean() or {}
        keys = [key for key in ONLY_WITH if key in self.fields]
        if keys and not self.errors and not any(cleaned.get(key) for key in keys):
            sentence = (
                "enter a bonus, or three armour values."
                if "defence" in keys
                else "enter a save, or how much it improves one."
            )
            self.add_error(keys[0], f"{self.fields[keys[0]].label}: {sentence}")
        return cleaned


class EquipmentListForm(RecordForm):
    """An equipment list: its name. Its options have rows of their own."""

    name = LineField("Name")

    def filled(self) -> Fields:
        return {"name": self.cleaned_data["name"]}


FORMS = {
    "units": UnitForm,
    "weapons": WeaponForm,
    "armour": ArmourForm,
    "equipment": EquipmentListForm,
}


# Options


OPTIONS_MAX = 60
# Empty rows below the options there are.
NEW_OPTIONS = 3


class OptionForm(forms.Form):
    """One option of a profile.

    A row with nothing in it is left out; a tick at ``gone`` takes one away.
    """

    id = forms.CharField(required=False, max_length=KEY_MAX, widget=forms.HiddenInput)
    name = LineField("Option")
    item = PickField("Gives")
    group = LineField(
        "Group",
        max_length=60,
        required=False,
        help_text="Only one option of a group can be taken.",
    )
    gone = TickField("Delete this option")

    def __init__(self, *args: Any, gear: ChoiceList, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for key in KEYS[OptionRecord]:
            self.fields[key] = draw_field(OptionRecord, key)
        kind: Any = self.fields["kind"]
        # Another kind needs more than the form asks for: only an option that has it keeps it.
        offered = {*OPTION_KINDS, self.initial.get("kind")}
        kind.choices = [choice for choice in kind.choices if choice[0] in offered]
        self.fields["item"].choices = [("", "Nothing to carry"), *gear]  # type: ignore[attr-defined]


class BaseOptions(forms.BaseFormSet):
    """The options of a profile: those it has, and a few rows for more."""

    default_error_messages = {
        **forms.BaseFormSet.default_error_messages,
        "missing_management_form": "Options: this page is out of date. Reload it, then send it again.",
    }

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Fill the rows with the options that the record has."""
        self.previous = {option["id"]: option for option in draft.raw.get("options", [])}
        kwargs["initial"] = [
            {**option, "item": next(iter(option.get("items", ())), "")}
            for option in self.previous.values()
        ]
        kwargs["form_kwargs"] = {"gear": draft.choices["default_equipment"]}
        super().__init__(*args, **kwargs)

    def records(self) -> list[Fields]:
        """The options of a valid formset, those it had with what the form does not show."""
        records: list[Fields] = []
        for form in self.forms:
            cleaned = form.cleaned_data
            if not cleaned.get("name") or cleaned["gone"]:
                continue
            previous = self.previous.get(cleaned["id"], {})
            keys = {*self.previous, *(option["id"] for option in records)}
            key = free_key(cleaned["name"], keys, instead="option")
            records.append(_option_record(previous.get("id", key), previous, cleaned))
        return records


def _option_record(key: str, previous: NamedValues, cleaned: NamedValues) -> Fields:
    """Return the record of an option: what it had, under what the form shows."""
    group = key_from(cleaned["group"]) or None
    items = [cleaned["item"]] if cleaned["item"] else []
    values = {name: cleaned[name] for name in ("name", *KEYS[OptionRecord])}
    values |= {
        "id": key,
        "group": group,
        "items": [*items, *previous.get("items", [])[1:]] or None,
    }
    # A group that changes begins as one that shuts the others out and need not be chosen.
    if group != previous.get("group"):
        values |= {"exclusive": bool(group) or None, "group_required": None}
    if cleaned["per"] != "each":
        values["max"] = None
    # What was left empty is no text of the option.
    merged = {**previous, **values}
    return {name: value for name, value in merged.items() if value not in (None, "")}


def options_form(draft: RecordDraft, data: Any = None) -> BaseOptions:
    """The options of a draft's record, with empty rows behind them."""
    # A file may have brought more than a form begins with, and none of them may be lost.
    most = max(OPTIONS_MAX, len(draft.raw.get("options", ())))
    kind = forms.formset_factory(
        OptionForm,
        formset=BaseOptions,
        extra=NEW_OPTIONS,
        max_num=most,
        absolute_max=most + NEW_OPTIONS,
    )
    formset = kind(data, prefix="options", draft=draft)  # type: ignore[call-arg]  # BaseOptions takes it
    assert isinstance(formset, BaseOptions)
    return formset
