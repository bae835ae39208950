"""Changes to what one warrior has bought, and the remedies findings offer.

An unwise choice is never refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from accounts.errors import Refusal
from accounts.owner import Owner
from engine.choices import ChoiceGroup, picker
from engine.roster import RosterEntry
from engine.selection import select
from warbands.exchange.document import shown
from warbands.operations.prices import take_price
from warbands.operations.transaction import (
    ChangeResult,
    LockedWarband,
    WriteContext,
    WriteResult,
    apply_change,
)
from warbands.operations.warbands import change_warband
from warbands.operations.warriors import (
    change_warrior,
    entry_label,
    option_name,
    refuse_unknown,
    remove_warrior,
    replace_entry,
    set_leader,
    with_option,
    without_option,
)

Edit = Callable[[LockedWarband, RosterEntry], tuple[RosterEntry, str]]


def _edit(call: WriteContext, warrior_id: int, edit: Edit) -> ChangeResult:
    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        old = draft.roster.warriors[place]
        new, words = edit(draft, old)
        refuse_unknown(new, draft.army, old.options)
        return WriteResult(
            replace_entry(draft.roster, place, new),
            f"{entry_label(replace(old, count=1), draft.army)}: {words}",
            place,
        )

    return apply_change(call, work)


def set_options(
    actor: Owner,
    token: str,
    warrior_id: int,
    options: Sequence[str],
    *,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """Exactly these options, in this order."""

    def edit(draft: LockedWarband, entry: RosterEntry) -> tuple[RosterEntry, str]:
        return replace(entry, options=tuple(options)), "options chosen"

    return _edit(
        WriteContext(actor, token, "set_options", (warrior_id, list(options)), version, key),
        warrior_id,
        edit,
    )


def add_option(
    actor: Owner,
    token: str,
    warrior_id: int,
    option: str,
    *,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """One more option; in an exclusive group it takes the rival's place, an option sold by the
    piece adds a piece.
    """

    def edit(draft: LockedWarband, entry: RosterEntry) -> tuple[RosterEntry, str]:
        profile = draft.profile(entry)
        return with_option(
            entry, option, profile
        ), f"{option_name(option, profile, draft.army)} added"

    return _edit(
        WriteContext(actor, token, "add_option", (warrior_id, option), version, key),
        warrior_id,
        edit,
    )


def remove_option(
    actor: Owner,
    token: str,
    warrior_id: int,
    option: str,
    *,
    all_pieces: bool = True,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """Without this option, or with one piece less of it.

    Takes off what the list does not know, too.
    """

    def edit(draft: LockedWarband, entry: RosterEntry) -> tuple[RosterEntry, str]:
        name = option_name(option, draft.profile(entry), draft.army)
        return without_option(entry, (option,), one_piece=not all_pieces), f"{name} taken off"

    call = WriteContext(
        actor, token, "remove_option", (warrior_id, option, all_pieces), version, key
    )
    return _edit(call, warrior_id, edit)


def swap_option(
    actor: Owner,
    token: str,
    warrior_id: int,
    option: str,
    instead: str,
    *,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """``instead`` in the place of ``option``."""

    def edit(draft: LockedWarband, entry: RosterEntry) -> tuple[RosterEntry, str]:
        profile = draft.profile(entry)
        names = option_name(instead, profile, draft.army), option_name(option, profile, draft.army)
        return with_option(
            without_option(entry, (option,)), instead, profile
        ), f"{names[0]} instead of {names[1]}"

    return _edit(
        WriteContext(actor, token, "swap_option", (warrior_id, option, instead), version, key),
        warrior_id,
        edit,
    )


def choose_in_group(
    actor: Owner,
    token: str,
    warrior_id: int,
    group: str,
    option: str,
    *,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """This one of a group of the picker and no other of it; empty: none of them."""

    def edit(draft: LockedWarband, entry: RosterEntry) -> tuple[RosterEntry, str]:
        profile, found = draft.profile(entry), _choice_group(draft, entry, group)
        keys = [choice.key for choice in found.choices]
        if option and option not in keys:
            raise Refusal(
                f"{shown(option)} is not one of the choices of {found.name}.", field="option"
            )
        bare = without_option(entry, (k for k in keys if k != option))
        if not option:
            return without_option(bare, keys), f"{found.name.lower()}: none"
        new = bare if option in bare.options else with_option(bare, option, profile)
        return new, f"{option_name(option, profile, draft.army)} chosen"

    call = WriteContext(actor, token, "choose_in_group", (warrior_id, group, option), version, key)
    return _edit(call, warrior_id, edit)


def _choice_group(draft: LockedWarband, entry: RosterEntry, key: str) -> ChoiceGroup:
    """The group of the picker with that key; raises Refusal where there is none."""
    for group in picker(select(draft.army, entry), draft.army):
        if group.key == key:
            return group
    raise Refusal(f"This warrior has no choice called {shown(key)}.", field="group")


def apply_fix(
    actor: Owner,
    token: str,
    *,
    action: str,
    warrior_id: int | None = None,
    option: str = "",
    instead: str = "",
    value: int | None = None,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """Carry out the remedy of a finding; the fields are those of `queries.fix_fields`."""
    if action == "set_limit":
        return change_warband(actor, token, points_limit=value, version=version, key=key)
    if warrior_id is None:
        raise Refusal("Say which warrior this is about.", field="warrior")
    if action == "lead":
        return set_leader(actor, token, warrior_id, version=version, key=key)
    if action == "take_price":
        return take_price(actor, token, warrior_id, version=version, key=key)
    if action == "set_count" and value is not None:
        return change_warrior(actor, token, warrior_id, count=value, version=version, key=key)
    if action == "remove_warrior":
        return remove_warrior(actor, token, warrior_id, version=version, key=key)
    if action == "add_option":
        return add_option(actor, token, warrior_id, option, version=version, key=key)
    if action == "remove_option":
        return remove_option(actor, token, warrior_id, option, version=version, key=key)
    if action == "swap_option":
        return swap_option(actor, token, warrior_id, option, instead, version=version, key=key)
    raise Refusal(f"There is no remedy called {shown(action)}.", field="action")
