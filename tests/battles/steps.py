"""The steps of a result and the other changes of a battle, called with their parts one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.owner import Owner
from battles.access import BattleCall
from battles.after_battle import AfterBattleReport
from battles.models import Battle
from battles.operations import log as events_operations
from battles.operations import ownership
from battles.operations import results as results_operations
from battles.operations.log import RecordedEvents
from battles.queries import previews
from battles.result_rules import Claim

CALL = ("expected", "request_key", "author")


def _step(
    verb: str, actor: Owner, token: str, key: str, said: dict[str, Any]
) -> tuple[BattleCall, str, Claim, Sequence[Any]]:
    asked = {name: said.pop(name) for name in CALL if name in said}
    events = said.pop("events", ())
    return BattleCall(actor, token, key, **asked), verb, Claim(**said), events


def propose_result(actor: Owner, token: str, key: str = "", **said: Any) -> Battle:
    return results_operations.take_step(*_step("propose", actor, token, key, said))


def confirm_result(actor: Owner, token: str, key: str = "", **said: Any) -> Battle:
    return results_operations.take_step(*_step("confirm", actor, token, key, said))


def dispute_result(actor: Owner, token: str, key: str = "", **said: Any) -> Battle:
    return results_operations.take_step(*_step("dispute", actor, token, key, said))


def correct_result(actor: Owner, token: str, key: str = "", **said: Any) -> Battle:
    return results_operations.take_step(*_step("correct", actor, token, key, said))


def void_result(actor: Owner, token: str, key: str = "", **said: Any) -> Battle:
    return results_operations.take_step(*_step("void", actor, token, key, said))


def restore_result(actor: Owner, token: str, key: str = "", **said: Any) -> Battle:
    return results_operations.take_step(*_step("restore", actor, token, key, said))


def preview_consequences(
    actor: Owner, token: str, key: str = "", *, verb: str, **said: Any
) -> dict[str, Any]:
    return previews.preview_consequences(*_step(verb, actor, token, key, said))


def append_events(
    actor: Owner, token: str, key: str = "", events: Sequence[Any] = (), *, author: str = ""
) -> RecordedEvents:
    return events_operations.append_events(
        BattleCall(actor, token, key, author=author), events
    )


def report_after_battle(
    actor: Owner, token: str, key: str = "", *, told: AfterBattleReport, **said: Any
) -> Battle:
    call, _, claim, _ = _step("", actor, token, key, said)
    return results_operations.report_after_battle(call, told, claim.reason)


def change_visibility(actor: Owner, token: str, key: str = "", *, visibility: str) -> str:
    return ownership.change_visibility(BattleCall(actor, token, key), visibility)


def new_key(actor: Owner, token: str, key: str = "") -> str:
    return ownership.new_key(BattleCall(actor, token, key))
