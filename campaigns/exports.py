"""An event as files: CSV and JSON, and a summary as Markdown.

Pure drawing.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from battles.exports import safe_cell
from campaigns.fixture_totals import SIDES
from campaigns.growth.queries.figures import LISTED, GrowthFigures
from campaigns.models import FixtureStatus
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.schedule import Schedule, ScheduledFixture
from campaigns.queries.standings import StandingsRecord, StandingWarband
from engine.records import Fields, frozen_dataclass
from warbands.exchange.text import escape_markdown

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


AT_CLOSE = "at the close of round"
"""From when the figures of a warband are while lists are secret; empty for now."""
WARBAND_COLUMNS = (
    "warband",
    "player",
    "rating",
    "models",
    "experience",
    "battles",
    "territories",
    "closed",
    AT_CLOSE,
)
WARRIOR_COLUMNS = (
    "warband",
    "player",
    "name",
    "profile",
    "kind",
    "models",
    "experience",
    "advances",
    "injuries",
    "changed",
    "state",
)
LEDGER_COLUMNS = (
    "position",
    "at",
    "kind",
    "player",
    "entry",
    "state",
    "typed",
    "reason",
    "by",
)

Rows = Sequence[Sequence[object]]


@frozen_dataclass
class LeagueFiles:
    """What the files are drawn from; ``growth`` is None where no warbands grow.

    ``ledger`` is read for its own file alone.
    """

    schedule: Schedule
    standings: StandingsRecord
    growth: GrowthFigures | None = None
    ledger: Rows = ()


def standing_rows(of: LeagueFiles) -> Rows:
    """The table, the first place first."""
    last = STANDING_COLUMNS.index("provisional")
    names = [column.replace(" ", "_") for column in STANDING_COLUMNS[2:last]]
    return [
        [
            row.standing.place,
            row.entry.name,
            *(getattr(row.standing, name) for name in names),
            row.provisional,
            row.standing.difference,
            row.moved,
            " ".join(row.form),
            *row.standing.ties,
            *(_beside(of.standings, row.warband) if of.standings.has_warbands else ()),
        ]
        for row in of.standings.rows
    ]


def _beside(table: StandingsRecord, warband: StandingWarband | None) -> Sequence[object]:
    """Return what stands behind a player's line in a campaign whose warbands grow."""
    if warband is None:
        return ["", *[""] * len(table.currencies), "", None]
    ground = LISTED.join(warband.territories)
    return [warband.rating, *warband.money, ground, warband.closed_round]


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


def warband_rows(of: LeagueFiles) -> Rows:
    """Every warband of a campaign, in the order in which they were founded."""
    return of.growth.warband_rows() if of.growth else ()


def warrior_rows(of: LeagueFiles) -> Rows:
    """Every unit that a warband of a campaign has or had, by warbands."""
    return of.growth.warrior_rows() if of.growth else ()


def ledger_rows(of: LeagueFiles) -> Rows:
    """Every entry of a campaign's ledger, the first first."""
    return of.ledger


WHATS: dict[str, tuple[Sequence[str], Callable[[LeagueFiles], Rows]]] = {
    "standings": (STANDING_COLUMNS, standing_rows),
    "fixtures": (FIXTURE_COLUMNS, fixture_rows),
    "results": (RESULT_COLUMNS, result_rows),
    "warbands": (WARBAND_COLUMNS, warband_rows),
    "warriors": (WARRIOR_COLUMNS, warrior_rows),
    "ledger": (LEDGER_COLUMNS, ledger_rows),
}
GROWN = ("warbands", "warriors", "ledger")
"""Files of campaigns whose warbands grow."""


def whats_of(event: ClubEventRecord) -> list[str]:
    """Return the files that an event has."""
    return [what for what in WHATS if event.growth_position or what not in GROWN]


def _columns(of: LeagueFiles, what: str) -> Sequence[str]:
    """The names of the columns.

    The standings have one more for each tie-breaker of the event, and in a campaign whose warbands
    grow what these hold; warbands one for each currency.
    """
    columns = [*WHATS[what][0]]
    if what == "standings":
        columns += [name.lower() for name in of.standings.tie_names]
        if of.standings.has_warbands:
            money = _money_columns(of.standings.currencies)
            columns += ["rating", *money, "territories", AT_CLOSE]
    elif what == "warbands" and of.growth:
        columns += _money_columns(of.growth.currencies)
    return columns


def _money_columns(currencies: Sequence[str]) -> list[str]:
    """Return the columns of currencies, which a club may call as another column."""
    return [f"treasury {name}" for name in currencies]


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
        f"# {escape_markdown(of.schedule.event.name)}",
        escape_markdown(", ".join(_facts(of))),
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
            escape_markdown(line.name),
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
        f"- {escape_markdown(fixture_outcome(fixture))}"
        for fixture in schedule.of_round(shown[-1].number)
    ]
    return [
        f"## {escape_markdown(shown[-1].title)}",
        "\n".join(games) or "No games in this round.",
    ]


def _next_part(schedule: Schedule) -> list[str]:
    """Return the games that come next."""
    coming = sorted(filter(_is_coming, schedule.fixtures), key=_when)
    if not coming:
        return []
    lines = [f"- {escape_markdown(_planned(fixture))}" for fixture in coming[:NEXT_MOST]]
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
        return f"{fixture.title}: {fixture.status_words.lower()}"
    if fixture.winner is None:
        return f"{fixture.title}: a draw"
    return (
        f"{fixture.title}: {fixture.winner.name} "
        f"wins{' by walkover' if fixture.record.decision else ''}"
    )


def _facts(of: LeagueFiles) -> Iterable[str]:
    """Yield what the summary's head says of the event."""
    event = of.schedule.event
    limit = f"{event.points_limit} points" if event.points_limit is not None else ""
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
    """Return a sort key: by date and time, then those without one by round."""
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
    """Return a table of Markdown, of cells that are Markdown."""
    lines = [names, ["---"] * len(names), *(map(str, row) for row in rows)]
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
