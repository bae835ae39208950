"""Warriors as they are printed: alike ones together, and what is said of each in words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Any

from engine.equipment import REACHES, CarriedWeapon
from engine.records import frozen_dataclass, grouped
from engine.text import capital
from engine.types.lists import Figure
from warbands.models import WARRIOR_NOTE_MAX
from warbands.pdf.measure import NBSP, Token, clean, split_words
from warbands.pdf.stat_strip import figure
from warbands.sheet.structure import RosterSheet, SheetWarrior, experience_boxes

# Warriors alike stand together: one group for equal neighbours, one line in it for each
# miniature.

MOST_LINES = 600
"""Lines of single miniatures that one document prints at most, all groups together."""
_CAPS = (60, 40, 30, 20, 12, 8, 5, 3, 2, 1)


@frozen_dataclass
class GroupMember:
    """One miniature of a group: its number on the roster, and its ``place`` among those alike."""

    number: int
    place: int
    name: str
    is_leader: bool


@frozen_dataclass
class Group:
    """``members`` are those printed, ``alike`` how many there are, ``more`` how many a line
    only mentions.
    """

    warrior: SheetWarrior
    members: tuple[GroupMember, ...]
    alike: int
    more: int = 0
    is_continued: bool = False


def list_groups(sheet: RosterSheet) -> list[Group]:
    """The groups of a roster in its order; a very large one prints fewer single lines of each.

    A unit is one line.
    """
    alike = [list(warriors) for _, warriors in groupby(sheet.warriors, _likeness)]
    sizes = [sum(1 if w.is_unit else w.count for w in warriors) for warriors in alike]
    # The largest cap that keeps the document within its lines.
    cap = next((c for c in _CAPS if sum(min(size, c) for size in sizes) <= MOST_LINES), 1)
    groups = []
    for warriors, size in zip(alike, sizes, strict=True):
        members = tuple(islice(_members(warriors), cap))
        groups.append(Group(warriors[0], members, size, size - len(members)))
    return groups


def _members(warriors: Sequence[SheetWarrior]) -> Iterator[GroupMember]:
    place = 0
    for warrior in warriors:
        names = (warrior.name,) if warrior.is_unit else warrior.names
        for i in range(1 if warrior.is_unit else warrior.count):
            place += 1
            name = clean(names[i], 120) if i < len(names) else ""
            yield GroupMember(warrior.number + i, place, name, warrior.is_leader)


# In these the warriors of a group may differ: not printed, or printed on a line for each.
_OF_EACH = {
    "index", "id", "number", "name", "names", "count", "miniatures", "is_leader", "points",
    "receipt", "findings", "ranks",
}  # fmt: skip
_PRINTED = attrgetter(
    *(field.name for field in fields(SheetWarrior) if field.name not in _OF_EACH)
)


def _likeness(w: SheetWarrior) -> tuple[Any, ...]:
    """Everything two warriors must share to be printed as one group; what is printed of each line
    is not in it.
    """
    # Each entry learns for itself.
    is_alone = w.is_unit or w.track
    each = (w.index, w.ranks) if is_alone else w.miniatures // max(1, w.count)
    return _PRINTED(w), each


# What is said of a warrior in words: its arms, what else it has, how far it moves, what
# saves it.

_LORES_LISTED = 4
_MOST_BOXES = 60


def gear_tokens(warrior: SheetWarrior) -> Iterator[Token]:
    """Weapons with range, Strength and notes, then everything else carried; the save's own pieces
    stand by the save.
    """
    items: list[tuple[Token, ...]] = []
    for arm in warrior.arms:
        figures = NBSP.join(filter(None, (inches(arm.range), strength(arm.strength))))
        notes = split_words(clean(", ".join(arm.notes), 120))
        tokens = [(clean(arm.name, 60).replace(" ", NBSP), True)]
        if figures:
            figures = NBSP + clean(figures, 40).replace(" ", NBSP)
            tokens.append((figures + ("," if notes else ""), False))
        items.append((*tokens, *notes))
    items += [split_words(clean(name, 80)) for name in other_gear(warrior)]
    for i, (*tokens_before, (text, is_bold)) in enumerate(items, 1):
        yield from tokens_before
        yield text + (";" if i < len(items) else ""), is_bold


def arm_lines(arms: Iterable[CarriedWeapon]) -> list[tuple[str, str]]:
    """Each weapon once with what is printed of it, every Strength it has among them."""
    pairs = (((arm.name, inches(arm.range), arm.notes), arm.strength) for arm in arms)
    lines = []
    for (name, reach, notes), figures in grouped(pairs).items():
        strengths = " or ".join(filter(None, dict.fromkeys(map(strength, figures))))
        lines.append((name, ", ".join(filter(None, (reach, strengths, *notes)))))
    return lines


def inches(figure: Figure) -> str:
    if figure is None:
        return ""
    text = REACHES.get(str(figure), str(figure))
    return f"{text}″" if text[-1:].isdigit() else text.replace('"', "″")


def strength(figure: Figure) -> str:
    if figure is None:
        return ""
    text = str(figure)
    return f"S{text}" if text[:1].isdigit() or text[:1] in "D+-" else text


def other_gear(warrior: SheetWarrior) -> Iterator[str]:
    """What it has besides weapons, pieces of its save and rules, which stand elsewhere."""
    arms, lines = (arm.name for arm in warrior.arms), (line.name for line in warrior.lines)
    pieces = (part.label for part in warrior.save.parts)
    printed = {name.lower() for name in chain(arms, lines, pieces, warrior.rules)}
    return (name for name in warrior.gear if name.lower() not in printed)


def lore_tokens(warrior: SheetWarrior) -> Iterator[Token]:
    """The wizard's lore, or a line to write it on with those it may choose."""
    if warrior.lore:
        yield from (("Lore:", True), *split_words(clean(warrior.lore, 60)))
    elif warrior.lores:
        yield from (("Lore:", True), ("." * 24, False))
        if len(warrior.lores) <= _LORES_LISTED:
            yield from split_words("(" + clean(", ".join(warrior.lores), 120) + ")")


NOTE_BESIDE = 300
"""Signs of a note that stands under its warrior's name; a longer one follows the warriors."""


def note_tokens(warrior: SheetWarrior) -> Iterator[Token]:
    if warrior.note:
        yield from (("Note:", True), *split_words(clean(warrior.note)))


def short_note_tokens(warrior: SheetWarrior) -> Iterator[Token]:
    """The note where it has room, else where it stands."""
    if len(warrior.note) <= NOTE_BESIDE:
        return note_tokens(warrior)
    return iter((("Note:", True), *split_words("at the end")))


def long_note_tokens(group: Group) -> tuple[Token, ...]:
    """A note too long for its place, after the number and name of the first of its group."""
    first, note = group.members[0], group.warrior.note
    if len(note) <= NOTE_BESIDE:
        return ()
    head = f"{first.number} {first.name or clean(group.warrior.title, 120)}:"
    return (*split_words(head, is_bold=True), *split_words(clean(note, WARRIOR_NOTE_MAX)))


def remark_tokens(warrior: SheetWarrior) -> Iterator[Token]:
    """A line for each remark. That of a campaign comes first, with the boxes of its experience:
    the blank ones, which the next battles fill; a double one is an advance. Who has a track has
    rows of them elsewhere.
    """
    for place, line in enumerate(warrior.remarks):
        if place:
            yield "·", False
        if warrior.growth and not place:
            yield from split_words(clean(line, 120), is_bold=True)
            if warrior.track:
                continue
            blank = (box for box in experience_boxes(warrior.growth) if not box.is_filled)
            if boxes := "".join("▣" if box.is_step else "☐" for box in blank):
                yield boxes, False
            continue
        head, colon, rest = line.partition(": ")
        yield from split_words(clean(head + colon.strip()), is_bold=bool(colon))
        yield from split_words(clean(rest, 300))


def left_tokens(group: Group) -> tuple[Token, ...]:
    """What stands under the name: the profile in capitals where that is a name, how many are alike or
    in what ranks they stand, and what they have.
    """
    warrior, title = group.warrior, []
    if group.members[0].name:
        title.append(clean(warrior.title, 80).upper())
    if warrior.subtitle:
        title.append(clean(warrior.subtitle, 120))
    if warrior.ranks:
        title.append(warrior.ranks.words)
    elif (each := warrior.miniatures // max(1, warrior.count)) > 1:
        title.append(f"{each} models{' each' if group.alike > 1 else ''}")
    if group.alike > 1:
        title.append(
            f"{group.alike}{NBSP}alike{', continued' if group.is_continued else ''}"
        )
    writers = (gear_tokens, lore_tokens, short_note_tokens)
    parts = (tuple(write(warrior)) for write in writers)
    text = tuple(_dotted(parts))
    if not title:
        return text
    end = ":" if text else ""
    return (*split_words(capital(", ".join(title)) + end), *text)


def casualty_tokens(warrior: SheetWarrior) -> Iterator[Token]:
    """A box for each model of a unit, rank by rank, to cross out."""
    if warrior.ranks is None:
        return
    yield "Losses", True
    left = min(warrior.ranks.models, _MOST_BOXES)
    beside = NBSP
    while left > 0:
        yield beside + "☐" * min(left, warrior.ranks.frontage), False
        left -= warrior.ranks.frontage
        beside = ""
    if warrior.ranks.models > _MOST_BOXES:
        yield f"of{NBSP}{warrior.ranks.models}", False


def move_words(warrior: SheetWarrior) -> str:
    """Run and charge, spotting distance and flight dice in one phrase."""
    parts = []
    run = warrior.run_name
    if warrior.run is not None and warrior.run == warrior.charge:
        parts.append(f"{run} or charge{NBSP}{warrior.run}″")
    elif warrior.run is not None:
        parts.append(f"{run}{NBSP}{warrior.run}″, charge{NBSP}{warrior.charge}″")
    if warrior.spotting is not None:
        parts.append(f"spots{NBSP}{warrior.spotting}″")
    if warrior.flight:
        parts.append(f"flees{NBSP}{warrior.flight}″")
    return capital(", ".join(parts))


def save_words(warrior: SheetWarrior) -> str:
    """The parts of the save and what changes it, then the ward save; nothing where the system knows
    no saves.
    """
    save = warrior.save
    if save.is_unknown:
        return ""
    text = ", ".join(str(part) for part in save.parts) or "no armour"
    text = "; ".join((text, *save.situational))
    ward = f". Ward save {save.ward}+" if save.ward else ""
    return clean(capital(text) + ward, 300)


def strange_figures(warrior: SheetWarrior) -> str:
    """Figures too long for a box, which shows a star instead."""
    cells = [cell for line in warrior.lines for cell in line.cells]
    odd = dict.fromkeys(
        f"{key} {text}" for key, text in cells if figure(text) == "*" and text != "*"
    )
    return "* " + ", ".join(odd) if odd else ""


def right_tokens(warrior: SheetWarrior) -> tuple[Token, ...]:
    """What stands under the boxes: distances, save, special rules, and what a campaign made of it,
    which is long.
    """
    odd = clean(strange_figures(warrior), 120)
    parts = [split_words(text) for text in (move_words(warrior), save_words(warrior), odd)]
    parts += [split_words(clean(rule, 80), is_bold=True) for rule in warrior.rules]
    return tuple(_dotted((*parts, tuple(remark_tokens(warrior)))))


def _dotted(parts: Iterable[tuple[Token, ...]]) -> Iterator[Token]:
    for i, part in enumerate(filter(None, parts)):
        if i:
            yield "·", False
        yield from part
