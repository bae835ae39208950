"""The tables and the field with everything looked up by key, made once for a fold."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from engine.battles.rules import BattleRules, BattleTest, StateChange
from engine.battles.types import Combatant, Field, Side
from engine.records import TextByKey, grouped

Words = Mapping[str, str]
"""What may be written to the key that is meant: hyphens, underscores and spaces are alike, and so
are capitals.
"""


_MOMENTS = ("own_turn_start", "own_turn_end", "turn_change")


def comparison_key(word: str) -> str:
    """A key as it is compared."""
    return word.lower().replace("-", "_").replace(" ", "_")


def keys_by_spelling(keys: Collection[str]) -> TextByKey:
    """Each key, and each key as it is compared, to the key itself."""
    return {comparison_key(key): key for key in keys} | {key: key for key in keys}


class Tables:
    """A system's tables by key.

    ``out`` are the states that count as out, ``gone`` these and those of whoever else takes no
    further part. ``steps`` holds the change from one state to another, ``after`` the states that
    may follow one, ``becomes`` what changes by itself at a moment, ``left_behind`` the marks by the
    state that leaves them.
    """

    def __init__(self, rules: BattleRules) -> None:
        """Look up everything in the tables of these rules by key or by spelling."""
        self.states = keys_by_spelling(rules.states)
        self.phases = keys_by_spelling([phase.id for phase in rules.phases])
        self.marks = keys_by_spelling(rules.marks)
        self.counters = keys_by_spelling(rules.counters)
        self.tests = keys_by_spelling(rules.tests)
        self.endings = keys_by_spelling(rules.endings)
        self.steps: dict[tuple[str, str], StateChange] = {}
        self.after: dict[str, list[str]] = {state: [] for state in rules.states}
        self._add_steps(rules.steps)
        self.out = _ids_where("is_out", rules)
        self.gone = self.out | _ids_where("is_away", rules)
        self.becomes = _changes_by_moment(rules)
        self.left_behind = _marks_left_behind(rules)
        self.names = {state.id: lowered(state.name) for state in rules.states.values()}

    def _add_steps(self, steps: Sequence[StateChange]) -> None:
        """Enter each change in ``steps``, and the states that may follow in ``after``."""
        for step in steps:
            # Of two changes between the same states the first one counts.
            self.steps.setdefault((step.before, step.after), step)
            after = self.after[step.before]
            if step.after != step.before and step.after not in after:
                after.append(step.after)


def _changes_by_moment(rules: BattleRules) -> dict[str, TextByKey]:
    """What each state becomes by itself, by the moment at which it does."""
    found: dict[str, TextByKey] = {moment: {} for moment in _MOMENTS}
    for change in rules.becomes:
        found[change.at][change.state] = change.to
    return found


def _marks_left_behind(rules: BattleRules) -> Mapping[str, list[str]]:
    marks = rules.marks.values()
    return grouped((mark.left_by, mark.id) for mark in marks if mark.left_by)


def _ids_where(flag: str, rules: BattleRules) -> frozenset[str]:
    """The ids of the states that have this flag."""
    return frozenset(key for key, state in rules.states.items() if getattr(state, flag))


def lowered(name: str) -> str:
    """A name inside a sentence."""
    return name[:1].lower() + name[1:]


@lru_cache(maxsize=64)
def tables(rules: BattleRules) -> Tables:
    """The tables of these rules, made once."""
    return Tables(rules)


class FoldContext:
    """Rules and field together, with the combatants and sides by id."""

    def __init__(self, rules: BattleRules, field: Field) -> None:
        """Take the rules and the field, and index its sides and combatants by id."""
        self.rules = rules
        self.tables = tables(rules)
        self.field = field
        self.sides: dict[str, Side] = {side.id: side for side in field.sides}
        self.combatants: dict[str, Combatant] = {
            one.id: one for side in field.sides for one in side.combatants
        }

    def leadership_for(self, rule: BattleTest, said: Mapping[str, Any]) -> int | None:
        """Return the Leadership of whoever takes a test on it; None for every other test."""
        if rule.against != "leadership" or rule.of != "combatant":
            return None
        return self.combatants[said.get("lent_by", said["combatant"])].leadership

    def may_be_lent(self, rule: BattleTest, said: Mapping[str, Any]) -> bool:
        """Whether the combatant named may lend its Leadership for a test, as far as it was locked."""
        lends, lender = self.rules.lends, self.combatants[said["lent_by"]]
        if lends is None or rule.id not in lends.tests or not lender.is_leader:
            return False
        taker = self.combatants[said["combatant"]]
        return lender.side == taker.side and lender.id != taker.id
