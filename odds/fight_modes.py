"""The ways two of them can meet.

A system has those ways whose calls it knows; nobody asks for its name.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

from engine.calls import available
from engine.rules import CombatRules
from engine.types.systems import System
from odds import duels, regiments, warriors
from odds.circumstances import Circumstance, Encounter
from odds.combat_profiles import CombatProfile
from odds.exhibits import Exhibit, Headline


class FightMode(Protocol):
    """One way to meet: the call a system must know, the sections its rulings stand in, what it
    measures.

    ``LEFT_OUT`` says what its figures do not count.
    """

    @property
    def CALL(self) -> str: ...
    @property
    def SECTIONS(self) -> tuple[str, ...]: ...
    @property
    def MEASURES(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def MISSILE_MEASURES(self) -> frozenset[str]: ...
    @property
    def YARDSTICK(self) -> tuple[str, ...]: ...
    @property
    def WORTH(self) -> tuple[tuple[str, str, tuple[tuple[str, Any], ...]], ...]: ...
    @property
    def LEFT_OUT(self) -> str: ...
    @property
    def SUFFERED(self) -> tuple[tuple[str, str], ...]: ...

    def lacks(self, attacker: CombatProfile, target: CombatProfile) -> str: ...

    def circumstances(
        self, system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile
    ) -> tuple[Circumstance, ...]: ...

    def exhibits(self, encounter: Encounter) -> tuple[Exhibit, ...]: ...

    def headlines(self, encounter: Encounter) -> tuple[Headline, ...]: ...

    def measured(self, encounter: Encounter, measure: str) -> Fraction | None: ...


BOUTS: tuple[FightMode, ...] = (warriors, regiments, duels)


def fight_mode_of(rules: CombatRules) -> FightMode | None:
    """The way two meet under these rules, or None where its text knows none."""
    known = available(rules)
    return next((bout for bout in BOUTS if bout.CALL in known), None)
