"""A warrior as the dice see it: figures, weapons in hand, armour by situation.

Read from an entry of a roster.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, islice, permutations

from engine.equipment import (
    SIDE_ARMS,
    Save,
    armour_save,
    blow_strength,
    needs_a_hand,
    paired_weapons,
    two_handed_attacks,
)
from engine.records import TextPairs, frozen_dataclass
from engine.roster import RosterEntry
from engine.selection import Selection, select
from engine.stat_lines import carried_items, stat_lines
from engine.types.lists import Armour, Army, Figure, Profile, StatLine, Weapon
from engine.types.systems import System

# Which column of a stat line holds which figure. A system without the column has no such figure.
COLUMNS = {
    "ws": "WS",
    "bs": "BS",
    "strength": "S",
    "toughness": "T",
    "wounds": "W",
    "initiative": "I",
    "attacks": "A",
    "shooting": "Sh",
    "melee": "Me",
    "defence": "Df",
    "front": "Fr",
    "side": "Si",
    "rear": "Re",
}
HAND, MOUNT = "hand-weapon", "mount"
PAIRS_MOST = 20
_PLAIN = Weapon(HAND, "Hand weapon", "melee", strength="user", hands=1)
_OWN = Weapon("own", "Own attacks", "melee", strength="user", hands=1)


class _Figured:
    """Somebody, or something, with the figures of a stat line."""

    __slots__ = ()
    figures: Mapping[str, Figure]

    def figure(self, name: str, low: int = 1, high: int = 10) -> int | None:
        """A figure of the stat line as a number within bounds, or None where it is none."""
        value = self.figures.get(COLUMNS[name])
        return value if isinstance(value, int) and low <= value <= high else None


@frozen_dataclass
class Held(_Figured):
    """A weapon in this warrior's hand, with the figures of whoever strikes with it: the rider, or
    the mount.

    ``more_attacks`` are those that the system itself gives. ``second`` is the weapon in the other
    hand, which makes them.
    """

    key: str
    name: str
    weapon: Weapon
    figures: Mapping[str, Figure]
    is_mounted: bool = False
    more_attacks: int = 0
    second: "Held | None" = None

    @property
    def takes_both_hands(self) -> bool:
        return self.second is not None or self.weapon.hands == 2

    def trait(self, name: str) -> object:
        return self.weapon.traits.get(name)

    def number(self, name: str) -> int:
        """A trait that is a whole number; 0 where it is none."""
        value = self.weapon.traits.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def strength(self, *, charging: bool = False, first_round: bool = False) -> int | None:
        """The Strength of a blow, with what charge, saddle or first round adds; 1 to 10."""
        user, traits = self.figure("strength"), self.weapon.traits
        strengths = [blow_strength(self.weapon.strength, user)]
        for trait, applies in (
            ("strength_first_round", first_round and self.weapon.type == "melee"),
            ("strength_mounted", self.is_mounted),
            ("strength_charging", charging),
            ("strength_mounted_charging", charging and self.is_mounted),
            ("strength_foot_charging", charging and not self.is_mounted),
        ):
            if applies and trait in traits:
                strengths.append(blow_strength(traits[trait], user))
        # Only numbers can be compared; a Strength may be printed as a word.
        numbers = [value for value in strengths if isinstance(value, int)]
        return min(max(numbers), 10) if numbers else None

    @property
    def extra_attacks(self) -> int:
        """What the weapon adds to the Attacks, the further one of a second weapon counted in."""
        if self.is_mounted and self.trait("foot_only"):
            return self.more_attacks
        return self.more_attacks + self.number("extra_attacks")

    @property
    def attacks(self) -> int | None:
        """How many attacks it makes with this while it is calm."""
        printed = self.figure("attacks", 0, 20)
        return None if printed is None else min(printed + self.extra_attacks, 20)

    @property
    def weapon_skill(self) -> int | None:
        skill, bonus = self.figure("ws"), self.trait("bonus")
        better = bonus.get("WS", 0) if isinstance(bonus, Mapping) else 0
        return None if skill is None else min(skill + better, 10)


@frozen_dataclass
class CombatProfile(_Figured):
    """A warrior for the odds.

    ``melee`` and ``missiles`` hold only what it can use as it is, on foot or mounted.

    ``save`` is the plain one with its situations; ``address`` names the rules it was read under.
    """

    title: str
    address: str
    cells: TextPairs
    figures: Mapping[str, Figure]
    save: Save
    melee: tuple[Held, ...]
    missiles: tuple[Held, ...] = ()
    gear: str = ""
    armour: tuple[Armour, ...] = ()
    is_mounted: bool = False
    flags: frozenset[str] = frozenset()
    count: int = 1

    def held(self, key: str, *, missile: bool = False) -> Held | None:
        """The weapon of that key, the first one where it carries none such, None where it carries
        nothing at all.
        """
        weapons = self.missiles if missile else self.melee
        usual = weapons[0] if weapons else None
        return next((weapon for weapon in weapons if weapon.key == key), usual)

    @property
    def hates_all(self) -> bool:
        """Whether it hates whomever it fights: no rule of it names whom it hates."""
        names = ("hate_", "hates_", "hatred_(")
        return "hatred" in self.flags and not any(f.startswith(names) for f in self.flags)

    def save_in_combat(self, weapon: Held | None, *, has_shield: bool = True) -> int | None:
        """The save in close combat with this weapon in hand; a shield goes away with both hands
        full.
        """
        # A lower number is a better save, so what helps is taken off; 7 is no save.
        number = self.save.number or 7
        for piece in self.armour:
            with_hand_weapon = piece.traits.get("improves_with_hand_weapon_on_foot")
            if piece.is_shield:
                if not has_shield or (weapon and weapon.takes_both_hands):
                    number += piece.improves
                elif with_hand_weapon and self._is_plain(weapon):
                    number -= _whole(with_hand_weapon)
            if has_shield or piece.is_shield:
                number -= _whole(piece.traits.get("improves_in_combat"))
        return _save(number)

    def save_from_missiles(self, *, has_shield: bool = True) -> int | None:
        """The save against a shot."""
        number = self.save.number or 7
        for piece in self.armour:
            if piece.is_shield and not has_shield:
                number += piece.improves
            if further := _whole(piece.traits.get("improves_vs_missiles")):
                number -= further - piece.improves
            if fixed := _whole(piece.traits.get("save_vs_missiles")):
                number = min(number, fixed)
        return _save(number)

    def _is_plain(self, weapon: Held | None) -> bool:
        """Whether that weapon counts as a hand weapon on foot."""
        if self.is_mounted or weapon is None or weapon.second:
            return False
        is_hand_weapon = HAND in (weapon.key, weapon.trait("counts_as"))
        return is_hand_weapon or bool(weapon.trait("parry"))

    @property
    def has_shield(self) -> bool:
        return any(piece.is_shield for piece in self.armour)

    @property
    def has_helmet(self) -> bool:
        return any("save_against_stunned" in piece.traits for piece in self.armour)

    def parries(self, weapon: Held | None) -> int:
        """How many of its things parry with this weapon in hand: none, one, or weapon and buckler
        together. Two weapons parry as one.
        """
        has_buckler = any(piece.traits.get("parry") for piece in self.armour)
        if weapon is None:
            return int(has_buckler)
        has_buckler = has_buckler and not weapon.takes_both_hands
        second = weapon.second
        parries = weapon.trait("parry") or (second and second.trait("parry"))
        return bool(parries) + has_buckler


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _save(number: int) -> int | None:
    return max(number, 1) if number < 7 else None


def read_combat_profile(
    entry: RosterEntry, army: Army, system: System
) -> CombatProfile | None:
    """Return the warrior an entry describes under these rules.

    None where the list has no such profile or prints no stat line.
    """
    selection = select(army, entry)
    lines = stat_lines(selection, army)
    profile, mounted = selection.profile, selection.is_mounted
    if profile is None or not lines:
        return None
    figures = _figures(lines)
    keys = carried_items(selection)
    armour = tuple(army.armour[key] for key in keys if key in army.armour)
    carried = [
        Held(
            weapon.key,
            weapon.name,
            weapon,
            figures,
            mounted,
            two_handed_attacks(weapon, army),
        )
        for weapon in (army.weapons[key] for key in keys if key in army.weapons)
    ]
    pairs = _pairs(paired_weapons(selection, army), figures, army, mounted=mounted)
    single = _melee(carried, figures, mounted=mounted)
    return CombatProfile(
        title=entry.name or selection.title,
        gear=_gear(selection, carried, armour),
        address=system.address,
        cells=_cells(figures, system.with_list_columns(army)),
        figures=figures,
        save=armour_save(selection, army, system.saves),
        armour=armour,
        melee=(*_proposed_first(tuple(pairs), single, armour), *_mounts(lines)),
        missiles=tuple(
            missile
            for missile in carried
            if missile.weapon.type == "missile" and missile.weapon.range is not None
        ),
        is_mounted=mounted,
        flags=_flags(profile, selection),
        count=entry.count,
    )


def _gear(selection: Selection, carried: list[Held], armour: tuple[Armour, ...]) -> str:
    names = [weapon.name for weapon in carried] + [piece.name for piece in armour]
    if selection.mount:
        names.append(selection.mount.name)
    return ", ".join(dict.fromkeys(names))


def _mounts(lines: tuple[StatLine, ...]) -> tuple[Held, ...]:
    mounts = [
        line
        for line in lines
        if line.role == MOUNT and isinstance(line.stats.get(COLUMNS["attacks"]), int)
    ]
    return tuple(
        Held(f"{MOUNT}-{n}", f"{line.name}, its own attacks", _OWN, line.stats)
        for n, line in enumerate(mounts)
    )


def _flags(profile: Profile, selection: Selection) -> frozenset[str]:
    rules = [*profile.special_rules]
    for option in selection.options:
        rules += option.grants
    return profile.flags | {rule.lower().replace(" ", "_") for rule in rules}


def plain_combat_profile(
    name: str, figures: Mapping[str, Figure], save: int | None, system: System
) -> CombatProfile:
    """Return a warrior given by its figures alone, with a hand weapon."""
    return CombatProfile(
        title=name,
        address=system.address,
        cells=_cells(figures, system),
        figures=figures,
        save=Save(save),
        melee=(Held(HAND, _PLAIN.name, _PLAIN, figures),),
    )


def _cells(figures: Mapping[str, Figure], system: System) -> TextPairs:
    values = ((stat.key, figures.get(stat.key)) for stat in system.stats)
    return tuple((key, "–" if value is None else str(value)) for key, value in values)


def _figures(lines: tuple[StatLine, ...]) -> Mapping[str, Figure]:
    """The rider's or model's own figures; what its line leaves out is taken from crew or body,
    never from a mount.
    """
    # A body without a figure of its own, such as a Weapon Skill, has that of its crew.
    rider, *others = [line for line in lines if line.role != MOUNT] or lines
    figures = dict(rider.stats)
    for line in others:
        for key, value in line.stats.items():
            if not isinstance(figures.get(key), int) and isinstance(value, int):
                figures[key] = value
    return figures


def _melee(
    carried: list[Held], figures: Mapping[str, Figure], *, mounted: bool
) -> tuple[Held, ...]:
    """Return what strikes in melee, side arms last.

    Somebody with nothing usable strikes with what it has.
    """
    barring = "foot_only" if mounted else "mounted_only"
    usable = [
        weapon
        for weapon in carried
        if weapon.weapon.type != "missile" and not weapon.trait(barring)
    ]
    # The special weapon is what a warrior was given to fight with, so it is proposed first.
    usable.sort(key=lambda weapon: SIDE_ARMS.get(weapon.key, 0))
    return tuple(usable) or (Held(_OWN.key, _OWN.name, _OWN, figures, mounted),)


def _proposed_first(
    pairs: tuple[Held, ...], single: tuple[Held, ...], armour: tuple[Armour, ...]
) -> tuple[Held, ...]:
    """Return pairs of weapons before single ones, but where they put out a shield or buckler."""
    has_full_hands = any(map(needs_a_hand, armour))
    return (*single, *pairs) if has_full_hands else (*pairs, *single)


def _pairs(
    weapons: tuple[Weapon, ...], figures: Mapping[str, Figure], army: Army, *, mounted: bool
) -> Iterator[Held]:
    """Yield each two of these weapons as a way to fight, with either of them as the main one.

    Which is the main one makes no odds where each strikes once.
    """
    attacks = COLUMNS["attacks"]
    pair_up = combinations if figures.get(attacks) == 1 else permutations
    # Further attacks are the other weapon's: it makes them and no more.
    none = {**figures, attacks: 0}
    pairs = {(main.key, other.key): (main, other) for main, other in pair_up(weapons, 2)}
    for main, other in islice(pairs.values(), PAIRS_MOST):
        yield Held(
            key=f"{main.key}-and-{other.key}",
            name=f"{main.name} and {other.name.lower()}",
            weapon=main,
            figures=figures,
            is_mounted=mounted,
            more_attacks=army.two_weapon_attacks,
            second=Held(
                other.key, other.name, other, none, mounted, army.two_weapon_attacks
            ),
        )
