"""Dice as a rule sees them, and as a player throws them.

A rule never makes a number of its own: it asks the ``Dice`` handed to it. Three things stand behind
that word: faces somebody typed, faces from a source of chance handed in, and the exact odds
(``engine.odds``), which follow every way the dice can fall. A rule therefore says where the meaning
of a face changes (``cuts``) and decides by those cuts alone; the odds then look at one face for
each stretch between cuts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.errors import Refusal

S = TypeVar("S")
R = TypeVar("R")
S_in = TypeVar("S_in", contravariant=True)
R_out = TypeVar("R_out", covariant=True)

SIDES = (3, 4, 6, 10, 20)
FaceSource = Callable[[int], int]


class Rule(Protocol[S_in, R_out]):
    """A rule with its figures filled in: dice and a state go in, a new state comes out.

    Hashable, and never changed.
    """

    def play(self, dice: Dice, state: S_in, /) -> R_out: ...

    def __hash__(self) -> int: ...


def as_series(rules: Iterable[Rule[S, S]]) -> tuple[tuple[Rule[S, S], int], ...]:
    """Rules in order as the parts of a series."""
    return tuple((rule, 1) for rule in rules)


class Dice(Protocol):
    """What a rule may ask for.

    ``cuts`` are the faces (or totals) at which the meaning changes, rising; none given means that
    each one counts. ``names`` are what the stretches between the cuts mean, one more than there are
    cuts; ``need`` is the score hoped for, as a reader writes it. Both are for the record and change
    nothing.
    """

    def roll(
        self,
        sides: int,
        why: str,
        cuts: tuple[int, ...] = (),
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> int:
        """The face of one die."""

    def total(
        self,
        dice: tuple[int, ...],
        why: str,
        cuts: tuple[int, ...] = (),
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> int:
        """The sum of several dice, each given by its sides."""

    def pool(
        self,
        count: int,
        sides: int,
        why: str,
        cuts: tuple[int, ...],
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> tuple[int, ...]:
        """The faces of several like dice thrown at once. Their order means nothing."""

    def run(self, rule: Rule[S, R], state: S) -> R:
        """A part of the rule that depends on nothing but ``state``."""

    def settle(
        self,
        count: int,
        sides: int,
        why: str,
        cuts: tuple[int, ...],
        rule: Rule[tuple[int, S], S],
        state: S,
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> S:
        """Several like dice thrown at once and then settled one by one, each face on what the one
        before left.

        The rule may not mind in which order the faces come.
        """

    def series(self, parts: tuple[tuple[Rule[S, S], int], ...], state: S) -> S:
        """Parts in order, each so many times over, each on what the one before left."""

    def repeat(self, rule: Rule[S, S], times: int, state: S) -> S:
        """One part several times over: a series of one."""


@dataclass(frozen=True, slots=True)
class DieRecord:
    """One die of the record: why it was thrown, its sides, its face, what was hoped for and what it
    came to.
    """

    why: str
    sides: int
    face: int
    need: str = ""
    outcome: str = ""


class MissingDie(Refusal):
    """The dice given ran out; ``sides``, ``why`` and ``need`` tell the next one."""

    def __init__(self, sides: int, why: str, need: str) -> None:
        wanted = f" ({need})" if need else ""
        super().__init__(f"Give one more die: D{sides} for {why}{wanted}.", field="dice")
        self.sides, self.why, self.need = sides, why, need


class WrongFace(Refusal):
    """A face that this die has not got."""


class ThrownDice:
    """Dice with faces: each one thrown is written down in ``record``."""

    def __init__(self, source: FaceSource) -> None:
        self.record: list[DieRecord] = []
        self._source = source

    def _throw(self, sides: int, why: str, need: str) -> int:
        try:
            face = self._source(sides)
        except StopIteration:
            raise MissingDie(sides, why, need) from None
        if isinstance(face, bool) or not isinstance(face, int) or not 1 <= face <= sides:
            raise WrongFace(
                f"The D{sides} for {why} shows a number from 1 to {sides}.", field="dice"
            )
        return face

    def roll(
        self,
        sides: int,
        why: str,
        cuts: tuple[int, ...] = (),
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> int:
        face = self._throw(sides, why, need)
        self.record.append(DieRecord(why, sides, face, need, _name(face, cuts, names)))
        return face

    def total(
        self,
        dice: tuple[int, ...],
        why: str,
        cuts: tuple[int, ...] = (),
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> int:
        faces = [self._throw(sides, why, need) for sides in dice]
        outcome = _name(sum(faces), cuts, names)
        self.record += [
            DieRecord(why, sides, face, need, outcome)
            for sides, face in zip(dice, faces, strict=True)
        ]
        return sum(faces)

    def pool(
        self,
        count: int,
        sides: int,
        why: str,
        cuts: tuple[int, ...],
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> tuple[int, ...]:
        return tuple(self.roll(sides, why, cuts, names, need) for _ in range(count))

    def run(self, rule: Rule[S, R], state: S) -> R:
        return rule.play(self, state)

    def settle(
        self,
        count: int,
        sides: int,
        why: str,
        cuts: tuple[int, ...],
        rule: Rule[tuple[int, S], S],
        state: S,
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> S:
        for face in self.pool(count, sides, why, cuts, names, need):
            state = rule.play(self, (face, state))
        return state

    def series(self, parts: tuple[tuple[Rule[S, S], int], ...], state: S) -> S:
        for rule, times in parts:
            for _ in range(times):
                state = rule.play(self, state)
        return state

    def repeat(self, rule: Rule[S, S], times: int, state: S) -> S:
        return self.series(((rule, times),), state)


def _name(score: int, cuts: tuple[int, ...], names: tuple[str, ...]) -> str:
    return names[bisect_right(cuts, score)] if names else ""


class GivenDice(ThrownDice):
    """Dice somebody threw, in the order in which the rule asks for them.

    Raises MissingDie when they run out.
    """

    def __init__(self, faces: Iterable[int]) -> None:
        waiting = iter(tuple(faces))
        super().__init__(lambda sides: next(waiting))
        self._waiting = waiting

    @property
    def left_over(self) -> int:
        """How many of the dice given the rule did not ask for."""
        left = tuple(self._waiting)
        self._waiting = iter(left)
        return len(left)
