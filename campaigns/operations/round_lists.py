"""Lists of a round: handing one in, opening it again for one player, showing all of them."""

from django.utils import timezone

from accounts.errors import NotAllowed, Refusal
from battles.operations.snapshots import check_not_archived, check_system, keep_snapshot
from campaigns import access
from campaigns.list_checks import CheckedList, check_list, findings_to_json, load_terms
from campaigns.models import (
    ClubEvent,
    Entry,
    EntryStatus,
    EventStatus,
    ListLock,
    Round,
    RoundStatus,
)
from campaigns.operations.entries import own_or_organised_entry
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    organised_event,
    readable_event,
)
from campaigns.operations.rows import find_entry, find_round, own_entry, update_row
from campaigns.queries.round_lists import allowed_by_entry, list_before, lists_of
from engine.records import frozen_dataclass
from rulesdata import registry
from warbands.exchange.document import to_document
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband

NOT_ENTERED = "You are not entered here, so there is no list to hand in. Enter first."


@frozen_dataclass
class HandedIn:
    """A list as it was taken: whose, what it comes to, and what the policy finds in it."""

    entry: str
    points: int
    errors: int
    warnings: int
    version: int


def hand_in_list(
    asked: ChangeRequest, number: int, warband: str, *, entry: str = ""
) -> HandedIn:
    """Freeze a warband as the list of a round, in place of one handed in before; findings never
    keep it out.

    For oneself, or by an organiser for the ``entry`` named. Raises Refusal naming the field:
    another system, nobody in it, or the deadline is over and nobody unlocked it (an organiser is
    not bound by it). NotFound, NotAllowed.
    """
    with readable_event(asked) as change:
        event = change.event
        row = own_or_organised_entry(change, entry) if entry else own_entry(change)
        if row is None:
            raise NotAllowed(NOT_ENTERED)
        round_row = find_round(event, number)
        locks = lists_of(row.pk)
        lock = next((one for one in locks if one.round_id == round_row.pk), None)
        runs = access.may_organise(asked.actor, event)
        _check_time(event, round_row, row, lock, runs=runs)
        record = _load_brought(change, row, warband, runs=runs)
        allowed = allowed_by_entry(event.pk).get(row.pk, [])
        before = list_before(locks, number) if event.has_core else None
        checked = check_list(record.roster, load_terms(event, round_row), allowed, before)
        was = lock.snapshot_id if lock else None
        lock = _write_list(lock or ListLock(round=round_row, entry=row), record, checked)
        if lock.snapshot_id != was:
            words = (
                f"{row.name} handed in {'another' if was else 'a'} list for {round_row}."
            )
            change.log("hand_in", words, subject=row.token)
        return HandedIn(row.token, lock.points, lock.errors, lock.warnings, lock.version)


def unlock_list(
    asked: ChangeRequest, number: int, entry: str, *, is_unlocked: bool = True
) -> None:
    """Let one player hand in another list although the deadline is over, or lock it again.

    By organisers.

    Raises Refusal for a round that is closed, NotFound, NotAllowed.
    """
    with organised_event(asked) as change:
        event = change.event
        round_row = find_round(event, number)
        row = find_entry(event, entry)
        if round_row.status == RoundStatus.CLOSED:
            raise Refusal(f"{round_row} is closed. Open it again first.", field="round")
        lock, _ = ListLock.objects.get_or_create(round=round_row, entry=row)
        if lock.is_unlocked == is_unlocked:
            return
        update_row(lock, is_unlocked=is_unlocked)
        words = f"{'Unlocked' if is_unlocked else 'Locked'} the list of {row.name} for {round_row}."
        change.log("unlock_list", words, subject=row.token)


def publish_lists(asked: ChangeRequest, number: int) -> None:
    """Everybody who may read the event sees the lists of the round; from now on they are locked.

    Raises Refusal where nobody has handed one in, NotFound, NotAllowed, Stale.
    """
    with organised_event(asked) as change:
        round_row = find_round(change.event, number)
        if round_row.lists_published_at is not None:
            return
        if not ListLock.objects.filter(round=round_row, snapshot__isnull=False).exists():
            raise Refusal(
                f"Nobody has handed in a list for {round_row} yet.", field="round"
            )
        update_row(round_row, lists_published_at=timezone.now())
        change.write("publish_lists", f"Showed the lists of {round_row}.")


def withdraw_lists(asked: ChangeRequest, number: int) -> None:
    """Secret again to all but their owners and organisers. Raises NotFound, NotAllowed, Stale."""
    with organised_event(asked) as change:
        round_row = find_round(change.event, number)
        if round_row.lists_published_at is None:
            return
        update_row(round_row, lists_published_at=None)
        change.write("withdraw_lists", f"Took back the lists of {round_row}.")


def _load_brought(
    change: LockedEvent, row: Entry, warband: str, *, runs: bool
) -> WarbandRecord:
    """The warband to hand in: the player's own, or for an organiser any they may open."""
    event = change.event
    record = load_warband(change.actor, warband) if warband else None
    if record is None:
        raise Refusal(
            "There is no such warband, or it is not shared with you.", field="warband"
        )
    if row.user_id is not None and record.owner_id != row.user_id:
        whose = f"{row.name}’s own warbands" if runs else "your own warbands"
        raise Refusal(f"Choose one of {whose}.", field="warband")
    check_not_archived(record)
    system = registry.system_of(event)
    check_system(
        system,
        record.roster,
        record.display_name,
        "warband",
        event.get_kind_display().lower(),
    )
    return record


# Checking


def _check_time(
    event: ClubEvent, round_row: Round, row: Entry, lock: ListLock | None, *, runs: bool
) -> None:
    """Raises Refusal where no list is taken any more, and says who can change that."""
    if event.status == EventStatus.FINISHED or event.archived_at is not None:
        raise Refusal("This is over and takes no more lists.", field="round")
    if row.status == EntryStatus.DROPPED:
        raise Refusal(
            f"{row.name} dropped out. Come back first, then hand in a list.", field="entry"
        )
    if round_row.status == RoundStatus.CLOSED:
        raise Refusal(f"{round_row} is closed and takes no more lists.", field="round")
    # An organiser is not bound by the deadline, nor is a player whose list was unlocked.
    if not (runs or (lock is not None and lock.is_unlocked)):
        _check_not_due(round_row)


def _check_not_due(round_row: Round) -> None:
    """What binds a player, but no organiser and nobody whose list was unlocked."""
    if round_row.lists_published_at is not None:
        raise Refusal(
            f"The lists of {round_row} are shown already. Ask an organiser to unlock yours.",
            field="round",
        )
    due = round_row.lists_due_at
    if due is not None and due <= timezone.now():
        told = f"{timezone.localtime(due):%-d %B %Y, %H:%M}"
        raise Refusal(
            f"Lists for {round_row} were due on {told}. Ask an organiser to unlock yours.",
            field="round",
        )


# Writing


def _write_list(lock: ListLock, record: WarbandRecord, checked: CheckedList) -> ListLock:
    """The list's row. One handed in again without a change keeps its version."""
    document = to_document(checked.roster)
    snapshot = keep_snapshot(
        document, checked.sheet, warband_id=record.id, version=record.version
    )
    # Equal lists share a snapshot, so the same list handed in again is no new version.
    if lock.pk is not None and lock.snapshot_id not in (None, snapshot.pk):
        lock.version += 1
    lock.snapshot = snapshot
    lock.points, lock.errors, lock.warnings = (
        checked.sheet.points,
        checked.sheet.errors,
        checked.sheet.warnings,
    )
    lock.findings = findings_to_json(checked.found)
    lock.handed_in_at = timezone.now()
    lock.save()
    return lock
