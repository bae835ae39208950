"""Everybody of one warband against everybody of another, as one table of chances."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product
from typing import Any

from engine.errors import Refusal
from engine.records import TextPairs, frozen_dataclass
from engine.types.systems import System
from odds.circumstances import Circumstance, Encounter, flag, read
from odds.combat_profiles import CombatProfile
from odds.exhibits import percent
from odds.fight_modes import FightMode, UnknownSubject, fight_mode_of
from rulesdata import registry
from warbands.queries.odds_subjects import (
    OddsSubject,
    OddsWarband,
    members,
    profile_under_system,
)

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
    return tuple(
        system for system in registry.rulesets() if _can_meet(first, second, system)
    )


def _can_meet(first: OddsWarband, second: OddsWarband, system: System) -> bool:
    """Whether any of the first few of one can fight any of the other's under a system."""
    bout = _fight_mode(system)
    if bout is None:
        return False
    pairs = product(_first_profiles(first, system), _first_profiles(second, system))
    return any(not bout.lacks(attacker, target) for attacker, target in pairs)


def _fight_mode(system: System) -> FightMode | None:
    return fight_mode_of(registry.combat_rules(system.key, system.variant))


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
    rules = registry.combat_rules(system.key, system.variant)

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
