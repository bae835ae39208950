"""What a warrior carries and what protects it: items after purchases, armour save with its parts, weapons with figures.

An armour save is the lowest score on a D6 that saves (5 for 5+), before Strength. Shooting and close combat
differences are told in words, never counted in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.selection import Selection, stat_lines
from engine.types import Armour, Army, Figure, Weapon

_SCALES = re.compile(r"Scaly [Ss]kin \((\d)\+\)")


@dataclass(frozen=True, slots=True)
class SavePart:
    """``value`` 5 means a save of 5+ of its own; ``better`` 1 means one better than what is there."""

    label: str
    value: int | None = None
    better: int = 0

    def __str__(self) -> str:
        return f"{self.label} {self.value}+" if self.value else f"{self.label} +{self.better}"


@dataclass(frozen=True, slots=True)
class Save:
    """``number`` is the save (5 for 5+) or None; ``situational`` says in words what changes it.

    ``is_unknown``: the system has no saves at all.
    """

    number: int | None
    parts: tuple[SavePart, ...] = ()
    situational: tuple[str, ...] = ()
    ward: int | None = None
    is_unknown: bool = False

    @property
    def text(self) -> str:
        return f"{self.number}+" if self.number else "–"

    @property
    def shown(self) -> str | None:
        """The text, or None where there is nothing of the kind to show."""
        return None if self.is_unknown else self.text


@dataclass(frozen=True, slots=True)
class CarriedWeapon:
    """A weapon in this warrior's hand: ``strength`` of the blow as printed (a number where it can be worked out)."""

    key: str
    name: str
    range: Figure
    strength: Figure
    notes: tuple[str, ...] = ()
    is_missile: bool = False


def carried_items(selection: Selection) -> tuple[str, ...]:
    """Item keys after purchases: taking another option of an exclusive group puts the default option's items away."""
    profile = selection.profile
    if profile is None:
        return ()
    items = list(profile.default_items)
    taken = (*selection.options, *selection.champions_options)
    groups = {o.group for o in taken if o.group and o.is_exclusive and not o.is_default}
    for option in profile.all_options:
        if option.is_default and option.group in groups and option.key not in selection.bought:
            for item in option.items:
                if item in items:
                    items.remove(item)
    for option in taken:
        items.extend(item for item in option.items if item not in items)
    return tuple(dict.fromkeys(items))


def armour_save(selection: Selection, army: Army, rules: Mapping[str, Any]) -> Save:
    """The save from everything carried and ridden. ``rules`` are the system's figures (mounted, barding, best)."""
    if not rules:
        return Save(None, is_unknown=True)
    profile = selection.profile
    if profile is None:
        return Save(None)
    pieces = [army.armour[key] for key in carried_items(selection) if key in army.armour]
    own = [SavePart(a.name, value=a.save) for a in pieces if a.save]
    own += _natural(selection) + _weapons_saving(selection, army)
    better = [
        SavePart(a.name, better=a.improves) for a in pieces if a.improves
    ] + _mounted_improvement(selection, rules)
    ward = profile.figures.get("ward_save")
    situational = tuple(_situational(pieces, selection, army))
    none = int(rules.get("no_save", 7))
    parts = own[:]
    if len(own) > 1:
        parts = [min(own, key=lambda part: part.value or none)]
    number = min((p.value or none for p in parts), default=none) - sum(p.better for p in better)
    printed = profile.figures.get("armour_save")
    if isinstance(printed, int) and printed < number:
        number, parts, better = printed, [SavePart("printed save", value=printed)], []
    number = max(number, int(rules.get("best", 1)))
    return Save(
        number if number < none else None,
        (*parts, *better),
        situational,
        ward if isinstance(ward, int) else None,
    )


def _natural(selection: Selection) -> list[SavePart]:
    """Hide and scales: the profile's own figure, and scales an option grants."""
    assert selection.profile is not None
    figures = selection.profile.figures
    parts = []
    value = figures.get("natural_armour")
    if isinstance(value, int):
        parts.append(SavePart("scaly skin", value=value))
    for option in selection.options:
        for rule in option.grants:
            if match := _SCALES.fullmatch(rule):
                parts.append(SavePart("scaly skin", value=int(match[1])))
    return parts


def _weapons_saving(selection: Selection, army: Army) -> list[SavePart]:
    arms = [army.weapons[key] for key in carried_items(selection) if key in army.weapons]
    return [
        SavePart(w.name, value=w.traits["armour_save"]) for w in arms if "armour_save" in w.traits
    ]


def _mounted_improvement(selection: Selection, rules: Mapping[str, Any]) -> list[SavePart]:
    """Mounted riders save one better, two on a thick-skinned beast, and one more when it is barded."""
    profile = selection.profile
    assert profile is not None
    if not selection.is_mounted:
        return []
    mount = selection.mount
    if mount and (
        mount.troop_type in rules.get("mounts_that_give_nothing", ())
        or "large_target" in mount.flags
    ):
        return []
    ridden_rules = {
        *profile.special_rules,
        *profile.mount_rules,
        *(mount.special_rules if mount else ()),
        *(mount.mount_rules if mount else ()),
    }
    thick = rules.get("thick_skinned_rule") in ridden_rules
    parts = [
        SavePart("thick-skinned mount", better=int(rules.get("thick_skinned", 2)))
        if thick
        else SavePart("mounted", better=int(rules.get("mounted", 1)))
    ]
    if profile.is_barded or (mount and mount.is_barded):
        parts.append(SavePart("barding", better=int(rules.get("barding", 1))))
    return parts


def _situational(pieces: list[Armour], selection: Selection, army: Army) -> list[str]:
    notes = []
    keys = carried_items(selection)
    for piece in pieces:
        if (
            piece.traits.get("improves_with_hand_weapon_on_foot")
            and not selection.is_mounted
            and "hand-weapon" in keys
        ):
            notes.append("hand weapon and shield: 1 better in close combat on foot")
        if value := piece.traits.get("improves_in_combat"):
            notes.append(f"{piece.name.lower()}: {value} better in close combat")
        if value := piece.traits.get("improves_vs_missiles"):
            extra = int(value) - piece.improves
            notes.append(f"{piece.name.lower()}: {extra} better against missiles")
        notes += _conditions(piece)
        if value := piece.traits.get("save_vs_missiles"):
            notes.append(f"{piece.name.lower()}: {value}+ against missiles")
    two_handed = [
        army.weapons[k].name.lower()
        for k in keys
        if k in army.weapons and army.weapons[k].hands == 2
    ]
    melee_two = [
        n
        for n, k in ((army.weapons[k].name.lower(), k) for k in keys if k in army.weapons)
        if army.weapons[k].hands == 2 and army.weapons[k].type == "melee"
    ]
    if two_handed and melee_two and any(p.improves and p.key == "shield" for p in pieces):
        notes.append(f"no shield in close combat while {melee_two[0]} takes both hands")
    return notes


def _conditions(piece: Armour) -> list[str]:
    """What a piece does beside its save, and whom it is for."""
    traits, name, notes = piece.traits, piece.name.lower(), []
    if value := traits.get("save_against_stunned"):
        notes.append(f"{name}: {value}+ against being stunned")
    if value := traits.get("initiative"):
        notes.append(f"{name}: Initiative {value}")
    if traits.get("parry"):
        notes.append(f"{name}: parries")
    return notes


def carried_weapons(selection: Selection, army: Army) -> tuple[CarriedWeapon, ...]:
    """The weapons carried, best first: special weapons, missiles, then the plain hand weapon."""
    lines = stat_lines(selection)
    if not lines:
        return ()
    strength = next(
        (line.stats.get(army.strength_stat) for line in lines if line.role != "mount"), None
    )
    mounted = selection.is_mounted
    found = [
        carried_weapon(army.weapons[key], strength, mounted)
        for key in carried_items(selection)
        if key in army.weapons
    ]
    return tuple(sorted(found, key=lambda a: (a.key == "hand-weapon", a.is_missile)))


def carried_weapon(weapon: Weapon, strength: Figure, is_mounted: bool = False) -> CarriedWeapon:
    """A weapon with its Strength worked out for a bearer of that Strength, and what else its line prints in words."""
    return CarriedWeapon(
        weapon.key,
        weapon.name,
        weapon.range,
        blow_strength(weapon.strength, strength),
        tuple(_traits(weapon, strength, is_mounted)),
        weapon.type == "missile" and weapon.range is not None,
    )


def blow_strength(printed: Figure, strength: Figure) -> Figure:
    """``user`` is the bearer's own, a signed text adds to it (1 to 10), anything else stands as printed."""
    if printed is None or printed == "user":
        return strength
    if isinstance(printed, str) and printed[:1] in "+-" and isinstance(strength, int):
        return max(1, min(10, strength + int(printed)))
    return printed


REACHES = {"infinite": "any range", "template": "template"}
"""Ranges that are no number, in words."""


def armour_gives(armour: Armour) -> str:
    """What a piece of armour gives beside a save: a parry, a bonus to defence rolls, armour values of three sides."""
    words = []
    if defence := armour.traits.get("defence"):
        words.append(f"defence +{defence}")
    if values := armour.traits.get("armour_values"):
        words.append("armour values {} front, {} side, {} rear".format(*values))
    if score := armour.traits.get("save_against_stunned"):
        words.append(f"{score}+ against being stunned")
    if armour.traits.get("parry"):
        words.append("parries")
    return ", ".join(words)


def _traits(weapon: Weapon, strength: Figure, is_mounted: bool) -> list[str]:
    traits, words = weapon.traits, []
    if weapon.hands == 2:
        words.append("two hands")
    for key, text in _FLAGS.items():
        if traits.get(key):
            words.append(text)
    for key, text, only_mounted in _STRENGTHS:
        if key in traits and only_mounted in (None, is_mounted):
            words.append(f"S{blow_strength(traits[key], strength)} {text}")
    for key, template in _NUMBERS.items():
        if key in traits:
            words.append(_one_shot(template.format(_printed(traits[key]))))
    if "close_shots" in traits:
        words.append(f"or {traits['close_shots']} shots up to {traits.get('close_range')}″")
    return words


def _printed(figure: object) -> object:
    """A figure as print sets it, with a true minus."""
    return f"−{-figure}" if isinstance(figure, int) and figure < 0 else figure


def _one_shot(words: str) -> str:
    return "1 shot" if words == "1 shots" else words


_FLAGS = {
    "strikes_last": "strikes last",
    "armour_piercing": "armour piercing",
    "move_or_fire": "move or fire",
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
_STRENGTHS: tuple[tuple[str, str, bool | None], ...] = (
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
    "save_modifier": "save {} in all",
    "stun_on": "stuns on {}",
    "hand_to_hand_to_hit": "{} to hit in close combat",
    "ranks_fighting": "fights in {} ranks",
    "counts_as": "counts as {}",
}
