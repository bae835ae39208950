"""Real lists, read once: the engine is tested on what people field."""

import pytest

from engine.types.lists import Army
from engine.types.systems import System
from rulesdata import registry

SYSTEM = "warhammer-skirmish"


@pytest.fixture(scope="session")
def system() -> System:
    return registry.load_system(SYSTEM)


@pytest.fixture(scope="session")
def empire() -> Army:
    return registry.load_army(SYSTEM, "the-empire")
