"""What a fixture came to, as a row of its campaign's log whenever that is something else."""

from __future__ import annotations

import json

from accounts.owner import NOBODY, Owner
from battles.models import Battle, BattleStatus
from campaigns.models import ClubEvent, Fixture, FixtureStatus, GrowthRow, GrowthRowKind
from campaigns.operations.growth.ledger import open_growth, row_of
from campaigns.operations.log import ChangeRequest, LockedEvent, lock_event_row
from campaigns.queries.growth.lineups import FieldedModel, FieldedSide, load_fielded_sides
from engine.growth.log import COUNTED, DISPUTED, VOID, FixtureResult, ModelPutOut
from engine.growth.payloads import from_payload, to_payload
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
    fixture: Fixture, battle: Battle | None, author: int | None = None
) -> None:
    """Append what a fixture came to, where its campaign does not know it yet.

    Call it within the transaction that changed the result, under the battle's lock.
    """
    event_id = fixture.round.event_id
    if not fixture.round.event.growth_position:
        return
    # Silence and a confirmation change nothing here: a result counts from its first report.
    last = _last(fixture)
    result = _result(fixture, battle)
    if result is None:
        # What does not count any more keeps its place, and is skipped.
        if last is None or last.payload["status"] == VOID:
            return
        payload: JsonObject = {**last.payload, "status": VOID}
    else:
        # As the row will hold it, so that tuples and lists compare alike.
        payload = json.loads(json.dumps(to_payload(result)))
    if last is not None and last.payload == payload:
        return
    event = lock_event_row(event_id)
    actor = Owner(user_id=author) if author else NOBODY
    growth = open_growth(LockedEvent(ChangeRequest(actor, event.token), event))
    row = row_of(_of_payload(payload), fixture=fixture)
    growth.append([row])


def _of_payload(payload: JsonObject) -> FixtureResult:
    """Return the result that a payload holds."""
    result = from_payload(GrowthRowKind.RESULT, payload)
    assert isinstance(result, FixtureResult)
    return result


def _last(fixture: Fixture) -> GrowthRow | None:
    """Return what the campaign was told of a fixture last. One query."""
    rows = GrowthRow.objects.filter(fixture=fixture, kind=GrowthRowKind.RESULT)
    return rows.order_by("-position").first()


def _result(fixture: Fixture, battle: Battle | None) -> FixtureResult | None:
    """Return what a fixture came to for its campaign, None for what does not count in it.

    That is a game without a result, one that an organiser decided, and a friendly one. Three
    queries.
    """
    if battle is None or battle.status == BattleStatus.OPEN:
        return None
    # An organiser's decision pays as a game that was not fought, by an act of its own.
    if fixture.decision or fixture.is_friendly:
        return None
    sides = load_fielded_sides(battle)
    if not sides:
        return None
    winner = sides.get(battle.winner)
    return FixtureResult(
        fixture=fixture.token,
        sides=tuple(side.row.token for side in sides.values()),
        winner=winner.row.token if winner else "",
        status=STATUSES.get(FixtureStatus(fixture.status), COUNTED),
        fielded={side.row.token: side.warriors for side in sides.values()},
        out={side.row.token: _out(side, sides) for side in sides.values()},
        objectives=_objectives(fixture, sides),
        objective_by=_objective_by(fixture, sides),
    )


STATUSES = {
    FixtureStatus.DISPUTED: DISPUTED,
    FixtureStatus.VOID: VOID,
}


def _out(side: FieldedSide, sides: dict[str, FieldedSide]) -> tuple[ModelPutOut, ...]:
    """Return who of a side was put out, and by which warrior.

    By whom is None where that is not recorded, or was a side without a warband in the campaign.
    """
    models = {one.id: one for other in sides.values() for one in other.models}
    found = []
    for one in side.models:
        if one.is_out:
            by = models.get(one.put_out_by)
            found.append(ModelPutOut(one.who, _named(by, sides) if by else None))
    return tuple(found)


def _named(model: FieldedModel, sides: dict[str, FieldedSide]) -> tuple[str, str]:
    """Return the warband and the warrior of a model."""
    return sides[model.side].row.token, model.warrior


def _objectives(
    fixture: Fixture, sides: dict[str, FieldedSide]
) -> dict[str, dict[str, int]]:
    """Return what each warband took, as it was told."""
    found = {}
    for key, side in sides.items():
        taken = fixture.told.get(key, {}).get("objectives")
        if taken:
            found[side.row.token] = dict(taken)
    return found


def _objective_by(
    fixture: Fixture, sides: dict[str, FieldedSide]
) -> tuple[tuple[str, str], ...]:
    """Return which warriors took objectives, as it was told."""
    return tuple(
        (side.row.token, warrior)
        for key, side in sides.items()
        for warrior in (fixture.told.get(key, {}).get("objective_by") or ())
    )
