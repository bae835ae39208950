"""What was changed about an event, as its log keeps it and as it says so in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMES = {
    "points_limit": "points limit",
    "rounds_planned": "number of rounds",
    "odd": "odd numbers",
    "house_rules": "house rules",
    "scenarios": "scenario pool",
    "levels": "levels of guidelines",
    "needs_list": "lists handed in",
    "is_secret": "secrecy of lists",
    "has_core": "core that must stay",
    "steps": "steps after a battle",
    "points_win": "points for a win",
    "points_draw": "points for a draw",
    "points_loss": "points for a loss",
    "points_bye": "points for a bye",
    "points_unplayed": "points for a game not played",
    "tie_breaks": "tie-breaks",
    "confirm_days": "days to answer",
}
"""What a column is called; the others by their own name."""
SHORT = (str, int, bool, type(None))
SHOWN_MAX = 60


def changes_between(before: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, list[Any]]:
    """By column: what it was and what it became."""
    return {name: [before[name], value] for name, value in changed.items()}


def change_sentence(changes: Mapping[str, list[Any]]) -> str:
    """One sentence that names all that was changed, with the figures where they are short."""
    told = [_change_words(NAMES.get(name, name), *pair) for name, pair in changes.items()]
    return f"Changed: {'; '.join(told)}."


def _change_words(name: str, was: Any, now: Any) -> str:
    if not (isinstance(was, SHORT) and isinstance(now, SHORT)) or "" in (was, now):
        return name
    told = f"{name} from {_figure(was)} to {_figure(now)}"
    return told if len(told) <= SHOWN_MAX else name


def _figure(value: Any) -> str:
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
