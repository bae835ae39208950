"""What a report says of the models that were put out, as the form after a battle takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from battles.after_battle import AfterBattleReport, ReportedCasualty
from battles.intake import log_of, rules_of
from battles.models import Battle
from campaigns.models import Fixture
from campaigns.queries.growth.lineups import FieldedSide, load_fielded_sides
from engine.battles.event_fold import fold
from engine.errors import Refusal
from engine.records import JsonObject, NamedValues, TextByKey
from warbands.exchange.document import shown

OUT_MOST = 400
OBJECTIVES_MOST = 20
OBJECTIVE_MAX = 40
TAKEN_MOST = 100
Fates = Mapping[str, Sequence[NamedValues]]
"""By an entry's token: who of its models was put out, and by whom."""


def after_battle_report(
    fixture: Fixture, battle: Battle, fates: Fates, winner: str | None, how: str
) -> AfterBattleReport:
    """Return the form that says these fates; models of entries that are left out stay as they are.

    Raises Refusal naming the field.
    """
    rules = rules_of(battle)
    if not rules.can_record:
        words = f"{rules.name} records no casualties."
        raise Refusal(words, field="fates")
    log = log_of(battle)
    state = fold(log.rules, log.field, log.events)
    # A system may know several states that are out; a report tells no more than that.
    out = next(key for key, one in rules.states.items() if one.is_out)
    changed = {}
    for key, (is_out, by) in _read_fates(fixture, battle, fates).items():
        now = state.combatants[key]
        # A model that is not out is as it is, or as it began.
        back = rules.begins if now.is_out else now.state
        changed[key] = ReportedCasualty(out, by) if is_out else ReportedCasualty(back)
    return AfterBattleReport(
        seen=battle.events_count,
        turns=state.turn,
        fates=changed,
        winner=winner,
        how=how.replace("-", "_"),
    )


def _read_fates(
    fixture: Fixture, battle: Battle, fates: Fates
) -> dict[str, tuple[bool, str | None]]:
    """Return for each model of the sides that are told of whether it is out, and by which model."""
    sides = {side.row.entry.token: side for side in load_fielded_sides(battle).values()}
    playing = {entry.token for entry in fixture.sides}
    models: dict[str, tuple[bool, str | None]] = {}
    for token, lines in fates.items():
        if token not in playing:
            raise Refusal(f"{shown(token)} does not play in this game.", field="fates")
        side = sides.get(token)
        if side is None:
            raise Refusal("This side has no warband in the campaign.", field="fates")
        check_told(lines, "fates")
        # All of a side are told of: who is not named is not out.
        models |= dict.fromkeys((model.id for model in side.models), (False, None))
        for place, line in enumerate(lines):
            at = f"fates.{token}[{place}]"
            who = line.get("who")
            if not isinstance(who, str):
                raise Refusal("who must be a text.", field=f"{at}.who")
            model = side.find(who)
            if model is None:
                raise Refusal(f"{shown(who)} does not fight here.", field=f"{at}.who")
            models[model.id] = True, _by(sides, line.get("by"), f"{at}.by")
    return models


def _by(by_entry: Mapping[str, FieldedSide], said: object, field: str) -> str | None:
    """Return the combatant that stands for a warrior such as <entry>/w1; None for nobody."""
    if said is None:
        return None
    entry, _, warrior = said.partition("/") if isinstance(said, str) else ("", "", "")
    side = by_entry.get(entry)
    model = side.of_warrior(warrior) if side else None
    if model is None:
        raise Refusal(f"{shown(said)} does not fight here.", field=field)
    return model.id


# Objectives


def told_objectives(fixture: Fixture, keys: TextByKey, told: Any) -> JsonObject:
    """Return what a fixture keeps of objectives, by the keys of its sides.

    ``keys`` are those by the entries' tokens; what is left out stays. Raises Refusal naming the
    field.
    """
    taken, takers = told.objectives, told.objective_by
    _check_sides_objectives(keys, taken or {})
    warriors = _read_takers(keys, takers or ())
    columns: JsonObject = {key: dict(value) for key, value in fixture.told.items()}
    for token, key in keys.items():
        # A report tells of all sides: one that it leaves out took nothing.
        if taken is not None:
            counts = dict(taken[token]) if token in taken else None
            columns[key] = {**columns.get(key, {}), "objectives": counts}
        if takers is not None:
            columns[key] = {**columns.get(key, {}), "objective_by": warriors[token]}
    return columns


def _check_sides_objectives(keys: TextByKey, objectives: Mapping[str, NamedValues]) -> None:
    """Raise Refusal for objectives of who does not play, and for what cannot be kept."""
    for token, counts in objectives.items():
        if token not in keys:
            message = f"{shown(token)} does not play in this game."
            raise Refusal(message, field="objectives")
        check_objectives(counts)


def _read_takers(keys: TextByKey, takers: Sequence[str]) -> dict[str, list[str]]:
    """Return the warriors who took objectives, by the tokens of their entries.

    Raises Refusal naming the line.
    """
    check_told(takers, "objective_by")
    warriors: dict[str, list[str]] = {token: [] for token in keys}
    for place, line in enumerate(takers):
        token, _, warrior = line.partition("/")
        if token not in keys or not warrior or len(warrior) > OBJECTIVE_MAX:
            message = f"{shown(line)} names no unit here: write <entry>/w1."
            raise Refusal(message, field=f"objective_by[{place}]")
        warriors[token].append(warrior)
    return warriors


def check_told(said: Sequence[object], field: str) -> None:
    """Raise Refusal for more models than a report tells of."""
    if len(said) > OUT_MOST:
        raise Refusal(f"Tell of at most {OUT_MOST} models.", field=field)


def check_objectives(taken: NamedValues) -> None:
    """Raise Refusal for objectives that cannot be kept."""
    is_few = len(taken) <= OBJECTIVES_MOST
    if not is_few or any(len(key) > OBJECTIVE_MAX for key in taken):
        raise Refusal(
            f"At most {OBJECTIVES_MOST} objectives, each named in {OBJECTIVE_MAX} letters.",
            field="objectives",
        )
    if not all(0 <= number <= TAKEN_MOST for number in taken.values()):
        raise Refusal(f"An objective is taken 0 to {TAKEN_MOST} times.", field="objectives")
