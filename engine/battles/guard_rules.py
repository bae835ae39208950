"""What is asked and what is banned in a turn, as the packs say: prompts, bars, guards."""

from collections.abc import Iterator
from typing import Literal

from engine.records import Texts, frozen_dataclass


@frozen_dataclass
class Prompt:
    """One line of the order in which things are done: in which phase, by whom, and what.

    One of: ``test`` (an id), ``to`` (with ``when``, the states it starts from) and
    ``mark``, or none of them, which is a reminder. ``whose``: the side whose turn it is, or
    all. Without a ``phase`` it is for every one. It is for those with one of the
    ``traits``, against ``enemies`` with one of those, and none of the kinds ``others`` and
    the marks ``not_with``, with a counter ``below`` so much; after a friend, or with
    ``is_leader`` his leader, came into a state of ``after`` in this phase, or anybody read
    a row ``after_row`` off a table, or a ``quarter`` of its own counter or Wounds was lost
    in it; while others of its side are in a state of ``friends``. Those it is for stand
    ``near`` to something: who does is for the players to see, and nobody is due.
    """

    phase: str
    text: str
    whose: Literal["own", "all"] = "own"
    test: str = ""
    when: Texts = ()
    to: str = ""
    is_must: bool = False
    traits: Texts = ()
    others: Texts = ()
    not_with: Texts = ()
    below: tuple[str, int] | None = None
    after: Texts = ()
    is_leader: bool = False
    enemies: Texts = ()
    mark: str = ""
    after_row: str = ""
    quarter: str = ""
    friends: Texts = ()
    near: bool = False
    source: str = ""


@frozen_dataclass
class StepBar:
    """A state that nobody comes to in a turn that found them in another: who lay stunned as
    it began does not stand up in it.
    """

    id: str
    began: str
    to: str
    source: str = ""


@frozen_dataclass
class Guard:
    """A ban: acts, about whom it is, what must hold for them, and what it says where that
    does not.

    Acts are ``tests``, ``marks`` that are set, states that somebody comes ``to``,
    ``counters`` that rise and ``phases`` that begin. It is about combatants in the states
    ``before``, ``during`` these phases, of these ``kinds`` and with these ``traits``, and
    none of the kinds ``others``; left out means all. Then must hold: one of the ``moments``
    (``recovery.own``, ``movement.enemy``; without a phase any, without whose turn either),
    a state of ``when``, none of the marks ``not_with`` and one of ``needs``, at most so
    many ``wounds`` left, a counter of at ``least`` so much, and that no side failed the
    test ``not_failed`` under this turn number. ``never``: nothing helps. ``once``: not the
    same test twice in a phase, nor for one worse state; ``follow_up``: only who was sent to it; ``untaken``: not
    after that test in this turn; ``began``: only who was in one of those states as its turn
    began. ``felled``: who came to lie in this phase and nobody else, by the same hand
    ("same") or any ("anybody"); who did, only by another's hand ("other"), or by nobody's;
    only who has come to no worse state since its own turn began ("earlier"); only who has
    in this phase ("now").
    ``until_row``: it is over when anybody read that row off a table in this phase.
    ``next_turn``: it is about a turn of another side with the same number. ``in_order``:
    no phase begins that comes before the one at hand.
    """

    id: str
    says: str
    tests: Texts = ()
    marks: Texts = ()
    to: Texts = ()
    counters: Texts = ()
    phases: Texts = ()
    before: Texts = ()
    during: Texts = ()
    kinds: Texts = ()
    traits: Texts = ()
    others: Texts = ()
    moments: Texts = ()
    when: Texts = ()
    not_with: Texts = ()
    needs: Texts = ()
    wounds: int | None = None
    least: tuple[str, int] | None = None
    not_failed: str = ""
    felled: Literal["same", "other", "anybody", "nobody", "earlier", "now", ""] = ""
    never: bool = False
    once: bool = False
    follow_up: bool = False
    untaken: str = ""
    began: Texts = ()
    until_row: str = ""
    next_turn: bool = False
    in_order: bool = False
    source: str = ""

    @property
    def acts(self) -> Iterator[tuple[tuple[str, str], "Guard"]]:
        """Yield each act it stands against, by its kind and what it names, with the guard."""
        for kind in ("test", "mark", "counter", "phase"):
            for key in getattr(self, f"{kind}s"):
                yield (kind, key), self
        for state in self.to:
            yield ("state", state), self
        if self.next_turn:
            yield ("turn", "next"), self
