"""Rounds: who is here, added, changed, published, closed, opened again, withdrawn, removed, printed;
and the calendars of an event.

Drawing them is in `pairing`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from battles.models import REASON_MAX, Confirmation
from battles.operations.setup import checked_system
from campaigns.growth.operations.ledger import store_figures
from campaigns.models import (
    ROUNDS_MAX,
    SHOWN,
    CalendarEdition,
    ClubEvent,
    Entry,
    EventKind,
    EventLog,
    EventStatus,
    Fixture,
    FixtureStatus,
    ListLock,
    PairingMethod,
    Presence,
    Round,
    RoundStatus,
)
from campaigns.models.rounds import PRINT_ROUND, round_limit
from campaigns.operations.entries import insert_entry
from campaigns.operations.event_terms import checked_moment, checked_pool
from campaigns.operations.log import (
    ROUNDS,
    ChangeRequest,
    LockedEvent,
    changes_between,
    idempotent,
    organised_event,
    readable_event,
)
from campaigns.operations.notify import enqueue_post, notify_round_published
from campaigns.operations.round_lists import check_lists_in, reread_lists
from campaigns.operations.rows import (
    PLACES,
    PLAN_FIRST,
    changed_columns,
    check_playing,
    check_running,
    entrant_names,
    find_entries,
    find_round,
    list_fixtures,
    organised_round,
    own_entry,
    update_row,
    write_presence,
)
from campaigns.queries.fixtures import load_fixtures
from campaigns.queries.pairing import results_since
from campaigns.queries.records import HOLDING_UP, may_publish
from campaigns.queries.table_packs import load_round_packs
from engine.records import Fields, frozen_dataclass, named_values
from engine.tournament.pairing import swiss_rounds
from jobs.queue import JobDraft, enqueue
from warbands.exchange.document import clean_text, shown
from warbands.models import NAME_MAX
from warbands.operations.transaction import UNSET, Unset
from warbands.operations.warbands import checked_limit
from warbands.pdf.press import PAPERS


def set_present(request: ChangeRequest, number: int, entries: Mapping[str, bool]) -> None:
    """Tick who is here; who is not named stays as they are.

    Pairs that are drawn stay until they are drawn again. Two organisers may tick at once: each tick
    stands for itself. Raises Refusal for a closed round, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        row = _open_round(change.event, number)
        rows = find_entries(change.event, entries)
        for entry in rows.values():
            check_playing(entry, "entries")
        write_presence(row, {rows[token]: is_here for token, is_here in entries.items()})


def check_in(request: ChangeRequest, number: int, *, is_here: bool = True) -> None:
    """Say oneself whether one is here, or send word that one is not.

    Raises NotAllowed for who is not in it, Refusal for who dropped out and for a closed round,
    NotFound.
    """
    with readable_event(request) as change:
        row = _open_round(change.event, number)
        entry = own_entry(change)
        if entry is None:
            raise NotAllowed("Join first, then say that you are here.")
        check_playing(entry, "entries")
        write_presence(row, {entry: is_here})


@idempotent("add_guest", answer="entry", lock=organised_event)
def add_guest(change: LockedEvent, number: int, name: str) -> str:
    """Enter a guest by name and tick them; returns the entry's token.

    Raises Refusal naming the field, NotFound, NotAllowed, KeyReused.
    """
    row = _open_round(change.event, number)
    token = insert_entry(change, name=name)
    entry = Entry.objects.get(token=token)
    check_playing(entry, "name")
    Presence.objects.create(round=row, entry=entry, is_here=True)
    return token


def _open_round(event: ClubEvent, number: int) -> Round:
    """Return the round of a running event; raises WrongState for a closed one."""
    check_running(event)
    row = find_round(event, number)
    if row.status == RoundStatus.CLOSED:
        raise WrongState(f"{row} is closed. Reopen it, then tick who is here.")
    return row


NAMED_MOST = 3
DRAWN_BEFORE = "Paired before a result was changed."
NAMES = {
    "points_limit": "points limit",
    "scenarios": "scenario pool",
    "starts_at": "date",
    "lists_due_at": "deadline",
}


@frozen_dataclass
class RoundDraft:
    """What a round is called and agrees on; what is left out stays, in a new one as the event says."""

    name: str | Unset = UNSET
    points_limit: int | Unset | None = UNSET
    scenarios: Sequence[str] | Unset = UNSET
    starts_at: datetime | Unset | None = UNSET
    lists_due_at: datetime | Unset | None = UNSET


def add_round(request: ChangeRequest, draft: RoundDraft) -> int:
    """One more round, planned; returns its number.

    Limit None and no scenarios are as the event says.

    Raises Refusal naming the field, NotFound, NotAllowed, Stale.
    """
    with organised_event(request, ROUNDS) as change:
        event = change.event
        check_running(event)
        columns = _check_draft(change, draft)
        rounds = Round.objects.filter(event=event)
        if _is_planned_by_lists(event):
            rounds.update(**columns)
            change.write("add_round", "Added round 1.")
            return 1
        number = rounds.count() + 1
        # Rounds that were taken away may leave a gap, so the count alone may be a number in use.
        while rounds.filter(number=number).exists():
            number += 1
        if number > ROUNDS_MAX:
            raise Refusal(
                f"An event has at most {ROUNDS_MAX} rounds. Create another event for more.",
                field="number",
            )
        if event.has_one_list and number > 1:
            columns["lists_published_at"] = find_round(event, 1).lists_published_at
        Round.objects.create(event=event, number=number, **columns)
        change.write("add_round", f"Added round {number}.")
        return number


def _is_planned_by_lists(event: ClubEvent) -> bool:
    """Whether round 1 is the only one and nobody has set it up yet: a list or a tick came first."""
    verbs = ("add_round", "change_round", "plan", PLAN_FIRST)
    last = EventLog.objects.filter(event=event, verb__in=verbs).first()
    if last is None or last.verb != PLAN_FIRST:
        return False
    rounds = Round.objects.filter(event=event)
    return rounds.count() == 1 and rounds.filter(status=RoundStatus.PLANNED).exists()


def change_round(request: ChangeRequest, number: int, draft: RoundDraft) -> None:
    """What a round is called and agrees on; what is left out stays.

    Games that are drawn keep their scenario. Raises Refusal naming the field, NotFound, NotAllowed,
    Stale.
    """
    with organised_round(request, number) as (change, row):
        event = change.event
        columns = _check_draft(change, draft, current=row.scenarios)
        changed = changed_columns(row, columns)
        if not changed:
            return
        update_row(row, **changed)
        if changed.keys() & {"points_limit", "scenarios"}:
            is_limit_gone = "points_limit" in changed and round_limit(row, event) is None
            reread_lists(event, is_limit_gone=is_limit_gone, round=row)
        names = ", ".join(NAMES.get(key, key) for key in changed)
        # The row in hand still holds its old values.
        changes = changes_between(named_values(row, *changed), changed)
        change.write("change_round", f"Changed {names} of round {number}.", changes=changes)


def remove_round(request: ChangeRequest, number: int) -> None:
    """Take the last round away again, as long as it is not published and nobody handed in a list.

    Raises Refusal with what stands in the way, NotFound, NotAllowed, Stale.
    """
    with organised_round(request, number) as (change, row):
        event = change.event
        if row.status in SHOWN:
            raise WrongState(f"{row} is published. Unpublish it first.")
        if Round.objects.filter(event=event, number__gt=number).exists():
            raise Refusal(
                "You can delete only the last round, because rounds are numbered in order.",
                field="number",
            )
        if ListLock.objects.filter(round=row).exists():
            raise Refusal(
                f"Players have handed in lists for {row}, so you cannot delete it. "
                "You can leave it unpaired.",
                field="number",
            )
        Fixture.objects.filter(round=row).delete()
        row.delete()
        change.write("remove_round", f"Removed round {number}.")


def publish_round(
    request: ChangeRequest,
    number: int,
    *,
    as_drawn: bool = False,
    asks_for_lists: bool = False,
) -> None:
    """Show a draft to everybody. Byes count from now on; a round of challenges opens empty.

    A Swiss draft that other results have come in since is published ``as_drawn`` alone, and with
    ``asks_for_lists`` none is where lists are missing. Raises Refusal for these and for a round that
    is not drawn, NotFound, NotAllowed, Stale.
    """
    with organised_round(request, number) as (change, row):
        event = change.event
        check_running(event)
        if row.status in SHOWN:
            raise WrongState(f"{row} is already published.")
        if not may_publish(event.method, row.status, has_fixtures=bool(list_fixtures(row))):
            raise WrongState(
                f"{row} is not paired yet. Pair it, check it, then publish it."
            )
        _check_basis(event, row, as_drawn=as_drawn)
        if asks_for_lists and event.needs_list:
            check_lists_in(event, row)
        now = timezone.now()
        Fixture.objects.filter(round=row, other=None).update(status=FixtureStatus.FINAL)
        update_row(row, status=RoundStatus.PUBLISHED, published_at=now, basis={})
        # The first published round starts the event.
        if event.status == EventStatus.OPEN:
            event.status = EventStatus.RUNNING
            # Players of a one-day tournament need so many Swiss rounds, unless that is known.
            if event.kind == EventKind.ONE_DAY and event.method == PairingMethod.SWISS:
                players = sum(len(fixture.ids) for fixture in list_fixtures(row))
                event.rounds_planned = event.rounds_planned or swiss_rounds(players)
        notify_round_published(change, row)
        _write_status(change, number, "publish", "Published round {}.")


def _check_basis(event: ClubEvent, row: Round, *, as_drawn: bool) -> None:
    """Raise Refusal naming the results that came in since a Swiss draft was drawn.

    One that is published all the same says so in the reasons of its games.
    """
    if event.method != PairingMethod.SWISS:
        return
    records = load_fixtures(event.pk)
    late = results_since(records, row)
    if not late:
        return
    if not as_drawn:
        rows = Fixture.objects.filter(token__in=[record.token for record in late])
        rows = rows.select_related(*PLACES)
        names = _list_names(rows.order_by("round__number", "position"))
        raise WrongState(
            f"Results changed after {row} was paired: {names}. Pair again, or publish it as it "
            "was paired."
        )
    touched = {pk for record in late for pk in record.ids}
    for fixture in list_fixtures(row):
        if touched & set(fixture.ids):
            reason = f"{fixture.reason} {DRAWN_BEFORE}"[:REASON_MAX]
            Fixture.objects.filter(pk=fixture.pk).update(reason=reason)


def close_round(request: ChangeRequest, number: int) -> None:
    """Everything of it is in. Results may still be put right.

    Raises Refusal naming the games that have no result, NotFound, NotAllowed, Stale.
    """
    with organised_round(request, number) as (change, row):
        close_locked_round(change, row)


def close_locked_round(change: LockedEvent, row: Round) -> None:
    """The same within the lock of the event, whose organiser asks."""
    if row.status == RoundStatus.CLOSED:
        raise WrongState(f"{row} is already closed.")
    if row.status != RoundStatus.PUBLISHED:
        raise WrongState(f"{row} is not published yet.")
    # Friendlies hold up nothing.
    games = Fixture.objects.filter(round=row, other__isnull=False, is_friendly=False)
    games = games.select_related(*PLACES).order_by("position", "id")
    missing = games.filter(status__in=HOLDING_UP)
    if missing:
        many = len(missing) > 1
        label, results = ("Games", "their results") if many else ("Game", "its result")
        raise WrongState(
            f"{label} without a result: {_list_names(missing)}. Enter {results}, then close "
            "the round."
        )
    # What an opponent confirms is final by itself in a few days; what an organiser accepts is not.
    waiting = games.filter(status=FixtureStatus.WAITING)
    if change.event.confirmation == Confirmation.ORGANISER and waiting:
        results = "the result" if len(waiting) == 1 else "these results"
        names = _list_names(waiting)
        raise WrongState(f"Accept {results}, then close the round: {names}.")
    update_row(row, status=RoundStatus.CLOSED)
    store_figures(change.event, row.number)
    # The channel reads results and standings. Players know theirs.
    enqueue_post(change.event, "results", row.number)
    enqueue_post(change.event, "standings")
    _write_status(change, row.number, "close", "Closed round {}.")


def reopen_round(request: ChangeRequest, number: int) -> None:
    """A closed round goes on. Raises Refusal, NotFound, NotAllowed, Stale."""
    with organised_round(request, number) as (change, row):
        if row.status != RoundStatus.CLOSED:
            raise WrongState(f"{row} is not closed.")
        update_row(row, status=RoundStatus.PUBLISHED)
        _write_status(change, number, "reopen_round", "Reopened round {}.")


def withdraw_round(request: ChangeRequest, number: int) -> None:
    """One step back: published becomes a draft while nothing is played, a draft loses its draw.

    Raises Refusal naming what was begun, NotFound, NotAllowed, Stale.
    """
    with organised_round(request, number) as (change, row):
        if row.status == RoundStatus.PLANNED:
            raise WrongState(f"{row} is not paired.")
        begun = [fixture for fixture in list_fixtures(row) if fixture.is_begun]
        if begun:
            raise WrongState(
                f"{_list_names(begun)} {'has' if len(begun) == 1 else 'have'} started, "
                f"so {row} cannot be unpublished."
            )
        if row.status == RoundStatus.DRAFT:
            # A round robin keeps its games, which are its schedule.
            if change.event.method != PairingMethod.ROBIN:
                Fixture.objects.filter(round=row).delete()
            update_row(row, status=RoundStatus.PLANNED)
        else:
            Fixture.objects.filter(round=row, other=None).update(status=FixtureStatus.OPEN)
            update_row(row, status=RoundStatus.DRAFT, published_at=None)
        _write_status(change, number, "withdraw", "Unpublished round {}.")


def _write_status(change: LockedEvent, number: int, verb: str, sentence: str) -> None:
    event, changes = change.event, {"round": number}
    change.write(
        verb,
        sentence.format(number),
        changes=changes,
        status=event.status,
        rounds_planned=event.rounds_planned,
    )


def _list_names(fixtures: Sequence[Fixture] | QuerySet[Fixture]) -> str:
    """The first few games by who meets in them, and how many more."""
    names = [entrant_names(fixture) for fixture in fixtures]
    more = len(names) - NAMED_MOST
    return f"{'; '.join(names[:NAMED_MOST])}{f' and {more} more' if more > 0 else ''}"


def _check_draft(
    change: LockedEvent, draft: RoundDraft, *, current: Sequence[str] = ()
) -> Fields:
    """The columns of a draft. Raises Refusal naming the field and its limit."""
    event = change.event
    checks: dict[str, Callable[[Any], Any]] = {
        "name": lambda value: clean_text("name", value, NAME_MAX),
        "points_limit": checked_limit,
        "scenarios": lambda value: checked_pool(
            change.actor,
            checked_system(event.system, event.variant or None),
            value,
            current=[*current, *event.scenarios],
        ),
        "starts_at": lambda value: checked_moment("starts_at", value),
        "lists_due_at": lambda value: checked_moment("lists_due_at", value),
    }
    values = named_values(draft, *checks)
    return {key: checks[key](value) for key, value in values.items() if value is not UNSET}


def print_round(
    request: ChangeRequest, number: int, *, paper: str = "a4", site: str
) -> str:
    """A job that prints every table of a round; returns the job's token, the same while one is
    under way.

    By organisers of the club. ``site`` is what addresses on paper begin with. Raises NotFound,
    NotAllowed, and Refusal for a round without a table or another paper.
    """
    if paper not in PAPERS:
        raise Refusal(
            f"The paper is {' or '.join(PAPERS)}, not {shown(paper)}.", field="paper"
        )
    actor, token = request.actor, request.token
    with organised_event(request) as change:
        event = change.event
        if not event.rounds.filter(number=number).exists():
            raise NotFound("round")
        packs = load_round_packs(actor, token, number)
        if packs is None or not packs.fixtures:
            raise Refusal(
                f"Round {number} has no tables to print. Pair it first.", field="round"
            )
        draft = JobDraft(
            PRINT_ROUND,
            packs.title,
            payload={
                "event": token,
                "round": number,
                "paper": paper,
                # A worker has no request to take the address of the site from.
                "site": site,
                "person": actor.user_id,
            },
            total=len(packs.fixtures),
            key=f"{event.pk} {number} {paper} {actor.user_id}",
            back=reverse("round-read", args=[token, number]),
            back_label=f"{event.name}, {packs.round}",
        )
        return enqueue(actor, draft)


def renew_own_calendar(request: ChangeRequest, user_id: int) -> None:
    """End the address of the person who asks; another one takes its place. Raises NotFound."""
    with readable_event(request) as change:
        _renew(change.event, user_id)


def renew_calendars(request: ChangeRequest) -> None:
    """End every calendar address of the event. Raises NotFound, NotAllowed, Stale."""
    with organised_event(request) as change:
        _renew(change.event, None)
        change.write("renew_calendars", "Renewed every calendar address.")


def _renew(event: ClubEvent, user_id: int | None) -> None:
    """Raise the number of a user's calendar, or of the whole event's, by one."""
    reader: dict[str, Any] = {"user_id": user_id}
    row, _ = CalendarEdition.objects.get_or_create(event=event, **reader)
    CalendarEdition.objects.filter(pk=row.pk).update(number=F("number") + 1)
