"""The one order in which events count, and which of them were undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.battles.reading import event_key
from engine.battles.sentences import LIMITS, message
from engine.battles.types import Event


def sort_events(events: Iterable[Event]) -> list[Event]:
    """Each event once, by ``seq``, then ``device``, then ``id`` (compared by code points). Clocks mean nothing."""
    once = {event.id: event for event in sorted(events, key=_place, reverse=True)}
    return sorted(once.values(), key=_place)


def _place(event: Event) -> tuple[int, str, str]:
    return event.seq, event.device, event.id


@dataclass(slots=True)
class EffectiveUndo:
    """An undo that worked: what it undoes, how many undos deep it stands."""

    target: str
    depth: int


def settle_undos(ordered: Sequence[Event]) -> tuple[Collection[str], dict[str, str]]:
    """The ids that are undone in the end, and for each undo why it was set aside ("" where it worked).

    Undos work in their order, each on an event before it: undoing an undo brings its event back, and what is undone
    already cannot be undone again.
    """
    place = {event.id: number for number, event in enumerate(ordered)}
    working: dict[str, EffectiveUndo] = {}
    against: dict[str, int] = {}
    verdicts: dict[str, str] = {}
    for number, event in enumerate(ordered):
        if event.kind != "undo":
            continue
        target = _undo_target(event)
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


def _count_undo(target: str, working: dict[str, EffectiveUndo], against: dict[str, int]) -> None:
    """One more undo stands against the target; where that is an undo itself, one less against its own, and so on."""
    change = 1
    while True:
        before = against.get(target, 0)
        against[target] = before + change
        if bool(before) == bool(against[target]) or target not in working:
            return
        target, change = working[target].target, -change


def _undo_target(event: Event) -> str:
    named = event.payload.get("event") if isinstance(event.payload, Mapping) else None
    return event_key(named) if isinstance(named, str) else ""
