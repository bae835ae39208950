"""Load-outs of an attacker side by side: one option more or less, or sets that somebody chose."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from engine.errors import Refusal
from engine.option_rules import rivals
from engine.records import Texts, frozen_dataclass
from engine.selection import select
from engine.types.lists import Army, Option, Profile
from odds.circumstances import Encounter
from odds.combat_profiles import combat_profile_of
from odds.exhibits import percent
from odds.fight_modes import FightMode
from rulesdata import registry
from warbands.queries.odds_subjects import OddsSubject, open_options

LOAD_OUTS_SHOWN = 12
COLUMNS = ("2", "3", "4")
"""How many sets of gear somebody may choose; more are no comparison on a phone."""


@frozen_dataclass
class BothStrike:
    """One phase in which both strike: the chance that each is out at its end, and of neither.

    ``order`` says who strikes first and why.
    """

    takes_out: Fraction
    is_taken_out: Fraction
    neither: Fraction
    order: str

    @property
    def percents(self) -> Texts:
        return percent(self.takes_out), percent(self.is_taken_out), percent(self.neither)


@frozen_dataclass
class LoadOut:
    """An attacker with other gear, beside what was chosen.

    ``options`` are what it has bought; ``points`` what one model costs then. ``chance`` is that of
    taking the target out in one phase, ``fight`` the fight in which both strike.
    """

    name: str
    options: Texts
    points: int
    chance: Fraction
    fight: BothStrike | None
    is_chosen: bool = False

    @property
    def percent(self) -> str:
        return percent(self.chance)

    @property
    def price(self) -> str:
        """The points of models for each casualty that they cause in one phase."""
        return (
            f"{float(self.points / self.chance):.0f}"
            if self.points and self.chance
            else "–"
        )


@frozen_dataclass
class OwnLoadOut:
    """A column of the comparison: each option with whether it is taken, and what that comes to.

    ``fault`` says why the options cannot be had together.
    """

    number: int
    ticks: tuple[tuple[Option, bool], ...]
    options: Texts
    fault: Refusal | None = None
    found: LoadOut | None = None


def both_strike(bout: FightMode, met: Encounter) -> BothStrike | None:
    """A fight in which both strike, in their order; None where these rules roll it as one.

    The attacker's circumstances are those of the page. The target answers with the weapon it holds,
    does not charge, and stands. Whoever charges strikes first, then whoever has the higher
    Initiative; equals strike at once, so that both may fall.
    """
    if bout.BOTH_STRIKE is None:
        return None
    # Whoever strikes back did not charge, and stands.
    given = {**met.given, "charging": False, "state": "standing"}
    given |= {
        "weapon": met.given.get("against", ""),
        "against": met.given.get("weapon", ""),
    }
    back = Encounter(met.system, met.rules, met.target, met.attacker, given)
    blow, counter = _blow(bout, met), _blow(bout, back)
    if blow is None or counter is None:
        return None
    first, order = _first_to_strike(met)
    (out, down), (out_back, down_back) = blow, counter
    # Who is down, stunned or out before its turn does not strike.
    takes_out = out * (1 - down_back) if first < 0 else out
    is_taken_out = out_back * (1 - down) if first > 0 else out_back
    both = Fraction(0) if first else out * out_back
    return BothStrike(takes_out, is_taken_out, 1 - takes_out - is_taken_out + both, order)


def _blow(bout: FightMode, met: Encounter) -> tuple[Fraction, Fraction] | None:
    """The chances that the target is out, and that it cannot strike back.

    None where the attacker has nothing to strike with in these rules.
    """
    assert bout.BOTH_STRIKE
    out, down = (bout.measured(met, measure) for measure in bout.BOTH_STRIKE)
    return None if out is None or down is None else (out, down)


def _first_to_strike(met: Encounter) -> tuple[int, str]:
    """1 for the attacker, -1 for the target, 0 for both at once; and why.

    Weapons that strike last or first by a rule of their own are not looked at: the note below the
    table says what is not counted.
    """
    if met.given.get("charging"):
        return 1, f"{met.attacker.title} charges and strikes first."
    mine, theirs = met.attacker.figure("initiative"), met.target.figure("initiative")
    if mine is None or theirs is None or mine == theirs:
        return 0, "Both strike at once."
    quicker = met.attacker if mine > theirs else met.target
    return (
        1 if mine > theirs else -1
    ), f"{quicker.title} strikes first: higher Initiative."


def load_outs(bout: FightMode, met: Encounter, first: OddsSubject) -> tuple[LoadOut, ...]:
    """The attacker as chosen, and with one option more or less where that changes its dice."""
    army = _army_of(met, first)
    if army is None:
        return ()
    found: list[LoadOut] = []
    for name, options in _gear_sets(_profile_of(army, first), first.entry.options):
        one = _measured(bout, met, (first, army), options)
        if one is None:
            continue
        one = replace(one, name=name, is_chosen=not found)
        if not found or (one.chance, one.fight) != (found[0].chance, found[0].fight):
            found.append(one)
    return tuple(found[:LOAD_OUTS_SHOWN]) if len(found) > 1 else ()


def own_load_outs(
    bout: FightMode, met: Encounter, first: OddsSubject, sets: Sequence[Texts | None]
) -> tuple[OwnLoadOut, ...]:
    """A column for each set of options that somebody chose freely.

    None in the place of a set is what the attacker has.
    """
    army = _army_of(met, first) if sets else None
    if army is None or _profile_of(army, first) is None:
        return ()
    columns = []
    for number, chosen in enumerate(sets, 1):
        keys = first.entry.options if chosen is None else chosen
        column = _column((first, army), number, keys)
        if column.fault is None:
            found = _measured(bout, met, (first, army), column.options)
            column = replace(column, found=found)
        columns.append(column)
    return tuple(columns)


def _column(who: tuple[OddsSubject, Army], number: int, keys: Texts) -> OwnLoadOut:
    """A column of these options, not measured yet."""
    first, army = who
    profile = army.profiles[first.entry.profile]
    may = open_options(profile)
    ticks = tuple((option, option.key in keys) for option in may)
    taken = [option for option, is_taken in ticks if is_taken]
    felt = {option.key for option in may}
    # What no dice feel is bought in every column alike.
    besides = [key for key in first.entry.options if key not in felt]
    options = (*besides, *(option.key for option in taken))
    return OwnLoadOut(number, ticks, options, _clash(taken, profile, number))


def _clash(taken: Sequence[Option], profile: Profile, number: int) -> Refusal | None:
    """Why these options cannot be had together, or None."""
    pairs = combinations(taken, 2)
    clash = next((p for p in pairs if p[1].key in rivals(p[0], profile)), None)
    if clash is None:
        return None
    one, other = clash
    sentence = f"Load-out {number}: choose {one.name} or {other.name}, not both."
    return Refusal(sentence, field=f"l{number}")


def _army_of(met: Encounter, first: OddsSubject) -> Army | None:
    """The attacker's list under these rules, or None where they do not field it."""
    try:
        return registry.load_army(met.system.key, first.army, met.system.variant)
    except registry.UnknownKey:
        return None


def _profile_of(army: Army, first: OddsSubject) -> Profile | None:
    return army.profiles.get(first.entry.profile)


def _measured(
    bout: FightMode, met: Encounter, who: tuple[OddsSubject, Army], options: Texts
) -> LoadOut | None:
    """The attacker with these options; None where it has nothing to strike with."""
    first, army = who
    entry = replace(first.entry, options=options)
    fighter = combat_profile_of(entry, army, met.system)
    measure = bout.HEADLINES[0][0]
    armed = met._replace(attacker=fighter) if fighter else None
    best = _best_armed(bout, armed, measure) if armed else None
    if best is None:
        return None
    chance, meeting = best
    points = select(army, entry).points_each
    return LoadOut("", options, points, chance, both_strike(bout, meeting))


def _gear_sets(profile: Profile | None, taken: Texts) -> Iterator[tuple[str, Texts]]:
    """What was chosen, then each change of one option, with its name.

    An option that excludes others takes their place, as in the builder.
    """
    yield "As chosen", taken
    for option in open_options(profile) if profile else ():
        if option.key in taken:
            yield f"Without {option.name}", tuple(key for key in taken if key != option.key)
        else:
            shut_out = rivals(option, profile)
            kept = tuple(key for key in taken if key not in shut_out)
            yield f"With {option.name}", (*kept, option.key)


def _best_armed(
    bout: FightMode, met: Encounter, measure: str
) -> tuple[Fraction, Encounter] | None:
    """The best chance with any of the attacker's weapons, and the meeting with that one."""
    best: tuple[Fraction, Encounter] | None = None
    for held in met.attacker.melee:
        armed = met._replace(given={**met.given, "weapon": held.key})
        chance = bout.measured(armed, measure)
        if chance is not None and (best is None or chance > best[0]):
            best = chance, armed
    return best
