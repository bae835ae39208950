"""The part of a form that asks which rulings are played otherwise."""

from collections.abc import Mapping

from django import forms

from accounts.form_fields import PickField
from engine.agreement import in_force, source_of
from engine.records import (
    ChoiceList,
    NamedValues,
    NumberByKey,
)
from engine.types.mechanics import Ruling
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
        self.form = form
        self.rulings = {PREFIX + one.ref: one for one in open_rulings(system)}
        for name, ruling in self.rulings.items():
            place = own.get(ruling.ref)
            form.fields[name] = PickField(
                ruling.title,
                choices=_choices(ruling, below),
                initial=AS_IT_STANDS if place is None else str(place),
            )

    @property
    def fields(self) -> list[forms.BoundField]:
        return [self.form[name] for name in self.rulings]

    @property
    def chosen(self) -> int:
        """How many are chosen here, before anything new is typed."""
        return sum(
            self.form[name].value() not in (None, AS_IT_STANDS) for name in self.rulings
        )

    def choices_of(self, cleaned: Mapping[str, str]) -> dict[str, int]:
        """What was chosen here, by ref; of a valid form."""
        return {
            one.ref: int(cleaned[name])
            for name, one in self.rulings.items()
            if cleaned[name] != AS_IT_STANDS
        }


def _choices(ruling: Ruling, below: NamedValues) -> ChoiceList:
    """What holds without a choice, and every other way to play it."""
    stands = in_force(below).get(ruling.ref, 0)
    ways = ruling.ways
    # What was chosen may have left the packs since.
    if not stands < len(ways):
        stands = 0
    whose = WORDS[source_of(below, ruling.ref)]
    others = [(str(n), says) for n, says in enumerate(ways) if n != stands]
    return [(AS_IT_STANDS, f"{ways[stands]} ({whose})"), *others]
