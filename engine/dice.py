"""Dice as a rule sees them, and as a player throws them.

A rule never makes a number of its own: it asks the ``Dice`` handed to it. Three things stand behind
that word: faces somebody typed, faces from a source of chance handed in, and the exact odds
(``engine.odds``), which follow every way the dice can fall. A rule therefore says where the meaning
of a face changes (``cuts``) and decides by those cuts alone; the odds then look at one face for
each stretch between cuts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from engine.errors import Refusal
from engine.records import Numbers, Texts, frozen_dataclass, is_int_within

S = TypeVar("S")
R = TypeVar("R")
S_in = TypeVar("S_in", contravariant=True)
R_out = TypeVar("R_out", covariant=True)

MOST_SIDES = 20
FaceSource = Callable[[int], int]
Cuts = Numbers
"""Faces (or totals) at which the meaning of a throw changes, rising; none: each one counts."""
Thrown = Numbers
"""Dice, each by its sides."""


class Rule(Protocol[S_in, R_out]):
    """A rule with its figures filled in: dice and a state go in, a new state comes out.

    Hashable, and never changed.
    """

    def play(self, dice: Dice, state: S_in, /) -> R_out: ...

    def __hash__(self) -> int: ...


def as_series(rules: Iterable[Rule[S, S]]) -> tuple[tuple[Rule[S, S], int], ...]:
    """Rules in order as the parts of a series."""
    return tuple((rule, 1) for rule in rules)


class Meaning(NamedTuple):
    """What a throw is for, and what its faces mean.

    ``names`` are what the stretches between the cuts mean, one more than there are
    cuts; ``need`` is the score hoped for, as a reader writes it. Both are for the record and change
    nothing.
    """

    why: str
    cuts: Cuts = ()
    names: Texts = ()
    need: str = ""

    def outcome_name(self, score: int) -> str:
        """Return what a face or total means, empty where its meaning has no name."""
        return self.names[bisect_right(self.cuts, score)] if self.names else ""


def change_faces(rows: Sequence[object]) -> Cuts:
    """Return the faces of a die at which the row of a table changes.

    ``rows`` are by face, from 1.
    """
    return tuple(
        face for face in range(2, len(rows) + 1) if rows[face - 1] != rows[face - 2]
    )


def at_least(need: int, why: str, names: Texts) -> Meaning:
    """Return the meaning of a throw for a score or more; ``names`` are failure and success."""
    return Meaning(why, (need,), names, f"{need}+")


def at_most(score: int, why: str) -> Meaning:
    """Return the meaning of a test that is passed with a score or less."""
    return Meaning(why, (score + 1,), ("passed", "failed"), f"{score} or less")


class Dice(Protocol):
    """What a rule may ask for."""

    def roll(self, sides: int, meaning: Meaning) -> int:
        """The face of one die."""

    def total(self, dice: Thrown, meaning: Meaning) -> int:
        """The sum of several dice, each given by its sides."""

    def pool(self, count: int, sides: int, meaning: Meaning) -> Numbers:
        """The faces of several like dice thrown at once. Their order means nothing."""

    def run(self, rule: Rule[S, R], state: S) -> R:
        """A part of the rule that depends on nothing but ``state``."""

    def settle(
        self,
        count: int,
        sides: int,
        meaning: Meaning,
        rule: Rule[tuple[int, S], S],
        state: S,
    ) -> S:
        """Several like dice thrown at once and then settled one by one, each face on what the one
        before left.

        The rule may not mind in which order the faces come.
        """

    def series(self, parts: tuple[tuple[Rule[S, S], int], ...], state: S) -> S:
        """Parts in order, each so many times over, each on what the one before left."""


def reaches(dice: Dice, need: int, why: str, names: Texts) -> bool:
    """Throw a D6 and return whether it shows a score or more; ``names`` as in ``at_least``."""
    return dice.roll(6, at_least(need, why, names)) >= need


@frozen_dataclass
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
    """The dice given ran out; ``sides`` and ``meaning`` tell the next one."""

    def __init__(self, sides: int, meaning: Meaning) -> None:
        """Make the error for a die that is still wanted, with its sides and its meaning."""
        wanted = f" ({meaning.need})" if meaning.need else ""
        super().__init__(
            f"Give one more die: D{sides} for {meaning.why}{wanted}.", field="dice"
        )
        self.sides, self.meaning = sides, meaning


class WrongFace(Refusal):
    """A face that this die has not got."""


class ThrownDice:
    """Dice with faces: each one thrown is written down in ``record``."""

    def __init__(self, source: FaceSource) -> None:
        self.record: list[DieRecord] = []
        self._source = source

    def _throw(self, sides: int, meaning: Meaning) -> int:
        """Return the next face; MissingDie if there is none, WrongFace if it cannot be."""
        try:
            face = self._source(sides)
        except StopIteration:
            raise MissingDie(sides, meaning) from None
        if not is_int_within(face, 1, sides):
            sentence = f"The D{sides} for {meaning.why} shows a number from 1 to {sides}."
            raise WrongFace(sentence, field="dice")
        return face

    def roll(self, sides: int, meaning: Meaning) -> int:
        face = self._throw(sides, meaning)
        self.record.append(_record(sides, face, meaning, face))
        return face

    def total(self, dice: Thrown, meaning: Meaning) -> int:
        """Return the sum of dice with these sides, each recorded with the sum."""
        faces = [self._throw(sides, meaning) for sides in dice]
        total = sum(faces)
        # Each die of a sum is recorded with what the sum came to.
        self.record += [
            _record(sides, face, meaning, total)
            for sides, face in zip(dice, faces, strict=True)
        ]
        return total

    def pool(self, count: int, sides: int, meaning: Meaning) -> Numbers:
        return tuple(self.roll(sides, meaning) for _ in range(count))

    def run(self, rule: Rule[S, R], state: S) -> R:
        return rule.play(self, state)

    def settle(
        self,
        count: int,
        sides: int,
        meaning: Meaning,
        rule: Rule[tuple[int, S], S],
        state: S,
    ) -> S:
        """Throw ``count`` dice, and return the state after the rule took every face."""
        # At a table all dice are thrown before the first one is settled, so the record is too.
        for face in self.pool(count, sides, meaning):
            state = rule.play(self, (face, state))
        return state

    def series(self, parts: tuple[tuple[Rule[S, S], int], ...], state: S) -> S:
        for rule, times in parts:
            for _ in range(times):
                state = rule.play(self, state)
        return state


def _record(sides: int, face: int, meaning: Meaning, score: int) -> DieRecord:
    return DieRecord(meaning.why, sides, face, meaning.need, meaning.outcome_name(score))


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
