"""The steps that `re` takes for a pattern, counted by trying it as `re` does: in order, with a way back.

Counted, and not timed: the same on every machine, and a pattern without end is stopped.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from re import _compiler, _constants, _parser
from typing import Any

SHORT, LONG = 250, 1000
GROWTH_MOST = 1.3
STEPS_MOST = 300_000
LINES: tuple[Callable[[int], str], ...] = (
    lambda n: "a" * n + "!",
    lambda n: " " * n + "x",
    lambda n: "1" * n + "x",
    lambda n: "(" * n,
    lambda n: "," * n + "x",
    lambda n: "a, " * (n // 3),
    lambda n: "[(" * (n // 2),
    lambda n: " 1" * (n // 2) + "x",
    lambda n: "a" + " " * (n // 2) + "(" + " " * (n // 2) + "x",
    lambda n: "+ " * (n // 2) + "-",
    lambda n: "a@a." * (n // 4) + "/",
    lambda n: '"' + "\\" * n,
)

Then = Callable[[int], bool]


class TooManySteps(Exception):
    """A pattern that took more steps than it may."""


class StepCounter:
    """Tries a pattern on a line; counts each atom that is tried."""

    def __init__(self, pattern: re.Pattern[str], line: str, most: float) -> None:
        self.line, self.most, self.steps = line, most, 0
        self.atoms: dict[Any, re.Pattern[str]] = {}
        self.tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)

    def try_everywhere(self) -> int:
        """Look for every match in the line, then for one of the whole line; return the steps."""
        place, ends = 0, list[int]()
        while place <= len(self.line):
            matches = self.run(self.tree, 0, place, lambda end: not ends.append(end))
            place = max(place + 1, ends.pop() if matches else 0)
        self.run(self.tree, 0, 0, lambda end: end == len(self.line))
        return self.steps

    def run(self, items: Sequence[Any], number: int, place: int, then: Then) -> bool:
        self.count()
        if number == len(items):
            return then(place)
        kind, value = items[number]

        def follow(end: int) -> bool:
            return self.run(items, number + 1, end, then)

        if kind is _constants.SUBPATTERN:
            return self.run(value[-1], 0, place, follow)
        if kind is _constants.BRANCH:
            return any(self.run(branch, 0, place, follow) for branch in value[1])
        if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            return self.repeat(value, kind is _constants.MAX_REPEAT, place, follow)
        if kind in (_constants.ASSERT, _constants.ASSERT_NOT) and value[0] > 0:
            is_there = self.run(value[1], 0, place, lambda end: True)
            return is_there == (kind is _constants.ASSERT) and follow(place)
        end = self.end_of_atom((kind, value), place)
        return end is not None and follow(end)

    def repeat(self, value: Any, is_greedy: bool, place: int, then: Then) -> bool:
        """Return whether a repeated part fits: as often as possible first, or as seldom."""
        least, most, body = value
        if len(body) > 1 or body.getwidth()[1] > 1:
            return self.repeat_group((least, most, body), place, then)
        ends = self.ends_of(body[0], most, place)
        if is_greedy:
            return any(then(end) for end in reversed(list(ends)[least:]))
        return any(then(end) for number, end in enumerate(ends) if number >= least)

    def repeat_group(self, value: Any, place: int, then: Then) -> bool:
        least, most, body = value

        def again(end: int) -> bool:
            rest = (
                max(0, least - 1),
                most if most is _parser.MAXREPEAT else most - 1,
                body,
            )
            return end > place and self.repeat_group(rest, end, then)

        if most and self.run(body, 0, place, again):
            return True
        return not least and then(place)

    def ends_of(self, atom: Any, most: int, place: int) -> Iterator[int]:
        """Yield where none, one, two and more of an atom end."""
        end: int | None = place
        for _ in range(min(most, len(self.line)) + 1):
            if end is None:
                return
            yield end
            end = self.end_of_atom(atom, end)

    def end_of_atom(self, atom: Any, place: int) -> int | None:
        self.count()
        kind, value = atom
        if kind is _constants.SUBPATTERN:
            return self.end_of_atom(value[-1][0], place)
        compiled = self.atoms.get((kind, id(value)))
        if compiled is None:
            parsed = _parser.SubPattern(self.tree.state, [atom])
            compiled = self.atoms[kind, id(value)] = _compiler.compile(parsed)
        match = compiled.match(self.line, place)
        return match.end() if match else None

    def count(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise TooManySteps


def is_linear(pattern: re.Pattern[str]) -> bool:
    """Return whether a pattern takes at most 1.3 times the steps of a line for each time its length."""
    for line in LINES:
        short, long = line(SHORT), line(LONG)
        try:
            steps = StepCounter(pattern, short, STEPS_MOST).try_everywhere()
            most = steps * GROWTH_MOST * len(long) / len(short)
            StepCounter(pattern, long, most).try_everywhere()
        except (TooManySteps, RecursionError):  # the latter: a group without end
            return False
    return True
