"""One fixture: who meets whom, what became of it, and what this reader may do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.owner import Owner
from battles.hooks import EventOfBattle
from battles.models import ResultVerb
from battles.queries.battles import find_battle, result_of
from battles.queries.records import ResultRecord, ResultStepRecord
from battles.replay import is_token, rules_of
from campaigns import access
from campaigns.fixture_totals import SIDES, SideFigures, side_figures
from campaigns.models import ClubEvent, Decision, Fixture, FixtureStatus
from campaigns.queries.chronicle import RoundHeading
from campaigns.queries.events import entry_of, load_event
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.results import SHOWN, status_now
from rulesdata import registry


@dataclass(frozen=True, slots=True)
class FixtureSide:
    """One side of a fixture.

    ``key`` is its side in the battle; ``out`` and ``destroyed`` as they count now.

    ``told_…`` are what was typed in, None for nothing; ``recorded_out`` is what the battle knows.
    """

    key: str
    entry: EntryRecord
    is_attacker: bool
    is_winner: bool
    out: int
    destroyed: int
    told_out: int | None
    told_destroyed: int | None
    recorded_out: int


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step of the result in words, with who took it and why."""

    words: str
    author: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class FixturePage:
    """A fixture with all that is known of it.

    ``battle`` is the token of its battle where the reader may open it, ``result`` what became of
    that. ``plays``: the reader is in it. ``is_recorded``: the battle knows who went out, so nothing
    typed in counts. ``is_told``: it has a result, so that another report corrects it. ``closed``
    says why nobody reports anything now, "" where they may.
    """

    event: ClubEventRecord
    round: RoundHeading
    token: str
    table: int | None
    sides: tuple[FixtureSide, ...]
    scenario: str
    scenario_name: str
    reason: str
    status: str
    how_name: str
    decision: str
    waits_until: datetime | None
    plays_at: datetime | None
    played_at: datetime | None
    is_rematch: bool
    is_friendly: bool
    version: int
    battle: str
    key: str
    result: ResultRecord | None
    steps: tuple[StepLine, ...]
    plays: bool
    is_recorded: bool
    is_told: bool
    closed: str

    @property
    def title(self) -> str:
        return " against ".join(side.entry.name for side in self.sides)

    @property
    def status_name(self) -> str:
        if self.decision:
            return str(Decision(self.decision).label)
        return "A bye" if self.is_bye else str(FixtureStatus(self.status).label)

    @property
    def is_bye(self) -> bool:
        return len(self.sides) == 1

    @property
    def winner(self) -> FixtureSide | None:
        return next((side for side in self.sides if side.is_winner), None)

    @property
    def is_drawn(self) -> bool:
        settled = self.status in (FixtureStatus.FINAL, FixtureStatus.WAITING)
        return settled and self.winner is None and not self.is_bye and not self.decision

    @property
    def may_report(self) -> bool:
        """Whether the reader may say how it ended, for the first time or again."""
        if self.closed or not (self.plays or self.event.may_organise):
            return False
        return self.result is None or self.result.may_propose or self.result.may_correct

    @property
    def can_record(self) -> bool:
        """Whether battles can be recorded in the event's system."""
        try:
            return registry.result_rules(self.event.system, self.event.variant or None).can_record
        except registry.UnknownKey:  # a system that left the packs; the recorder says so
            return True

    @property
    def may_record(self) -> bool:
        """Whether the reader may record it live, or set up its battle to do so."""
        return (
            self.can_record
            and not self.closed
            and not self.is_told
            and (self.plays or self.event.may_organise)
        )

    @property
    def may_decide(self) -> bool:
        return self.event.may_organise and len(self.sides) == 2 and self.round.status in SHOWN


def load_fixture(actor: Owner, token: str, fixture: str) -> FixturePage | None:
    """A fixture, or None where there is none or the actor may not read it: drafts are the
    organisers'.

    Two queries; three more and one about the club where it has a battle.
    """
    event = load_event(actor, token)
    row = _row(event.id, fixture) if event is not None else None
    if event is None or row is None or (row.round.status not in SHOWN and not event.may_organise):
        return None
    entries = tuple(
        entry_of(actor, event, one) for one in (row.one, row.other, row.third) if one is not None
    )
    found = find_battle(actor, row.battle.token) if row.battle else None
    plays = any(one.is_mine for one in entries)
    figures = side_figures(row.battle, row.told) if row.battle else {}
    status = status_now(row.status, row.waits_until, timezone.now(), is_bye=row.other_id is None)
    is_told = row.status not in (FixtureStatus.OPEN, FixtureStatus.ASKED)
    result = result_of(found, rules_of(found.battle)) if found else None
    return FixturePage(
        event=event,
        round=RoundHeading(
            *(getattr(row.round, name) for name in RoundHeading.__dataclass_fields__)
        ),
        token=row.token,
        table=row.table,
        sides=tuple(
            _side(row, key, one, status, figures.get(key))
            for key, one in zip(SIDES, entries, strict=False)
        ),
        scenario=row.scenario,
        scenario_name=row.scenario_name,
        reason=row.reason,
        status=status,
        how_name=_ending_name(event, row.how),
        decision=row.decision,
        waits_until=row.waits_until if status == FixtureStatus.WAITING else None,
        plays_at=row.plays_at,
        played_at=row.played_at,
        is_rematch=row.is_rematch,
        is_friendly=row.is_friendly,
        version=row.version,
        battle=found.battle.token if found else "",
        key=found.battle.key if found and found.table.takes_part else "",
        result=result,
        steps=tuple(_step(event, entries, one) for one in result.steps) if result else (),
        plays=plays,
        is_recorded=any(one.is_recorded for one in figures.values()),
        is_told=is_told and row.other_id is not None,
        closed=_closed_reason(event, row, entries),
    )


def _row(event_id: int, fixture: str) -> Fixture | None:
    if not is_token(fixture):
        return None
    rows = Fixture.objects.filter(token=fixture, round__event_id=event_id)
    return (
        rows.select_related("round", "battle", "one__warband", "other__warband", "third__warband")
        .order_by()
        .first()
    )


def _side(
    row: Fixture, key: str, entry: EntryRecord, status: str, figures: SideFigures | None
) -> FixtureSide:
    told = row.told.get(key, {})
    settled = status in (FixtureStatus.FINAL, FixtureStatus.WAITING)
    return FixtureSide(
        key=key,
        entry=entry,
        is_attacker=row.attacker_id == entry.id,
        is_winner=settled and row.winner_id == entry.id,
        out={"a": row.out_one, "b": row.out_other}.get(key, 0),
        destroyed={"a": row.destroyed_one, "b": row.destroyed_other}.get(key, 0),
        told_out=told.get("out"),
        told_destroyed=told.get("destroyed"),
        recorded_out=figures.out if figures and figures.is_recorded else 0,
    )


def _step(
    event: ClubEventRecord, entries: Sequence[EntryRecord], step: ResultStepRecord
) -> StepLine:
    names = {key: one.name for key, one in zip(SIDES, entries, strict=False)}
    told = "Reported" if step.verb == ResultVerb.PROPOSE else str(ResultVerb(step.verb).label)
    words = "Confirmed by silence" if step.is_silent else told
    if step.how:
        won = f"{names[step.winner]} won" if step.winner in names else "nobody won"
        words = f"{words}: {won}, {_ending_name(event, step.how).lower()}"
    return StepLine(f"{words}.", step.author, "" if step.is_silent else step.reason, step.at)


def _ending_name(event: ClubEventRecord, how: str) -> str:
    try:
        ending = registry.result_rules(event.system, event.variant or None).endings.get(how)
    except registry.UnknownKey:
        return how
    return ending.name if ending else how


def _closed_reason(event: ClubEventRecord, row: Fixture, entries: Sequence[EntryRecord]) -> str:
    """Why nobody reports anything now, "" where they may; in the words of the operation."""
    number = row.round.number
    gone = [one for one in entries if one.dropped is not None and one.dropped <= number]
    if event.is_archived:
        return "This is in the archive."
    if row.round.status not in SHOWN:
        return f"Round {number} is not published yet."
    if row.other_id is None:
        return "A bye is not played; it counts from the moment the round is published."
    if row.status == FixtureStatus.ASKED:
        return "This challenge was not answered yet."
    if row.decision:
        return "An organiser has decided this one."
    if gone and row.status == FixtureStatus.OPEN:
        return (
            f"{gone[0].name} dropped out before this was played. An organiser decides what it "
            "counts as."
        )
    return (
        "This battle is void. Restore it to report another result."
        if row.status == FixtureStatus.VOID
        else ""
    )


def load_event_of_battle(actor: Owner, token: str) -> EventOfBattle | None:
    """The fixture this battle plays, or None where it plays none or lists may not name its event to
    this actor.
    """
    shown = ClubEvent.objects.filter(access.listed_to(actor))
    rows = Fixture.objects.filter(battle__token=token, round__event__in=shown).select_related(
        "round__event"
    )
    row = rows.order_by().first()
    if row is None:
        return None
    event = row.round.event
    return EventOfBattle(event.token, event.name, row.token, str(row.round))
