"""Scenarios of people to test with, made through the real operations."""

from typing import Any

from django.utils import timezone

from accounts.owner import Owner
from engine.types.systems import Scenario
from rulesdata import registry
from rulesdata.models import System
from rulesdata.operations.scenarios import ScenarioDraft, create_scenario

SYSTEM = "warhammer-skirmish"


def load_systems() -> None:
    """The row that a scenario needs of each system; the load itself is tested elsewhere."""
    for key in registry.systems():
        system = registry.load_base(key)
        System.objects.get_or_create(
            key=key,
            defaults={"name": system.name, "data_hash": "", "loaded_at": timezone.now()},
        )


def side(name: str, points: int | None = None, role: str = "") -> dict[str, Any]:
    return {"name": name, "points": points, "role": role}


def draft(
    *, visibility: str = "private", club: int | None = None, **fields: Any
) -> ScenarioDraft:
    plain = {
        "name": "Bridge at dawn",
        "summary": "",
        "sides": (side("Raiders", 150, "Cross."), side("Watch")),
    }
    scenario = Scenario(key="", system=SYSTEM, **{**plain, **fields})
    return ScenarioDraft(scenario, visibility, club)


def store(actor: Owner, scenario: ScenarioDraft) -> str:
    return create_scenario(actor, SYSTEM, scenario)
