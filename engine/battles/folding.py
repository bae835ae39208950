"""The state of a battle out of the set of its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.battles.applying import apply
from engine.battles.game import BattleInPlay, CombatantInPlay, SideInPlay
from engine.battles.ground import FoldContext
from engine.battles.order import settle_undos, sort_events
from engine.battles.reading import InvalidPayload, Payload, read_payload
from engine.battles.rout import rout_state
from engine.battles.types import (
    UNDONE,
    BattleRules,
    BattleState,
    CombatantState,
    Event,
    Field,
    SideState,
)

Watch = Callable[[Event, Payload, str, BattleInPlay], None]
"""Called after each event with what was understood of it, its verdict, and the battle as it stands then."""


def fold(
    rules: BattleRules, field: Field, events: Iterable[Event], watch: Watch | None = None
) -> BattleState:
    """What the events come to, whatever order, repeats and clocks they arrive with.

    Events are a set: they count in the order of (seq, device, id). One that cannot be understood by these rules, or
    that is not legal where it stands, does nothing, and its verdict says why.
    """
    game = BattleInPlay(FoldContext(rules, field))
    ordered = sort_events(events)
    undone, undos = settle_undos(ordered)
    verdicts: dict[str, str] = {}
    for event in ordered:
        said, verdict = _fold_event(
            game, event, UNDONE if event.id in undone else undos.get(event.id)
        )
        verdicts[event.id] = verdict
        if watch:
            watch(event, said, verdict, game)
    return _battle_state(game, verdicts)


def _fold_event(game: BattleInPlay, event: Event, settled: str | None) -> tuple[Payload, str]:
    """One event and its verdict; ``settled`` is the verdict where undoing has settled it."""
    game.forget()
    try:
        said = read_payload(game.ground, event.id, event.kind, event.payload)
    except InvalidPayload as error:
        return {}, settled or str(error)
    if settled is not None:
        return said, settled
    return said, apply(game, event, said)


def _battle_state(game: BattleInPlay, verdicts: dict[str, str]) -> BattleState:
    kills: dict[str, int] = {}
    for man in game.men.values():
        if man.put_out_by is not None:
            kills[man.put_out_by] = kills.get(man.put_out_by, 0) + 1
    return BattleState(
        turn=game.turn,
        side=game.side,
        phase=game.phase,
        combatants={
            key: _combatant_state(game, man, kills.get(key, 0)) for key, man in game.men.items()
        },
        sides={key: _side_state(game, flank) for key, flank in game.flanks.items()},
        end=game.end,
        verdicts=verdicts,
    )


def _combatant_state(game: BattleInPlay, man: CombatantInPlay, kills: int) -> CombatantState:
    marks = (
        m.id
        for m in game.rules.marks.values()
        if m.id in man.marks or (m.shown_by and m.shown_by == man.state)
    )
    return CombatantState(
        state=man.state,
        is_out=game.is_out(man),
        wounds=man.wounds,
        marks=tuple(marks),
        counters=man.counters,
        kills=kills,
        put_out_by=man.put_out_by,
        asks=man.asks,
        turn_began=man.turn_began,
        taken=tuple(man.taken),
    )


def _side_state(game: BattleInPlay, flank: SideInPlay) -> SideState:
    return SideState(
        out=game.out_of(flank),
        size=flank.side.size,
        counters=flank.counters,
        rout=rout_state(game, flank),
        has_routed=flank.has_routed,
        taken=tuple(flank.taken),
    )
