"""Hooks of a battle: what an app above does when a battle changes, and what it is asked.

Battles know no leagues. An app that counts their results registers one `BattleFollower` with
`follow_battles` in its ``AppConfig.ready``. Without one the default does nothing and answers that
a battle belongs nowhere.
"""

from collections.abc import Iterable, Sequence

from django.db.models import Q

from accounts.access import NONE
from accounts.owner import Owner
from battles.models import Battle, BattleSide
from battles.results import GrownCareer, GrowthChange, ResultState, ResultStep, TableChange
from engine.records import NamedValues, TextPairs, frozen_dataclass
from warbands.models import Warband

Member = tuple[int | None, int]  # a warrior's id and which miniature of its entry


@frozen_dataclass
class EventOfBattle:
    """The event and fixture of a battle: their tokens for addresses, their names for links.

    ``has_aftermath``: its warbands grow and a result is told, so that there is a page after it.
    """

    event: str
    event_name: str
    fixture: str
    round_name: str
    has_aftermath: bool = False


class BattleFollower:
    """What an app that counts results does when a battle changes, and what it knows of a battle.

    The ``after_*`` calls run inside the transaction that made the change and under the battle's
    lock: what they raise takes the change back. The others only read. As it stands here it does
    nothing, for a battle that belongs to no event.
    """

    def before_step(self, token: str) -> None:
        """Lock what a step of this battle's result will change, before the battle is locked.

        Called at the start of each step and of each report of a whole battle, which takes a step
        within it: more than once in one transaction, then.
        """

    def after_step(self, battle: Battle, step: ResultStep) -> None:
        """Take note of a step that was added to the battle's result.

        The battle's row holds the new status already. Called once for each step: a proposal, a
        confirmation (also one by silence), a dispute, a correction, a void and a restore.
        """

    def after_events(self, battle: Battle) -> None:
        """Take note of events in a battle whose result is known already.

        Called once for each batch, when the totals are written. Not called while the result is
        open: until then what happens changes no table.
        """

    def after_recount(self, battle: Battle) -> bool:
        """Recount what depends on the battle; return whether any of it was wrong.

        Called for every battle that ``recount_battles`` works out again, changed or not.
        """
        return False

    def preview(
        self, actor: Owner, battle: Battle, result: ResultState, state: NamedValues
    ) -> TableChange | None:
        """Return what a result and stored state would change in an event's table.

        None where the battle counts in no event that the actor may open.
        """
        return None

    def preview_growth(
        self, actor: Owner, battle: Battle, result: ResultState, state: NamedValues
    ) -> GrowthChange | None:
        """Return what a result and stored state would change in a campaign's warbands.

        None where the battle counts in no such campaign that the actor may open.
        """
        return None

    def experience_so_far(self, actor: Owner, token: str) -> TextPairs:
        """Return what units have learned in a battle without a result, each name with its awards.

        Nothing where it counts in no campaign whose warbands grow and that the actor may open.
        """
        return ()

    def closed_to(self, actor: Owner) -> Q:
        """Return the condition on battles whose event is kept from this actor."""
        return NONE

    def is_bound(self) -> Q:
        """Return the condition on battles that belong to a club's event, and so stay with it."""
        return NONE

    def snapshots_in_use(self, ids: Iterable[int]) -> set[int]:
        """Return which of these snapshots something other than a battle refers to.

        They are kept when the battles that locked them are deleted.
        """
        return set()

    def secret_from(self, actor: Owner, sides: Sequence[BattleSide]) -> frozenset[int]:
        """Return the ids of those sides whose list an event keeps secret from this actor.

        Whose side it is does not matter here: a player always reads their own list.
        """
        return frozenset()

    def reads_reasons(self, actor: Owner, battle: Battle) -> bool:
        """Whether the actor plays in the battle's event, and so reads why its result changed."""
        return False

    def event_of(self, actor: Owner, token: str) -> EventOfBattle | None:
        """Return the event of a battle.

        None where it has none, or where lists may not name the event to this actor.
        """
        return None

    def grown_careers(self, actor: Owner, warband: Warband) -> dict[int, GrownCareer]:
        """Return what a campaign made of the warriors of its warband, by the ids of their rows."""
        return {}


_follower = BattleFollower()


def follow_battles(follower: BattleFollower) -> None:
    """Register the follower of all battles. Call it once, when the app is ready."""
    global _follower
    _follower = follower


def battle_follower() -> BattleFollower:
    """Return the registered follower, or the default that does nothing."""
    return _follower
