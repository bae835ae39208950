"""Changes to the entries of a roster: add, name, count, lead, move, copy, remove."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from accounts.errors import Refusal
from accounts.owner import Owner
from engine.choices import first_count, listed_on_purchase
from engine.roster import MAX_COUNT, Roster, RosterEntry
from engine.selection import select
from engine.types.lists import MAGIC_PREFIX, Army, Option, Profile
from warbands.exchange.document import clean_text, shown
from warbands.models import KEY_MAX, NAME_MAX, WARRIOR_NOTE_MAX
from warbands.operations.transaction import (
    UNSET,
    ChangeResult,
    LockedWarband,
    Unset,
    WriteContext,
    WriteResult,
    apply_change,
)


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


def find_option(profile: Profile | None, key: str) -> Option | None:
    """The profile's or its champion's option of that key."""
    return next((o for o in profile.all_options if o.key == key), None) if profile else None


def with_option(entry: RosterEntry, key: str, profile: Profile | None) -> RosterEntry:
    """The entry with one more option: rivals of its exclusive group go, a free default needs no
    listing.
    """
    option = find_option(profile, key)
    if option is None:
        return entry if key in entry.options else replace(entry, options=(*entry.options, key))
    options = [k for k in entry.options if not _is_rival(find_option(profile, k), option)]
    is_free = option.is_default and not option.points
    if option.per == "each" or not (is_free or key in options):
        options.append(key)
    return replace(entry, options=tuple(options))


def _is_rival(other: Option | None, option: Option) -> bool:
    if (
        other is None
        or other.key == option.key
        or not (option.group and option.is_exclusive and other.is_exclusive)
    ):
        return False
    return (other.group, other.is_champions) == (option.group, option.is_champions)


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
    if option := find_option(profile, key):
        return option.name
    if key.startswith(MAGIC_PREFIX) and (
        item := army.magic_items.get(key.removeprefix(MAGIC_PREFIX))
    ):
        return item.name
    return key.replace("-", " ")


def add_warrior(
    actor: Owner,
    token: str,
    profile: str,
    *,
    count: int | None = None,
    name: str = "",
    options: Sequence[str] | None = None,
    joins: bool = False,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """A new entry at the end. Without ``options`` it lists what the profile has to pay for anyway.

    With ``joins`` troops without a name, note or other purchase go to an entry just like them, if
    the roster has one. Without ``count`` it is one miniature, or the smallest regiment where the
    system's entries are regiments.
    """
    named = clean_text("name", name, NAME_MAX)
    if count is not None:
        checked_count(count)

    def work(draft: LockedWarband) -> WriteResult:
        found = draft.army.profiles.get(profile)
        if found is None:
            raise Refusal(
                f"{draft.army.name} has no profile {shown(profile)}. Choose one of its list.",
                field="profile",
            )
        bought = listed_on_purchase(found) if options is None else tuple(options)
        number = count or first_count(found, draft.army, draft.system)
        entry = RosterEntry(profile, named, number, options=bought)
        refuse_unknown(entry, draft.army, ())
        return _add(draft, entry, joins=joins and _is_troop(found, draft))

    arguments = (
        profile,
        count,
        name,
        None if options is None else list(options),
        *(["joins"] if joins else []),
    )
    return apply_change(WriteContext(actor, token, "add_warrior", arguments, version, key), work)


def _is_troop(profile: Profile, draft: LockedWarband) -> bool:
    """Whether several of the profile may stand as one entry: no character, no regiment."""
    return draft.system.regiments is None and profile.category not in draft.army.characters


def _add(draft: LockedWarband, entry: RosterEntry, *, joins: bool) -> WriteResult:
    """The entry at the end, or with ``joins`` part of one just like it."""
    words, warriors = f"Added {entry_label(entry, draft.army)}", draft.roster.warriors
    place = _alike(draft.roster, entry) if joins else None
    if place is None:
        roster = replace(draft.roster, warriors=(*warriors, entry))
        return WriteResult(roster, words, len(warriors))
    grown = replace(warriors[place], count=warriors[place].count + entry.count)
    return WriteResult(replace_entry(draft.roster, place, grown), f"{words}: {grown.count}", place)


def _alike(roster: Roster, entry: RosterEntry) -> int | None:
    """The place of the last entry that differs from this one in nothing but its number."""
    for place in range(len(roster.warriors) - 1, -1, -1):
        old = roster.warriors[place]
        if (
            replace(old, id=None, count=entry.count) == entry
            and old.count + entry.count <= MAX_COUNT
        ):
            return place
    return None


def checked_count(count: int) -> int:
    """The number of miniatures of an entry; raises Refusal outside 1 to 200."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_COUNT:
        raise Refusal(
            f"The number of miniatures must be a whole number from 1 to {MAX_COUNT}.", field="count"
        )
    return count


def change_warrior(
    actor: Owner,
    token: str,
    warrior_id: int,
    *,
    name: str | Unset = UNSET,
    count: int | Unset = UNSET,
    lore: str | Unset = UNSET,
    note: str | Unset = UNSET,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """Its name, number, lore or note.

    A leader stays alone: what is above one becomes an entry behind it.
    """
    values = {
        "name": name if name is UNSET else clean_text("name", name, NAME_MAX),
        "lore": lore if lore is UNSET else clean_text("lore", lore, KEY_MAX),
        "note": _checked_note(note),
        "count": count if count is UNSET else checked_count(count),
    }
    new: dict[str, Any] = {field: value for field, value in values.items() if value is not UNSET}

    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        old = draft.roster.warriors[place]
        entry = replace(old, **new)
        roster = replace_entry(draft.roster, place, *_leader_alone(entry))
        return WriteResult(roster, _words(old, entry, draft.army), place)

    arguments = (
        warrior_id,
        *("KEEP" if value is UNSET else value for value in (name, count, lore, note)),
    )
    return apply_change(WriteContext(actor, token, "change_warrior", arguments, version, key), work)


def _checked_note(note: str | Unset) -> str | Unset:
    if note is UNSET:
        return note
    return clean_text("note", note, WARRIOR_NOTE_MAX, many_lines=True)


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
        return (
            f"Named {entry_label(replace(old, name=''), army)} “{new.name}”"
            if new.name
            else f"{entry_label(old, army)}: name taken off"
        )
    if new.lore != old.lore:
        return f"{entry_label(new, army)}: {new.lore or 'no lore chosen'}"
    return f"{entry_label(new, army)}: note changed"


def set_leader(
    actor: Owner, token: str, warrior_id: int | None, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """This warrior leads and nobody else; out of several alike one steps forward.

    None: nobody leads.
    """

    def work(draft: LockedWarband) -> WriteResult:
        if warrior_id is None:
            return WriteResult(_nobody_leads(draft.roster), "Nobody leads any more")
        place = draft.place(warrior_id)
        roster = _nobody_leads(draft.roster)
        entry = roster.warriors[place]
        entries: tuple[RosterEntry, ...]
        if entry.count == 1:
            entries = (replace(entry, is_leader=True),)
        else:
            one, rest = split_entry(entry)
            entries = (replace(one, is_leader=True), rest)
        leader = entry_label(entries[0], draft.army)
        return WriteResult(replace_entry(roster, place, *entries), f"{leader} leads", place)

    return apply_change(WriteContext(actor, token, "set_leader", (warrior_id,), version, key), work)


def _nobody_leads(roster: Roster) -> Roster:
    return replace(
        roster,
        warriors=tuple(replace(e, is_leader=False) if e.is_leader else e for e in roster.warriors),
    )


def move_warrior(
    actor: Owner,
    token: str,
    warrior_id: int,
    to: int | Literal["up", "down"],
    *,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """One place up or down, or to a place counted from 0; beyond an end means the end."""

    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        target = {"up": place - 1, "down": place + 1}.get(to, place) if isinstance(to, str) else to
        others = list(draft.roster.warriors)
        entry = others.pop(place)
        target = min(max(target, 0), len(others))
        others.insert(target, entry)
        roster = replace(draft.roster, warriors=tuple(others))
        return WriteResult(roster, f"Moved {entry_label(entry, draft.army)}", target)

    return apply_change(
        WriteContext(actor, token, "move_warrior", (warrior_id, to), version, key), work
    )


def sort_warriors(
    actor: Owner, token: str, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """The leader first, then lords, heroes and the rest, each in the order they have."""

    def work(draft: LockedWarband) -> WriteResult:
        ranks = {c.key: place for place, c in enumerate(draft.army.categories, 1) if c.is_character}
        others = len(ranks) + 1

        def rank(entry: RosterEntry) -> int:
            if entry.is_leader:
                return 0
            profile = draft.profile(entry)
            return ranks.get(profile.category, others) if profile else others + 1

        warriors = tuple(sorted(draft.roster.warriors, key=rank))
        return WriteResult(
            replace(draft.roster, warriors=warriors), "Put in order: leader, heroes, the rest"
        )

    return apply_change(WriteContext(actor, token, "sort_warriors", (), version, key), work)


def duplicate_warrior(
    actor: Owner, token: str, warrior_id: int, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """The same again right behind it: same number and options, no name, never a leader."""

    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        entry = draft.roster.warriors[place]
        copy = replace(entry, id=None, name="", is_leader=False)
        return WriteResult(
            replace_entry(draft.roster, place, entry, copy),
            f"Added {entry_label(copy, draft.army)}",
            place + 1,
        )

    return apply_change(
        WriteContext(actor, token, "duplicate_warrior", (warrior_id,), version, key), work
    )


def split_warrior(
    actor: Owner, token: str, warrior_id: int, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """One miniature out of several alike becomes an entry of its own, right behind, to be armed or
    named alone.
    """

    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        entry = draft.roster.warriors[place]
        if entry.count < 2:
            raise Refusal("This entry is a single miniature already.", field="count")
        one, rest = split_entry(entry)
        roster = replace_entry(draft.roster, place, rest, one)
        return WriteResult(roster, f"Split off {entry_label(one, draft.army)}", place + 1)

    return apply_change(
        WriteContext(actor, token, "split_warrior", (warrior_id,), version, key), work
    )


def remove_warrior(
    actor: Owner, token: str, warrior_id: int, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """The whole entry goes."""

    def work(draft: LockedWarband) -> WriteResult:
        place = draft.place(warrior_id)
        entry = draft.roster.warriors[place]
        return WriteResult(
            replace_entry(draft.roster, place), f"Removed {entry_label(entry, draft.army)}"
        )

    return apply_change(
        WriteContext(actor, token, "remove_warrior", (warrior_id,), version, key), work
    )
