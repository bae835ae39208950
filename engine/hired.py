"""Hired swords laid over an army list: units that a campaign's rules sell to a warband."""

from dataclasses import replace

from engine.roster import RosterGrowth
from engine.types.lists import Army, JoiningTerms, Profile, StatLine


def with_hired(army: Army, growth: RosterGrowth | None) -> Army:
    """Return the army list with the hired swords that a roster names, by their ids.

    A unit of the list itself is never replaced.
    """
    hired = growth.hired if growth else ()
    # With those of its arms that the list knows.
    items = {**army.weapons, **army.armour}
    profiles = {
        unit.key: Profile(
            key=unit.key,
            name=unit.name,
            army=army.key,
            category="hired",
            troop_type="infantry",
            points=unit.points,
            lines=(StatLine(unit.name, dict(unit.stats), "model"),),
            default_items=tuple(key for key in unit.gear if key in items),
            joining=JoiningTerms(upkeep=0),
        )
        for unit in hired
        if unit.key not in army.profiles
    }
    # Most rosters have none, and share the list as it is kept.
    return replace(army, profiles={**army.profiles, **profiles}) if profiles else army
