"""The parts of a form that ask which rulings and house rules are played."""

from collections.abc import Container, Mapping
from typing import Any

from django import forms

from accounts.forms import PickField, TickField
from engine.records import Fields, NamedValues, NumberByKey
from engine.roster import in_force, ruling_source
from engine.types.systems import System
from rulesdata.agreements import WORDS, open_rulings

AS_IT_STANDS = ""
PREFIX = "ruling-"


class RulingFields:
    """One choice for each ruling that has alternatives.

    ``own`` are the choices made here, ``below`` those that hold where nothing is chosen here.

    What is not chosen stays with whoever decides below, and follows them when they change it before
    this is kept.
    """

    def __init__(
        self, form: forms.Form, system: System, own: NumberByKey, below: NamedValues
    ) -> None:
        """Add one choice to the form for each ruling with alternatives."""
        self.form = form
        self.rulings = {PREFIX + ruling.ref: ruling for ruling in open_rulings(system)}
        for name, ruling in self.rulings.items():
            place = own.get(ruling.ref)
            stands = in_force(below).get(ruling.ref, 0)
            ways = ruling.ways
            # What was chosen may have left the packs since.
            if not stands < len(ways):
                stands = 0
            whose = WORDS[ruling_source(below, ruling.ref)]
            others = [(str(n), says) for n, says in enumerate(ways) if n != stands]
            choices = [(AS_IT_STANDS, f"{ways[stands]} ({whose})"), *others]
            form.fields[name] = PickField(
                ruling.title,
                choices=choices,
                initial=AS_IT_STANDS if place is None else str(place),
                # A whole sentence does not fit into the box of a list.
                widget=forms.RadioSelect,
            )

    @property
    def rows(self) -> list[Fields]:
        """Each ruling: its field, what is played as it stands, and whether that was chosen here."""
        rows = []
        for name in self.rulings:
            field: Any = self.form[name]
            value = field.value() or AS_IT_STANDS
            says = dict(field.field.choices).get(value, "")
            is_chosen = value != AS_IT_STANDS
            rows.append({"field": field, "says": says, "is_chosen": is_chosen})
        return rows

    @property
    def chosen(self) -> int:
        """How many are chosen here, before anything new is typed."""
        return sum(row["is_chosen"] for row in self.rows)

    def cleaned_choices(self, cleaned: Mapping[str, str]) -> dict[str, int]:
        """What was chosen here, by ref; of a valid form."""
        return {
            ruling.ref: int(cleaned[name])
            for name, ruling in self.rulings.items()
            if cleaned[name] != AS_IT_STANDS
        }


class HouseRuleFields:
    """One tick for each house rule of the system: as ``played``, or else as usual."""

    def __init__(
        self, form: forms.Form, system: System, played: Mapping[str, bool]
    ) -> None:
        """Add one tick to the form for each house rule."""
        self.form = form
        self.rules = {f"rule-{rule.key}": rule for rule in system.house_rules}
        for name, rule in self.rules.items():
            is_on = played.get(rule.key, rule.default)
            form.fields[name] = TickField(rule.name, help_text=rule.summary, initial=is_on)

    @property
    def ticks(self) -> list[forms.BoundField]:
        return [self.form[name] for name in self.rules]

    def cleaned_choices(
        self, cleaned: Mapping[str, bool], agreed: Container[str] = ()
    ) -> dict[str, bool]:
        """The rules that are ``agreed`` already or differ from the usual; of a valid form."""
        return {
            rule.key: cleaned[name]
            for name, rule in self.rules.items()
            if rule.key in agreed or cleaned[name] != rule.default
        }
