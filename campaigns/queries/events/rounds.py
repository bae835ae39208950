"""A round as its page shows it: who is here, who meets whom and why, and what may be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.owner import Owner
from campaigns.models import Fixture, ListLock, PairingMethod, Presence, Round
from campaigns.queries.events.loading import load_entries, load_event
from campaigns.queries.events.records import ClubEventRecord, EntryRecord
from campaigns.queries.events.round_records import (
    OVERDUE,
    FixtureLine,
    PresenceRow,
    PresentEntry,
    RoundPage,
    RoundSummary,
    SchedulePage,
    SchedulePageRound,
)
from campaigns.queries.events.tables import status_now


def load_round(
    actor: Owner, token: str, number: int, now: datetime | None = None
) -> RoundPage | None:
    """The page of a round, or None where there is none or the actor may not read the event. Six queries."""
    event = load_event(actor, token)
    if event is None:
        return None
    rounds = _rounds(event)
    asked = next((one for one in rounds.values() if one.number == number), None)
    if asked is None:
        return None
    entries = {one.id: one for one in load_entries(actor, event)}
    pk = next(key for key, one in rounds.items() if one is asked)
    ticks = dict(Presence.objects.filter(round_id=pk).values_list("entry_id", "is_here"))
    lists = dict(
        ListLock.objects.filter(round_id=pk, snapshot__isnull=False).values_list(
            "entry_id", "points"
        )
    )
    rows = list(
        Fixture.objects.filter(round__event_id=event.id).order_by("round__number", "position", "id")
    )
    drawn = _FixtureLines(
        entries,
        ticks,
        {} if event.is_secret and not event.may_organise else lists,
        now or timezone.now(),
    )
    shown = _may_see(event, asked)
    own = [row for row in rows if row.round_id == pk]
    paired = {entry for row in own for entry in (row.one_id, row.other_id, row.third_id) if entry}
    return RoundPage(
        event=event,
        round=asked,
        rounds=tuple(rounds.values()),
        ticks=tuple(
            PresenceRow(one, ticks.get(one.id), shown and one.id in paired, one.id in lists)
            for one in sorted(entries.values(), key=lambda one: (one.is_guest, one.id))
            if not one.is_dropped
        ),
        fixtures=tuple(drawn.line(row, is_shown=asked.is_shown) for row in own) if shown else (),
        waiting=sum(
            _is_waiting(row, rounds[row.round_id], drawn.now) for row in rows if row.round_id != pk
        ),
    )


def load_schedule(actor: Owner, token: str, now: datetime | None = None) -> SchedulePage | None:
    """Every round with its games, or None where the actor may not read the event. Four queries."""
    event = load_event(actor, token)
    if event is None:
        return None
    rounds = _rounds(event)
    entries = {one.id: one for one in load_entries(actor, event)}
    drawn = _FixtureLines(entries, {}, {}, now or timezone.now())
    games: dict[int, list[FixtureLine]] = {pk: [] for pk in rounds}
    for row in Fixture.objects.filter(round__event_id=event.id).order_by("position", "id"):
        if _may_see(event, rounds[row.round_id]):
            games[row.round_id].append(drawn.line(row, is_shown=rounds[row.round_id].is_shown))
    return SchedulePage(
        event, tuple(SchedulePageRound(one, tuple(games[pk])) for pk, one in rounds.items())
    )


def _may_see(event: ClubEventRecord, one: RoundSummary) -> bool:
    """A draft is the organisers'; the schedule of a round robin is everybody's from the beginning."""
    return (
        event.may_organise
        or one.is_shown
        or (one.is_planned and event.method == PairingMethod.ROBIN)
    )


def _rounds(event: ClubEventRecord) -> dict[int, RoundSummary]:
    rows = Round.objects.filter(event_id=event.id).order_by("number")
    return {
        row.pk: RoundSummary(
            number=row.number,
            name=str(row),
            status=row.status,
            starts_at=row.starts_at,
            lists_due_at=row.lists_due_at,
            points_limit=row.points_limit,
            scenarios=tuple(row.scenarios),
            seed=row.seed,
        )
        for row in rows
    }


def _is_waiting(row: Fixture, one: RoundSummary, now: datetime) -> bool:
    """Whether a game of a published round has no result that counts."""
    if not one.is_shown or row.is_friendly or row.other_id is None:
        return False
    return status_now(row.status, row.waits_until, now) in OVERDUE


@dataclass(frozen=True, slots=True)
class _FixtureLines:
    """What a fixture's line needs besides its row."""

    entries: Mapping[int, EntryRecord]
    ticks: Mapping[int, bool]
    lists: Mapping[int, int]
    now: datetime

    def line(self, row: Fixture, *, is_shown: bool) -> FixtureLine:
        ids = [pk for pk in (row.one_id, row.other_id, row.third_id) if pk is not None]
        winner = self.entries.get(row.winner_id or 0)
        return FixtureLine(
            token=row.token,
            table=row.table,
            sitters=tuple(self._sitter(pk, row.attacker_id) for pk in ids),
            scenario=row.scenario,
            scenario_name=row.scenario_name,
            reason=row.reason,
            is_rematch=row.is_rematch,
            is_kept=row.is_kept,
            is_friendly=row.is_friendly,
            plays_at=row.plays_at,
            status=status_now(
                row.status, row.waits_until, self.now, is_bye=is_shown and row.other_id is None
            ),
            winner=winner.name if winner else "",
            has_battle=row.battle_id is not None,
            is_decided=bool(row.decision),
        )

    def _sitter(self, pk: int, attacker: int | None) -> PresentEntry:
        entry = self.entries[pk]
        is_away = entry.is_dropped or self.ticks.get(pk) is False
        return PresentEntry(entry, self.lists.get(pk), pk == attacker, is_away)
