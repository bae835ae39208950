"""Who stands on the table: a roster sheet, or a quick side, as sides and combatants with keys of
their own.

One combatant for each miniature, and one for each regiment. What a lineup holds is locked with the
battle as plain JSON (``to_locked``), from which the fold begins (``field_of``); nothing in it
changes afterwards.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import count
from typing import Any, TypeVar

from battles.models import (
    MODELS_MAX,
    QUICK_LEADERSHIP_MAX,
    QUICK_MODELS_MAX,
)
from engine.battles.types import (
    Combatant,
    Field,
    Side,
)
from engine.errors import Refusal
from engine.records import (
    JsonObject,
    NamedValues,
    Texts,
    copy_fields,
    frozen_dataclass,
    is_int_within,
)
from engine.types.lists import Army
from warbands.exchange.document import clean_text
from warbands.models import NAME_MAX
from warbands.sheet.structure import (
    RosterSheet,
    SheetLine,
    SheetWarrior,
)

SIDE_KEYS = "abcdefgh"
QUICK_NAME = "Model"
T = TypeVar("T")
_NOBODY = ("mount",)  # lines that are nobody of their own


@frozen_dataclass
class LockedCombatant:
    """One combatant as it is locked.

    ``number`` is which miniature of its entry, from 1; the rest is as on the sheet.

    ``stats``, ``gear`` and ``save`` are words to show beside it, empty on a quick side.
    """

    id: str
    side: str
    name: str
    profile: str = ""
    title: str = ""
    warrior_id: int | None = None
    number: int = 1
    wounds: int | None = None
    leadership: int | None = None
    is_leader: bool = False
    models: int = 1
    points: int = 0
    kinds: Texts = ()
    stats: str = ""
    gear: str = ""
    save: str = ""


@frozen_dataclass
class SideLineup:
    """One side as it is locked.

    ``leadership`` is a quick side's; ``points`` None where nobody counts them. ``part`` is the one
    it plays in the scenario of the battle.
    """

    key: str
    name: str
    fighters: tuple[LockedCombatant, ...]
    army: str = ""
    army_name: str = ""
    leadership: int | None = None
    points: int | None = None
    is_quick: bool = False
    part: str = ""

    @property
    def size(self) -> int:
        return len(self.fighters)

    @property
    def models(self) -> int:
        """Miniatures, those of regiments counted one by one."""
        return sum(fighter.models for fighter in self.fighters)


def quick_lineup(key: str, name: str, models: int, leadership: int | None) -> SideLineup:
    """A side of so many models without a roster. Raises Refusal naming the field and its limit."""
    name = clean_text("quick.name", name, NAME_MAX)
    if not name:
        raise Refusal("Enter a name for the side without a list.", field="quick.name")
    if not is_int_within(models, 1, QUICK_MODELS_MAX):
        raise Refusal(
            f"The models must be a whole number from 1 to {QUICK_MODELS_MAX}.",
            field="quick.models",
        )
    if leadership is not None and not is_int_within(leadership, 1, QUICK_LEADERSHIP_MAX):
        sentence = f"The Leadership must be a whole number from 1 to {QUICK_LEADERSHIP_MAX}, or left out."
        raise Refusal(sentence, field="quick.leadership")
    fighters = tuple(
        # The key of a combatant is its side's letter and its place there: a1, a2, b1.
        LockedCombatant(f"{key}{n}", key, f"{QUICK_NAME} {n}", number=n)
        for n in range(1, models + 1)
    )
    return SideLineup(key, name, fighters, leadership=leadership, is_quick=True)


def sheet_lineup(key: str, sheet: RosterSheet, army: Army) -> SideLineup:
    """The side of a roster sheet.

    Raises Refusal for a roster of nobody, or of more than fit on a side.
    """
    models = sum(1 if warrior.is_unit else warrior.miniatures for warrior in sheet.warriors)
    if not models:
        raise Refusal(
            f"{sheet.name} has no models. Add some, then create the battle.",
            field="sides",
        )
    if models > MODELS_MAX:
        raise Refusal(
            f"A side may have at most {MODELS_MAX} models; {sheet.name} has {models}.",
            field="sides",
        )
    maker = _CombatantMaker(key, army, sheet.warriors)
    members = [(warrior, one) for warrior in sheet.warriors for one in _miniatures(warrior)]
    fighters = [maker.combatant(n, *member) for n, member in enumerate(members, start=1)]
    return SideLineup(
        key=key,
        name=sheet.name,
        fighters=tuple(fighters),
        army=sheet.army_key,
        army_name=sheet.army_name,
        points=sheet.points if sheet.counts_points else None,
    )


@frozen_dataclass
class _Miniature:
    """A miniature of an entry: the n-th, who it is by its stat line, and whether it is the warrior
    itself.
    """

    number: int
    line: SheetLine | None
    is_self: bool


def _miniatures(warrior: SheetWarrior) -> Iterator[_Miniature]:
    """The miniatures of an entry.

    Where one purchase puts several on the table, their stat lines say who they are.
    """
    if warrior.is_unit:
        yield _Miniature(1, warrior.main_line, is_self=True)
        return
    lines = _stat_lines(warrior)
    numbers = count(1)
    for _ in range(warrior.count):
        for place, line in enumerate(lines):
            yield _Miniature(next(numbers), line, place == 0)


def _stat_lines(warrior: SheetWarrior) -> tuple[SheetLine | None, ...]:
    """Who one purchase puts on the table, by stat line; mostly one alone, whose line is the
    entry's.
    """
    each = max(1, warrior.miniatures // max(1, warrior.count))
    if each == 1:
        return (warrior.main_line,)
    printed = [
        line
        for line in warrior.lines
        if line.role not in _NOBODY
        for _ in range(line.count or 1)
    ]
    lines: list[SheetLine | None] = [*printed[:each]] or [None]
    return (*lines, *[lines[-1]] * (each - len(lines)))


class _Names:
    """Names for miniatures: their own, else their kind, numbered where the side has several of it."""

    def __init__(self, warriors: Sequence[SheetWarrior]) -> None:
        """Count the miniatures of each kind that have no name of their own."""
        self.totals: Counter[str] = Counter()
        self.used: Counter[str] = Counter()
        for warrior in warriors:
            for place, member in enumerate(_miniatures(warrior)):
                if not _own_name(warrior, member, place):
                    self.totals[_kind(warrior, member)] += 1

    def of(self, warrior: SheetWarrior, member: _Miniature) -> str:
        """Return the name of a miniature, cut to ``NAME_MAX``; each call counts up.

        Ask in the order of the side: who has no name of their own is numbered.
        """
        own = _own_name(warrior, member, member.number - 1)
        if own:
            return own[:NAME_MAX]
        kind = _kind(warrior, member)
        self.used[kind] += 1
        numbered = f"{kind} {self.used[kind]}" if self.totals[kind] > 1 else kind
        return numbered[-NAME_MAX:]


def _own_name(warrior: SheetWarrior, member: _Miniature, place: int) -> str:
    """Return the name that a miniature was given, "" for none.

    ``place`` counts miniatures of the entry from 0.
    Of each purchase only the first has a name.
    """
    if warrior.is_unit:
        return warrior.name
    index = place // len(_stat_lines(warrior))
    return warrior.names[index] if member.is_self and index < len(warrior.names) else ""


def _kind(warrior: SheetWarrior, member: _Miniature) -> str:
    """Return what to call a miniature without a name: its line's, or the title."""
    return (
        warrior.title
        if member.is_self or member.line is None
        else member.line.name or warrior.title
    )


class _CombatantMaker:
    """Makes the combatants of one side out of the warriors of its sheet."""

    def __init__(self, side: str, army: Army, warriors: Sequence[SheetWarrior]) -> None:
        self.side, self.army, self.names = side, army, _Names(warriors)

    def combatant(
        self, place: int, warrior: SheetWarrior, member: _Miniature
    ) -> LockedCombatant:
        """Return a combatant; call it in the order of the side, from place 1, for names count up.

        Points, gear and save are those of the warrior itself, none of its mounts or followers.
        """
        line, is_self = member.line, member.is_self
        leadership = (
            warrior.leadership if is_self else _stat(line, self.army.leadership_stat)
        )
        # A regiment loses models; its Wounds are not kept.
        return LockedCombatant(
            id=f"{self.side}{place}",
            side=self.side,
            name=self.names.of(warrior, member),
            profile=warrior.profile_key,
            title=_kind(warrior, member),
            warrior_id=warrior.id,
            number=member.number,
            wounds=None if warrior.is_unit or line is None else line.wounds,
            leadership=leadership,
            is_leader=warrior.is_leader and is_self,
            models=warrior.miniatures if warrior.is_unit else 1,
            points=warrior.combatant_points if is_self else 0,
            kinds=self._kinds(warrior),
            stats=" ".join(
                f"{stat} {figure}" for stat, figure in (line.cells if line else ())
            ),
            gear=", ".join(warrior.gear) if is_self else "",
            save=(warrior.save.shown or "") if is_self else "",
        )

    def _kinds(self, warrior: SheetWarrior) -> Texts:
        profile = self.army.profiles.get(warrior.profile_key)
        kinds = (warrior.category, profile.troop_type if profile else "")
        return tuple(kind for kind in kinds if kind)


def _stat(line: SheetLine | None, stat: str) -> int | None:
    figure = dict(line.cells).get(stat, "") if line and stat else ""
    return int(figure) if figure.isascii() and figure.isdigit() else None


def to_locked(sides: Sequence[SideLineup]) -> JsonObject:
    """The sides as plain JSON, as a battle keeps them."""
    return {"sides": [asdict(side) for side in sides]}


def from_locked(data: NamedValues) -> tuple[SideLineup, ...]:
    """The sides out of what a battle keeps."""
    return tuple(
        _known_fields(
            SideLineup, side, fighters=tuple(map(_read_combatant, side["fighters"]))
        )
        for side in data["sides"]
    )


def _read_combatant(data: NamedValues) -> LockedCombatant:
    return _known_fields(LockedCombatant, data, kinds=tuple(data.get("kinds", ())))


def _known_fields(of: type[T], data: NamedValues, **others: Any) -> T:
    """What a battle of another release kept, without what this one does not know."""
    # What a later release adds has a default, so that battles locked before can be read.
    names = of.__dataclass_fields__  # type: ignore[attr-defined]
    return of(**{**{name: data[name] for name in names if name in data}, **others})


def field_of(sides: Sequence[SideLineup]) -> Field:
    """The sides as the fold takes them."""
    return Field(
        tuple(
            copy_fields(
                Side,
                side,
                id=side.key,
                combatants=tuple(copy_fields(Combatant, one) for one in side.fighters),
            )
            for side in sides
        )
    )
