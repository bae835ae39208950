"""What the fold of a battle goes by: one system's states and steps, marks, counters, tests and
endings, as tables.

All of it comes from the rule packs and nothing else decides: the browser is sent the same tables
(``to_json``) and folds the same events to the same state. Keys of states, marks, counters and tests
are written with underscores.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final, Literal

from engine.records import JsonObject, NamedValues, Numbers, Texts, frozen_dataclass

LIMITS: Final = {
    "turn": 99,
    "text": 500,
    "payload": 4096,
    "device": 100,
    "seq": 9_007_199_254_740_991,
    "score": 99,
    "modifier": 20,
    "shown": 40,
    "undo_depth": 20,
}
"""The highest turn number; characters of a text; bytes of a payload; characters of a device's name;
the highest ``seq`` (what a number of JavaScript holds exactly); the highest score and modifier
of a test; characters of a wrong value told back; how many undos may stand on one another.
"""

PLAYED: Final = "played"
ENDINGS: Final = {
    PLAYED: ("Played out", True),
    "rout": ("Rout", True),
    "objective": ("Objective", True),
    "wiped_out": ("Wiped out", True),
    "conceded": ("Conceded", True),
    "time": ("Time", True),
    "drawn": ("Drawn", False),
}
"""How a battle may end: the name, and whether somebody wins.

A system lists those it knows; played out is known to each, for slips seldom say more.
"""

SENTENCES: Final[dict[str, str]] = {
    # An event by itself.
    "id": "id: give a UUID.",
    "device": "device: give a name of 1 to {most} characters.",
    "seq": "seq: give a whole number from 0 to {most}.",
    "at": "at: give a time such as 2026-03-01T19:30:00Z.",
    "kind": "kind: '{value}' is not known; there are {known}.",
    "payload": "payload: give an object.",
    "payload_large": "payload: at most {most} bytes.",
    "unknown_key": "payload: '{value}' is not known for {kind}; there may be {known}.",
    "missing": "payload.{key}: a value is needed here.",
    "word": "payload.{key}: give a text.",
    "nobody": "payload.{key}: nobody in this battle has the id '{value}'.",
    "no_side": "payload.{key}: no side of this battle has the id '{value}'.",
    "unknown": "payload.{key}: '{value}' is not known here; there are {known}.",
    "none_known": "payload.{key}: '{value}' is not known; this system has none.",
    "whole": "payload.{key}: give a whole number from {least} to {most}.",
    "flag": "payload.{key}: give true or false.",
    "text": "payload.{key}: give a text of 1 to {most} characters.",
    "characters": "payload.{key}: control characters and halves of characters cannot be kept.",
    "note_needed": "payload.note: a forced step needs a note that says why.",
    "by_itself": "payload.by: must be somebody else; leave it out if nobody did it.",
    "no_wounds": "payload.combatant: no Wounds are kept for {name}.",
    "of_combatant": "payload: '{value}' belongs to a combatant: give combatant, and no side.",
    "of_side": "payload: '{value}' belongs to a side: give side, and no combatant.",
    "dice_list": "payload.dice: give a list of faces.",
    "dice_count": "payload.dice: {name} takes {dice}.",
    "die_face": "payload.dice: the D{sides} shows a number from 1 to {sides}.",
    "table_dice": "payload.dice: {name} is read off the dice: give them.",
    "table_passed": "payload.passed: {name} is neither passed nor failed.",
    "need_or_passed": "payload.need: give the score that was needed, or passed.",
    "disagree": "payload.passed: {score} on the dice with {need} needed is {result}.",
    "no_lender": "payload.lent_by: give the leader of its side, in a test that friends "
    "may take on his Leadership.",
    "winner_needed": "payload.winner: with the ending {how}, one side wins.",
    "winner_none": "payload.winner: a battle that is {how} has no winner.",
    "undo_self": "payload.event: an event cannot undo itself.",
    # An event where it stands.
    "undo_unknown": "There is no such event to undo before this one.",
    "undo_again": "That was undone already.",
    "undo_deep": "Undone and brought back too often: undo the event itself.",
    "ended": "The battle had ended. Undo the end first.",
    "routed": "{name}: {side} has routed and left.",
    "already": "{name}: {state} already.",
    "no_step": "{name}: from {state} the rules lead to {known}, not to {to}.",
    "no_way": "{name}: from {state} the rules lead nowhere.",
    "is_out": "{name}: {state}, and takes no further part.",
    "no_mark": "{name}: no {mark} while {state}.",
    "mark_barred": "{name}: no {mark} in a turn with {other}.",
    "not_when": "{name}: {test} is for those who are {known}, not {state}.",
    "counter_low": "{name}: {test} needs {least} or more in {counter}, and there are {value}.",
    "once": "{name}: {test} was taken this turn already; the rules allow one.",
    "dice_other": "{name}: {test} takes {count} dice here.",
    "no_reroll": "{name}: nobody near gives {test} a second throw.",
    "price": "{side}: {counter} to {to} costs {cost}; {value} left to pay.",
    "spent": "{side}: {value} left of {counter}.",
    "lends_not": "{name} lends nobody Leadership while {state}.",
    "too_far": "{name} was {began} as the turn began, so the rules allow one step: not {to} yet.",
    "rout_not_due": "{side}: {out} of {size} are out; Rout is tested from {from}.",
    "rout_taken": "{side}: the Rout test of this turn was taken.",
    "rout_spared": "{side}: the scenario spares this side its Rout tests.",
    "rout_waits": "{side}: no Rout test while any of its models is {state}.",
    "rout_disagree": "{side}: {score} on the dice with {need} needed is {result}.",
    "side_routed": "{side} has routed already.",
    # Whose Leadership.
    "rout_leader": "{name} leads and is {state}.",
    "rout_best": "{leader} cannot lend it, {state}; {name} has the highest Leadership left.",
    "rout_highest": "Nobody leads; {name} has the highest Leadership.",
    "rout_quick": "The leader's Leadership, as it was given for this side.",
    "rout_unknown": "No Leadership was given for this side: say what is needed.",
    "rout_nobody": "Nobody is left to lend Leadership: the test fails.",
    # What may be done next.
    "suggest_end": "Everybody else is out: {side} has won.",
    "suggest_drawn": "Nobody is left on either side.",
}

_FIELD = re.compile(r"\{(\w+)\}")


def message(key: str, /, **fields: object) -> str:
    """A sentence with its fields filled in. Raises KeyError for a field that was not given."""
    return _FIELD.sub(lambda match: str(fields[match[1]]), SENTENCES[key])


Lasting = Literal["battle", "round", "turn", "phase"]
"""How long a mark or counter stands: until the battle, the turn number, any player's turn or the
phase is over.
"""

Moment = Literal["own_turn_start", "own_turn_end", "turn_end", "turn_change"]


def to_json(value: Any) -> Any:
    """Dataclasses and mappings become dicts, tuples lists; everything else stays as it is."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {key: to_json(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_json(inner) for inner in value]
    return value


@frozen_dataclass
class StateRule:
    """A state of a combatant.

    ``pose`` names the symbol it is drawn with; ``is_out`` counts it as out. ``is_away``: it
    takes no further part either, but is no casualty and does not count for Rout.
    """

    id: str
    name: str
    summary: str
    pose: str
    is_out: bool
    is_away: bool = False


@frozen_dataclass
class StateChange:
    """One legal step from a state to another, by what, and where the rule stands."""

    before: str
    after: str
    by: str
    source: str = ""


@frozen_dataclass
class PhaseRule:
    id: str
    name: str
    summary: str


@frozen_dataclass
class Become:
    """A state that changes by itself: ``state`` becomes ``to`` when the moment comes."""

    state: str
    to: str
    at: Moment
    source: str = ""


@frozen_dataclass
class MarkRule:
    """A mark on a combatant.

    ``when``: the states it may stand in (empty: every state that is not out).

    It is taken off in any other. ``shown_by`` is a state that says the same: whoever is in
    it is shown with the mark. ``left_by`` are states that leave the mark behind: whoever
    comes into one, and has one of the ``traits``, carries it from then on. ``carries`` is a
    state that goes on under those of ``when``: whoever comes from it takes the mark, and
    comes back to it in any other. ``flight``: with it, so many D6 are thrown for a flight.
    ``not_with``: marks that bar it, for who ran does not shoot. ``ends``: marks and states
    that are over when it is set, for who shoots hides no longer.
    """

    id: str
    name: str
    lasts: Lasting
    when: Texts = ()
    shown_by: str = ""
    left_by: Texts = ()
    traits: Texts = ()
    not_with: Texts = ()
    ends: Texts = ()
    carries: str = ""
    flight: int | None = None
    source: str = ""


@frozen_dataclass
class CounterRule:
    """A number kept for a combatant or a side.

    ``begins`` is a number, or "models" for as many as the combatant has. ``most`` None: no upper
    limit but the models. At ``out_at`` the combatant is put into the state ``out_to``. Below
    ``warns_below`` the sentence ``warning`` is due. What it rises by in one turn is paid from the
    counter ``pays``: one costs the first of the ``prices``, two together the second, and so on.
    """

    id: str
    name: str
    of: Literal["combatant", "side"]
    begins: int | Literal["models"]
    least: int
    most: int | None = None
    lasts: Lasting = "battle"
    out_at: int | None = None
    out_to: str = ""
    warns_below: int | None = None
    warning: str = ""
    pays: str = ""
    prices: Numbers = ()
    source: str = ""


@frozen_dataclass
class OutcomeRow:
    """One row of a test that is read off a table: totals ``first`` to ``last``; ``to`` is a state,
    or empty.
    """

    first: int
    last: int
    name: str
    to: str = ""


@frozen_dataclass
class TestCause:
    """What may bring a test about: told before the dice, and kept with the test.

    ``fewer``: by it, so many dice fewer are thrown.
    """

    id: str
    name: str
    fewer: int = 0


@frozen_dataclass
class LendRule:
    """Who may take which ``tests`` on the leader's Leadership: friends within so many
    inches of him, while he is in none of the states ``barred``.
    """

    within: int
    tests: Texts
    barred: Texts
    source: str = ""


@frozen_dataclass
class BattleTest:
    """A test that can be recorded.

    ``dice`` are the sides of the dice always thrown; up to ``extra_most`` dice of ``extra`` sides
    may join them. ``takes``: their sum, or the highest. ``rerolls``: the throw may be repeated
    once, and the last one counts. ``passes``: at most or at least the score needed (``needs``, or
    the Leadership when ``against`` is "leadership"), or "table" (``rows``), or "none" where nothing
    is at stake. A modifier is added to the score needed (at_most) or to the total (all others).
    ``when``: the states it is taken in (empty: every state that is not out). ``passes_to``,
    ``fails_to``: states it leads to where the steps allow them; ``loses``: failing it loses the
    battle. ``spares``: kinds of combatants that failing does not move; ``asks`` is the test that
    whoever fails and is not moved takes then. ``lapses``: who owes it as a turn ends owes it no
    more. ``needs_counter``: a counter of the combatant that must stand at least that high, but
    not of the kinds in ``alone``. ``once``: a combatant takes it once in a turn.
    ``sets``: the side's counter that the total is written into, 0 where the total is below
    ``sets_from``. ``at_last_wound``: it is asked of whoever loses its last Wound. ``worsens``: it
    leads to no better state than the one it finds. ``fails_on``: a score that never passes.
    ``throws``: as many dice as its taker has for that, no more and no fewer. ``rerolls_near``: only
    with somebody of these traits on its side. ``extra_from``: the side's counter that further dice
    use up. ``subtracts``: what the modifier is called, which only makes it harder. ``leaves``: a
    mark that whoever does not pass it carries from then on. ``note`` is told before the dice.
    """

    id: str
    name: str
    of: Literal["combatant", "side"]
    dice: Numbers
    passes: Literal["at_most", "at_least", "table", "none"]
    against: Literal["leadership", "initiative", ""] = ""
    needs: int | None = None
    extra: int = 0
    extra_most: int = 0
    takes: Literal["sum", "highest"] = "sum"
    rerolls: bool = False
    when: Texts = ()
    passes_to: str = ""
    fails_to: str = ""
    loses: bool = False
    spares: Texts = ()
    asks: str = ""
    lapses: bool = False
    rows: tuple[OutcomeRow, ...] = ()
    needs_counter: tuple[str, int] | None = None
    alone: Texts = ()
    once: bool = False
    sets: str = ""
    sets_from: int = 0
    at_last_wound: bool = False
    worsens: bool = False
    fails_on: int | None = None
    throws: Literal["flight", ""] = ""
    rerolls_near: Texts = ()
    extra_from: str = ""
    subtracts: str = ""
    leaves: str = ""
    causes: tuple[TestCause, ...] = ()
    note: str = ""
    source: str = ""

    def die_sides(self, count: int) -> Numbers:
        """Return the sides of so many dice thrown for it: with a second throw, or further dice.

        The dice always thrown where it cannot be thrown with so many.
        """
        further = count - len(self.dice)
        if not count:
            return ()
        if self.rerolls and further == len(self.dice):
            return self.dice * 2
        if 0 <= further <= self.extra_most:
            return (*self.dice, *(self.extra,) * further)
        return self.dice

    def score(self, dice: Sequence[int]) -> int:
        """Return the sum or the highest of the dice; of a repeated throw only the last counts."""
        if self.rerolls:
            dice = dice[-len(self.dice) :]
        return max(dice) if self.takes == "highest" else sum(dice)

    def is_passed(self, dice: Sequence[int], need: int, modifier: int) -> bool:
        """Return whether the dice come to the score needed, under a modifier."""
        score = self.score(dice)
        return score != self.fails_on and (
            score <= need + modifier
            if self.passes == "at_most"
            else score + modifier >= need
        )

    def further(self, payload: NamedValues) -> int:
        """Return how many further dice of a throw a counter of the side pays for."""
        return (
            max(0, len(payload.get("dice", ())) - len(self.dice)) if self.extra_from else 0
        )

    def row(self, dice: Sequence[int], modifier: int) -> OutcomeRow | None:
        """Return the row the dice come to; beyond the table the first or the last one counts."""
        if not self.rows:
            return None
        total = self.score(dice) + modifier
        return next((row for row in self.rows if total <= row.last), self.rows[-1])


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
class HurtRule:
    """A Wound of combatants of these ``kinds`` that does something else: the first one lost
    leaves a ``mark`` and costs nothing, the last one brings them ``to`` a state, without
    a test.
    """

    id: str
    kinds: Texts
    mark: str = ""
    to: str = ""
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
    same test twice in a phase; ``follow_up``: only who was sent to it; ``untaken``: not
    after that test in this turn; ``began``: only who was in one of those states as its turn
    began. ``felled``: who came to lie in this phase and nobody else, by the same hand
    ("same") or any ("anybody"); who did, only by another's hand ("other"), or by nobody's;
    only who has come to no worse state since its own turn began ("earlier").
    ``until_row``: it is over when anybody read that row off a table in this phase.
    ``next_turn``: it is about a turn of another side with the same number.
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
    felled: Literal["same", "other", "anybody", "nobody", "earlier", ""] = ""
    never: bool = False
    once: bool = False
    follow_up: bool = False
    untaken: str = ""
    began: Texts = ()
    until_row: str = ""
    next_turn: bool = False
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


@frozen_dataclass
class RoutTable:
    """When Rout is due and who lends the Leadership: not a leader in ``leader_barred``, not another
    in ``others_barred``. ``test`` is the id of the test. ``voluntary_from``: with so many out a
    side may ask for one. ``by_points``: points are counted, where they are known. ``anew``: one
    is due only after losses since the last.
    """

    numerator: int
    denominator: int
    test: str
    leader_barred: Texts
    others_barred: Texts
    voluntary_from: int | None = None
    by_points: bool = False
    anew: bool = False
    source: str = ""


@frozen_dataclass
class PartRule:
    """What a scenario has for the side that plays this part in it.

    ``takes_rout`` false: no Rout test ever. ``waits_for``: none while anybody is in that state.
    """

    id: str
    takes_rout: bool = True
    waits_for: str = ""
    source: str = ""


@frozen_dataclass
class Ending:
    """A way a battle ends. ``has_winner``: whether somebody wins by it, or nobody."""

    id: str
    name: str
    has_winner: bool

    @property
    def words_without_winner(self) -> str:
        """What it is as an answer to who won: "Draw", or with how it came to one."""
        name = self.name.lower()
        return "Draw" if name == "drawn" else f"Draw: {name}"


@dataclass(frozen=True, kw_only=True, eq=False)
class BattleRules:
    """One system's tables, or those of one variant of it.

    ``begins`` is the state everybody starts in, ``taps`` the states a tap steps through.
    ``round_phase`` is where a new turn number begins, ``turn_phase`` where any other player turn
    does; ``end_phase`` is taken once, when the round is over, and by nobody's turn (empty: there is
    none). ``ranks``: the states that injuries bring, the worst last.
    """

    system: str
    variant: str | None
    name: str
    turn_name: str
    alternates: bool
    begins: str
    taps: Texts
    states: Mapping[str, StateRule]
    steps: tuple[StateChange, ...]
    phases: tuple[PhaseRule, ...]
    round_phase: str
    turn_phase: str
    end_phase: str = ""
    becomes: tuple[Become, ...] = ()
    marks: Mapping[str, MarkRule] = field(default_factory=dict)
    counters: Mapping[str, CounterRule] = field(default_factory=dict)
    tests: Mapping[str, BattleTest] = field(default_factory=dict)
    prompts: tuple[Prompt, ...] = ()
    endings: Mapping[str, Ending] = field(default_factory=dict)
    rout: RoutTable | None = None
    bars: tuple[StepBar, ...] = ()
    parts: Mapping[str, PartRule] = field(default_factory=dict)
    lends: LendRule | None = None
    guards: tuple[Guard, ...] = ()
    hurts: tuple[HurtRule, ...] = ()
    ranks: Texts = ()

    def usual_ending(self, *, has_winner: bool) -> str:
        """How a battle ended where nobody says: its first such ending, "" where it has none."""
        endings = (end.id for end in self.endings.values() if end.has_winner == has_winner)
        return next(endings, "")

    @property
    def last_wound_test(self) -> BattleTest | None:
        """The test that whoever loses its last Wound must take."""
        return next((test for test in self.tests.values() if test.at_last_wound), None)

    @property
    def can_record(self) -> bool:
        """Whether battles can be recorded, not only their results: battle.yaml names the taps."""
        return bool(self.taps)

    def to_json(self) -> JsonObject:
        """The same tables as plain JSON, which the browser folds by; sentences and limits come
        along.
        """
        # Guards and prompts say little of what they may say: what is as by default is left out.
        short = {
            name: [
                {
                    f.name: to_json(getattr(record, f.name))
                    for f in fields(record)
                    if f.name != "source" and getattr(record, f.name) != f.default
                }
                for record in records
            ]
            for name, records in (("guards", self.guards), ("prompts", self.prompts))
        }
        texts = {"sentences": dict(SENTENCES), "limits": dict(LIMITS)}
        return {**to_json(self), **short, **texts}
