"""What a change of a growing campaign would move, in words: the difference of two folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from campaigns.queries.growth.presenter import CampaignPresenter
from engine.growth.campaign_fold import GrowthDifference, WarbandChange
from engine.records import Texts, frozen_dataclass

LINES_MOST = 60


@frozen_dataclass
class GrowthPreview:
    """Everything a change would move, as sentences; none where nothing moves.

    ``more`` further lines are left out.
    """

    lines: Texts
    more: int = 0


def build_preview(campaign: CampaignPresenter, moved: GrowthDifference) -> GrowthPreview:
    """Return what a change would move, by warbands, then the rolls it opens and sets aside."""
    # Figures first: they are what most readers look for. A warband that is about to be founded has
    # no row yet.
    lines = [
        f"{campaign.warband(change.warband) or 'New warband'}: {words}."
        for change in moved.warbands
        for words in change_phrases(campaign, change)
    ]
    for head, keys in (
        ("To roll or choose", tuple((due.warband, due.key) for due in moved.opened)),
        ("No longer called for", moved.set_aside),
        ("Counts again", moved.counts_again),
    ):
        lines += [
            f"{head}: {campaign.due_words(*key)} ({campaign.warband(key[0])})."
            for key in keys
        ]
    for acts, words in (
        (moved.acts_aside, "can no longer be, and no longer counts"),
        (moved.acts_again, "counts again"),
    ):
        count = len(acts)
        what = "purchase or other act" if count == 1 else "purchases or other acts"
        lines += [f"{count} {what} {words}."] * bool(count)
    return GrowthPreview(tuple(lines[:LINES_MOST]), len(lines[LINES_MOST:]))


def change_phrases(campaign: CampaignPresenter, change: WarbandChange) -> list[str]:
    """Return what moves in a warband without its name: figures, then its units."""
    token = change.warband
    phrases = []
    for key, pair in change.figures.items():
        if key == "treasury":
            old, new = _sums(pair[0]), _sums(pair[1])
            phrases += [
                f"{campaign.currency(one)} {old.get(one, 0)} → {new.get(one, 0)}"
                for one in {**old, **new}
                if old.get(one) != new.get(one)
            ]
        else:
            phrases.append(CHANGES[key](campaign, token, *pair))
    for unit in change.warriors:
        name = unit.name or campaign.unit(token, unit.key)
        if unit.before is None:
            phrases.append(f"{name} joins")
        elif unit.after is None:
            phrases.append(f"{name} is no longer there")
        else:
            changes = (
                _unit_change(campaign, token, key, *pair)
                for key, pair in unit.changed.items()
            )
            phrases.append(f"{name}: {'; '.join(changes)}")
    return phrases


def _unit_change(
    campaign: CampaignPresenter, token: str, key: str, old: Any, new: Any
) -> str:
    """Return what is said of a key of a unit: lasting injuries are counted under their verbs."""
    if key in CHANGES:
        return CHANGES[key](campaign, token, old, new)
    return f"{key.replace('_', ' ')} {old or 0} → {new or 0}"


CHANGES: Mapping[str, Callable[[CampaignPresenter, str, Any, Any], str]] = {
    # A warband that is not there has no rating.
    "rating": lambda campaign, token, old, new: f"rating {old or 0} → {new or 0}",
    "territories": lambda campaign, token, old, new: f"territories: {_listed(new)}",
    "stash": lambda campaign, token, old, new: (
        f"stash: {_listed(campaign.gear(token, item) for item in new or ())}"
    ),
    "closed": lambda campaign, token, old, new: (
        "disbanded" if new else "no longer disbanded"
    ),
    "gone": lambda campaign, token, old, new: (
        "out of the campaign" if new else "back in the warband"
    ),
    "captive_of": lambda campaign, token, old, new: (
        f"held by {campaign.warband(new)}" if new else "free"
    ),
    "stats": lambda campaign, token, old, new: (
        f"characteristics: {', '.join(f'{stat} {figure}' for stat, figure in new.items())}"
        if new
        else "characteristics as in the list"
    ),
    "skills": lambda campaign, token, old, new: (
        f"skills: {_listed(map(campaign.skill, new or ()))}"
    ),
    "gear": lambda campaign, token, old, new: (
        f"gear: {_listed(campaign.gear(token, item) for item in new or ())}"
    ),
    "leader": lambda campaign, token, old, new: "leads" if new else "no longer leads",
    "kind": lambda campaign, token, old, new: f"now: {campaign.kind(new)}",
    "misses": lambda campaign, token, old, new: (
        f"games to miss {sum(old or ())} → {sum(new or ())}"
    ),
    "count": lambda campaign, token, old, new: f"models {old or 0} → {new or 0}",
    "experience": lambda campaign, token, old, new: f"experience {old or 0} → {new or 0}",
}
"""What is said of each figure of a warband, and of each key of a unit: before and after."""


def _sums(treasury: Any) -> dict[str, int]:
    """Return a treasury; a warband that is not there has none."""
    return treasury or {}


def _listed(names: Iterable[str] | None) -> str:
    """Return names one after another, "none" for none of them."""
    return ", ".join(names or ()) or "none"
