"""Who is asked about: a warrior of a warband, of a starter, or a profile of a list, each with an
address of its own.

``w:<token>:<warrior>``, ``s:<starter>:<place>`` and ``p:<book>:<army>:<profile>``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from operator import attrgetter

from accounts.owner import Owner
from engine.errors import Refusal
from engine.hired import with_hired
from engine.option_rules import listed_on_purchase, rivals
from engine.records import Fields, Texts, frozen_dataclass
from engine.roster import PRINTED, Agreement, Roster, RosterEntry, RosterGrowth
from engine.selection import select
from engine.types.lists import CHAMPION, Army, Option, Profile
from engine.types.systems import System, system_address
from odds.circumstances import Encounter
from odds.combat_profiles import CombatProfile, read_combat_profile
from odds.exhibits import percent
from odds.fight_modes import UnknownSubject, ruleset
from rulesdata import registry
from rulesdata.own_lists import is_own
from warbands.queries.lists import starter
from warbands.queries.records import NO_NAME
from warbands.queries.warbands import build_roster, read_warband

KEY_MAX, OPTIONS_MAX = 200, 40
LOAD_OUTS_SHOWN = 12
COLUMNS = ("2", "3", "4")
"""How many sets of gear somebody may choose; more are no comparison on a phone."""


@frozen_dataclass
class OddsSubject:
    """One warrior as it was chosen.

    ``book`` is the address of the rules it was made for, ``agreed`` what its warband plays there.
    """

    key: str
    book: str
    army: str
    entry: RosterEntry
    where: str
    options: tuple[Option, ...] = ()
    agreed: Agreement = PRINTED
    growth: RosterGrowth | None = None


@frozen_dataclass
class OddsWarband:
    """A warband for a table of everybody against everybody, stored or ready made."""

    key: str
    name: str
    roster: Roster

    @property
    def book(self) -> str:
        return system_address(self.roster.system, self.roster.variant)

    @property
    def agreed(self) -> Agreement:
        """What it plays under its own rules."""
        return registry.get_agreement(self.roster)


def profile_under_system(subject: OddsSubject, system: System) -> CombatProfile | None:
    """The warrior under a system: as that system fields its list, or by the figures of its own
    where it does not.
    """
    try:
        army = registry.fielded_army(system, subject.army)
    except registry.UnknownKey:
        system = ruleset(subject.book)
        army = registry.fielded_army(system, subject.army)
    return read_combat_profile(subject.entry, with_hired(army, subject.growth), system)


def find_odds_warband(actor: Owner, key: str) -> OddsWarband:
    """The warband of a key.

    Raises Refusal for one that cannot be read, UnknownSubject where there is none to see.
    """
    kind, _, rest = key.partition(":")
    if kind == "w":
        # Three queries: dice ask for no scenario and no history.
        stored = read_warband(actor, rest)
        if stored is None:
            raise UnknownSubject("There is no such warband, or it is not shared with you.")
        name, roster = stored[0].name or NO_NAME, build_roster(*stored)
    elif kind == "s":
        ready_made = starter(rest) if len(rest) <= KEY_MAX else None
        if ready_made is None:
            raise UnknownSubject("There is no such starter warband.")
        name, roster = ready_made.roster.name, ready_made.roster
    else:
        raise Refusal("A warband is written w:<its token> or s:<a starter>.", field="band")
    band = OddsWarband(key, name, roster)
    ruleset(band.book)
    return band


def members(band: OddsWarband) -> tuple[OddsSubject, ...]:
    """Everybody of a warband, in order."""
    system = ruleset(band.book)
    army = registry.load_army(system.key, band.roster.army, system.variant)
    # The entries of a starter are stored nowhere and have no ids.
    is_starter = band.key.startswith("s:")
    return tuple(
        OddsSubject(
            key=f"{band.key}:{place if is_starter else entry.id}",
            book=band.book,
            army=band.roster.army,
            entry=entry,
            where=f"{band.name}, {army.name}",
            agreed=band.agreed,
            # Hired swords are in no army list; their warband's growth says what they are.
            growth=band.roster.growth,
        )
        for place, entry in enumerate(band.roster.warriors)
    )


def find_odds_subject(
    actor: Owner,
    key: str,
    options: Sequence[str] = (),
    warbands: dict[str, OddsWarband] | None = None,
) -> OddsSubject:
    """The warrior of a key; ``warbands`` keeps those that were loaded already.

    Raises Refusal or UnknownSubject.
    """
    if not 0 < len(key) <= KEY_MAX:
        raise Refusal(f"A unit's key has 1 to {KEY_MAX} characters.", field="a")
    if key.startswith("p:"):
        return _profile_subject(key, options)
    band_key, _, place = key.rpartition(":")
    warbands = {} if warbands is None else warbands
    if band_key not in warbands:
        warbands[band_key] = find_odds_warband(actor, band_key)
    for subject in members(warbands[band_key]):
        if subject.key == key:
            return subject
    raise UnknownSubject(f"That warband has no unit {place[:20]}.")


def _profile_subject(key: str, options: Sequence[str]) -> OddsSubject:
    parts = key.split(":")
    if len(parts) != 4:
        raise Refusal("A unit is written p:<rules>:<army>:<unit>.", field="a")
    _, book, army_key, profile_key = parts
    system = ruleset(book)
    army = _load_printed_army(system, army_key)
    profile = army.profiles.get(profile_key)
    if profile is None:
        raise UnknownSubject(f"{army.name} has no unit '{profile_key[:60]}'.")
    choosable = open_options(profile)
    keys = {option.key for option in choosable}
    # The keys come from an address, which anybody may write.
    if len(options) > OPTIONS_MAX or not keys.issuperset(options):
        message = f"Options: give at most {OPTIONS_MAX}, each one of this unit's."
        raise Refusal(message, field="options")
    # What the profile has to buy and what was asked for, each once.
    bought = dict.fromkeys((*listed_on_purchase(profile), *options))
    # The smallest unit where entries are units, else one miniature.
    sizes = profile.unit_size if system.regiments else None
    count = (sizes[0] or 1) if sizes else 1
    entry = RosterEntry(
        profile_key, count=count, options=tuple(key for key in bought if key in keys)
    )
    return OddsSubject(key, book, army_key, entry, army.name, choosable)


def _load_printed_army(system: System, key: str) -> Army:
    """An army list of the packs; raises UnknownSubject for a club's."""
    if is_own(key):
        raise UnknownSubject("There is no such army list, or it is a club's.")
    try:
        return registry.load_army(system.key, key, system.variant)
    except registry.UnknownKey as error:
        raise UnknownSubject(str(error)) from None


def open_options(profile: Profile) -> tuple[Option, ...]:
    """What a profile may take that dice could feel: weapons, armour, mounts, changed figures, its
    champion.
    """
    options = [
        option
        for option in profile.options
        if (option.items or option.mount or option.effect or option.grants)
        and not option.is_put_away
    ]
    if profile.champion is not None:
        champion = profile.champion
        options.append(Option(CHAMPION, f"{champion.name} (champion)", champion.points))
    return tuple(options)


@cache
def example() -> tuple[str, str]:
    """Two warriors to begin with: who leads one starter, and the troops of another.

    The leader is no wizard, of whom dice have less to say.
    """
    system = registry.rulesets()[0]
    bands = []
    for army in registry.army_names(system.key):
        band = starter(f"{system.address}--{army}")
        warriors = band.sheet.warriors if band else ()
        if band and any(w.is_leader and not w.wizard_level for w in warriors):
            bands.append(band)
        if len(bands) == 2:
            break
    first, last = bands[0], bands[-1]
    leaders = (n for n, entry in enumerate(first.roster.warriors) if entry.is_leader)
    troops = len(last.roster.warriors) - 1
    return f"s:{first.key}:{next(leaders, 0)}", f"s:{last.key}:{troops}"


# Load-outs of an attacker side by side: one option more or less, or sets that somebody chose.


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
    def percent(self) -> str:
        return percent(self.chance)

    @property
    def price(self) -> str:
        """The points of models for each casualty that they cause in one phase."""
        if not self.points or not self.chance:
            return "–"
        return f"{float(self.points / self.chance):.0f}"


def both_strike(met: Encounter) -> BothStrike | None:
    """A fight in which both strike, in their order; None where these rules roll it as one.

    The attacker's circumstances are those of the page. The target answers with the weapon it holds,
    does not charge, and stands. Whoever charges strikes first, then whoever has the higher
    Initiative; equals strike at once, so that both may fall. Weapons that strike last or first by a
    rule of their own are not looked at: the note below the table says what is not counted.
    """
    if met.mode.BOTH_STRIKE is None:
        return None
    is_first = met.settings.get("charging") or met.settings.get("first")
    settings = {
        "first": is_first,
        "weapon": met.settings.get("against", ""),
        "against": met.settings.get("weapon", ""),
    }
    back = met._replace(attacker=met.target, target=met.attacker, settings=settings)
    # For each of them the chances that the other is out, and that it cannot strike back.
    out, down = map(met.measured, met.mode.BOTH_STRIKE)
    out_back, down_back = map(back.measured, met.mode.BOTH_STRIKE)
    if out is None or down is None or out_back is None or down_back is None:
        return None
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


def load_outs(met: Encounter, first: OddsSubject) -> tuple[LoadOut, ...]:
    """The attacker as chosen, and with one option more or less where that changes its dice."""
    army = load_army(met, first)
    if army is None:
        return ()
    results: list[LoadOut] = []
    for name, options in _gear_sets(army.profiles.get(first.entry.profile), first):
        measured = _measure(met, first, army, options)
        if measured is None:
            continue
        usual = results[0] if results else None
        if not usual or (measured.chance, measured.fight) != (usual.chance, usual.fight):
            results.append(replace(measured, name=name))
    return tuple(results[:LOAD_OUTS_SHOWN]) if len(results) > 1 else ()


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
) -> list[Fields]:
    """A column for each set of options that somebody chose freely: each option with whether it is
    taken, and what that comes to. ``fault`` says why the options cannot be had together.

    None in the place of a set is what the attacker has.
    """
    army = load_army(met, first)
    if army is None or first.entry.profile not in army.profiles:
        return []
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
        column = {"number": number, "ticks": ticks, "fault": fault, "load_out": load_out}
        columns.append(column)
    return columns


def _clash(options: Sequence[Option], profile: Profile, number: int) -> Refusal | None:
    """Why these options cannot be had together, or None."""
    for option, other in combinations(options, 2):
        if other.key in rivals(option, profile):
            names = f"choose {option.name} or {other.name}, not both"
            return Refusal(f"Load-out {number}: {names}.", field=f"l{number}")
    return None


def load_army(met: Encounter, first: OddsSubject) -> Army | None:
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
        chance = armed.measured(met.mode.HEADLINES[0][0])
        if chance is not None and (best is None or chance > best[0]):
            best = chance, armed
    if best is None:
        return None
    return LoadOut(select(army, entry).points_each, best[0], both_strike(best[1]))
