"""Versions of a campaign's rules: changes that hold from the start, or from a place in the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.growth.faults import FaultyRules, rules_fault
from engine.growth.rules import CampaignRules
from engine.records import NamedValues, frozen_dataclass


@frozen_dataclass
class DocumentChange:
    """A change of the rules' document, at a position of the log.

    ``change`` is merged into it, or replaces it where ``is_whole``.
    """

    position: int
    change: NamedValues
    from_start: bool = False
    is_whole: bool = False

    def apply(self, document: NamedValues) -> NamedValues:
        """Return the document with this change."""
        return self.change if self.is_whole else merged(document, self.change)


LaterRules = Mapping[int, CampaignRules]
"""Rules by the position from which they hold."""
RulesReader = Callable[[NamedValues], CampaignRules]
"""Makes rules of a document, or raises FaultyRules."""


@frozen_dataclass
class RulesVersions:
    """The rules of the start, and those that hold from a position on."""

    start: CampaignRules
    later: LaterRules


def read_versions(
    document: NamedValues,
    changes: Sequence[DocumentChange],
    read: RulesReader,
) -> RulesVersions:
    """Return the rules that changes come to: those from the start first, in their order.

    Raises FaultyRules where one of the versions has faults, or drops a kind or a currency that the
    one before it had, for warriors and treasuries keep theirs.
    """
    # Those from the start first, whenever they were written.
    for change in changes:
        if change.from_start:
            document = change.apply(document)
    # Every later version lies over what holds from the start.
    start = before = read(document)
    later: dict[int, CampaignRules] = {}
    for change in changes:
        if not change.from_start:
            document = change.apply(document)
            later[change.position] = read(document)
            check_successor(before, later[change.position])
            before = later[change.position]
    return RulesVersions(start, later)


def check_successor(before: CampaignRules, after: CampaignRules) -> None:
    """Raise FaultyRules where rules drop a kind or a currency of those before them."""
    dropped = [("kinds", key) for key in before.kinds if key not in after.kinds]
    currencies = {currency.id for currency in after.currencies}
    dropped += [
        ("currencies", currency.id)
        for currency in before.currencies
        if currency.id not in currencies
    ]
    if dropped:
        raise FaultyRules([rules_fault(path, "in_use", name=key) for path, key in dropped])


def merged(document: NamedValues, change: NamedValues) -> dict[str, Any]:
    """Return a document with a change: mappings key by key, lists and values whole."""
    result = dict(document)
    for key, value in change.items():
        before = result.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            value = merged(before, value)
        result[key] = value
    return result
