"""The army a warband is mustered from: one of its system's, by key, or a list of one of one's
clubs, by token.
"""

from __future__ import annotations

from collections.abc import Iterable

from accounts.owner import Owner
from engine.types.systems import Scenario
from rulesdata import registry
from rulesdata.own_lists import is_own
from rulesdata.queries import clubs, scenarios
from rulesdata.queries.scenarios import load_carried_scenario, scenario_choices

Choices = list[tuple[str, str]]


def may_choose_army(actor: Owner, system_key: str, key: str) -> bool:
    """Whether this actor may muster a warband from this army.

    One query for a club's list, none for the packs'.
    """
    return clubs.may_muster_from(actor, system_key, key)


def offered_armies(actor: Owner, system_key: str) -> list[tuple[str, str | Choices]]:
    """(key, name) of the armies this actor is offered: the system's, then a group of lists for each
    of their clubs.
    """
    printed = list(registry.army_names(system_key).items())
    own: dict[str, Choices] = {}
    for choice in clubs.list_choices(actor, system_key):
        own.setdefault(choice.club, []).append((choice.token, choice.name))
    return [*printed, *own.items()]


def load_club_armies(keys: Iterable[str]) -> None:
    """Load the clubs' lists among these armies with one query, before a page names them one by one."""
    clubs.prepare_lists(keys)


def is_of_a_club(key: str) -> bool:
    """Whether the army is a club's own list."""
    return is_own(key)


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
