"""What the guidelines say of a unit standing alone, and of each thing it may buy."""

from __future__ import annotations

from engine import choices
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.selection import command_prices
from engine.types.lists import Profile
from rulesdata.queries.lookup import Unit

# These speak of a whole warband, or of a choice not yet made.
_NOT_THE_UNITS = ("points.", "leader.", "option.")


def usual_options(profile: Profile) -> tuple[str, ...]:
    """What the unit is looked at with: priced defaults, and the first choice of each group that
    needs one.
    """
    keys = list(choices.listed_on_purchase(profile))
    for options in choices.required_groups(profile).values():
        free = any(o.is_default and not o.points for o in options)
        if not free and not any(o.key in keys for o in options):
            keys.append(choices.cheapest(options).key)
    return tuple(keys)


def _findings(unit: Unit, options: tuple[str, ...]) -> tuple[Finding, ...]:
    size = unit.profile.unit_size if unit.system.regiments else None
    entry = RosterEntry(unit.profile.key, count=(size[0] or 1) if size else 1, options=options)
    roster = Roster(unit.system.key, unit.army.key, variant=unit.system.variant, warriors=(entry,))
    return tuple(
        f for f in check(roster, unit.system, unit.army) if not f.code.startswith(_NOT_THE_UNITS)
    )


def advice_on(unit: Unit) -> dict[str, tuple[Finding, ...]]:
    """What the guidelines find on the unit alone (under the empty key), and what each purchase
    would add to that.
    """
    if unit.profile.key not in unit.army.profiles:
        return {}
    usual = usual_options(unit.profile)
    alone = _findings(unit, usual)
    known = {f.code for f in alone}
    found = {"": alone}
    keys = [*command_prices(unit.profile), *(o.key for o in unit.profile.all_options)]
    for key in keys:
        found[key] = tuple(f for f in _findings(unit, (*usual, key)) if f.code not in known)
    return found
