"""The page of an event and its log: everything on them, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from django.db.models import Exists, F, OuterRef, Q

from accounts.owner import Owner
from accounts.pagination import load_page
from battles.combatants import SIDE_KEYS
from battles.models import BattleCombatant, BattleSide
from battles.secret_lists import hidden_sides
from campaigns.growth.queries.figures import (
    GrowthFigures,
    build_stories,
)
from campaigns.growth.queries.presenter import load_campaign
from campaigns.growth.queries.warbands import GrowthBoard
from campaigns.models import EventLog, Fixture, FixtureStatus, PairingMethod, Round
from campaigns.models.leagues import DISCORD_POST, DiscordWebhook
from campaigns.queries.chronicle import Chapter, build_chronicle, with_stories
from campaigns.queries.events import load_entries
from campaigns.queries.fixtures import (
    Schedule,
    ScheduledFixture,
    load_fixtures,
    load_schedule,
)
from campaigns.queries.pairing import Challenges, build_challenges
from campaigns.queries.records import (
    ClubEventRecord,
    EntryRecord,
)
from campaigns.queries.standings import (
    CourseChart,
    MatrixRow,
    StandingsRecord,
    build_courses,
    build_matrix,
    standings_in,
)
from engine.records import Fields, Texts, copy_fields, frozen_dataclass, quantity
from engine.text import join_words
from engine.tournament.awards import DiceRecord, WarriorRecord, awards
from engine.tournament.types import Standing
from jobs.models import Job
from warbands.queries.records import RowsPage

NEXT_MOST = 12
LOG_PER_PAGE = 50
POSTS_SHOWN = 20
MESSAGES_SHOWN = 10
UNCONFIRMED = (FixtureStatus.WAITING, FixtureStatus.DISPUTED)
WARBAND_VERBS = ("growth_act", "growth_answer", "growth_take_back")
"""Changes that tell what a warband bought, rolled and reversed."""
ORGANISERS_ALONE = ("check_list", "mark_paid")
"""Changes that organisers alone read: what they made of a secret list, and who paid."""


@frozen_dataclass
class EventPage:
    """An event as its page tells it.

    ``mine`` are the reader's fixtures to play, ``unpaired`` is the published round in which the
    reader has none. ``more`` next ones of others are left out, and ``games`` were played.
    """

    event: ClubEventRecord
    rounds: tuple[Round, ...]
    table: StandingsRecord
    courses: CourseChart | None
    matrix: tuple[MatrixRow, ...]
    chapters: tuple[Chapter, ...]
    honours: tuple[Honour, ...]
    mine: tuple[ScheduledFixture, ...]
    unpaired: Round | None
    next: tuple[ScheduledFixture, ...]
    more: int
    games: int
    challenges: Challenges | None
    growth: GrowthBoard | None

    @property
    def has_table(self) -> bool:
        """Whether there is anything to rank players by: results, or the figures of warbands."""
        return bool(self.table.results or self.table.has_figures)

    @property
    def playing(self) -> int:
        return sum(row.entry.is_playing for row in self.table.rows)

    @property
    def coming(self) -> Round | None:
        """The first round that is not published, where anybody has said when it is."""
        later = (row for row in self.rounds if row.starts_at and not row.is_shown)
        return next(later, None)


def load_event_page(actor: Owner, token: str) -> EventPage:
    """The page of an event. Four queries. Raises NotFound.

    Up to three more once a battle counts, and two for a campaign whose warbands grow.
    """
    schedule = load_schedule(actor, token)
    event, entries, played = schedule.event, schedule.entries, schedule.played
    campaign = load_campaign(event) if event.growth_position else None
    table = standings_in(schedule)
    courses = build_courses(table)
    chapters = build_chronicle(schedule, courses)
    if campaign:
        table = GrowthFigures(campaign).beside(table)
        campaign.rounds = {game.token: game.round_number for game in played}
        chapters = with_stories(chapters, build_stories(campaign))
    unsettled = schedule.unsettled
    others = [game for game in unsettled if not game.is_mine]
    return EventPage(
        event=event,
        rounds=schedule.rounds,
        table=table,
        courses=courses,
        matrix=build_matrix(table),
        chapters=chapters,
        honours=load_honours(actor, table, played),
        mine=tuple(game for game in unsettled if game.is_mine),
        unpaired=_unpaired_round(schedule),
        next=tuple(others[:NEXT_MOST]),
        more=len(others[NEXT_MOST:]),
        games=sum(game.is_final and game.is_game for game in played),
        challenges=build_challenges(schedule),
        growth=GrowthBoard(campaign, entries) if campaign else None,
    )


def _unpaired_round(schedule: Schedule) -> Round | None:
    """Return the latest published round where the reader plays in the event but not in it."""
    published = [row for row in schedule.rounds if row.is_published]
    is_playing = any(entry.is_mine and not entry.is_dropped for entry in schedule.entries)
    # In a campaign of challenges nobody is paired by the site.
    if not (published and is_playing) or schedule.event.method == PairingMethod.CHALLENGE:
        return None
    latest = published[-1]
    is_paired = any(game.is_mine and game.round == latest for game in schedule.fixtures)
    return None if is_paired else latest


# What is left when it finishes


def load_unsettled(actor: Owner, event: ClubEventRecord) -> Texts:
    """Return in sentences which results are not confirmed, and who still owes what.

    Two queries, two more for a campaign whose warbands grow.
    """
    names = {entry.id: entry.name for entry in load_entries(actor, event)}
    sentences = [
        f"Round {game.round_number}, {' against '.join(names[pk] for pk in game.ids)}: "
        f"{game.get_status_display().lower()}."
        for game in load_fixtures(event.id)
        if game.status in UNCONFIRMED
    ]
    if event.growth_position:
        campaign = load_campaign(event)
        rows = campaign.rows.values()
        dues = ((row.entry.name, campaign.due_kinds(row.token)) for row in rows)
        sentences += [
            f"{name} still owes: {', '.join(owed)}." for name, owed in dues if owed
        ]
    return tuple(sentences)


# The log


def load_log(
    event: ClubEventRecord, *, page: int = 1, per_page: int = LOG_PER_PAGE
) -> RowsPage[EventLog]:
    """What was changed in an event, the newest first. One query.

    Strangers read what was done, not why. While lists are secret a reader does not see what
    warbands of others did in a campaign. What organisers made of lists, and who paid, is theirs
    alone.
    """
    rows = EventLog.objects.filter(event_id=event.id).select_related("author")
    if not event.may_organise:
        rows = rows.exclude(verb__in=ORGANISERS_ALONE)
    if event.hides_lists:
        rows = rows.exclude(~Q(subject=event.mine), verb__in=WARBAND_VERBS)

    def build_line(row: EventLog) -> EventLog:
        event.hide_reason(row)
        return row

    return load_page(rows.order_by("-id"), build_line, page=page, per_page=per_page)


def load_messages(event: ClubEventRecord) -> list[EventLog]:
    """The last messages of organisers, the newest first. One query."""
    rows = EventLog.objects.filter(event_id=event.id, verb="message")
    return list(rows.select_related("author").order_by("-id")[:MESSAGES_SHOWN])


def load_discord(event: ClubEventRecord) -> Fields:
    """The last posts, but for where they go, and whether the webhook ``is_on``; None without one.

    Two queries.
    """
    states = DiscordWebhook.objects.filter(event=event.id).values_list("is_on", flat=True)
    posts = Job.objects.filter(kind=DISCORD_POST, payload__event=event.id).order_by("-id")
    return {"is_on": states.first(), "posts": list(posts[:POSTS_SHOWN])}


# Awards

NAMED_MOST = 3


@frozen_dataclass
class Honour:
    """One award: its name, who has it, and why."""

    key: str
    name: str
    winners: str
    why: str


def load_honours(
    actor: Owner, table: StandingsRecord, played: Sequence[Fixture]
) -> tuple[Honour, ...]:
    """The awards there are grounds for. Three queries at most; none before a battle counts."""
    honours = _table_honours(table)
    sides = _counted_sides(table, played)
    if not sides:
        return tuple(honours)
    rows = BattleSide.objects.filter(battle__in={battle for battle, _ in sides})
    counted = list(rows.annotate(dice=F("battle__fixture__dice")).order_by("battle_id"))
    # Awards name people by keys, since two warriors may have the same name.
    warriors = _load_warriors(hidden_sides(actor, counted), sides)
    names = {warrior.id: f"{warrior.entry}’s {warrior.name}" for warrior in warriors}
    dice = [
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
    for award in awards(warriors, dice):
        winners = _name_winners([names.get(key, key) for key in award.winners])
        honours.append(copy_fields(Honour, award, winners=winners))
    return tuple(honours)


def _counted_sides(
    table: StandingsRecord, played: Sequence[Fixture]
) -> dict[tuple[int, str], EntryRecord]:
    """Whose each side of the battles is that count, by battle and side."""
    entries = {row.entry.id: row.entry for row in table.rows}
    sides = {}
    for game in played:
        if game.battle_id is None or game.decision or not (game.is_final and game.counts):
            continue
        for key, pk in zip(SIDE_KEYS, game.ids, strict=False):
            sides[game.battle_id, key] = entries[pk]
    return sides


def _load_warriors(
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
    columns = ("battle_id", "side_id", "side__key", "warrior_id", "number", "name")
    figures = ("is_leader", "kills", "is_out")
    warriors: dict[str, WarriorRecord] = {}
    for row in rows.values_list(*columns, *figures, named=True):
        entry = sides.get((row.battle_id, row.side__key))
        if entry is None or row.side_id in hidden:
            continue
        # The same warrior of several battles is one: key, name and player stay.
        key = f"{entry.id}/{row.warrior_id}/{row.number}"
        warrior = warriors.get(key) or WarriorRecord(key, row.name, entry.name, 0)
        warriors[key] = replace(
            warrior,
            name=row.name,
            battles=warrior.battles + 1,
            kills=warrior.kills + row.kills,
            out=warrior.out + int(row.is_out),
            is_leader=warrior.is_leader or row.is_leader,
        )
    return list(warriors.values())


def _table_honours(table: StandingsRecord) -> list[Honour]:
    """What the table itself says: who took out most models, and who lost fewest."""
    rows = [row.standing for row in table.rows if row.standing.played]
    most = max((row.put_out for row in rows), default=0)
    if not most:
        return []
    first = _name_winners([row.name for row in rows if row.put_out == most])
    return [
        Honour("most_put_out", "Most models taken out", first, quantity(most, "model")),
        _fewest_lost(rows),
    ]


def _fewest_lost(rows: Sequence[Standing]) -> Honour:
    """Who lost fewest models, of the games whose casualties somebody reported."""
    counted = {
        row.id: sum(result.is_game and any(result.out.values()) for result in row.results)
        for row in rows
    }
    games = max(counted.values())
    # Only players of half as many such games count: who stays away loses no models.
    steady = [row for row in rows if 2 * counted[row.id] >= games]
    least = min(row.models_lost for row in steady)
    fewest = _name_winners([row.name for row in steady if row.models_lost == least])
    why = f"{quantity(least, 'model')} in games whose casualties were reported"
    return Honour("fewest_lost", "Fewest models lost", fewest, why)


def _name_winners(names: Sequence[str]) -> str:
    if len(names) > NAMED_MOST:
        return f"{', '.join(names[:NAMED_MOST])} and {len(names) - NAMED_MOST} more"
    return join_words(names)
