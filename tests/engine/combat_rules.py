"""The rules of dice of every system and variant, as its pack has them."""

from engine.rules import CombatRules
from rulesdata import registry

SKIRMISH_KEY, REGIMENTS_KEY, DRAFT_KEY, D10_KEY = (
    "warhammer-skirmish", "english-civil-war", "mordheim-draft", "d10-skirmish",
)  # fmt: skip
PAGE_KEY, SUMMARY_KEY, RETYPED_KEY = (
    "mordheim-rulings A", "mordheim-rulings B", "mordheim-rulings C",
)  # fmt: skip
WARRIOR_SYSTEMS = (SKIRMISH_KEY, DRAFT_KEY, PAGE_KEY, SUMMARY_KEY, RETYPED_KEY)
SYSTEMS = (
    SKIRMISH_KEY, REGIMENTS_KEY, DRAFT_KEY, PAGE_KEY, SUMMARY_KEY, RETYPED_KEY, D10_KEY,
)  # fmt: skip


def rules(system: str) -> CombatRules:
    """The rules of a system, or of one variant of it written after a space."""
    key, _, variant = system.partition(" ")
    return registry.combat_rules(key, variant or None)
