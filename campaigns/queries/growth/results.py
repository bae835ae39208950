"""What a game came to for its campaign, as it is or as a step of its result would make it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import copy

from accounts.owner import Owner
from battles.intake import Totals, totals_of
from battles.models import Battle, BattleStatus
from battles.results import GrowthChange, ResultState
from campaigns.fixture_totals import fixture_columns
from campaigns.growth_payloads import StoredRow, to_payload
from campaigns.models import Fixture, FixtureStatus, GrowthRowKind
from campaigns.queries.events import load_event
from campaigns.queries.growth.ledger import CampaignLedger, ledger_of, load_ledger
from campaigns.queries.growth.lineups import FieldedSide, load_fielded_sides
from campaigns.queries.growth.names import CampaignNames, awards_words
from campaigns.queries.growth.reports import growth_of
from engine.growth.campaign_fold import difference
from engine.growth.log import COUNTED, DISPUTED, VOID, FixtureResult, ModelPutOut
from engine.growth.slots import earned_so_far
from engine.records import JsonObject, NamedValues, TextPairs
from rulesdata import registry


def preview_growth(
    actor: Owner, battle: Battle, standing: ResultState, state: NamedValues
) -> GrowthChange | None:
    """Return what another result, and another state, of a battle would change in its campaign.

    None for a battle of no campaign whose warbands grow, or of one that the actor may not read.
    """
    # Games of an event are battles of its club: of any other, nothing is asked.
    if battle.club_id is None:
        return None
    rows = Fixture.objects.filter(battle=battle, round__event__growth_position__gt=0)
    fixture = rows.select_related("round__event").order_by().first()
    if fixture is None:
        return None
    event = load_event(actor, fixture.round.event.token)
    if event is None:
        return None
    report, ledger = growth_of(event), load_ledger(event)
    # The caller's battle and fixture stay as they are.
    after = copy(battle)
    for name, value in standing.columns.items():
        setattr(after, name, value)
    after.state = dict(state)
    fixture.status = fixture_columns(fixture, after, None, {})["status"]
    result = counted_result(fixture, after, totals_of(state))
    moved = difference(ledger.state, _with_result(fixture, ledger, result).state)
    return report.change(moved)


def _with_result(
    fixture: Fixture, ledger: CampaignLedger, result: FixtureResult | None
) -> CampaignLedger:
    """Return the campaign with another result of a game; None is one that does not count."""
    told = [
        row.payload
        for row in ledger.of(GrowthRowKind.RESULT)
        if row.payload["fixture"] == fixture.token
    ]
    payload = result_payload(result, told[-1] if told else None)
    if payload is None:
        return ledger
    row = StoredRow(ledger.position + 1, GrowthRowKind.RESULT, payload)
    return ledger_of(fixture.round.event, (*ledger.rows, row))


def result_payload(
    result: FixtureResult | None, last: NamedValues | None
) -> JsonObject | None:
    """Return what a game comes to as a row holds it; None where there is nothing to tell.

    ``last`` is what was told of it last. What does not count any more keeps its place, and is
    skipped.
    """
    if result is not None:
        # As the row will hold it, so that tuples and lists compare alike.
        found: JsonObject = json.loads(json.dumps(to_payload(result)))
        return found
    if last is None or last["status"] == VOID:
        return None
    return {**last, "status": VOID}


# What units have learned so far


def load_experience(actor: Owner, token: str) -> TextPairs:
    """Return what units have learned in a battle whose result nobody has told, with its awards.

    Only what does not hang on the result. Units of a secret roster are left out. Eleven queries
    at most, one for a battle of no campaign whose warbands grow.
    """
    rows = Fixture.objects.filter(battle__token=token, round__event__growth_position__gt=0)
    fixture = rows.select_related("round__event", "battle").order_by().first()
    event = load_event(actor, fixture.round.event.token) if fixture else None
    if fixture is None or fixture.battle is None or event is None:
        return ()
    report = growth_of(event)
    names = CampaignNames(report.ledger, registry.system_of(event), report.warbands)
    sides = load_fielded_sides(fixture.battle)
    found: list[tuple[str, str]] = []
    for side in sides.values():
        if not report.is_hidden(side.row):
            found += _learned(names, side, _put_out_by(sides, side))
    return tuple(found)


def _put_out_by(sides: dict[str, FieldedSide], side: FieldedSide) -> list[str]:
    """Return the warriors of a side that put somebody of another out, once for each."""
    own = {one.id: one.warrior for one in side.models}
    others = (one for other in sides.values() if other is not side for one in other.models)
    fallen = (one for one in others if one.is_out)
    return [own[one.put_out_by] for one in fallen if one.put_out_by in own]


def _learned(
    names: CampaignNames, side: FieldedSide, put_out: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield the units of a side that have learned something, each with its awards."""
    grown = names.ledger.state.warbands[side.row.token]
    for key in side.warriors:
        one = grown.warriors.get(key)
        # Who is gone by a correction since earns nothing.
        if one is None or one.gone:
            continue
        awards = earned_so_far(names.rules, one, put_out.count(key))
        if awards:
            yield names.unit(grown.id, key), awards_words(awards)


# What a fixture came to


def counted_result(
    fixture: Fixture, battle: Battle | None, totals: Totals | None = None
) -> FixtureResult | None:
    """Return what a fixture came to for its campaign, None for what does not count in it.

    That is a game without a result, one that an organiser decided, and a friendly one. ``totals``
    are those of a state in place of the one that is stored. Three queries.
    """
    if battle is None or not _counts(fixture, battle):
        return None
    sides = load_fielded_sides(battle)
    if totals is not None:
        sides = {key: side.with_totals(totals) for key, side in sides.items()}
    return _result(fixture, battle, sides) if sides else None


def _counts(fixture: Fixture, battle: Battle) -> bool:
    """Return whether a game has a result of its own that its campaign counts."""
    # An organiser's decision pays as a game that was not fought, by an act of its own.
    is_decided = fixture.decision or fixture.is_friendly
    return battle.status != BattleStatus.OPEN and not is_decided


def _result(
    fixture: Fixture, battle: Battle, sides: dict[str, FieldedSide]
) -> FixtureResult:
    """Return the result of a battle between these sides."""
    winner = sides.get(battle.winner)
    # What each warband took, as it was told.
    found = {}
    for key, side in sides.items():
        taken = fixture.told.get(key, {}).get("objectives")
        if taken:
            found[side.row.token] = dict(taken)
    # Which warriors took objectives, as it was told.
    objective_by = tuple(
        (side.row.token, warrior)
        for key, side in sides.items()
        for warrior in (fixture.told.get(key, {}).get("objective_by") or ())
    )
    return FixtureResult(
        fixture=fixture.token,
        sides=tuple(side.row.token for side in sides.values()),
        winner=winner.row.token if winner else "",
        status=STATUSES.get(FixtureStatus(fixture.status), COUNTED),
        fielded={side.row.token: side.warriors for side in sides.values()},
        out={side.row.token: _out(side, sides) for side in sides.values()},
        objectives=found,
        objective_by=objective_by,
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
            found.append(
                ModelPutOut(one.who, (sides[by.side].row.token, by.warrior) if by else None)
            )
    return tuple(found)
