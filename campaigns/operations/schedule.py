"""Pairs that change before they play: the planned rounds of a round robin, and two players
who change places.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress
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
from campaigns.operations.fixtures import (
    check_none_dropped,
    check_reason_given,
    have_met,
    manual_pairing_reason,
)
from campaigns.operations.log import (
    ROUNDS,
    ChangeRequest,
    LockedEvent,
    check_organises,
    organised_event,
    readable_event,
    round_area,
)
from campaigns.operations.notify import notify_fixtures
from campaigns.operations.rows import (
    check_running,
    entrant_names,
    find_entries,
    find_fixture,
    find_round,
    fixtures_of,
    insert_pairings,
    join_from_round,
    update_row,
)
from engine.records import ChoiceList, Texts, frozen_dataclass
from engine.tournament.pairing import rest_of_robin, round_robin, still_to_play
from warbands.exchange.document import shown

# The whole schedule of a round robin, seen in advance: planned rounds with their
# fixtures.
#
# It is worked out anew where what is planned is not what is left to play: after a late
# entry, a return, a swap by hand. Somebody who drops out changes nothing for the others:
# whoever was to meet them has a bye.

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
    # The same seed gives the same schedule.
    ids = [str(pk) for pk in entries]
    played = _held_games(event)
    # From the first game on the rest is matched anew, around what was played.
    if not played:
        schedule = round_robin(ids, legs=event.legs, seed=seed)
    else:
        schedule = rest_of_robin(
            ids, played, legs=event.legs, seed=seed, match=max_weight_matching
        )
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
    untouched_rounds = Q(
        name="",
        starts_at=None,
        lists_due_at=None,
        points_limit=None,
        lists=None,
        presences=None,
    )
    Round.objects.filter(untouched_rounds, pk__in=spare).delete()
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


# Two players of a round change places; the preview asks the same function what would come
# of it.

PLACES = ("one", "other", "third")


@frozen_dataclass
class SwapResult:
    """What a swap comes to: who met whom before and who does now, and which of these met before.

    ``left`` is who is in no game any more because the other one was in none.
    """

    before: Texts
    after: Texts
    rematches: Texts
    left: str = ""


def swap_entries(
    asked: ChangeRequest,
    number: int,
    one_entry: str,
    other_entry: str,
    *,
    is_preview: bool = False,
) -> SwapResult:
    """Two players change places in a round: their opponents, tables, attacks.

    One may be in no game yet.

    A published round needs a reason. ``is_preview`` tells what would come of it and changes
    nothing. Raises Refusal for games that have begun, NotFound, NotAllowed, Stale.
    """
    with organised_event(asked, round_area(number)) as change:
        row = find_round(change.event, number)
        return _swap(change, row, (one_entry, other_entry), is_preview=is_preview)


def swap_in_fixture(
    asked: ChangeRequest, fixture: str, one: str, other: str, *, is_preview: bool = False
) -> SwapResult:
    """The same for somebody of this fixture (``one``), whose version is the one expected."""
    with readable_event(asked) as change:
        check_organises(change)
        found = find_fixture(change.event, fixture)
        asked.check_version(found)
        if one not in [entry.token for entry in found.sides]:
            raise Refusal(f"{shown(one)} does not play in this game.", field="one")
        # The version seen was the fixture's, so it says nothing of the round's other changes.
        here = replace(change, area=round_area(found.round.number))
        return _swap(here, found.round, (one, other), is_preview=is_preview)


def _swap(
    change: LockedEvent, row: Round, entries: tuple[str, str], *, is_preview: bool
) -> SwapResult:
    """Exchange two players of a round and return the games before and after.

    With ``is_preview`` nothing is stored, written or told. Raises WrongState for a closed
    round.
    """
    event, number = change.event, row.number
    if row.status == RoundStatus.CLOSED:
        raise WrongState(f"{row} is closed. Reopen it, then swap.")
    if not is_preview:
        check_reason_given(row, change.asked.reason)
    one, other = _swapped_entries(event, *entries)
    touched = _affected_fixtures(row, one, other)
    before = tuple(entrant_names(fixture) for fixture in touched)
    _exchange(touched, one, other)
    # After the exchange each fixture holds who would meet now; nothing is stored yet.
    again = [have_met(event, number, fixture.sides) for fixture in touched]
    after = tuple(entrant_names(fixture) for fixture in touched)
    if not is_preview:
        _write_swap(event, touched, again)
        join_from_round((one, other), number)
        words = (
            f"Swapped {one.name} and {other.name} in round {number}: {'; '.join(after)}."
        )
        change.write("swap", words, subject=touched[0].token)
        notify_fixtures(change, row, [fixture.pk for fixture in touched])
    return SwapResult(
        before=before,
        after=after,
        rematches=tuple(compress(after, again)),
        left=_left_out(touched, (one, other)),
    )


def _swapped_entries(event: ClubEvent, one: str, other: str) -> tuple[Entry, Entry]:
    """The two by their tokens; raises Refusal for the same one twice, NotFound."""
    found = find_entries(event, [one, other])
    if one == other:
        raise Refusal("Choose two different players.", field="other")
    return found[one], found[other]


def _left_out(touched: Sequence[Fixture], two: Sequence[Entry]) -> str:
    """Whoever of the two is in no game any more; "" where both are in one."""
    playing = {pk for fixture in touched for pk in fixture.side_ids}
    return next((entry.name for entry in two if entry.pk not in playing), "")


def _affected_fixtures(row: Round, one: Entry, other: Entry) -> list[Fixture]:
    """The games the two are in, friendlies aside. Raises Refusal where a swap makes no sense."""
    mine = {one.pk, other.pk}
    check_none_dropped((one, other))
    games = [fixture for fixture in fixtures_of(row) if not fixture.is_friendly]
    touched = [fixture for fixture in games if mine & set(fixture.side_ids)]
    if not touched:
        raise Refusal(
            f"Neither {one.name} nor {other.name} has a game in {row}. Add one instead.",
            field="other",
        )
    if any(mine <= set(fixture.side_ids) for fixture in touched):
        raise Refusal(
            f"{one.name} and {other.name} play each other. A swap changes nothing.",
            field="other",
        )
    # With several games it would be a guess which of them is meant.
    if len(touched) > 2:
        raise Refusal(
            "One of them has several games in this round. Remove one and add another.",
            field="other",
        )
    for fixture in touched:
        if fixture.is_begun:
            sentence = (
                f"{entrant_names(fixture)} has started. Its players cannot be swapped."
            )
            raise Refusal(sentence, field="other")
    return touched


def _exchange(touched: Sequence[Fixture], one: Entry, other: Entry) -> None:
    """Each stands where the other one stood, and attacks where the other one did."""
    turned: dict[int | None, Entry] = {one.pk: other, other.pk: one}
    for fixture in touched:
        attacker = turned.get(fixture.attacker_id)
        for place in PLACES:
            entry = getattr(fixture, place)
            if entry is not None and entry.pk in turned:
                setattr(fixture, place, turned[entry.pk])
        if attacker is not None:
            fixture.attacker = attacker


def _write_swap(
    event: ClubEvent, touched: Sequence[Fixture], again: Sequence[bool]
) -> None:
    """Who was put together stays together when the round is drawn again; a round robin keeps to its
    schedule.
    """
    for fixture, is_again in zip(touched, again, strict=True):
        is_bye = fixture.other_id is None
        update_row(
            fixture,
            one=fixture.one,
            other=fixture.other,
            third=fixture.third,
            attacker=fixture.attacker,
            is_rematch=is_again,
            is_kept=event.method != PairingMethod.ROBIN,
            reason="Bye: set by an organiser."
            if is_bye
            else manual_pairing_reason(is_rematch=is_again),
        )
