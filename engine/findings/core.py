"""A campaign's core: who stood in the list before and must stand in this one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.findings.case import Finding, sentence
from engine.types.mechanics import Guideline
from engine.types.systems import System

CORE = Guideline(
    code="core.changed",
    kind="",
    level="warning",
    message="No longer here: {names}. The warriors of the list before must stay.",
    title="The core stays",
    source="The campaign's own rule",
)


def guidelines_of(system: System) -> tuple[Guideline, ...]:
    """Return what an event may check a list for: the system's guidelines and the core."""
    return (*system.guidelines, CORE)


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry of a list: its ``id`` in its warband, so many of a profile, its name."""

    id: int | None
    profile: str
    name: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Core:
    """Two lists of one player, the one before and this one.

    ``lost`` says how many of each entry, by id, a battle's fate took.
    """

    before: Sequence[ListEntry]
    after: Sequence[ListEntry]
    lost: Mapping[int, int] = field(default_factory=dict)


def core_changed(core: Core) -> tuple[Finding, ...]:
    """Return the finding that names everybody who is missing, or nothing."""
    missing = [(one, one.count - there) for one, there in _there(core) if there < one.count]
    if not missing:
        return ()
    names = ", ".join(f"{count}x {one.name}" if count > 1 else one.name for one, count in missing)
    message = sentence(CORE.message, {"names": names})
    return (Finding(CORE.code, CORE.level, message, source=CORE.source, title=CORE.title),)


def _there(core: Core) -> list[tuple[ListEntry, int]]:
    """Return each entry before, with how many are there still or gone for good.

    The same warband is compared by its entries. Another one has none of them: then so many of each
    profile will do.
    """
    ids = {one.id for one in core.before} & {one.id for one in core.after} - {None}
    still = _by_id(core) if ids else _by_profile(core)
    pairs = zip(core.before, still, strict=True)
    return [(one, there + core.lost.get(one.id or 0, 0)) for one, there in pairs]


def _by_id(core: Core) -> list[int]:
    counts = Counter({one.id: one.count for one in core.after})
    return [counts[one.id] for one in core.before]


def _by_profile(core: Core) -> list[int]:
    """Return how many of each entry before are there, no warrior counted twice."""
    left: Counter[str] = Counter()
    for one in core.after:
        left[one.profile] += one.count
    found = []
    for one in core.before:
        there = min(left[one.profile], one.count)
        left[one.profile] -= there
        found.append(there)
    return found
