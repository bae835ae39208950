"""What a warband's owner may choose from the rule books: armies, scenarios, and what clubs add."""

from accounts.owner import Owner
from engine.records import frozen_dataclass, grouped
from engine.types.systems import Scenario
from rulesdata import registry
from rulesdata.queries import clubs, scenarios
from rulesdata.queries.scenarios import load_carried_scenario, scenario_choices

Choices = list[tuple[str, str]]


@frozen_dataclass
class OfferedArmies:
    """The armies somebody is offered: (key, name) of the system's, then a group of lists for each
    of their clubs. ``limits`` are the points limits of the armies that name one, by key.
    """

    choices: list[tuple[str, str | Choices]]
    limits: dict[str, int]


def offered_armies(actor: Owner, system_key: str) -> OfferedArmies:
    """What this actor may give a new warband. One query, none for visitors."""
    printed = list(registry.army_names(system_key).items())
    choices = clubs.list_choices(actor, system_key)
    own = grouped((choice.club, (choice.token, choice.name)) for choice in choices)
    named = {
        key: registry.printed_army(system_key, key).default_limit for key, _ in printed
    }
    named |= {one.token: one.default_limit for one in choices}
    limits = {key: limit for key, limit in named.items() if limit}
    return OfferedArmies([*printed, *own.items()], limits)


def load_scenario(system_key: str, key: str | None) -> Scenario | None:
    """The scenario of that key, or None. Own ones take one query, whoever wrote them."""
    return load_carried_scenario(system_key, key)


def may_choose_scenario(actor: Owner, system_key: str, key: str) -> bool:
    """Whether this actor may give a warband this scenario: the pack's, their own and those shared
    with them.
    """
    return key.isprintable() and scenarios.load_scenario(system_key, key, actor) is not None


def offered_scenarios(actor: Owner, system_key: str) -> tuple[tuple[str, str], ...]:
    """(key, name) of the scenarios this actor is offered: the pack's in its order, then their own
    and their clubs'.
    """
    return scenario_choices(system_key, actor)


def offered_parts(actor: Owner, system_key: str) -> tuple[tuple[str, str], ...]:
    """The same for a warband, which may play one side of a scenario: each side behind it."""
    return scenarios.with_parts(system_key, scenario_choices(system_key, actor))
