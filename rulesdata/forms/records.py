"""The forms of a club's records: a profile with its stat line, a weapon, a piece of armour.

A form writes the fields it shows into the record it began with; what it does not show stays as it
was. Whether the record can be kept is decided by the shape of the pack files alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from accounts.form_fields import PickField, TickField, TicksField
from accounts.forms import RefusalForm
from engine.errors import Refusal
from engine.records import Fields, NamedValues
from engine.types.lists import STARTING_EXPERIENCE_MOST, UPKEEP_MOST
from engine.words import join_words
from rulesdata.errors import FaultyList
from rulesdata.forms.fields import (
    DESCRIPTION_MAX,
    DESCRIPTIONS_MAX,
    LineField,
    LinesField,
    PointsField,
    RarityField,
    RuleTextsField,
    choices_of,
    figure,
    texts_by_rule,
)
from rulesdata.keys import free_key, key_from
from rulesdata.models import KEY_MAX
from rulesdata.queries.drafts import RecordDraft

RARE_WORDS = "In a campaign it is found by so high a roll. Leave empty if it is not rare."
# As long as a printed figure may be in a pack.
FIGURE_MAX = 12


class RecordForm(RefusalForm):
    """What the forms of all records share.

    ``seen`` tells the state of the record that the form was opened with, ``keys`` what the record
    calls fields of another name, ``defaults`` what a new record holds beside the form's fields.
    ``only_with`` names fields that only some lists have, each with the figure of the list that it
    goes with.
    """

    keys: Mapping[str, str] = {}
    defaults: NamedValues = {}
    only_with: Mapping[str, str] = {}

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    name = LineField("Name")

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Fill the form from the record, without fields the list has no figures for."""
        self.draft = draft
        kwargs["initial"] = {"seen": draft.seen, **self.begins(draft.raw)}
        super().__init__(*args, **kwargs)
        for name, figure_name in self.only_with.items():
            if not getattr(draft.army, figure_name):
                del self.fields[name]

    def begins(self, raw: NamedValues) -> Fields:
        """The initial values of the fields that the record has."""
        keys = {name: self.keys.get(name, name) for name in self.base_fields}
        return {name: raw[key] for name, key in keys.items() if key in raw}

    def record(self) -> Fields:
        """The record of a valid form: what it began with, and what was filled in over it."""
        found = {**self.defaults, **self.draft.raw, **self.filled()}
        if self.draft.key:
            found["id"] = self.draft.key
        return {key: value for key, value in found.items() if value is not None}

    def filled(self) -> Fields:
        """The values of the form's fields by the record's keys; None takes a key away."""
        names = [name for name in self.base_fields if name in self.fields]
        values = {name: self.cleaned_data[name] for name in names if name != "seen"}
        return {
            self.keys.get(name, name): None if value == "" else value
            for name, value in values.items()
        }

    def add_refusal(self, refusal: Refusal) -> None:
        """Show what was refused at the fields it is about."""
        faults = refusal.faults if isinstance(refusal, FaultyList) else ()
        for fault in faults:
            name = self.place(fault.path.split("/"))
            self.add_error(
                name, fault.message if name else f"{fault.path}: {fault.message}"
            )
        if not faults:
            super().add_refusal(refusal)

    def place(self, parts: list[str]) -> str | None:
        """The field a fault's place in the file belongs to, if the form shows it."""
        key = parts[-1]
        names = {own: name for name, own in self.keys.items()}
        known = (
            name for name in (names.get(key, key), f"stat-{key}") if name in self.fields
        )
        return next(known, None)


class UnitForm(RecordForm):
    """A profile: who it is, what it costs in points, its first stat line, what it carries."""

    keys = {
        "carries": "default_equipment",
        "standard": "standard_bearer",
        "allowance": "magic_allowance",
    }
    defaults = {
        "points_basis": "model",
        "equipment_source": "first",
        "options": [],
        "flags": [],
    }

    model_name = LineField(
        "One of them", required=False, help_text="The name of one model."
    )
    category = forms.ChoiceField(label="Category")
    troop_type = forms.ChoiceField(label="Troop type", initial="infantry")
    points = PointsField("Points")
    miniatures = PointsField(
        "Models per purchase",
        low=1,
        high=200,
        initial=1,
        help_text="That one price puts down.",
    )
    carries = TicksField("Carries")
    equipment = TicksField(
        "Buys from", help_text="Everything on these equipment lists is for sale to it."
    )
    description = LineField(
        "Description",
        max_length=DESCRIPTION_MAX,
        required=False,
        help_text="In your club's own words. The builder and the quick reference show it.",
    )
    special_rules = LinesField("Special rules", help_text="Names only, one on each line.")
    rule_texts = RuleTextsField(
        "What the special rules do",
        limit=DESCRIPTION_MAX,
        most=DESCRIPTIONS_MAX,
        help_text="In your club's own words, one rule on each line: its name, a colon, the words.",
    )
    musician = PointsField(
        "Musician", required=False, help_text="Points. Leave empty for none."
    )
    standard = PointsField(
        "Standard bearer",
        required=False,
        help_text="Points. Leave empty for none.",
    )
    allowance = PointsField(
        "Magic items up to",
        required=False,
        help_text="Points. Leave empty for none.",
    )

    rarity = RarityField("Rare", help_text=RARE_WORDS)
    starting_experience = PointsField(
        "Experience at the beginning",
        low=1,
        high=STARTING_EXPERIENCE_MOST,
        required=False,
        help_text="Leave empty for none.",
    )
    upkeep = PointsField(
        "Hired sword: upkeep",
        high=UPKEEP_MOST,
        required=False,
        help_text="What it costs after each battle. Leave empty if it is no hired sword.",
    )

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Set the choices of the list, and add a field for each stat of its lines."""
        super().__init__(*args, draft=draft, **kwargs)
        army, line = draft.army, self._line_of(draft.raw)
        choices_of(self.fields["category"], [(c.key, c.name) for c in army.categories])
        self.fields["category"].help_text = self._needed_values()
        choices_of(
            self.fields["troop_type"],
            [(key, key.replace("-", " ").capitalize()) for key in draft.troop_types],
        )
        choices_of(self.fields["carries"], draft.gear)
        # Most lists have no equipment lists, and ask nothing about them.
        if draft.equipment:
            choices_of(self.fields["equipment"], draft.equipment)
        else:
            del self.fields["equipment"]
        for stat in army.stats:
            shown = line.get(stat.key, 0 if not draft.raw else None)
            self.fields[f"stat-{stat.key}"] = LineField(
                stat.key,
                max_length=FIGURE_MAX,
                required=False,
                initial="–" if shown is None else shown,
                widget=forms.TextInput(attrs={"title": stat.name, "autocomplete": "off"}),
            )

    def _needed_values(self) -> str:
        """Which categories need armour values, for a list whose lines have such."""
        army = self.draft.army
        flagged = [category.plural for category in army.categories if category.flags]
        if not (army.value_stats and flagged):
            return ""
        return (
            f"{' and '.join(flagged)} need the armour values {join_words(army.value_stats)}: "
            "in the stat line, or by armour or an option."
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

    def begins(self, raw: NamedValues) -> Fields:
        inner = {**(raw.get("command") or {}), **(raw.get("hired") or {})}
        named = [one["list"] for one in raw.get("equipment", ())]
        return super().begins({**raw, **inner, "equipment": named})

    @staticmethod
    def _line_of(raw: NamedValues) -> NamedValues:
        lines = raw.get("profiles") or [{}]
        return dict(lines[0])

    def filled(self) -> Fields:
        """Return the record of the unit, with what only some units have set or left out."""
        found = super().filled()
        # Both stand in a record of their own, which a unit without either does not have.
        command = {key: found.pop(key) for key in ("musician", "standard_bearer")}
        priced = {key: value for key, value in command.items() if value is not None}
        if found["category"] == "mount":
            found["miniatures"] = None
        texts = {"rule_texts": found["rule_texts"] or None}
        if "equipment" in found:
            texts["equipment"] = self._equipment(found["equipment"])
        upkeep = found.pop("upkeep")
        texts["hired"] = None if upkeep is None else {"upkeep": upkeep}
        return {**found, **texts, "profiles": self._lines(), "command": priced or None}

    def _equipment(self, keys: Iterable[str]) -> list[Fields] | None:
        """The equipment lists it names, with what it said of them before."""
        had = {one["list"]: one for one in self.draft.raw.get("equipment", ())}
        return [had.get(key, {"list": key}) for key in keys] or None

    def _lines(self) -> list[Fields]:
        """Return the stat lines of the record, the first with the figures of the form."""
        lines = [dict(line) for line in self.draft.raw.get("profiles", [])]
        name = self.cleaned_data["model_name"] or self.cleaned_data["name"]
        first = lines[0] if lines else {"name": name, "role": "model"}
        # A single line is the unit's own and is called like it; several have names of their own.
        if not lines or len(lines) == 1:
            first["name"] = name
        for stat in self.draft.army.stats:
            first[stat.key] = figure(self.cleaned_data[f"stat-{stat.key}"])
        return [first, *lines[1:]]


class EquipmentListForm(RecordForm):
    """An equipment list: its name. Its options have rows of their own."""


# Options

OPTIONS_MAX = 60
# Empty rows below the options there are.
NEW_OPTIONS = 3
KINDS = {
    "weapon": "Weapon",
    "armour": "Armour",
    "shield": "Shield",
    "upgrade": "Upgrade",
    "other": "Other",
}
PER = {"model": "Each model", "unit": "The unit", "each": "By the piece"}


class OptionForm(forms.Form):
    """One option of a profile.

    A row with nothing in it is left out; a tick at ``gone`` takes one away.
    """

    id = forms.CharField(required=False, max_length=KEY_MAX, widget=forms.HiddenInput)
    name = LineField("Option")
    points = PointsField("Points", low=-1000)
    kind = forms.ChoiceField(label="Kind")
    per = forms.ChoiceField(label="Paid by")
    item = PickField("Gives")
    group = LineField(
        "Group",
        max_length=60,
        required=False,
        help_text="Only one option of a group can be taken.",
    )
    description = LineField("Description", max_length=DESCRIPTION_MAX, required=False)
    rarity = RarityField("Rare", help_text=RARE_WORDS)
    trade_only = TickField("Sold in campaigns only")
    gone = TickField("Delete this option")

    def __init__(
        self, *args: Any, gear: Iterable[tuple[str, str]], kind: str = "", **kwargs: Any
    ) -> None:
        """Set the choices of an option, among them a kind that only the record has."""
        super().__init__(*args, **kwargs)
        kinds = (
            KINDS
            if kind in ("", *KINDS)
            else {kind: kind.replace("-", " ").capitalize(), **KINDS}
        )
        choices_of(self.fields["kind"], kinds.items())
        choices_of(self.fields["per"], PER.items())
        self.fields["kind"].initial, self.fields["per"].initial = (
            next(iter(kinds)),
            next(iter(PER)),
        )
        choices_of(self.fields["item"], [("", "Nothing to carry"), *gear])

    def clean_trade_only(self) -> bool | None:
        """Return a flag as files have it: there or left out."""
        return self.cleaned_data["trade_only"] or None


class BaseOptions(forms.BaseFormSet):
    """The options of a profile: those it has, and a few rows for more."""

    default_error_messages = {
        **forms.BaseFormSet.default_error_messages,
        "missing_management_form": "Options: this page is out of date. Reload it, then send it again.",
    }

    def __init__(self, *args: Any, draft: RecordDraft, **kwargs: Any) -> None:
        """Fill the rows with the options that the record has."""
        self.had = {option["id"]: option for option in draft.raw.get("options", [])}
        self.gear = draft.gear
        kwargs["initial"] = [
            {**option, "item": next(iter(option.get("items", ())), "")}
            for option in self.had.values()
        ]
        super().__init__(*args, **kwargs)

    def get_form_kwargs(self, index: int | None) -> Fields:
        known = list(self.had.values())
        kind = known[index]["kind"] if index is not None and index < len(known) else ""
        return {"gear": self.gear, "kind": kind, "use_required_attribute": False}

    def records(self) -> list[Fields]:
        """The options of a valid formset, those it had with what the form does not show."""
        found: list[Fields] = []
        for form in self.forms:
            cleaned = form.cleaned_data
            if not cleaned.get("name") or cleaned["gone"]:
                continue
            had = self.had.get(cleaned["id"], {})
            known = {*self.had, *(one["id"] for one in found)}
            key = (
                cleaned["id"] if had else free_key(cleaned["name"], known, instead="option")
            )
            found.append(_option_record(key, had, cleaned))
        return found


OPTION_FIELDS = ("name", "points", "per", "kind", "description", "rarity", "trade_only")


def _option_record(key: str, had: NamedValues, cleaned: NamedValues) -> Fields:
    """Return the record of an option: what it had, under what the form shows."""
    group = key_from(cleaned["group"]) or None
    items = [cleaned["item"]] if cleaned["item"] else []
    shown = {name: cleaned[name] for name in OPTION_FIELDS}
    shown |= {
        "id": key,
        "group": group,
        "items": [*items, *had.get("items", [])[1:]] or None,
    }
    # A group that changes begins as one that shuts the others out and need not be chosen.
    if group != had.get("group"):
        shown |= {"exclusive": bool(group) or None, "group_required": None}
    if cleaned["per"] != "each":
        shown["max"] = None
    # What was left empty is no text of the option.
    return {
        name: value for name, value in {**had, **shown}.items() if value not in (None, "")
    }


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
