"""How every change is made: a request key read, lock, load, let a function work on the
roster, check, write, log.
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import wraps
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import owned_by
from accounts.errors import KeyReused, NotFound, Refusal, Stale, WrongState
from accounts.owner import Owner
from accounts.tokens import is_token
from engine.hired import with_hired
from engine.records import Fields, NamedValues, Texts, frozen_dataclass, named_values
from engine.roster import Roster, RosterEntry
from engine.text import text_fault
from engine.types.lists import Army, Profile
from engine.types.systems import System
from rulesdata import registry
from rulesdata.queries.scenarios import load_carried_scenario
from warbands.checks import CheckedRoster, check_roster
from warbands.exchange.document import to_document
from warbands.models import KEY_MAX, RequestKey, Warband, WarbandEvent, name_key
from warbands.operations.rows import (
    ROWS_PER_JSON,
    PaidPrices,
    charge,
    check_size,
    make_snapshot,
    write_rows,
)
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import (
    WarriorRows,
    build_record,
    build_roster,
    check_new_roster,
    load_acknowledged,
    load_rows,
    with_acknowledged,
)
from warbands.roster_fields import growth_json

# Request keys: the same request sent twice has one effect and gets the same answer.
#
# Kept for seven days.

KEPT = timedelta(days=7)


def fingerprint(*parts: Any) -> str:
    """What tells one request from another: a hash of everything it asks for."""
    # Sorted, for two clients may send the same keys in another order.
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stored_answer(actor: Owner, key: str, printed: str) -> Fields | None:
    """The answer this key got before, or None.

    Raises KeyReused when it was used for something else.
    """
    if not key:
        return None
    if fault := text_fault(key, KEY_MAX):
        raise Refusal(f"The request key {fault}.", field="key")
    # A key is the sender's own: another person may use the same one.
    row = RequestKey.objects.filter(scope=_scope(actor), key=key).first()
    if row is None:
        return None
    if row.fingerprint != printed:
        raise KeyReused
    return dict(row.answer)


def store_answer(actor: Owner, key: str, printed: str, answer: Fields) -> None:
    """Keep an answer for the next time the same request comes."""
    if key:
        RequestKey.objects.create(
            scope=_scope(actor), key=key, fingerprint=printed, answer=answer
        )


def answer_once(
    actor: Owner, key: str, printed: str, make: Callable[[], Fields]
) -> tuple[Fields, bool]:
    """Carry out a request in a transaction and return its answer, and whether it was a repeat.

    A request that came before gets the answer it got then. Raises KeyReused, and what ``make``
    raises.
    """
    try:
        with transaction.atomic():
            if (previous := stored_answer(actor, key, printed)) is not None:
                return previous, True
            answer = make()
            store_answer(actor, key, printed, answer)
            return answer, False
    except IntegrityError:
        # The same request came twice at once and the other one was first.
        if (previous := stored_answer(actor, key, printed)) is None:
            raise
        return previous, True


def delete_old_keys(now: datetime) -> int:
    """Delete the keys that are older than seven days; returns how many."""
    return RequestKey.objects.filter(at__lt=now - KEPT).delete()[0]


def _scope(actor: Owner) -> str:
    return f"user:{actor.user_id}" if actor.is_person else f"key:{actor.key}"


# How every change is made: lock, load, let a function work on the roster, write the
# difference, recompute, one event.
#
# An operation gives `apply_change` a function from the locked warband to a `WriteResult`.
# Nothing else writes a roster's rows.

SUMMARY_MAX = 400
IN_CAMPAIGN = (
    "This warband belongs to a campaign, which alone changes its units. Change a copy."
)
ARCHIVED, GROWN = "archived", "grown"
"""Warbands that few changes are for: those in the archive, and those of a campaign."""


class Unset(Enum):
    """Stands for a field that stays as it is."""

    KEEP = "keep"

    def __str__(self) -> str:
        # Fingerprints of requests are stored for a week and hold these words.
        return "Keep.KEEP"


UNSET: Final = Unset.KEEP
UNCHANGED = "KEEP"
"""Stands for such a field in the stored fingerprints of changes to warbands and warriors."""


@frozen_dataclass
class ChangeResult:
    """What an operation did.

    ``changed`` is False when there was nothing to do; ``record`` is None on a repeat.
    """

    token: str
    version: int
    verb: str
    summary: str
    warrior_id: int | None = None
    is_repeat: bool = False
    changed: bool = True
    record: WarbandRecord | None = field(default=None, repr=False, compare=False)


@frozen_dataclass
class WriteContext:
    """Who asks for a change, of which warband, seen at which version, under which request key.

    ``token`` is empty for a warband that is to be made. None as ``version`` changes whatever is
    there; without a ``key`` a repeated request is carried out again. ``address`` is a
    visitor's, "" for people with an account and the site's own commands.
    """

    actor: Owner
    token: str = ""
    version: int | None = None
    key: str = ""
    address: str = ""


@frozen_dataclass
class LockedWarband:
    """A locked warband as it is now."""

    actor: Owner
    warband: Warband
    roster: Roster
    rows: WarriorRows
    system: System
    army: Army
    address: str = ""

    def place(self, warrior_id: int) -> int:
        """Where a warrior stands, from 0; raises NotFound."""
        for index, entry in enumerate(self.roster.warriors):
            if entry.id == warrior_id:
                return index
        raise NotFound("warrior")

    def profile(self, entry: RosterEntry) -> Profile | None:
        return self.army.profiles.get(entry.profile)


@frozen_dataclass
class WriteResult:
    """What a change comes to: the roster after it, the words for it, the place of the warrior it is
    about.

    ``fields`` are columns of the warband outside the roster; ``paid`` is what restored warriors had
    paid; ``is_beside``: something was written beside the warband's own rows. One that
    ``buys_nothing`` leaves old prices to entries that are parts of others.
    """

    roster: Roster
    summary: str
    warrior: int | None = None
    fields: NamedValues = field(default_factory=dict)
    paid: Mapping[int, PaidPrices] = field(default_factory=dict)
    undoes: WarbandEvent | None = None
    is_beside: bool = False
    buys_nothing: bool = False


Operation = Callable[..., ChangeResult]
"""What takes a `WriteContext` and what is asked for."""

# What is stored of a result under the request's key.
_ANSWER = ("token", "version", "verb", "summary", "warrior_id", "changed")


def apply_change(
    context: WriteContext,
    verb: str,
    arguments: tuple[Any, ...],
    work: Callable[[LockedWarband], WriteResult],
    *,
    also: Texts = (),
) -> ChangeResult:
    """Carry out one change in one transaction.

    ``arguments`` are all that the request asks for, ``also`` which warbands it changes besides
    those that are built: `ARCHIVED`, `GROWN`. Raises NotFound, Stale, Refusal, KeyReused, and
    WrongState for one of a campaign. A change that comes to nothing writes nothing.
    """
    # Fingerprints are stored for a week: whatever goes into one may not change its form.
    printed = fingerprint(verb, context.token, context.version, arguments)
    with transaction.atomic():
        warband = lock_warband(context.actor, context.token, may_be_grown=GROWN in also)
        # Before the version: a request that is sent twice saw the version before its own change.
        answer = stored_answer(context.actor, context.key, printed)
        if answer is not None:
            return ChangeResult(**answer, is_repeat=True)
        if context.version is not None and context.version != warband.version:
            raise Stale("warband", warband.version, context.version)
        if warband.archived_at and ARCHIVED not in also:
            raise Refusal("This warband is archived. Restore it to change it.")
        locked = open_locked_warband(context.actor, warband)
        draft = replace(locked, address=context.address)
        result = write_result(draft, work(draft), verb)
        answer = named_values(result, *_ANSWER)
        store_answer(context.actor, context.key, printed, answer)
    return result


def warband_operation(change: Callable[..., WriteResult]) -> Operation:
    """Make an operation out of what it does to the locked warband; its verb is the name of
    ``change``.
    """
    signature = inspect.signature(change)

    @wraps(change)
    def operation(context: WriteContext, /, *args: Any, **kwargs: Any) -> ChangeResult:
        bound = signature.bind(None, *args, **kwargs)
        # What is left at its default is asked for too: it counts in the request's fingerprint.
        bound.apply_defaults()
        arguments = (*bound.args[1:], *bound.kwargs.values())

        return apply_change(
            context,
            change.__name__,
            arguments,
            lambda draft: change(draft, *args, **kwargs),
        )

    return operation


def apply_creation(
    context: WriteContext,
    verb: str,
    arguments: tuple[Any, ...],
    make: Callable[[], WriteResult],
) -> ChangeResult:
    """Store the warband that ``make`` returns, once for each request key."""
    printed = fingerprint(verb, context.token, context.version, arguments)
    results: list[ChangeResult] = []

    def insert() -> Fields:
        results.append(insert_warband(context.actor, make(), verb, context.address))
        return named_values(results[0], *_ANSWER)

    answer, is_repeat = answer_once(context.actor, context.key, printed, insert)
    return ChangeResult(**answer, is_repeat=True) if is_repeat else results[0]


def lock_warband(actor: Owner, token: str, *, may_be_grown: bool = False) -> Warband:
    """The row, locked until the transaction ends; raises NotFound where the actor may not change
    it, and WrongState where a campaign alone does, unless it ``may_be_grown``.
    """
    rows = Warband.objects.select_for_update(of=("self",)).select_related("owner", "club")
    wanted = rows.filter(owned_by(actor), token=token).order_by()
    warband = next(iter(wanted), None) if is_token(token) else None
    if warband is None:
        raise NotFound("warband")
    if warband.is_grown and not may_be_grown:
        raise WrongState(IN_CAMPAIGN)
    return warband


def open_locked_warband(actor: Owner, warband: Warband) -> LockedWarband:
    """The warband's rows read into a roster.

    Raises Refusal where no pack knows its army any more.
    """
    rows = load_rows(warband.pk)
    try:
        system = registry.system_of(warband)
        army = registry.fielded_army(system, warband.army)
    except registry.UnknownKey as error:
        raise Refusal(str(error), field="army") from None
    roster = build_roster(warband, rows)
    army = with_hired(army, roster.growth)
    return LockedWarband(actor, warband, roster, rows, system, army)


def write_result(draft: LockedWarband, outcome: WriteResult, verb: str) -> ChangeResult:
    """Write the difference between the draft and the outcome, the totals and the event."""
    warband, undone, roster = draft.warband, outcome.undoes, outcome.roster
    if not (undone or outcome.buys_nothing):
        roster = without_old_prices(draft.roster, roster)
    # What comes to nothing makes no version, so that nobody else's page is outdated by it.
    is_same = roster == draft.roster
    if is_same and not (outcome.fields or outcome.is_beside):
        scenario = load_carried_scenario(roster.system, roster.scenario)
        record = build_record(draft.actor, warband, roster, scenario)
        return replace(_result(outcome, verb, record), changed=False)
    check_size(roster)
    checked = _check(draft, roster)
    event = _event(draft.actor, verb, outcome.summary)
    event.back = undone.back if undone else warband.undo_head
    if not is_same:
        event.before = make_snapshot(draft.roster, draft.rows)
        roster = write_rows(
            warband.pk, draft.rows, roster, checked.selections, outcome.paid
        )
    # An undo takes back this version, unless it leaves the roster as it was.
    head = warband.undo_head if event.before is None else warband.version + 1
    columns = {**_header(roster), **_totals(checked), **outcome.fields}
    columns["undo_head"] = event.back if undone else head
    columns["stored_bytes"] = warband.stored_bytes + charge(draft.address, event.before)
    _update_row(warband, columns)
    event.warband, event.version = warband, warband.version
    event.save()
    record = build_record(draft.actor, warband, roster, checked.scenario)
    return _result(outcome, verb, replace(record, findings=checked.findings))


def _check(draft: LockedWarband, roster: Roster) -> CheckedRoster:
    """Price and check what a locked warband is to be."""
    scenario = load_carried_scenario(roster.system, roster.scenario)
    checked = check_roster(roster, draft.system, draft.army, scenario)
    return with_acknowledged(checked, load_acknowledged(draft.warband.pk, roster))


def _update_row(warband: Warband, columns: NamedValues) -> None:
    """Write what differs, as the next version.

    Raises Stale where somebody else wrote it meanwhile.
    """
    values = {**columns, "version": warband.version + 1, "updated_at": timezone.now()}
    # Only the columns that differ: a change of one warrior seldom touches the header.
    values = {
        name: value for name, value in values.items() if getattr(warband, name) != value
    }
    # The version once more: not every database locks a row for the reader that asks for it.
    if not Warband.objects.filter(pk=warband.pk, version=warband.version).update(**values):
        raise Stale("warband", warband.version + 1, warband.version)
    for name, value in values.items():
        setattr(warband, name, value)


def without_old_prices(before: Roster, after: Roster) -> Roster:
    """The roster, with today's price for every entry that is new, bought more of, or buys other
    things than before.
    """
    previous = {entry.id: entry for entry in before.warriors if entry.id is not None}

    def renew(entry: RosterEntry) -> RosterEntry:
        old = previous.get(entry.id or 0)
        if (
            old
            and (old.profile, old.options) == (entry.profile, entry.options)
            and entry.count <= old.count
        ):
            return entry
        return entry if entry.kept is None else replace(entry, kept=None)

    return replace(after, warriors=tuple(map(renew, after.warriors)))


def insert_warband(
    actor: Owner, made: WriteResult, verb: str, address: str = ""
) -> ChangeResult:
    """A new warband with this roster, its owner, totals and first event.

    Call it within a transaction. Raises ShareUsed, NoRoom for a visitor.
    """
    if actor.is_nobody:
        raise Refusal(
            "We cannot save this warband. Sign in, or allow cookies for this site."
        )
    roster = made.roster
    check_size(roster)
    size = charge(address, to_document(roster), ROWS_PER_JSON)
    checked = check_new_roster(roster)
    warband = Warband.objects.create(
        system=roster.system,
        army=roster.army,
        owner_id=actor.user_id,
        owner_key=actor.key,
        stored_bytes=size,
        **_header(roster),
        **_totals(checked),
        **made.fields,
    )
    # A warband that was just made has no rows to compare with.
    no_rows = WarriorRows(None, [], {})
    roster = write_rows(warband.pk, no_rows, roster, checked.selections, {})
    event = _event(actor, verb, made.summary)
    event.warband, event.version = warband, warband.version
    event.save()
    record = build_record(actor, warband, roster, checked.scenario)
    return _result(made, verb, replace(record, findings=checked.findings))


def _event(actor: Owner, verb: str, summary: str) -> WarbandEvent:
    """An event that is not stored yet."""
    return WarbandEvent(
        verb=verb,
        summary=summary[:SUMMARY_MAX],
        actor_id=actor.user_id,
        actor_key=actor.key,
    )


def _header(roster: Roster) -> Fields:
    return {
        **named_values(roster, "name", "points_limit", "note"),
        "name_key": name_key(roster.name),
        "variant": roster.variant or "",
        "scenario": roster.scenario or "",
        "house_rules": dict(roster.house_rules),
        "rulings": dict(roster.rulings),
        "tags": list(roster.tags),
        "growth": growth_json(roster.growth),
    }


def _totals(checked: CheckedRoster) -> dict[str, int]:
    """What the engine says of the whole roster; never a sum carried on."""
    levels = [finding.level for finding in checked.findings]
    return {
        "points": checked.points,
        "miniatures": checked.models,
        "errors": levels.count("error"),
        "warnings": levels.count("warning"),
        "notes": levels.count("note"),
    }


def count_totals(draft: LockedWarband) -> dict[str, int]:
    """What a warband's stored totals should say."""
    return _totals(_check(draft, draft.roster))


def _result(outcome: WriteResult, verb: str, record: WarbandRecord) -> ChangeResult:
    place = outcome.warrior
    return ChangeResult(
        token=record.token,
        version=record.version,
        verb=verb,
        summary=outcome.summary[:SUMMARY_MAX],
        warrior_id=None if place is None else record.roster.warriors[place].id,
        record=record,
    )
