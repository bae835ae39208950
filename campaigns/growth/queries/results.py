"""What a game came to for its campaign, as it is or as a step of its result would make it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy

from accounts.owner import Owner
from battles.intake import Totals, totals_of
from battles.models import Battle, BattleStatus
from battles.results import GrowthChange, ResultState
from campaigns.fixture_totals import fixture_columns
from campaigns.growth.payloads import StoredRow, to_payload
from campaigns.growth.queries.ledger import ledger_of, load_ledger
from campaigns.growth.queries.lineups import FieldedModel, FieldedSide, load_fielded_sides
from campaigns.growth.queries.presenter import award_words
from campaigns.growth.queries.reports import GrowthReport, growth_of
from campaigns.models import Fixture, FixtureStatus, GrowthRowKind
from campaigns.queries.events import load_event
from engine.growth.campaign_fold import difference
from engine.growth.log import COUNTED, DISPUTED, VOID, FixtureResult, ModelPutOut
from engine.growth.slots import earned_so_far
from engine.records import JsonObject, NamedValues, TextPairs


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
    results = (row.payload for row in ledger.of(GrowthRowKind.RESULT))
    previous = [result for result in results if result["fixture"] == fixture.token]
    result = counted_result(fixture, after, totals_of(state))
    payload = result_payload(result, previous[-1] if previous else None)
    changed = ledger.state
    if payload is not None:
        row = StoredRow(ledger.position + 1, GrowthRowKind.RESULT, payload)
        changed = ledger_of(fixture.round.event, (*ledger.rows, row)).state
    return report.change(difference(ledger.state, changed))


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
    sides = load_fielded_sides(fixture.battle)
    models = _index_models(sides)
    return tuple(
        lesson
        for side in sides.values()
        if not report.is_hidden(side.row)
        for lesson in _list_lessons(report, side, _count_victims(side, models))
    )


def _count_victims(side: FieldedSide, models: Mapping[str, FieldedModel]) -> Counter[str]:
    """Return how many models of other sides each warrior of a side put out."""
    enemies = [model for model in models.values() if model.side != side.key]
    attackers = [models.get(enemy.put_out_by) for enemy in enemies if enemy.is_out]
    return Counter(
        attacker.warrior
        for attacker in attackers
        if attacker is not None and attacker.side == side.key
    )


def _list_lessons(
    report: GrowthReport, side: FieldedSide, victims: Counter[str]
) -> Iterator[tuple[str, str]]:
    """Yield each unit of a side that has learned something, with its awards."""
    for key in side.warriors:
        warrior = report.find_warrior(side.row.token, key)
        # Who is gone by a correction since earns nothing.
        if warrior is None or warrior.gone:
            continue
        awards = earned_so_far(report.rules, warrior, victims[key])
        if awards:
            yield report.unit(side.row.token, key), award_words(awards)


def _index_models(sides: Mapping[str, FieldedSide]) -> dict[str, FieldedModel]:
    """Return the models of all sides by their ids."""
    return {model.id: model for side in sides.values() for model in side.models}


# What a fixture came to


def counted_result(
    fixture: Fixture, battle: Battle | None, totals: Totals | None = None
) -> FixtureResult | None:
    """Return what a fixture came to for its campaign, None for what does not count in it.

    That is a game without a result, one that an organiser decided, and a friendly one. ``totals``
    are those of a state in place of the one that is stored. Three queries.
    """
    # An organiser's decision pays as a game that was not fought, by an act of its own.
    is_decided = fixture.decision or fixture.is_friendly
    if battle is None or battle.status == BattleStatus.OPEN or is_decided:
        return None
    sides = load_fielded_sides(battle)
    if totals is not None:
        sides = {key: side.with_totals(totals) for key, side in sides.items()}
    return _result(fixture, battle, sides) if sides else None


def _result(
    fixture: Fixture, battle: Battle, sides: dict[str, FieldedSide]
) -> FixtureResult:
    """Return the result of a battle between these sides."""
    winner = sides.get(battle.winner)
    objectives, objective_by = {}, []
    for key, side in sides.items():
        token, told = side.row.token, fixture.told.get(key, {})
        # What each warband took, and which warriors, as it was told.
        if told.get("objectives"):
            objectives[token] = dict(told["objectives"])
        objective_by += [(token, warrior) for warrior in told.get("objective_by") or ()]
    return FixtureResult(
        fixture=fixture.token,
        sides=tuple(side.row.token for side in sides.values()),
        winner=winner.row.token if winner else "",
        status=STATUSES.get(FixtureStatus(fixture.status), COUNTED),
        fielded={side.row.token: side.warriors for side in sides.values()},
        out={
            side.row.token: tuple(_list_casualties(side, sides)) for side in sides.values()
        },
        objectives=objectives,
        objective_by=tuple(objective_by),
    )


def _list_casualties(
    side: FieldedSide, sides: Mapping[str, FieldedSide]
) -> Iterator[ModelPutOut]:
    """Yield the models of a side that were put out.

    By whom is None where that is not recorded, or was a side without a warband here.
    """
    models = _index_models(sides)
    for model in side.models:
        if model.is_out:
            by = models.get(model.put_out_by)
            yield ModelPutOut(
                model.who, (sides[by.side].row.token, by.warrior) if by else None
            )


STATUSES = {
    FixtureStatus.DISPUTED: DISPUTED,
    FixtureStatus.VOID: VOID,
}
