"""What a change would move: the difference of two states of one campaign."""

from __future__ import annotations

from collections.abc import Mapping

from engine.growth.dues import COUNTS, Due, DueKey
from engine.growth.state import CampaignState, WarbandGrowth, warrior_json
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
        keys = [*before, *(key for key in after if key not in before)]
        return {
            key: (before.get(key), after.get(key))
            for key in keys
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
    set_aside: tuple[DueKey, ...] = ()
    counts_again: tuple[DueKey, ...] = ()
    acts_aside: tuple[int, ...] = ()
    acts_again: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything moves at all."""
        return self != GrowthDifference()


def difference(before: CampaignState, after: CampaignState) -> GrowthDifference:
    """Return what lies between two states, by warbands in their order."""
    # A warband may be founded, or its founding taken away, between the two.
    keys = dict.fromkeys([*before.warbands, *after.warbands])
    changes = (
        _warband_change(key, before.warbands.get(key), after.warbands.get(key))
        for key in keys
    )
    return GrowthDifference(
        warbands=tuple(change for change in changes if change.figures or change.warriors),
        opened=_only_in(after, before),
        closed=_only_in(before, after),
        set_aside=tuple(sorted(set(after.aside) - set(before.aside))),
        counts_again=tuple(key for key in before.aside if _counts(after, key)),
        acts_aside=_acts_only_in(after, before),
        acts_again=_acts_only_in(before, after),
    )


def _only_in(one: CampaignState, other: CampaignState) -> tuple[Due, ...]:
    """Return the dues that are open in the one state and not in the other."""
    known = {(due.warband, due.key) for due in other.open}
    return tuple(due for due in one.open if (due.warband, due.key) not in known)


def _acts_only_in(one: CampaignState, other: CampaignState) -> tuple[int, ...]:
    """Return the acts that are set aside in the one state and not in the other."""
    known = {act.number for act in other.acts_aside}
    return tuple(sorted({act.number for act in one.acts_aside} - known))


def _counts(state: CampaignState, key: DueKey) -> bool:
    """Return whether an answer counts in a state."""
    return state.answers.get(key) == COUNTS


def _warband_change(
    key: str, before: WarbandGrowth | None, after: WarbandGrowth | None
) -> WarbandChange:
    """Return what changes in a warband; None is one that is not there yet, or no more."""
    old, new = _figures(before), _figures(after)
    figures = {
        name: (old.get(name), new.get(name))
        for name in NUMBERS
        if old.get(name) != new.get(name)
    }
    return WarbandChange(key, figures, tuple(_warrior_changes(before, after)))


def _figures(warband: WarbandGrowth | None) -> JsonObject:
    """Return the figures of a warband as JSON tells them, none for none."""
    return warband.to_json() if warband else {}


def _warrior_changes(
    before: WarbandGrowth | None, after: WarbandGrowth | None
) -> list[WarriorChange]:
    """Return the warriors that differ, those who are new last."""
    old, new = _warriors(before), _warriors(after)
    changes = []
    for key in [*old, *(key for key in new if key not in old)]:
        if old.get(key) != new.get(key):
            holder = after if after and key in after.warriors else before
            name = holder.warriors[key].joined.name if holder else ""
            changes.append(WarriorChange(key, name, old.get(key), new.get(key)))
    return changes


def _warriors(warband: WarbandGrowth | None) -> dict[str, JsonObject]:
    """Return the warriors of a warband as JSON tells them, none for none."""
    if warband is None:
        return {}
    return {
        key: warrior_json(one, warband.stats[key]) for key, one in warband.warriors.items()
    }
