"""Questions about dice as programs send them: each input of each call given what it cannot be, in
every system.
"""

import copy

import pytest

from engine.calls import CALLS, available
from odds import questions
from rulesdata import registry
from tests.systems import systems_with

BOOKS = systems_with("combat")
ODD = [
    True,
    False,
    "3",
    "",
    3.5,
    1e300,
    10**19,
    -(10**19),
    [],
    {},
    [3],
    {"D7": 1},
    [[[]]],
    "\x00",
    "D7",
]


def fields_of(fields, path=()):
    """Every input with the way to it; of a list of groups the first."""
    for field in fields:
        yield (*path, field.name), field
        if field.kind == "group":
            yield from fields_of(field.fields, (*path, field.name))
        if field.kind == "groups":
            yield from fields_of(field.fields, (*path, field.name, 0))


def whole(fields):
    """Inputs with nothing left out, each as low as it goes."""
    made = {
        "number": lambda f: f.low, "height": lambda f: 2, "flag": lambda f: False, "choice": lambda f: f.choices[0],
        "numbers": lambda f: [max(f.low, 1)] * max(f.least, 1), "group": lambda f: whole(f.fields),
        "groups": lambda f: [whole(f.fields)] * max(f.least, 1),
    }  # fmt: skip
    return {field.name: made[field.kind](field) for field in fields}


def faulty(field):
    allowed = {
        "number": (), "height": (3.5,), "choice": (), "numbers": ([3],), "group": ({},), "groups": (),
        "flag": (True, False),
    }[field.kind]  # fmt: skip
    if field.default is not None:
        yield None
    for value in ODD:
        if not any(type(value) is type(one) and value == one for one in allowed):
            yield value
    if field.kind in ("number", "height"):
        yield from (field.low - 1, field.high + 1)
    if field.kind in ("numbers", "groups"):
        yield [1] * (field.most + 1)


def is_legal(field, value):
    """An empty list where one may be empty, an empty group whose inputs all have defaults."""
    if value == [] and field.kind in ("numbers", "groups"):
        return field.least == 0
    return value == {} and field.kind == "group"


def put(inputs, path, value):
    changed = inner = copy.deepcopy(inputs)
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return changed


@pytest.mark.parametrize("call", CALLS)
def test_every_input_that_cannot_be_is_named_with_its_range(call):
    book = next(
        b for b in BOOKS if call in available(registry.combat_rules(b.key, b.variant))
    )
    body = {"system": book.key, "variant": book.variant, "call": call}
    tried = 0
    for path, field in fields_of(CALLS[call].inputs):
        for value in faulty(field):
            if is_legal(field, value):
                continue
            asked = {**body, "inputs": put(whole(CALLS[call].inputs), path, value)}
            for ask in (questions.odds, questions.roll):
                with pytest.raises(questions.QuestionRefused) as caught:
                    ask(asked)
                (named,) = caught.value.errors
                told = caught.value.errors[named]
                assert named.startswith("inputs." + ".".join(map(str, path))), (
                    path, value, caught.value.errors,
                )  # fmt: skip
                if field.kind in ("number", "height"):
                    assert f"{field.high}" in told
                tried += 1
    assert tried or not CALLS[call].inputs


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.full_name)
def test_calls_of_other_systems_and_odd_rulings_are_refused(book):
    body = {"system": book.key, "variant": book.variant, "inputs": {}}
    known = available(registry.combat_rules(book.key, book.variant))
    for call in set(CALLS) - set(known):
        with pytest.raises(questions.QuestionRefused) as caught:
            questions.odds({**body, "call": call})
        assert list(caught.value.errors) == ["call"]
    for key, value in registry.combat_rules(book.key, book.variant).rulings().items():
        for odd in (10**19, "x" * 70, "", 2.5, [value], {"x": value}):
            with pytest.raises(questions.QuestionRefused) as caught:
                questions.odds({**body, "call": known[0], "rulings": {key: odd}})
            assert list(caught.value.errors) == [f"rulings.{key}"]
