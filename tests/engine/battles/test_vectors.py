"""The shared cases, folded by the server's own code."""

import re
from collections.abc import Iterator

import pytest

from engine.battles.event_fold import fold
from engine.battles.payloads import check_event
from engine.battles.sentences import SENTENCES
from engine.battles.types import KINDS
from tests.engine.battles.suggestions import likely_end, suggestions
from tests.systems import systems_with
from tests.vectors.battle_cases import Case, Check, cases, checks, falls_short

CASES, CHECKS = list(cases()), list(checks())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_comes_to_what_is_written(case: Case) -> None:
    state = fold(case.rules, case.field, case.events)
    assert falls_short(case.expect, state.to_json()) == []
    assert state.verdicts == case.verdicts()
    if case.suggests is not None:
        found = [
            [s.prompt.text, list(s.sides), list(s.who)]
            for s in suggestions(case.rules, case.field, case.events)
        ]
        assert found == case.suggests
    if case.likely_end != "unsaid":
        end = likely_end(case.rules, case.field, state)
        assert (
            end and {"how": end.how, "winner": end.winner, "why": end.why}
        ) == case.likely_end


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_comes_to_the_same_in_any_order_and_sent_twice(case: Case) -> None:
    state = fold(case.rules, case.field, case.events)
    assert fold(case.rules, case.field, case.events[::-1]) == state
    assert (
        fold(case.rules, case.field, case.events[1:] + case.events + case.events[:1])
        == state
    )


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_event_by_itself_is_answered_as_written(check: Check) -> None:
    assert check_event(check.rules, check.field, check.event) == check.says


def test_cases_cover_every_system_and_kind() -> None:
    told = {(case.rules.system, case.rules.variant) for case in CASES}
    assert told == {(system.key, system.variant) for system in systems_with("battle")}
    assert {event.kind for case in CASES for event in case.events} >= set(KINDS)


def words_of(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from words_of(one)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("key", [key for key in SENTENCES if key != "at"])
def test_every_sentence_is_met_by_a_shared_case(key: str) -> None:
    """``at`` is looked at by the server alone."""
    shape = re.compile(
        re.sub(r"\\\{\w+\\\}", ".+", re.escape(SENTENCES[key])) + r"\Z", re.DOTALL
    )
    written = {check.says for check in CHECKS}
    written |= {word for case in CASES for word in words_of(case.expect)}
    written |= {word for case in CASES for word in words_of(case.likely_end)}
    assert any(shape.match(word) for word in written), SENTENCES[key]
