"""The only writers of warbands: one verb, one transaction, one lock, one event. `ledger` says how."""

from warbands.operations.keeping import claim_warbands, delete_warbands_of, purge_unclaimed, recount_warbands
from warbands.operations.ledger import KEEP, Done, Keep
from warbands.operations.options import add_option, apply_fix, choose_in_group, remove_option, set_options, swap_option
from warbands.operations.warbands import (
    DEFAULT_LIMIT,
    archive_warband,
    change_warband,
    create_from_starter,
    create_warband,
    delete_warband,
    duplicate_warband,
    import_document,
    replace_roster,
    restore_warband,
    undo_last_change,
)
from warbands.operations.warriors import (
    add_warrior,
    change_warrior,
    duplicate_warrior,
    move_warrior,
    remove_warrior,
    set_leader,
    sort_warriors,
    split_warrior,
)

__all__ = [
    "DEFAULT_LIMIT",
    "KEEP",
    "Done",
    "Keep",
    "add_option",
    "add_warrior",
    "apply_fix",
    "archive_warband",
    "change_warband",
    "change_warrior",
    "choose_in_group",
    "claim_warbands",
    "create_from_starter",
    "create_warband",
    "delete_warband",
    "delete_warbands_of",
    "duplicate_warband",
    "duplicate_warrior",
    "import_document",
    "move_warrior",
    "purge_unclaimed",
    "recount_warbands",
    "remove_option",
    "remove_warrior",
    "replace_roster",
    "restore_warband",
    "set_leader",
    "set_options",
    "sort_warriors",
    "split_warrior",
    "swap_option",
    "undo_last_change",
]
