"""What is different between two sheets of a warband, in short sentences: "+1 Swordsman", "Captain:
Shield dropped".
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from warbands.sheet.growth import head_lines
from warbands.sheet.structure import RosterSheet, SheetWarrior

Pair = tuple[SheetWarrior | None, SheetWarrior | None]


def difference(before: RosterSheet, after: RosterSheet) -> tuple[str, ...]:
    """The differences, who came and went first, points last; nothing where the two say the same.

    Notes and findings are not told: they are about the roster, not what stood on the table.
    """
    pairs = _pairs(before.warriors, after.warriors)
    return (
        *_named(before, after),
        *_numbers(pairs),
        *(words for old, new in pairs if old and new for words in _changes(old, new)),
        *_leader(before, after),
        *_agreed(before, after),
        *_head(before, after),
        *_points(before, after),
    )


def _named(before: RosterSheet, after: RosterSheet) -> Iterator[str]:
    if before.name != after.name:
        yield f"renamed “{after.name}”"
    if before.army_key != after.army_key:
        yield f"{after.army_name} instead of {before.army_name}"


def _pairs(before: Sequence[SheetWarrior], after: Sequence[SheetWarrior]) -> list[Pair]:
    """Each entry with what it was: by its id, else by profile and name, else by profile alone."""
    left = list(after)
    found: dict[int, SheetWarrior] = {}
    # The surest likeness first, for all entries, before a weaker one takes an entry away.
    for is_same in (_has_same_id, _has_same_name, _has_same_profile):
        for old in before:
            new = (
                None
                if old.index in found
                else next((one for one in left if is_same(old, one)), None)
            )
            if new is not None:
                found[old.index] = new
                left.remove(new)
    return [
        *((old, found.get(old.index)) for old in before),
        *((None, new) for new in left),
    ]


def _has_same_id(old: SheetWarrior, new: SheetWarrior) -> bool:
    return old.id is not None and old.id == new.id and old.profile_key == new.profile_key


def _has_same_name(old: SheetWarrior, new: SheetWarrior) -> bool:
    return (old.profile_key, old.name, old.title) == (new.profile_key, new.name, new.title)


def _has_same_profile(old: SheetWarrior, new: SheetWarrior) -> bool:
    return old.profile_key == new.profile_key


def _numbers(pairs: Sequence[Pair]) -> Iterator[str]:
    """How many more or fewer of each kind; an entry split in two is no change."""
    counts: Counter[str] = Counter()
    for old, new in pairs:
        for warrior, sign in ((old, -1), (new, 1)):
            if warrior is not None:
                counts[(old if old and new else warrior).title] += sign * warrior.count
    for title, change in counts.items():
        if change:
            yield f"{'+' if change > 0 else '−'}{abs(change)} {title}"


def _changes(old: SheetWarrior, new: SheetWarrior) -> Iterator[str]:
    """What one entry gained and lost."""
    words = [*_dropped_and_added("", old.gear, new.gear)]
    if old.name != new.name:
        words.append(f"now called “{new.name}”" if new.name else "name taken off")
    if old.title != new.title:
        words.append(f"now {new.title}")
    if old.lore != new.lore:
        words.append(new.lore or "no lore")
    words += _remarks(old, new)
    if words:
        yield f"{old.name or old.title}: {', '.join(words)}"


def _remarks(old: SheetWarrior, new: SheetWarrior) -> Iterator[str]:
    """What is remarked of an entry now, and what is no longer so."""
    yield from (line for line in new.remarks if line not in old.remarks)
    # What a campaign changed is told by the line of now.
    if old.growth == new.growth:
        yield from (f"no longer {line}" for line in old.remarks if line not in new.remarks)


def _leader(before: RosterSheet, after: RosterSheet) -> Iterator[str]:
    if before.leader != after.leader and not _is_renamed(before, after):
        yield f"{after.leader or 'nobody'} leads instead of {before.leader or 'nobody'}"


def _is_renamed(before: RosterSheet, after: RosterSheet) -> bool:
    """Whether the same entry still leads and was only given another name."""
    ids = [{w.id for w in sheet.warriors if w.is_leader} for sheet in (before, after)]
    return ids[0] == ids[1] != {None} and bool(ids[0])


def _agreed(before: RosterSheet, after: RosterSheet) -> Iterator[str]:
    if before.points_limit != after.points_limit:
        new, old = (
            "none" if sheet.points_limit is None else f"{sheet.points_limit:,}"
            for sheet in (after, before)
        )
        yield f"points limit {new} instead of {old}"
    yield from _dropped_and_added("house rule ", before.house_rules, after.house_rules)
    yield from _dropped_and_added("ruling ", before.rulings, after.rulings)
    yield from _dropped_and_added("tag ", before.tags, after.tags)


def _head(before: RosterSheet, after: RosterSheet) -> Iterator[str]:
    lines = [head_lines(sheet.growth) if sheet.growth else () for sheet in (before, after)]
    yield from (line for line in lines[1] if line not in lines[0])


def _dropped_and_added(label: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    yield from (f"{label}{word} dropped" for word in old if word not in new)
    yield from (f"{label}{word} added" for word in new if word not in old)


def _points(before: RosterSheet, after: RosterSheet) -> Iterator[str]:
    change = after.points - before.points
    if change and before.counts_points and after.counts_points:
        yield (
            f"{abs(change)} pt{'' if abs(change) == 1 else 's'} {'more' if change > 0 else 'less'}"
        )
