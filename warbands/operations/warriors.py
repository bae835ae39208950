"""Changes to the entries of a roster: add, name, count, lead, move, copy, remove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from accounts.owner import Owner
from engine.choices import first_count, listed_on_purchase
from engine.roster import MAX_COUNT, Roster, RosterEntry
from engine.types import Army
from warbands.errors import Refusal
from warbands.exchange.limits import clean_text, shown
from warbands.models import KEY_MAX, NAME_MAX, WARRIOR_NOTE_MAX
from warbands.operations.edits import label, put, refuse_unknown, taken_out
from warbands.operations.ledger import KEEP, Call, Done, Draft, Keep, Outcome, change


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
) -> Done:
    """A new entry at the end. Without ``options`` it lists what the profile has to pay for anyway.

    With ``joins`` troops without a name, note or other purchase go to an entry just like them, if the roster has one.
    Without ``count`` it is one miniature, or the smallest regiment where the system's entries are regiments.
    """
    named = clean_text("name", name, NAME_MAX)
    if count is not None:
        checked_count(count)

    def work(draft: Draft) -> Outcome:
        found = draft.army.profiles.get(profile)
        if found is None:
            raise Refusal(
                f"{draft.army.name} has no profile {shown(profile)}. Choose one of its list.",
                field="profile",
            )
        bought = listed_on_purchase(found) if options is None else tuple(options)
        entry = RosterEntry(
            profile, named, count or first_count(found, draft.army, draft.system), options=bought
        )
        refuse_unknown(entry, draft.army, ())
        is_troop = draft.system.regiments is None and found.category not in draft.army.characters
        if joins and is_troop and (place := _alike(draft.roster, entry)) is not None:
            old = draft.roster.warriors[place]
            grown = replace(old, count=old.count + entry.count)
            return Outcome(
                put(draft.roster, place, grown),
                f"Added {label(entry, draft.army)}: {grown.count}",
                place,
            )
        warriors = (*draft.roster.warriors, entry)
        return Outcome(
            replace(draft.roster, warriors=warriors),
            f"Added {label(entry, draft.army)}",
            len(warriors) - 1,
        )

    arguments = (
        profile,
        count,
        name,
        None if options is None else list(options),
        *(["joins"] if joins else []),
    )
    return change(Call(actor, token, "add_warrior", arguments, version, key), work)


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
    name: str | Keep = KEEP,
    count: int | Keep = KEEP,
    lore: str | Keep = KEEP,
    note: str | Keep = KEEP,
    version: int | None = None,
    key: str = "",
) -> Done:
    """Its name, number, lore or note. A leader stays alone: what is above one becomes an entry behind it."""
    new_name = name if name is KEEP else clean_text("name", name, NAME_MAX)
    new_lore = lore if lore is KEEP else clean_text("lore", lore, KEY_MAX)
    new_note = note if note is KEEP else clean_text("note", note, WARRIOR_NOTE_MAX, many_lines=True)
    if count is not KEEP:
        checked_count(count)

    def work(draft: Draft) -> Outcome:
        place = draft.place(warrior_id)
        old = draft.roster.warriors[place]
        entry = replace(
            old,
            name=old.name if new_name is KEEP else new_name,
            lore=old.lore if new_lore is KEEP else new_lore,
            note=old.note if new_note is KEEP else new_note,
            count=old.count if count is KEEP else count,
        )
        entries: tuple[RosterEntry, ...] = (entry,)
        if entry.is_leader and entry.count > 1:
            rest = replace(entry, id=None, is_leader=False, name="", note="", count=entry.count - 1)
            entries = (replace(entry, count=1), rest)
        roster = put(draft.roster, place, *entries)
        return Outcome(roster, _words(old, entry, draft.army), place)

    arguments = (
        warrior_id,
        *("KEEP" if value is KEEP else value for value in (name, count, lore, note)),
    )
    return change(Call(actor, token, "change_warrior", arguments, version, key), work)


def _words(old: RosterEntry, new: RosterEntry, army: Army) -> str:
    if new.count != old.count:
        return f"{label(replace(new, count=1), army)}: {new.count} instead of {old.count}"
    if new.name != old.name:
        return (
            f"Named {label(replace(old, name=''), army)} “{new.name}”"
            if new.name
            else f"{label(old, army)}: name taken off"
        )
    if new.lore != old.lore:
        return f"{label(new, army)}: {new.lore or 'no lore chosen'}"
    return f"{label(new, army)}: note changed"


def set_leader(
    actor: Owner, token: str, warrior_id: int | None, *, version: int | None = None, key: str = ""
) -> Done:
    """This warrior leads and nobody else; out of several alike one steps forward. None: nobody leads."""

    def work(draft: Draft) -> Outcome:
        if warrior_id is None:
            return Outcome(_nobody_leads(draft.roster), "Nobody leads any more")
        place = draft.place(warrior_id)
        roster = _nobody_leads(draft.roster)
        entry = roster.warriors[place]
        entries: tuple[RosterEntry, ...]
        if entry.count == 1:
            entries = (replace(entry, is_leader=True),)
        else:
            one, rest = taken_out(entry)
            entries = (replace(one, is_leader=True), rest)
        leader = label(entries[0], draft.army)
        return Outcome(put(roster, place, *entries), f"{leader} leads", place)

    return change(Call(actor, token, "set_leader", (warrior_id,), version, key), work)


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
) -> Done:
    """One place up or down, or to a place counted from 0; beyond an end means the end."""

    def work(draft: Draft) -> Outcome:
        place = draft.place(warrior_id)
        target = {"up": place - 1, "down": place + 1}.get(to, place) if isinstance(to, str) else to
        others = list(draft.roster.warriors)
        entry = others.pop(place)
        target = min(max(target, 0), len(others))
        others.insert(target, entry)
        roster = replace(draft.roster, warriors=tuple(others))
        return Outcome(roster, f"Moved {label(entry, draft.army)}", target)

    return change(Call(actor, token, "move_warrior", (warrior_id, to), version, key), work)


def sort_warriors(actor: Owner, token: str, *, version: int | None = None, key: str = "") -> Done:
    """The leader first, then lords, heroes and the rest, each in the order they have."""

    def work(draft: Draft) -> Outcome:
        ranks = {c.key: place for place, c in enumerate(draft.army.categories, 1) if c.is_character}
        others = len(ranks) + 1

        def rank(entry: RosterEntry) -> int:
            profile = draft.profile(entry)
            return (
                0
                if entry.is_leader
                else ranks.get(profile.category, others)
                if profile
                else others + 1
            )

        warriors = tuple(sorted(draft.roster.warriors, key=rank))
        return Outcome(
            replace(draft.roster, warriors=warriors), "Put in order: leader, heroes, the rest"
        )

    return change(Call(actor, token, "sort_warriors", (), version, key), work)


def duplicate_warrior(
    actor: Owner, token: str, warrior_id: int, *, version: int | None = None, key: str = ""
) -> Done:
    """The same again right behind it: same number and options, no name, never a leader."""

    def work(draft: Draft) -> Outcome:
        place = draft.place(warrior_id)
        entry = draft.roster.warriors[place]
        copy = replace(entry, id=None, name="", is_leader=False)
        return Outcome(
            put(draft.roster, place, entry, copy), f"Added {label(copy, draft.army)}", place + 1
        )

    return change(Call(actor, token, "duplicate_warrior", (warrior_id,), version, key), work)


def split_warrior(
    actor: Owner, token: str, warrior_id: int, *, version: int | None = None, key: str = ""
) -> Done:
    """One miniature out of several alike becomes an entry of its own, right behind, to be armed or named alone."""

    def work(draft: Draft) -> Outcome:
        place = draft.place(warrior_id)
        entry = draft.roster.warriors[place]
        if entry.count < 2:
            raise Refusal("This entry is a single miniature already.", field="count")
        one, rest = taken_out(entry)
        roster = put(draft.roster, place, rest, one)
        return Outcome(roster, f"Split off {label(one, draft.army)}", place + 1)

    return change(Call(actor, token, "split_warrior", (warrior_id,), version, key), work)


def remove_warrior(
    actor: Owner, token: str, warrior_id: int, *, version: int | None = None, key: str = ""
) -> Done:
    """The whole entry goes."""

    def work(draft: Draft) -> Outcome:
        place = draft.place(warrior_id)
        entry = draft.roster.warriors[place]
        return Outcome(put(draft.roster, place), f"Removed {label(entry, draft.army)}")

    return change(Call(actor, token, "remove_warrior", (warrior_id,), version, key), work)
