"""What a game came to for its campaign, as it is or as a step of its result would make it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy

from accounts.owner import Owner
from battles.intake import Totals, combatant_totals
from battles.models import Battle, BattleStatus
from battles.results import GrowthChange, ResultState
from campaigns.fixture_totals import fixture_columns
from campaigns.growth.payloads import StoredRow, to_payload
from campaigns.growth.queries.ledger import build_ledger, load_ledger
from campaigns.growth.queries.lineups import FieldedSide, load_fielded_sides
from campaigns.growth.queries.presenter import award_words
from campaigns.growth.queries.reports import load_report
from campaigns.models import Fixture, FixtureStatus, GrowthRowKind
from campaigns.queries.events import find_event
from engine.growth.differences import difference
from engine.growth.log import COUNTED, DISPUTED, VOID, FixtureResult, ModelPutOut
from engine.growth.slots import earned_so_far
from engine.records import JsonObject, NamedValues, NumberByKey, TextByKey, TextPairs

STATUSES = {
    FixtureStatus.DISPUTED: DISPUTED,
    FixtureStatus.VOID: VOID,
}


def preview_growth(
    actor: Owner, battle: Battle, result: ResultState, state: NamedValues
) -> GrowthChange | None:
    """Return what another result, and another state, of a battle would change in its campaign.

    None for a battle of no campaign whose warbands grow, or of one that the actor may not read.
    """
    # Games of an event are battles of its club: of any other, nothing is asked.
    fixture = _find_fixture(battle.token) if battle.club_id else None
    event = find_event(actor, fixture.round.event.token) if fixture else None
    if fixture is None or event is None:
        return None
    report, ledger = load_report(event), load_ledger(event)
    # The caller's battle and fixture stay as they are.
    after = copy(battle)
    for name, value in result.columns.items():
        setattr(after, name, value)
    after.state = dict(state)
    fixture.status = fixture_columns(fixture, after, None, {})["status"]
    rows = (row.payload for row in ledger.of(GrowthRowKind.RESULT))
    previous = [payload for payload in rows if payload["fixture"] == fixture.token]
    counted = counted_result(fixture, after, combatant_totals(state))
    payload = result_payload(counted, previous[-1] if previous else None)
    changed = ledger.state
    if payload is not None:
        row = StoredRow(ledger.position + 1, GrowthRowKind.RESULT, payload)
        changed = build_ledger(fixture.round.event, (*ledger.rows, row)).state
    return report.change(difference(ledger.state, changed))


def load_experience(actor: Owner, token: str) -> TextPairs:
    """Return what units have learned in a battle whose result nobody has told, with its awards.

    Only what does not hang on the result. Units of a secret roster are left out. Eleven queries
    at most, one for a battle of no campaign whose warbands grow.
    """
    fixture = _find_fixture(token)
    event = find_event(actor, fixture.round.event.token) if fixture else None
    if fixture is None or fixture.battle is None or event is None:
        return ()
    report = load_report(event)
    sides = load_fielded_sides(fixture.battle)
    victims = _count_victims(sides.values())
    lessons = []
    for side in sides.values():
        if report.is_hidden(side.row):
            continue
        for key in side.warriors:
            warrior = report.find_warrior(side.row.token, key)
            # Who is gone by a correction since earns nothing.
            if warrior is None or warrior.gone:
                continue
            awards = earned_so_far(report.rules, warrior, victims[side.key, key])
            if awards:
                lessons.append((report.unit(side.row.token, key), award_words(awards)))
    return tuple(lessons)


def _find_fixture(battle: str) -> Fixture | None:
    """Return the game of a battle in a campaign whose warbands grow. One query."""
    rows = Fixture.objects.filter(battle__token=battle, round__event__growth_position__gt=0)
    return rows.select_related("round__event", "battle").order_by().first()


def _count_victims(sides: Iterable[FieldedSide]) -> Counter[tuple[str, str]]:
    """Return how many models of other sides each warrior put out, by side and warrior."""
    models = {model.id: model for side in sides for model in side.models}
    victims: Counter[tuple[str, str]] = Counter()
    for model in models.values():
        attacker = models.get(model.put_out_by)
        if model.is_out and attacker and attacker.side != model.side:
            victims[attacker.side, attacker.warrior] += 1
    return victims


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
    if not sides:
        return None
    tokens = {key: side.row.token for key, side in sides.items()}
    objectives, objective_by = _read_objectives(fixture, tokens)
    return FixtureResult(
        fixture=fixture.token,
        sides=tuple(tokens.values()),
        winner=tokens.get(battle.winner, ""),
        status=STATUSES.get(FixtureStatus(fixture.status), COUNTED),
        fielded={tokens[key]: side.warriors for key, side in sides.items()},
        out={side.row.token: _list_out(side, sides) for side in sides.values()},
        objectives=objectives,
        objective_by=objective_by,
    )


def _read_objectives(
    fixture: Fixture, tokens: TextByKey
) -> tuple[dict[str, NumberByKey], TextPairs]:
    """Return what each warband took, and which of its warriors, as it was reported.

    ``tokens`` are the warbands by the keys of their sides.
    """
    objectives: dict[str, NumberByKey] = {}
    takers: list[tuple[str, str]] = []
    for key, token in tokens.items():
        report = fixture.told.get(key, {})
        if report.get("objectives"):
            objectives[token] = dict(report["objectives"])
        takers += [(token, warrior) for warrior in report.get("objective_by") or ()]
    return objectives, tuple(takers)


def _list_out(
    side: FieldedSide, sides: Mapping[str, FieldedSide]
) -> tuple[ModelPutOut, ...]:
    """Return the models of a side that were put out, each with who did it."""
    models = {model.id: model for side in sides.values() for model in side.models}
    lines = []
    for model in side.models:
        if model.is_out:
            # None where it is not recorded, or was a side without a warband here.
            attacker = models.get(model.put_out_by)
            by = (sides[attacker.side].row.token, attacker.warrior) if attacker else None
            lines.append(ModelPutOut(model.who, by))
    return tuple(lines)


def result_payload(
    result: FixtureResult | None, last: NamedValues | None
) -> JsonObject | None:
    """Return what a game comes to as a row holds it; None where there is nothing to tell.

    ``last`` is what was told of it last. What does not count any more keeps its place, and is
    skipped.
    """
    if result is not None:
        # As the row will hold it, so that tuples and lists compare alike.
        payload: JsonObject = json.loads(json.dumps(to_payload(result)))
        return payload
    if last is None or last["status"] == VOID:
        return None
    return {**last, "status": VOID}
