"""What would become of a foreign list: each line beside what an army of ours has for it.

Pure: the same tree, army and choices give the same preview. What is not found becomes a note.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from operator import itemgetter

from engine.records import ChoiceList, Texts, frozen_dataclass
from engine.roster import MAX_ENTRIES, MAX_LIMIT, Roster, RosterEntry
from engine.selection import select
from engine.types.lists import COMMAND
from engine.types.systems import System
from interchange.catalogues import plain_name
from interchange.files import refusal
from interchange.tree import UNSAID, ForeignPart, ForeignRoster, ForeignUnit, storable
from warbands.exchange.foreign.matches import (
    ArmyIndex,
    How,
    Match,
    ProfileIndex,
)
from warbands.models import NOTE_MAX, WARRIOR_NOTE_MAX
from warbands.roster_fields import MAX_OPTIONS


@frozen_dataclass
class LineChoice:
    """What somebody decided for a line; None leaves a unit as it was found, "" makes it a note.

    ``options`` are by the number of the part, counted from 0; "" leaves one as a note.
    """

    profile: str | None = None
    options: Mapping[int, str] = field(default_factory=dict)


@frozen_dataclass
class PartLine:
    """A part of a unit and what it was matched with; ``profile`` buys it.

    ``is_decided``: somebody chose it, or chose to leave it as a note.
    """

    number: int
    theirs: ForeignPart
    match: Match
    name: str = ""
    profile: str = ""
    is_decided: bool = False


@frozen_dataclass
class PreviewLine:
    """A unit of theirs, what it becomes, and both prices."""

    theirs: ForeignUnit
    match: Match
    name: str
    parts: tuple[PartLine, ...]
    entries: tuple[RosterEntry, ...]
    points_ours: int
    is_decided: bool = False

    @property
    def difference(self) -> Decimal:
        """Return how much more our list asks than theirs; below 0 for less."""
        return self.points_ours - self.theirs.points

    @property
    def missing(self) -> Texts:
        """Return the parts that become a note."""
        return tuple(
            _part_words(part.theirs) for part in self.parts if not part.match.is_found
        )

    @property
    def theirs_words(self) -> str:
        """Return the line as their list has it: "4 x Spearman (48)"."""
        number = f"{self.theirs.count} x " if self.theirs.count > 1 else ""
        return f"{number}{self.theirs.name} ({self.theirs.points:f})"


@frozen_dataclass
class Preview:
    """A foreign list beside an army: its lines, the roster they make, and what was odd."""

    lines: tuple[PreviewLine, ...]
    roster: Roster
    remarks: Texts
    profiles: ChoiceList

    @property
    def points_ours(self) -> int:
        """Return what the matched lines cost in our army list."""
        return sum(line.points_ours for line in self.lines)

    @property
    def matched(self) -> int:
        """Return how many lines the army has for certain."""
        return sum(bool(line.entries) for line in self.lines)


def build_preview(
    tree: ForeignRoster,
    system: System,
    index: ArmyIndex,
    choices: Mapping[int, LineChoice] | None = None,
) -> Preview:
    """Return what would become of a list; raises Refusal where it is more than a warband holds."""
    chosen = choices or {}
    builder = _LineBuilder(index)
    lines = tuple(
        builder.line(unit, chosen.get(unit.line, LineChoice())) for unit in tree.units
    )
    remarks = list(tree.remarks)
    warriors = [entry for line in lines for entry in line.entries]
    # Whoever leads is one miniature of the whole warband.
    if sum(entry.is_leader for entry in warriors) > 1:
        warriors = [replace(entry, is_leader=False) for entry in warriors]
        remarks.append(
            "Several units lead in this list. Choose the leader after you created it."
        )
    if len(warriors) > MAX_ENTRIES:
        raise refusal(
            f"This list makes {len(warriors):,} entries; a warband has at most {MAX_ENTRIES}."
        )
    note, cut = _roster_note(tree, lines)
    army = index.army
    roster = Roster(
        system.key,
        army.key,
        tree.name,
        tree.limit if tree.limit is None else min(tree.limit, MAX_LIMIT),
        system.variant,
        warriors=tuple(warriors),
        note=note,
    )
    # What may be chosen for a line.
    offered = [(p.key, p.name) for p in army.profiles.values() if p.is_offered]
    offered.sort(key=itemgetter(1))
    return Preview(lines, roster, (*remarks, *cut), offered)


def _roster_note(tree: ForeignRoster, lines: Sequence[PreviewLine]) -> tuple[str, Texts]:
    """Return the note of the roster with all that was not found, and a remark where it was cut."""
    note_lines = [tree.note]
    left_out = []
    for line in lines:
        if not line.entries:
            # All that is known of a line that was not found.
            unit = line.theirs
            custom = f" “{unit.custom}”" if unit.custom else ""
            names = ", ".join(_part_words(part.theirs) for part in line.parts)
            notes = f" ({unit.notes})" if unit.notes else ""
            more = f": {names}" if line.parts else ""
            left_out.append(f"{line.theirs_words}{custom}{more}{notes}")
    if left_out:
        note_lines.append(
            f"From {tree.source.tool}: not in this list: {'; '.join(left_out)}"
        )
    if tree.settings:
        note_lines.append(f"Settings in {tree.source.tool}: {'; '.join(tree.settings)}")
    text = "\n".join(filter(None, note_lines))
    note = storable(text, NOTE_MAX, many_lines=True)
    if len(text) <= NOTE_MAX:
        return note, ()
    return note, (f"The note was cut at {NOTE_MAX:,} characters.",)


class _LineBuilder:
    """Makes the lines of one army; what each profile may buy is looked up once."""

    def __init__(self, index: ArmyIndex) -> None:
        self.index, self.army = index, index.army
        self.profiles: dict[str, ProfileIndex] = {}

    def sold(self, key: str) -> ProfileIndex:
        """Return what a profile may buy; it is put together once."""
        if key not in self.profiles:
            profile = self.army.profiles[key]
            self.profiles[key] = ProfileIndex(self.index, profile)
        return self.profiles[key]

    def line(self, unit: ForeignUnit, choice: LineChoice) -> PreviewLine:
        """Return one line with its match, its entries and both prices."""
        if choice.profile in self.army.profiles:
            match = Match(str(choice.profile), "chosen")
        else:
            match = self.index.unit(unit)
            if choice.profile is not None:
                # An empty choice, or a key that the army does not have.
                match = Match("", "none", match.suggestions)
        bodies = list(self.bodies(unit, match))
        if not match.is_found and len(bodies) > 1:
            match = Match(bodies[1].key, bodies[1].how)
        parts: list[PartLine] = []
        entries: list[RosterEntry] = []
        for body in bodies:
            matched = self.parts(body, len(parts), choice)
            parts += matched
            if body.key:
                entries += self.entries(body, matched)
        # A name and notes are those of the unit, so its first entry has them.
        if entries:
            entries[0] = self.with_name(entries[0], unit, parts)
        if unit.is_leader:
            _mark_leader(entries)
        profile = self.army.profiles.get(match.key)
        return PreviewLine(
            unit,
            match,
            profile.name if profile and match.is_found else "",
            tuple(parts),
            tuple(entries),
            sum(select(self.army, entry).points for entry in entries),
            choice.profile is not None,
        )

    def bodies(self, unit: ForeignUnit, match: Match) -> Iterator["_Body"]:
        """Yield the kinds of miniatures of a unit; first those that are no kind of their own."""
        key = match.key if match.is_found else ""
        kinds: list[_Body] = []
        rest, parts = unit.count, list(unit.parts)
        for model in unit.models:
            as_unit = ForeignUnit(0, model.name, model.count, model.points, ids=model.ids)
            match_of_model = self.index.unit(as_unit)
            if match_of_model.is_found and match_of_model.key != key:
                kinds.append(
                    _Body(match_of_model.key, match_of_model.how, model.count, model.parts)
                )
                rest -= model.count
            elif self.is_champion(key, model.name):
                parts.append(ForeignPart(model.name, model.count, group="champion"))
                parts += [replace(part, group=model.name) for part in model.parts]
            else:
                # What all of them carry is in the list once for each.
                for part in model.parts:
                    if part.count == UNSAID and model.count < unit.count:
                        part = replace(part, count=model.count)
                    parts.append(part)
        yield _Body(key if rest > 0 else "", match.how, max(rest, 0), tuple(parts))
        yield from kinds

    def is_champion(self, key: str, name: str) -> bool:
        """Return whether a kind of model is the champion of a profile."""
        champion = self.army.profiles[key].champion if key else None
        return champion is not None and plain_name(champion.name) == plain_name(name)

    def parts(self, body: "_Body", first: int, choice: LineChoice) -> list[PartLine]:
        """Return the parts of some miniatures with their matches, numbered from ``first``."""
        if not body.key:
            return [
                PartLine(n, part, Match("", "none"), is_decided=n in choice.options)
                for n, part in enumerate(body.parts, first)
            ]
        sold = self.sold(body.key)
        names = sold.items | sold.sold
        lines = []
        for number, part in enumerate(body.parts, first):
            match = sold.part(part)
            key = choice.options.get(number)
            if key is not None:
                # As somebody decided; an empty choice, or a key that is not sold, is a note.
                chosen = Match(key, "chosen")
                match = chosen if key in names else Match("", "none", match.suggestions)
            name = names[match.key][0] if match.key in names else ""
            lines.append(PartLine(number, part, match, name, body.key, key is not None))
        return lines

    def entries(self, body: "_Body", parts: Sequence[PartLine]) -> list[RosterEntry]:
        """Return the entries that some miniatures become."""
        groups = _Groups(body.count)
        for part in parts:
            if part.match.is_found and part.match.key:
                groups.add(part, self.pieces(body, part))
        return [
            RosterEntry(body.key, count=count, options=tuple(options[:MAX_OPTIONS]))
            for count, options in groups.entries()
        ]

    def pieces(self, body: "_Body", part: PartLine) -> int:
        """Return how many pieces the miniatures of a body have together."""
        key, count = part.match.key, part.theirs.count
        receipt = select(self.army, RosterEntry(body.key, options=(key,))).receipt
        if any(line.key == key and line.is_once for line in receipt):
            return body.count
        if count == UNSAID:
            return 1 if key in COMMAND or part.theirs.group else body.count
        return count

    def with_name(
        self, entry: RosterEntry, unit: ForeignUnit, parts: Sequence[PartLine]
    ) -> RosterEntry:
        """Return the entry with the name and the notes of its unit."""
        missing = [_part_words(part.theirs) for part in parts if not part.match.is_found]
        note_lines = [
            unit.notes,
            f"Not in this list: {', '.join(missing)}" if missing else "",
        ]
        note = storable(
            "\n".join(filter(None, note_lines)), WARRIOR_NOTE_MAX, many_lines=True
        )
        profile = self.army.profiles[entry.profile]
        names = {plain_name(unit.spells), plain_name(f"lore of {unit.spells}")}
        names |= {plain_name(part.name) for part in unit.parts}
        lore = next((lore for lore in profile.lores if plain_name(lore) in names), "")
        return replace(entry, name=unit.custom, note=note, lore=lore)


@frozen_dataclass
class _Body:
    """Miniatures of one kind in a unit, with what was chosen for them."""

    key: str
    how: How
    count: int
    parts: tuple[ForeignPart, ...]


class _Groups:
    """The miniatures of a body, parted by what only some of them have."""

    def __init__(self, count: int) -> None:
        self.count = self.left = count
        self.everybody: list[str] = []
        self.some: list[tuple[int, list[str]]] = []
        self.by_name: dict[str, list[str]] = {}

    def add(self, part: PartLine, pieces: int) -> None:
        """Give a number of pieces to everybody, and what is left over to some."""
        # Ten shields of ten models are one each; three of ten are three models with one.
        each, over = divmod(pieces, self.count)
        self.everybody += [part.match.key] * min(each, MAX_OPTIONS)
        if not over:
            return
        of_group = self.by_name.get(part.theirs.group)
        if of_group is not None:
            keys = of_group
        elif over <= self.left:
            keys = []
            self.left -= over
            self.some.append((over, keys))
        else:
            # Where there are not enough left, it is the group of that size, else the first one.
            same = [some for count, some in self.some if count == over]
            keys = (same or [some for _, some in self.some] or [self.everybody])[0]
        keys.append(part.match.key)
        if part.match.key in COMMAND:
            self.by_name[part.theirs.name] = keys

    def entries(self) -> Iterator[tuple[int, list[str]]]:
        """Return the entries that some miniatures become."""
        if self.left:
            yield self.left, self.everybody
        for count, keys in self.some:
            yield count, [*self.everybody, *keys]


def _mark_leader(entries: list[RosterEntry]) -> None:
    """Have the first entry lead that is one miniature."""
    for place, entry in enumerate(entries):
        if entry.count == 1:
            entries[place] = replace(entry, is_leader=True)
            return


def _part_words(part: ForeignPart) -> str:
    """Return an option of theirs in words: "2 x Rope"."""
    return f"{part.count} x {part.name}" if part.count > 1 else part.name
