"""Rosters of any size to measure with, stored through the real operations."""

from typing import Any

from accounts.models import User
from accounts.owner import Owner
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, import_document

NAMES = (
    "Jost Weber", "Till Krämer", "Otto", "Emil Brandt", "Klaus Hohl", "Old Gerlach",
    "Konrad Stahl",
)  # fmt: skip
KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("halberdiers", ("shields",)),
    ("swordsmen", ()),
    ("archers", ()),
    ("crossbowmen", ()),
    ("handgunners", ()),
    ("spearmen", ("shields",)),
    ("free-company", ()),
)


def document(entries: int, **fields: Any) -> dict[str, Any]:
    """A roster document of the Empire: a captain who leads and ``entries - 1`` warriors, each a
    line of its own.
    """
    warriors: list[dict[str, Any]] = [
        {
            "profile": "captain",
            "name": "Ruprecht Voll",
            "leader": True,
            "options": ["great-weapon"],
        }
    ]
    for place in range(entries - 1):
        profile, options = KINDS[place % len(KINDS)]
        name = NAMES[place % len(NAMES)] if place % 2 else ""
        warriors.append({"profile": profile, "name": name, "options": list(options)})
    return {
        "format": "muster-roll/1",
        "system": "warhammer-skirmish",
        "army": "the-empire",
        "name": "The Wolfenburg Watch",
        "points_limit": 250,
        "warriors": warriors,
        **fields,
    }


def stored(user: User, entries: int, visibility: str = "link") -> str:
    """A stored warband of so many lines; returns its token."""
    owner = Owner(user_id=user.pk)
    done = import_document(WriteContext(owner), document(entries))
    change_warband(WriteContext(owner, done.token), visibility=visibility)
    return done.token
