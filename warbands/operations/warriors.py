"""Changes to the entries of a roster: add, name, count, lead, move, copy, remove."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec

from accounts.errors import Refusal
from engine.option_rules import first_count, listed_on_purchase, name_of
from engine.records import Fields, frozen_dataclass, is_int_within
from engine.roster import MAX_COUNT, Roster, RosterEntry
from engine.selection import select
from engine.types.lists import Army, Profile
from warbands.exchange.document import clean_text, shown
from warbands.models import NAME_MAX
from warbands.operations.transaction import (
    ChangeResult,
    LockedWarband,
    WriteContext,
    WriteResult,
    apply_change,
)
from warbands.roster_fields import EDITED_FIELDS, EntryField

P = ParamSpec("P")


def warrior_operation(
    change: Callable[Concatenate[LockedWarband, int, P], WriteResult],
) -> Callable[Concatenate[WriteContext, int, P], ChangeResult]:
    """Make an operation on one warrior out of what it does to the locked warband.

    ``change`` gets the warband and the warrior's place; the operation takes the request and the
    warrior's id. The verb is the name of ``change``.
    """
    signature = inspect.signature(change)

    @wraps(change)
    def operation(
        context: WriteContext, warrior_id: int, /, *args: P.args, **kwargs: P.kwargs
    ) -> ChangeResult:
        bound = signature.bind(None, None, *args, **kwargs)
        # What is left at its default is asked for too: it counts in the request's fingerprint.
        bound.apply_defaults()
        asked = (*bound.args[2:], *bound.kwargs.values())

        def work(draft: LockedWarband) -> WriteResult:
            return change(draft, draft.place(warrior_id), *args, **kwargs)

        return apply_change(context, change.__name__, (warrior_id, *asked), work)

    return operation


def replace_entry(roster: Roster, place: int, *entries: RosterEntry) -> Roster:
    """The roster with these entries instead of the one at that place."""
    warriors = roster.warriors
    return replace(roster, warriors=(*warriors[:place], *entries, *warriors[place + 1 :]))


def split_entry(entry: RosterEntry) -> tuple[RosterEntry, RosterEntry]:
    """One miniature out of several, and the rest; the first of the names goes with the one."""
    names = entry.names
    one = replace(entry, id=None, count=1, name=names[0] if names else "", is_leader=False)
    return one, replace(entry, count=entry.count - 1, name=", ".join(names[1:]))


def entry_label(entry: RosterEntry, army: Army) -> str:
    """How a sentence names an entry: "3x Halberdier", "Captain Ostwin"."""
    title = select(army, entry).title
    if entry.count > 1:
        return f"{entry.count}x {title}"
    return f"{title} {entry.name}".strip()


def without_option(
    entry: RosterEntry, keys: Iterable[str], *, one_piece: bool = False
) -> RosterEntry:
    """The entry without these options: all pieces of each, or the last one."""
    options = list(entry.options)
    for key in keys:
        if one_piece and key in options:
            del options[len(options) - 1 - options[::-1].index(key)]
        elif not one_piece:
            options = [k for k in options if k != key]
    return replace(entry, options=tuple(options))


def refuse_unknown(entry: RosterEntry, army: Army, had: Iterable[str]) -> None:
    """Raises Refusal for an option the list does not know, unless the entry had it already."""
    new = [key for key in select(army, entry).unknown if key not in set(had)]
    if new:
        raise Refusal(
            f"{army.name} knows no option {shown(new[0])} here. Choose one that is offered.",
            field="option",
        )


def option_name(key: str, profile: Profile | None, army: Army) -> str:
    """The printed name of an option, a magic item or a command model."""
    return name_of(key, profile, army) if profile else key.replace("-", " ")


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
    context: WriteContext, asked: WarriorDraft, *, joins: bool = False
) -> ChangeResult:
    """A new entry at the end.

    With ``joins`` troops without a name, note or other purchase go to an entry just like them, if
    the roster has one.
    """
    named = clean_text("name", asked.name, NAME_MAX)
    if asked.count is not None:
        checked_count(asked.count)

    def work(draft: LockedWarband) -> WriteResult:
        found = draft.army.profiles.get(asked.profile)
        if found is None:
            raise Refusal(
                f"{draft.army.name} has no unit {shown(asked.profile)}. Choose one of its list.",
                field="profile",
            )
        # None asks for what has to be paid anyway; an empty list asks for nothing at all.
        bought = (
            listed_on_purchase(found) if asked.options is None else tuple(asked.options)
        )
        count = asked.count or first_count(found, draft.army, draft.system)
        entry = RosterEntry(asked.profile, named, count, options=bought)
        refuse_unknown(entry, draft.army, ())
        # A character stands alone, and so does a regiment.
        is_troop = (
            draft.system.regiments is None and found.category not in draft.army.characters
        )
        return _add(draft, entry, joins=joins and is_troop)

    arguments = (asked.profile, asked.count, asked.name, asked.options)
    return apply_change(
        context, "add_warrior", (*arguments, *(["joins"] if joins else [])), work
    )


def _add(draft: LockedWarband, entry: RosterEntry, *, joins: bool) -> WriteResult:
    """The entry at the end, or with ``joins`` part of one just like it."""
    words, warriors = f"Added {entry_label(entry, draft.army)}", draft.roster.warriors
    if _is_born_leader(draft, entry):
        leader = replace(entry, is_leader=True)
        roster = replace(
            draft.roster, warriors=(*_nobody_leads(draft.roster).warriors, leader)
        )
        name = draft.system.leader_name
        leader_word = name.lower() if name == "Leader" else f"the {name}"
        return WriteResult(roster, f"{words} as {leader_word}", len(warriors))
    place = _alike(draft.roster, entry) if joins else None
    if place is None:
        roster = replace(draft.roster, warriors=(*warriors, entry))
        return WriteResult(roster, words, len(warriors))
    grown = replace(warriors[place], count=warriors[place].count + entry.count)
    return WriteResult(
        replace_entry(draft.roster, place, grown), f"{words}: {grown.count}", place
    )


def _is_born_leader(draft: LockedWarband, entry: RosterEntry) -> bool:
    """Whether a new entry leads: the first character, and a unit that is called what leaders are.

    The latter also takes over from another one (ECW: the unit called General is the General). A
    regiment never leads, and neither does a model without Leadership of its own. Where a system has
    no leader nobody does.
    """
    system, profile = draft.system, draft.army.profiles[entry.profile]
    if not system.leader_name or entry.count != 1:
        return False
    leader = next((one for one in draft.roster.warriors if one.is_leader), None)
    if profile.name == system.leader_name:
        known = leader and draft.army.profiles.get(leader.profile)
        return known is None or known.name != system.leader_name
    is_able = select(draft.army, entry).leadership is not None
    return leader is None and is_able and profile.category in draft.army.characters


def _alike(roster: Roster, entry: RosterEntry) -> int | None:
    """The place of the last entry that differs from this one in nothing but its number."""
    # From the end: the entry that was added last is the one that grows.
    for place, old in reversed(list(enumerate(roster.warriors))):
        is_alike = replace(old, id=None, count=entry.count) == entry
        if is_alike and old.count + entry.count <= MAX_COUNT:
            return place
    return None


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
    new: Fields = {
        field: _checked(EDITED_FIELDS[field], value) for field, value in changes.items()
    }

    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        old = draft.roster.warriors[place]
        entry = replace(old, **new)
        roster = replace_entry(draft.roster, place, *_leader_alone(entry))
        return WriteResult(roster, _words(old, entry, draft.army), place)

    values = [changes.get(field, "KEEP") for field in _FINGERPRINTED]
    others = sorted(changes.keys() - set(_FINGERPRINTED))
    values += [f"{field}={changes[field]}" for field in others]
    return apply_change(context, "change_warrior", (warrior_id, *values), work)


def _checked(one: EntryField, value: Any) -> str | int:
    """The value as the field keeps it: text without blanks around it, a count, a flag."""
    if one.form == "count":
        return checked_count(value)
    if one.form == "flag":
        return bool(value)
    return clean_text(one.field, value, one.limit, many_lines=one.form == "lines")


def _leader_alone(entry: RosterEntry) -> tuple[RosterEntry, ...]:
    """The entry, or a leader and, as an entry behind, those there are besides."""
    if not entry.is_leader or entry.count == 1:
        return (entry,)
    rest = replace(entry, id=None, is_leader=False, name="", note="", count=entry.count - 1)
    return replace(entry, count=1), rest


def _words(old: RosterEntry, new: RosterEntry, army: Army) -> str:
    if new.count != old.count:
        return f"{entry_label(replace(new, count=1), army)}: {new.count} instead of {old.count}"
    if new.name != old.name:
        if not new.name:
            return f"{entry_label(old, army)}: name taken off"
        return f"Named {entry_label(replace(old, name=''), army)} “{new.name}”"
    if new.lore != old.lore:
        return f"{entry_label(new, army)}: {new.lore or 'no lore chosen'}"
    return f"{entry_label(new, army)}: {_changed_words(old, new)}"


def _changed_words(old: RosterEntry, new: RosterEntry) -> str:
    """What is said of the first other field that differs: "note changed", "now veteran"."""
    for one in EDITED_FIELDS.values():
        value = getattr(new, one.field)
        if value == getattr(old, one.field):
            continue
        name = one.field.removeprefix("is_").replace("_", " ")
        if one.form != "flag":
            return f"{name} changed"
        return f"now {name}" if value else f"no longer {name}"
    return "note changed"


def set_leader(context: WriteContext, warrior_id: int | None) -> ChangeResult:
    """This warrior leads and nobody else; out of several alike one steps forward.

    None: nobody leads.
    """

    def work(draft: LockedWarband) -> WriteResult:
        roster = _nobody_leads(draft.roster)
        if warrior_id is None:
            return WriteResult(roster, "No leader")
        place = draft.place(warrior_id)
        entry = roster.warriors[place]
        # A leader is one miniature, so one of several alike becomes an entry before the others.
        one, *rest = [entry] if entry.count == 1 else split_entry(entry)
        leader = replace(one, is_leader=True)
        roster = replace_entry(roster, place, leader, *rest)
        words = f"{entry_label(leader, draft.army)} leads"
        return WriteResult(roster, words, place, buys_nothing=True)

    return apply_change(context, "set_leader", (warrior_id,), work)


def _nobody_leads(roster: Roster) -> Roster:
    followers = (replace(entry, is_leader=False) for entry in roster.warriors)
    return replace(roster, warriors=tuple(followers))


@warrior_operation
def move_warrior(
    draft: LockedWarband, place: int, to: int | Literal["up", "down"]
) -> WriteResult:
    """One place up or down, or to a place counted from 0; beyond an end means the end."""
    target = (
        {"up": place - 1, "down": place + 1}.get(to, place) if isinstance(to, str) else to
    )
    others = list(draft.roster.warriors)
    entry = others.pop(place)
    # Beyond an end means the end, so two taps too many do no harm.
    target = min(max(target, 0), len(others))
    others.insert(target, entry)
    roster = replace(draft.roster, warriors=tuple(others))
    return WriteResult(roster, f"Moved {entry_label(entry, draft.army)}", target)


def sort_warriors(context: WriteContext) -> ChangeResult:
    """The leader first, then lords, heroes and the rest, each in the order they have."""

    def work(draft: LockedWarband) -> WriteResult:
        ranks = {
            c.key: place
            for place, c in enumerate(draft.army.categories, 1)
            if c.is_character
        }
        others = len(ranks) + 1

        def rank(entry: RosterEntry) -> int:
            if entry.is_leader:
                return 0
            profile = draft.profile(entry)
            return ranks.get(profile.category, others) if profile else others + 1

        roster = replace(
            draft.roster, warriors=tuple(sorted(draft.roster.warriors, key=rank))
        )
        return WriteResult(roster, "Sorted: leader, heroes, the rest")

    return apply_change(context, "sort_warriors", (), work)


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
    """One miniature out of several alike becomes an entry of its own, right behind, to be armed or
    named alone.
    """
    entry = draft.roster.warriors[place]
    if entry.count < 2:
        raise Refusal("This entry already has only one model.", field="count")
    one, rest = split_entry(entry)
    roster = replace_entry(draft.roster, place, rest, one)
    words = f"Split off {entry_label(one, draft.army)}"
    return WriteResult(roster, words, place + 1, buys_nothing=True)


@warrior_operation
def remove_warrior(draft: LockedWarband, place: int) -> WriteResult:
    """The whole entry goes."""
    label = entry_label(draft.roster.warriors[place], draft.army)
    return WriteResult(replace_entry(draft.roster, place), f"Removed {label}")


@warrior_operation
def take_price(draft: LockedWarband, place: int) -> WriteResult:
    """Today's price for one warrior, instead of the one it keeps."""
    entry = replace(draft.roster.warriors[place], kept=None)
    words = f"{entry_label(replace(entry, count=1), draft.army)}: price updated"
    return WriteResult(replace_entry(draft.roster, place, entry), words, place)
