"""Changes to the entries of a roster: add, name, count, lead, move, copy, remove, and their
options; and the remedies that findings offer.

An unwise choice is never refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, Literal

from accounts.errors import Refusal
from engine.choices import picker
from engine.option_rules import find_name, first_count, listed_on_purchase, with_option
from engine.records import Fields, Texts, frozen_dataclass, is_int_within
from engine.roster import MAX_COUNT, Roster, RosterEntry
from engine.selection import select
from engine.types.lists import COMMAND, Army, Profile
from warbands.exchange.document import clean_text, shown
from warbands.models import NAME_MAX
from warbands.operations.transaction import (
    UNCHANGED,
    ChangeResult,
    LockedWarband,
    Operation,
    WriteContext,
    WriteResult,
    apply_change,
    warband_operation,
)
from warbands.operations.warbands import change_warband
from warbands.roster_fields import EDITED_FIELDS

EditedEntry = tuple[RosterEntry, str]
"""An entry as it is to be, and what was done to it."""


def warrior_operation(change: Callable[..., WriteResult]) -> Operation:
    """Make an operation on one warrior out of what it does to the locked warband.

    ``change`` gets the warband and the warrior's place; the operation takes the request and the
    warrior's id. The verb is the name of ``change``.
    """

    @wraps(change)
    def change_of_warband(
        draft: LockedWarband, warrior_id: int, /, *args: Any, **kwargs: Any
    ) -> WriteResult:
        return change(draft, draft.place(warrior_id), *args, **kwargs)

    return warband_operation(change_of_warband)


def replace_entry(roster: Roster, place: int, *entries: RosterEntry) -> Roster:
    """The roster with these entries instead of the one at that place."""
    warriors = roster.warriors
    return replace(roster, warriors=(*warriors[:place], *entries, *warriors[place + 1 :]))


def split_entry(entry: RosterEntry) -> tuple[RosterEntry, RosterEntry]:
    """One miniature out of several, and the rest; the first of the names goes with the one."""
    names = entry.names
    name = names[0] if names else ""
    single = replace(entry, id=None, count=1, name=name, is_leader=False)
    return single, replace(entry, count=entry.count - 1, name=", ".join(names[1:]))


def entry_label(entry: RosterEntry, army: Army) -> str:
    """How a sentence names an entry: "3x Halberdier", "Captain Ostwin"."""
    title = select(army, entry).title
    if entry.count > 1:
        return f"{entry.count}x {title}"
    return f"{title} {entry.name}".strip()


def refuse_unknown(entry: RosterEntry, army: Army, had: Texts) -> None:
    """Raises Refusal for an option the list does not know, unless the entry had it already."""
    for key in select(army, entry).unknown:
        if key not in had:
            raise Refusal(
                f"{army.name} knows no option {shown(key)} here. Choose one that is offered.",
                field="option",
            )


@frozen_dataclass
class WarriorDraft:
    """An entry to be added, as somebody asked for it.

    Without ``options`` it lists what the profile has to pay for anyway. Without ``count`` it is one
    miniature, or the smallest regiment where the system's entries are regiments.
    """

    profile: str
    count: int | None = None
    name: str = ""
    options: Sequence[str] | None = None


def add_warrior(
    context: WriteContext, wanted: WarriorDraft, *, joins: bool = False
) -> ChangeResult:
    """A new entry at the end.

    With ``joins`` troops without a name, note or other purchase go to an entry just like them, if
    the roster has one.
    """
    name = clean_text("name", wanted.name, NAME_MAX)
    if wanted.count is not None:
        checked_count(wanted.count)

    def work(draft: LockedWarband) -> WriteResult:
        army, system, warriors = draft.army, draft.system, draft.roster.warriors
        profile = army.profiles.get(wanted.profile)
        if profile is None:
            raise Refusal(
                f"{army.name} has no unit {shown(wanted.profile)}. Choose one of its list.",
                field="profile",
            )
        # None asks for what has to be paid anyway; an empty list asks for nothing at all.
        options = wanted.options
        bought = listed_on_purchase(profile) if options is None else tuple(options)
        count = wanted.count or first_count(profile, army, system)
        entry = RosterEntry(wanted.profile, name, count, options=bought)
        refuse_unknown(entry, army, ())
        summary = f"Added {entry_label(entry, army)}"
        if _is_born_leader(draft, entry):
            followers = _nobody_leads(draft.roster).warriors
            leader = replace(entry, is_leader=True)
            roster = replace(draft.roster, warriors=(*followers, leader))
            title = system.leader_name
            title = title.lower() if title == "Leader" else f"the {title}"
            return WriteResult(roster, f"{summary} as {title}", len(warriors))
        # A character stands alone, and so does a regiment.
        is_troop = system.regiments is None and profile.category not in army.characters
        place = _find_alike(draft.roster, entry) if joins and is_troop else None
        if place is not None:
            old = warriors[place]
            grown = replace(old, count=old.count + entry.count)
            roster = replace_entry(draft.roster, place, grown)
            return WriteResult(roster, f"{summary}: {grown.count}", place)
        roster = replace(draft.roster, warriors=(*warriors, entry))
        return WriteResult(roster, summary, len(warriors))

    arguments = (wanted.profile, wanted.count, wanted.name, wanted.options)
    flags = ("joins",) * joins
    return apply_change(context, "add_warrior", (*arguments, *flags), work)


def _find_alike(roster: Roster, entry: RosterEntry) -> int | None:
    """The place of the last entry that differs from this one in nothing but its number."""
    # From the end: the entry that was added last is the one that grows.
    for place, old in reversed(list(enumerate(roster.warriors))):
        is_alike = replace(old, id=None, count=entry.count) == entry
        if is_alike and old.count + entry.count <= MAX_COUNT:
            return place
    return None


def _is_born_leader(draft: LockedWarband, entry: RosterEntry) -> bool:
    """Whether a new entry leads: the first character, and a unit that its list has lead or that is
    called what leaders are.

    The latter also takes over from another one (ECW: the unit called General is the General). A
    regiment never leads, and neither does a model without Leadership of its own. Where a system has
    no leader nobody does.
    """
    system, profile = draft.system, draft.army.profiles[entry.profile]
    if not system.leader_name or entry.count != 1:
        return False
    leader = next((old for old in draft.roster.warriors if old.is_leader), None)

    def is_called(unit: Profile | None) -> bool:
        return unit is not None and (unit.is_leader or unit.name == system.leader_name)

    if is_called(profile):
        return not is_called(draft.profile(leader) if leader else None)
    is_able = select(draft.army, entry).leadership is not None
    return leader is None and is_able and profile.category in draft.army.characters


def checked_count(count: int) -> int:
    """The number of miniatures of an entry; raises Refusal outside 1 to 200."""
    if not is_int_within(count, 1, MAX_COUNT):
        raise Refusal(
            f"The number of models must be a whole number from 1 to {MAX_COUNT}.",
            field="count",
        )
    return count


# Stored fingerprints hold these, in this order; a newer field stands behind them.
_FINGERPRINTED = ("name", "count", "lore", "note")


def change_warrior(
    context: WriteContext, warrior_id: int, **changes: str | int
) -> ChangeResult:
    """Change some of the `EDITED_FIELDS`: its name, number, lore, note.

    A leader stays alone: what is above one becomes an entry behind it. Raises Refusal for a value
    that the field may not have, KeyError for another field.
    """
    # Text without blanks around it, a count, a flag.
    new: Fields = {}
    for name, value in changes.items():
        field = EDITED_FIELDS[name]
        if field.form == "count":
            new[name] = checked_count(int(value))
        elif field.form == "flag":
            new[name] = bool(value)
        else:
            is_long = field.form == "lines"
            new[name] = clean_text(name, str(value), field.limit, many_lines=is_long)

    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        old = draft.roster.warriors[place]
        entry = replace(old, **new)
        entries = [entry]
        if entry.is_leader and entry.count > 1:
            rest = replace(entry, id=None, is_leader=False, name="", note="")
            entries = [replace(entry, count=1), replace(rest, count=entry.count - 1)]
        roster = replace_entry(draft.roster, place, *entries)
        return WriteResult(roster, _describe_change(old, entry, draft.army), place)

    values = [changes.get(field, UNCHANGED) for field in _FINGERPRINTED]
    others = sorted(changes.keys() - set(_FINGERPRINTED))
    values += [f"{field}={changes[field]}" for field in others]
    return apply_change(context, "change_warrior", (warrior_id, *values), work)


def _describe_change(old: RosterEntry, new: RosterEntry, army: Army) -> str:
    if new.count != old.count:
        label = entry_label(replace(new, count=1), army)
        return f"{label}: {new.count} instead of {old.count}"
    if new.name != old.name:
        if new.name:
            return f"Named {entry_label(replace(old, name=''), army)} “{new.name}”"
        return f"{entry_label(old, army)}: name taken off"
    changed = [name for name in EDITED_FIELDS if getattr(new, name) != getattr(old, name)]
    field = EDITED_FIELDS[changed[0] if changed else "note"]
    label = field.field.removeprefix("is_").replace("_", " ")
    change = f"{label} changed"
    if new.lore != old.lore:
        change = new.lore or "no lore chosen"
    elif field.form == "flag":
        change = f"{'now' if getattr(new, field.field) else 'no longer'} {label}"
    return f"{entry_label(new, army)}: {change}"


@warband_operation
def set_leader(draft: LockedWarband, warrior_id: int | None) -> WriteResult:
    """This warrior leads and nobody else; out of several alike one steps forward.

    None: nobody leads.
    """
    roster = _nobody_leads(draft.roster)
    if warrior_id is None:
        return WriteResult(roster, "No leader")
    place = draft.place(warrior_id)
    entry = roster.warriors[place]
    # A leader is one miniature: one of several alike becomes an entry before the others.
    first, *rest = [entry] if entry.count == 1 else split_entry(entry)
    leader = replace(first, is_leader=True)
    roster = replace_entry(roster, place, leader, *rest)
    summary = f"{entry_label(leader, draft.army)} leads"
    return WriteResult(roster, summary, place, buys_nothing=True)


def _nobody_leads(roster: Roster) -> Roster:
    followers = (replace(entry, is_leader=False) for entry in roster.warriors)
    return replace(roster, warriors=tuple(followers))


@warrior_operation
def move_warrior(
    draft: LockedWarband, place: int, to: int | Literal["up", "down"]
) -> WriteResult:
    """One place up or down, or to a place counted from 0.

    Beyond an end means the end, so two taps too many do no harm.
    """
    others = list(draft.roster.warriors)
    entry = others.pop(place)
    if isinstance(to, str):
        to = place - 1 if to == "up" else place + 1
    target = min(max(to, 0), len(others))
    others.insert(target, entry)
    roster = replace(draft.roster, warriors=tuple(others))
    return WriteResult(roster, f"Moved {entry_label(entry, draft.army)}", target)


@warband_operation
def sort_warriors(draft: LockedWarband) -> WriteResult:
    """The leader first, then lords, heroes and the rest, each in the order they have."""
    ranked = [kind.key for kind in draft.army.categories if kind.is_character]

    def rank(entry: RosterEntry) -> int:
        if entry.is_leader:
            return -1
        profile = draft.profile(entry)
        if profile is None:
            return len(ranked) + 1
        is_ranked = profile.category in ranked
        return ranked.index(profile.category) if is_ranked else len(ranked)

    warriors = tuple(sorted(draft.roster.warriors, key=rank))
    roster = replace(draft.roster, warriors=warriors)
    return WriteResult(roster, "Sorted: leader, heroes, the rest")


@warrior_operation
def duplicate_warrior(draft: LockedWarband, place: int) -> WriteResult:
    """The same again right behind it: same number and options, no name, never a leader."""
    entry = draft.roster.warriors[place]
    # A name belongs to one warrior, and a roster has one leader.
    copy = replace(entry, id=None, name="", is_leader=False)
    roster = replace_entry(draft.roster, place, entry, copy)
    return WriteResult(roster, f"Added {entry_label(copy, draft.army)}", place + 1)


@warrior_operation
def split_warrior(draft: LockedWarband, place: int) -> WriteResult:
    """One miniature of several alike becomes an entry right behind, to be armed or named alone."""
    entry = draft.roster.warriors[place]
    if entry.count < 2:
        raise Refusal("This entry already has only one model.", field="count")
    single, rest = split_entry(entry)
    roster = replace_entry(draft.roster, place, rest, single)
    summary = f"Split off {entry_label(single, draft.army)}"
    return WriteResult(roster, summary, place + 1, buys_nothing=True)


@warrior_operation
def remove_warrior(draft: LockedWarband, place: int) -> WriteResult:
    """The whole entry goes."""
    label = entry_label(draft.roster.warriors[place], draft.army)
    return WriteResult(replace_entry(draft.roster, place), f"Removed {label}")


@warrior_operation
def take_price(draft: LockedWarband, place: int) -> WriteResult:
    """Today's price for one warrior, instead of the one it keeps."""
    entry = replace(draft.roster.warriors[place], kept=None)
    summary = f"{entry_label(replace(entry, count=1), draft.army)}: price updated"
    return WriteResult(replace_entry(draft.roster, place, entry), summary, place)


# Options


def option_operation(edit: Callable[..., EditedEntry]) -> Operation:
    """Make an operation on one warrior out of what it does to the warrior's entry.

    ``edit`` returns the new entry and the words for the change. Of several alike one alone becomes
    champion, musician or standard bearer, as an entry behind the others, unless the entry is a
    regiment. The operation raises Refusal for an option that the list does not know.
    """

    @wraps(edit)
    def change(
        draft: LockedWarband, place: int, /, *args: Any, **kwargs: Any
    ) -> WriteResult:
        old = draft.roster.warriors[place]
        new, summary = edit(draft, old, *args, **kwargs)
        refuse_unknown(new, draft.army, old.options)
        summary = f"{entry_label(replace(old, count=1), draft.army)}: {summary}"
        posts = [key for key in COMMAND if key in new.options and key not in old.options]
        if not posts or new.count == 1 or draft.army.unit_options_once:
            return WriteResult(replace_entry(draft.roster, place, new), summary, place)
        single, rest = split_entry(new)
        roster = replace_entry(draft.roster, place, _without(rest, posts), single)
        return WriteResult(roster, f"{summary}, for one of {new.count}", place + 1)

    return warrior_operation(change)


def _option_name(draft: LockedWarband, entry: RosterEntry, key: str) -> str:
    """The printed name of an option, a magic item or a command model."""
    profile = draft.profile(entry)
    return find_name(key, profile, draft.army) if profile else key.replace("-", " ")


@option_operation
def set_options(
    draft: LockedWarband, entry: RosterEntry, options: Sequence[str]
) -> EditedEntry:
    """Exactly these options, in this order."""
    return replace(entry, options=tuple(options)), "options chosen"


@option_operation
def add_option(draft: LockedWarband, entry: RosterEntry, option: str) -> EditedEntry:
    """One more option or piece of it; in an exclusive group it takes the rival's place."""
    summary = f"{_option_name(draft, entry, option)} added"
    return with_option(entry, option, draft.army), summary


@option_operation
def remove_option(
    draft: LockedWarband, entry: RosterEntry, option: str, *, all_pieces: bool = True
) -> EditedEntry:
    """Without this option, or with one piece less of it.

    Takes off what the list does not know, too.
    """
    summary = f"{_option_name(draft, entry, option)} taken off"
    if all_pieces:
        return _without(entry, (option,)), summary
    options = list(entry.options)
    if option in options:
        del options[len(options) - 1 - options[::-1].index(option)]
    return replace(entry, options=tuple(options)), summary


def _without(entry: RosterEntry, keys: Sequence[str]) -> RosterEntry:
    """The entry without any piece of these options."""
    options = tuple(key for key in entry.options if key not in keys)
    return replace(entry, options=options)


@option_operation
def swap_option(
    draft: LockedWarband, entry: RosterEntry, option: str, instead: str
) -> EditedEntry:
    """``instead`` in the place of ``option``."""
    old, new = (_option_name(draft, entry, key) for key in (option, instead))
    bare = _without(entry, (option,))
    return with_option(bare, instead, draft.army), f"{new} instead of {old}"


@option_operation
def choose_in_group(
    draft: LockedWarband, entry: RosterEntry, group: str, option: str
) -> EditedEntry:
    """This one of a group of the picker and no other of it; empty: none of them."""
    groups = picker(select(draft.army, entry), draft.army)
    chosen = next((g for g in groups if g.key == group), None)
    if chosen is None:
        raise Refusal(f"This unit has no choice called {shown(group)}.", field="group")
    keys = [choice.key for choice in chosen.choices]
    if option and option not in keys:
        raise Refusal(
            f"{shown(option)} is not one of the choices of {chosen.name}.", field="option"
        )
    # The chosen one may be bought already, once or several times, and then stays as it is.
    bare = _without(entry, [key for key in keys if key != option])
    if not option:
        return bare, f"{chosen.name.lower()}: none"
    new = bare if option in bare.options else with_option(bare, option, draft.army)
    return new, f"{_option_name(draft, entry, option)} chosen"


# Remedies


# The operation of each remedy, and which fields it takes besides the warrior.
_REMEDIES: dict[str, tuple[Operation, Texts]] = {
    "lead": (set_leader, ()),
    "take_price": (take_price, ()),
    "remove_warrior": (remove_warrior, ()),
    "add_option": (add_option, ("option",)),
    "remove_option": (remove_option, ("option",)),
    "swap_option": (swap_option, ("option", "instead")),
}


def apply_fix(
    context: WriteContext,
    action: str,
    warrior_id: int | None = None,
    value: int | None = None,
    **options: str,
) -> ChangeResult:
    """Carry out the remedy of a finding as its button asks: see
    `queries.profile_picker.fix_fields`. ``options`` are ``option`` and ``instead``.
    """
    # The one remedy that is about no warrior.
    if action == "set_limit":
        return change_warband(context, points_limit=value)
    if warrior_id is None:
        raise Refusal("Choose the unit to change.", field="warrior")
    # Without a number there is nothing to set, and it counts as an unknown remedy.
    if action == "set_count" and value is not None:
        return change_warrior(context, warrior_id, count=value)
    if action not in _REMEDIES:
        raise Refusal(f"There is no fix called {shown(action)}.", field="action")
    operation, fields = _REMEDIES[action]
    return operation(context, warrior_id, *(options.get(name, "") for name in fields))
