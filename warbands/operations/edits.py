"""Small changes to a roster as a value: no database, nothing stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.roster import Roster, RosterEntry
from engine.selection import select
from engine.types import MAGIC_PREFIX, Army, Option, Profile
from warbands.errors import Refusal
from warbands.exchange.limits import shown


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
    """The entry with one more option: rivals of its exclusive group go, a free default needs no listing."""
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
