"""The page of an event and its log: everything on them, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from accounts.owner import Owner
from accounts.pagination import load_page
from battles.models import BattleCombatant, BattleSide
from battles.secret_lists import hidden_sides
from campaigns.fixture_totals import SIDES
from campaigns.growth.queries.figures import (
    GrowthFigures,
    build_stories,
)
from campaigns.growth.queries.presenter import load_campaign
from campaigns.growth.queries.warbands import GrowthBoard
from campaigns.models import (
    EventKind,
    EventLog,
    FixtureStatus,
    PairingMethod,
)
from campaigns.queries.chronicle import Chapter, chronicle_of, with_stories
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import (
    ScheduledFixture,
    load_fixture_records,
    load_round_records,
    scheduled_fixture,
)
from campaigns.queries.pairing import Challenges, challenges_of
from campaigns.queries.records import (
    UNSETTLED,
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
)
from campaigns.queries.standings import (
    CourseChart,
    MatrixRow,
    StandingsRecord,
    courses_of,
    matrix_of,
    standings_of,
)
from engine.records import Texts, copy_fields, frozen_dataclass
from engine.tournament.awards import DiceRecord, WarriorRecord, awards
from engine.tournament.types import Result, Standing
from engine.words import join_words
from warbands.queries.records import RowsPage

NEXT_MOST = 12
LOG_PER_PAGE = 50
UNCONFIRMED = (FixtureStatus.WAITING, FixtureStatus.DISPUTED)
WARBAND_VERBS = ("growth_act", "growth_answer", "growth_take_back")
"""Changes that tell what a warband bought, rolled and reversed."""


@frozen_dataclass
class EventPage:
    """An event as its page tells it.

    ``own`` are the reader's fixtures to play, ``unpaired`` is the published round in which the
    reader has none. ``more`` next ones of others are left out, and ``games`` were played.
    """

    event: ClubEventRecord
    rounds: tuple[RoundRecord, ...]
    table: StandingsRecord
    courses: CourseChart | None
    matrix: tuple[MatrixRow, ...]
    chapters: tuple[Chapter, ...]
    honours: tuple[Honour, ...]
    own: tuple[ScheduledFixture, ...]
    unpaired: RoundRecord | None
    next: tuple[ScheduledFixture, ...]
    more: int
    games: int
    challenges: Challenges | None
    growth: GrowthBoard | None

    @property
    def next_title(self) -> str:
        """How the games of others are headed, below the reader's own."""
        return "Other games to play" if self.own else "Games to play"

    @property
    def coming(self) -> RoundRecord | None:
        """The first round that is not published, where anybody has said when it is."""
        later = [
            one for one in self.rounds if not one.is_shown and one.starts_at is not None
        ]
        return later[0] if later else None


def load_event_page(actor: Owner, token: str) -> EventPage | None:
    """The page of an event, or None where there is none or the actor may not read it. Four queries.

    Up to three more once a battle counts, and two for a campaign whose warbands grow.
    """
    event = load_event(actor, token)
    if event is None:
        return None
    entries = load_entries(actor, event)
    played = load_fixture_records(event.id, timezone.now())
    rounds = load_round_records(event.id)
    grown = _load_grown(event, entries, played)
    table = standings_of(event, entries, played)
    courses = courses_of(table)
    chapters = chronicle_of(event, entries, rounds, played, courses)
    if grown:
        table = grown.figures.beside(table)
        chapters = with_stories(chapters, grown.stories)
    coming = _next(entries, rounds, played)
    others = [one for one in coming if not one.is_mine]
    return EventPage(
        event=event,
        rounds=rounds,
        table=table,
        courses=courses,
        matrix=matrix_of(table),
        chapters=chapters,
        honours=load_honours(actor, table, played),
        own=tuple(one for one in coming if one.is_mine),
        unpaired=_unpaired_round(event, entries, rounds, played),
        next=tuple(others[:NEXT_MOST]),
        more=len(others[NEXT_MOST:]),
        games=sum(one.is_final and one.is_game for one in played),
        challenges=challenges_of(event, entries, rounds, played),
        growth=grown.board if grown else None,
    )


class _GrownPart(NamedTuple):
    """What the page tells of the warbands of a campaign in which they grow."""

    board: GrowthBoard
    figures: GrowthFigures
    stories: Mapping[int, Sequence[tuple[str, str]]]


def _load_grown(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    played: Sequence[FixtureRecord],
) -> _GrownPart | None:
    """Return the part of a growing campaign, None for any other event. Two queries."""
    if event.kind != EventKind.CAMPAIGN or not event.growth_position:
        return None
    campaign = load_campaign(event)
    numbers = {one.token: one.round_number for one in played}
    return _GrownPart(
        board=GrowthBoard(campaign, entries),
        figures=GrowthFigures(campaign),
        stories=build_stories(campaign, numbers),
    )


def _next(
    entries: Sequence[EntryRecord],
    rounds: Sequence[RoundRecord],
    played: Sequence[FixtureRecord],
) -> tuple[ScheduledFixture, ...]:
    """What has no result that stands, the reader's own first, then the latest round's."""
    known = {one.id: one for one in entries}
    of = {one.id: one for one in rounds}
    # The sort is stable: within a round the order of the tables stays.
    told = [
        scheduled_fixture(one, of[one.round_id], known)
        for one in played
        if one.status in UNSETTLED
    ]
    return tuple(sorted(told, key=lambda one: (not one.is_mine, -one.round.number)))


def _unpaired_round(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    rounds: Sequence[RoundRecord],
    played: Sequence[FixtureRecord],
) -> RoundRecord | None:
    """Return the latest published round where the reader plays in the event but not in it."""
    published = [one for one in rounds if one.is_published]
    own = {one.id for one in entries if one.is_mine and not one.is_dropped}
    # In a campaign of challenges nobody is paired by the site.
    if not (published and own) or event.method == PairingMethod.CHALLENGE:
        return None
    latest = published[-1]
    return None if _plays_in(latest, own, played) else latest


def _plays_in(
    latest: RoundRecord, own: Collection[int], played: Sequence[FixtureRecord]
) -> bool:
    """Return whether any of these entries has a game or a bye in a round."""
    games = [one for one in played if one.round_id == latest.id]
    return any(not set(own).isdisjoint(one.ids) for one in games)


# What is left when it finishes


def load_unsettled(actor: Owner, event: ClubEventRecord) -> Texts:
    """Return in sentences which results are not confirmed, and who still owes what.

    Two queries, two more for a campaign whose warbands grow.
    """
    names = {entry.id: entry.name for entry in load_entries(actor, event)}
    left = [
        f"Round {game.round_number}, {' against '.join(names[pk] for pk in game.ids)}: "
        f"{FixtureStatus(game.status).label.lower()}."
        for game in load_fixture_records(event.id, timezone.now())
        if game.status in UNCONFIRMED
    ]
    if not event.growth_position:
        return tuple(left)
    campaign = load_campaign(event)
    rows = campaign.rows.values()
    owed = ((row.entry.name, campaign.due_kinds(row.token)) for row in rows)
    left += [f"{name} still owes: {', '.join(dues)}." for name, dues in owed if dues]
    return tuple(left)


# The log


@frozen_dataclass
class LogLine:
    """What somebody changed: in words, why, and who; ``subject`` is the token of what it is about."""

    words: str
    reason: str
    author: str
    at: datetime
    subject: str
    verb: str


def load_log(
    event: ClubEventRecord, *, page: int = 1, per_page: int = LOG_PER_PAGE
) -> RowsPage[LogLine]:
    """What was changed in an event, the newest first. One query.

    While lists are secret a reader is not told what warbands of others did in a campaign.
    """
    rows = (
        EventLog.objects.filter(event_id=event.id).select_related("author").order_by("-id")
    )
    if event.hides_lists:
        rows = rows.exclude(~Q(subject=event.mine), verb__in=WARBAND_VERBS)
    line = partial(_log_line, shows_reason=event.reads_reasons)
    return load_page(rows, line, page=page, per_page=per_page)


def _log_line(row: EventLog, *, shows_reason: bool) -> LogLine:
    """Return a row of the log, with its reason for those who may read it."""
    author = row.author.display_name if row.author else ""
    reason = row.reason if shows_reason else ""
    return copy_fields(LogLine, row, author=author, reason=reason)


NAMED_MOST = 3
SHORT = 12


@frozen_dataclass
class Honour:
    """One award: its name, who has it, and why."""

    key: str
    name: str
    winners: str
    why: str

    @property
    def is_short(self) -> bool:
        """Whether the reason is a figure that fits on the line."""
        return len(self.why) <= SHORT


def load_honours(
    actor: Owner, table: StandingsRecord, played: Sequence[FixtureRecord]
) -> tuple[Honour, ...]:
    """The awards there are grounds for. Three queries at most; none before a battle counts."""
    entries = {row.entry.id: row.entry for row in table.rows}
    sides = _sides(played, entries)
    if not sides:
        return _of_table(table)
    rows = BattleSide.objects.filter(battle__in={battle for battle, _ in sides})
    counted = list(rows.annotate(dice=F("battle__fixture__dice")).order_by("battle_id"))
    # Awards name people by keys, since two warriors may have the same name.
    warriors = _warriors(hidden_sides(actor, counted), sides)
    names = {one.id: f"{one.entry}’s {one.name}" for one in warriors}
    told = [
        copy_fields(Honour, one, winners=_listed([names.get(pk, pk) for pk in one.winners]))
        for one in awards(warriors, _dice(counted, sides))
    ]
    return (*_of_table(table), *told)


def _sides(
    played: Sequence[FixtureRecord], entries: Mapping[int, EntryRecord]
) -> dict[tuple[int, str], EntryRecord]:
    """Battle and side to whose it is, for the battles that count."""
    return {
        (one.battle_id, key): entries[pk]
        for one in played
        if one.battle_id is not None and one.is_final and one.counts and not one.decision
        for key, pk in zip(SIDES, one.ids, strict=False)
    }


def _warriors(
    hidden: Collection[int], sides: Mapping[tuple[int, str], EntryRecord]
) -> list[WarriorRecord]:
    """Everybody who led or put somebody out; models without a list have no name to be honoured by.

    ``hidden`` are ids of sides whose list is secret from the reader. One query.
    """
    # Of a battle whose result alone was entered nobody knows who stood or fell.
    fallen = BattleCombatant.objects.filter(battle=OuterRef("battle"), is_out=True)
    rows = BattleCombatant.objects.filter(
        Q(is_leader=True) | Q(kills__gt=0),
        Exists(fallen),
        battle__in={battle for battle, _ in sides},
        warrior_id__isnull=False,
    ).order_by("battle_id", "position")
    columns = (
        "side_id",
        "battle_id",
        "side__key",
        "warrior_id",
        "number",
        "name",
        "is_leader",
        "kills",
        "is_out",
    )
    found: dict[str, WarriorRecord] = {}
    for (
        side_id,
        battle,
        side,
        warrior,
        number,
        name,
        is_leader,
        kills,
        is_out,
    ) in rows.values_list(*columns):
        entry = sides.get((battle, side))
        if entry is None or side_id in hidden:
            continue
        key = f"{entry.id}/{warrior}/{number}"
        # The same warrior of several battles is one: key, name and player stay.
        old = found.get(key) or WarriorRecord(key, name, entry.name, 0)
        found[key] = replace(
            old,
            name=name,
            battles=old.battles + 1,
            kills=old.kills + kills,
            out=old.out + int(is_out),
            is_leader=old.is_leader or is_leader,
        )
    return list(found.values())


def _dice(
    counted: Iterable[Any], sides: Mapping[tuple[int, str], EntryRecord]
) -> list[DiceRecord]:
    """The dice of tests that pass or fail, as the fixtures counted them.

    ``counted`` are sides of battles, each with the ``dice`` of its fixture by side.
    """
    return [
        DiceRecord(
            entry=sides[row.battle_id, row.key].name,
            # A kind of dice is its sides with a sign: "6+" passes high, "6-" low.
            sides=int(die[:-1]),
            faces={int(face): count for face, count in faces.items()},
            is_low_good=die.endswith("-"),
        )
        for row in counted
        if (row.battle_id, row.key) in sides
        for die, faces in row.dice.get(row.key, {}).items()
    ]


def _of_table(table: StandingsRecord) -> tuple[Honour, ...]:
    """What the table itself says: who took out most models, and who lost fewest."""
    rows = [row.standing for row in table.rows if row.standing.played]
    most = max((row.put_out for row in rows), default=0)
    if not most:
        return ()
    first = [row.name for row in rows if row.put_out == most]
    return (
        Honour("most_put_out", "Most models taken out", _listed(first), _models(most)),
        _fewest_lost(rows),
    )


def _fewest_lost(rows: Sequence[Standing]) -> Honour:
    """Of the games whose casualties somebody counted, who lost fewest models."""
    counted = {row.id: sum(map(_is_counted, row.results)) for row in rows}
    games = max(counted.values())
    # Who has a single such game would lose fewest models only by staying away.
    steady = [row for row in rows if 2 * counted[row.id] >= games]
    least = min(row.models_lost for row in steady)
    fewest = [row.name for row in steady if row.models_lost == least]
    why = f"{_models(least)} in games whose casualties were reported"
    return Honour("fewest_lost", "Fewest models lost", _listed(fewest), why)


def _is_counted(result: Result) -> bool:
    """Whether anybody counted what was lost."""
    return result.is_game and any(result.out.values())


def _models(count: int) -> str:
    return f"{count} model{'' if count == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED_MOST:
        return f"{', '.join(names[:NAMED_MOST])} and {len(names) - NAMED_MOST} more"
    return join_words(names)
