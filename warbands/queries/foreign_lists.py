"""A list of another tool beside the armies of a rule system, before anything is stored."""

from collections.abc import Mapping
from dataclasses import field
from functools import cache

from engine.errors import Refusal
from engine.records import frozen_dataclass
from engine.roster import Roster
from engine.types.systems import System
from rulesdata import registry
from warbands.exchange.foreign.export import OutgoingRoster
from warbands.exchange.foreign.matches import (
    Aliases,
    ArmyChoice,
    ArmyIndex,
    rank_armies,
)
from warbands.exchange.foreign.preview import LineChoice, Preview, build_preview
from warbands.exchange.foreign.tree import ForeignRoster


@frozen_dataclass
class ListWishes:
    """What somebody wants of a list: the rules by their address, an army ("" finds it), and what
    was decided line by line.
    """

    rules: str
    army: str = ""
    choices: Mapping[int, LineChoice] = field(default_factory=dict)


@frozen_dataclass
class ListPreview:
    """A list beside an army; ``preview`` is None while the army is not known."""

    tree: ForeignRoster
    system: System
    armies: tuple[ArmyChoice, ...]
    army: str
    preview: Preview | None


def load_list_preview(tree: ForeignRoster, wishes: ListWishes) -> ListPreview:
    """Return a list beside an army of these rules; no query is made.

    Raises Refusal that names the field for rules that are not there.
    """
    system = _system(wishes.rules)
    indexes = {key: _index(system.key, key, system.variant) for key in _armies(system)}
    found, armies = rank_armies(tree, indexes)
    # Other rules may not field the army that was chosen under the ones before.
    army = wishes.army if wishes.army in indexes else found
    preview = None
    if army:
        preview = build_preview(tree, system, indexes[army], wishes.choices)
    return ListPreview(tree, system, armies, army, preview)


def _system(address: str) -> System:
    """Return the rules of an address, a variant included."""
    for system in registry.rulesets():
        if system.address == address:
            return system
    raise Refusal("Choose one of the rule systems.", field="rules")


def _armies(system: System) -> list[str]:
    """Return the keys of the printed armies of a system."""
    return list(registry.army_names(system.key))


@cache
def _index(system: str, army: str, variant: str | None) -> ArmyIndex:
    """Return the index of a printed army, which changes with a release alone."""
    return ArmyIndex(registry.load_army(system, army, variant), Aliases())


def outgoing_roster(roster: Roster) -> OutgoingRoster:
    """Return a roster with its system and army, ready to be written for another tool."""
    system, army = registry.load_ruleset(roster)
    return OutgoingRoster(roster, system, army, Aliases())
