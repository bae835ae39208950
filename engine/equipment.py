"""Equipment of a warrior: items after purchases, the armour save, weapons with figures.

An armour save is the lowest score on a D6 that saves (5 for 5+), before Strength. What counts in
shooting or close combat alone is told in words and never counted in.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.records import NamedValues, Texts, frozen_dataclass
from engine.selection import Selection
from engine.stat_lines import carried_items, carried_pieces, stat_lines
from engine.types.lists import Armour, Army, Figure, Profile, Weapon

SIDE_ARMS = {"dagger": 1, "hand-weapon": 2}
"""What anybody carries, behind the weapons that somebody was given to fight with."""

# An option grants scales by the name of the special rule, its save in brackets.
_SCALES = re.compile(r"Scaly [Ss]kin \((\d)\+\)")


NO_SAVE = 7
"""What no die comes to: a save of 7+ is none."""


@frozen_dataclass
class SavePart:
    """A part of a save: ``value`` 5 is a save of 5+, ``better`` 1 betters another; ``of_mount``:
    who loses the mount loses it.
    """

    label: str
    value: int | None = None
    better: int = 0
    of_mount: bool = False

    def __str__(self) -> str:
        return (
            f"{self.label} {self.value}+" if self.value else f"{self.label} +{self.better}"
        )


@frozen_dataclass
class Save:
    """An armour save: ``number`` 5 is a save of 5+, None is no save.

    ``parts`` are what it is made of, ``situational`` says in words what changes it, and ``ward`` is
    a save that Strength does not touch. ``is_unknown``: the system has no saves at all.
    """

    number: int | None
    parts: tuple[SavePart, ...] = ()
    situational: Texts = ()
    ward: int | None = None
    is_unknown: bool = False

    @property
    def text(self) -> str:
        """Return the save as it is printed: 5+, or a dash."""
        return f"{self.number}+" if self.number else "–"

    @property
    def on_foot(self) -> str:
        """Return the save of a rider whose mount is gone."""
        lost = sum(part.better for part in self.parts if part.of_mount)
        number = (self.number or NO_SAVE) + lost
        return f"{number}+" if number < NO_SAVE else "–"

    @property
    def shown(self) -> str | None:
        """Return the text, or None in a system without saves."""
        return None if self.is_unknown else self.text


@frozen_dataclass
class CarriedWeapon:
    """A weapon in a warrior's hand, with its range in inches.

    ``strength`` is that of the blow: a number, or as printed where the bearer has no Strength.
    ``further`` are other Strengths it has, each with when ("charging").
    """

    key: str
    name: str
    range: Figure
    strength: Figure
    notes: Texts = ()
    is_missile: bool = False
    further: tuple[tuple[Figure, str], ...] = ()


def armour_save(selection: Selection, army: Army, rules: NamedValues) -> Save:
    """Return the save from everything carried and ridden.

    ``rules`` are the system's figures of ``saves`` in ``system.yaml`` (mounted, barding, best); a
    system without them has no saves.
    """
    if not rules:
        return Save(None, is_unknown=True)
    profile = selection.profile
    if profile is None:
        return Save(None)
    keys = carried_items(selection)
    armour, weapons = _carried_gear(keys, army)
    has_free_hands = "hand-weapon" in keys and not selection.is_mounted
    has_pair = bool(paired_weapons(selection, army))
    no_save = int(rules.get("no_save", NO_SAVE))
    # Saves of their own do not add up: the best one counts, with every improvement.
    saves = _list_saves(selection, profile, armour, weapons)
    parts = sorted(saves, key=lambda part: part.value or no_save)[:1]
    parts += _armour_improvements(armour)
    parts += _mounted_improvement(selection, profile, rules)
    number = min((part.value or no_save for part in parts), default=no_save)
    number -= sum(part.better for part in parts)
    printed = _printed_save(profile, "armour_save")
    # A profile may print its save as a whole; it counts where it is better than the parts.
    if printed is not None and printed < number:
        number, parts = printed, [SavePart("printed save", value=printed)]
    number = max(number, int(rules.get("best", 1)))
    return Save(
        number if number < no_save else None,
        tuple(parts),
        tuple(
            _situational(armour, weapons, has_free_hands=has_free_hands, has_pair=has_pair)
        ),
        _printed_save(profile, "ward_save"),
    )


def _carried_gear(keys: Texts, army: Army) -> tuple[list[Armour], list[Weapon]]:
    armour = [army.armour[key] for key in keys if key in army.armour]
    return armour, [army.weapons[key] for key in keys if key in army.weapons]


def _armour_improvements(armour: list[Armour]) -> list[SavePart]:
    return [
        SavePart(piece.name, better=piece.improves) for piece in armour if piece.improves
    ]


def _printed_save(profile: Profile, key: str) -> int | None:
    figure = profile.figures.get(key)
    return figure if isinstance(figure, int) else None


def _list_saves(
    selection: Selection, profile: Profile, armour: list[Armour], weapons: list[Weapon]
) -> list[SavePart]:
    """Return every save of its own: of armour, of hide and scales, of weapons."""
    saves = [SavePart(piece.name, value=piece.save) for piece in armour if piece.save]
    # Hide and scales are the profile's own, or an option gives them.
    printed = _printed_save(profile, "natural_armour")
    values = [] if printed is None else [printed]
    for option in selection.options:
        matches = filter(None, map(_SCALES.fullmatch, option.grants))
        values += [int(match[1]) for match in matches]
    saves += [SavePart("scaly skin", value=value) for value in values]
    return saves + [
        SavePart(weapon.name, value=weapon.traits["armour_save"])
        for weapon in weapons
        if "armour_save" in weapon.traits
    ]


def _mounted_improvement(
    selection: Selection, profile: Profile, rules: NamedValues
) -> list[SavePart]:
    """Return what riding gives: 1 better, 2 on a thick-skinned mount, and barding."""
    mount = selection.mount
    if not selection.is_mounted:
        return []
    # A large mount, or a chariot, leaves its rider's save as it is.
    exempt = rules.get("mounts_that_give_nothing", ())
    if mount and (mount.troop_type in exempt or "large_target" in mount.flags):
        return []
    # A profile that is a rider with its mount holds the mount's rules itself.
    ridden = (profile, mount) if mount else (profile,)
    thick = rules.get("thick_skinned_rule")
    if any(
        thick in (*creature.special_rules, *creature.mount_rules) for creature in ridden
    ):
        gains = [("thick-skinned mount", rules.get("thick_skinned", 2))]
    else:
        gains = [("mounted", rules.get("mounted", 1))]
    if any(creature.is_barded for creature in ridden):
        gains.append(("barding", rules.get("barding", 1)))
    return [SavePart(label, better=int(gain), of_mount=True) for label, gain in gains]


def _situational(
    armour: list[Armour], weapons: list[Weapon], *, has_free_hands: bool, has_pair: bool
) -> Iterator[str]:
    """Yield in words what changes the save at times, and what armour does beside it."""
    for piece in armour:
        if has_free_hands and piece.traits.get("improves_with_hand_weapon_on_foot"):
            yield "hand weapon and shield: 1 better in close combat on foot"
        yield from _piece_notes(piece)
    full = [
        f"while {w.name.lower()} takes both hands" for w in weapons if _is_two_handed(w)
    ][:1]
    if has_pair:
        full.append("with a weapon in each hand")
    for piece in filter(needs_a_hand, armour):
        yield from (f"no {piece.name.lower()} in close combat {why}" for why in full)


def _is_two_handed(weapon: Weapon) -> bool:
    return weapon.hands == 2 and weapon.type == "melee"


def needs_a_hand(piece: Armour) -> bool:
    """Return whether full hands leave no place for it: a shield or a buckler."""
    return bool((piece.is_shield and piece.improves) or piece.traits.get("parry"))


def _piece_notes(piece: Armour) -> Iterator[str]:
    """Yield in words what a piece of armour does beside its save."""
    for trait, note in _PIECE_NOTES.items():
        if figure := piece.traits.get(trait):
            # What improves it against missiles counts instead of what improves it always.
            if trait == "improves_vs_missiles":
                figure -= piece.improves
            yield f"{piece.name.lower()}: {note.format(figure)}"


def carried_weapons(selection: Selection, army: Army) -> tuple[CarriedWeapon, ...]:
    """Return the weapons carried_items: special ones, missiles, then dagger and hand weapon."""
    lines = stat_lines(selection, army)
    if not lines:
        return ()
    bearers = (line for line in lines if line.role != "mount")
    strength = next((line.stats.get(army.strength_stat) for line in bearers), None)
    further, weapons = attack_notes(selection, army), []
    for key in carried_items(selection):
        if key in army.weapons:
            mounted = selection.is_mounted
            weapon = carried_weapon(army.weapons[key], strength, is_mounted=mounted)
            weapons.append(replace(weapon, notes=(*weapon.notes, *further.get(key, ()))))
    return tuple(
        sorted(
            weapons, key=lambda carried: (SIDE_ARMS.get(carried.key, 0), carried.is_missile)
        )
    )


def attack_notes(selection: Selection, army: Army) -> Mapping[str, Texts]:
    """Return in words the further attacks that the system itself gives, by weapon."""
    notes: dict[str, Texts] = {
        weapon.key: (f"+{army.two_weapon_attacks} attack with two weapons",)
        for weapon in paired_weapons(selection, army)
    }
    for key in carried_items(selection):
        if key in army.weapons and two_handed_attacks(army.weapons[key], army):
            notes[key] = (f"+{army.two_handed_attacks} attack",)
    return notes


def paired_weapons(selection: Selection, army: Army) -> tuple[Weapon, ...]:
    """Return the one-handed weapons of who fights with one in each hand, side arms last.

    One that is carried twice stands twice. None where the system gives nothing for it, or where
    there are no two.
    """
    # What a shield would give is left to whoever asks: both hands are full.
    barring = {"difficult", "foot_only" if selection.is_mounted else "mounted_only"}
    pieces = carried_pieces(selection)
    carried = (army.weapons[key] for key in pieces if key in army.weapons)
    one_handed = [
        weapon
        for weapon in carried
        if (weapon.type, weapon.hands) == ("melee", 1) and barring.isdisjoint(weapon.traits)
    ]
    if not army.two_weapon_attacks or len(one_handed) < 2:
        return ()
    return tuple(sorted(one_handed, key=lambda weapon: SIDE_ARMS.get(weapon.key, 0)))


def two_handed_attacks(weapon: Weapon, army: Army) -> int:
    """Return the further attacks of a two-handed weapon, where the system gives any."""
    # A pair of weapons that a list sells as one already counts its further attack.
    is_pair = "extra_attacks" in weapon.traits
    return army.two_handed_attacks if _is_two_handed(weapon) and not is_pair else 0


def carried_weapon(
    weapon: Weapon, strength: Figure, *, is_mounted: bool = False
) -> CarriedWeapon:
    """Return a weapon in the hand of a bearer of that Strength, its traits in words."""
    return CarriedWeapon(
        weapon.key,
        weapon.name,
        weapon.range,
        blow_strength(weapon.strength, strength),
        tuple(_traits(weapon, strength, is_mounted=is_mounted)),
        weapon.type == "missile" and weapon.range is not None,
        tuple(
            (blow_strength(weapon.traits[trait], strength), when)
            for trait, when, seats in _WHEN
            if is_mounted in seats and trait in weapon.traits
        ),
    )


_WHEN = (
    ("strength_first_round", "first round", (True, False)),
    ("strength_charging", "charging", (True, False)),
    ("strength_foot_charging", "charging", (False,)),
    ("strength_mounted", "mounted", (True,)),
    ("strength_mounted_charging", "charging", (True,)),
)
"""Traits that give a blow another Strength, when, and whether in the saddle or on foot."""


def blow_strength(printed: Figure, strength: Figure) -> Figure:
    """Return the Strength of a blow, from what the weapon prints and the bearer's own.

    ``user`` is the bearer's own, a signed text adds to it, anything else stands as printed.
    """
    if printed is None or printed == "user":
        return strength
    if isinstance(printed, str) and printed[:1] in "+-" and isinstance(strength, int):
        return max(1, min(10, strength + int(printed)))  # the charts end at 1 and 10
    return printed


REACHES = {"infinite": "any range", "template": "template"}
"""Ranges that are no number, in words."""


def armour_gives(armour: Armour) -> str:
    """Return in words what armour gives beside a save: a parry, armour values."""
    phrases = []
    if defence := armour.traits.get("defence"):
        phrases.append(f"defence +{defence}")
    if values := armour.traits.get("armour_values"):
        phrases.append("armour values {} front, {} side, {} rear".format(*values))
    if score := armour.traits.get("save_against_stunned"):
        phrases.append(f"{score}+ against being stunned")
    if armour.traits.get("parry"):
        phrases.append("parries")
    return ", ".join(phrases)


def _signed(figure: object) -> object:
    """Return the figure, a negative one with a printed minus sign."""
    return f"−{-figure}" if isinstance(figure, int) and figure < 0 else figure


def _traits(weapon: Weapon, strength: Figure, *, is_mounted: bool) -> list[str]:
    """Return the words for a weapon: hands, rules, Strength and ranges in inches."""
    phrases = ["two hands"] if weapon.hands == 2 else []
    traits = weapon.traits
    # Most weapons print nothing else, and the tables below are long.
    if not traits:
        return phrases
    phrases += [text for key, text in _FLAGS.items() if traits.get(key)]
    for key, text, only_mounted in _STRENGTHS:
        if key in traits and only_mounted in (None, is_mounted):
            phrases.append(f"S{blow_strength(traits[key], strength)} {text}")
    for key, template in _NUMBERS.items():
        if key in traits:
            note = template.format(_signed(traits[key]))
            phrases.append("1 shot" if note == "1 shots" else note)
    if shots := traits.get("close_shots"):
        phrases.append(f"or {shots} shots up to {traits.get('close_range')}″")
    return phrases


# Traits of armour that change a save at times, in the order in which they are told.
_PIECE_NOTES = {
    "improves_in_combat": "{} better in close combat",
    "improves_vs_missiles": "{} better against missiles",
    "save_against_stunned": "{}+ against being stunned",
    "initiative": "Initiative {}",
    "parry": "parries",
    "save_vs_missiles": "{}+ against missiles",
}
# Traits of a weapon in the words and in the order in which a line prints them.
_FLAGS = {
    "strikes_last": "strikes last",
    "armour_piercing": "one more off saves",
    "move_or_fire": "no shot after a move",
    "thrown": "thrown",
    "poison": "poisoned",
    "no_armour_save": "no armour save",
    "as_bolt_thrower": "as a bolt thrower",
    "mounted_only": "mounted only",
    "foot_only": "on foot only",
    "magical": "magical",
    "difficult": "no second weapon",
    "parry": "parries",
    "strikes_first": "strikes first in the first round",
    "reload": "a turn to reload",
    "once_a_game": "once a game",
    "removes_loser": "a defender who loses is removed",
}
# The trait, its words, and whether it holds for riders (True), on foot (False) or for all (None).
_STRENGTHS = (
    ("strength_first_round", "in the first round", None),
    ("strength_mounted_charging", "charging", True),
    ("strength_foot_charging", "charging", False),
    ("strength_charging", "charging", None),
    ("strength_mounted", "mounted", True),
)
_NUMBERS = {
    "extra_attacks": "+{} attack",
    "shots": "{} shots",
    "melee_attack": "+{} to melee attacks",
    "armour_penetration": "armour penetration {}",
    "shots_at_half_range": "{} shots at half range",
    "to_hit": "+{} to hit",
    "wounds_on": "wounds on {}+",
    "wounds": "{} wounds",
    "template": "{} template",
    "extra_save_modifier": "save {}",
    "enemy_save_bonus": "enemy saves are +{}",
    "save_modifier": "save {} in all",
    "stun_on": "stuns on {}",
    "hand_to_hand_to_hit": "{} to hit in close combat",
    "ranks_fighting": "fights in {} ranks",
    "counts_as": "counts as {}",
}
