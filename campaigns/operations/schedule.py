"""The whole schedule of a round robin, seen in advance: planned rounds with their fixtures.

It is worked out anew where what is planned is not what is left to play: after a late entry, a
return, a swap by hand. Somebody who drops out changes nothing for the others: whoever was to meet
them has a bye.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import F, Q

from accounts.errors import Refusal, WrongState
from campaigns.matching import max_weight_matching
from campaigns.models import (
    ROUNDS_MAX,
    SHOWN,
    CalendarEdition,
    ClubEvent,
    Entry,
    EntryStatus,
    Fixture,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.operations.conflicts import ROUNDS
from campaigns.operations.log import ChangeRequest, organised_event, readable_event
from campaigns.operations.rows import check_running, insert_pairings
from engine.records import ChoiceList
from engine.tournament.pairing import rest_of_robin, round_robin, still_to_play
from engine.tournament.types import Pairing

NOT_ROBIN = (
    "Only a round robin has its whole schedule in advance. Add a round, and pair it when it is "
    "time."
)


def plan_rounds(asked: ChangeRequest, *, seed: str = "") -> int:
    """Plan all rounds that are not published; those that are stay. Returns how many are to come.

    Another seed gives another order.

    Raises Refusal for another method, for fewer than two, for too many, and while a round is drawn
    and not published; NotFound, NotAllowed, Stale.
    """
    with organised_event(asked, ROUNDS) as change:
        event = change.event
        check_running(event)
        if event.method != PairingMethod.ROBIN:
            raise Refusal(NOT_ROBIN, field="method")
        draft = (
            Round.objects.filter(event=event, status=RoundStatus.DRAFT)
            .order_by("number")
            .first()
        )
        if draft is not None:
            raise WrongState(
                f"{draft} is paired. Publish it or discard its pairings, then plan again."
            )
        rounds = write_schedule(event, seed or secrets.token_hex(4))
        change.write("plan", f"Planned the schedule: {rounds} rounds to come.")
        return rounds


def write_schedule(event: ClubEvent, seed: str) -> int:
    """Write the schedule anew, within the event's lock; returns how many rounds it has.

    Raises Refusal.
    """
    entries = {
        row.pk: row for row in Entry.objects.filter(event=event, status=EntryStatus.ACTIVE)
    }
    if len(entries) < 2:
        raise Refusal(
            "A round robin needs at least two players. Add players first.",
            field="entries",
        )
    schedule = _schedule(event, entries, seed)
    held = sorted(
        Round.objects.filter(event=event, status__in=SHOWN).values_list("number", flat=True)
    )
    if len(held) + len(schedule) > ROUNDS_MAX:
        raise Refusal(
            f"A full round robin would be {len(held) + len(schedule)} rounds; at "
            f"most {ROUNDS_MAX} can be "
            "held. Pair it as Swiss, or split the players into two events.",
            field="entries",
        )
    rows = _planned_rows(event, held, len(schedule))
    for row, pairings in zip(rows, schedule, strict=True):
        insert_pairings(event, row, pairings, entries)
    Round.objects.filter(pk__in=[row.pk for row in rows]).update(
        seed=seed, status=RoundStatus.PLANNED
    )
    return len(schedule)


def is_planned(event: ClubEvent) -> bool:
    """Whether what is planned is what those who play have still to play. Three queries."""
    active = Entry.objects.filter(event=event, status=EntryStatus.ACTIVE).values_list(
        "pk", flat=True
    )
    ids = {str(pk) for pk in active}
    planned: Counter[frozenset[str]] = Counter()
    for game in _games(
        Fixture.objects.filter(round__event=event).exclude(round__status__in=SHOWN)
    ):
        if ids.issuperset(game):
            planned[frozenset(game)] += 1
    return planned == still_to_play(sorted(ids), _held_games(event), legs=event.legs)


def _schedule(
    event: ClubEvent, entries: Iterable[int], seed: str
) -> Sequence[Sequence[Pairing]]:
    """Return the rounds of a round robin around the games already held. One query.

    The same seed gives the same schedule.
    """
    ids = [str(pk) for pk in entries]
    played = _held_games(event)
    # From the first game on the rest is matched anew, around what was played.
    if not played:
        return round_robin(ids, legs=event.legs, seed=seed)
    return rest_of_robin(ids, played, legs=event.legs, seed=seed, match=max_weight_matching)


def _held_games(event: ClubEvent) -> ChoiceList:
    """Who met whom in published rounds, however it ended, the attacker first."""
    return _games(Fixture.objects.filter(round__event=event, round__status__in=SHOWN))


def _games(rows: Iterable[Fixture]) -> ChoiceList:
    """Return games of two as pairs of entry ids in text, the attacker first.

    Byes, tables of three and friendly games count for no schedule.
    """
    found = []
    for row in rows:
        if row.other_id is None or row.third_id is not None or row.is_friendly:
            continue
        # The attacker comes first: two legs swap the sides.
        one, other = row.side_ids
        found.append(
            (str(other), str(one)) if row.attacker_id == other else (str(one), str(other))
        )
    return found


def _planned_rows(event: ClubEvent, held: Sequence[int], count: int) -> list[Round]:
    """So many rounds to come, empty: those there are, further ones made, and those too many taken
    away.
    """
    rows = list(
        Round.objects.filter(event=event).exclude(status__in=SHOWN).order_by("number")
    )
    Fixture.objects.filter(round__in=rows).delete()
    # A round that somebody named, dated or handed a list in for stays, though it is not needed.
    spare = [row.pk for row in rows[count:]]
    Round.objects.filter(_untouched_rounds(), pk__in=spare).delete()
    taken = {*held, *(row.number for row in rows)}
    free = (
        number
        for number in range(1, 2 * ROUNDS_MAX)
        if number not in taken and number > max(held, default=0)
    )
    shown_at = rows[0].lists_published_at if rows and event.has_one_list else None
    missing = [
        Round(event=event, number=next(free), lists_published_at=shown_at)
        for _ in range(count - len(rows))
    ]
    return rows[:count] + Round.objects.bulk_create(missing)


def _untouched_rounds() -> Q:
    """Rounds nobody said anything about."""
    return Q(
        name="",
        starts_at=None,
        lists_due_at=None,
        points_limit=None,
        lists=None,
        presences=None,
    )


def renew_own_calendar(asked: ChangeRequest, user_id: int) -> None:
    """End the address of the person who asks; another one takes its place. Raises NotFound."""
    with readable_event(asked) as change:
        _renew(change.event, user_id)


def renew_calendars(asked: ChangeRequest) -> None:
    """End every calendar address of the event. Raises NotFound, NotAllowed, Stale."""
    with organised_event(asked) as change:
        _renew(change.event, None)
        change.write("renew_calendars", "Renewed every calendar address.")


def _renew(event: ClubEvent, user_id: int | None) -> None:
    """Raise the number of a user's calendar, or of the event's, by one.

    Two queries, and more where there is no row yet.
    """
    # Without a user it is the row of the whole event.
    asked: dict[str, Any] = {"event": event, "user_id": user_id}
    row, _ = CalendarEdition.objects.get_or_create(**asked)
    CalendarEdition.objects.filter(pk=row.pk).update(number=F("number") + 1)
