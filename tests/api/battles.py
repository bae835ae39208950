"""Asking about battles as a program does."""

from collections.abc import Callable
from typing import Any

from django.test import Client

BATTLES = "/api/v1/battles/"
ROSTER: dict[str, Any] = {
    "format": "muster-roll/1",
    "system": "warhammer-skirmish",
    "army": "the-empire",
    "warriors": [
        {"profile": "captain", "name": "Ostwin", "leader": True, "options": ["halberd"]},
        {"profile": "halberdiers", "count": 3},
    ],
}
QUICK = {"quick": {"name": "Night Watch", "models": 8, "leadership": 7}}
SETUP: dict[str, Any] = {
    "system": "warhammer-skirmish",
    "sides": [{"roster": ROSTER}, QUICK],
}
Ask = Callable[..., Any]


def get(program: Client, battle: dict[str, Any], part: str = "", **headers: str) -> Any:
    answer = program.get(f"{BATTLES}{battle['id']}/{part}", headers=headers)
    assert answer.status_code == 200, answer.content
    return answer.json()
