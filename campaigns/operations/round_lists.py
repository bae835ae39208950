"""Lists of a round: handed in, opened again for one player, shown; and what is waived in them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, WrongState
from battles.models import REASON_MAX, Snapshot
from battles.operations.sides import check_not_archived, check_system, keep_snapshot
from battles.queries.battles import load_locked_sheet
from campaigns import access
from campaigns.list_checks import (
    AgreedTerms,
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
    EventLog,
    ListCheck,
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
    as_sentence,
    organised_event,
    readable_event,
)
from campaigns.operations.notify import send_list_notices, tell
from campaigns.operations.rows import (
    check_running,
    find_entry,
    find_round,
    own_entry,
    plan_first_round,
    update_row,
)
from campaigns.queries.round_lists import (
    allowed_by_entry,
    choose_round,
    entries_without_list,
    list_before,
    load_locks,
)
from engine.findings.checks import CORE, Allowance, guidelines_of
from engine.records import NamedValues, frozen_dataclass, named_values, quantity
from rulesdata import registry
from warbands.exchange.document import clean_text, parse_stored, shown, to_document
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband
from warbands.sheet.build import with_findings
from warbands.sheet.structure import RosterSheet

# Reminders by a button: who presses it twice sends one.
REMIND_EVERY = timedelta(hours=1)


def hand_in_list(
    request: ChangeRequest, number: int | None, warband: str, *, entry: str = ""
) -> ListLock:
    """Freeze a warband as the list of a round, in place of one handed in before; findings never
    keep it out.

    Without a ``number`` it is for the first round that is not closed; before any round is added the
    first is planned. For oneself, or by an organiser for the ``entry`` named. Raises Refusal naming the field:
    another system, nobody in it, or the deadline is over and nobody unlocked it (an organiser is
    not bound by it). NotFound, NotAllowed.
    """
    with readable_event(request) as change:
        event = change.event
        player = own_or_organised_entry(change, entry) if entry else own_entry(change)
        if player is None:
            raise NotAllowed(
                "You are not a player of this event. Join it, then hand in a list."
            )
        round_row = _find_list_round(event, number)
        locks = load_locks(player.pk)
        lock = next((row for row in locks if row.round_id == round_row.pk), None)
        runs = access.may_organise(request.actor, event)
        if refusal := list_refusal(event, player, round_row, lock, runs=runs):
            raise refusal
        record = _load_brought(change, player, warband, runs=runs)
        allowed = allowed_by_entry(event.pk).get(player.pk, [])
        previous = list_before(locks, round_row.number) if event.has_core else None
        terms = load_terms(event, round_row)
        checked = check_list(record.roster, terms, allowed, previous)
        snapshot = keep_snapshot(
            to_document(checked.roster),
            checked.sheet,
            warband_id=record.id,
            version=record.version,
        )
        if not round_row.pk:
            round_row = plan_first_round(change)
        lock = lock or ListLock(round=round_row, entry=player)
        replaced = lock.snapshot_id
        # Equal lists share a snapshot, so the same list handed in again is no new version.
        if replaced not in (None, snapshot.pk):
            lock.version += 1
        lock.snapshot = snapshot
        lock.points = checked.sheet.points
        lock.errors = checked.sheet.errors
        lock.warnings = checked.sheet.warnings
        lock.findings = findings_to_json(checked.findings)
        lock.handed_in_at = timezone.now()
        lock.check_state, lock.check_reason = ListCheck.NONE, ""
        lock.save()
        if replaced != snapshot.pk:
            article = "another" if replaced else "a"
            sentence = f"{player.name} handed in {article} list for {round_row}."
            change.log("hand_in", sentence, subject=player.token)
        return lock


def _find_list_round(event: ClubEvent, number: int | None) -> Round:
    """The round whose lists hold in a round, as `choose_round` has it; raises NotFound."""
    rounds = Round.objects.filter(event=event).order_by("number")
    row = choose_round(event, [*rounds], number)
    row.event = event
    return row


def _load_brought(
    change: LockedEvent, player: Entry, warband: str, *, runs: bool
) -> WarbandRecord:
    """The warband to hand in: the player's own, or for an organiser any they may open."""
    event = change.event
    record = load_warband(change.actor, warband) if warband else None
    if record is None:
        raise Refusal(
            "There is no such warband, or it is not shared with you.", field="warband"
        )
    if player.user_id is not None and record.owner_id != player.user_id:
        whose = f"{player.name}’s own warbands" if runs else "your own warbands"
        raise Refusal(f"Choose one of {whose}.", field="warband")
    check_not_archived(record)
    check_brought(event, record)
    kind = event.get_kind_display().lower()
    system = registry.system_of(event)
    check_system(system, record.roster, record.display_name, "warband", kind)
    return record


def unlock_list(
    request: ChangeRequest, number: int, entry: str, *, is_unlocked: bool = True
) -> None:
    """Let one player hand in another list although the deadline is over, or lock it again.

    By organisers.

    Raises Refusal for a round that is closed, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        event = change.event
        round_row = find_round(event, list_number(event, number))
        player = find_entry(event, entry)
        if round_row.status == RoundStatus.CLOSED and not event.has_one_list:
            raise Refusal(f"{round_row} is closed. Reopen it first.", field="round")
        lock, _ = ListLock.objects.get_or_create(round=round_row, entry=player)
        if lock.is_unlocked == is_unlocked:
            return
        update_row(lock, is_unlocked=is_unlocked)
        verb = "Unlocked" if is_unlocked else "Locked"
        sentence = f"{verb} the list of {player.name} for {round_row}."
        change.log("unlock_list", sentence, subject=player.token)


def mark_list(
    request: ChangeRequest,
    number: int | None,
    entry: str,
    check: str,
    check_reason: str = "",
) -> None:
    """Note that a list is checked, or send it back with a sentence for its player; by organisers.

    Another list handed in is not checked again. Raises Refusal naming the field, WrongState for a
    round that is closed, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        event = change.event
        check_running(event)
        round_row, player = _find_list_round(event, number), find_entry(event, entry)
        if round_row.status == RoundStatus.CLOSED and not event.has_one_list:
            raise WrongState(f"{round_row} is closed. Reopen it first.")
        if check not in ListCheck.values:
            names = ", ".join(ListCheck.values)
            raise Refusal(f"{shown(check)} is none of {names}.", field="check")
        sentence = clean_text("check_reason", " ".join(check_reason.split()), REASON_MAX)
        if sentence and check != ListCheck.SENT_BACK:
            raise Refusal(
                "Only a list that is sent back has a reason.", field="check_reason"
            )
        if check == ListCheck.SENT_BACK and not sentence:
            raise Refusal(
                "Say in one sentence what to change. The player reads it.",
                field="check_reason",
            )
        lists = ListLock.objects.filter(round=round_row.pk, entry=player)
        lock = lists.filter(snapshot__isnull=False).first()
        if lock is None:
            raise Refusal(f"{player.name} has not handed in a list.", field="entry")
        if (lock.check_state, lock.check_reason) == (check, sentence):
            return
        changes = {"check": [lock.check_state, check]}
        update_row(lock, check_state=check, check_reason=sentence)
        words = f"List of {player.name} for {round_row}: {ListCheck(check).label.lower()}."
        change.log("check_list", words, subject=player.token, changes=changes)
        if check == ListCheck.SENT_BACK:
            head = f"{event.name}, {round_row}: an organiser sent your list back."
            path = reverse("list-hand-in", args=[event.token, round_row.number])
            message = f"{head} {as_sentence(sentence)}"
            tell(change, [player.user_id], "list_sent_back", message, path)


def remind_missing(request: ChangeRequest, number: int | None = None) -> int:
    """Remind those who have handed in no list for a round, or got it back; by organisers.

    Returns how many have an account to be reminded by. Raises WrongState within an hour of the
    last time and where nobody is to be reminded, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        event = change.event
        check_running(event)
        round_row = _find_list_round(event, number)
        sent = EventLog.objects.filter(event=event, verb="remind_lists")
        last = sent.filter(at__gt=timezone.now() - REMIND_EVERY).first()
        if last is not None:
            again = timezone.localtime(last.at + REMIND_EVERY)
            raise WrongState(f"Players were just reminded. You can again at {again:%H:%M}.")
        missing = entries_without_list(event, round_row)
        count = send_list_notices(round_row, missing, timezone.now())
        if not count:
            raise WrongState("Nobody with an account has still to hand in a list.")
        players = quantity(count, "player")
        change.log("remind_lists", f"Reminded {players} of lists for {round_row}.")
        return count


def check_lists_in(event: ClubEvent, row: Round) -> None:
    """Raise WrongState naming who has still to hand in a list that holds in a round."""
    first = _find_list_round(event, row.number)
    missing = entries_without_list(event, first).order_by("name", "pk")
    if names := ", ".join(missing.values_list("name", flat=True)):
        raise WrongState(f"No list, or one sent back: {names}.")


def show_lists(
    request: ChangeRequest,
    number: int,
    *,
    is_shown: bool = True,
    asks_for_lists: bool = False,
) -> None:
    """Show the lists of a round to everybody who may read the event, which locks them; or hide them
    again from all but their owners and organisers.

    Raises Refusal where nobody has handed one in, with ``asks_for_lists`` WrongState where anybody
    has not; NotFound, NotAllowed, Stale.
    """
    with organised_event(request, f"lists {number}") as change:
        event = change.event
        row = find_round(event, list_number(event, number))
        if is_shown == (row.lists_published_at is not None):
            return
        if is_shown and not row.lists.filter(snapshot__isnull=False).exists():
            raise Refusal(f"No lists for {row} yet.", field="round")
        if is_shown and asks_for_lists and event.needs_list:
            check_lists_in(event, row)
        # Where one list is for the event, it is shown in every round.
        rounds = (
            event.rounds.all() if event.has_one_list else event.rounds.filter(pk=row.pk)
        )
        rounds.update(lists_published_at=timezone.now() if is_shown else None)
        if is_shown:
            change.write("publish_lists", f"Revealed the lists of {row}.")
        else:
            change.write("withdraw_lists", f"Made the lists of {row} secret again.")


# Lists that are in, checked again


@frozen_dataclass
class _SubmittedList:
    """A list that is in: its row, what is frozen of it, and what holds for it now."""

    lock: ListLock
    snapshot: Snapshot
    sheet: RosterSheet
    agreed: AgreedTerms
    allowed: Sequence[Allowance]

    def store(self, document: NamedValues, sheet: RosterSheet, **columns: object) -> None:
        """Freeze the list anew, as the next version of its row."""
        snapshot = keep_snapshot(
            document,
            sheet,
            warband_id=self.snapshot.warband_id,
            version=self.snapshot.version,
        )
        ListLock.objects.filter(pk=self.lock.pk).update(
            snapshot=snapshot,
            **named_values(sheet, "points", "errors", "warnings"),
            version=F("version") + 1,
            **columns,
        )


def recheck_lists(event: ClubEvent, *, entry: Entry | None = None) -> None:
    """Judge the lists of the rounds that are not closed again, or those of one entry.

    Called by whatever changes the event's levels or an entry's waivers, within its lock. What was
    brought stays, and no roster is read; `reread_lists` does that.
    """
    for submitted in _submitted_lists(event, {} if entry is None else {"entry": entry}):
        stored = findings_from_json(submitted.lock.findings)
        findings = submitted.agreed.judge(stored, submitted.allowed)
        # What reads the same needs no other snapshot. A list keeps its findings without fixes.
        current = (replace(finding, fixes=()) for finding in submitted.sheet.findings)
        if findings != tuple(current):
            sheet = with_findings(submitted.sheet, findings)
            submitted.store(submitted.snapshot.document, sheet)


def reread_lists(
    event: ClubEvent,
    *,
    ended_rules: Collection[str] = (),
    is_limit_gone: bool = False,
    **only: Round,
) -> None:
    """Check the lists of the rounds that are not closed anew, or those of one ``round``.

    Called by whatever changes what event or round agree on, within the event's lock. What was
    brought stays, at the prices it was brought at. It keeps no trace of what its roster said before
    a limit and house rules that were agreed on and are no more.
    """
    for submitted in _submitted_lists(event, only):
        # What cannot be read any more keeps what was found in it.
        with suppress(Refusal, registry.UnknownKey):
            roster = parse_stored(submitted.snapshot.document)
            # Until a round is published an event may turn to another system.
            if not is_of_system(roster, event):
                continue
            # Each entry keeps the id and the price that the sheet has of it.
            units = {unit.index: unit for unit in submitted.sheet.warriors}
            roster = replace(
                roster,
                points_limit=None if is_limit_gone else roster.points_limit,
                house_rules={
                    key: is_on
                    for key, is_on in roster.house_rules.items()
                    if key not in ended_rules
                },
                warriors=tuple(
                    replace(entry, id=units[place].id, kept=units[place].points_each)
                    for place, entry in enumerate(roster.warriors)
                ),
            )
            checked = check_list(roster, submitted.agreed, submitted.allowed)
            # Who of the last list is missing does not depend on what is agreed.
            stored = findings_from_json(submitted.lock.findings)
            core = (finding for finding in stored if finding.code == CORE.code)
            findings = (*checked.findings, *core)
            judgement = submitted.agreed.judge(findings, submitted.allowed)
            sheet = with_findings(checked.sheet, judgement)
            document = to_document(checked.roster)
            if sheet != submitted.sheet or document != submitted.snapshot.document:
                submitted.store(document, sheet, findings=findings_to_json(findings))


def _submitted_lists(
    event: ClubEvent, only: Mapping[str, Entry | Round]
) -> Iterator[_SubmittedList]:
    """The lists of the rounds that are not closed, as far as their sheets can be read.

    Two queries, and one for each round whose only scenario is a person's own.
    """
    rows = ListLock.objects.filter(round__event=event, snapshot__isnull=False, **only)
    rows = rows.exclude(round__status=RoundStatus.CLOSED)
    allowed = allowed_by_entry(event.pk)
    agreed: dict[int, AgreedTerms] = {}
    for lock in rows.select_related("snapshot", "round"):
        snapshot = lock.snapshot
        sheet = load_locked_sheet(snapshot.sheet) if snapshot else None
        if snapshot is None or sheet is None:
            continue
        # What a round agrees on is worked out once, not for each list.
        if lock.round_id not in agreed:
            agreed[lock.round_id] = load_terms(event, lock.round)
        waivers = allowed.get(lock.entry_id, ())
        yield _SubmittedList(lock, snapshot, sheet, agreed[lock.round_id], waivers)


# Waivers


def waive(request: ChangeRequest, entry: str, code: str) -> None:
    """Let one guideline pass for an entry, in every round that is not closed.

    Raises Refusal for a rule of the army lists themselves, for one waived already and without a
    reason; NotFound, NotAllowed, Stale.
    """
    with organised_event(request) as change:
        player = find_entry(change.event, entry)
        title = _waivable_title(change.event, code)
        change = change.with_reason(
            "Reason: give a reason. The roster sheet prints it, and all players can read it."
        )
        waivers = Waiver.objects.filter(entry=player, code=code)
        if waivers.filter(revoked_at__isnull=True).exists():
            raise Refusal(f"“{title}” is already waived for {player.name}.", field="code")
        reason, author = change.request.reason, request.actor.user_id
        waivers.create(entry=player, code=code, reason=reason, author_id=author)
        recheck_lists(change.event, entry=player)
        change.write("waive", f"Waived “{title}” for {player.name}.", subject=player.token)


def revoke_waiver(request: ChangeRequest, entry: str, code: str) -> None:
    """Take a waiver back; it stays to be read.

    Raises Refusal where none holds, NotFound, NotAllowed, Stale.
    """
    with organised_event(request) as change:
        player = find_entry(change.event, entry)
        title = _waivable_title(change.event, code)
        waivers = Waiver.objects.filter(entry=player, code=code, revoked_at__isnull=True)
        if not waivers.update(revoked_at=timezone.now()):
            raise Refusal(f"“{title}” is not waived for {player.name}.", field="code")
        recheck_lists(change.event, entry=player)
        sentence = f"Withdrew the waiver of “{title}” for {player.name}."
        change.write("revoke_waiver", sentence, subject=player.token)


def _waivable_title(event: ClubEvent, code: str) -> str:
    """Return the title of the guideline of this code; raises Refusal if it is not one to waive."""
    system = registry.system_of(event)
    titles = {row.code: row.title for row in guidelines_of(system)}
    if code not in titles:
        raise Refusal(f"{system.full_name} has no guideline {shown(code)}.", field="code")
    if not any(row.is_waivable for row in guidelines_of(system) if row.code == code):
        sentence = f"“{titles[code]}” is a rule of the army lists and cannot be waived."
        raise Refusal(sentence, field="code")
    return titles[code]
