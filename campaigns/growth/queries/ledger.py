"""The log of a campaign out of its rows, and what it comes to."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any

from django.db.models import Count, Max, QuerySet

from accounts.errors import NotFound
from campaigns.growth.payloads import StoredRow, document_in_force, read_log
from campaigns.models import (
    CampaignWarband,
    ClubEvent,
    GrowthRow,
    GrowthRowKind,
    Round,
    RoundStatus,
)
from engine.growth.campaign_fold import fold, read_answers
from engine.growth.dues import DueKey, StoredAnswer
from engine.growth.log import CampaignLog, Founding, RulesChange
from engine.growth.rules import CampaignRules
from engine.growth.state import CampaignFacts, CampaignState, WarbandGrowth
from engine.records import NamedValues, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.campaign_documents import read_for, stat_keys

LATE_MOST = 60
"""The most rounds that somebody who joins late may have missed."""
CACHED_ROWS = 20_000
"""How many rows of folded campaigns a process keeps: one campaign of the largest size."""


@frozen_dataclass
class CampaignLedger:
    """A campaign's rows as they are stored, the log they make, and the state it comes to.

    ``answers`` are all that were given, by warband and due.
    """

    rows: tuple[StoredRow, ...]
    log: CampaignLog
    state: CampaignState
    answers: Mapping[DueKey, StoredAnswer]

    @property
    def position(self) -> int:
        """The place of the last row."""
        return self.rows[-1].position

    @property
    def document(self) -> NamedValues:
        """The document of the rules in force."""
        return document_in_force(self.rows)

    @property
    def rules(self) -> CampaignRules:
        """The rules in force."""
        rules = self.log.rules
        for entry in self.log.entries:
            if isinstance(entry, RulesChange):
                rules = entry.rules
        return rules

    @property
    def rules_name(self) -> tuple[str, int]:
        """The id of the set in force and its version, as the campaign chose them last."""
        for row in reversed(self.rows):
            if row.payload.get("rules"):
                return row.payload["rules"], row.payload["version"]
        return "", 0

    def of(self, kind: str) -> list[StoredRow]:
        """Return the rows of a kind."""
        return [row for row in self.rows if row.kind == kind]


Event = Any
"""An event whose warbands grow: its row, or its record as a reader knows it."""


def load_ledger(event: Event, *, upto: int | None = None) -> CampaignLedger:
    """Return the campaign of an event, as far as a position where one is named.

    One query, or two where this process has not folded these rows yet. Raises NotFound for an
    event in which warbands do not grow, or not by then.
    """
    # Whoever reads the past must not push out what everybody reads.
    cache, key = (folds if upto is None else past_folds), (event.id, upto)
    # The system is part of it: other rule packs make another state of the same rows.
    mark, system = load_mark(*key), registry.system_of(event)
    ledger = cache.find(key, mark, system)
    if ledger is not None:
        return ledger
    columns = (
        _rows_upto(*key)
        .order_by("position")
        .values_list("position", "kind", "payload", "edition")
    )
    rows = tuple(StoredRow(*column) for column in columns)
    ledger = build_ledger(event, rows)
    # Somebody may have appended between the two queries: then the mark is not of these rows.
    if len(rows) == mark.count:
        cache.store(key, mark, system, ledger)
    return ledger


def store_fold(event: ClubEvent, ledger: CampaignLedger) -> None:
    """Keep what was folded to append rows, for the next who reads them. One query.

    Call it where the rows are written and the event is locked.
    """
    folds.store((event.pk, None), load_mark(event.pk), registry.system_of(event), ledger)


def _rows_upto(event_id: int, upto: int | None) -> QuerySet[GrowthRow]:
    """Return the rows of a campaign, as far as a position where one is named."""
    rows = GrowthRow.objects.filter(event_id=event_id)
    return rows if upto is None else rows.filter(position__lte=upto)


def build_ledger(event: Event, rows: tuple[StoredRow, ...]) -> CampaignLedger:
    """Return what rows come to in an event. Raises NotFound where there are none."""
    if not rows:
        raise NotFound("growth")
    system = registry.system_of(event)
    log = read_log(rows, partial(read_for, system), stat_keys(system))
    return CampaignLedger(rows, log, fold(log), read_answers(log))


# What this process has folded


@frozen_dataclass
class LedgerMark:
    """What tells the rows of a campaign from those that it has at any other time.

    After a rollback another row may get the same key and place, but not the same moment.
    """

    count: int
    last: int | None
    at: datetime | None


def load_mark(event_id: int, upto: int | None = None) -> LedgerMark:
    """Return the mark of a campaign's rows as they are stored. One query."""
    rows = _rows_upto(event_id, upto)
    return LedgerMark(**rows.aggregate(count=Count("pk"), last=Max("pk"), at=Max("at")))


FoldKey = tuple[int, int | None]
"""An event, and a position of its past; None for all of its rows."""


class FoldCache:
    """The campaigns that this process folded last, by event and position; so many rows in all.

    A fold never changes, and is found by the mark of its rows alone.
    """

    def __init__(self, most: int) -> None:
        """Keep at most ``most`` rows in all; threads share them under the lock."""
        self.most, self.lock = most, Lock()
        self.entries: OrderedDict[FoldKey, tuple[LedgerMark, System, CampaignLedger]] = (
            OrderedDict()
        )

    def find(self, key: FoldKey, mark: LedgerMark, system: System) -> CampaignLedger | None:
        """Return the fold of these rows in this system, None where it is not kept."""
        fold = self.entries.get(key)
        if fold and fold[0] == mark and fold[1] is system:
            return fold[2]
        return None

    def store(
        self, key: FoldKey, mark: LedgerMark, system: System, ledger: CampaignLedger
    ) -> None:
        """Keep a fold in place of the campaign's last one; the oldest give way."""
        with self.lock:
            self.entries.pop(key, None)
            self.entries[key] = mark, system, ledger
            while sum(mark.count for mark, *_ in self.entries.values()) > self.most:
                self.entries.popitem(last=False)


folds, past_folds = FoldCache(CACHED_ROWS), FoldCache(CACHED_ROWS)


# Rows beside the log


def load_campaign_warbands(event_id: int, *, rosters: bool = True) -> list[CampaignWarband]:
    """Return the warbands of a campaign, in the order in which they were founded. One query.

    ``rosters`` loads the roster of each with it, which its name and its address are from.
    """
    rows = CampaignWarband.objects.filter(entry__event_id=event_id).order_by("id")
    rows = rows.select_related("entry")
    return list(rows.select_related("warband") if rosters else rows)


def closed_rounds(event_id: int) -> int:
    """Return how many rounds of an event are closed, as far as they count. One query."""
    rows = Round.objects.filter(event_id=event_id, status=RoundStatus.CLOSED)
    return min(rows.count(), LATE_MOST)


def build_facts(
    event: ClubEvent, ledger: CampaignLedger, rows: Sequence[CampaignWarband]
) -> CampaignFacts:
    """Return a campaign with the names of its warbands, which are those of their entries."""
    names = {row.token: row.entry.name for row in rows}
    system, armies = registry.system_of(event), {}
    for entry in ledger.log.entries:
        if isinstance(entry, Founding):
            # A club may have archived its list since.
            with suppress(registry.UnknownKey):
                armies[entry.warband] = registry.fielded_army(system, entry.army)
    return CampaignFacts(event.name, ledger.rules, ledger.log, ledger.state, names, armies)


def has_begun(ledger: CampaignLedger) -> bool:
    """Return whether anybody has founded a warband."""
    return bool(ledger.of(GrowthRowKind.FOUND))


# Secret lists (R43)
#
# Every reader of a campaign gets its state from here, so that no page and no answer has a rule of
# its own. Of a warband of somebody else nothing is left but figures that were stored when a round
# was closed. Whoever reads its log or its battles asks `ClubEventRecord.hides` first.


def without_secrets(
    event: Event, ledger: CampaignLedger, rows: Iterable[CampaignWarband]
) -> CampaignLedger:
    """Return a campaign as its reader may know it, whose warbands are ``rows``; no query."""
    hidden = {row.token: row.at_close for row in rows if event.hides(row.entry.token)}
    if not hidden:
        return ledger
    state = ledger.state
    stored = {
        token: WarbandGrowth(
            id=token,
            treasury=figures.get("treasury", {}),
            rating=figures.get("rating", 0),
            warriors={},
            stats={},
            territories=tuple(figures.get("territories", ())),
            is_closed=figures.get("closed", False),
        )
        for token, figures in hidden.items()
        if token in state.warbands
    }
    visible = replace(
        state,
        warbands={**state.warbands, **stored},
        open=visible_records(state.open, hidden),
        offers=visible_records(state.offers, hidden),
        superseded=visible_keys(state.superseded, hidden),
        acts={act.number: act for act in visible_records(state.acts.values(), hidden)},
        notes=visible_records(state.notes, hidden),
        moves=visible_records(state.moves, hidden),
        happenings=visible_records(state.happenings, hidden),
    )
    return replace(ledger, state=visible)


def visible_records(records: Iterable[Any], hidden: Collection[str]) -> tuple[Any, ...]:
    """Return what is of no hidden warband."""
    return tuple(record for record in records if record.warband not in hidden)


def visible_keys(keys: Iterable[Any], hidden: Collection[str]) -> tuple[Any, ...]:
    """Return the dues, each with its warband first, of those that are not hidden."""
    return tuple(key for key in keys if key[0] not in hidden)


def closed_round(event: Event, row: CampaignWarband) -> int | None:
    """Return the round at whose close the figures were stored; None where they are of now.

    0 where none are stored.
    """
    return row.at_close.get("round", 0) if event.hides(row.entry.token) else None


def figures_note(event: Event, rows: Iterable[CampaignWarband]) -> str:
    """Return from when the figures of other warbands are, "" where they are of now."""
    if not event.hides_lists:
        return ""
    number = max((closed_round(event, row) or 0 for row in rows), default=0)
    when = (
        f"are from the close of round {number}"
        if number
        else "appear when a round is closed"
    )
    return f"Lists are secret: other players’ figures {when}."
