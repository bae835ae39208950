"""The values of a battle: who fights, what was recorded, and what it comes to.

``fold`` (engine.battles.event_fold) makes a ``BattleState`` of a ``Field`` and any ``Event``s.
"""

from collections.abc import Mapping

from engine.battles.rules import to_json
from engine.records import JsonObject, NamedValues, NumberByKey, Texts, frozen_dataclass

KINDS = (
    "turn",
    "phase",
    "state",
    "wounds",
    "mark",
    "counter",
    "test",
    "note",
    "end",
    "undo",
)
UNDONE = "undone"


@frozen_dataclass
class Combatant:
    """One miniature, or one regiment of ``models``, as it was locked for the battle.

    ``wounds``: how many it starts with, None where none are kept. ``kinds`` are words of
    the list that tests may ask for: its category and troop type ("big", "infantry").
    ``traits`` are its special rules. ``flight``: how many D6 it runs, None where that is
    not known. ``is_hidden``: all of these but Wounds and Leadership are kept from whoever
    folds this, so that an event that hangs on them counts.
    """

    id: str
    side: str
    name: str
    wounds: int | None = None
    leadership: int | None = None
    is_leader: bool = False
    models: int = 1
    kinds: Texts = ()
    initiative: int | None = None
    flight: int | None = None
    traits: Texts = ()
    points: int = 0
    is_hidden: bool = False


@frozen_dataclass
class Side:
    """One side. ``size`` is what Rout is counted from: the combatants at the start.

    ``leadership`` is only for a quick side, whose combatants have none of their own. ``part`` is
    the one it plays in the scenario, where that has rules for it.
    """

    id: str
    name: str
    size: int
    leadership: int | None = None
    combatants: tuple[Combatant, ...] = ()
    part: str = ""

    @property
    def has_figure(self) -> bool:
        """Return whether anybody's Leadership is known."""
        figures = (self.leadership, *(fighter.leadership for fighter in self.combatants))
        return any(leadership is not None for leadership in figures)


@frozen_dataclass
class Field:
    """Everything that was locked before the battle."""

    sides: tuple[Side, ...]

    def to_json(self) -> JsonObject:
        """The same as plain JSON, as the browser folds by it."""
        return dict(to_json(self))


@frozen_dataclass
class Event:
    """One thing recorded.

    ``id`` is a UUID, ``device`` and ``seq`` place it among the others, ``at`` is only told.

    ``payload`` is plain JSON; ``kind`` is one of ``KINDS``.
    """

    id: str
    device: str
    seq: int
    at: str
    kind: str
    payload: NamedValues


@frozen_dataclass
class CombatantState:
    """One combatant as it stands.

    ``wounds`` are those left (None where none are kept); ``marks`` stand in the rules' order;
    ``kills``: how many are out by its hand. ``put_out_by`` is a combatant's id; ``asks`` the test
    it must take next; ``turn_began`` the state it was in when its own turn began; ``taken`` the
    tests it has taken since the latest turn of anybody began.
    """

    state: str
    is_out: bool
    wounds: int | None
    marks: Texts
    counters: NumberByKey
    kills: int
    put_out_by: str | None
    asks: str | None
    turn_began: str
    taken: Texts


@frozen_dataclass
class RoutState:
    """``due``: a test must be taken; ``now``: and its side's turn has just begun, or began with it
    due (or nobody counts turns). Casualties of the side's own turn are for its next one.

    ``leadership`` it is taken on (None: nobody can lend it, and the test fails), ``taken_on`` the
    id of whose it is, ``why`` in a sentence; ``out_from`` how many out call it; ``may_ask``: not
    due, but a side may ask for it. ``taken``: one counted since this side's latest own turn began;
    ``passed`` what the latest of all came to.
    """

    due: bool
    now: bool
    leadership: int | None
    taken_on: str | None
    why: str
    out_from: int | None
    may_ask: bool
    taken: bool
    passed: bool | None


@frozen_dataclass
class SideState:
    """``out`` of ``size`` combatants are out; ``taken`` are its own tests since the latest turn
    began.
    """

    out: int
    size: int
    counters: NumberByKey
    rout: RoutState
    has_routed: bool
    taken: Texts


@frozen_dataclass
class End:
    """``winner`` and ``side`` (who routed, or lost) are ids of sides; ``event`` is the one that
    ended it.
    """

    winner: str | None
    how: str
    side: str | None
    event: str


@frozen_dataclass
class BattleState:
    """What a set of events comes to.

    ``side`` is whose turn it is, None before the first or when it is everybody's.

    ``verdicts``: for each event "" (it counts), "undone", or the sentence that says why it was set
    aside.
    """

    turn: int
    side: str | None
    phase: str
    combatants: Mapping[str, CombatantState]
    sides: Mapping[str, SideState]
    end: End | None
    verdicts: Mapping[str, str]

    def to_json(self) -> JsonObject:
        """The same as plain JSON, as the browser's fold gives it."""
        return dict(to_json(self))
