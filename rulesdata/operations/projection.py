"""Makes the rows of a club's list say what its file says, with the columns the load of the packs
gives them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from rulesdata.models import Armour, Army, MagicItem, Option, Profile, Weapon
from rulesdata.operations.packs import Report, Values, option_values, profile_values, sync
from rulesdata.own_lists import dump
from rulesdata.schema.lists import OwnListFile

ROWS = ("name", "collection", "base", "weapons", "armour", "magic_items", "units")
"""What of the file stands in columns or rows of their own; the rest is the list's ``data``."""

Wanted = dict[tuple[Any, ...], Values]


def project(row: Army, file: OwnListFile) -> None:
    """Write the list's row and the rows of its records; those that left the file are put away.

    Within a transaction.
    """
    report, now = Report(), timezone.now()
    row.name = file.name
    row.data = {key: value for key, value in dump(file).items() if key not in ROWS}
    row.save()
    of_collection = {"collection": row.collection, "army": row, "club": row.club}
    sync(Weapon, of_collection, _weapons(file), now, report, club_is_null=False)
    sync(Armour, of_collection, _armour(file), now, report, club_is_null=False)
    of_army = {"army": row, "club": row.club}
    sync(MagicItem, of_army, _magic_items(file), now, report, club_is_null=False)
    profiles = sync(Profile, of_army, _profiles(file), now, report, club_is_null=False)
    _options(row, file, profiles, now, report)


def _weapons(file: OwnListFile) -> Wanted:
    return {
        (weapon.id,): {
            "name": weapon.name,
            "type": weapon.type,
            "range": "" if weapon.range is None else str(weapon.range),
            "strength": "" if weapon.strength is None else str(weapon.strength),
            "data": dump(weapon),
        }
        for weapon in file.weapons
    }


def _armour(file: OwnListFile) -> Wanted:
    return {
        (piece.id,): {
            "name": piece.name, "save_value": piece.save, "improves": piece.improves or 0, "data": dump(piece),
        }
        for piece in file.armour
    }  # fmt: skip


def _magic_items(file: OwnListFile) -> Wanted:
    return {
        (item.id,): {
            "name": item.name, "type": item.type, "points": item.points, "is_unique": bool(item.one_per_army),
            "data": dump(item),
        }
        for item in file.magic_items
    }  # fmt: skip


def _profiles(file: OwnListFile) -> Wanted:
    return {
        (unit.id,): profile_values(unit, dump(unit), place, file.name)
        for place, unit in enumerate(file.units)
    }


def _options(
    row: Army, file: OwnListFile, profiles: dict[Any, Any], now: datetime, report: Report
) -> None:
    wanted: Wanted = {}
    for unit in file.units:
        champions = unit.champion.options if unit.champion else []
        records = [(option, False) for option in unit.options] + [
            (option, True) for option in champions
        ]
        for place, (option, is_champions) in enumerate(records):
            key = (profiles[(unit.id,)].pk, option.id)
            wanted[key] = option_values(option, is_champions, place, dump(option))
    scope = {"profile__army": row, "profile__club": row.club, "profile__retired_at": None}
    sync(Option, scope, wanted, now, report, by=("profile_id", "key"), club_is_null=False)
