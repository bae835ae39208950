"""The test calculator: the form of a call, its inputs out of what was sent, the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from engine.calls import CALLS, CallResult, Input, available, evaluate
from engine.errors import Refusal
from engine.records import Fields, TextPairs, frozen_dataclass, keyword_dataclass
from engine.rules import CombatRules
from engine.types.systems import System
from odds.circumstances import Control
from odds.exhibits import WORDS, Exhibit, outcome_name, outcomes_of
from odds.fight_modes import UnknownSubject, ruleset
from rulesdata import registry

GROUPS_ON = frozenset({"leader"})


def label_of(name: str) -> str:
    """What an input is called."""
    return str(WORDS["labels"].get(name) or name.replace("_", " ").capitalize())


def title_of(call: str) -> str:
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


@frozen_dataclass
class Calculator:
    """The page of one call: what else there is to ask, the form and the answer.

    ``answer`` is None and ``fault`` says why while something in the form is wrong.
    """

    system: System
    books: TextPairs
    topics: tuple[tuple[str, TextPairs], ...]
    call: str
    title: str
    fields: tuple[FormControl, ...]
    answer: Exhibit | None
    values: TextPairs
    fault: str


def build_calculator(sent: Mapping[str, str], *, is_asked: bool) -> Calculator:
    """Return the calculator as a form asked for it.

    ``is_asked``: the form was sent, so that a flag that is not there is off. Raises UnknownSubject
    for rules or a call there are not.
    """
    system = ruleset(sent.get("book") or registry.rulesets()[0].address)
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    topics = _topics(rules)
    call = sent.get("call") or _first_call(topics)
    if call not in available(rules):
        raise UnknownSubject(f"These rules have no such test: '{call[:60]}'.")
    # A page that is opened by a link shows the examples, whatever else its address holds.
    form = _Form(sent if is_asked else {}, is_asked=is_asked)
    found, fault = _answer(rules, call, form)
    title = title_of(call)
    values = found.values if found else {}
    answer = None
    if found:
        answer = Exhibit("answer", title, outcomes_of(found.outcomes), "", found.steps)
    return Calculator(
        system=system,
        books=tuple((s.address, s.full_name) for s in registry.rulesets()),
        topics=topics,
        call=call,
        title=title,
        fields=tuple(form.control(one, one.name, fault) for one in CALLS[call].inputs),
        answer=answer,
        values=tuple((outcome_name(name), _word(value)) for name, value in values.items()),
        fault=_sentence(fault),
    )


def _answer(
    rules: CombatRules, call: str, form: _Form
) -> tuple[CallResult | None, Refusal]:
    """Return the engine's answer and an empty refusal, or none and why."""
    try:
        return evaluate(rules, call, form.inputs(CALLS[call].inputs)), Refusal("")
    except Refusal as refusal:
        return None, refusal


def _topics(rules: CombatRules) -> tuple[tuple[str, TextPairs], ...]:
    """Return the calls of these rules by topic, those of no topic last."""
    known = tuple(name for name in available(rules) if not _is_idle(rules, name))
    topics = dict(WORDS["topics"])
    listed = set(chain.from_iterable(topics.values()))
    topics["More"] = [name for name in known if name not in listed]
    found = {
        topic: tuple((name, title_of(name)) for name in names if name in known)
        for topic, names in topics.items()
    }
    return tuple((topic, names) for topic, names in found.items() if names)


def _first_call(topics: tuple[tuple[str, TextPairs], ...]) -> str:
    return topics[0][1][0][0] if topics else ""


def _is_idle(rules: CombatRules, call: str) -> bool:
    """Whether a call could only ever answer that nothing is rolled: a Rout test where the text has
    none.
    """
    return call == "rout_test" and (
        rules.morale is None or rules.morale.rout_played is None
    )


class _Nothing:
    """An input that was left empty."""


_NOTHING = _Nothing()


class _Form:
    """The form of one call: what was sent for it by path (``attacker.ws``), and its controls."""

    def __init__(self, given: Mapping[str, str], *, is_asked: bool) -> None:
        self.given, self.is_asked = given, is_asked

    def inputs(self, fields: Iterable[Input], path: str = "") -> Fields:
        """Return what the engine is given: every input that is not empty, by name."""
        found = {one.name: self._value(one, f"{path}{one.name}") for one in fields}
        return {name: value for name, value in found.items() if value is not _NOTHING}

    def _value(self, one: Input, path: str) -> Any:
        if one.kind == "group":
            return (
                self.inputs(one.fields, f"{path}.") if self._is_on(one, path) else _NOTHING
            )
        if one.kind == "groups":
            return self._groups(one, path)
        text = self._text(one, path).strip()
        if one.kind == "flag":
            return text == "1"
        return _PARSERS[one.kind](text) if text else _NOTHING

    def _groups(self, one: Input, path: str) -> list[Fields]:
        """Return the rows that hold anything that is needed; the others count as empty."""
        # A page without a script cannot add rows, so it always shows the same number of them.
        rows = [self.inputs(one.fields, f"{path}.{place}.") for place in range(ROWS)]
        needed = {field.name for field in one.fields if field.is_required}
        return [row for row in rows if needed & set(row)]

    def _text(self, one: Input, path: str) -> str:
        """Return what stands in a control: what was sent, else an example, else the default."""
        if self.is_asked:
            return self.given.get(path, "")[:200]
        examples = WORDS["examples"]
        usual = ""
        if one.is_required:
            # In the rows of a group only those stand that have an example of their own.
            usual = examples.get(one.name, "") if path.count(".") < 2 else ""
        elif isinstance(one.default, bool):
            return "1" if one.default else ""
        elif one.default not in (None, ()):
            usual = str(one.default)
        return str(examples.get(path) or usual)

    def _is_on(self, one: Input, path: str) -> bool:
        """Return whether an optional group counts."""
        if one.default is not None:
            return True
        return bool(self.given.get(WITH + path)) if self.is_asked else path in GROUPS_ON

    def control(self, one: Input, path: str, fault: Refusal) -> FormControl:
        """Return the control of an input, with the fault where it is about this one."""
        label, help_text = label_of(one.name), WORDS["helps"].get(one.name, "")
        made = FormControl(name=path, label=label, kind=one.kind, help=help_text)
        if one.kind == "group":
            switch = f"{WITH}{path}" if one.default is None else ""
            fields = self._controls(one, path, fault)
            return replace(made, fields=fields, switch=switch, is_on=self._is_on(one, path))
        if one.kind == "groups":
            rows = tuple(self._row(one, f"{path}.{place}", fault) for place in range(ROWS))
            # A fault inside a row stands at its own control.
            error = _sentence(fault) if fault.field == path else ""
            return replace(made, fields=rows, error=error)
        is_here = fault.field == path or fault.field.startswith(f"{path}.")
        return replace(
            made,
            value=self._text(one, path),
            low=one.low,
            high=one.high,
            is_required=one.is_required,
            choices=_choices(one),
            error=_sentence(fault) if is_here else "",
        )

    def _controls(self, one: Input, path: str, fault: Refusal) -> tuple[FormControl, ...]:
        return tuple(
            self.control(field, f"{path}.{field.name}", fault) for field in one.fields
        )

    def _row(self, one: Input, path: str, fault: Refusal) -> FormControl:
        number = int(path.rpartition(".")[2]) + 1
        fields = self._controls(one, path, fault)
        return FormControl(name=path, label=f"No. {number}", kind="group", fields=fields)


def _choices(one: Input) -> TextPairs:
    choices = tuple((choice, outcome_name(choice)) for choice in one.choices)
    if one.kind == "choice" and one.default is None:
        return ("", "As the rules say"), *choices
    return choices


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
    names = [label_of(part) for part in path.split(".") if not part.isdigit()]
    return f"{', '.join(names)}: {rest}"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nobody" if value is None else str(value)
