"""Load-outs of an attacker side by side: one option more or less, or sets that somebody chose."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from operator import attrgetter

from engine.errors import Refusal
from engine.option_rules import rivals
from engine.records import Texts, frozen_dataclass
from engine.selection import select
from engine.types.lists import Army, Option, Profile
from odds.circumstances import Encounter
from odds.combat_profiles import read_combat_profile
from odds.exhibits import percent
from rulesdata import registry
from warbands.queries.odds_subjects import OddsSubject, open_options

LOAD_OUTS_SHOWN = 12
COLUMNS = ("2", "3", "4")
"""How many sets of gear somebody may choose; more are no comparison on a phone."""


@frozen_dataclass
class BothStrike:
    """One phase in which both strike: the chance that each is out at its end.

    ``order`` says who strikes first and why.
    """

    takes_out: Fraction
    is_taken_out: Fraction
    order: str

    @property
    def percents(self) -> Texts:
        return percent(self.takes_out), percent(self.is_taken_out)


@frozen_dataclass
class LoadOut:
    """An attacker with other gear, beside what was chosen.

    ``points`` are what one model costs then. ``chance`` is that of taking the target out in one
    phase, ``fight`` the fight in which both strike.
    """

    points: int
    chance: Fraction
    fight: BothStrike | None
    name: str = ""

    @property
    def figures(self) -> tuple[Fraction, BothStrike | None]:
        """What dice say of it."""
        return self.chance, self.fight

    @property
    def percent(self) -> str:
        return percent(self.chance)

    @property
    def price(self) -> str:
        """The points of models for each casualty that they cause in one phase."""
        if not self.points or not self.chance:
            return "–"
        return f"{float(self.points / self.chance):.0f}"


@frozen_dataclass
class OwnLoadOut:
    """A column of the comparison: each option with whether it is taken, and what that comes to.

    ``fault`` says why the options cannot be had together.
    """

    number: int
    ticks: tuple[tuple[Option, bool], ...]
    fault: Refusal | None = None
    load_out: LoadOut | None = None


def both_strike(met: Encounter) -> BothStrike | None:
    """A fight in which both strike, in their order; None where these rules roll it as one.

    The attacker's circumstances are those of the page. The target answers with the weapon it holds,
    does not charge, and stands. Whoever charges strikes first, then whoever has the higher
    Initiative; equals strike at once, so that both may fall. Weapons that strike last or first by a
    rule of their own are not looked at: the note below the table says what is not counted.
    """
    if met.mode.both_strike is None:
        return None
    settings = {
        **met.settings,
        "charging": False,
        "state": "standing",
        "weapon": met.settings.get("against", ""),
        "against": met.settings.get("weapon", ""),
    }
    back = met._replace(attacker=met.target, target=met.attacker, settings=settings)
    blow, counter = _blow(met), _blow(back)
    if blow is None or counter is None:
        return None
    (out, down), (out_back, down_back) = blow, counter
    mine, theirs = met.attacker.figure("initiative"), met.target.figure("initiative")
    # Who is down, stunned or out before its turn does not strike.
    if met.settings.get("charging"):
        order = f"{met.attacker.title} charges and strikes first."
        out_back *= 1 - down
    elif mine is None or theirs is None or mine == theirs:
        order = "Both strike at once."
    elif mine > theirs:
        order = f"{met.attacker.title} strikes first: higher Initiative."
        out_back *= 1 - down
    else:
        order = f"{met.target.title} strikes first: higher Initiative."
        out *= 1 - down_back
    return BothStrike(out, out_back, order)


def _blow(met: Encounter) -> tuple[Fraction, Fraction] | None:
    """The chances that the target is out, and that it cannot strike back.

    None where the attacker has nothing to strike with in these rules.
    """
    out, down = (met.measured(measure) for measure in met.mode.both_strike or ())
    return None if out is None or down is None else (out, down)


def load_outs(met: Encounter, first: OddsSubject) -> tuple[LoadOut, ...]:
    """The attacker as chosen, and with one option more or less where that changes its dice."""
    army = _load_army(met, first)
    if army is None:
        return ()
    load_outs: list[LoadOut] = []
    for name, options in _gear_sets(army.profiles.get(first.entry.profile), first):
        measured = _measure(met, first, army, options)
        if measured is None:
            continue
        if not load_outs or measured.figures != load_outs[0].figures:
            load_outs.append(replace(measured, name=name))
    return tuple(load_outs[:LOAD_OUTS_SHOWN]) if len(load_outs) > 1 else ()


def _gear_sets(profile: Profile | None, first: OddsSubject) -> Iterator[tuple[str, Texts]]:
    """What was chosen, then each change of one option, with its name.

    An option that excludes others takes their place, as in the builder.
    """
    current = first.entry.options
    yield "As chosen", current
    for option in open_options(profile) if profile else ():
        if option.key in current:
            left = tuple(key for key in current if key != option.key)
            yield f"Without {option.name}", left
        else:
            excluded = rivals(option, profile)
            left = tuple(key for key in current if key not in excluded)
            yield f"With {option.name}", (*left, option.key)


def own_load_outs(
    met: Encounter, first: OddsSubject, sets: Sequence[Texts | None]
) -> tuple[OwnLoadOut, ...]:
    """A column for each set of options that somebody chose freely.

    None in the place of a set is what the attacker has.
    """
    army = _load_army(met, first)
    if army is None or first.entry.profile not in army.profiles:
        return ()
    profile = army.profiles[first.entry.profile]
    current, choosable = first.entry.options, open_options(profile)
    # What no dice feel is bought in every column alike.
    open_keys = set(map(attrgetter("key"), choosable))
    besides = [key for key in current if key not in open_keys]
    columns = []
    for number, chosen in enumerate(sets, 1):
        keys = current if chosen is None else chosen
        ticks = tuple((option, option.key in keys) for option in choosable)
        options = [option for option in choosable if option.key in keys]
        fault, load_out = _clash(options, profile, number), None
        if fault is None:
            bought = (*besides, *map(attrgetter("key"), options))
            load_out = _measure(met, first, army, bought)
        columns.append(OwnLoadOut(number, ticks, fault, load_out))
    return tuple(columns)


def _clash(options: Sequence[Option], profile: Profile, number: int) -> Refusal | None:
    """Why these options cannot be had together, or None."""
    for option, other in combinations(options, 2):
        if other.key in rivals(option, profile):
            names = f"choose {option.name} or {other.name}, not both"
            return Refusal(f"Load-out {number}: {names}.", field=f"l{number}")
    return None


def _load_army(met: Encounter, first: OddsSubject) -> Army | None:
    """The attacker's list under these rules, or None where they do not field it."""
    try:
        return registry.load_army(met.system.key, first.army, met.system.variant)
    except registry.UnknownKey:
        return None


def _measure(
    met: Encounter, first: OddsSubject, army: Army, options: Texts
) -> LoadOut | None:
    """The attacker with these options and its best weapon.

    None where it has nothing to strike with.
    """
    entry = replace(first.entry, options=options)
    fighter = read_combat_profile(entry, army, met.system)
    if fighter is None:
        return None
    best: tuple[Fraction, Encounter] | None = None
    for weapon in fighter.melee:
        armed = met._replace(
            attacker=fighter, settings={**met.settings, "weapon": weapon.key}
        )
        chance = armed.measured(met.mode.headlines[0][0])
        if chance is not None and (best is None or chance > best[0]):
            best = chance, armed
    if best is None:
        return None
    return LoadOut(select(army, entry).points_each, best[0], both_strike(best[1]))
