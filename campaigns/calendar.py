"""An event's fixtures as an iCalendar feed (RFC 5545), and the key that lets a calendar read one
that is the club's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.utils.crypto import constant_time_compare, salted_hmac
from icalendar import Calendar, Event

from campaigns.models import Decision, FixtureStatus
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.schedule import Schedule, ScheduledFixture

LASTS = timedelta(hours=3)
REFRESH = timedelta(hours=1)
PRODUCT = "-//Muster Roll//Fixtures//EN"
Address = Callable[[ScheduledFixture | None], str]
_SALT = "campaigns.league_calendar"  # not the module's name: addresses handed out hold it


def calendar_key(token: str) -> str:
    """What a calendar that cannot sign in shows for this event's feed, and for nothing else."""
    return salted_hmac(_SALT, token, algorithm="sha256").hexdigest()[:32]


def is_calendar_key(token: str, key: str) -> bool:
    """Whether this is the key of the event's feed."""
    return constant_time_compare(calendar_key(token), key)


def as_calendar(schedule: Schedule, address: Address, entry: str = "") -> bytes:
    """Every fixture that has a day, or those of one entry.

    ``address`` gives the page of one, of None the event's.

    A fixture keeps its UID for good. Whatever is changed makes SEQUENCE higher, and one that is off
    is cancelled rather than left out, so that it goes from a calendar that has it already.
    """
    event = schedule.event
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", event.name)
    calendar.add("x-wr-calname", event.name)
    calendar.add("url", address(None))
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    host = urlsplit(address(None)).hostname or "localhost"
    for fixture in schedule.fixtures:
        is_asked = not entry or any(side.token == entry for side in fixture.sides)
        if fixture.plays_at and fixture.round.is_shown and not fixture.record.is_bye and is_asked:
            calendar.add_component(_event(event, fixture, fixture.plays_at, address(fixture), host))
    return bytes(calendar.to_ical())


def _event(
    event: ClubEventRecord, fixture: ScheduledFixture, starts_at: datetime, address: str, host: str
) -> Event:
    told = Event()
    told.add("uid", f"fixture-{fixture.record.token}@{host}")
    told.add("dtstamp", event.updated_at.astimezone(UTC))
    told.add("sequence", event.version + fixture.record.version)
    told.add("dtstart", starts_at.astimezone(UTC))
    told.add("dtend", (starts_at + LASTS).astimezone(UTC))
    told.add("summary", f"{fixture.title} ({event.name})")
    told.add("description", "\n".join(_facts(event, fixture)))
    if where := ", ".join(
        filter(None, (event.place, f"table {fixture.record.table}" if fixture.record.table else ""))
    ):
        told.add("location", where)
    told.add("url", address)
    told.add("status", "CANCELLED" if _is_off(fixture) else "CONFIRMED")
    told.add("transp", "OPAQUE")
    return told


def _is_off(fixture: ScheduledFixture) -> bool:
    """Whether nobody will play it: made void, decided without a battle, or a challenge nobody took
    up yet.
    """
    return (
        fixture.record.status in (FixtureStatus.VOID, FixtureStatus.ASKED)
        or fixture.record.decision in Decision.values
    )


def _facts(event: ClubEventRecord, fixture: ScheduledFixture) -> list[str]:
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
