"""Lists of rounds: handed in, asked about, changed from round to round; and the waivers
that lower what is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.errors import NotFound, Refusal
from accounts.owner import Owner
from accounts.tokens import is_token
from battles.models import Snapshot
from battles.queries.battles import load_locked_sheet
from campaigns import access
from campaigns.list_checks import (
    CheckedList,
    check_list,
    findings_from_json,
    is_of_system,
    list_refusal,
    load_terms,
)
from campaigns.models import (
    Entry,
    EntryStatus,
    ListCheck,
    ListLock,
    Round,
    RoundStatus,
    Waiver,
)
from campaigns.models.rounds import list_deadline, list_number, round_limit
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.findings.case import Finding
from engine.findings.checks import Allowance, guidelines_of
from engine.records import Texts, frozen_dataclass, grouped
from warbands.queries.lists import army_name, currency_of
from warbands.queries.records import NO_NAME
from warbands.queries.warbands import load_warband
from warbands.sheet.difference import difference
from warbands.sheet.structure import RosterSheet

# Waivers of an entry: which hold, what they lower, and what others could.


def allowed_by_entry(event_id: int) -> Mapping[int, list[Allowance]]:
    """The waivers that hold, by entry. One query."""
    rows = Waiver.objects.filter(entry__event=event_id, revoked_at__isnull=True)
    return grouped(
        (row.entry_id, Allowance(row.code, row.by, row.reason))
        for row in rows.select_related("author").order_by("pk")
    )


def load_waivers(event: ClubEventRecord, entry: EntryRecord) -> tuple[Any, ...]:
    """Every waiver of an entry with its guideline's title, those taken back among them, the latest
    first. One query.
    """
    titles = {rule.code: rule.title for rule in guidelines_of(event.load_system())}
    rows = Waiver.objects.filter(entry=entry.id).select_related("author").order_by("-pk")
    waivers: tuple[Any, ...] = tuple(rows)
    for row in waivers:
        row.title = titles.get(row.code, row.code)
    return waivers


def load_effects(
    event: ClubEventRecord, entry: EntryRecord
) -> tuple[tuple[str, Finding], ...]:
    """What a waiver would lower in the lists of rounds that are not closed, or does: the name of
    the round and the finding, at the level it has without a waiver. One query.
    """
    # A closed round keeps the findings it was played with.
    rows = ListLock.objects.filter(entry=entry.id, snapshot__isnull=False).exclude(
        round__status=RoundStatus.CLOSED
    )
    # A note speaks against no list, so there is nothing to waive.
    return tuple(
        (str(lock.round), finding)
        for lock in rows.select_related("round").order_by("round__number")
        for finding in load_terms(event, lock.round).judge(
            findings_from_json(lock.findings)
        )
        if finding.is_waivable and not finding.waived_by and finding.level != "note"
    )


# Lists of rounds: handed in, asked about, changed from round to round.


def load_locks(entry_id: int) -> list[ListLock]:
    """The lists of an entry, the first round first, those only unlocked among them. One query."""
    rows = ListLock.objects.filter(entry=entry_id).select_related("snapshot", "round")
    return list(rows.order_by("round__number"))


def list_before(locks: Sequence[ListLock], number: int) -> RosterSheet | None:
    """The last list handed in before a round, or None."""
    # A lock without a snapshot only says that somebody was unlocked.
    previous = [
        lock.snapshot for lock in locks if lock.snapshot and lock.round.number < number
    ]
    return load_locked_sheet(previous[-1].sheet) if previous else None


def entries_without_list(event: Any, row: Round) -> QuerySet[Entry]:
    """Who plays in a round and has handed in no list for it, or got it back."""
    handed_in = ListLock.objects.filter(
        round=row.pk, entry=OuterRef("pk"), snapshot__isnull=False
    ).exclude(check_state=ListCheck.SENT_BACK)
    rows = Entry.objects.filter(
        ~Exists(handed_in), event=event.id, status=EntryStatus.ACTIVE
    )
    return rows if event.has_one_list else rows.filter(joined__lte=row.number)


LIST_FILTERS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "": ("All", lambda line: True),
    "issues": ("With issues", lambda line: bool(line.errors or line.warnings)),
    "unchecked": (
        "Not checked",
        lambda line: line.has_list and line.check_state == ListCheck.NONE,
    ),
    "sent_back": ("Sent back", lambda line: line.is_sent_back),
    "missing": ("Missing", lambda line: not line.has_list and not line.is_waiting),
}
"""What organisers may look for among lists: its name, and which lines it shows."""


@frozen_dataclass
class RoundLists:
    """The lists of a round, of everybody who plays, and behind them of those who wait for a place:
    each sees their own, organisers all of them. What is in a list, from its points on, is empty
    where it is none of the reader's business, and so is what organisers made of it.

    ``rounds`` are all, to choose from.
    """

    round: Round
    rounds: Sequence[Round]
    lines: tuple[Any, ...]

    @property
    def players(self) -> list[Any]:
        return [line for line in self.lines if not line.is_waiting]

    @property
    def missing(self) -> Texts:
        """Who plays and has not handed one in."""
        return tuple(line.entry.name for line in self.players if not line.has_list)

    @property
    def checked(self) -> int:
        return sum(line.is_checked for line in self.players)

    @property
    def handed_in(self) -> int:
        return sum(line.has_list for line in self.players)

    @property
    def mine(self) -> Any:
        return next((line for line in self.lines if line.is_mine), None)


@frozen_dataclass
class HandInPage:
    """One entry's ``current`` list of a round, and what another warband would be as a list.

    ``refusal`` says why that one could not be handed in; ``closed`` why none can be any more.
    """

    round: Round
    lock: ListLock
    current: RosterSheet | None
    checked: CheckedList | None = None
    refusal: str = ""
    closed: str = ""


def load_lists(
    actor: Owner, event: ClubEventRecord, number: int | None = None
) -> RoundLists:
    """The lists of a round, of the first that is not closed where none is named. Raises NotFound.

    Before any round is added they are those of the first. Four queries.

    One more where the round's only scenario is a person's own.
    """
    rounds = list(Round.objects.filter(event_id=event.id).order_by("number"))
    row = choose_round(event, rounds, number)
    agreed = load_terms(event, row)
    entries = Entry.objects.filter(event_id=event.id).exclude(status=EntryStatus.DROPPED)
    if not event.has_one_list:
        # Who joins later has no list for an earlier round.
        entries = entries.filter(joined__lte=row.number)
    # Without the sheets, which are long: the document names the warband and its army.
    rows = ListLock.objects.filter(round=row).select_related("snapshot")
    locks = {lock.entry_id: lock for lock in rows.defer("snapshot__sheet")}
    allowed = allowed_by_entry(event.id)
    lines: list[Any] = []
    for entry in entries.order_by("name", "pk"):
        is_mine = access.plays_as(actor, entry)
        may_see_all = is_mine or event.may_organise
        is_waiting = entry.status == EntryStatus.WAITING
        if is_waiting and not may_see_all:
            continue
        line: Any = locks.get(entry.pk, ListLock())
        line.entry, line.is_mine, line.is_waiting = entry, is_mine, is_waiting
        line.is_open = line.has_list and _may_see_list(event, row, is_mine=is_mine)
        if not may_see_all:
            line.check_state, line.check_reason = ListCheck.NONE, ""
        _show_content(line, event.system)
        line.findings = agreed.judge(line.findings, allowed.get(entry.pk, ()))
        lines.append(line)
    lines.sort(key=lambda line: line.is_waiting)
    return RoundLists(_with_terms(event, row), rounds, tuple(lines))


def _show_content(line: Any, system: str) -> None:
    """Name what is in a list, or blank it where the reader may not open it."""
    if not line.is_open:
        line.points = line.errors = line.warnings = 0
        line.warband_name = line.army_name = line.unit = ""
        line.findings = ()
        line.handed_in_at = line.handed_in_at if line.has_list else None
        return
    document = line.snapshot.document
    army = document.get("army", "")
    line.warband_name = document.get("name") or NO_NAME
    line.army_name = army_name(system, army)
    line.unit = currency_of(system, army).name
    line.findings = findings_from_json(line.findings)


def choose_round(event: Any, rounds: Sequence[Round], number: int | None) -> Round:
    """Return the round a list is for: the first with one list, else ``number``.

    Without a number it is the first not closed, else the last. Before any round is added it is the
    first, with no row yet and 0 for its id. Raises NotFound.
    """
    if not rounds and (event.has_one_list or number in (None, 1)):
        return Round(pk=0, event_id=event.id, number=1)
    if event.has_one_list:
        return rounds[0]
    if number is not None:
        for row in rounds:
            if row.number == number:
                return row
        raise NotFound("round")
    # Usually only one round is under way; lists of later ones are handed in ahead.
    return next((row for row in rounds if row.status != RoundStatus.CLOSED), rounds[-1])


def load_hand_in(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord, number: int, warband: str = ""
) -> HandInPage:
    """One entry's list of a round, with the warband asked about as the policy would find it. Raises
    NotFound.

    Eight queries at most, three without a warband. For the entry's own player and organisers.
    """
    rounds = Round.objects.filter(event_id=event.id).order_by("number")
    row = choose_round(event, [*rounds], number)
    locks = load_locks(entry.id)
    lock = next((lock for lock in locks if lock.round_id == row.pk), ListLock())
    current = load_locked_sheet(lock.snapshot.sheet) if lock.snapshot else None
    closed = list_refusal(event, entry, row, lock, runs=event.may_organise)
    page = HandInPage(
        round=_with_terms(event, row),
        lock=lock,
        current=current,
        closed=closed.message if closed else "",
    )
    # What cannot be handed in is not checked either: that costs five queries.
    if page.closed or not warband:
        return page
    try:
        record = load_warband(actor, warband)
        if record is None or record.is_archived or not is_of_system(record.roster, event):
            raise Refusal("Choose a warband from the list.")
        previous = list_before(locks, number) if event.has_core else None
        allowed = allowed_by_entry(event.id).get(entry.id, [])
        checked = check_list(record.roster, load_terms(event, row), allowed, previous)
        return replace(page, checked=checked)
    except Refusal as refusal:
        return replace(page, refusal=refusal.message)


def load_listed_warband(event: ClubEventRecord, entry: EntryRecord, number: int) -> str:
    """The token of the warband handed in for a round, or "". One query."""
    rows = ListLock.objects.filter(entry=entry.id, round__event=event.id)
    locks = rows.filter(round__number=list_number(event, number))
    return locks.values_list("snapshot__warband__token", flat=True).first() or ""


def listed_entries(event: ClubEventRecord, number: int) -> frozenset[int]:
    """The ids of those whose list holds in a round: handed in for it, or for one before. One query."""
    rows = ListLock.objects.filter(
        round__event_id=event.id, round__number__lte=number, snapshot__isnull=False
    )
    return frozenset(rows.order_by().values_list("entry_id", flat=True))


def load_shown_sheet(
    actor: Owner, event: ClubEventRecord, number: int, entry: str
) -> tuple[ListLock, RosterSheet]:
    """A list that the reader may see, with its frozen sheet. One query. Raises NotFound."""
    lock, snapshot = load_shown_list(actor, event, number, entry)
    sheet = load_locked_sheet(snapshot.sheet)
    if sheet is None:
        raise NotFound("list")
    return lock, sheet


def load_shown_list(
    actor: Owner, event: ClubEventRecord, number: int, entry: str
) -> tuple[ListLock, Snapshot]:
    """Return a list that this reader may see, with its snapshot. One query. Raises NotFound."""
    rows = ListLock.objects.filter(
        round__event_id=event.id,
        round__number=list_number(event, number),
        entry__token=entry if is_token(entry) else "",
    )
    lock = rows.select_related("snapshot", "round", "entry").first()
    if lock and lock.snapshot:
        is_mine = access.plays_as(actor, lock.entry)
        if _may_see_list(event, lock.round, is_mine=is_mine):
            return lock, lock.snapshot
    raise NotFound("list")


def _may_see_list(event: ClubEventRecord, row: Round, *, is_mine: bool) -> bool:
    """Whether a list of this round is shown to this reader of the event."""
    is_shown = row.lists_published_at is not None or not event.is_secret
    return is_shown or is_mine or event.may_organise


def _with_terms(event: ClubEventRecord, row: Any) -> Any:
    """A round as its lists know it now: what they are for, until when, and ``takes_lists`` where a
    player may hand one in.
    """
    row.lists_title = "The whole event" if event.has_one_list else row.title
    row.limit = round_limit(row, event)
    row.lists_due_at = due = list_deadline(row, event)
    row.is_due = due is not None and due <= timezone.now()
    is_shut = (row.is_closed and not event.has_one_list) or row.lists_published_at
    row.takes_lists = not (row.is_due or is_shut or event.is_over)
    return row


@frozen_dataclass
class ListOfRound:
    """A list as it was handed in for a round.

    ``changes``: what is different from the one before; None for the first.
    """

    number: int
    round_name: str
    sheet: RosterSheet
    changes: Texts | None


def lists_by_round(event: ClubEventRecord, entry: EntryRecord) -> tuple[ListOfRound, ...]:
    """The lists of an entry that the reader may see, the latest round first. One query."""
    lists: list[ListOfRound] = []
    previous: RosterSheet | None = None
    for lock in load_locks(entry.id):
        sheet = load_locked_sheet(lock.snapshot.sheet) if lock.snapshot else None
        if sheet is None or not _may_see_list(event, lock.round, is_mine=entry.is_mine):
            continue
        # A list the reader may not see is no list to compare with.
        changes = None if previous is None else difference(previous, sheet)
        lists.append(ListOfRound(lock.round.number, str(lock.round), sheet, changes))
        previous = sheet
    return tuple(reversed(lists))
