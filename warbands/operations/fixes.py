"""The remedies that findings offer, each by the operation that it is."""

from collections.abc import Callable

from accounts.errors import Refusal
from engine.records import Texts, frozen_dataclass
from warbands.exchange.document import shown
from warbands.operations.transaction import (
    ChangeResult,
    WriteContext,
)
from warbands.operations.warbands import change_warband
from warbands.operations.warriors import (
    add_option,
    change_warrior,
    remove_option,
    remove_warrior,
    set_leader,
    swap_option,
    take_price,
)


@frozen_dataclass
class FixRequest:
    """The remedy of a finding as its button asks: see `queries.profile_picker.fix_fields`."""

    action: str
    warrior_id: int | None = None
    option: str = ""
    instead: str = ""
    value: int | None = None


# The operation of each remedy, and which fields it takes besides the warrior.
_REMEDIES: dict[str, tuple[Callable[..., ChangeResult], Texts]] = {
    "lead": (set_leader, ()),
    "take_price": (take_price, ()),
    "remove_warrior": (remove_warrior, ()),
    "add_option": (add_option, ("option",)),
    "remove_option": (remove_option, ("option",)),
    "swap_option": (swap_option, ("option", "instead")),
}


def apply_fix(context: WriteContext, fix: FixRequest) -> ChangeResult:
    """Carry out the remedy of a finding."""
    # The one remedy that is about no warrior.
    if fix.action == "set_limit":
        return change_warband(context, points_limit=fix.value)
    if fix.warrior_id is None:
        raise Refusal("Choose the unit to change.", field="warrior")
    # Without a number there is nothing to set, and it counts as an unknown remedy.
    if fix.action == "set_count" and fix.value is not None:
        return change_warrior(context, fix.warrior_id, count=fix.value)
    if fix.action not in _REMEDIES:
        raise Refusal(f"There is no fix called {shown(fix.action)}.", field="action")
    operation, fields = _REMEDIES[fix.action]
    return operation(context, fix.warrior_id, *(getattr(fix, field) for field in fields))
