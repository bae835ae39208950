"""Weapons and armour of a list that are the system text's: by ``as``, and by their own key."""

from dataclasses import replace

import pytest

from engine.types.lists import Armour, Weapon
from rulesdata import registry
from rulesdata.builders.system import with_system_equipment
from rulesdata.schema.equipment import ArmourRecord, WeaponRecord

SWORD = Weapon("sword", "Old sword", "melee", strength="user", hands=1, source="Club")
HELMET = Armour("helmet", "Iron hat", source="Club")


def weapon(piece: Weapon, *, own: bool = True, variant: str = "B") -> Weapon:
    """The weapon as version B or another fields it, out of a club's list or a printed one."""
    system = registry.load_system("mordheim-rulings", variant)
    army = registry.printed_army("mordheim-rulings", "the-empire")
    army = replace(army, weapons={piece.key: piece})
    army = replace(army, own_gear=frozenset({piece.key} if own else ()))
    return with_system_equipment(army, system).weapons[piece.key]


def armour(piece: Armour, variant: str = "B") -> Armour:
    system = registry.load_system("mordheim-rulings", variant)
    army = registry.printed_army("mordheim-rulings", "the-empire")
    army = replace(army, armour={piece.key: piece}, own_gear=frozenset({piece.key}))
    return with_system_equipment(army, system).armour[piece.key]


@pytest.mark.parametrize("own", [True, False])
def test_a_piece_is_the_texts_where_it_says_so_under_its_own_name(own: bool) -> None:
    blade = Weapon(
        "tuck", "Tuck", "melee", strength=9, hands=2, source="Club", same_as="sword"
    )
    found = weapon(blade, own=own)
    assert (found.key, found.name, found.strength, found.hands) == (
        "tuck", "Tuck", "user", 1,
    )  # fmt: skip
    assert found.traits == {"parry": True}
    assert found.source == "Mordheim rulings, version B, WEAPON LIST"


@pytest.mark.parametrize("variant", ["A", "C"])
def test_what_a_text_does_not_know_has_the_figures_of_its_list(variant: str) -> None:
    star = Weapon(
        "star", "Star", "melee", strength=5, source="Club", same_as="morning-star"
    )
    assert weapon(star, variant=variant) == star


@pytest.mark.parametrize("piece, is_texts", [
    (SWORD, True),
    (replace(SWORD, hands=None, strength=None, traits={"note": "Sharp."}), True),
    (replace(SWORD, traits={"parry": True}), True),
    (replace(SWORD, strength="+1"), False),
    (replace(SWORD, hands=2), False),
    (replace(SWORD, traits={"to_hit": 1}), False),
    (replace(SWORD, same_as="none"), False),
    (replace(SWORD, same_as="axe"), True),
])  # fmt: skip
def test_a_clubs_bare_record_is_the_texts_piece_of_that_key(piece, is_texts):
    found = weapon(piece)
    assert found.name == "Old sword"
    assert found.source.startswith("Mordheim") is is_texts
    assert found.traits.get("note") == piece.traits.get("note")


def test_a_bare_helmet_keeps_from_stunning_and_a_dagger_has_its_strength() -> None:
    assert armour(HELMET).traits == {"save_against_stunned": 4}
    assert armour(replace(HELMET, save=6)).traits == {}
    assert armour(HELMET, "A") == HELMET
    assert weapon(replace(SWORD, key="dagger")).strength == "-1"
    pavise = armour(Armour("pavise", "Pavise", improves=2, same_as="shield"))
    assert (pavise.is_shield, pavise.improves) == (True, 1)


def test_an_agreement_changes_a_clubs_piece_with_the_texts() -> None:
    # Ruling C32 played otherwise: a shield is a save of 6+ of its own.
    agreed = registry.load_system(
        "mordheim-rulings", "A", registry.Agreement((("C32", 1),))
    )
    army = registry.printed_army("mordheim-rulings", "the-empire")
    shield = Armour("shield", "Club's shield", source="Club")
    army = replace(army, armour={"shield": shield}, own_gear=frozenset({"shield"}))
    found = with_system_equipment(army, agreed).armour["shield"]
    assert (found.save, found.improves) == (6, 0)


def test_a_record_of_a_list_may_say_what_a_text_may() -> None:
    rapier = WeaponRecord.model_validate({
        "id": "rapier", "name": "Rapier", "as": "sword", "type": "melee", "hands": 1,
        "parry": True, "stun_on": "2–4", "strikes_first": True, "difficult": True,
        "reload": True, "hand_to_hand_to_hit": -2, "strength_mounted": "+1",
        "once_a_game": True, "sources": ["first"],
    }).build()  # fmt: skip
    assert rapier.same_as == "sword"
    assert len(rapier.traits) == 8
    hat = ArmourRecord.model_validate({
        "id": "hat", "name": "Hat", "as": "helmet", "save_against_stunned": 4,
        "parry": True, "sources": ["first"],
    }).build()  # fmt: skip
    assert hat.same_as == "helmet"
    assert hat.traits == {"save_against_stunned": 4, "parry": True}
