"""What a club's events come to together: the table of a season, and the record of a player.

Only events that lists may show the reader are counted, so two readers may see two tables. People
are known by their account; a guest has none, and is a player of one event alone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db.models import Q
from django.db.models.functions import Coalesce

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.queries import ClubRecord, load_club
from accounts.tokens import get_row
from campaigns import access
from campaigns.models import SHOWN, ClubEvent, Entry, Fixture
from campaigns.models.leagues import Season, SeasonCount
from campaigns.queries.events import build_record, load_entries_by_event, with_reader
from campaigns.queries.fixtures import read_fixtures
from campaigns.queries.records import (
    RESULTS,
    Choices,
    ClubEventRecord,
    EntryRecord,
)
from campaigns.queries.standings import StandingsRecord, build_standings
from engine.records import Texts, frozen_dataclass
from engine.tournament.season import SeasonLine, place_worth, season_table


@frozen_dataclass
class SeasonRow:
    """A line with the player's latest entry among the events, which names them."""

    line: SeasonLine
    entry: EntryRecord


@frozen_dataclass
class SeasonTable:
    """The table of a season: its ``events`` are those that have results, in their order."""

    events: tuple[ClubEventRecord, ...]
    rows: tuple[SeasonRow, ...]


def load_club_to_play(actor: Owner, slug: str) -> ClubRecord | None:
    """The club for those who may see it, and for players of its events. One query."""
    events = ClubEvent.objects.filter(access.entered_by(actor))
    return load_club(actor, slug, Q(pk__in=events.values("club")))


def load_season(club_id: int, token: str) -> Season:
    """A season of a club. One query. Raises NotFound."""
    return get_row(Season.objects.filter(club_id=club_id), token, "season")


EVENTS_OFFERED = 60


def load_event_choices(club_id: int, chosen: Texts = ()) -> Choices:
    """(token, name) of the club's latest events, and of those ``chosen`` before. Two queries."""
    rows = ClubEvent.objects.filter(club_id=club_id)
    latest = rows.order_by("-created_at").values_list("pk", flat=True)[:EVENTS_OFFERED]
    offered = rows.filter(Q(pk__in=list(latest)) | Q(token__in=chosen))
    return list(offered.order_by("-created_at", "-id").values_list("token", "name"))


def load_chosen(season: Season) -> list[str]:
    """The tokens of the events that a season counts. One query."""
    rows = ClubEvent.objects.filter(seasons=season.id).order_by("id")
    return list(rows.values_list("token", flat=True))


def load_season_table(actor: Owner, season: Season) -> SeasonTable:
    """The table of a season as it is now. Four queries."""
    # Before its first game everybody is first.
    tables = [table for table in _load_tables(actor, Q(seasons=season.id)) if table.round]
    latest: dict[str, EntryRecord] = {}
    points: list[dict[str, int]] = []
    for table in tables:
        points.append({})
        for row in table.rows:
            # Whoever has no result in it took no part.
            if row.standing.results:
                player, worth = _player(row.entry), row.standing.points
                if season.counts == SeasonCount.PLACE:
                    worth = place_worth(row.standing.place, season.place_points)
                points[-1][player], latest[player] = worth, row.entry
    names = {player: entry.name for player, entry in latest.items()}
    lines = season_table(points, names, season.best)
    return SeasonTable(
        events=tuple(table.event for table in tables),
        rows=tuple(SeasonRow(line, latest[line.player]) for line in lines),
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
    fixtures: dict[int, list[Fixture]] = {pk: [] for pk in entries}
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


def load_player_record(actor: Owner, club_id: int, token: str) -> PlayerRecord:
    """The record of whoever plays in this entry. Six queries.

    Raises NotFound where the actor may not see its event.
    """
    row = get_row(Entry.objects.filter(event__club_id=club_id), token, "entry")
    # A guest is nobody else, whatever their name.
    mine = Q(user_id=row.user_id) if row.user_id else Q(pk=row.pk)
    own = Entry.objects.filter(mine, event__club_id=club_id)
    events = _load_events(actor, Q(pk__in=own.values("event")))
    entries = load_entries_by_event(actor, events)
    by_id = {entry.id: entry for records in entries.values() for entry in records}
    if row.pk not in by_id:
        raise NotFound("entry")
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
    games: Sequence[Fixture],
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
