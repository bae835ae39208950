"""Rows of a campaign's log as plain JSON, and back.

A row is kept as its kind and a payload. A payload of a newer release may hold more keys than are
known here: they are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from campaigns.models.growth import FOLD_EDITION, GrowthRowKind
from engine.growth.acts import ACTS, GrowthAct, RecruitAct
from engine.growth.dues import DueAnswer
from engine.growth.log import (
    CampaignLog,
    DocumentChange,
    FixtureResult,
    Founding,
    LogEntry,
    LogRow,
    RulesChange,
    RulesReader,
    TakeBack,
    read_versions,
)
from engine.growth.warriors import Joiner
from engine.records import JsonObject, NamedValues, Texts, frozen_dataclass

KINDS: Mapping[str, type[Any]] = {
    GrowthRowKind.FOUND: Founding,
    GrowthRowKind.RESULT: FixtureResult,
    GrowthRowKind.ANSWER: DueAnswer,
    GrowthRowKind.TAKE_BACK: TakeBack,
}
"""The kinds of rows besides acts and rules, with what they hold."""


@frozen_dataclass
class StoredRow:
    """A row as it is kept: its place, its kind, what it says, and which fold it was written for."""

    position: int
    kind: str
    payload: NamedValues
    edition: int = FOLD_EDITION


_build_reader = cache(TypeAdapter)


def find_kind(entry: LogEntry) -> str:
    """Return the kind of row that holds an entry."""
    if isinstance(entry, GrowthAct):
        return GrowthRowKind.ACT
    return next(kind for kind, made in KINDS.items() if isinstance(entry, made))


def to_payload(entry: LogEntry) -> JsonObject:
    """Return what a row says, as plain JSON. Changes of rules are kept as their documents."""
    payload = asdict(entry)
    if isinstance(entry, GrowthAct):
        payload = {"act": entry.verb, **payload}
    return payload


def from_payload(kind: str, payload: NamedValues) -> LogEntry:
    """Return the entry that a payload was made of. Raises KeyError for a kind that is not known."""
    entry_type: Any = ACTS[payload["act"]] if kind == GrowthRowKind.ACT else KINDS[kind]
    entry: LogEntry = _build_reader(entry_type).validate_python(payload)
    return entry


def read_change(row: StoredRow) -> DocumentChange:
    """Return the change of rules that a row holds."""
    payload = row.payload
    return DocumentChange(
        row.position,
        payload["document"],
        from_start=bool(payload.get("from_start")),
        is_whole=bool(payload.get("is_whole")),
    )


def read_log(
    rows: Iterable[StoredRow], read: RulesReader, stat_line: Texts = ()
) -> CampaignLog:
    """Return the log of these rows, of which the first holds the rules of the start.

    ``read`` makes rules of a document. Characteristics come in the order of the ``stat_line``.
    Raises FaultyRules where some version has faults.
    """
    stored = list(rows)
    # The first row is how the campaign began; nothing lies under it.
    first, *changes = [
        read_change(row) for row in stored if row.kind == GrowthRowKind.RULES
    ]
    start, versions = read_versions(first.change, changes, read)
    later = {change.position for change in changes if not change.from_start}
    log_rows = []
    for row in stored:
        if row.kind != GrowthRowKind.RULES:
            entry = _in_stat_order(from_payload(row.kind, row.payload), stat_line)
        elif row.position in later:
            entry = RulesChange(versions[row.position])
        else:
            continue
        log_rows.append(LogRow(row.position, entry))
    recent = (row.position for row in stored if row.edition >= FOLD_EDITION)
    since = next(recent, stored[-1].position + 1)
    return CampaignLog(start, tuple(log_rows), since)


def _in_stat_order(entry: LogEntry, stat_line: Texts) -> LogEntry:
    """Return an entry with the characteristics of who joins in the order of a stat line.

    PostgreSQL keeps the keys of JSON in an order of its own, and SQLite as they were written.
    """
    if isinstance(entry, Founding):
        joiners = tuple(_order_stats(joiner, stat_line) for joiner in entry.joiners)
        return replace(entry, joiners=joiners)
    if isinstance(entry, RecruitAct):
        return replace(entry, joiner=_order_stats(entry.joiner, stat_line))
    return entry


def _order_stats(joiner: Joiner, stat_line: Texts) -> Joiner:
    """Return who joins with the stat line first; other characteristics follow by name."""
    stats = joiner.stats
    first = {stat: stats[stat] for stat in stat_line if stat in stats}
    return replace(joiner, stats=first | dict(sorted(stats.items())))


def document_in_force(rows: Iterable[StoredRow]) -> NamedValues:
    """Return the document of the rules as all changes leave it."""
    first, *changes = [read_change(row) for row in rows if row.kind == GrowthRowKind.RULES]
    document = first.change
    # Sorting is stable: among those of one sort the order of writing stays.
    for change in sorted(changes, key=lambda change: not change.from_start):
        document = change.apply(document)
    return document
