"""Content of clubs to test with, made through the real operations."""

from typing import Any

from django.utils import timezone

from accounts.models import Club
from accounts.owner import Owner
from rulesdata.models import Army, Collection, System
from rulesdata.operations.own_lists import ListDraft, RecordPlace, create_list, save_record
from tests.factories import EMPIRE, SYSTEM

COLLECTION = "whfb6"


def make_books() -> None:
    """The rows of a collection and of the system that fields it; what is in them is read from their
    files.
    """
    loaded = {"data_hash": "", "loaded_at": timezone.now()}
    Collection.objects.get_or_create(key=COLLECTION, defaults={"name": "Lists", **loaded})
    System.objects.get_or_create(key=SYSTEM, defaults={"name": "Skirmish", **loaded})


def make_list(
    *, club: Club, actor: Owner, name: str = "River Empire", base: str = EMPIRE
) -> Army:
    """A list of the club over the Empire (``base`` empty: an army of its own), with nothing in it."""
    make_books()
    token = create_list(actor, club.slug, ListDraft(name, COLLECTION, base))
    return Army.objects.get(token=token)


def unit_record(**fields: Any) -> dict[str, Any]:
    """A profile in the pack format: a plain foot soldier of 9 points with a shield to buy."""
    line = {
        "name": "Boatman",
        "role": "model",
        **dict.fromkeys(("M", "WS", "BS", "S", "T"), 4),
    }
    shield = {
        "id": "shield",
        "name": "Shield",
        "points": 2,
        "per": "model",
        "kind": "shield",
        "items": ["shield"],
    }
    return {
        "name": "Boatman", "category": "core", "troop_type": "infantry", "points": 9, "points_basis": "model",
        "miniatures": 1, "profiles": [{**line, "W": 1, "I": 3, "A": 1, "Ld": 7}], "default_equipment": ["hand-weapon"],
        "equipment_source": "first", "options": [shield], "flags": [], "special_rules": [], **fields,
    }  # fmt: skip


def make_profile(*, own: Army, actor: Owner, key: str = "", **fields: Any) -> str:
    return save_record(
        actor, RecordPlace(str(own.token), "units", key), unit_record(**fields)
    )
