"""The steps of a result: proposed, confirmed or disputed, corrected, made void, restored.

Each adds an entry. The form after a battle takes a step too, with the events that it stands for.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from accounts.errors import Refusal
from battles import result_rules, results
from battles.access import BattleCall
from battles.after_battle import AfterBattleReport, report_events
from battles.hooks import battle_follower
from battles.intake import (
    BATCH_MAX,
    ResultRows,
    build_result_context,
    load_log,
    rules_of,
)
from battles.models import Battle, BattleStatus, ResultEntry, ResultVerb
from battles.operations.log import (
    check_batch,
    clean_author,
    lock_battle,
    lock_recordable_battle,
    may_record,
    record_events,
    write_battle,
)
from battles.result_rules import NOTHING_SAID, Claim
from battles.results import ResultState, ResultStep
from warbands.operations import transaction as request_keys


def take_step(
    call: BattleCall, verb: str, claim: Claim = NOTHING_SAID, events: Sequence[Any] = ()
) -> Battle:
    """Take one step of the result, as `battles.result_rules.plan` allows it.

    Returns the battle as it is now, also to a request that comes again. ``events`` (to propose and
    to correct) are recorded first, all of them or none, though the battle may be closed. Raises
    Refusal, NotAllowed, NotFound, StaleResult, KeyReused.
    """
    call = replace(call, author=clean_author(call.author))
    check_batch(events)
    # Of the claim as it was sent: a reason cleaned otherwise one day must stay the same request.
    printed = request_keys.fingerprint(
        verb,
        call.token,
        (claim.winner, claim.how, claim.reason, claim.side),
        list(events),
        call.expected,
    )
    claim = result_rules.checked_claim(verb, claim)
    now = timezone.now()
    with transaction.atomic():
        battle_follower().before_step(call.token)
        battle = lock_battle(call)
        # Strangers share the keys of a battle, so only those who may record it get an answer again.
        if call.actor.is_nobody and not may_record(call, battle):
            call = replace(call, request_key="")
        if _was_answered(call, printed):
            return battle
        # Counted before silence is written down: a reader was shown the result with silence heard
        # already.
        call.check_seen(battle)
        # A result whose time is over stands from here on, also for the rules of this step.
        confirm_by_silence(battle, now)
        sides = list(battle.sides.order_by("position"))
        rows = ResultRows(battle, sides, list(battle.results.order_by("number")))
        context = build_result_context(call.actor, call.key, rows, now)
        entry = result_rules.plan(verb, context, claim)
        if events:
            answers = record_events(battle, call, events, is_correction=True)
            for place, answer in enumerate(answers):
                if answer.outcome == "refused":
                    sentence = f"Event {place + 1} was refused: {answer.reason}"
                    raise Refusal(sentence, field=f"events[{place}]")
        keys = [side.key for side in sides]
        entry = result_rules.with_outcome(
            entry, claim, battle.state, rules=rules_of(battle), sides=keys
        )
        _add(battle, context.standing, entry, call.author)
        _store_answer(call, printed)
    return battle


def report_after_battle(
    call: BattleCall, report: AfterBattleReport, reason: str = ""
) -> Battle:
    """Record what the form says and the log does not yet, all of it or nothing.

    A battle that is over then is reported; a result that was reported already is corrected, for a
    ``reason``. Raises NotFound, NotAllowed, Refusal, StaleResult, KeyReused.
    """
    # Fingerprints are stored for a week and hold the names that these classes had first.
    printed_report = (
        repr(report)
        .replace("AfterBattleReport(", "Told(")
        .replace("ReportedCasualty(", "Fate(")
    )
    printed = request_keys.fingerprint(
        "tell_battle", call.token, printed_report, reason, call.expected
    )
    # The whole report has the request key; the step within it must not take it a second time.
    step = replace(call, request_key="")
    with transaction.atomic():
        battle_follower().before_step(call.token)
        battle = lock_recordable_battle(call)
        if _was_answered(call, printed):
            return battle
        call.check_seen(battle)
        cleaned = replace(call, author=clean_author(call.author))
        name = f"{call.token}/{call.request_key or uuid4()}"
        events = report_events(load_log(battle), report, name=name, at=timezone.now())
        # A correction is taken by a closed battle too.
        is_correction = battle.status != BattleStatus.OPEN
        # A whole battle entered at once may be more than a device may send in one batch.
        for start in range(0, len(events), BATCH_MAX):
            batch = events[start : start + BATCH_MAX]
            for answer in record_events(
                battle, cleaned, batch, is_correction=is_correction
            ):
                if answer.outcome == "refused":
                    raise Refusal(answer.reason)
        if is_correction:
            claim = Claim(report.winner, report.how, reason)
            battle = take_step(step, ResultVerb.CORRECT, claim)
        elif battle.state["end"]:
            battle = take_step(step, ResultVerb.PROPOSE)
        _store_answer(call, printed)
    return battle


def _was_answered(call: BattleCall, printed: str) -> bool:
    """Whether this request was carried out before."""
    answer = request_keys.stored_answer(call.asker, call.request_key, printed)
    return answer is not None


def _store_answer(call: BattleCall, printed: str) -> None:
    answer = {"token": call.token}
    request_keys.store_answer(call.asker, call.request_key, printed, answer)


def confirm_by_silence(battle: Battle, now: datetime) -> bool:
    """Write down that nobody objected, where the time is over.

    Call it within a transaction that holds the lock.
    """
    if not results.is_silent(battle, now):
        return False
    columns = (battle.status, battle.winner, battle.how, battle.proposed_by)
    standing = ResultState(*columns, confirm_by=battle.confirm_by)
    _add(battle, standing, results.silence(standing, now))
    return True


def _add(
    battle: Battle, standing: ResultState, entry: ResultStep, author: str = ""
) -> None:
    """Add one entry, write what the result comes to with it, and tell whoever follows the battle."""
    number, state = battle.results_count + 1, battle.state
    sides = state.get("sides", {}).items()
    # What the step remembers of the battle: the turn, and how many of each side are out.
    figures = {
        "turn": state.get("turn", 0),
        "sides": {key: {"out": side["out"], "size": side["size"]} for key, side in sides},
    }
    ResultEntry.objects.create(
        battle=battle,
        number=number,
        figures=figures,
        author_name="" if entry.author_id else author,
        **asdict(entry),
    )
    # The row is written before the follower is told, for it reads the new status from the row.
    new = results.after(standing, entry)
    write_battle(battle, results_count=number, **new.columns)
    battle_follower().after_step(battle, entry)
