"""The page of a fixture: who meets whom, what became of it, and what this reader may do."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.text import capfirst

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.tokens import is_token
from battles.combatants import SIDE_KEYS
from battles.intake import rules_of
from battles.models import Confirmation, ResultVerb
from battles.queries.battles import BattleRows, build_result, load_results
from battles.queries.index import ResultRecord, ResultStepRecord
from battles.results import outcome_words
from campaigns.fixture_totals import (
    DESTROYED,
    OUT,
    SCORE,
    SideFigures,
    side_figures,
)
from campaigns.models import SHOWN, Entry, Fixture, FixtureStatus, Round
from campaigns.queries.events import build_entry_record, load_event
from campaigns.queries.fixtures import NO_RESULT, read_fixtures
from campaigns.queries.records import (
    ARCHIVED,
    MISSING,
    UNSETTLED,
    ClubEventRecord,
    EntryRecord,
)
from engine.records import Fields, NumberByKey, frozen_dataclass


@frozen_dataclass
class FixtureSide:
    """One side of a fixture.

    ``key`` is its side in the battle; ``out``, ``destroyed`` and ``score`` as they count now.

    ``typed`` is what was typed in by the name of the figure; ``recorded_out`` is what the battle
    knows.
    """

    key: str
    entry: EntryRecord
    is_attacker: bool
    is_winner: bool
    out: int
    destroyed: int
    score: int | None
    typed: NumberByKey
    recorded_out: int


@frozen_dataclass
class FixturePage:
    """A fixture with all that is known of it.

    ``battle`` is the token of its battle where the reader may open it, ``key`` what lets the
    reader write in it, ``result`` what became of it. ``plays``: the reader is in it.
    ``is_recorded``: the battle knows who went out, so nothing typed in counts. ``steps`` of the
    result are in words, with who took each and why.
    """

    event: ClubEventRecord
    round: Round
    record: Fixture
    sides: tuple[FixtureSide, ...]
    how_name: str
    plays: bool
    is_recorded: bool
    battle: str = ""
    key: str = ""
    result: ResultRecord | None = None
    steps: tuple[Fields, ...] = ()

    @property
    def title(self) -> str:
        return " against ".join(side.entry.name for side in self.sides)

    @property
    def status_name(self) -> str:
        """The status in words: the decision, “A bye”, or how far the game is."""
        if self.record.decision:
            return self.record.get_decision_display()
        return "A bye" if self.record.is_bye else self.record.get_status_display()

    @property
    def waits_until(self) -> datetime | None:
        """When its result counts if nobody objects."""
        return self.record.waits_until if self.record.is_waiting else None

    @property
    def may_accept(self) -> bool:
        """Whether the reader accepts its reported result as an organiser."""
        return self.result is not None and self.result.may["accept"] and not self.closed

    @property
    def waiting_words(self) -> str:
        """Who confirms the reported result, and until when it can be disputed."""
        until = self.waits_until
        by = f"{timezone.localtime(until):%-d %B at %H:%M}" if until else ""
        if self.event.confirmation == Confirmation.ORGANISER and not until:
            return "Counts in the standings. An organiser accepts it."
        if self.event.confirmation == Confirmation.REPORTS:
            return f"Counts in the standings. If nobody disputes it, it is final on {by}."
        reporter = self.result.side if self.result else ""
        others = [side.entry.name for side in self.sides if side.key != reporter]
        waiting = f"Waiting for {' or '.join(others) or 'an organiser'}."
        if not by:
            return waiting
        return f"{waiting} If nobody disputes it, it is confirmed on {by}."

    @property
    def reported(self) -> str:
        """What was reported last, in words; "" before anything was."""
        result = self.result
        if result is None or not result.how:
            return ""
        names = {side.key: side.entry.name for side in self.sides}
        winner = names.get(result.winner or "", "")
        outcome = outcome_words(self.event.find_ending(result.how), winner)
        return outcome if winner else capfirst(outcome)

    @property
    def counts_losses(self) -> bool:
        """Whether anybody counted what was lost."""
        return self.is_recorded or any(
            side.typed.get("out") is not None for side in self.sides
        )

    @property
    def winner(self) -> FixtureSide | None:
        return next((side for side in self.sides if side.is_winner), None)

    @property
    def is_drawn(self) -> bool:
        record = self.record
        is_played = not record.is_bye and not record.decision
        return is_played and record.is_reported and self.winner is None

    @property
    def is_told(self) -> bool:
        """Whether it has a result, so that another report corrects it."""
        return not self.record.is_bye and self.record.status not in NO_RESULT

    @property
    def closed(self) -> str:
        """Why nobody reports anything now, "" where they may."""
        entries = [side.entry for side in self.sides]
        is_void = self.record.status == FixtureStatus.VOID
        void = (
            "This battle is void. Restore it to report another result." if is_void else ""
        )
        return find_obstacle(self.event, self.round, self.record, entries) or void

    @property
    def is_open(self) -> bool:
        """Whether results are taken, and this reader may give one."""
        return (self.plays or self.event.may_organise) and not self.closed

    @property
    def may_report(self) -> bool:
        """Whether the reader may say how it ended, for the first time or again."""
        result = self.result
        return self.is_open and (
            result is None or result.may["propose"] or result.may["correct"]
        )

    @property
    def may_record(self) -> bool:
        """Whether the reader may record it live, or set up its battle to do so."""
        return self.is_open and not self.is_told and self.can_record

    @property
    def can_record(self) -> bool:
        """Whether battles can be recorded in the event's system.

        Of one that left the packs the recorder says so itself.
        """
        rules = self.event.load_rules()
        return rules is None or rules.can_record

    @property
    def may_decide(self) -> bool:
        return self.event.may_organise and len(self.sides) > 1 and self.round.is_shown


def find_obstacle(event: Any, round_row: Round, game: Any, entries: Iterable[Any]) -> str:
    """Why a game, a row or a record, cannot be played or reported now; "" where it can."""
    number = round_row.number
    dropped = [
        entry.name
        for entry in entries
        if entry.dropped is not None and entry.dropped <= number
    ]
    name = "".join(dropped[:1])
    # A result that was reported before they dropped out may still be answered.
    is_left = game.status == FixtureStatus.OPEN and bool(dropped)
    left = f"{name} dropped out before this game. Ask an organiser to set the result"
    reasons = (
        (event.is_archived, ARCHIVED),
        (not round_row.is_shown, f"Round {number} is not published yet. Publish it first."),
        (
            game.other_id is None,
            "A bye has no result to report. It counts when the round is published.",
        ),
        (
            game.status == FixtureStatus.ASKED,
            "This challenge is not accepted yet. Wait for the answer, then play.",
        ),
        (
            bool(game.decision),
            "An organiser decided this game. Reverse the decision first.",
        ),
        (is_left, f"{left}, or to let {name} rejoin."),
    )
    return next((reason for applies, reason in reasons if applies), "")


def load_fixture(actor: Owner, token: str, fixture: str) -> FixturePage:
    """A fixture as the actor may read it: drafts are the organisers'. Raises NotFound.

    Three queries, and two more where it has a battle.
    """
    event = load_event(actor, token)
    pages = _load_pages(actor, event, Q(token=fixture)) if is_token(fixture) else ()
    if not pages:
        raise NotFound("fixture")
    return pages[0]


@frozen_dataclass
class RoundResults:
    """A round with its games, as the page of their results shows them."""

    event: ClubEventRecord
    round: Round
    games: tuple[FixturePage, ...]

    @property
    def waits(self) -> bool:
        """Whether a game that counts has no result that stands."""
        return any(
            game.record.status in UNSETTLED and not game.record.is_friendly
            for game in self.games
        )

    @property
    def lists(self) -> dict[str, list[FixturePage]]:
        """The games without a result that counts, those reported, and all others."""
        lists: dict[str, list[FixturePage]] = {"missing": [], "reported": [], "settled": []}
        names: dict[str, str] = dict.fromkeys(MISSING, "missing")
        names |= {FixtureStatus.WAITING: "reported"}
        for game in self.games:
            lists[names.get(game.record.status, "settled")].append(game)
        return lists


def load_round_results(actor: Owner, token: str, number: int) -> RoundResults:
    """The games of a round by their tables. Six queries. Raises NotFound."""
    event = load_event(actor, token)
    row = Round.objects.filter(event_id=event.id, number=number).first()
    if row is None:
        raise NotFound("round")
    games = _load_pages(actor, event, Q(round=row))
    return RoundResults(event, row, games)


def _load_pages(
    actor: Owner, event: ClubEventRecord, condition: Q
) -> tuple[FixturePage, ...]:
    """The games that meet a condition and that the actor may read. Four queries at most."""
    # A draft may still change, so nobody but organisers sees it.
    readable = Q() if event.may_organise else Q(round__status__in=SHOWN)
    games = Fixture.objects.filter(condition, readable, round__event_id=event.id)
    rows = read_fixtures(games.select_related("round", "battle"))
    # Joins of entries and warbands would read each column three times.
    players = Entry.objects.filter(pk__in={pk for row in rows for pk in row.ids})
    players = players.select_related("warband").order_by()
    entries = {entry.pk: build_entry_record(actor, event, entry) for entry in players}
    battles = [row.battle for row in rows if row.battle is not None]
    loaded = load_results(actor, battles, may_organise=event.may_organise)
    return tuple(
        _build_page(event, row, entries, loaded.get(row.battle_id or 0)) for row in rows
    )


def _build_page(
    event: ClubEventRecord,
    row: Fixture,
    entries: Mapping[int, EntryRecord],
    loaded: BattleRows | None,
) -> FixturePage:
    """The page with what its battle came to, for somebody who may open it."""
    figures = side_figures(row.battle, row.told) if row.battle else {}
    sides = _build_sides(entries, row, figures)
    ending = event.find_ending(row.how)
    page = FixturePage(
        event=event,
        round=row.round,
        record=row,
        sides=sides,
        how_name=ending.name if ending else row.how,
        plays=any(side.entry.is_mine for side in sides),
        is_recorded=any(side.is_recorded for side in figures.values()),
    )
    if loaded is None:
        return page
    result = build_result(loaded, rules_of(loaded.battle))
    names = {side.key: side.entry.name for side in sides}
    return replace(
        page,
        battle=loaded.battle.token,
        key=loaded.battle.key if loaded.context.takes_part else "",
        result=result,
        steps=tuple(_step_line(event, names, step) for step in result.steps),
    )


def _build_sides(
    entries: Mapping[int, EntryRecord], row: Fixture, figures: Mapping[str, SideFigures]
) -> tuple[FixtureSide, ...]:
    """Return who meets, with totals, reported figures and recorded losses."""
    sides = []
    totals = zip(SIDE_KEYS, row.ids, OUT, DESTROYED, SCORE, strict=False)
    for key, pk, out, destroyed, score in totals:
        recorded = figures.get(key)
        side = FixtureSide(
            key=key,
            entry=entries[pk],
            is_attacker=row.attacker_id == pk,
            is_winner=row.is_reported and row.winner_id == pk,
            out=getattr(row, out),
            destroyed=getattr(row, destroyed),
            score=getattr(row, score),
            typed=row.told.get(key, {}),
            recorded_out=recorded.out if recorded and recorded.is_recorded else 0,
        )
        sides.append(side)
    return tuple(sides)


def _step_line(
    event: ClubEventRecord, names: Mapping[str, str], step: ResultStepRecord
) -> Fields:
    """``names`` by the sides of the battle."""
    sentence = step.title
    if step.verb == ResultVerb.CONFIRM and not step.side and not step.is_silent:
        sentence = "Accepted by an organiser"
    if step.how:
        winner = names.get(step.winner or "", "")
        sentence = f"{sentence}: {outcome_words(event.find_ending(step.how), winner)}"
    # Strangers read what was done, not why.
    shows_reason = event.reads_reasons and not step.is_silent
    return {
        "sentence": f"{sentence}.",
        "author": step.author,
        "reason": step.reason if shows_reason else "",
        "at": step.at,
    }


def load_battle_key(event: ClubEventRecord, fixture: str) -> str:
    """Return the key of a game's battle for those who run its event, "" for others. One query."""
    if not event.may_organise:
        return ""
    rows = Fixture.objects.filter(round__event_id=event.id, token=fixture)
    return rows.order_by().values_list("battle__key", flat=True).first() or ""
