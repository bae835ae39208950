"""Tie-breaks in their order, moved by buttons that send the form: without scripts, and without saving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.events.ties import TIE_BREAKS


@dataclass(frozen=True, slots=True)
class TieLine:
    """One tie-break of the form; the first cannot go up, nor the last down."""

    key: str
    name: str
    number: int
    is_first: bool
    is_last: bool


def tie_lines(keys: Sequence[str]) -> tuple[TieLine, ...]:
    """Those that are chosen, in their order. Unknown ones are left out here; the operation refuses them."""
    known = [key for key in keys if key in TIE_BREAKS]
    last = len(known) - 1
    return tuple(
        TieLine(key, TIE_BREAKS[key].name, place + 1, place == 0, place == last)
        for place, key in enumerate(known)
    )


def further_tie_lines(keys: Sequence[str]) -> tuple[TieLine, ...]:
    """Those that may still be added."""
    return tie_lines([key for key in TIE_BREAKS if key not in keys])


def move_tie(keys: Sequence[str], move: str) -> list[str]:
    """The order after a button: "up wins", "down wins", "drop wins", "add wins". Anything else changes nothing."""
    order = list(dict.fromkeys(key for key in keys if key in TIE_BREAKS))
    verb, _, key = move.partition(" ")
    if verb == "add" and key in TIE_BREAKS and key not in order:
        return [*order, key]
    if key not in order:
        return order
    place = order.index(key)
    if verb == "drop":
        order.remove(key)
    elif verb == "up" and place > 0:
        order[place - 1 : place + 1] = [key, order[place - 1]]
    elif verb == "down" and place < len(order) - 1:
        order[place : place + 2] = [order[place + 1], key]
    return order
