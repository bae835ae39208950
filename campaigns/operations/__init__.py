"""The only writers of battles: one verb, one transaction, one lock. `ledger` says how."""

from campaigns.incoming import BATCH_MAX, IntakeAnswer
from campaigns.operations.deciding import (
    Decided,
    confirm_result,
    correct_result,
    dispute_result,
    propose_result,
    restore_result,
    void_result,
)
from campaigns.operations.keeping import (
    claim_battles,
    leave_battles,
    purge_unclaimed_battles,
    purge_when_due,
    settle_overdue,
)
from campaigns.operations.opening import (
    Opened,
    QuickSide,
    RosterSide,
    SideChoice,
    WarbandSide,
    open_battle,
)
from campaigns.operations.recording import Recorded, append_events
from campaigns.operations.recounting import recount_battles
from campaigns.operations.sharing import change_club, change_visibility, new_key
from campaigns.operations.telling import tell_battle

__all__ = [
    "BATCH_MAX",
    "Decided",
    "IntakeAnswer",
    "Opened",
    "QuickSide",
    "Recorded",
    "RosterSide",
    "SideChoice",
    "WarbandSide",
    "append_events",
    "change_club",
    "change_visibility",
    "claim_battles",
    "confirm_result",
    "correct_result",
    "dispute_result",
    "leave_battles",
    "new_key",
    "open_battle",
    "propose_result",
    "purge_unclaimed_battles",
    "purge_when_due",
    "recount_battles",
    "restore_result",
    "settle_overdue",
    "tell_battle",
    "void_result",
]
