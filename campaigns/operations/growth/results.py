"""What a fixture came to, as a row of its campaign's log whenever that is something else."""

from __future__ import annotations

from accounts.owner import NOBODY, Owner
from battles.models import Battle
from campaigns.growth_payloads import from_payload
from campaigns.models import ClubEvent, Fixture, GrowthRow, GrowthRowKind
from campaigns.operations.growth.ledger import open_growth, row_of
from campaigns.operations.log import ChangeRequest, LockedEvent, lock_event_row
from campaigns.queries.growth.results import counted_result, result_payload
from engine.growth.log import FixtureResult
from engine.records import JsonObject


def lock_campaign_of(token: str) -> None:
    """Lock the event of a battle whose result a campaign counts, before the battle is locked.

    Whoever reports a result locks the event first; the battle's own steps do the same.
    """
    rows = ClubEvent.objects.select_for_update(of=("self",)).filter(
        growth_position__gt=0, rounds__fixtures__battle__token=token
    )
    list(rows.order_by())


def record_result(
    fixture: Fixture,
    battle: Battle | None,
    author: int | None = None,
    *,
    tells: bool = True,
) -> None:
    """Append what a fixture came to, where its campaign does not know it yet.

    ``tells``: players get notices of what that changes.

    Call it within the transaction that changed the result, under the battle's lock.
    """
    event_id = fixture.round.event_id
    if not fixture.round.event.growth_position:
        return
    rows = GrowthRow.objects.filter(fixture=fixture, kind=GrowthRowKind.RESULT)
    last = rows.order_by("-position").first()
    payload = _payload(fixture, battle, last)
    if payload is None:
        return
    known = last if last is not None and last.payload == payload else None
    # Events told it already, in nobody's name: the step behind them brings the notices.
    if known and not (tells and known.author_id is None):
        return
    event = lock_event_row(event_id)
    actor = Owner(user_id=author) if author else NOBODY
    growth = open_growth(LockedEvent(ChangeRequest(actor, event.token), event))
    if known:
        growth.tell_players(growth.ledger)
        # It has been told now: without a name the next row would tell it once more.
        GrowthRow.objects.filter(pk=known.pk).update(author_id=author)
        return
    result = from_payload(GrowthRowKind.RESULT, payload)
    assert isinstance(result, FixtureResult)
    growth.append([row_of(result, fixture=fixture)], tells=tells)


def _payload(
    fixture: Fixture, battle: Battle | None, last: GrowthRow | None
) -> JsonObject | None:
    """Return what a fixture comes to as a row holds it; None where there is nothing to tell."""
    # Silence and a confirmation change nothing here: a result counts from its first report.
    result = counted_result(fixture, battle)
    return result_payload(result, last.payload if last else None)
