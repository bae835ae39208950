"""What follows a battle: the event it may be played for, told through one object that an app above
registers.

Battles know no leagues. An app that counts their results registers a `BattleFollower` when it is
ready; without one a battle stands alone. Each call runs in the caller's transaction, where there is
one, under the battle's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from django.db.models import Q

from accounts.owner import Owner

if TYPE_CHECKING:
    from battles.models import Battle
    from battles.queries.tallies import TableChange
    from battles.results import ResultState, ResultStep

Member = tuple[int | None, int]  # a warrior's id and which miniature of its entry


@dataclass(frozen=True, slots=True)
class EventOfBattle:
    """Where a battle belongs: tokens for the addresses, names for the links."""

    event: str
    event_name: str
    fixture: str
    round_name: str


class BattleFollower(Protocol):
    """What the app that counts results does when a battle changes, and what it knows of a battle."""

    def after_step(self, battle: Battle, step: ResultStep) -> None:
        """A step was added to the battle's result."""

    def after_events(self, battle: Battle) -> None:
        """Events were recorded in a battle whose result is known already."""

    def after_recount(self, battle: Battle) -> bool:
        """The battle's totals were recounted; returns whether anything that depends on them was
        wrong.
        """

    def preview(
        self, actor: Owner, battle: Battle, result: ResultState, state: Mapping[str, Any]
    ) -> TableChange | None:
        """Return what this result and state would change in a table, None without one."""

    def is_bound(self) -> Q:
        """Return the condition on battles that belong to a club's event, and so stay with it."""

    def snapshots_in_use(self, ids: Iterable[int]) -> set[int]:
        """Return which of these snapshots something other than a battle holds."""

    def event_of(self, actor: Owner, token: str) -> EventOfBattle | None:
        """Return the event of a battle, None where it has none or lists may not name it to this
        actor.
        """

    def fates(self, actor: Owner, battle_ids: Iterable[int]) -> dict[Member, tuple[str, ...]]:
        """Return what befell each miniature after these battles, in events the actor may open."""


class _NoFollower:
    """Nobody follows: a battle stands alone."""

    def after_step(self, battle: Battle, step: ResultStep) -> None:
        return

    def after_events(self, battle: Battle) -> None:
        return

    def after_recount(self, battle: Battle) -> bool:
        return False

    def preview(
        self, actor: Owner, battle: Battle, result: ResultState, state: Mapping[str, Any]
    ) -> TableChange | None:
        return None

    def is_bound(self) -> Q:
        return Q(pk__in=())

    def snapshots_in_use(self, ids: Iterable[int]) -> set[int]:
        return set()

    def event_of(self, actor: Owner, token: str) -> EventOfBattle | None:
        return None

    def fates(self, actor: Owner, battle_ids: Iterable[int]) -> dict[Member, tuple[str, ...]]:
        return {}


_follower: BattleFollower = _NoFollower()


def follow_battles(follower: BattleFollower) -> None:
    """Register who follows every battle from now on. Called once, when an app is ready."""
    global _follower
    _follower = follower


def battle_follower() -> BattleFollower:
    """Return who follows battles."""
    return _follower
