"""The steps of a result: proposed, confirmed or disputed, corrected, made void, restored.

Each adds an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict, Unpack

from django.db import transaction
from django.utils import timezone

from accounts.errors import Refusal, StaleResult
from accounts.owner import Owner
from battles import results
from battles.hooks import battle_follower
from battles.models import Battle, BattleStatus, ResultEntry, ResultVerb
from battles.operations.events import Recording, record_events
from battles.operations.transaction import clean_author, lock_battle, may_record, write_battle
from battles.replay import ResultRows, figures_of, result_context_of, rules_of
from battles.results import Claim, ResultState, ResultStep
from warbands.operations import request_keys


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a step came to.

    ``number`` counts the steps so far; ``winner`` is a side's key, None for nobody.
    """

    token: str
    status: str
    winner: str | None
    how: str
    number: int
    is_repeat: bool = False


@dataclass(frozen=True, slots=True)
class _StepCall:
    """One step asked for: by whom, of which battle, with which events, seen after how many steps."""

    verb: str
    actor: Owner
    token: str
    key: str
    claim: Claim
    events: Sequence[Any] = ()
    expected: int | None = None
    request_key: str = ""
    author: str = ""

    @property
    def fingerprint(self) -> str:
        asked = self.claim
        words = (asked.winner, asked.how, asked.reason, asked.side)
        return request_keys.fingerprint(
            self.verb, self.token, words, list(self.events), self.expected
        )

    @property
    def asker(self) -> Owner:
        """Whose request keys they are; those who hold nothing but a battle's key share them."""
        return Owner(key=f"battle:{self.token}") if self.actor.is_nobody else self.actor


class StepRequest(TypedDict, total=False):
    """What every step may bring: whose ``side`` it speaks for, how many steps were seen
    (``expected``), a request key that makes it happen once, and the name of somebody without an
    account.
    """

    side: str
    expected: int | None
    request_key: str
    author: str


def propose_result(
    actor: Owner,
    token: str,
    key: str = "",
    *,
    winner: str | None = None,
    how: str = "",
    reason: str = "",
    events: Sequence[Any] = (),
    **asked: Unpack[StepRequest],
) -> StepOutcome:
    """Report how it ended, for a side or for nobody in particular.

    Without ``how`` it is what the events say.

    ``events`` are recorded first, all of them or none. Where only quick sides and one's own are
    left to agree it stands at once; else the others have ``confirm_days`` to answer. Raises
    Refusal, NotAllowed, NotFound, StaleResult.
    """
    claim = Claim(winner, how, reason)
    call = _StepCall(ResultVerb.PROPOSE, actor, token, key, claim, events)
    return _request_step(call, asked)


def confirm_result(
    actor: Owner, token: str, key: str = "", *, reason: str = "", **asked: Unpack[StepRequest]
) -> StepOutcome:
    """Another side agrees with what was proposed.

    Raises NotAllowed for the side that proposed it.
    """
    claim = Claim(reason=reason)
    call = _StepCall(ResultVerb.CONFIRM, actor, token, key, claim)
    return _request_step(call, asked)


def dispute_result(
    actor: Owner,
    token: str,
    key: str = "",
    *,
    reason: str,
    winner: str | None = None,
    how: str = "",
    **asked: Unpack[StepRequest],
) -> StepOutcome:
    """Another side disagrees and says why, perhaps with its own version.

    Both are kept until one is agreed on.
    """
    claim = Claim(winner, how, reason)
    call = _StepCall(ResultVerb.DISPUTE, actor, token, key, claim)
    return _request_step(call, asked)


def correct_result(
    actor: Owner,
    token: str,
    key: str = "",
    *,
    winner: str | None = None,
    how: str = "",
    reason: str,
    events: Sequence[Any] = (),
    **asked: Unpack[StepRequest],
) -> StepOutcome:
    """Another version in the place of the present one, which stays in the history.

    Without ``how`` as the events say.

    ``events`` (an undo, a kill that was forgotten) are recorded first, all or none, though the
    battle is closed. Until it stands those who take part do this, and are confirmed anew;
    afterwards an organiser of the battle's club, or without a club whoever set it up.
    """
    claim = Claim(winner, how, reason)
    call = _StepCall(ResultVerb.CORRECT, actor, token, key, claim, events)
    return _request_step(call, asked)


def void_result(
    actor: Owner, token: str, key: str = "", *, reason: str, **asked: Unpack[StepRequest]
) -> StepOutcome:
    """The battle counts for nothing any more, and can be restored. By those who may correct it."""
    claim = Claim(reason=reason)
    call = _StepCall(ResultVerb.VOID, actor, token, key, claim)
    return _request_step(call, asked)


def restore_result(
    actor: Owner, token: str, key: str = "", *, reason: str = "", **asked: Unpack[StepRequest]
) -> StepOutcome:
    """What a void took away is back as it was; what was waiting for an answer waits from now on
    again.
    """
    claim = Claim(reason=reason)
    call = _StepCall(ResultVerb.RESTORE, actor, token, key, claim)
    return _request_step(call, asked)


def _request_step(call: _StepCall, asked: StepRequest) -> StepOutcome:
    """Take the step with what was brought along; what is missing has its default."""
    claim = replace(call.claim, side=asked.get("side", ""))
    return _take_step(
        replace(
            call,
            claim=claim,
            expected=asked.get("expected"),
            request_key=asked.get("request_key", ""),
            author=asked.get("author", ""),
        )
    )


def confirm_by_silence(battle: Battle, now: datetime) -> bool:
    """Write down that nobody objected, where the time is over.

    Call it within a transaction that holds the lock.
    """
    if (
        battle.status != BattleStatus.PROPOSED
        or battle.confirm_by is None
        or battle.confirm_by > now
    ):
        return False
    columns = (battle.status, battle.winner, battle.how, battle.proposed_by)
    standing = ResultState(*columns, confirm_by=battle.confirm_by)
    _add(battle, standing, results.silence(standing, now))
    return True


def _take_step(call: _StepCall) -> StepOutcome:
    author = clean_author(call.author)
    claim = results.checked_claim(call.verb, call.claim)
    now = timezone.now()
    with transaction.atomic():
        battle = lock_battle(call.actor, call.token, call.key)
        may_repeat = bool(call.request_key) and (
            not call.actor.is_nobody or may_record(call.actor, battle, call.key)
        )
        request_key = call.request_key if may_repeat else ""
        if (
            earlier := request_keys.stored_answer(call.asker, request_key, call.fingerprint)
        ) is not None:
            return StepOutcome(**earlier, is_repeat=True)
        # Counted before silence is written down: a reader was shown the result with silence heard
        # already.
        if call.expected is not None and call.expected != battle.results_count:
            raise StaleResult(battle.results_count, call.expected)
        confirm_by_silence(battle, now)
        sides = list(battle.sides.order_by("position"))
        rows = ResultRows(battle, sides, list(battle.results.order_by("number")))
        table = result_context_of(call.actor, call.key, rows, now)
        entry = results.plan(call.verb, table, claim)
        if call.events:
            _record_events(battle, call, Recording(call.actor, now, author))
        entry = _with_outcome(battle, entry, claim, [side.key for side in sides])
        standing = _add(battle, table.standing, entry, author)
        done = StepOutcome(
            battle.token,
            standing.status,
            standing.winner or None,
            standing.how,
            battle.results_count,
        )
        request_keys.store_answer(call.asker, request_key, call.fingerprint, _answer(done))
    return done


def _record_events(battle: Battle, call: _StepCall, recording: Recording) -> None:
    """Store the events that come with a step, or raise Refusal with the first one's reason."""
    answers = record_events(battle, recording, call.events, is_correction=True)
    for place, answer in enumerate(answers):
        if answer.outcome == "refused":
            raise Refusal(
                f"Event {place + 1} was refused: {answer.reason}", field=f"events[{place}]"
            )


def _with_outcome(
    battle: Battle, entry: ResultStep, claim: Claim, sides: Sequence[str]
) -> ResultStep:
    """The entry with who won and how, checked."""
    if entry.verb in (ResultVerb.PROPOSE, ResultVerb.CORRECT):
        winner, how = (
            (claim.winner, claim.how) if claim.how else results.recorded_outcome(battle.state)
        )
    elif entry.verb == ResultVerb.DISPUTE and claim.how:
        winner, how = claim.winner, claim.how
    else:
        return entry
    won, how = results.checked_outcome(rules_of(battle), sides, winner, how)
    return replace(entry, winner=won, how=how)


def _add(battle: Battle, standing: ResultState, entry: ResultStep, author: str = "") -> ResultState:
    """Add one entry, write what the result comes to with it, and tell whoever follows the battle."""
    number = battle.results_count + 1
    ResultEntry.objects.create(
        battle=battle,
        number=number,
        verb=entry.verb,
        side=entry.side,
        winner=entry.winner,
        how=entry.how,
        reason=entry.reason,
        figures=figures_of(battle.state),
        confirm_by=entry.confirm_by,
        is_silent=entry.is_silent,
        author_id=entry.owner_id,
        author_key=entry.owner_key,
        author_name="" if entry.owner_id else author,
        at=entry.at,
    )
    new = results.after(standing, entry)
    write_battle(battle, results_count=number, **new.columns)
    battle_follower().after_step(battle, entry)
    return new


def _answer(done: StepOutcome) -> dict[str, Any]:
    return {
        "token": done.token,
        "status": done.status,
        "winner": done.winner,
        "how": done.how,
        "number": done.number,
    }
