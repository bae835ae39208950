"""A campaign's core: who stood in the list before and must stand in this one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.findings.cases import Finding, sentence
from engine.types import Guideline, System

CORE = Guideline(
    code="core.changed",
    kind="",
    level="warning",
    message="No longer here: {names}. The warriors of the list before must stay.",
    title="The core stays",
    source="The campaign's own rule",
)


def guidelines_of(system: System) -> tuple[Guideline, ...]:
    """Everything an event may check a list for: the system's guidelines, and the core that a campaign may ask for."""
    return (*system.guidelines, CORE)


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry of a list: its warband's ``id`` for it, so many of a profile, and how people name it."""

    id: int | None
    profile: str
    name: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Core:
    """Two lists of one player, the one before and this one. ``lost`` are those a battle's fate took, by id."""

    before: Sequence[ListEntry]
    after: Sequence[ListEntry]
    lost: Mapping[int, int] = field(default_factory=dict)


def core_changed(core: Core) -> tuple[Finding, ...]:
    """The finding that names everybody who is missing, or nothing."""
    missing = [(one, one.count - there) for one, there in _there(core) if there < one.count]
    if not missing:
        return ()
    names = ", ".join(f"{count}x {one.name}" if count > 1 else one.name for one, count in missing)
    return (
        Finding(
            CORE.code,
            CORE.level,
            sentence(CORE.message, {"names": names}),
            source=CORE.source,
            title=CORE.title,
        ),
    )


def _there(core: Core) -> list[tuple[ListEntry, int]]:
    """Each entry of the list before, with how many of it are there still or gone for good.

    The same warband is compared by its entries. Another one has none of them: then so many of each profile will do.
    """
    ids = {one.id for one in core.before} & {one.id for one in core.after} - {None}
    by_id = Counter({one.id: one.count for one in core.after})
    if ids:
        return [(one, by_id[one.id] + core.lost.get(one.id or 0, 0)) for one in core.before]
    left: Counter[str] = Counter()
    for one in core.after:
        left[one.profile] += one.count
    found = []
    for one in core.before:
        there = min(left[one.profile], one.count)
        left[one.profile] -= there
        found.append((one, there + core.lost.get(one.id or 0, 0)))
    return found
