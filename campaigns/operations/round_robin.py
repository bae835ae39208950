"""The whole schedule of a round robin, seen in advance: planned rounds with their fixtures.

It is worked out anew where what is planned is not what is left to play: after a late entry, a
return, a swap by hand. Somebody who drops out changes nothing for the others: whoever was to
meet them has a bye.
"""

import secrets
from collections import Counter
from collections.abc import Sequence

from django.db.models import Q, QuerySet

from accounts.errors import Refusal, WrongState
from campaigns.matching import max_weight_matching
from campaigns.models import (
    ROUNDS_MAX,
    SHOWN,
    ClubEvent,
    Entry,
    EntryStatus,
    Fixture,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.operations.log import ROUNDS, ChangeRequest, organised_event
from campaigns.operations.rows import (
    check_running,
    insert_pairings,
)
from engine.records import ChoiceList
from engine.tournament.pairing import (
    rest_of_robin,
    round_robin,
    still_to_play,
)


def plan_rounds(request: ChangeRequest, *, seed: str = "") -> int:
    """Plan all rounds that are not published; those that are stay. Returns how many are to come.

    Another seed gives another order.

    Raises Refusal for another method, for fewer than two, for too many, and while a round is drawn
    and not published; NotFound, NotAllowed, Stale.
    """
    with organised_event(request, ROUNDS) as change:
        event = change.event
        check_running(event)
        if event.method != PairingMethod.ROBIN:
            raise Refusal(
                "Only a round robin has its whole schedule in advance. Add a round, and pair it "
                "when it is time.",
                field="method",
            )
        drafts = Round.objects.filter(event=event, status=RoundStatus.DRAFT)
        draft = drafts.order_by("number").first()
        if draft is not None:
            raise WrongState(
                f"{draft} is paired. Publish it or discard its pairings, then plan again."
            )
        rounds = write_schedule(event, seed or secrets.token_hex(4))
        change.write("plan", f"Planned the schedule: {rounds} rounds to come.")
        return rounds


def active_entries(event: ClubEvent) -> QuerySet[Entry]:
    return Entry.objects.filter(event=event, status=EntryStatus.ACTIVE).order_by("pk")


def write_schedule(event: ClubEvent, seed: str) -> int:
    """Write the schedule anew, within the event's lock; returns how many rounds it has.

    Raises Refusal.
    """
    entries = {entry.pk: entry for entry in active_entries(event)}
    if len(entries) < 2:
        raise Refusal(
            "A round robin needs at least two players. Add players first.",
            field="entries",
        )
    ids = [str(pk) for pk in entries]
    played = _list_games(event, is_shown=True)
    # From the first game on the rest is matched anew, around what was played.
    if not played:
        schedule = round_robin(ids, legs=event.legs, seed=seed)
    else:
        schedule = rest_of_robin(
            ids, played, legs=event.legs, seed=seed, match=max_weight_matching
        )
    numbers = Round.objects.filter(event=event, status__in=SHOWN).values_list("number")
    published = [number for (number,) in numbers]
    total = len(published) + len(schedule)
    if total > ROUNDS_MAX:
        raise Refusal(
            f"A full round robin would be {total} rounds; at most {ROUNDS_MAX} can be "
            "held. Pair it as Swiss, or split the players into two events.",
            field="entries",
        )
    rows = _prepare_rounds(event, published, len(schedule))
    for row, pairings in zip(rows, schedule, strict=True):
        insert_pairings(event, row, pairings, entries)
    Round.objects.filter(pk__in=[row.pk for row in rows]).update(
        seed=seed, status=RoundStatus.PLANNED
    )
    return len(schedule)


def is_planned(event: ClubEvent) -> bool:
    """Whether what is planned is what those who play have still to play. Three queries."""
    ids = {str(entry.pk) for entry in active_entries(event)}
    planned = Counter(
        frozenset(game)
        for game in _list_games(event, is_shown=False)
        if ids.issuperset(game)
    )
    played = _list_games(event, is_shown=True)
    return planned == still_to_play(sorted(ids), played, legs=event.legs)


def _list_games(event: ClubEvent, *, is_shown: bool) -> ChoiceList:
    """Games of two of published rounds, or of those to come, as pairs of entry ids in text.

    The attacker comes first: two legs swap the sides. Byes, tables of three and friendly games
    count for no schedule.
    """
    rows = Fixture.objects.filter(
        Q(round__status__in=SHOWN) if is_shown else ~Q(round__status__in=SHOWN),
        round__event=event,
        other__isnull=False,
        third=None,
        is_friendly=False,
    )
    games = []
    for row in rows:
        first, second = map(str, row.ids)
        is_swapped = row.attacker_id == row.other_id
        games.append((second, first) if is_swapped else (first, second))
    return games


def _prepare_rounds(event: ClubEvent, published: Sequence[int], count: int) -> list[Round]:
    """So many rounds to come, empty: those there are, further ones made, and those too many taken
    away.
    """
    to_come = Round.objects.filter(event=event).exclude(status__in=SHOWN)
    rows = list(to_come.order_by("number"))
    Fixture.objects.filter(round__in=rows).delete()
    # A round that somebody named, dated or handed a list in for stays, though it is not needed.
    Round.objects.filter(
        pk__in=[row.pk for row in rows[count:]],
        name="",
        starts_at=None,
        lists_due_at=None,
        points_limit=None,
        lists=None,
        presences=None,
    ).delete()
    used = {*published, *(row.number for row in rows)}
    first = max(published, default=0) + 1
    free = (number for number in range(first, 2 * ROUNDS_MAX) if number not in used)
    lists_shown = rows[0].lists_published_at if rows and event.has_one_list else None
    missing = [
        Round(event=event, number=next(free), lists_published_at=lists_shown)
        for _ in range(count - len(rows))
    ]
    return rows[:count] + Round.objects.bulk_create(missing)
