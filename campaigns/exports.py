"""An event as files: CSV and JSON, a summary as Markdown, a calendar (RFC 5545); and as posts.

Pure drawing.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar, Event

from battles.exports import safe_cell
from campaigns.growth.queries.figures import LISTED, GrowthFigures
from campaigns.models import Decision, FixtureStatus
from campaigns.queries.fixtures import Schedule, ScheduledFixture
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.standings import StandingsRecord, StandingWarband
from engine.records import Fields, TextByKey, Texts, frozen_dataclass
from engine.tournament.standings import tie_break
from warbands.exchange.text import escape_markdown

FORMAT = "muster-roll-event/1"
NEXT_MOST = 20
AT_CLOSE = "at the close of round"
"""From when the figures of a warband are while lists are secret; empty for now."""

FILES: dict[str, TextByKey] = {
    "standings": {
        "place": "standing.place",
        "name": "entry.name",
        "warband": "entry.warband_name",
        "army": "entry.army_name",
        "points": "standing.points",
        "played": "standing.played",
        "won": "standing.won",
        "drawn": "standing.drawn",
        "lost": "standing.lost",
        "byes": "standing.byes",
        "unplayed": "standing.unplayed",
        "put out": "standing.put_out",
        "models lost": "standing.models_lost",
        "points destroyed": "standing.points_destroyed",
        "score": "standing.score",
        "player score": "entry.player_score",
        "provisional": "provisional",
        "difference": "standing.difference",
        "moved": "moved",
        "form": "form",
    },
    "fixtures": {
        "round": "round.number",
        "table": "record.table",
        "one": "sides.0.name",
        "other": "sides.1.name",
        "third": "sides.2.name",
        "attacker": "attacker.name",
        "scenario": "record.scenario_name",
        "plays at": "plays_at",
        "status": "record.status",
    },
    "results": {
        "round": "round.number",
        "one": "sides.0.name",
        "other": "sides.1.name",
        "third": "sides.2.name",
        "winner": "winner.name",
        "ending": "record.how",
        "decision": "record.decision",
        "out of one": "record.out_one",
        "out of other": "record.out_other",
        "destroyed by one": "record.destroyed_one",
        "destroyed by other": "record.destroyed_other",
        "out of third": "record.out_third",
        "destroyed by third": "record.destroyed_third",
        "score of one": "record.score_one",
        "score of other": "record.score_other",
        "score of third": "record.score_third",
        "friendly": "record.is_friendly",
        "played at": "record.played_at",
    },
}
"""The columns of a file of every event, and where a record has their values."""

GROWN: dict[str, Texts] = {
    "warbands": (
        "warband", "player", "rating", "models", "experience", "battles", "territories", "closed",
        AT_CLOSE,
    ),
    "warriors": (
        "warband", "player", "name", "profile", "kind", "models", "experience", "advances",
        "injuries", "changed", "state",
    ),
    "ledger": (
        "position", "at", "kind", "player", "entry", "state", "typed", "reason", "by",
    ),
}  # fmt: skip
"""The columns of files of campaigns whose warbands grow."""
ALL_FILES = (*FILES, *GROWN)

Rows = Iterable[Sequence[Any]]


@frozen_dataclass
class LeagueFiles:
    """What the files are drawn from; ``growth`` is None where no warbands grow.

    ``ledger`` is read for its own file alone.
    """

    schedule: Schedule
    standings: StandingsRecord
    growth: GrowthFigures | None = None
    ledger: Rows = ()


def file_names(event: ClubEventRecord) -> list[str]:
    """Return the files that an event has."""
    return [*FILES, *(GROWN if event.growth_position else ())]


def _table(files: LeagueFiles, name: str) -> tuple[Sequence[str], Rows]:
    """The names of the columns of a file, and its rows.

    The standings have one more for each tie-breaker of the event, and in a campaign whose warbands
    grow what these hold; warbands one for each currency.
    """
    if name in GROWN:
        return _grown_table(files, name)
    standings, fixtures = files.standings, files.schedule.fixtures
    columns = list(FILES[name])
    records: Sequence[Any] = fixtures
    if name == "results":
        records = [fixture for fixture in fixtures if fixture.record.is_final]
    elif name == "standings":
        records = standings.rows
        # By the names of the field: what a club calls a score may be another column.
        columns += [tie_break(key).name.lower() for key in standings.event.tie_breaks]
        if standings.has_warbands:
            money = _money_columns(standings.currencies)
            columns += ["rating", *money, "territories", AT_CLOSE]
    rows = []
    for record in records:
        row = [_find(record, path) for path in FILES[name].values()]
        if name == "standings":
            row += map(_plain, record.standing.ties)
            row += _warband_cells(standings, record.warband)
        rows.append(row)
    return columns, rows


def _plain(figure: str) -> int | float | str:
    """A tie-breaker's figure as a number, such as 3 for +3; "" where it says nothing."""
    if figure == "–":
        return ""
    number = float(figure.replace("−", "-"))
    return int(number) if number.is_integer() else number


def _grown_table(files: LeagueFiles, name: str) -> tuple[Sequence[str], Rows]:
    growth, columns = files.growth, GROWN[name]
    if name == "ledger" or growth is None:
        return columns, files.ledger
    if name == "warriors":
        return columns, growth.warrior_rows()
    return (*columns, *_money_columns(growth.currencies)), growth.warband_rows()


def _money_columns(currencies: Sequence[str]) -> list[str]:
    """Return the columns of currencies, which a club may call as another column."""
    return [f"treasury {currency}" for currency in currencies]


def _warband_cells(table: StandingsRecord, warband: StandingWarband | None) -> list[Any]:
    """What stands behind a player's line in a campaign whose warbands grow."""
    if not table.has_warbands:
        return []
    if warband is None:
        return ["", *[""] * len(table.currencies), "", None]
    ground = LISTED.join(warband.territories)
    return [warband.rating, *warband.money, ground, warband.closed_round]


def _find(record: Any, path: str) -> Any:
    """Return the value at a path such as "sides.1.name"; "" if there is no such side."""
    *steps, last = path.split(".")
    for step in steps:
        if step.isdigit():
            record = record[int(step)] if int(step) < len(record) else None
        else:
            record = getattr(record, step)
        if record is None:
            return ""
    value = getattr(record, last)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return (" " if last == "form" else LISTED).join(value)
    return value


def as_csv(files: LeagueFiles, name: str) -> str:
    """One line for each row under a line of names; no cell begins a formula. Moments are UTC."""
    columns, rows = _table(files, name)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        # A number below 0 is no formula.
        writer.writerow(
            value if isinstance(value, int | float) else safe_cell(str(_utc(value) or ""))
            for value in row
        )
    return out.getvalue()


def as_json(files: LeagueFiles, name: str) -> str:
    """The same rows as objects, with the keys of the columns. Moments are UTC."""
    columns, rows = _table(files, name)
    keys = [column.replace(" ", "_") for column in columns]
    event = files.schedule.event
    data: Fields = {
        "format": FORMAT,
        "id": event.token,
        "name": event.name,
        "club": event.club_name,
        "system": event.system,
        "variant": event.variant or None,
        name: [dict(zip(keys, map(_utc, row), strict=True)) for row in rows],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _utc(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def as_markdown(files: LeagueFiles) -> str:
    """A summary to paste: the standings, the latest round, and what comes next."""
    schedule = files.schedule
    # Names are a player’s own text and must not become markup.
    parts = [
        f"# {escape_markdown(schedule.event.name)}",
        escape_markdown(", ".join(_facts(files))),
    ]
    if files.standings.rows:
        lines = ["|  |  | played | won-drawn-lost | points |", "|" + " --- |" * 5]
        for row in files.standings.rows:
            line = row.standing
            name, won = escape_markdown(line.name), f"{line.won}-{line.drawn}-{line.lost}"
            figures = f"{line.played} | {won} | {line.points}"
            lines.append(f"| {line.place} | {name} | {figures} |")
        parts += ["## Standings", "\n".join(lines)]
    published = [record for record in schedule.rounds if record.is_shown]
    if published:
        latest = published[-1]
        games = [
            f"- {escape_markdown(fixture_outcome(fixture))}"
            for fixture in schedule.fixtures
            if fixture.round.number == latest.number
        ]
        parts.append(f"## {escape_markdown(latest.title)}")
        parts.append("\n".join(games) or "No games in this round.")
    coming = sorted(filter(_is_to_come, schedule.fixtures), key=_when)
    if coming:
        games = [f"- {escape_markdown(_planned(game))}" for game in coming[:NEXT_MOST]]
        if len(coming) > NEXT_MOST:
            games.append(f"- and {len(coming) - NEXT_MOST} more")
        parts += ["## Next", "\n".join(games)]
    return "\n\n".join(parts) + "\n"


def _is_to_come(fixture: ScheduledFixture) -> bool:
    """Whether a fixture is still to be played."""
    is_open = fixture.record.status == FixtureStatus.OPEN
    return is_open and fixture.round.is_shown and not fixture.record.is_bye


def fixture_outcome(fixture: ScheduledFixture) -> str:
    """Who met and what it came to, in words."""
    if fixture.record.is_bye:
        return fixture.title
    if fixture.record.decision == Decision.UNPLAYED:
        outcome = "not played"
    elif not fixture.record.is_final:
        outcome = fixture.record.get_status_display().lower()
    elif fixture.winner is None:
        outcome = "a draw"
    else:
        by = " by walkover" if fixture.record.decision else ""
        outcome = f"{fixture.winner.name} wins{by}"
    return f"{fixture.title}: {outcome}"


def _facts(files: LeagueFiles) -> list[str]:
    """Return what the summary's head says of the event."""
    event, latest = files.schedule.event, files.standings.round
    facts = (
        event.club_name,
        event.system_name,
        f"{event.points_limit} points" if event.points_limit is not None else "",
        event.status_name.lower(),
        f"after round {latest}" if latest else "",
    )
    return [fact for fact in facts if fact]


def _planned(fixture: ScheduledFixture) -> str:
    """Return a fixture that is to come, in a line of Markdown."""
    record = fixture.record
    # People read the local time; files for programs hold UTC.
    day = timezone.localtime(fixture.plays_at) if fixture.plays_at else None
    facts = (
        fixture.title,
        f"{day.day} {day:%B %Y, %H:%M}" if day else "",
        f"table {record.table}" if record.table else "",
        record.scenario_name,
    )
    return ", ".join(filter(None, facts))


def _when(fixture: ScheduledFixture) -> tuple[bool, datetime, int]:
    """Return a sort key: by date and time, then those without one by round."""
    moment = fixture.plays_at
    return moment is None, moment or timezone.now(), fixture.round.number


POST_MAX = 2000  # what Discord takes; counted as UTF-16, of which it counts no more


def as_post(
    schedule: Schedule, table: StandingsRecord, kind: str, number: int, text: str
) -> str:
    """A post to Discord: ``text``, a round's pairings or results, or the standings.

    "" where there is nothing to tell. The schedule is as somebody reads it who is not signed in, so
    drafts are not in it.
    """
    lines = [text]
    rounds = {record.number: record.title for record in schedule.rounds if record.is_shown}
    title = f"{kind} for {rounds[number]}" if number in rounds else kind
    games = [game for game in schedule.fixtures if game.round.number == number]
    if kind == "standings":
        title, lines = _draw_standings(table)
    elif kind == "results":
        lines = list(map(fixture_outcome, games))
    elif kind == "pairings" and number in rounds:
        lines = list(map(_planned, games)) or ["You can challenge another player."]
    return _fit_post(schedule.event, title, lines) if any(lines) else ""


def _draw_standings(table: StandingsRecord) -> tuple[str, list[str]]:
    """The title and the lines of the standings in a post; no line before a round counts."""
    title = f"standings {table.after_words.lower()}"
    places = [row.standing for row in table.rows if table.round]
    return (
        "final standings" if table.event.is_finished else title,
        [f"{line.place}. {line.name}: {line.points}" for line in places],
    )


def _fit_post(event: ClubEventRecord, title: str, lines: Sequence[str]) -> str:
    """Return as many of the lines as a post takes, and where to read the rest."""
    title, *lines = map(escape_markdown, (f"{event.name}: {title}", *lines))
    # In angle brackets a link stands without its preview.
    link = f"<{settings.SITE_URL}{reverse('event-read', args=[event.token])}>"
    parts = [f"**{title}**", *lines, link]
    while len("\n".join(parts).encode("utf-16-le")) > 2 * POST_MAX:
        parts[-3:-1] = ["…"]
    return "\n".join(parts)


LASTS = timedelta(hours=3)
REFRESH = timedelta(hours=1)
PRODUCT = "-//Muster Roll//Fixtures//EN"
Address = Callable[[ScheduledFixture | None], str]


def as_calendar(schedule: Schedule, address: Address, entry: str = "") -> bytes:
    """Every fixture that has a day, or those of one entry.

    ``address`` gives the page of one, of None the event's.

    A fixture keeps its UID for good. Whatever is changed makes SEQUENCE higher, and one that is off
    is cancelled rather than left out, so that it goes from a calendar that has it already.
    """
    event = schedule.event
    calendar = Calendar()
    texts = {
        "prodid": PRODUCT,
        "version": "2.0",
        "method": "PUBLISH",
        "name": event.name,
        "x-wr-calname": event.name,
        "url": address(None),
    }
    for name, text in texts.items():
        calendar.add(name, text)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    host = urlsplit(address(None)).hostname or "localhost"
    for fixture in schedule.fixtures:
        is_wanted = not entry or any(side.token == entry for side in fixture.sides)
        is_dated = fixture.plays_at and not fixture.record.is_bye
        if is_wanted and is_dated and fixture.round.is_shown:
            values = _calendar_values(event, fixture, address(fixture), host)
            game = Event()
            for name, value in values.items():
                # Only a place may be unknown; the description has the club's name at least.
                if value != "":
                    game.add(name, value)
            calendar.add_component(game)
    return bytes(calendar.to_ical())


def _calendar_values(
    event: ClubEventRecord, fixture: ScheduledFixture, address: str, host: str
) -> Fields:
    """Return what a calendar holds of a fixture with a day, which lasts ``LASTS``."""
    starts_at = cast(datetime, fixture.plays_at).astimezone(UTC)
    record, limit = fixture.record, fixture.round.points_limit
    table = f"table {record.table}" if record.table else ""
    facts = (
        event.club_name,
        fixture.round.title,
        record.scenario_name,
        f"{limit} points" if limit is not None else "",
        f"{fixture.attacker.name} attacks" if fixture.attacker else "",
    )
    # Nobody will play what is void, decided without a battle, or not taken up yet.
    is_off = record.decision or record.status in (FixtureStatus.VOID, FixtureStatus.ASKED)
    return {
        "uid": f"fixture-{record.token}@{host}",
        "dtstamp": event.updated_at.astimezone(UTC),
        # Either version may rise, and neither falls, so their sum rises with every change.
        "sequence": event.version + record.version,
        "dtstart": starts_at,
        "dtend": starts_at + LASTS,
        "summary": f"{fixture.title} ({event.name})",
        "description": "\n".join(filter(None, facts)),
        "location": ", ".join(filter(None, (event.place, table))),
        "url": address,
        "status": "CANCELLED" if is_off else "CONFIRMED",
        "transp": "OPAQUE",
    }
