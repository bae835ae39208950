"""The state of a battle out of the set of its events."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from engine.battles.event_effects import apply
from engine.battles.payloads import InvalidPayload, Payload, event_key, read_payload
from engine.battles.rout import rout_state
from engine.battles.rules import BattleRules
from engine.battles.sentences import LIMITS, message
from engine.battles.state import BattleInPlay, FoldContext
from engine.battles.types import (
    UNDONE,
    BattleState,
    CombatantState,
    Event,
    Field,
    SideState,
)
from engine.records import TextByKey, copy_fields, frozen_dataclass


@frozen_dataclass
class BattleLog:
    """What a battle is folded from: its rules, what was locked, its events as they arrived."""

    rules: BattleRules
    field: Field
    events: tuple[Event, ...]

    def state_with(self, events: Iterable[Event] = ()) -> BattleState:
        """Return what the events come to, together with these further ones."""
        return fold(self.rules, self.field, [*self.events, *events])


def sort_events(events: Iterable[Event]) -> list[Event]:
    """Each event once, by ``seq``, then ``device``, then ``id`` (compared by code points).

    Clocks mean nothing.
    """
    # Of two events with one id the first in the order counts.
    once: dict[str, Event] = {}
    for event in sorted(events, key=lambda event: (event.seq, event.device, event.id)):
        once.setdefault(event.id, event)
    return list(once.values())


@dataclass(slots=True)
class EffectiveUndo:
    """An undo that worked: what it undoes, how many undos deep it stands."""

    target: str
    depth: int


def settle_undos(ordered: Sequence[Event]) -> tuple[Collection[str], TextByKey]:
    """The ids that are undone in the end, and for each undo why it was set aside ("" where it
    worked).

    Undos work in their order, each on an event before it: undoing an undo brings its event back,
    and what is undone already cannot be undone again.
    """
    place = {event.id: number for number, event in enumerate(ordered)}
    working: dict[str, EffectiveUndo] = {}
    against: dict[str, int] = {}
    verdicts: TextByKey = {}
    for number, event in enumerate(ordered):
        if event.kind != "undo":
            continue
        undone_id = event.payload.get("event") if isinstance(event.payload, dict) else None
        target = event_key(undone_id) if isinstance(undone_id, str) else ""
        depth = working[target].depth + 1 if target in working else 1
        if place.get(target, number) >= number:
            verdicts[event.id] = message("undo_unknown")
        elif against.get(target):
            verdicts[event.id] = message("undo_again")
        elif depth > LIMITS["undo_depth"]:
            verdicts[event.id] = message("undo_deep")
        else:
            verdicts[event.id] = ""
            working[event.id] = EffectiveUndo(target, depth)
            _count_undo(target, working, against)
    return {key for key, count in against.items() if count}, verdicts


def _count_undo(
    target: str, working: dict[str, EffectiveUndo], against: dict[str, int]
) -> None:
    """One more undo stands against the target; where that is an undo itself, one less against its
    own, and so on.
    """
    change = 1
    while True:
        before = against.get(target, 0)
        against[target] = before + change
        if bool(before) == bool(against[target]) or target not in working:
            return
        target, change = working[target].target, -change


Watch = Callable[[Event, Payload, str, BattleInPlay], None]
"""Called after each event with what was understood of it, its verdict, and the battle as it stands
then.
"""


def fold(
    rules: BattleRules, field: Field, events: Iterable[Event], watch: Watch | None = None
) -> BattleState:
    """What the events come to, whatever order, repeats and clocks they arrive with.

    Events are a set: they count in the order of (seq, device, id). One that cannot be understood by
    these rules, or that is not legal where it stands, does nothing, and its verdict says why.
    """
    game = BattleInPlay(FoldContext(rules, field))
    ordered = sort_events(events)
    undone, undos = settle_undos(ordered)
    verdicts: TextByKey = {}
    for event in ordered:
        game.begin(event.id)
        payload: Payload = {}
        verdict = UNDONE if event.id in undone else undos.get(event.id)
        try:
            payload = read_payload(game.ground, event.id, event.kind, event.payload)
        except InvalidPayload as error:
            verdict = verdict or str(error)
        else:
            # Undoing may have settled the verdict already.
            if verdict is None:
                verdict = apply(game, event, payload)
        verdicts[event.id] = verdict
        if watch:
            watch(event, payload, verdict, game)
    return _battle_state(game, verdicts)


def _battle_state(game: BattleInPlay, verdicts: TextByKey) -> BattleState:
    """Return the frozen state of the battle, with kills and verdicts on events."""
    # Kills are counted at the end: whoever was put out may have been brought back since.
    kills = dict.fromkeys([None, *game.men], 0)
    for man in game.men.values():
        kills[man.put_out_by] += 1
    marks = game.rules.marks.values()
    # Field by field, for copying them by name would cost a tenth of the whole fold.
    combatants = {
        key: CombatantState(
            state=man.state,
            is_out=game.is_out(man),
            wounds=man.wounds,
            marks=tuple(
                mark.id
                for mark in marks
                if mark.id in man.marks or (mark.shown_by and mark.shown_by == man.state)
            ),
            counters=man.counters,
            kills=kills[key],
            put_out_by=man.put_out_by,
            asks=man.asks,
            turn_began=man.turn_began,
            taken=tuple(man.taken),
        )
        for key, man in game.men.items()
    }
    sides = {
        key: SideState(
            out=game.count_out(flank),
            size=flank.side.size,
            counters=flank.counters,
            rout=rout_state(game, flank),
            has_routed=flank.has_routed,
            taken=tuple(flank.taken),
        )
        for key, flank in game.flanks.items()
    }
    return copy_fields(
        BattleState, game, combatants=combatants, sides=sides, verdicts=verdicts
    )
