"""The scenario a warband carries: one of its system's, by key, or a person's own, as ``own/<token>``."""

from __future__ import annotations

from accounts.owner import Owner
from engine.types import Scenario
from rulesdata import queries


def load_scenario(system_key: str, key: str | None) -> Scenario | None:
    """The scenario of that key, or None. Own ones take one query, whoever wrote them."""
    return queries.load_carried_scenario(system_key, key)


def may_choose_scenario(actor: Owner, system_key: str, key: str) -> bool:
    """Whether this actor may give a warband this scenario: the pack's, their own and those shared with them."""
    return key.isprintable() and queries.load_scenario(system_key, key, actor) is not None


def offered_scenarios(actor: Owner, system_key: str) -> tuple[tuple[str, str], ...]:
    """(key, name) of the scenarios this actor is offered: the pack's in its order, then their own and their clubs'."""
    return queries.scenario_choices(system_key, actor)
