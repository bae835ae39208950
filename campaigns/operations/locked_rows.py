"""A round, a fixture, an entry of an event that is locked, and whether it still goes on."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.errors import NotFound, WrongState
from battles.replay import is_token
from campaigns.models import ROUNDS_MAX, ClubEvent, Entry, EventStatus, Fixture, Round


def check_running(event: ClubEvent) -> None:
    """Raises Refusal for an event that is over or put away."""
    if event.archived_at is not None:
        raise WrongState("This is in the archive. Take it out first.")
    if event.status == EventStatus.FINISHED:
        raise WrongState("This is finished. Open it again in its settings, then go on.")


def find_round(event: ClubEvent, number: int) -> Round:
    """The round of that number; raises NotFound."""
    row = (
        Round.objects.filter(event=event, number=number).first()
        if 0 < number <= ROUNDS_MAX
        else None
    )
    if row is None:
        raise NotFound("round")
    row.event = event
    return row


def find_fixture(event: ClubEvent, token: str) -> Fixture:
    """The fixture with its round and who is in it; raises NotFound."""
    rows = Fixture.objects.filter(token=token, round__event=event).select_related(
        "round", "one", "other", "third"
    )
    row = rows.order_by().first() if is_token(token) else None
    if row is None:
        raise NotFound("fixture")
    row.round.event = event
    return row


def find_entries(event: ClubEvent, tokens: Iterable[str]) -> dict[str, Entry]:
    """The entries of these tokens; raises NotFound where one is missing. One query."""
    wanted = {token for token in tokens if is_token(token)}
    found = {row.token: row for row in Entry.objects.filter(event=event, token__in=wanted)}
    if set(found) != set(tokens):
        raise NotFound("entry")
    return found


def fixtures_of(row: Round) -> list[Fixture]:
    """Those of a round in their order, with who is in them. One query."""
    found = (
        Fixture.objects.filter(round=row)
        .select_related("one", "other", "third")
        .order_by("position", "id")
    )
    return list(found)


def entrant_names(fixture: Fixture) -> str:
    """Who meets there: "Ada against Ben", "Ada, Ben and Cleo", "Ada, who sits out"."""
    names = [one.name for one in fixture.sides]
    if len(names) == 1:
        return f"{names[0]}, who sits out"
    if len(names) == 2:
        return fixture.title
    return f"{', '.join(names[:-1])} and {names[-1]}"
