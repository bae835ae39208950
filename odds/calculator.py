"""The test calculator: the form of a call, its inputs out of what was sent, the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from engine.calls import CALLS, available, evaluate
from engine.calls.questions import Input
from engine.errors import Refusal
from engine.records import (
    Fields,
    NamedValues,
    TextPairs,
    keyword_dataclass,
    named_values,
)
from engine.rules import CombatRules
from odds.circumstances import Control
from odds.exhibits import WORDS, Exhibit, outcome_name, outcome_rows
from odds.fight_modes import UnknownSubject, ruleset
from rulesdata import registry

GROUPS_ON = frozenset({"leader"})


def input_label(name: str) -> str:
    """What an input is called."""
    return str(WORDS["labels"].get(name) or name.replace("_", " ").capitalize())


def call_title(call: str) -> str:
    """What a call is called in the calculator."""
    return str(WORDS["titles"].get(call, CALLS[call].title))


ROWS = 3
WITH = "with-"


@keyword_dataclass
class FormControl(Control):
    """One control of a call's form; a group holds ``fields``, perhaps a switch."""

    value: str = ""
    error: str = ""
    is_required: bool = False
    fields: tuple[FormControl, ...] = ()
    switch: str = ""
    is_on: bool = True


def build_calculator(sent: Mapping[str, str], *, is_asked: bool) -> Fields:
    """Return the page of one call: what else there is to ask, the form and the answer.

    ``answer`` is None and ``fault`` says why while something in the form is wrong. ``is_asked``: the
    form was sent, so that a flag that is not there is off. Raises UnknownSubject for rules or a call
    there are not.
    """
    system = ruleset(sent.get("book") or registry.rulesets()[0].address)
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    topics = _topics(rules)
    call = sent.get("call") or (topics[0][1][0][0] if topics else "")
    if call not in available(rules):
        raise UnknownSubject(f"These rules have no such test: '{call[:60]}'.")
    # A page that is opened by a link shows the examples, whatever else its address holds.
    form, inputs = _Form(sent if is_asked else {}, is_asked=is_asked), CALLS[call].inputs
    title, answer, fault = call_title(call), None, Refusal("")
    values: NamedValues = {}
    try:
        result = evaluate(rules, call, form.inputs(inputs))
    except Refusal as refusal:
        fault = refusal
    else:
        outcomes, values = outcome_rows(result.outcomes), result.values
        answer = Exhibit("answer", title, outcomes, "", result.steps)
    return {
        "system": system,
        "books": [(s.address, s.full_name) for s in registry.rulesets()],
        "topics": topics,
        "call": call,
        "title": title,
        "fields": form.controls(inputs, fault),
        "answer": answer,
        "values": [(outcome_name(name), _text(value)) for name, value in values.items()],
        "fault": _sentence(fault),
    }


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nobody" if value is None else str(value)


def _topics(rules: CombatRules) -> tuple[tuple[str, TextPairs], ...]:
    """Return the calls of these rules by topic, those of no topic last."""
    calls = list(available(rules))
    # A Rout test could only ever answer that nothing is rolled where the text has none.
    if "rout_test" in calls and not (rules.morale and rules.morale.rout_played):
        calls.remove("rout_test")
    topics = dict(WORDS["topics"])
    listed = set(chain.from_iterable(topics.values()))
    topics["More"] = [name for name in calls if name not in listed]
    pairs = (
        (topic, tuple((name, call_title(name)) for name in names if name in calls))
        for topic, names in topics.items()
    )
    return tuple((topic, names) for topic, names in pairs if names)


class _Form:
    """The form of one call: what was sent for it by path (``attacker.ws``), and its controls."""

    def __init__(self, sent: Mapping[str, str], *, is_asked: bool) -> None:
        self.sent, self.is_asked = sent, is_asked

    def inputs(self, fields: Iterable[Input], prefix: str = "") -> Fields:
        """Return what the engine is given: every input that is not empty, by name."""
        values: Fields = {}
        for field in fields:
            path = f"{prefix}{field.name}"
            if field.kind == "group":
                if self._is_on(field, path):
                    values[field.name] = self.inputs(field.fields, f"{path}.")
            elif field.kind == "groups":
                # A page without a script cannot add rows, so it always shows the same number of
                # them; those that hold nothing that is needed count as empty.
                needed = {each.name for each in field.fields if each.is_required}
                rows = [self.inputs(field.fields, f"{path}.{n}.") for n in range(ROWS)]
                values[field.name] = [row for row in rows if needed & set(row)]
            elif field.kind == "flag":
                values[field.name] = self._text(field, path).strip() == "1"
            elif text := self._text(field, path).strip():
                values[field.name] = _PARSERS[field.kind](text)
        return values

    def _text(self, field: Input, path: str) -> str:
        """Return what stands in a control: what was sent, else an example, else the default."""
        if self.is_asked:
            return self.sent.get(path, "")[:200]
        examples, usual = WORDS["examples"], ""
        if field.is_required:
            # In the rows of a group only those stand that have an example of their own.
            usual = examples.get(field.name, "") if path.count(".") < 2 else ""
        elif isinstance(field.default, bool):
            return "1" if field.default else ""
        elif field.default not in (None, ()):
            usual = str(field.default)
        return str(examples.get(path) or usual)

    def _is_on(self, field: Input, path: str) -> bool:
        """Return whether an optional group counts."""
        if field.default is not None:
            return True
        return bool(self.sent.get(WITH + path)) if self.is_asked else path in GROUPS_ON

    def controls(
        self, fields: Iterable[Input], fault: Refusal, prefix: str = ""
    ) -> tuple[FormControl, ...]:
        """Return the control of each input, with the fault where it is about this one."""
        controls = []
        for field in fields:
            path = f"{prefix}{field.name}"
            control = FormControl(
                name=path,
                label=input_label(field.name),
                kind=field.kind,
                help=WORDS["helps"].get(field.name, ""),
            )
            # A fault inside a group or a row stands at its own control.
            is_here = fault.field == path
            more: Fields = {}
            if field.kind == "group":
                is_here = False
                more = {
                    "fields": self.controls(field.fields, fault, f"{path}."),
                    "switch": f"{WITH}{path}" if field.default is None else "",
                    "is_on": self._is_on(field, path),
                }
            elif field.kind == "groups":
                more["fields"] = tuple(
                    FormControl(
                        name=f"{path}.{n}",
                        label=f"No. {n + 1}",
                        kind="group",
                        fields=self.controls(field.fields, fault, f"{path}.{n}."),
                    )
                    for n in range(ROWS)
                )
            else:
                is_here = is_here or fault.field.startswith(f"{path}.")
                choices = tuple((each, outcome_name(each)) for each in field.choices)
                if field.kind == "choice" and field.default is None:
                    choices = (("", "As the rules say"), *choices)
                more = {
                    **named_values(field, "low", "high", "is_required"),
                    "value": self._text(field, path),
                    "choices": choices,
                }
            error = _sentence(fault) if is_here else ""
            controls.append(replace(control, error=error, **more))
        return tuple(controls)


def _whole(text: str) -> int | str:
    """A number, or the text as it is, which the engine then refuses by name and range."""
    digits = text.removeprefix("-").removeprefix("+").removeprefix("−")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 7):
        return text
    return -int(digits) if text[0] in "-−" else int(digits)


def _decimal(text: str) -> float | str:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _whole_list(text: str) -> list[int | str]:
    return [_whole(part.strip()) for part in text.split(",") if part.strip()]


_PARSERS: dict[str, Callable[[str], Any]] = {
    "number": _whole,
    "numbers": _whole_list,
    "height": _decimal,
    "choice": str,
}


def _sentence(fault: Refusal) -> str:
    """The engine's refusal with the words of the form instead of its own names."""
    if not fault.message:
        return ""
    path, colon, rest = fault.message.partition(": ")
    if not colon or path != fault.field:
        return fault.message
    names = [input_label(part) for part in path.split(".") if not part.isdigit()]
    return f"{', '.join(names)}: {rest}"
