"""Lists of a round: handed in, opened again for one player, shown; and what is waived in them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from django.db.models import F
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal
from battles.models import REASON_MAX, Snapshot
from battles.operations.sides import check_not_archived, check_system, keep_snapshot
from battles.queries.battles import load_locked_sheet
from campaigns import access
from campaigns.list_checks import (
    AgreedTerms,
    CheckedList,
    ListSubmission,
    check_list,
    findings_from_json,
    findings_to_json,
    is_of_system,
    list_refusal,
    load_terms,
)
from campaigns.models import (
    ClubEvent,
    Entry,
    EventStatus,
    ListLock,
    Round,
    RoundStatus,
    Waiver,
)
from campaigns.models.rounds import list_number
from campaigns.operations.entries import check_brought, own_or_organised_entry
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    lists_area,
    organised_event,
    readable_event,
)
from campaigns.operations.rows import (
    find_entry,
    find_round,
    own_entry,
    update_row,
)
from campaigns.queries.round_lists import allowed_by_entry, list_before, lists_of
from engine.findings.case import Finding
from engine.findings.checks import CORE, Allowance, guidelines_of, judged
from engine.records import NamedValues, frozen_dataclass, named_values
from engine.roster import Roster
from engine.types.mechanics import Guideline
from rulesdata import registry
from warbands.exchange.document import clean_text, parse_stored, shown, to_document
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband
from warbands.sheet.build import with_findings
from warbands.sheet.structure import RosterSheet

NOT_ENTERED = "You are not a player of this event. Join it, then hand in a list."


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
        row = _bringer(change, entry)
        round_row = find_round(event, list_number(event, number))
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


def _bringer(change: LockedEvent, entry: str) -> Entry:
    """Whose list it is: the entry named, else the actor's own. Raises NotFound, NotAllowed."""
    if entry:
        return own_or_organised_entry(change, entry)
    mine = own_entry(change)
    if mine is None:
        raise NotAllowed(NOT_ENTERED)
    return mine


def unlock_list(
    asked: ChangeRequest, number: int, entry: str, *, is_unlocked: bool = True
) -> None:
    """Let one player hand in another list although the deadline is over, or lock it again.

    By organisers.

    Raises Refusal for a round that is closed, NotFound, NotAllowed.
    """
    with organised_event(asked) as change:
        event = change.event
        round_row = find_round(event, list_number(event, number))
        row = find_entry(event, entry)
        if round_row.status == RoundStatus.CLOSED and not event.has_one_list:
            raise Refusal(f"{round_row} is closed. Reopen it first.", field="round")
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
    with organised_event(asked, lists_area(number)) as change:
        round_row = find_round(change.event, list_number(change.event, number))
        if round_row.lists_published_at is not None:
            return
        if not ListLock.objects.filter(round=round_row, snapshot__isnull=False).exists():
            raise Refusal(f"No lists for {round_row} yet.", field="round")
        _show_lists(round_row, timezone.now())
        change.write("publish_lists", f"Revealed the lists of {round_row}.")


def withdraw_lists(asked: ChangeRequest, number: int) -> None:
    """Secret again to all but their owners and organisers. Raises NotFound, NotAllowed, Stale."""
    with organised_event(asked, lists_area(number)) as change:
        round_row = find_round(change.event, list_number(change.event, number))
        if round_row.lists_published_at is None:
            return
        _show_lists(round_row, None)
        change.write("withdraw_lists", f"Made the lists of {round_row} secret again.")


def _show_lists(round_row: Round, at: datetime | None) -> None:
    """Show the lists of a round, or hide them; where one is for the event, in every round."""
    event = round_row.event
    rounds = Round.objects.filter(event=event)
    shown = rounds if event.has_one_list else rounds.filter(pk=round_row.pk)
    shown.update(lists_published_at=at)


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
    check_brought(event, record)
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
    is_over = event.status == EventStatus.FINISHED or event.archived_at is not None
    asked = ListSubmission(row, round_row, lock, event.has_one_list, is_over, runs)
    refusal = list_refusal(asked)
    if refusal is not None:
        raise refusal


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


@frozen_dataclass
class EndedTerms:
    """What an event or a round agreed on and does not any more: house rules, a points limit.

    A list that is in was brought under it, and keeps no trace of what its roster said before.
    """

    house_rules: Collection[str] = ()
    has_limit: bool = False

    def remove_from(self, roster: Roster) -> Roster:
        """The roster of a list without them."""
        rules = roster.house_rules.items()
        return replace(
            roster,
            points_limit=None if self.has_limit else roster.points_limit,
            house_rules={key: on for key, on in rules if key not in self.house_rules},
        )


NOTHING_ENDED = EndedTerms()


@frozen_dataclass
class _SubmittedList:
    """A list that is in: its row, what is frozen of it, and what holds for it now."""

    lock: ListLock
    snapshot: Snapshot
    sheet: RosterSheet
    agreed: AgreedTerms
    allowed: Sequence[Allowance]

    def judged(self, found: Iterable[Finding]) -> tuple[Finding, ...]:
        """What was found, under the levels and waivers of now."""
        return judged(found, self.agreed.scenario, self.agreed.policy(self.allowed))


def recheck_lists(event: ClubEvent, *, entry: Entry | None = None) -> None:
    """Judge the lists of the rounds that are not closed again, or those of one entry.

    Called by whatever changes the event's levels or an entry's waivers, within its lock. What was
    brought stays.
    """
    about = {} if entry is None else {"entry": entry}
    for there in _submitted_lists(event, **about):
        _recheck_list(there)


def reread_lists(
    event: ClubEvent, *, round_row: Round | None = None, ended: EndedTerms = NOTHING_ENDED
) -> None:
    """Check the lists of the rounds that are not closed anew, or those of one round.

    Called by whatever changes what event or round agree on, within the event's lock. What was
    brought stays, at the prices it was brought at.
    """
    about = {} if round_row is None else {"round": round_row}
    for there in _submitted_lists(event, **about):
        _reread_list(event, there, ended)


def _submitted_lists(event: ClubEvent, **about: Entry | Round) -> Iterator[_SubmittedList]:
    """The lists of the rounds that are not closed, as far as their sheets can be read.

    Two queries, and one for each round whose only scenario is a person's own.
    """
    rows = ListLock.objects.filter(round__event=event, snapshot__isnull=False, **about)
    mine = rows.exclude(round__status=RoundStatus.CLOSED)
    allowed = allowed_by_entry(event.pk)
    agreed: dict[int, AgreedTerms] = {}
    for lock in mine.select_related("snapshot", "round"):
        snapshot = lock.snapshot
        sheet = load_locked_sheet(snapshot.sheet) if snapshot else None
        if snapshot is None or sheet is None:
            continue
        # What a round agrees on is worked out once, not for each list.
        if lock.round_id not in agreed:
            agreed[lock.round_id] = load_terms(event, lock.round)
        waived = allowed.get(lock.entry_id, ())
        yield _SubmittedList(lock, snapshot, sheet, agreed[lock.round_id], waived)


def _reread_list(event: ClubEvent, there: _SubmittedList, ended: EndedTerms) -> None:
    """Check a handed-in list again by the present terms, and store what differs."""
    again = None
    # What cannot be read any more keeps what was found in it.
    with suppress(Refusal, registry.UnknownKey):
        roster = ended.remove_from(_submitted_roster(there))
        # Until a round is published an event may turn to another system.
        if is_of_system(roster, event):
            again = check_list(roster, there.agreed, there.allowed)
    if again is None:
        return
    # Who of the last list is missing does not depend on what is agreed.
    before = findings_from_json(there.lock.findings)
    found = (*again.found, *(one for one in before if one.code == CORE.code))
    sheet = with_findings(again.sheet, there.judged(found))
    document = to_document(again.roster)
    if sheet == there.sheet and document == there.snapshot.document:
        return
    _keep_again(there, document, sheet, findings=findings_to_json(found))


def _submitted_roster(there: _SubmittedList) -> Roster:
    """The roster of a list, with the ids and the prices that its sheet has of each entry."""
    roster = parse_stored(there.snapshot.document)
    told = {one.index: one for one in there.sheet.warriors}
    entries = (
        replace(entry, id=told[place].id, kept=told[place].points_each)
        for place, entry in enumerate(roster.warriors)
    )
    return replace(roster, warriors=tuple(entries))


def _recheck_list(there: _SubmittedList) -> None:
    """Judge again what was found in a list; store a snapshot where it differs.

    The roster itself is not read again; `_reread_list` does that.
    """
    told = there.judged(findings_from_json(there.lock.findings))
    # What reads the same needs no other snapshot. A list keeps its findings without fixes.
    if told != tuple(replace(one, fixes=()) for one in there.sheet.findings):
        again = with_findings(there.sheet, told)
        _keep_again(there, there.snapshot.document, again)


def _keep_again(
    there: _SubmittedList, document: NamedValues, sheet: RosterSheet, **columns: object
) -> None:
    """Freeze a list anew, as the next version of its row."""
    kept = keep_snapshot(
        document,
        sheet,
        warband_id=there.snapshot.warband_id,
        version=there.snapshot.version,
    )
    ListLock.objects.filter(pk=there.lock.pk).update(
        snapshot=kept,
        **named_values(sheet, "points", "errors", "warnings"),
        version=F("version") + 1,
        **columns,
    )


def waive(asked: ChangeRequest, entry: str, code: str) -> None:
    """Let one guideline pass for an entry, in every round that is not closed.

    Raises Refusal for a rule of the army lists themselves, for one waived already and without a
    reason; NotFound, NotAllowed, Stale.
    """
    with organised_event(asked) as change:
        row = find_entry(change.event, entry)
        guideline = _waivable(change.event, code)
        why = clean_text("reason", " ".join(asked.reason.split()), REASON_MAX)
        change = change.with_reason(
            why,
            "Reason: give a reason. The roster sheet prints it, and all players can read it.",
        )
        if Waiver.objects.filter(entry=row, code=code, revoked_at__isnull=True).exists():
            raise Refusal(
                f"“{_title(guideline)}” is already waived for {row.name}.", field="code"
            )
        Waiver.objects.create(
            entry=row, code=code, reason=why, author_id=asked.actor.user_id
        )
        words = f"Waived “{_title(guideline)}” for {row.name}."
        _log_waiver(change, row, "waive", words)


def revoke_waiver(asked: ChangeRequest, entry: str, code: str) -> None:
    """Take a waiver back; it stays to be read.

    Raises Refusal where none holds, NotFound, NotAllowed, Stale.
    """
    with organised_event(asked) as change:
        row = find_entry(change.event, entry)
        guideline = _waivable(change.event, code)
        held = Waiver.objects.filter(entry=row, code=code, revoked_at__isnull=True)
        if not held.update(revoked_at=timezone.now()):
            raise Refusal(
                f"“{_title(guideline)}” is not waived for {row.name}.", field="code"
            )
        words = f"Withdrew the waiver of “{_title(guideline)}” for {row.name}."
        _log_waiver(change, row, "revoke_waiver", words)


def _waivable(event: ClubEvent, code: str) -> Guideline:
    """Return the guideline of this code; raises Refusal if it is not one to waive."""
    system = registry.system_of(event)
    found = next((one for one in guidelines_of(system) if one.code == code), None)
    if found is None:
        raise Refusal(f"{system.full_name} has no guideline {shown(code)}.", field="code")
    if not found.is_waivable:
        sentence = f"“{_title(found)}” is a rule of the army lists and cannot be waived."
        raise Refusal(sentence, field="code")
    return found


def _title(guideline: Guideline) -> str:
    return guideline.title


def _log_waiver(change: LockedEvent, row: Entry, verb: str, words: str) -> None:
    recheck_lists(change.event, entry=row)
    change.write(verb, words, subject=row.token)
