"""The policy of an event: which levels it may set, and whether any list at all could meet it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast, get_args

from campaigns.errors import Refusal
from engine.findings import Finding, Policy, SetLevel, check
from engine.findings.core import guidelines_of
from engine.roster import Roster, RosterEntry
from engine.types import Army, System
from rulesdata import registry
from warbands.exchange.limits import shown

LEVELS: tuple[str, ...] = get_args(SetLevel)
MENDED_BY_MORE = "total_under_limit"
"""The kind of guideline that one warrior alone breaks and more warriors put right."""


@dataclass(frozen=True, slots=True)
class PolicyFault:
    """Why no list can meet a policy and what to do about it, and the field to do it in."""

    sentence: str
    field: str


def checked_levels(system: System, levels: Mapping[str, str]) -> dict[str, str]:
    """The levels an event sets anew. Raises Refusal for an unknown guideline or level, and for an army list's own."""
    known = {guideline.code: guideline for guideline in guidelines_of(system)}
    for code, level in levels.items():
        if code not in known:
            raise Refusal(f"{system.full_name} has no guideline {shown(code)}.", field="levels")
        if level not in LEVELS:
            raise Refusal(
                f"{shown(level)} is no level; they are {', '.join(LEVELS)}.", field="levels"
            )
        if not known[code].is_waivable and level != known[code].level:
            title = known[code].title or code
            raise Refusal(
                f"“{title}” is a rule of the army lists themselves and stays as it is.",
                field="levels",
            )
    return {code: level for code, level in levels.items() if level != known[code].level}


def policy_fault(
    system: System, limit: int | None, levels: Mapping[str, str]
) -> PolicyFault | None:
    """What makes it impossible to bring any list without an error, or None. Reads the packs only, no database.

    The smallest lists are tried, one profile each. A policy passes as soon as one of them has no error.
    """
    policy = Policy(cast(Mapping[str, SetLevel], levels))
    codes: set[str] | None = None
    for army, roster in _smallest(system, limit):
        errors = {
            one.code for one in check(roster, system, army, policy=policy) if _counts(system, one)
        }
        if not errors:
            return None
        codes = errors if codes is None else codes & errors
    return None if codes is None else _fault_words(system, limit, codes)


def _smallest(system: System, limit: int | None) -> Iterator[tuple[Army, Roster]]:
    """Every list of one profile alone, of one model and of as many as a unit needs.

    What an army gives away with something else is left out, where others have a price.
    """
    sizes = sorted(
        {1, *(g.parameters["minimum"] for g in system.guidelines if g.kind == "unit_small")}
    )
    for key in registry.armies_of(system.key):
        army = registry.load_army(system.key, key, system.variant)
        has_prices = any(profile.points for profile in army.profiles.values())
        hired = [key for key, profile in army.profiles.items() if profile.points or not has_prices]
        for profile in hired:
            for size in sizes:
                alone = RosterEntry(profile, count=size, is_leader=bool(system.leader_name))
                yield (
                    army,
                    Roster(
                        system.key,
                        key,
                        points_limit=limit,
                        variant=system.variant,
                        warriors=(alone,),
                    ),
                )


def _counts(system: System, finding: Finding) -> bool:
    kinds = {guideline.code: guideline.kind for guideline in system.guidelines}
    return finding.level == "error" and kinds.get(finding.code) != MENDED_BY_MORE


def _fault_words(system: System, limit: int | None, codes: set[str]) -> PolicyFault:
    """What is wrong in words. ``codes`` are the errors that every list has."""
    broken = [guideline for guideline in system.guidelines if guideline.code in codes]
    kinds = {guideline.kind: guideline for guideline in broken}
    if outside := kinds.get("limit_outside"):
        low, high = outside.parameters["minimum"], outside.parameters["maximum"]
        sentence = (
            f"No list can meet this: “{outside.title}” is an error here and asks for a limit from {low} to {high} "
            f"points, not {limit:,}. Change the limit, or make that guideline a warning."
        )
        return PolicyFault(sentence, "points_limit")
    if "total_over_limit" in kinds:
        cannot = f"nobody can be hired within a limit of {limit:,}"
        sentence = f"No list can meet this: {cannot}. Raise the limit, or leave it empty."
        return PolicyFault(sentence, "points_limit")
    if not broken:
        sentence = "No list can meet this: each breaks one error or another. Raise the limit, or set some to warnings."
        return PolicyFault(sentence, "levels")
    names = " and ".join(f"“{guideline.title or guideline.code}”" for guideline in broken)
    return PolicyFault(
        f"No list can meet this: every one breaks {names}. Make that a warning.", "levels"
    )
