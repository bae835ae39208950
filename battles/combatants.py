"""Who stands on the table: a roster sheet, or a quick side, as sides and combatants with keys of
their own.

One combatant for each miniature, and one for each regiment. What a lineup holds is locked with the
battle as plain JSON (``to_locked``), from which the fold begins (``build_field``); nothing in it
changes afterwards.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain

import re2

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
    TextByKey,
    Texts,
    copy_fields,
    frozen_dataclass,
    is_int_within,
)
from engine.types.lists import Army
from engine.types.systems import System
from warbands.exchange.document import clean_text
from warbands.models import NAME_MAX
from warbands.sheet.frozen import from_json
from warbands.sheet.structure import (
    RosterSheet,
    SheetLine,
    SheetWarrior,
)

SIDE_KEYS = "abcdefgh"
QUICK_NAME = "Model"
NO_MISSILE_WEAPON = "no_missile_weapon"
_DICE_RUN = {"2D6": 2, "3D6": 3}
_NO_LETTERS = re2.compile("[^a-z]+")


@frozen_dataclass
class LockedCombatant(Combatant):
    """One combatant as it is locked: what the fold takes of it, and what pages show beside.

    ``number`` is which miniature of its entry, from 1; the rest is as on the sheet.

    ``stats``, ``gear``, ``save`` and what a rider is ``on_foot`` are words to show beside it, empty
    on a quick side.
    """

    profile: str = ""
    title: str = ""
    warrior_id: int | None = None
    number: int = 1
    stats: str = ""
    gear: str = ""
    save: str = ""
    on_foot: str = ""


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
        limits = f"from 1 to {QUICK_LEADERSHIP_MAX}, or left out"
        sentence = f"The Leadership must be a whole number {limits}."
        raise Refusal(sentence, field="quick.leadership")
    fighters = tuple(
        # The key of a combatant is its side's letter and its place there: a1, a2, b1.
        LockedCombatant(f"{key}{n}", key, f"{QUICK_NAME} {n}", number=n)
        for n in range(1, models + 1)
    )
    return SideLineup(key, name, fighters, leadership=leadership, is_quick=True)


def sheet_lineup(key: str, sheet: RosterSheet, system: System, army: Army) -> SideLineup:
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
    fighters = [
        _combatant((key, place), system, army, *member)
        for place, member in enumerate(_with_names(sheet.warriors), start=1)
    ]
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

    ``kind`` is what to call one without a ``name`` of its own.
    """

    warrior: SheetWarrior
    number: int
    line: SheetLine | None
    is_self: bool
    name: str

    @property
    def kind(self) -> str:
        line = None if self.is_self else self.line
        return (line and line.name) or self.warrior.title


def _miniatures(warrior: SheetWarrior) -> Iterator[_Miniature]:
    """The miniatures of an entry.

    Where one purchase puts several on the table, their stat lines say who they are, and only the
    first has a name.
    """
    if warrior.is_unit:
        yield _Miniature(warrior, 1, warrior.main_line, True, warrior.name)  # noqa: FBT003
        return
    # Who one purchase puts on the table; mostly one alone, whose stat line is the entry's.
    each = max(1, warrior.miniatures // max(1, warrior.count))
    lines: list[SheetLine | None] = [warrior.main_line]
    if each > 1:
        # A mount is nobody of its own.
        walkers = [line for line in warrior.lines if line.role != "mount"]
        bodies = chain.from_iterable([line] * (line.count or 1) for line in walkers)
        lines = [*[*bodies][:each]] or [None]
        lines += [lines[-1]] * (each - len(lines))
    for index in range(warrior.count * len(lines)):
        purchase, place = divmod(index, len(lines))
        is_named = place == 0 and purchase < len(warrior.names)
        name = warrior.names[purchase] if is_named else ""
        yield _Miniature(warrior, index + 1, lines[place], place == 0, name)


def _with_names(warriors: Sequence[SheetWarrior]) -> Iterator[tuple[_Miniature, str]]:
    """The miniatures of a side, each with its name of at most ``NAME_MAX`` characters.

    Who has no name of their own is called by their kind, numbered where there are several.
    """
    members = [member for warrior in warriors for member in _miniatures(warrior)]
    totals = Counter(member.kind for member in members if not member.name)
    numbers: Counter[str] = Counter()
    for member in members:
        name, kind = member.name[:NAME_MAX], member.kind
        if not name:
            numbers[kind] += 1
            name = f"{kind} {numbers[kind]}" if totals[kind] > 1 else kind
        yield member, name[-NAME_MAX:]


def _combatant(
    place: tuple[str, int], system: System, army: Army, member: _Miniature, name: str
) -> LockedCombatant:
    """Return a miniature as it is locked, at a place of a side.

    Points, gear and save are those of the warrior itself, none of its mounts or followers.
    """
    (side, number), warrior = place, member.warrior
    line, is_self = member.line, member.is_self
    profile = army.profiles.get(warrior.profile_key)
    cells = line.cells if line else ()
    locked = LockedCombatant(
        id=f"{side}{number}",
        side=side,
        name=name,
        profile=warrior.profile_key,
        title=member.kind,
        warrior_id=warrior.id,
        number=member.number,
        # A regiment loses models; its Wounds are not kept.
        wounds=None if warrior.is_unit or line is None else line.wounds,
        leadership=_stat(line, army.leadership_stat),
        models=warrior.miniatures if warrior.is_unit else 1,
        kinds=_kinds(warrior, profile.troop_type if profile else ""),
        initiative=_stat(line, system.initiative_stat),
        flight=_DICE_RUN.get(warrior.flight),
        traits=tuple(
            _NO_LETTERS.sub("_", rule.lower()).strip("_") for rule in warrior.rules
        ),
        stats=" ".join(f"{stat} {figure}" for stat, figure in cells),
    )
    if not is_self:
        return locked
    # Of a warrior who has weapons on the list and none to shoot with.
    unarmed = [NO_MISSILE_WEAPON] if warrior.arms and not warrior.shoots() else []
    return replace(
        locked,
        traits=(*locked.traits, *unarmed),
        leadership=warrior.leadership,
        is_leader=warrior.is_leader,
        points=warrior.combatant_points,
        gear=", ".join(warrior.gear),
        save=warrior.save.shown or "",
        on_foot=_words_on_foot(warrior, locked, system, dict(cells)),
    )


def _words_on_foot(
    warrior: SheetWarrior, locked: LockedCombatant, system: System, stats: TextByKey
) -> str:
    """The Movement and save of a rider who has lost its mount; "" of everybody else."""
    if system.movement is None or {"cavalry", "mounted"}.isdisjoint(locked.kinds):
        return ""
    return (
        f"Movement {stats.get(system.movement.move_stat, '–')}, save {warrior.save.on_foot}"
    )


def _kinds(warrior: SheetWarrior, troop_type: str) -> Texts:
    # A monster that carries somebody falls on its own account.
    is_rider = any(mount.role == "mount" and mount.wounds == 1 for mount in warrior.lines)
    kinds = (warrior.category, troop_type, "mounted" if is_rider else "")
    return tuple(filter(None, kinds))


def _stat(line: SheetLine | None, stat: str) -> int | None:
    figure = dict(line.cells).get(stat, "") if line and stat else ""
    return int(figure) if figure.isascii() and figure.isdigit() else None


def to_locked(sides: Sequence[SideLineup]) -> JsonObject:
    """The sides as plain JSON, as a battle keeps them."""
    return {"sides": [asdict(side) for side in sides]}


def from_locked(data: NamedValues) -> tuple[SideLineup, ...]:
    """The sides out of what a battle keeps."""
    # What a later release adds has a default, so that battles locked before can be read.
    return tuple(from_json(side, SideLineup) for side in data["sides"])


def build_field(sides: Sequence[SideLineup]) -> Field:
    """The sides as the fold takes them."""
    return Field(
        tuple(
            copy_fields(
                Side,
                side,
                id=side.key,
                combatants=tuple(
                    copy_fields(Combatant, fighter) for fighter in side.fighters
                ),
            )
            for side in sides
        )
    )
