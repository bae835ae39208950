"""Two players of a round change places; the preview asks the same function what would come of it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

from accounts.errors import Refusal, WrongState
from campaigns.models import (
    ClubEvent,
    Entry,
    Fixture,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.operations.conflicts import round_area
from campaigns.operations.fixtures import (
    check_none_dropped,
    check_reason_given,
    have_met,
    manual_pairing_reason,
)
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    check_organises,
    organised_event,
    readable_event,
)
from campaigns.operations.notify import notify_fixtures
from campaigns.operations.rows import (
    entrant_names,
    find_entries,
    find_fixture,
    find_round,
    fixtures_of,
    join_from_round,
    update_row,
)
from engine.records import Texts, frozen_dataclass
from warbands.exchange.document import shown

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
    _check_none_begun(touched)
    return touched


def _check_none_begun(touched: Sequence[Fixture]) -> None:
    """Raise Refusal naming the first of these games that has begun."""
    for fixture in touched:
        if fixture.is_begun:
            sentence = (
                f"{entrant_names(fixture)} has started. Its players cannot be swapped."
            )
            raise Refusal(sentence, field="other")


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
