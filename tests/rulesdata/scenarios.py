"""Scenarios of people to test with, made through the real operations."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from accounts.owner import Owner
from rulesdata import registry
from rulesdata.models import System
from rulesdata.operations.scenarios import ScenarioDraft, ScenarioSide, create_scenario

SYSTEM = "warhammer-skirmish"


def load_systems() -> None:
    """The row that a scenario needs of each system; the load itself is tested elsewhere."""
    for key in registry.systems():
        system = registry.load_base(key)
        System.objects.get_or_create(
            key=key, defaults={"name": system.name, "data_hash": "", "loaded_at": timezone.now()}
        )


def draft(**fields: Any) -> ScenarioDraft:
    """A short scenario, its author's alone."""
    return ScenarioDraft(
        **{
            "name": "Bridge at dawn",
            "sides": (ScenarioSide("Raiders", 150, "Cross."), ScenarioSide("Watch")),
            **fields,
        }
    )


def store(actor: Owner, scenario: ScenarioDraft) -> str:
    """Keep it and give back its token."""
    return create_scenario(actor, SYSTEM, scenario)
