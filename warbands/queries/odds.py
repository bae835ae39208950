"""The odds of warriors of warbands: of one pair, under every system that it fits, and of everybody
in one warband against everybody in another.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product
from typing import Any

from engine.errors import Refusal
from engine.records import (
    Fields,
    NamedValues,
    TextPairs,
    Texts,
    frozen_dataclass,
    grouped,
)
from engine.rules import CombatRules
from engine.selection import select
from engine.types.lists import Option, Profile
from engine.types.systems import System
from odds.circumstances import PART, Circumstance, Encounter, flag, read, ruled, switches
from odds.combat_profiles import CombatProfile, Held, combat_profile_of
from odds.exhibits import Exhibit, Headline, percent
from odds.fight_modes import (
    FightMode,
    UnknownSubject,
    fight_mode_of,
    headlines_of,
    ruleset,
)
from rulesdata import registry
from warbands.queries.odds_subjects import (
    OddsSubject,
    OddsWarband,
    members,
    open_options,
    profile_under_system,
)

NOT_COUNTED = {
    "frenzy": "frenzy",
    "hatred": "hatred",
    "causes_fear": "fear",
    "causes_terror": "terror",
    "regeneration": "regeneration",
    "ethereal": "being ethereal",
}


@frozen_dataclass
class Setting:
    """A circumstance with the value it has on the page."""

    one: Circumstance
    value: Any


@frozen_dataclass
class CircumstanceGroup:
    """The circumstances under one heading.

    ``is_folded``: they stand behind a summary while none of them is on.
    """

    title: str
    settings: tuple[Setting, ...]
    is_folded: bool = False


@frozen_dataclass
class OtherSystem:
    """The same pair under one system."""

    address: str
    name: str
    headlines: tuple[Headline, ...]
    is_shown: bool


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
class OddsPage:
    """Everything the odds page shows about two warriors."""

    first: OddsSubject
    second: OddsSubject
    attacker: CombatProfile
    target: CombatProfile
    system: System
    books: TextPairs
    weapon: Held | None
    against: Held | None
    missile: Held | None
    parts: tuple[CircumstanceGroup, ...]
    exhibits: tuple[Exhibit, ...]
    beside: tuple[OtherSystem, ...]
    notes: Texts
    faults: tuple[Refusal, ...]
    load_outs: tuple[LoadOut, ...] = ()


@frozen_dataclass
class OddsPair:
    """Two warriors under one system that can read them both."""

    system: System
    rules: CombatRules
    bout: FightMode
    attacker: CombatProfile
    target: CombatProfile


def pairs_of(first: OddsSubject, second: OddsSubject) -> tuple[tuple[OddsPair, ...], str]:
    """The pair under every system that can read both, and why the first one's own cannot, where it
    cannot.
    """
    found, why = [], ""
    for printed in registry.rulesets():
        system = _as_played(printed, first, second)
        pair = pair_under(first, second, system)
        if isinstance(pair, OddsPair):
            found.append(pair)
        elif system.address == first.book:
            why = pair
    return tuple(found), why


def _as_played(system: System, *subjects: OddsSubject) -> System:
    """The system as the first of them plays it whose warband was made for it."""
    for one in subjects:
        if one.book == system.address:
            return registry.load_system(system.key, system.variant, one.agreed)
    return system


def pair_under(first: OddsSubject, second: OddsSubject, system: System) -> OddsPair | str:
    """The pair under a system, or a sentence why it cannot be."""
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    bout = fight_mode_of(rules)
    if bout is None:
        return f"{system.full_name} has no dice for two warriors."
    attacker, target = (
        profile_under_system(first, system),
        profile_under_system(second, system),
    )
    if attacker is None or target is None:
        return "One of the two is not in its army list, so it has no figures."
    return bout.lacks(attacker, target) or OddsPair(system, rules, bout, attacker, target)


def build_page(
    first: OddsSubject, second: OddsSubject, sent: Mapping[str, str], *, is_asked: bool
) -> OddsPage:
    """The odds of two warriors as a form asked for them.

    Raises NotThere where no system can read them both.
    """
    # Under every system: the page shows the pair beside itself in the others.
    pairs, why = pairs_of(first, second)
    if not pairs:
        raise UnknownSubject(
            why
            or "No rules can read both of them: their stat lines have nothing in common."
        )
    chosen, faults = _chosen_pair(pairs, sent.get("book") or "", first.book)
    asked, given, found = _asked(chosen, sent, is_asked=is_asked)
    rules = ruled(chosen.system, chosen.rules, chosen.bout.SECTIONS, given)
    attacker, target = chosen.attacker, chosen.target
    encounter = Encounter(chosen.system, rules, attacker, target, given)
    exhibits = chosen.bout.exhibits(encounter)
    return OddsPage(
        first=first,
        second=second,
        attacker=attacker,
        target=target,
        system=chosen.system,
        books=tuple((pair.system.address, pair.system.full_name) for pair in pairs),
        weapon=attacker.held(given["weapon"]),
        against=target.held(given["against"]),
        missile=attacker.held(given["missile"], missile=True),
        parts=_parts(asked, given),
        exhibits=exhibits,
        beside=tuple(_other_systems(pair, chosen, given, rules) for pair in pairs),
        notes=(*_notes(attacker, target, first, chosen.system), chosen.bout.LEFT_OUT),
        faults=(*faults, *found),
        load_outs=_load_outs(chosen.bout, encounter, first),
    )


def _chosen_pair(
    pairs: Sequence[OddsPair], wanted: str, own: str
) -> tuple[OddsPair, list[Refusal]]:
    """The pair under the rules asked for, else under the warrior's own, else under the first; and
    a fault for rules that cannot read both.
    """
    by_address = {pair.system.address: pair for pair in pairs}
    found = by_address.get(wanted or own)
    if found is None and wanted:
        names = ", ".join(by_address)
        return pairs[0], [Refusal(f"Rules: give one of {names}.", field="book")]
    return found or pairs[0], []


def _asked(
    pair: OddsPair, sent: Mapping[str, str], *, is_asked: bool
) -> tuple[tuple[Circumstance, ...], Fields, list[Refusal]]:
    """The circumstances of a pair with their values, the weapons among them."""
    asked = (
        *pair.bout.circumstances(pair.system, pair.rules, pair.attacker, pair.target),
        *switches(pair.system, pair.rules, pair.bout.SECTIONS),
    )
    given, faults = read(asked, sent, is_asked=is_asked)
    given |= {name: sent.get(name, "")[:100] for name in ("weapon", "against", "missile")}
    return asked, given, faults


def _parts(
    asked: tuple[Circumstance, ...], given: NamedValues
) -> tuple[CircumstanceGroup, ...]:
    found = grouped((one.part, Setting(one, given[one.name])) for one in asked)
    groups = []
    for title, settings in found.items():
        is_folded = title == PART and not any(one.value for one in settings)
        groups.append(CircumstanceGroup(title, tuple(settings), is_folded))
    return tuple(groups)


def _other_systems(
    pair: OddsPair, chosen: OddsPair, given: NamedValues, rules: CombatRules
) -> OtherSystem:
    """The pair under another system in the same circumstances, as far as that system has them."""
    is_shown = pair is chosen
    if not is_shown:
        sent = {
            name: str(int(value)) if isinstance(value, bool | int) else value
            for name, value in given.items()
            if value is not None and not name.startswith("play-")
        }
        _, given, _ = _asked(pair, sent, is_asked=False)
        rules = pair.rules
    met = Encounter(pair.system, rules, pair.attacker, pair.target, given)
    lines = headlines_of(pair.bout, met)
    return OtherSystem(pair.system.address, pair.system.full_name, lines, is_shown)


def _notes(
    attacker: CombatProfile, target: CombatProfile, first: OddsSubject, system: System
) -> Texts:
    """What is not counted, and whose figures these are."""
    found = []
    # Dice are worked out up to the armour save.
    if target.save.ward:
        found.append(f"The ward save of {target.title} is not counted.")
    for who in (attacker, target):
        words = [word for flag, word in NOT_COUNTED.items() if flag in who.flags]
        if words:
            found.append(f"Not counted for {who.title}: {', '.join(words)}.")
    if attacker.address != system.address:
        found.append(
            f"The figures are those of {ruleset(first.book).full_name}; these rules have no "
            "such list."
        )
    return tuple(dict.fromkeys(found))


LOAD_OUTS_SHOWN = 12


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


def _load_outs(bout: FightMode, met: Encounter, first: OddsSubject) -> tuple[LoadOut, ...]:
    """The attacker as chosen, and with one option more or less where that changes its dice."""
    system = met.system
    try:
        army = registry.load_army(system.key, first.army, system.variant)
    except registry.UnknownKey:
        return ()
    profile = army.profiles.get(first.entry.profile)
    measure = bout.HEADLINES[0][0]
    found: list[LoadOut] = []
    for name, options in _gear_sets(profile, first.entry.options):
        entry = replace(first.entry, options=options)
        fighter = combat_profile_of(entry, army, system)
        best = (
            _best_armed(bout, met._replace(attacker=fighter), measure) if fighter else None
        )
        if best is None:
            continue
        chance, armed = best
        points = select(army, entry).points_each
        load_out = LoadOut(
            name, options, points, chance, both_strike(bout, armed), not found
        )
        if not found or (chance, load_out.fight) != (found[0].chance, found[0].fight):
            found.append(load_out)
    return tuple(found[:LOAD_OUTS_SHOWN]) if len(found) > 1 else ()


def _gear_sets(profile: Profile | None, taken: Texts) -> Iterator[tuple[str, Texts]]:
    """What was chosen, then each change of one option, with its name.

    An option that excludes others takes their place, as in the builder.
    """
    yield "As chosen", taken
    for option in open_options(profile) if profile else ():
        if option.key in taken:
            yield f"Without {option.name}", tuple(key for key in taken if key != option.key)
        else:
            rivals = _rivals_of(option, profile)
            kept = tuple(key for key in taken if key not in rivals)
            yield f"With {option.name}", (*kept, option.key)


def _rivals_of(option: Option, profile: Profile | None) -> frozenset[str]:
    """The keys of the options that cannot be had beside this one."""
    if not option.shuts_out or profile is None:
        return frozenset()
    group = (one for one in profile.options if one.group == option.group and one.shuts_out)
    return frozenset(one.key for one in group)


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


MOST_KINDS = 200
STEPS = 5
_TRIED = 5


@frozen_dataclass
class WarriorKind:
    """A kind of warrior: those of a warband who are alike to the dice.

    ``key`` names the first of them.
    """

    key: str
    title: str
    gear: str
    count: int
    fighter: CombatProfile


@frozen_dataclass
class MatchupChance:
    """One figure of the table.

    ``heat`` is 0 to 5 among all figures of the table, ``percent`` the figure in words.
    """

    attacker: str
    target: str
    percent: str
    heat: int


@frozen_dataclass
class MatchUp:
    """The table: a row for each attacker, a column for each target.

    ``left_out`` are kinds there was no room for.
    """

    system: System
    measures: TextPairs
    measure: str
    settings: tuple[tuple[Circumstance, Any], ...]
    columns: tuple[WarriorKind, ...]
    rows: tuple[tuple[WarriorKind, tuple[MatchupChance | None, ...]], ...]
    left_out: int
    faults: tuple[Refusal, ...]

    @property
    def measured(self) -> str:
        return dict(self.measures)[self.measure]


def books_of(first: OddsWarband, second: OddsWarband) -> tuple[System, ...]:
    """The rules both warbands can be read under."""
    systems = [_as_fielded(one, first, second) for one in registry.rulesets()]
    return tuple(one for one in systems if _can_meet(first, second, one))


def _as_fielded(system: System, *bands: OddsWarband) -> System:
    """The system as the first of them plays it that was made for it."""
    for band in bands:
        if band.book == system.address:
            return registry.system_of(band.roster)
    return system


def _can_meet(first: OddsWarband, second: OddsWarband, system: System) -> bool:
    """Whether any of the first few of one can fight any of the other's under a system."""
    bout = _fight_mode(system)
    if bout is None:
        return False
    pairs = product(_first_profiles(first, system), _first_profiles(second, system))
    return any(not bout.lacks(attacker, target) for attacker, target in pairs)


def _fight_mode(system: System) -> FightMode | None:
    return fight_mode_of(registry.combat_rules(system.key, system.variant, system.agreed))


def _first_profiles(band: OddsWarband, system: System) -> list[CombatProfile]:
    found = (profile_under_system(one, system) for one in members(band)[:_TRIED])
    return [one for one in found if one]


def build_match_up(
    first: OddsWarband, second: OddsWarband, sent: Mapping[str, str], *, is_asked: bool
) -> MatchUp:
    """The table of two warbands. Raises NotThere where no rules can read them both."""
    systems = books_of(first, second)
    if not systems:
        raise UnknownSubject(
            "No rules can read both warbands: their stat lines have nothing in common, or "
            "one is empty."
        )
    faults: list[Refusal] = []
    system = _chosen_system(systems, sent.get("book") or "", first.book, faults)
    bout = _fight_mode(system)
    assert bout is not None
    measure = _chosen_measure(bout, sent.get("measure") or "", faults)
    charging = flag("charging", "The attackers charge", "Attacker")
    settings = (charging,) if bout.CALL == "melee" else ()
    given, found = read(settings, sent, is_asked=is_asked)
    attackers, targets = kinds(members(first), system), kinds(members(second), system)
    left_out = max(0, len(attackers) + len(targets) - MOST_KINDS)
    attackers, targets = _limit_kinds(attackers, targets, MOST_KINDS // 2)
    rules = registry.combat_rules(system.key, system.variant, system.agreed)

    def chance_of(attacker: CombatProfile, target: CombatProfile) -> Fraction | None:
        return bout.measured(Encounter(system, rules, attacker, target, given), measure)

    return MatchUp(
        system=system,
        measures=bout.MEASURES,
        measure=measure,
        settings=tuple((one, given[one.name]) for one in settings),
        columns=targets,
        rows=_table(attackers, targets, chance_of),
        left_out=left_out,
        faults=(*faults, *found),
    )


def _chosen_system(
    systems: Sequence[System], wanted: str, own: str, faults: list[Refusal]
) -> System:
    """The rules asked for, else the first warband's own where they can read both; adds a fault
    for rules that cannot.
    """
    by_address = {system.address: system for system in systems}
    if wanted and wanted not in by_address:
        faults.append(Refusal(f"Rules: give one of {', '.join(by_address)}.", field="book"))
    return by_address.get(wanted) or by_address.get(own) or systems[0]


def _chosen_measure(bout: FightMode, wanted: str, faults: list[Refusal]) -> str:
    """The figure asked for, else the first; adds a fault for one there is not."""
    known = dict(bout.MEASURES)
    if wanted and wanted not in known:
        faults.append(
            Refusal(f"Chance of: give one of {', '.join(known)}.", field="measure")
        )
    return wanted if wanted in known else next(iter(known))


def _limit_kinds(
    a: tuple[WarriorKind, ...], b: tuple[WarriorKind, ...], half: int
) -> tuple[tuple[WarriorKind, ...], tuple[WarriorKind, ...]]:
    """So many of each that there are no more than the table has room for, the shorter list whole if
    it fits a half.
    """
    room = 2 * half
    return a[: max(half, room - len(b))], b[: max(half, room - len(a))]


def kinds(sources: Sequence[OddsSubject], system: System) -> tuple[WarriorKind, ...]:
    """The kinds among warriors, in order; those without figures are left out."""
    found: dict[tuple[str, frozenset[str]], WarriorKind] = {}
    for source in sources:
        alike, count = (source.entry.profile, source.taken), source.entry.count
        known = found.get(alike)
        if known is not None:
            found[alike] = replace(known, count=known.count + count)
        elif one := profile_under_system(source, system):
            found[alike] = WarriorKind(source.key, one.title, one.gear, count, one)
    return tuple(found.values())


def _table(
    attackers: Sequence[WarriorKind],
    targets: Sequence[WarriorKind],
    chance_of: Callable[[CombatProfile, CombatProfile], Fraction | None],
) -> tuple[tuple[WarriorKind, tuple[MatchupChance | None, ...]], ...]:
    """A row for each attacker; its cell is None where there is no chance to tell."""
    chances = [[chance_of(a.fighter, t.fighter) for t in targets] for a in attackers]
    # Heat goes by the best chance of the whole table, so all rows are worked out before the first.
    most = max(filter(None, chain.from_iterable(chances)), default=Fraction(0))
    return tuple(
        (
            a,
            tuple(
                _cell(a, t, chance, most) for t, chance in zip(targets, row, strict=True)
            ),
        )
        for a, row in zip(attackers, chances, strict=True)
    )


def _cell(
    attacker: WarriorKind, target: WarriorKind, chance: Fraction | None, most: Fraction
) -> MatchupChance | None:
    if chance is None:
        return None
    # Against the best of this table: chances of one system may all be small.
    heat = round(STEPS * chance / most) if most else 0
    return MatchupChance(attacker.key, target.key, percent(chance), heat)
