"""Who joins a campaign warband, out of a roster or an army list: prices, characteristics, gear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.errors import Refusal
from engine.growth.rules import CampaignRules
from engine.growth.warriors import GearPiece, Joiner
from engine.records import Texts
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, select
from engine.types.lists import Army, Figure, Option
from rulesdata import registry
from warbands.exchange.document import shown

NO_UNIT = "{army} has no unit {unit}."
NO_OPTION = "{unit} cannot buy {option}."


def joiners_of(roster: Roster) -> tuple[Joiner, ...]:
    """Return who a roster brings, numbered w1, w2 and so on in its order.

    Raises Refusal naming the entry for what its army list does not sell.
    """
    _, army = registry.load_ruleset(roster)
    found = []
    for place, entry in enumerate(roster.warriors):
        joiner = joiner_of(army, entry, f"w{place + 1}", f"roster.warriors[{place}]")
        found.append(joiner)
    return tuple(found)


def joiner_of(army: Army, entry: RosterEntry, key: str, field: str) -> Joiner:
    """Return an entry of a roster as somebody who joins, at the prices of its list.

    Raises Refusal naming a key below ``field``, or the key alone without one.
    """
    # What a roster keeps from before is no price of its list.
    selection = select(army, replace(entry, kept=None))
    profile = selection.profile
    if profile is None:
        words = NO_UNIT.format(army=army.name, unit=shown(entry.profile))
        raise Refusal(words, field=_below(field, "profile"))
    if selection.unknown:
        words = NO_OPTION.format(unit=profile.name, option=shown(selection.unknown[0]))
        raise Refusal(words, field=_below(field, "options"))
    gear = _gear(selection)
    # What the category of a unit is called, as rules of campaigns may name it.
    category = army.category(profile.category)
    headings = (category.name, category.plural) if category else ()
    return Joiner(
        key=key,
        profile=profile.key,
        price=selection.points_each - sum(piece.paid for piece in gear),
        stats=_stats(profile.lines[0].stats if profile.lines else {}),
        name=entry.name,
        category=profile.category,
        headings=headings,
        troop_type=profile.troop_type,
        count=entry.count,
        gear=gear,
        is_leader=entry.is_leader,
        is_hired=profile.joining.upkeep is not None,
        upkeep=profile.joining.upkeep or 0,
        experience=profile.joining.experience,
    )


def hired_joiner(rules: CampaignRules, army: str, profile: str, key: str) -> Joiner:
    """Return a hired sword of the rules. Raises Refusal for one who is not for hire."""
    for sword in rules.hired:
        if sword.id == profile and (not sword.armies or army in sword.armies):
            return Joiner(
                key=key,
                profile=sword.id,
                price=sword.price,
                stats=dict(sword.stats),
                name=sword.name,
                is_hired=True,
                upkeep=sword.upkeep,
            )
    raise Refusal(f"{shown(profile)} is not for hire.", field="profile")


def find_option(army: Army, profile: str, key: str) -> Option | None:
    """Return what a list sells to a unit by its key."""
    unit = army.profiles.get(profile)
    options = unit.options if unit else ()
    return next((option for option in options if option.key == key), None)


# Prices and gear


def option_price(army: Army, entry: RosterEntry, option: str) -> int | None:
    """Return the price of an option beside those an entry has; None: it is not sold."""
    selection = select(army, entry)
    if selection.profile is None:
        return None
    if all(one.key != option for one in selection.profile.options):
        return None
    # The difference of two prices, for some options change the price of others.
    had = known_options(army, entry)
    before = select(army, RosterEntry(entry.profile, options=had))
    after = select(army, RosterEntry(entry.profile, options=(*had, option)))
    return after.points_each - before.points_each


def known_options(army: Army, entry: RosterEntry) -> Texts:
    """Return what an entry has that its list knows: options, command models, magic items."""
    unknown = select(army, entry).unknown
    return tuple(key for key in entry.options if key not in unknown)


def _gear(selection: Selection) -> tuple[GearPiece, ...]:
    """Return what an entry has bought beyond its profile, in the order bought.

    What is paid once for a regiment is no piece of a model, and part of no price here.
    """
    lines = {line.key: line for line in selection.receipt if line.key and not line.is_once}
    found = []
    for key in selection.entry.options:
        # A receipt has one line for a thing bought several times.
        line = lines.get(key)
        found.append(GearPiece(key, line.each if line else 0))
    return tuple(found)


def _stats(stats: Mapping[str, Figure]) -> dict[str, int]:
    """Return a stat line as whole numbers; what is no number counts as 0, and stays so."""
    return {key: figure if isinstance(figure, int) else 0 for key, figure in stats.items()}


def _below(field: str, key: str) -> str:
    """Return the path of a key."""
    return f"{field}.{key}" if field else key
