"""Changes to what one warrior has bought, and the remedies findings offer.

An unwise choice is never refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Concatenate

from accounts.errors import Refusal
from engine.choices import ChoiceGroup, picker
from engine.option_rules import with_option
from engine.records import Texts, frozen_dataclass
from engine.roster import RosterEntry
from engine.selection import select
from warbands.exchange.document import shown
from warbands.operations.transaction import (
    ChangeResult,
    LockedWarband,
    WriteContext,
    WriteResult,
)
from warbands.operations.warbands import change_warband
from warbands.operations.warriors import (
    P,
    change_warrior,
    entry_label,
    option_name,
    refuse_unknown,
    remove_warrior,
    replace_entry,
    set_leader,
    take_price,
    warrior_operation,
    without_option,
)

Edited = tuple[RosterEntry, str]
"""An entry after a change of its options, and the words for the change."""


def option_operation(
    edit: Callable[Concatenate[LockedWarband, RosterEntry, P], Edited],
) -> Callable[Concatenate[WriteContext, int, P], ChangeResult]:
    """Make an operation on one warrior out of what it does to the warrior's entry.

    The operation raises Refusal for an option that the list does not know.
    """

    @wraps(edit)
    def change(
        draft: LockedWarband, place: int, /, *args: P.args, **kwargs: P.kwargs
    ) -> WriteResult:
        old = draft.roster.warriors[place]
        new, words = edit(draft, old, *args, **kwargs)
        refuse_unknown(new, draft.army, old.options)
        label = entry_label(replace(old, count=1), draft.army)
        return WriteResult(
            replace_entry(draft.roster, place, new), f"{label}: {words}", place
        )

    return warrior_operation(change)


@option_operation
def set_options(draft: LockedWarband, entry: RosterEntry, options: Sequence[str]) -> Edited:
    """Exactly these options, in this order."""
    return replace(entry, options=tuple(options)), "options chosen"


@option_operation
def add_option(draft: LockedWarband, entry: RosterEntry, option: str) -> Edited:
    """One more option; in an exclusive group it takes the rival's place, an option sold by the
    piece adds a piece.
    """
    profile = draft.profile(entry)
    words = f"{option_name(option, profile, draft.army)} added"
    return with_option(entry, option, draft.army), words


@option_operation
def remove_option(
    draft: LockedWarband, entry: RosterEntry, option: str, *, all_pieces: bool = True
) -> Edited:
    """Without this option, or with one piece less of it.

    Takes off what the list does not know, too.
    """
    words = f"{option_name(option, draft.profile(entry), draft.army)} taken off"
    return without_option(entry, (option,), one_piece=not all_pieces), words


@option_operation
def swap_option(
    draft: LockedWarband, entry: RosterEntry, option: str, instead: str
) -> Edited:
    """``instead`` in the place of ``option``."""
    profile = draft.profile(entry)
    old, new = (option_name(key, profile, draft.army) for key in (option, instead))
    bare = without_option(entry, (option,))
    return with_option(bare, instead, draft.army), f"{new} instead of {old}"


@option_operation
def choose_in_group(
    draft: LockedWarband, entry: RosterEntry, group: str, option: str
) -> Edited:
    """This one of a group of the picker and no other of it; empty: none of them."""
    profile, found = draft.profile(entry), _choice_group(draft, entry, group)
    keys = [choice.key for choice in found.choices]
    if option and option not in keys:
        raise Refusal(
            f"{shown(option)} is not one of the choices of {found.name}.", field="option"
        )
    # The chosen one may be bought already, once or several times, and then stays as it is.
    bare = without_option(entry, (key for key in keys if key != option))
    if not option:
        return bare, f"{found.name.lower()}: none"
    new = bare if option in bare.options else with_option(bare, option, draft.army)
    return new, f"{option_name(option, profile, draft.army)} chosen"


def _choice_group(draft: LockedWarband, entry: RosterEntry, key: str) -> ChoiceGroup:
    """The group of the picker with that key; raises Refusal where there is none."""
    for group in picker(select(draft.army, entry), draft.army):
        if group.key == key:
            return group
    raise Refusal(f"This unit has no choice called {shown(key)}.", field="group")


@frozen_dataclass
class FixRequest:
    """The remedy of a finding as its button asks for it: see `queries.profile_picker.fix_fields`."""

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
