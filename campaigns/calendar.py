"""The fixtures of an event as a calendar: an iCalendar feed (RFC 5545). Pure drawing."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from icalendar import Calendar, Event

from campaigns.models import Decision, FixtureStatus
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.schedule import Schedule, ScheduledFixture

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
    """Return a fixture as a calendar event that lasts ``LASTS`` from ``starts_at``."""
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
    """Return the lines of the description, from the club to who attacks.

    Those that are empty are left out; the limit is in points.
    """
    limit = fixture.round.points_limit
    facts = [
        event.club_name,
        fixture.round.title,
        fixture.record.scenario_name,
        f"{limit} points" if limit is not None else "",
    ]
    if fixture.attacker:
        facts.append(f"{fixture.attacker.name} attacks")
    return [fact for fact in facts if fact]
