"""Rows of a campaign's log as plain JSON, and back.

A row is kept as its kind and a payload. A payload of a newer release may hold more keys than are
known here: they are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from engine.growth.dues import DueAnswer
from engine.growth.log import (
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    CampaignLog,
    DisbandAct,
    DismissAct,
    EnlargeAct,
    FixtureResult,
    Founding,
    GiveAct,
    GrowthAct,
    LogEntry,
    LogRow,
    ModelPutOut,
    RecruitAct,
    RulesChange,
    SearchAct,
    SellAct,
    TakeBack,
    UnfoughtAct,
)
from engine.growth.versions import DocumentChange, LaterRules, RulesReader, read_versions
from engine.growth.warriors import GearPiece, Joiner
from engine.records import JsonObject, NamedValues, Texts, frozen_dataclass

FOUND, RESULT, ANSWER = "found", "result", "answer"
ACT, TAKE_BACK, RULES = "act", "take_back", "rules"
ACT_VERBS: Mapping[str, type[GrowthAct]] = {
    "recruit": RecruitAct,
    "enlarge": EnlargeAct,
    "buy": BuyAct,
    "search": SearchAct,
    "sell": SellAct,
    "give": GiveAct,
    "dismiss": DismissAct,
    "disband": DisbandAct,
    "adjust_money": AdjustMoneyAct,
    "adjust_experience": AdjustExperienceAct,
    "unfought": UnfoughtAct,
}
"""What each act is called in a payload."""
_VERB_OF = {act: verb for verb, act in ACT_VERBS.items()}


@frozen_dataclass
class StoredRow:
    """A row as it is kept: its place, its kind, and what it says."""

    position: int
    kind: str
    payload: NamedValues


def kind_of(entry: LogEntry) -> str:
    """Return the kind of row that holds an entry."""
    if isinstance(entry, GrowthAct):
        return ACT
    return next(kind for kind, (made, _) in _KINDS.items() if isinstance(entry, made))


def to_payload(entry: LogEntry) -> JsonObject:
    """Return what a row says, as plain JSON. Changes of rules are kept as their documents."""
    told = asdict(entry)
    if isinstance(entry, GrowthAct):
        told = {"act": _VERB_OF[type(entry)], **told}
    return told


def from_payload(kind: str, payload: NamedValues) -> LogEntry:
    """Return the entry that a payload was made of. Raises KeyError for a kind that is not known."""
    if kind == ACT:
        return _act(payload)
    entry: LogEntry = _KINDS[kind][1](payload)
    return entry


def change_of(row: StoredRow) -> DocumentChange:
    """Return the change of rules that a row holds."""
    said = row.payload
    return DocumentChange(
        row.position,
        said["document"],
        from_start=bool(said.get("from_start")),
        is_whole=bool(said.get("is_whole")),
    )


def read_log(
    rows: Iterable[StoredRow], read: RulesReader, stat_line: Texts = ()
) -> CampaignLog:
    """Return the log of these rows, of which the first holds the rules of the start.

    ``read`` makes rules of a document. Characteristics come in the order of the ``stat_line``.
    Raises FaultyRules where some version has faults.
    """
    stored = list(rows)
    changes = [change_of(row) for row in stored if row.kind == RULES]
    # The first row is how the campaign began; nothing lies under it.
    first, *others = changes
    versions = read_versions(first.change, others, read=read)
    later = {change.position for change in others if not change.from_start}
    found = [
        LogRow(row.position, _in_stat_order(_entry(row, versions.later), stat_line))
        for row in stored
        if row.kind != RULES or row.position in later
    ]
    return CampaignLog(versions.start, tuple(found))


def document_in_force(rows: Iterable[StoredRow]) -> NamedValues:
    """Return the document of the rules as all changes leave it."""
    changes = [change_of(row) for row in rows if row.kind == RULES]
    document = changes[0].change
    # Sorting is stable: among those of one sort the order of writing stays.
    ordered = sorted(changes[1:], key=lambda change: not change.from_start)
    for change in ordered:
        document = change.apply(document)
    return document


def _entry(row: StoredRow, later: LaterRules) -> LogEntry:
    """Return what a row holds; a change of rules is its version."""
    if row.kind == RULES:
        return RulesChange(later[row.position])
    return from_payload(row.kind, row.payload)


def _in_stat_order(entry: LogEntry, stat_line: Texts) -> LogEntry:
    """Return an entry with the characteristics of who joins in the order of a stat line.

    PostgreSQL keeps the keys of JSON in an order of its own, and SQLite as they were written.
    """
    if isinstance(entry, Founding):
        joiners = tuple(_ordered_joiner(joiner, stat_line) for joiner in entry.joiners)
        return replace(entry, joiners=joiners)
    if isinstance(entry, RecruitAct):
        return replace(entry, joiner=_ordered_joiner(entry.joiner, stat_line))
    return entry


def _ordered_joiner(joiner: Joiner, stat_line: Texts) -> Joiner:
    """Return who joins with the stat line first; other characteristics follow by name."""
    stats = joiner.stats
    first = {stat: stats[stat] for stat in stat_line if stat in stats}
    return replace(joiner, stats=first | dict(sorted(stats.items())))


def _made(kind: type[Any], told: NamedValues, **others: Any) -> Any:
    """Return a value of what is told of it; a list is a tuple in every value of the log."""
    # Keys of a newer release are dropped rather than refused: a log is read back for years.
    known = {field.name for field in fields(kind)} - others.keys()
    values = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in told.items()
        if key in known
    }
    return kind(**values, **others)


def _joiner(told: NamedValues) -> Joiner:
    """Return who joins."""
    gear = tuple(GearPiece(one["id"], one["paid"]) for one in told.get("gear", ()))
    joiner: Joiner = _made(Joiner, told, gear=gear)
    return joiner


def _founding(told: NamedValues) -> Founding:
    """Return how a warband begins."""
    joiners = tuple(map(_joiner, told["joiners"]))
    founding: Founding = _made(Founding, told, joiners=joiners)
    return founding


def _result(told: NamedValues) -> FixtureResult:
    """Return what a fixture came to."""
    out = {side: tuple(map(_put_out, who)) for side, who in told.get("out", {}).items()}
    fielded = {side: tuple(who) for side, who in told.get("fielded", {}).items()}
    by = _pairs(told.get("objective_by", ()))
    result: FixtureResult = _made(
        FixtureResult, told, out=out, fielded=fielded, objective_by=by
    )
    return result


def _put_out(told: NamedValues) -> ModelPutOut:
    """Return a model that was put out."""
    by = told.get("by")
    return ModelPutOut(told["who"], (by[0], by[1]) if by else None)


def _pairs(told: Collection[Any]) -> tuple[tuple[str, str], ...]:
    """Return pairs of texts."""
    return tuple((one[0], one[1]) for one in told)


def _act(told: NamedValues) -> GrowthAct:
    """Return an act."""
    kind = ACT_VERBS[told["act"]]
    others = {"joiner": _joiner(told["joiner"])} if kind is RecruitAct else {}
    act: GrowthAct = _made(kind, told, **others)
    return act


def _answer(told: NamedValues) -> DueAnswer:
    """Return an answer."""
    answer: DueAnswer = _made(DueAnswer, told)
    return answer


def _take_back(told: NamedValues) -> TakeBack:
    """Return what was taken back."""
    back: TakeBack = _made(TakeBack, told)
    return back


_KINDS: Mapping[str, tuple[type[Any], Callable[[NamedValues], Any]]] = {
    FOUND: (Founding, _founding),
    RESULT: (FixtureResult, _result),
    ANSWER: (DueAnswer, _answer),
    TAKE_BACK: (TakeBack, _take_back),
}
"""The kinds of rows besides acts and rules: what they hold, and what reads it."""
