"""What a change of a growing campaign would move, in words: the difference of two folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from campaigns.queries.growth.names import CampaignNames
from engine.growth.campaign_fold import GrowthDifference, WarbandChange, WarriorChange
from engine.records import Texts, frozen_dataclass

LINES_MOST = 60
SAID = {"count": "models", "experience": "experience", "old_wounds": "old wounds"}
"""Numbers of a unit, by their keys."""


@frozen_dataclass
class GrowthPreview:
    """Everything a change would move, as sentences; none where nothing moves.

    ``more`` further lines are left out.
    """

    lines: Texts
    more: int = 0


def preview_of(names: CampaignNames, moved: GrowthDifference) -> GrowthPreview:
    """Return what a change would move, by warbands, then the rolls it opens and sets aside."""
    # Figures first: they are what most readers look for.
    lines = [line for one in moved.warbands for line in _warband_lines(names, one)]
    lines += _key_lines(
        names, "To roll or choose", ((due.warband, due.key) for due in moved.opened)
    )
    lines += _key_lines(names, "No longer called for", moved.set_aside)
    lines += _key_lines(names, "Counts again", moved.counts_again)
    if moved.acts_aside:
        lines.append(
            f"{_purchases(len(moved.acts_aside))} can no longer be, and no longer counts."
        )
    if moved.acts_again:
        lines.append(f"{_purchases(len(moved.acts_again))} counts again.")
    return GrowthPreview(tuple(lines[:LINES_MOST]), len(lines[LINES_MOST:]))


def _purchases(count: int) -> str:
    """Return so many acts in words."""
    return "1 purchase or other act" if count == 1 else f"{count} purchases or other acts"


# Figures of a warband


def _warband_lines(names: CampaignNames, change: WarbandChange) -> list[str]:
    """Return the figures of a warband that move, then its units, each line with its name."""
    # A warband that is about to be founded has no row yet.
    name = names.warband(change.warband) or "New warband"
    return [f"{name}: {words}." for words in change_phrases(names, change)]


def change_phrases(names: CampaignNames, change: WarbandChange) -> list[str]:
    """Return what moves in a warband without its name: figures, then its units."""
    found = []
    for key, (before, after) in change.figures.items():
        found += FIGURES[key](names, change.warband, before, after)
    return [*found, *_units(names, change)]


def _treasury(names: CampaignNames, _: str, before: Any, after: Any) -> list[str]:
    """Return each currency that moves."""
    old, new = before or {}, after or {}
    moved = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return [f"{names.currency(key)} {old.get(key, 0)} → {new.get(key, 0)}" for key in moved]


def _rating(_: CampaignNames, __: str, before: Any, after: Any) -> list[str]:
    """Return the rating; a warband that is not there has none."""
    return [f"rating {before or 0} → {after or 0}"]


def _territories(_: CampaignNames, __: str, ___: Any, after: Any) -> list[str]:
    """Return what a warband holds then."""
    return [f"territories: {_listed(after or ())}"]


def _stash(names: CampaignNames, warband: str, _: Any, after: Any) -> list[str]:
    """Return what lies in the stash then."""
    pieces = (names.gear(warband, item) for item in after or ())
    return [f"stash: {_listed(pieces)}"]


def _closed(_: CampaignNames, __: str, ___: Any, after: Any) -> list[str]:
    """Return that a warband ends, or goes on after all."""
    return ["disbanded" if after else "no longer disbanded"]


FIGURES: Mapping[str, Callable[[CampaignNames, str, Any, Any], list[str]]] = {
    "treasury": _treasury,
    "rating": _rating,
    "territories": _territories,
    "stash": _stash,
    "closed": _closed,
}
"""What is said of each figure of a warband, of its value before and after."""


# Its units


def _units(names: CampaignNames, change: WarbandChange) -> Iterable[str]:
    """Yield each unit that changes, with what changes of it."""
    for one in change.warriors:
        name = one.name or names.unit(change.warband, one.key)
        if one.before is None:
            yield f"{name} joins"
        elif one.after is None:
            yield f"{name} is no longer there"
        else:
            said = "; ".join(_unit_changes(names, change.warband, one))
            if said:
                yield f"{name}: {said}"


def _unit_changes(names: CampaignNames, warband: str, one: WarriorChange) -> Iterable[str]:
    """Yield what differs of a unit, in words."""
    for key, (before, after) in one.changed.items():
        write = WRITERS.get(key)
        if write is not None:
            yield write(names, before, after)
        elif key == "gear":
            gear = (names.gear(warband, item) for item in _texts(after))
            yield f"gear: {_listed(gear)}"
        elif key in SAID:
            yield f"{SAID[key]} {before or 0} → {after or 0}"


WRITERS: Mapping[str, Callable[[CampaignNames, Any, Any], str]] = {
    "gone": lambda names, before, after: (
        "out of the campaign" if after else "back in the warband"
    ),
    "captive_of": lambda names, before, after: (
        f"held by {names.warband(after)}" if after else "free"
    ),
    "stats": lambda names, before, after: _stat_words(after),
    "skills": lambda names, before, after: (
        f"skills: {_listed(map(names.skill, _texts(after)))}"
    ),
    "leader": lambda names, before, after: "leads" if after else "no longer leads",
    "kind": lambda names, before, after: f"now: {names.kind(after)}",
    "misses": lambda names, before, after: f"games to miss {_sum(before)} → {_sum(after)}",
}
"""What is said of each key of a unit, of its value before and after."""


def _stat_words(after: object) -> str:
    """Return the characteristics that are other than the profile's now."""
    changed = after if isinstance(after, Mapping) else {}
    told = ", ".join(f"{stat} {figure}" for stat, figure in changed.items())
    return f"characteristics: {told}" if told else "characteristics as in the list"


def _texts(value: object) -> list[str]:
    """Return a list of keys; JSON leaves out what is empty."""
    return list(value) if isinstance(value, list) else []


def _sum(value: object) -> int:
    """Return how many games all models of a unit miss together."""
    return sum(value) if isinstance(value, list) else 0


def _listed(words: Iterable[str]) -> str:
    """Return words one after another, "none" for none of them."""
    return ", ".join(words) or "none"


# What is asked, set aside and counted again


def _key_lines(
    names: CampaignNames, head: str, keys: Iterable[tuple[str, str]]
) -> list[str]:
    """Return the dues that keys name behind a head, one to the line, with whose they are."""
    return [
        f"{head}: {names.due_words(warband, key)} ({names.warband(warband)})."
        for warband, key in keys
    ]
