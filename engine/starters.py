"""Starter warbands made by the program: a leader and two or three kinds of troops, without errors, near the limit.

Pure and deterministic: the same lists always give the same warband. What a warband should look like is read from the
system's own findings, so that a list with nothing but oddities still gets the mildest warband it can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from engine.choices import cheapest, listed_on_purchase, required_groups
from engine.equipment import carried_weapons
from engine.findings import check
from engine.roster import Roster, RosterEntry
from engine.selection import select
from engine.types import Army, Profile, System

MODELS_MAX = 15
KINDS_MAX = 3
TROOPS_LOOKED_AT = 9
LEADERS_LOOKED_AT = 6
LEADER_SHARE = 0.65  # of the limit: above it too little is left for others
MODELS_MIN = 5
LEADERS_GEAR = ("armour", "shield", "weapon")
NAME = "{army}: border patrol"

FindingCounts = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class StarterCandidate:
    """A profile as it would be bought, and what the findings say of it alone: errors, warnings, notes."""

    profile: Profile
    entry: RosterEntry
    points: int
    leadership: int
    blame: FindingCounts
    shoots: bool


def build_starter(system: System, army: Army, limit: int = 150) -> Roster:
    """The warband the list offers ready made; without one at most 15 miniatures within ``limit`` points.

    An army that cannot field any gives an empty roster.
    """
    if ready := army.starter:
        return Roster(
            system.key, army.key, ready.name, ready.limit, system.variant, warriors=ready.warriors
        )
    bare = Roster(
        system.key,
        army.key,
        army.starter_name or NAME.format(army=army.name),
        limit,
        system.variant,
    )
    everybody = [_candidate(p, system, army) for p in army.profiles.values() if _is_usable(p)]
    best: tuple[tuple[object, ...], Roster] | None = None
    for leader in _leaders(everybody, limit)[:LEADERS_LOOKED_AT]:
        roster = _fill_warband(bare, leader, _troops(everybody, leader, army), system, army)
        models = sum(entry.count for entry in roster.warriors)
        rank = (
            _count_findings(roster, system, army),
            models < MODELS_MIN,
            *_as_leader(leader, limit),
        )
        if roster.warriors and (best is None or rank < best[0]):
            best = rank, roster
    return best[1] if best else bare


def _is_usable(profile: Profile) -> bool:
    return (
        profile.is_offered
        and profile.points > 0
        and not (profile.is_special_character or profile.is_regiment_of_renown)
        and not (profile.incomplete or profile.upgrade_of or profile.requires_army)
        and profile.basis == "model"
    )


def _candidate(profile: Profile, system: System, army: Army) -> StarterCandidate:
    needed = [
        cheapest(options).key
        for options in required_groups(profile).values()
        if not any(o.is_default for o in options)
    ]
    entry = RosterEntry(profile.key, options=(*listed_on_purchase(profile), *needed))
    selection = select(army, entry)
    return StarterCandidate(
        profile=profile,
        entry=entry,
        points=selection.points,
        leadership=selection.leadership or 0,
        blame=_count_findings(
            Roster(system.key, army.key, warriors=(replace(entry, is_leader=True),)), system, army
        ),
        shoots=any(arm.is_missile for arm in carried_weapons(selection, army)),
    )


def _count_findings(roster: Roster, system: System, army: Army) -> FindingCounts:
    levels = [finding.level for finding in check(roster, system, army)]
    return levels.count("error"), levels.count("warning"), levels.count("note")


def _leaders(everybody: Sequence[StarterCandidate], limit: int) -> list[StarterCandidate]:
    """Whoever could lead without an error, the mildest first."""
    able = [c for c in everybody if not c.blame[0] and c.points < limit]
    return sorted(able, key=lambda c: (c.blame, _as_leader(c, limit)))


def _as_leader(candidate: StarterCandidate, limit: int) -> tuple[bool, bool, int, int, str]:
    """Smaller is better: a hero, not too dear, the highest Leadership, the lowest price."""
    is_dear = candidate.points > limit * LEADER_SHARE
    profile = candidate.profile
    return profile.category != "hero", is_dear, -candidate.leadership, candidate.points, profile.key


def _troops(
    everybody: Sequence[StarterCandidate], leader: StarterCandidate, army: Army
) -> list[StarterCandidate]:
    """Others than characters who do not outrank the leader; the mildest only, in the list's order."""
    able = [
        c
        for c in everybody
        if c.profile.category not in army.characters
        and c.leadership <= leader.leadership
        and not c.blame[0]
    ]
    mildest = min((_beside_leader(c) for c in able), default=(0, 0))
    return [c for c in able if _beside_leader(c) == mildest][:TROOPS_LOOKED_AT]


def _beside_leader(candidate: StarterCandidate) -> tuple[int, int]:
    """Warnings and notes; that the warrior is no character matters for leaders alone and is the same for all here."""
    return candidate.blame[1], candidate.blame[2]


def _fill_warband(
    bare: Roster,
    leader: StarterCandidate,
    troops: Sequence[StarterCandidate],
    system: System,
    army: Army,
) -> Roster:
    assert bare.points_limit is not None
    left = bare.points_limit - leader.points
    first = replace(leader.entry, is_leader=True)
    best = min(_troop_mixtures(troops, left), default=None)
    if best is None:
        return bare
    _, _, counts = best
    others = [replace(troops[place].entry, count=count) for place, count in counts]
    return _with_gear(replace(bare, warriors=(first, *others)), leader, system, army)


TroopMixture = tuple[tuple[object, ...], int, tuple[tuple[int, int], ...]]


def _troop_mixtures(troops: Sequence[StarterCandidate], left: int) -> Iterator[TroopMixture]:
    """Every mixture of one to three kinds that fits. The best is the smallest: well spent, mixed arms, even numbers."""
    for kinds in range(1, min(KINDS_MAX, len(troops)) + 1):
        for places in combinations(range(len(troops)), kinds):
            prices = [troops[place].points for place in places]
            shoots = {troops[place].shoots for place in places}
            for counts in _counts(prices, left, MODELS_MAX - 1):
                rest = left - sum(c * p for c, p in zip(counts, prices, strict=True))
                uneven = max(counts) - min(counts)
                rank = (rest > 10, len(shoots) < 2, -kinds, uneven, rest)
                yield rank, rest, tuple(zip(places, counts, strict=True))


def _counts(prices: Sequence[int], left: int, models: int) -> Iterator[tuple[int, ...]]:
    """At least one of each, as many of the last kind as fit."""
    if not prices or models < 1:
        return
    most = min(models - len(prices) + 1, left // prices[0])
    if len(prices) == 1:
        if most >= 1:
            yield (most,)
        return
    for count in range(1, most + 1):
        for rest in _counts(prices[1:], left - count * prices[0], models - count):
            yield (count, *rest)


def _with_gear(roster: Roster, leader: StarterCandidate, system: System, army: Army) -> Roster:
    """What is left over arms the leader, as long as no finding gets worse."""
    assert roster.points_limit is not None
    blame = _count_findings(roster, system, army)
    for kind in LEADERS_GEAR:
        for option in leader.profile.options:
            first = roster.warriors[0]
            if option.kind != kind or option.points <= 0 or option.key in first.options:
                continue
            if any(
                o.key in first.options
                for o in leader.profile.options
                if o.group and o.group == option.group
            ):
                continue
            armed = replace(
                roster,
                warriors=(
                    replace(first, options=(*first.options, option.key)),
                    *roster.warriors[1:],
                ),
            )
            points = sum(select(army, entry).points for entry in armed.warriors)
            if points <= roster.points_limit and _count_findings(armed, system, army) <= blame:
                roster, blame = armed, _count_findings(armed, system, army)
    return roster
