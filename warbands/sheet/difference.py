"""What is different between two sheets of a warband, in short sentences: "+1 Swordsman", "Captain:
Shield dropped".
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from engine.records import quantity
from warbands.sheet.structure import RosterSheet, SheetWarrior, head_lines

Pair = tuple[SheetWarrior | None, SheetWarrior | None]


def difference(before: RosterSheet, after: RosterSheet) -> tuple[str, ...]:
    """The differences, who came and went first, points last; nothing where the two say the same.

    Notes and findings are left out: they are about the roster, not what stood on the table.
    """
    pairs = _pairs(before.warriors, after.warriors)
    names, entries = [], []
    if before.name != after.name:
        names.append(f"renamed “{after.name}”")
    if before.army_key != after.army_key:
        names.append(f"{after.army_name} instead of {before.army_name}")
    for old, new in pairs:
        if old and new and (changes := ", ".join(_changes(old, new))):
            entries.append(f"{old.name or old.title}: {changes}")
    agreements = _agreements(before, after)
    return (*names, *_numbers(pairs), *entries, *_leader(before, after), *agreements)


def _numbers(pairs: Sequence[Pair]) -> Iterator[str]:
    # How many more or fewer of each kind; an entry split in two is no change.
    counts: Counter[str] = Counter()
    for old, new in pairs:
        if warrior := old or new:
            change = (new.count if new else 0) - (old.count if old else 0)
            counts[warrior.title] += change
    for title, change in counts.items():
        if change:
            yield f"{'+' if change > 0 else '−'}{abs(change)} {title}"


def _leader(before: RosterSheet, after: RosterSheet) -> Iterator[str]:
    # The same entry may still lead and only have another name.
    leaders = [{w.id for w in sheet.warriors if w.is_leader} for sheet in (before, after)]
    is_renamed = leaders[0] == leaders[1] != {None} and bool(leaders[0])
    if before.leader != after.leader and not is_renamed:
        yield f"{after.leader or 'nobody'} leads instead of {before.leader or 'nobody'}"


def _agreements(before: RosterSheet, after: RosterSheet) -> Iterator[str]:
    """What was agreed, what a campaign made of the warband, and the points."""
    if before.points_limit != after.points_limit:
        limits = (after.points_limit, before.points_limit)
        yield "points limit {} instead of {}".format(
            *("none" if limit is None else f"{limit:,}" for limit in limits)
        )
    yield from _dropped_and_added("house rule ", before.house_rules, after.house_rules)
    yield from _dropped_and_added("ruling ", before.rulings, after.rulings)
    yield from _dropped_and_added("tag ", before.tags, after.tags)
    lines = head_lines(before.growth)
    yield from (line for line in head_lines(after.growth) if line not in lines)
    points = after.points - before.points
    if points and before.counts_points and after.counts_points:
        yield f"{quantity(abs(points), 'pt')} {'more' if points > 0 else 'less'}"


def _pairs(before: Sequence[SheetWarrior], after: Sequence[SheetWarrior]) -> list[Pair]:
    """Each entry with what it was: by its id, else by profile and name, else by profile alone."""
    left = list(after)
    matches: dict[int, SheetWarrior] = {}
    keys: tuple[Callable[[SheetWarrior], object], ...] = (
        lambda warrior: warrior.id and (warrior.id, warrior.profile_key),
        lambda warrior: (warrior.profile_key, warrior.name, warrior.title),
        lambda warrior: warrior.profile_key,
    )
    # The surest likeness first, for all entries, before a weaker one takes an entry away.
    for build_key in keys:
        for old in before:
            key = build_key(old)
            if old.index in matches or key is None:
                continue
            new = next(
                (candidate for candidate in left if build_key(candidate) == key), None
            )
            if new is not None:
                matches[old.index] = new
                left.remove(new)
    return [
        *((old, matches.get(old.index)) for old in before),
        *((None, new) for new in left),
    ]


def _changes(old: SheetWarrior, new: SheetWarrior) -> Iterator[str]:
    """What one entry gained and lost."""
    yield from _dropped_and_added("", old.gear, new.gear)
    if old.name != new.name:
        yield f"now called “{new.name}”" if new.name else "name taken off"
    if old.title != new.title:
        yield f"now {new.title}"
    if old.lore != new.lore:
        yield new.lore or "no lore"
    yield from (line for line in new.remarks if line not in old.remarks)
    # What a campaign changed stands in the line of now.
    if old.growth == new.growth:
        yield from (f"no longer {line}" for line in old.remarks if line not in new.remarks)


def _dropped_and_added(label: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    yield from (f"{label}{word} dropped" for word in old if word not in new)
    yield from (f"{label}{word} added" for word in new if word not in old)
