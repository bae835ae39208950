"""An organiser accepts reported results: one, or all of a round, which may then be closed.

Accepting does what confirming does: it is the same step of a result, taken for no side. A disputed
result is accepted by itself, so that somebody looks at it.

Events are locked before battles and battles before fixtures, as results lock them. What silence has
confirmed already is written down as such, and nothing is added to it.
"""

from django.utils import timezone

from accounts.errors import WrongState
from battles.access import BattleCall
from battles.models import Battle, ResultVerb
from battles.operations.results import confirm_by_silence, take_step
from battles.result_rules import Claim
from campaigns.models import SHOWN, Fixture, FixtureStatus
from campaigns.operations.conflicts import round_area
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    check_organises,
    organised_event,
    readable_event,
)
from campaigns.operations.rounds import close_locked_round
from campaigns.operations.rows import find_round, playable_fixture

TO_ACCEPT = (FixtureStatus.WAITING, FixtureStatus.DISPUTED)


def accept_result(asked: ChangeRequest, fixture: str) -> None:
    """Confirm the reported result of a game, a disputed one too; by organisers.

    The version expected is the fixture's. What is confirmed already stays so. Raises NotFound,
    NotAllowed, Refusal where nothing was reported, Stale.
    """
    with readable_event(asked) as change:
        check_organises(change)
        row = playable_fixture(change, fixture)
        # Two organisers may accept at once: the second one finds it done.
        if row.status == FixtureStatus.FINAL and not row.decision:
            return
        asked.check_version(row)
        if row.status not in TO_ACCEPT:
            raise WrongState(f"{row.title} has no reported result to accept.")
        _accept(change, row)


def accept_round(asked: ChangeRequest, number: int, *, closes: bool = False) -> int:
    """Confirm every reported result of a round that is not disputed; by organisers.

    Returns how many.

    With ``closes`` the round is closed too, or nothing is accepted.

    Raises Refusal naming the games that keep it open, NotFound, NotAllowed, Stale.
    """
    with organised_event(asked, round_area(number)) as change:
        row = find_round(change.event, number)
        if row.status not in SHOWN:
            raise WrongState(f"{row} is not published yet.")
        games = Fixture.objects.filter(round=row, status=FixtureStatus.WAITING)
        waiting = list(games.select_related("battle").order_by("position"))
        for one in waiting:
            _accept(change, one)
        if closes:
            close_locked_round(change, row)
        return len(waiting)


def _accept(change: LockedEvent, row: Fixture) -> None:
    """One more step of the result, which silence may be due to take instead."""
    battle = Battle.objects.select_for_update().get(fixture=row)
    if not confirm_by_silence(battle, timezone.now()):
        call = BattleCall(change.actor, battle.token)
        take_step(call, ResultVerb.CONFIRM, Claim(reason=change.asked.reason))
