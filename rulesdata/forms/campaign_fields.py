"""The inputs of one value of campaign rules: made for its shape, filled, and read back."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.form_fields import NUMBER, LongTextField, PickField, TextField, TickField
from engine.records import ChoiceList
from rulesdata.campaign_editor.parts import RuleField
from rulesdata.campaign_editor.values import (
    MISSING,
    SHAPES,
    VERB_WORDS,
    WARBAND,
    effect_of,
    effect_texts,
)

SHORT, LINE, TEXT, LONG = 20, 200, 1000, 6000
"""How many characters an input takes: a number, a line, a text, a list of lines."""
CHOSEN_MAX = 6000
"""How many characters the keys of what is chosen have together."""
Choices = Mapping[str, ChoiceList]
"""What may be chosen, by the word of what a document names."""
VERB, SAID, WORDS = "verb", "with", "words"


class AnyPickField(PickField):
    """One of a list; another one is told by whoever reads the whole document."""

    def validate(self, value: Any) -> None:
        """Take any text: the list names what there is now, and what it was may be gone."""
        check_chosen(self.label, value)


class AnyTicksField(forms.MultipleChoiceField):
    """Any of a list; others are told by whoever reads the whole document."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(label=label, required=False, **options)

    def validate(self, value: Any) -> None:
        """Take any texts, not too many."""
        check_chosen(self.label, "".join(value))


def check_chosen(label: object, keys: str) -> None:
    """Raise ValidationError for keys that no list of choices holds."""
    if len(keys) > CHOSEN_MAX or "\0" in keys:
        raise forms.ValidationError(f"{label}: choose from the list.")


def inputs_of(field: RuleField, choices: ChoiceList) -> dict[str, forms.Field]:
    """Return the inputs of a field by name; an effect has three of them."""
    if field.shape == "effect":
        verb = AnyPickField(field.label, choices=list(VERB_WORDS.items()))
        said = TextField(f"{field.label}, with", LINE)
        words = TextField(f"{field.label}, printed words", TEXT)
        return {
            f"{field.name}-{VERB}": verb,
            f"{field.name}-{SAID}": said,
            f"{field.name}-{WORDS}": words,
        }
    return {field.name: _input(field, choices)}


def _input(field: RuleField, choices: ChoiceList) -> forms.Field:
    """Return the one input of a field."""
    said = {"help_text": field.help}
    if field.shape == "tick":
        return TickField(field.label, **said)
    if field.shape in ("ticks", "who"):
        return AnyTicksField(field.label, choices=choices, **said)
    if field.shape == "pick":
        return AnyPickField(field.label, choices=choices, **said)
    if field.shape in ("number", "part"):
        widget = forms.TextInput(NUMBER if field.shape == "number" else {})
        return TextField(field.label, SHORT, widget=widget, **said)
    if field.shape in ("words", "lines"):
        most = TEXT if field.shape == "words" else LONG
        return LongTextField(field.label, most, rows=2, **said)
    return TextField(field.label, LINE if field.shape == "line" else TEXT, **said)


def texts_of(field: RuleField, value: Any) -> dict[str, list[str]]:
    """Return what the inputs of a field are filled with for a value, or for MISSING."""
    if field.shape == "effect":
        texts = effect_texts(None if value is MISSING else value)
        names = (f"{field.name}-{one}" for one in (VERB, SAID, WORDS))
        return {name: [text] for name, text in zip(names, texts, strict=True)}
    if field.shape == "tick":
        is_ticked = field.default if value is MISSING else value is True
        return {field.name: ["on"]} if is_ticked else {}
    if field.shape in ("ticks", "who"):
        return {field.name: _ticked(value)}
    return {field.name: ["" if value is MISSING else SHAPES[field.shape].to_text(value)]}


def _ticked(value: Any) -> list[str]:
    """Return what is ticked of a list; one text is a list of it."""
    if value is MISSING:
        return []
    found = value if isinstance(value, list | tuple) else [value]
    return [one if isinstance(one, str) else str(one) for one in found]


def value_of(field: RuleField, sent: Mapping[str, Any]) -> Any:
    """Return the value of a field from its cleaned inputs, MISSING where it is left out."""
    if field.shape == "effect":
        texts = [sent[f"{field.name}-{one}"].strip() for one in (VERB, SAID, WORDS)]
        # Every row has an effect, be it none; what comes otherwise may be left out.
        is_needed = field.key == "effect"
        return effect_of(*texts) if is_needed or any(texts) else MISSING
    said = sent[field.name]
    if field.shape == "tick":
        return MISSING if said == field.default else said
    if not said:
        return MISSING
    if field.shape in ("ticks", "who"):
        is_band = field.shape == "who" and WARBAND in said
        return WARBAND if is_band else said
    return SHAPES[field.shape].from_text(said)


def is_filled(field: RuleField, value: Any) -> bool:
    """Return whether a value was typed or chosen; ticks alone make no row."""
    return value is not MISSING and value != {} and field.shape != "tick"


def as_sent(fields: Sequence[tuple[str, list[str]]]) -> MultiValueDict[str, str]:
    """Return inputs as a form takes them when it is sent."""
    return MultiValueDict(dict(fields))
