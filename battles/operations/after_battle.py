"""The form after the battle: what it says becomes events, and the result is told with them, in one
transaction.
"""

from __future__ import annotations

from dataclasses import asdict
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from accounts.errors import Refusal, StaleResult
from accounts.owner import Owner
from battles.after_battle import AfterBattleReport, report_events
from battles.intake import BATCH_MAX
from battles.models import Battle, BattleStatus
from battles.operations.events import Recording, record_events
from battles.operations.results import StepOutcome, correct_result, propose_result
from battles.operations.transaction import clean_author, lock_recordable_battle
from battles.replay import log_of
from warbands.operations import request_keys


def report_after_battle(
    actor: Owner,
    token: str,
    key: str = "",
    *,
    told: AfterBattleReport,
    reason: str = "",
    expected: int | None = None,
    request_key: str = "",
    author: str = "",
) -> StepOutcome:
    """Record what the form says and the log does not yet, all of it or nothing.

    A battle that is over then is reported; a result that was reported already is corrected, for a
    ``reason``. ``expected``: the steps of the result that were seen. Raises NotFound, NotAllowed,
    Refusal, StaleResult, KeyReused.
    """
    # Fingerprints are stored for a week and hold the names that these classes had first.
    words = repr(told).replace("AfterBattleReport(", "Told(").replace("ReportedCasualty(", "Fate(")
    printed = request_keys.fingerprint("tell_battle", token, words, reason, expected)
    asker = Owner(key=f"battle:{token}") if actor.is_nobody else actor
    with transaction.atomic():
        battle = lock_recordable_battle(actor, token, key)
        if (earlier := request_keys.stored_answer(asker, request_key, printed)) is not None:
            return StepOutcome(**earlier, is_repeat=True)
        if expected is not None and expected != battle.results_count:
            raise StaleResult(battle.results_count, expected)
        recording = Recording(actor, timezone.now(), clean_author(author))
        _record(battle, recording, told, request_key or str(uuid4()))
        done = StepOutcome(token, battle.status, None, "", battle.results_count)
        if battle.status != BattleStatus.OPEN:
            done = correct_result(
                actor,
                token,
                key,
                winner=told.winner,
                how=told.how,
                reason=reason,
                expected=expected,
                author=author,
            )
        elif battle.state["end"]:
            done = propose_result(actor, token, key, expected=expected, author=author)
        answer = {name: value for name, value in asdict(done).items() if name != "is_repeat"}
        request_keys.store_answer(asker, request_key, printed, answer)
    return done


def _record(battle: Battle, recording: Recording, report: AfterBattleReport, name: str) -> None:
    """Store the events of the form, or raise Refusal with the first one's reason.

    A correction is taken by a closed battle too.
    """
    events = report_events(log_of(battle), report, name=f"{battle.token}/{name}", at=recording.at)
    is_correction = battle.status != BattleStatus.OPEN
    for start in range(0, len(events), BATCH_MAX):
        batch = events[start : start + BATCH_MAX]
        for answer in record_events(battle, recording, batch, is_correction=is_correction):
            if answer.outcome == "refused":
                raise Refusal(answer.reason)
