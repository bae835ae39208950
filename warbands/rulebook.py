"""The scenarios that a warband's owner may choose, and the one that a warband carries."""

from accounts.owner import Owner
from engine.records import TextPairs
from engine.types.systems import Scenario
from rulesdata.queries import scenarios


def load_scenario(system_key: str, key: str | None) -> Scenario | None:
    """The scenario of that key, or None. Own ones take one query, whoever wrote them."""
    return scenarios.load_carried_scenario(system_key, key)


def may_choose_scenario(actor: Owner, system_key: str, key: str) -> bool:
    """Whether this actor may give a warband this scenario: the pack's, their own and those shared
    with them.
    """
    return key.isprintable() and scenarios.load_scenario(system_key, key, actor) is not None


def offered_scenarios(actor: Owner, system_key: str) -> TextPairs:
    """(key, name) of the scenarios this actor is offered: the pack's in its order, then their own
    and their clubs'.
    """
    return scenarios.scenario_choices(system_key, actor)
