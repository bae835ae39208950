"""An event as files: CSV and JSON, a summary as Markdown, and its fixtures as a calendar.

Pure drawing.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.utils import timezone
from icalendar import Calendar, Event

from battles.exports import markdown_line, safe_cell
from campaigns.fixture_totals import SIDES
from campaigns.models import Decision, FixtureStatus
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.schedule import Schedule, ScheduledFixture
from campaigns.queries.standings import StandingsRecord
from engine.records import Fields, frozen_dataclass

FORMAT = "muster-roll-event/1"
NEXT_MOST = 20
STANDING_COLUMNS = (
    "place",
    "name",
    "points",
    "played",
    "won",
    "drawn",
    "lost",
    "byes",
    "unplayed",
    "put out",
    "models lost",
    "points destroyed",
    "provisional",
    "difference",
    "moved",
    "form",
)
# Of them these are the row's own, the others of its standing.
ROW_COLUMNS = ("provisional", "difference", "moved")
FIXTURE_COLUMNS = (
    "round",
    "table",
    "one",
    "other",
    "third",
    "attacker",
    "scenario",
    "plays at",
    "status",
)
RESULT_COLUMNS = (
    "round",
    "one",
    "other",
    "third",
    "winner",
    "ending",
    "decision",
    "out of one",
    "out of other",
    "destroyed by one",
    "destroyed by other",
    "friendly",
    "played at",
)

# The columns of a result from "ending" to "destroyed by other", by their names in the record.
RESULT_FIELDS = (
    "how",
    "decision",
    "out_one",
    "out_other",
    "destroyed_one",
    "destroyed_other",
)


@frozen_dataclass
class LeagueFiles:
    """What the files are drawn from."""

    schedule: Schedule
    standings: StandingsRecord


Rows = Sequence[Sequence[object]]


def standing_rows(of: LeagueFiles) -> Rows:
    """The table, the first place first."""
    last = STANDING_COLUMNS.index(ROW_COLUMNS[0])
    names = [column.replace(" ", "_") for column in STANDING_COLUMNS[2:last]]
    return [
        [
            row.standing.place,
            row.entry.name,
            *(getattr(row.standing, name) for name in names),
            *(getattr(row, name) for name in ROW_COLUMNS),
            " ".join(row.form),
            *row.standing.ties,
        ]
        for row in of.standings.rows
    ]


def fixture_rows(of: LeagueFiles) -> Rows:
    """Every fixture, by round and table."""
    return [
        [
            fixture.round.number,
            fixture.record.table,
            *_names(fixture),
            fixture.attacker.name if fixture.attacker else "",
            fixture.record.scenario_name,
            fixture.plays_at,
            fixture.record.status,
        ]
        for fixture in of.schedule.fixtures
    ]


def result_rows(of: LeagueFiles) -> Rows:
    """What has come to an end, by round."""
    return [
        [
            fixture.round.number,
            *_names(fixture),
            fixture.winner.name if fixture.winner else "",
            *(getattr(fixture.record, name) for name in RESULT_FIELDS),
            "yes" if fixture.record.is_friendly else "no",
            fixture.record.played_at,
        ]
        for fixture in of.schedule.fixtures
        if fixture.record.is_final
    ]


WHATS: dict[str, tuple[Sequence[str], Callable[[LeagueFiles], Rows]]] = {
    "standings": (STANDING_COLUMNS, standing_rows),
    "fixtures": (FIXTURE_COLUMNS, fixture_rows),
    "results": (RESULT_COLUMNS, result_rows),
}


def _columns(of: LeagueFiles, what: str) -> Sequence[str]:
    """The names of the columns; the standings have one more for each tie-breaker of the event."""
    columns = WHATS[what][0]
    if what != "standings":
        return columns
    return [*columns, *(name.lower() for name in of.standings.tie_names)]


def as_csv(of: LeagueFiles, what: str) -> str:
    """One line for each row under a line of names; no cell begins a formula. Moments are UTC."""
    columns, rows = _columns(of, what), WHATS[what][1]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows(of))
    return out.getvalue()


def as_json(of: LeagueFiles, what: str) -> str:
    """The same rows as objects, with the keys of the columns. Moments are UTC."""
    columns, rows = _columns(of, what), WHATS[what][1]
    keys = [column.replace(" ", "_") for column in columns]
    event = of.schedule.event
    data: Fields = {
        "format": FORMAT,
        "id": event.token,
        "name": event.name,
        "club": event.club_name,
        "system": event.system,
        "variant": event.variant or None,
        what: [
            {key: _value(value) for key, value in zip(keys, row, strict=True)}
            for row in rows(of)
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def as_markdown(of: LeagueFiles) -> str:
    """A summary to paste: the standings, the latest round, and what comes next."""
    head = [
        f"# {markdown_line(of.schedule.event.name)}",
        markdown_line(", ".join(_facts(of))),
    ]
    parts = [
        *head,
        *_standings_part(of),
        *_latest_part(of.schedule),
        *_next_part(of.schedule),
    ]
    return "\n\n".join(parts) + "\n"


def _standings_part(of: LeagueFiles) -> list[str]:
    """Return the standings."""
    lines = [row.standing for row in of.standings.rows]
    if not lines:
        return []
    rows = [
        [
            line.place,
            line.name,
            line.played,
            f"{line.won}-{line.drawn}-{line.lost}",
            line.points,
        ]
        for line in lines
    ]
    return ["## Standings", _table(("", "", "played", "won-drawn-lost", "points"), rows)]


def _latest_part(schedule: Schedule) -> list[str]:
    """Return the latest round with its results."""
    shown = [one for one in schedule.rounds if one.is_shown]
    if not shown:
        return []
    # Names are a player’s own text and must not become markup.
    games = [
        f"- {markdown_line(fixture_outcome(fixture))}"
        for fixture in schedule.of_round(shown[-1].number)
    ]
    return [
        f"## {markdown_line(shown[-1].title)}",
        "\n".join(games) or "No games in this round.",
    ]


def _next_part(schedule: Schedule) -> list[str]:
    """Return the games that come next."""
    coming = sorted(filter(_is_coming, schedule.fixtures), key=_when)
    if not coming:
        return []
    lines = [f"- {markdown_line(_planned(fixture))}" for fixture in coming[:NEXT_MOST]]
    if len(coming) > NEXT_MOST:
        lines.append(f"- and {len(coming) - NEXT_MOST} more")
    return ["## Next", "\n".join(lines)]


def _is_coming(fixture: ScheduledFixture) -> bool:
    """Whether a fixture is still to be played."""
    return (
        fixture.round.is_shown
        and not fixture.record.is_bye
        and fixture.record.status == FixtureStatus.OPEN
    )


def fixture_outcome(fixture: ScheduledFixture) -> str:
    """Who met and what it came to, in words."""
    if fixture.record.is_bye:
        return fixture.title
    if fixture.record.decision == "unplayed":
        return f"{fixture.title}: not played"
    if not fixture.record.is_final:
        words = {
            "open": "to be played",
            "asked": "asked",
            "waiting": "waiting for confirmation",
        }
        return f"{fixture.title}: {words.get(fixture.record.status, fixture.record.status)}"
    if fixture.winner is None:
        return f"{fixture.title}: a draw"
    return (
        f"{fixture.title}: {fixture.winner.name} "
        f"wins{' by walkover' if fixture.record.decision else ''}"
    )


def _facts(of: LeagueFiles) -> Iterable[str]:
    """Yield what the summary's head says of the event."""
    event = of.schedule.event
    limit = f"{event.points_limit} points" if event.points_limit else ""
    rounds = f"after round {of.standings.round}" if of.standings.round else ""
    return [
        fact
        for fact in (
            event.club_name,
            event.system_name,
            limit,
            event.status_name.lower(),
            rounds,
        )
        if fact
    ]


def _planned(fixture: ScheduledFixture) -> str:
    """Return a fixture that is to come, in a line of Markdown."""
    # People read the local time; files for programs hold UTC.
    day = timezone.localtime(fixture.plays_at) if fixture.plays_at else None
    when = f"{day.day} {day:%B %Y, %H:%M}" if day else ""
    table = f"table {fixture.record.table}" if fixture.record.table else ""
    return ", ".join(
        filter(None, (fixture.title, when, table, fixture.record.scenario_name))
    )


def _when(fixture: ScheduledFixture) -> tuple[bool, datetime, int]:
    return (
        fixture.plays_at is None,
        fixture.plays_at or timezone.now(),
        fixture.round.number,
    )


def _names(fixture: ScheduledFixture) -> list[str]:
    """Return the names of a fixture's sides, "" where there is none."""
    names = [side.name for side in fixture.sides]
    return [*names, *[""] * (len(SIDES) - len(names))]


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of Markdown."""
    lines = [
        names,
        ["---"] * len(names),
        *([markdown_line(str(cell)) for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    """Return a value as a cell of CSV."""
    if isinstance(value, int):
        return str(value)  # a number below 0 is no formula
    told = _value(value)
    return safe_cell("" if told is None else str(told))


def _value(value: object) -> Any:
    """Return a value as JSON holds it."""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


# The calendar: an iCalendar feed (RFC 5545)

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
        is_asked = not entry or any(side.token == entry for side in fixture.sides)
        if (
            fixture.plays_at
            and fixture.round.is_shown
            and not fixture.record.is_bye
            and is_asked
        ):
            calendar.add_component(
                _calendar_event(event, fixture, fixture.plays_at, address(fixture), host)
            )
    return bytes(calendar.to_ical())


def _calendar_event(
    event: ClubEventRecord,
    fixture: ScheduledFixture,
    starts_at: datetime,
    address: str,
    host: str,
) -> Event:
    record = fixture.record
    table = f"table {record.table}" if record.table else ""
    values = {
        "uid": f"fixture-{record.token}@{host}",
        "dtstamp": event.updated_at.astimezone(UTC),
        # Either version may rise, and neither falls, so their sum rises with every change.
        "sequence": event.version + record.version,
        "dtstart": starts_at.astimezone(UTC),
        "dtend": (starts_at + LASTS).astimezone(UTC),
        "summary": f"{fixture.title} ({event.name})",
        "description": "\n".join(_fixture_facts(event, fixture)),
        "location": ", ".join(filter(None, (event.place, table))),
        "url": address,
        "status": "CANCELLED" if _is_off(fixture) else "CONFIRMED",
        "transp": "OPAQUE",
    }
    told = Event()
    for name, value in values.items():
        # Only a place may be unknown; the description has the club's name at least.
        if value != "":
            told.add(name, value)
    return told


def _is_off(fixture: ScheduledFixture) -> bool:
    """Whether nobody will play it: made void, decided without a battle, or a challenge nobody took
    up yet.
    """
    return (
        fixture.record.status in (FixtureStatus.VOID, FixtureStatus.ASKED)
        or fixture.record.decision in Decision.values
    )


def _fixture_facts(event: ClubEventRecord, fixture: ScheduledFixture) -> list[str]:
    limit = fixture.round.points_limit
    facts = [
        event.club_name,
        fixture.round.title,
        fixture.record.scenario_name,
        f"{limit} points" if limit else "",
    ]
    if fixture.attacker:
        facts.append(f"{fixture.attacker.name} attacks")
    return [fact for fact in facts if fact]
