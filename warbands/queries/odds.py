"""The odds of warriors of warbands: of one pair, under every system that it fits, and of everybody
in one warband against everybody in another.
"""

from collections.abc import Callable, Mapping, Sequence
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
from engine.types.lists import Option
from engine.types.systems import System
from odds.circumstances import PART, Circumstance, Encounter, flag, read, ruled, switches
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, Headline, percent
from odds.fight_modes import (
    FightMode,
    UnknownSubject,
    fight_mode_of,
    headlines_of,
    ruleset,
)
from rulesdata import registry
from warbands.queries.load_outs import LoadOut, OwnLoadOut, load_outs, own_load_outs
from warbands.queries.odds_subjects import (
    OddsSubject,
    OddsWarband,
    members,
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
    columns: tuple[OwnLoadOut, ...] = ()

    @property
    def option_rows(self) -> tuple[tuple[Option, tuple[tuple[int, bool], ...]], ...]:
        """Each option that the columns choose from, with whether each of them has it."""
        rows = zip(*(column.ticks for column in self.columns), strict=True)
        return tuple(
            (row[0][0], tuple((place, tick) for place, (_, tick) in enumerate(row, 1)))
            for row in rows
        )


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


def _as_played(system: System, *subjects: OddsSubject | OddsWarband) -> System:
    """The system as the first of them plays it that was made for it."""
    for one in subjects:
        if one.book == system.address:
            return registry.load_system(system.key, system.variant, one.agreed)
    return system


def pair_under(first: OddsSubject, second: OddsSubject, system: System) -> OddsPair | str:
    """The pair under a system, or a sentence why it cannot be."""
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    bout = fight_mode_of(rules)
    if bout is None:
        return f"{system.full_name} has no odds for two models."
    attacker, target = (
        profile_under_system(first, system),
        profile_under_system(second, system),
    )
    if attacker is None or target is None:
        return "One of the two is not in its army list, so we have no figures."
    return bout.lacks(attacker, target) or OddsPair(system, rules, bout, attacker, target)


def build_page(
    first: OddsSubject,
    second: OddsSubject,
    sent: Mapping[str, str],
    sets: Sequence[Texts | None] = (),
    *,
    is_asked: bool,
) -> OddsPage:
    """The odds of two warriors as a form asked for them, with the attacker's own ``sets`` of gear.

    Raises UnknownSubject where no system can read them both.
    """
    # Under every system: the page shows the pair beside itself in the others.
    pairs, why = pairs_of(first, second)
    if not pairs:
        raise UnknownSubject(
            why or "We cannot compare these two: their stat lines have nothing in common."
        )
    chosen, faults = _chosen_pair(pairs, sent.get("book") or "", first.book)
    asked, given, found = _asked(chosen, sent, is_asked=is_asked)
    rules = ruled(chosen.system, chosen.rules, chosen.bout.SECTIONS, given)
    attacker, target = chosen.attacker, chosen.target
    encounter = Encounter(chosen.system, rules, attacker, target, given)
    exhibits = chosen.bout.exhibits(encounter)
    columns = own_load_outs(chosen.bout, encounter, first, sets)
    wrong = filter(None, (column.fault for column in columns))
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
        notes=(
            *_notes(attacker, target, first, chosen.system),
            *_grown_notes(first, attacker),
            *_grown_notes(second, target),
            chosen.bout.LEFT_OUT,
        ),
        faults=(*faults, *found, *wrong),
        load_outs=load_outs(chosen.bout, encounter, first),
        columns=columns,
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


def _grown_notes(subject: OddsSubject, fighter: CombatProfile) -> Texts:
    """Return what a campaign gave in words, which no dice count; its figures are counted."""
    growth = subject.entry.growth
    if growth is None:
        return ()
    told = [
        f"{name} ({words.removesuffix('.')})"
        for name, words in (*growth.skills, *growth.goods)
        if words
    ]
    return (f"Not counted for {fighter.title}: {', '.join(told)}.",) if told else ()


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
    systems = [_as_played(one, first, second) for one in registry.rulesets()]
    return tuple(one for one in systems if _can_meet(first, second, one))


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
    """The table of two warbands. Raises Refusal where no rules can read them both."""
    systems = books_of(first, second)
    if not systems:
        raise Refusal(
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
