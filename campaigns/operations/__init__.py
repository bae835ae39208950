"""The only writers of battles: one verb, one transaction, one lock. `ledger` says how."""

from campaigns.incoming import BATCH_MAX, IntakeAnswer
from campaigns.operations.deciding import (
    StepOutcome,
    confirm_result,
    correct_result,
    dispute_result,
    propose_result,
    restore_result,
    void_result,
)
from campaigns.operations.keeping import (
    claim_battles,
    purge_unclaimed_battles,
    purge_when_due,
    release_battles,
    settle_overdue,
)
from campaigns.operations.opening import (
    OpenedBattle,
    QuickSide,
    RosterSide,
    SideChoice,
    WarbandSide,
    open_battle,
)
from campaigns.operations.recording import RecordedEvents, append_events
from campaigns.operations.recounting import recount_battles
from campaigns.operations.sharing import change_club, change_visibility, new_key
from campaigns.operations.telling import report_after_battle

__all__ = [
    "BATCH_MAX",
    "IntakeAnswer",
    "OpenedBattle",
    "QuickSide",
    "RecordedEvents",
    "RosterSide",
    "SideChoice",
    "StepOutcome",
    "WarbandSide",
    "append_events",
    "change_club",
    "change_visibility",
    "claim_battles",
    "confirm_result",
    "correct_result",
    "dispute_result",
    "new_key",
    "open_battle",
    "propose_result",
    "purge_unclaimed_battles",
    "purge_when_due",
    "recount_battles",
    "release_battles",
    "report_after_battle",
    "restore_result",
    "settle_overdue",
    "void_result",
]
