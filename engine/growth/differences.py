"""What a change would move in a campaign: the difference of two of its states."""

from __future__ import annotations

from collections.abc import Mapping

from engine.growth.dues import (
    COUNTS,
    Due,
    DueKey,
)
from engine.growth.state import CampaignState, WarbandGrowth
from engine.records import JsonObject, frozen_dataclass

NUMBERS = ("treasury", "rating", "stash", "territories", "closed")
"""What is compared of a warband besides its warriors, by its keys in JSON."""
BeforeAfter = tuple[object, object]
"""A value before and after; None where there was or is none."""


@frozen_dataclass
class WarriorChange:
    """A warrior that changes: each key of its JSON that differs, before and after."""

    key: str
    name: str
    before: Mapping[str, object] | None
    after: Mapping[str, object] | None

    @property
    def changed(self) -> dict[str, BeforeAfter]:
        """Return what differs. Whoever comes or goes differs in everything."""
        before, after = self.before or {}, self.after or {}
        return {
            key: (before.get(key), after.get(key))
            for key in {**before, **after}
            if before.get(key) != after.get(key)
        }


@frozen_dataclass
class WarbandChange:
    """A warband that changes: ``figures`` by key, before and after, and its warriors."""

    warband: str
    figures: Mapping[str, BeforeAfter]
    warriors: tuple[WarriorChange, ...]


@frozen_dataclass
class GrowthDifference:
    """What a change moves, opens, sets aside, and lets count again."""

    warbands: tuple[WarbandChange, ...] = ()
    opened: tuple[Due, ...] = ()
    closed: tuple[Due, ...] = ()
    superseded: tuple[DueKey, ...] = ()
    counts_again: tuple[DueKey, ...] = ()
    superseded_acts: tuple[int, ...] = ()
    acts_again: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything moves at all."""
        return self != GrowthDifference()


def difference(before: CampaignState, after: CampaignState) -> GrowthDifference:
    """Return what lies between two states, by warbands in their order."""
    # A warband may be founded, or its founding taken away, between the two.
    changes = (
        _warband_change(key, before.warbands.get(key), after.warbands.get(key))
        for key in {**before.warbands, **after.warbands}
    )
    acts_before = {act.number for act in before.superseded_acts}
    acts_after = {act.number for act in after.superseded_acts}
    return GrowthDifference(
        warbands=tuple(change for change in changes if change.figures or change.warriors),
        opened=_only_in(after, before),
        closed=_only_in(before, after),
        superseded=tuple(sorted(set(after.superseded) - set(before.superseded))),
        counts_again=tuple(
            key for key in before.superseded if after.answers.get(key) == COUNTS
        ),
        superseded_acts=tuple(sorted(acts_after - acts_before)),
        acts_again=tuple(sorted(acts_before - acts_after)),
    )


def _only_in(state: CampaignState, other: CampaignState) -> tuple[Due, ...]:
    """Return the dues that are open in the one state and not in the other."""
    keys = {(due.warband, due.key) for due in other.open}
    return tuple(due for due in state.open if (due.warband, due.key) not in keys)


def _warband_change(
    key: str, before: WarbandGrowth | None, after: WarbandGrowth | None
) -> WarbandChange:
    """Return what changes in a warband; None is one that is not there yet, or no more."""
    old: JsonObject = before.to_json() if before else {}
    new: JsonObject = after.to_json() if after else {}
    figures = {
        name: (old.get(name), new.get(name))
        for name in NUMBERS
        if old.get(name) != new.get(name)
    }
    old_warriors, new_warriors = old.get("warriors", {}), new.get("warriors", {})
    changes = []
    # Those who are new come last.
    for warrior in {**old_warriors, **new_warriors}:
        previous, current = old_warriors.get(warrior), new_warriors.get(warrior)
        if previous != current:
            holder = after if current is not None else before
            name = holder.warriors[warrior].joined.name if holder else ""
            changes.append(WarriorChange(warrior, name, previous, current))
    return WarbandChange(key, figures, tuple(changes))
