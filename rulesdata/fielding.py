"""An army list as a rule system fields it: with the system's own weapons, armour and options. Pure."""

from __future__ import annotations

from dataclasses import replace

from engine.types import Army, Profile, System


def with_system_equipment(army: Army, system: System) -> Army:
    """The list with the system's figures in the place of those of the same item, and its options beside the list's.

    A list keeps its own option where the system's has the same key. The list itself where the system changes nothing.
    """
    paid_once = system.unit_options_paid == "once"
    if not (system.weapons or system.armour or system.options or paid_once):
        return army
    return replace(
        army,
        unit_options_once=paid_once,
        weapons={**army.weapons, **system.weapons},
        armour={**army.armour, **system.armour},
        profiles={
            key: _with_system_options(profile, system) for key, profile in army.profiles.items()
        },
    )


def _with_system_options(profile: Profile, system: System) -> Profile:
    if profile.troop_type not in system.options_for:
        return profile
    known = {option.key for option in profile.all_options}
    more = tuple(option for option in system.options if option.key not in known)
    return replace(profile, options=(*profile.options, *more)) if more else profile
