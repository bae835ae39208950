"""What a club's events come to together: the table of a season, and the record of a player.

Only events that lists may show the reader are counted, so two readers may see two tables. People
are known by their account; a guest has none, and is a player of one event alone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db.models import Q
from django.db.models.functions import Coalesce

from accounts.access import clubs_visible_to
from accounts.models import Club
from accounts.owner import Owner
from accounts.queries import ClubRecord, load_club
from accounts.tokens import find_row
from campaigns import access
from campaigns.models import SHOWN, ClubEvent, Entry, Fixture
from campaigns.models.seasons import Season, SeasonCount
from campaigns.queries.events import build_record, load_entries_by_event, with_reader
from campaigns.queries.fixtures import read_fixtures
from campaigns.queries.records import (
    RESULTS,
    Choices,
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
)
from campaigns.queries.standings import StandingsRecord, build_standings
from engine.records import Numbers, Texts, copy_fields, frozen_dataclass
from engine.tournament.season import SeasonLine, place_worth, season_table


@frozen_dataclass
class SeasonRecord:
    """A season as it is stored, see `Season`."""

    id: int
    token: str
    name: str
    counts: str
    best: int | None
    place_points: Numbers
    version: int

    @property
    def rule(self) -> str:
        """How results add up, in words."""
        best = "all results count"
        if self.best:
            plural = "result counts" if self.best == 1 else f"{self.best} results count"
            best = f"the best {plural}"
        if self.counts == SeasonCount.POINTS:
            return f"Points as scored in each event; {best}."
        worth = ", ".join(map(str, self.place_points)) or "nothing"
        return f"Points by place ({worth}); {best}."


@frozen_dataclass
class SeasonRow:
    """A line with the player's latest entry among the events, which names them."""

    line: SeasonLine
    entry: EntryRecord
    cells: tuple[tuple[int | None, bool], ...]


@frozen_dataclass
class SeasonTable:
    """The table of a season: its ``events`` are those that have results, in their order."""

    season: SeasonRecord
    events: tuple[ClubEventRecord, ...]
    rows: tuple[SeasonRow, ...]


def find_club(actor: Owner, slug: str) -> Club | None:
    """The club for those who may see it; None for everybody else. One query."""
    # PostgreSQL refuses text with a NUL, which is no club’s address anyway.
    clubs = clubs_visible_to(actor).filter(slug=slug.replace("\0", ""))
    return clubs.order_by().first()


def load_club_to_play(actor: Owner, slug: str) -> ClubRecord | None:
    """The club for those who may see it, and for players of its events. One query."""
    events = ClubEvent.objects.filter(access.entered_by(actor))
    return load_club(actor, slug, Q(pk__in=events.values("club")))


def load_seasons(**of: int) -> tuple[SeasonRecord, ...]:
    """The seasons of a ``club``, or those that count one of its ``events``, the newest first.

    One query.
    """
    rows = Season.objects.filter(**of).order_by("-id")
    return tuple(copy_fields(SeasonRecord, row) for row in rows)


def load_season(club_id: int, token: str) -> SeasonRecord | None:
    """One of them; None where the club has none of this token. One query."""
    row = find_row(Season.objects.filter(club_id=club_id), token)
    return copy_fields(SeasonRecord, row) if row else None


EVENTS_OFFERED = 60


def load_event_choices(club_id: int, chosen: Texts = ()) -> Choices:
    """(token, name) of the club's latest events, and of those ``chosen`` before. Two queries."""
    rows = ClubEvent.objects.filter(club_id=club_id)
    latest = rows.order_by("-created_at").values_list("pk", flat=True)[:EVENTS_OFFERED]
    offered = rows.filter(Q(pk__in=list(latest)) | Q(token__in=chosen))
    return list(offered.order_by("-created_at", "-id").values_list("token", "name"))


def load_chosen(season: SeasonRecord) -> list[str]:
    """The tokens of the events that a season counts. One query."""
    rows = ClubEvent.objects.filter(seasons=season.id).order_by("id")
    return list(rows.values_list("token", flat=True))


def load_season_table(actor: Owner, season: SeasonRecord) -> SeasonTable:
    """The table of a season as it is now. Four queries."""
    events, tables = [], []
    for table in _load_tables(actor, Q(seasons=season.id)):
        # Before its first game everybody is first.
        if table.round:
            events.append(table.event)
            tables.append(table)
    names: dict[str, str] = {}
    latest: dict[str, EntryRecord] = {}
    points: list[dict[str, int]] = []
    for table in tables:
        points.append({})
        for row in table.rows:
            # Whoever has no result in it took no part.
            if row.standing.results:
                player = _player(row.entry)
                worth = row.standing.points
                if season.counts == SeasonCount.PLACE:
                    worth = place_worth(row.standing.place, season.place_points)
                points[-1][player] = worth
                names[player], latest[player] = row.entry.name, row.entry
    lines = season_table(points, names, season.best)
    return SeasonTable(
        season=season,
        events=tuple(events),
        rows=tuple(
            SeasonRow(
                line,
                latest[line.player],
                tuple((worth, n in line.counted) for n, worth in enumerate(line.results)),
            )
            for line in lines
        ),
    )


def _player(entry: EntryRecord) -> str:
    """Who plays in an entry: the same person in every event, a guest in one."""
    return f"guest {entry.id}" if entry.user_id is None else f"person {entry.user_id}"


def _load_events(actor: Owner, condition: Q) -> list[ClubEventRecord]:
    """Events that meet a condition and that lists may show the actor, in the order they were held.

    Two queries.
    """
    rows = ClubEvent.objects.filter(condition, access.listed_to(actor))
    rows = rows.order_by(Coalesce("starts_at", "created_at"), "id").select_related("club")
    events = list(with_reader(rows, actor))
    secret = access.find_secret(events)
    return [
        build_record(row, ClubEventRecord, hides_lists=row.pk in secret) for row in events
    ]


def _load_tables(actor: Owner, condition: Q) -> list[StandingsRecord]:
    """The standings of such events. Four queries."""
    events = _load_events(actor, condition)
    entries = load_entries_by_event(actor, events)
    of_entry = {entry.id: pk for pk, records in entries.items() for entry in records}
    fixtures: dict[int, list[FixtureRecord]] = {pk: [] for pk in entries}
    rows = Fixture.objects.filter(round__event__in=entries, round__status__in=SHOWN)
    for game in read_fixtures(rows):
        fixtures[of_entry[game.one_id]].append(game)
    return [
        build_standings(event, entries[event.id], fixtures[event.id]) for event in events
    ]


# The record of a player over all events of a club


@frozen_dataclass
class Tally:
    """Games of a player: all of them, those against the opponent of an ``entry``, or those in an
    ``event``, where the player is ``entry``.
    """

    won: int = 0
    drawn: int = 0
    lost: int = 0
    entry: EntryRecord | None = None
    event: ClubEventRecord | None = None

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost


@frozen_dataclass
class PlayerRecord:
    """What a player did in a club's events; walkovers and friendly games are left out.

    ``opponents`` are named by their latest entry, most games first. Of a three-player game each of
    the two others is one, and of two who lost neither beat the other.
    """

    name: str
    is_guest: bool
    total: Tally
    opponents: tuple[Tally, ...]
    events: tuple[Tally, ...]


def load_player_record(actor: Owner, club_id: int, token: str) -> PlayerRecord | None:
    """The record of whoever plays in this entry; None where the actor may not see its event.

    Six queries.
    """
    row = find_row(Entry.objects.filter(event__club_id=club_id), token)
    if row is None:
        return None
    # A guest is nobody else, whatever their name.
    mine = Q(user_id=row.user_id) if row.user_id else Q(pk=row.pk)
    own = Entry.objects.filter(mine, event__club_id=club_id)
    events = _load_events(actor, Q(pk__in=own.values("event")))
    entries = load_entries_by_event(actor, events)
    by_id = {entry.id: entry for records in entries.values() for entry in records}
    if row.pk not in by_id:
        return None
    player = _player(by_id[row.pk])
    keys = {pk for pk, entry in by_id.items() if _player(entry) == player}
    games = Fixture.objects.filter(
        Q(one__in=keys) | Q(other__in=keys) | Q(third__in=keys),
        other__isnull=False,
        decision="",
        round__status__in=SHOWN,
    )
    records = read_fixtures(games)
    played = [game for game in records if game.counts]
    return _build_record(played, keys, events, entries, by_id)


def _build_record(
    games: Sequence[FixtureRecord],
    keys: set[int],
    events: Sequence[ClubEventRecord],
    entries: Mapping[int, Sequence[EntryRecord]],
    by_id: Mapping[int, EntryRecord],
) -> PlayerRecord:
    """Count games by event and by opponent."""
    counts: defaultdict[object, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(RESULTS, 0)
    )
    latest: dict[str, EntryRecord] = {}
    for game in games:
        own = next(pk for pk in game.ids if pk in keys)
        result = game.result_for(own)
        counts["all"][result] += 1
        counts[own][result] += 1
        for other in game.ids:
            if other not in keys:
                player = _player(by_id[other])
                latest[player] = by_id[other]
                # Of two who lost to a third neither beat the other.
                is_third = game.winner_id not in (own, other, None)
                counts[player]["drawn" if is_third else result] += 1
    tallies = {
        key: Tally(tally["won"], tally["drawn"], tally["lost"])
        for key, tally in counts.items()
    }
    opponents = [replace(tallies[player], entry=entry) for player, entry in latest.items()]
    played = [
        replace(tallies.get(entry.id, Tally()), entry=entry, event=event)
        for event in events
        for entry in entries[event.id]
        if entry.id in keys
    ]
    last = by_id[max(keys)]
    return PlayerRecord(
        name=last.name,
        is_guest=last.is_guest,
        total=tallies.get("all", Tally()),
        opponents=tuple(sorted(opponents, key=lambda tally: -tally.games)),
        events=tuple(played),
    )
