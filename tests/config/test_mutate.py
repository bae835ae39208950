"""The mutants of a piece of code, and the tests that each of them meets."""

import signal
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

CODE = '''"""Text."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT: Literal[3]


@dataclass(frozen=True)
class Kept:
    """Text."""


def ask(found, name="a", *, many=False) -> Literal[2]:
    """Text."""
    if found < 1 and not many:
        raise Refusal(name, field="x")
    return found
'''


@pytest.fixture(scope="module")
def script(project_root):
    loader = SourceFileLoader("script_mutate", str(project_root / "script" / "mutate"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    # Its dataclasses look for their own module.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, loader.name, module)
        loader.exec_module(module)
        yield module


def test_every_kind_of_mutant_is_made_once(script):
    found = [(one.first, one.words) for one in script.mutants_of("x.py", CODE)]
    assert sorted(found) == [
        (13, "found, name='a', *, many=False  ->  found, name='a', *, many=True"),
        (13, "found, name='a', *, many=False  ->  found, name='ax', *, many=False"),
        (15, "1  ->  0"),
        (15, "1  ->  2"),
        (15, "found < 1  ->  found <= 1"),
        (15, "found < 1  ->  found >= 1"),
        (15, "found < 1 and (not many)  ->  found < 1 or not many"),
        (15, "if found < 1 and (not many):  ->  if not (found < 1 and (not many)):"),
        (15, "not many  ->  not not many"),
        (16, "Refusal(name, field='x')  ->  without field"),
        (16, "raise Refusal(name, field='x')  ->  pass"),
    ]


def test_a_mutant_is_the_code_with_that_one_change(script):
    plain = script.ast.unparse(script.ast.parse(CODE)).splitlines()
    for mutant in script.mutants_of("x.py", CODE):
        text = script.ast.unparse(script.mutated(CODE, mutant.number)).splitlines()
        assert len(text) == len(plain)
        assert sum(one != other for one, other in zip(plain, text, strict=True)) == 1


def test_lines_that_use_a_constant_are_known(script):
    code = "MOST = 3\n\n\ndef ask(found):\n    return found < MOST\n"
    used = {one.words: one.used for one in script.mutants_of("x.py", code)}
    assert used["3  ->  4"] == (5,)
    assert used["found < MOST  ->  found <= MOST"] == ()


def test_tests_of_the_line_come_first_and_cases_of_one_test_take_turns(script):
    whole = script.TestMap(
        seconds={
            "a[1]": 0.1, "a[2]": 0.1, "b": 0.3, "wide": 0.1, "slow": 99.0, "other": 0.1,
        },
        lines={
            "x.py": {
                "1": ["", "wide", "slow"],
                "2": ["a[1]", "a[2]", "b", "wide"],
                "3": [],
                "4": [""],
                "5": ["wide"],
            }
        },
    )  # fmt: skip

    def chosen(first, last, end=0, used=()):
        return whole.chosen(script.Mutant("x.py", 0, first, last, "", end, used))

    assert chosen(2, 2) == (["a[1]", "b", "wide", "a[2]"], [])
    # What runs a rare line comes before the others.
    assert chosen(1, 2) == (["slow", "wide", "a[1]", "b", "a[2]"], [])
    assert chosen(2, 2, end=5) == (["wide", "a[1]", "b", "a[2]"], [])
    assert chosen(3, 3) == ([], [])
    # A constant is met by what runs the lines that use it.
    assert chosen(4, 4, used=(2,)) == (["a[1]", "b", "wide", "a[2]"], [])
    # What runs while the module is imported is met by whatever uses the module.
    assert chosen(4, 4) == (["a[1]", "b", "slow", "wide", "a[2]"], [])


def test_what_is_made_on_import_is_met_first_by_tests_that_import_it(script):
    whole = script.TestMap(
        seconds={"tests/engine/test_dice.py::a": 0.1, "tests/engine/test_odds.py::b": 0.1},
        lines={"engine/dice.py": {"1": [""], "2": ["tests/engine/test_odds.py::b"]}},
    )
    mutant = script.Mutant("engine/dice.py", 0, 1, 1, "", 0, ())
    first, rest = whole.chosen(mutant)
    assert "tests/engine/test_dice.py::a" in first
    assert "tests/engine/test_dice.py::a" not in rest


class Runs:
    """What runs of tests would say, in turn, and the time that each was given."""

    def __init__(self, script, monkeypatch, *answers):
        self.answers = list(answers)
        self.given = []
        script.known = script.TestMap(seconds={"a": 1.0, "b": 2.0})
        monkeypatch.setattr(script.TestMap, "chosen", lambda whole, mutant: (["a"], ["b"]))
        monkeypatch.setattr(script, "run_hosted", self.run)
        monkeypatch.setattr(script, "run_broken", self.run)
        monkeypatch.setattr(script, "seconds_unbroken", lambda run, tests: 20.0)
        monkeypatch.setattr(script.TestMap, "is_imported", lambda whole, mutant: False)

    def run(self, mutant, tests, seconds):
        self.given.append((tests, seconds))
        return self.answers.pop(0)


@pytest.mark.parametrize("answers, outcome, given", [
    (["killed"], "killed", [13.0]),
    (["survived", "killed"], "killed", [13.0, 16.0]),
    (["survived", "survived"], "survived", [13.0, 16.0]),
    (["timed out", "timed out"], "timed out", [13.0, 60.0]),
    (["timed out", "survived", "survived"], "survived", [13.0, 60.0, 16.0]),
    (["timed out", "killed"], "killed", [13.0, 60.0]),
])  # fmt: skip
def test_a_mutant_out_of_time_gets_what_an_unbroken_run_takes(
    script, monkeypatch, answers, outcome, given
):
    runs = Runs(script, monkeypatch, *answers)
    assert script.outcome(None) == outcome
    assert [seconds for _, seconds in runs.given] == given


def test_a_mutant_that_no_test_meets_is_not_run(script, monkeypatch):
    runs = Runs(script, monkeypatch)
    monkeypatch.setattr(script.TestMap, "chosen", lambda whole, mutant: ([], []))
    assert script.outcome(None) == "not run"
    assert runs.given == []


@pytest.mark.parametrize("status, outcome", [
    (0, "survived"), (1, "killed"), (2, "killed"), (-signal.SIGSEGV, "killed"),
    (-signal.SIGPROF, "timed out"),
    (-signal.SIGALRM, "timed out"),
])  # fmt: skip
def test_a_run_out_of_time_is_told_from_a_failure(script, monkeypatch, status, outcome):
    monkeypatch.setattr(script, "renew_database", lambda: None)
    monkeypatch.setattr(script, "in_child", lambda work, seconds: status)
    assert script.run_tests(["a"], 5.0) == outcome
