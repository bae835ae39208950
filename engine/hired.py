"""Hired swords laid over an army list: units that a campaign's rules sell to a warband."""

from dataclasses import replace

from engine.roster import HiredUnit, RosterGrowth
from engine.types.lists import Army, Profile, StatLine

CATEGORY = "hired"


def with_hired(army: Army, growth: RosterGrowth | None) -> Army:
    """Return the army list with the hired swords that a roster names, by their ids.

    A unit of the list itself is never replaced.
    """
    hired = growth.hired if growth else ()
    profiles = {
        one.key: _profile(one, army) for one in hired if one.key not in army.profiles
    }
    # Most rosters have none, and share the list as it is kept.
    return replace(army, profiles={**army.profiles, **profiles}) if profiles else army


def _profile(one: HiredUnit, army: Army) -> Profile:
    """Return a hired sword as a unit of the list, with those of its arms that the list knows."""
    known = {**army.weapons, **army.armour}
    return Profile(
        key=one.key,
        name=one.name,
        army=army.key,
        category=CATEGORY,
        troop_type="infantry",
        points=one.points,
        lines=(StatLine(one.name, dict(one.stats), "model"),),
        default_items=tuple(key for key in one.gear if key in known),
    )
