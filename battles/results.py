"""What the steps of a result come to, in their order.

Pure: no database, no clock of its own. Which step may follow is in `battles.result_rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from battles.models import (
    Battle,
    BattleStatus,
    ResultVerb,
)
from engine.battles.rules import Ending
from engine.records import (
    Fields,
    copy_fields,
    frozen_dataclass,
    named_values,
)


@frozen_dataclass
class ResultStep:
    """One step of a result, as `battles.models.ResultEntry` keeps it.

    ``winner`` is "" for nobody.
    """

    verb: str
    side: str
    winner: str
    how: str
    reason: str
    confirm_by: datetime | None
    at: datetime
    author_id: int | None = None
    author_key: str = ""
    is_silent: bool = False
    awaits_organiser: bool = False

    @property
    def title(self) -> str:
        """What was done, in words."""
        if self.is_silent:
            return "Confirmed automatically: no reply in time"
        return str(ResultVerb(self.verb).label)

    @property
    def is_asking(self) -> bool:
        """Whether others are asked about it.

        Until they answer, it does not stand.
        """
        return self.awaits_organiser or self.confirm_by is not None


@frozen_dataclass
class ResultState:
    """What a result is now.

    ``side`` proposed it (``owner_id``, ``owner_key``: who), ``confirm_by`` ends the waiting.
    """

    status: str = BattleStatus.OPEN
    winner: str = ""
    how: str = ""
    side: str = ""
    owner_id: int | None = None
    owner_key: str = ""
    confirm_by: datetime | None = None
    before_void: ResultState | None = None

    def after_silence(self, now: datetime) -> ResultState:
        """The same with silence heard: a proposed result whose time is over is confirmed."""
        if not is_silent(self, now):
            return self
        return replace(self, status=BattleStatus.CONFIRMED, confirm_by=None)

    @property
    def columns(self) -> Fields:
        """What the battle's row says of it."""
        shared = named_values(self, "status", "winner", "how", "confirm_by")
        return {**shared, "proposed_by": self.side}

    @property
    def stands(self) -> bool:
        """Whether it counts for records and careers."""
        return self.status == BattleStatus.CONFIRMED


def outcome_words(ending: Ending | None, winner: str) -> str:
    """Who won and how in a phrase: "Ada won, rout"; "draw" without the name of a winner.

    ``ending`` is None where the rules know no such ending.
    """
    if ending is None:
        return f"{winner} won" if winner else "draw"
    if not winner:
        return ending.words_without_winner.lower()
    return f"{winner} won, {ending.name.lower()}"


def is_silent(result: ResultState | Battle, now: datetime) -> bool:
    """Whether it was proposed and nobody has answered in time."""
    is_waiting = result.status == BattleStatus.PROPOSED
    return is_overdue(result.confirm_by, now, is_waiting=is_waiting)


def is_overdue(until: datetime | None, now: datetime, *, is_waiting: bool) -> bool:
    """Whether the time to answer what waits is over; without ``until`` it never is."""
    return is_waiting and until is not None and until <= now


def standing_of(entries: Sequence[ResultStep]) -> ResultState:
    """The fold of the entries, in their order.

    What silence did counts once it is written, or through ``after_silence``.
    """
    standing = ResultState()
    for entry in entries:
        standing = after(standing, entry)
    return standing


def after(standing: ResultState, entry: ResultStep) -> ResultState:
    """What one more entry makes of a result."""
    if entry.verb in (ResultVerb.PROPOSE, ResultVerb.CORRECT):
        return copy_fields(
            ResultState,
            entry,
            status=BattleStatus.PROPOSED if entry.is_asking else BattleStatus.CONFIRMED,
            owner_id=entry.author_id,
            owner_key=entry.author_key,
        )
    if entry.verb == ResultVerb.CONFIRM:
        return replace(standing, status=BattleStatus.CONFIRMED, confirm_by=None)
    if entry.verb == ResultVerb.DISPUTE:
        return replace(standing, status=BattleStatus.DISPUTED, confirm_by=None)
    if entry.verb == ResultVerb.VOID:
        return ResultState(
            status=BattleStatus.VOID, before_void=replace(standing, confirm_by=None)
        )
    back = standing.before_void or ResultState()
    return replace(back, confirm_by=entry.confirm_by)


def silence(standing: ResultState, now: datetime) -> ResultStep:
    """The entry of nobody having objected."""
    by = standing.confirm_by or now
    return ResultStep(
        ResultVerb.CONFIRM, "", "", "", "No dispute in time.", None, by, is_silent=True
    )
