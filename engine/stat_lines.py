"""The stat lines of an entry: what it carries, and its figures with options and armour."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.records import Numbers, Texts
from engine.selection import Selection, grown_figure
from engine.types.lists import Armour, Army, Figure, Option, Profile, StatLine


def carried_items(selection: Selection) -> Texts:
    """Return the item keys after purchases, each once, what was bought at the end."""
    return tuple(dict.fromkeys(carried_pieces(selection)))


def carried_pieces(selection: Selection) -> Texts:
    """Return the item key of every piece after purchases: of two swords, sword twice.

    Buying another option of an exclusive group puts the items of the group's default away.
    """
    profile = selection.profile
    if profile is None:
        return ()
    items = list(profile.default_items)
    bought = selection.options + selection.champions_options
    for option in _replaced_defaults(selection, profile, bought):
        # One piece goes for each item of the default; a second of its kind stays.
        for item in option.items:
            if item in items:
                items.remove(item)
    for option in bought:
        # A choice of arms names the whole of them, those that everybody has included.
        if option.group:
            items += [item for item in option.items if item not in items]
        else:
            items += option.items * selection.bought[option.key]
    return tuple(items)


def _replaced_defaults(
    selection: Selection, profile: Profile, bought: tuple[Option, ...]
) -> Iterator[Option]:
    """Yield the defaults of exclusive groups from which something else was bought."""
    groups = {
        option.group
        for option in bought
        if option.group and option.is_exclusive and not option.is_default
    }
    if not groups:
        return
    for option in profile.all_options:
        if option.is_default and option.group in groups and not selection.has(option.key):
            yield option


def stat_lines(selection: Selection, army: Army) -> tuple[StatLine, ...]:
    """Return the lines to print: the model's, what options add, and the mount's.

    The champion's line stands in the model's place. Effects of options are worked into it, and what
    armour adds to the defence or gives of armour values.
    """
    profile = selection.profile
    if profile is None:
        return ()
    lines = _own_lines(selection, profile)
    for option in selection.options:
        if option.effect and lines:
            lines[0] = _with_changes(lines[0], option.effect)
        lines.extend(option.adds_lines)
    # A mount's line stands behind and is no better for its rider's armour.
    if lines and army.defence_stat:
        lines[0] = _in_armour(lines[0], selection, army)
    if selection.mount:
        lines.extend(replace(line, role="mount") for line in selection.mount.lines)
    return tuple(lines)


def _own_lines(selection: Selection, profile: Profile) -> list[StatLine]:
    """Return the profile's stat lines, the first as champion or growth changes it."""
    lines, champion = list(profile.lines), profile.champion
    # No source prints the stat line of some champions; the model's holds for them.
    if selection.has_champion and lines and champion and champion.stats:
        lines[0] = StatLine(champion.name, champion.stats, lines[0].role, lines[0].count)
    if lines and selection.entry.growth:
        # The line as a campaign has changed it; where no number is printed none grows.
        line = lines[0]
        growth = selection.entry.growth
        stats = {
            stat: grown_figure(figure, growth, stat) if isinstance(figure, int) else figure
            for stat, figure in line.stats.items()
        }
        lines[0] = replace(line, stats=stats)
    return lines


def _with_changes(line: StatLine, changes: Mapping[str, Figure]) -> StatLine:
    changed = {
        key: changed_figure(line.stats.get(key), change) for key, change in changes.items()
    }
    return replace(line, stats={**line.stats, **changed})


def _in_armour(line: StatLine, selection: Selection, army: Army) -> StatLine:
    """Return the line in the armour that is carried: each piece betters the defence."""
    for key in carried_items(selection):
        if piece := army.armour.get(key):
            changes: dict[str, Figure] = {}
            if isinstance(line.stats.get(army.defence_stat), int) and (
                bonus := piece.traits.get("defence")
            ):
                changes[army.defence_stat] = f"+{bonus}"
            for stat, value in zip(army.value_stats, armour_values(piece), strict=False):
                printed = line.stats.get(stat)
                changes[stat] = max(printed, value) if isinstance(printed, int) else value
            line = _with_changes(line, changes)
    return line


def armour_values(piece: Armour) -> Numbers:
    """Return the armour values a piece gives, front, side and rear; none for most armour."""
    return tuple(piece.traits.get("armour_values", ()))


def changed_figure(figure: Figure, change: Figure) -> Figure:
    """Return a figure of a stat line under a change.

    A signed text (``+1``) adds to a number; anything else takes its place.
    """
    if isinstance(figure, int) and isinstance(change, str):
        if change[:1] in "+-" and change[1:].isdigit():
            return figure + int(change)
    return change
