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
from engine.battles.types import BattleState
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
    told = _told_out(fixture, load_fielded_sides(battle), fates)
    changed = {
        key: ReportedCasualty(out, by) if is_out else _back(state, key, rules.begins)
        for key, (is_out, by) in told.items()
    }
    return AfterBattleReport(
        seen=battle.events_count,
        turns=state.turn,
        fates=changed,
        winner=winner,
        how=how.replace("-", "_"),
    )


def _back(state: BattleState, key: str, begins: str) -> ReportedCasualty:
    """Return the fate of a model that is not out: as it is, or as it began."""
    now = state.combatants[key]
    return ReportedCasualty(begins if now.is_out else now.state)


def _told_out(
    fixture: Fixture, sides: Mapping[str, FieldedSide], fates: Fates
) -> dict[str, tuple[bool, str | None]]:
    """Return for each model of the sides that are told of whether it is out, and by which model."""
    by_entry = {side.row.entry.token: side for side in sides.values()}
    known = {entry.token for entry in fixture.sides}
    found: dict[str, tuple[bool, str | None]] = {}
    for token, said in fates.items():
        if token not in known:
            raise Refusal(f"{shown(token)} does not play in this game.", field="fates")
        side = by_entry.get(token)
        if side is None:
            raise Refusal("This side has no warband in the campaign.", field="fates")
        check_told(said, "fates")
        # All of a side are told of: who is not named is not out.
        found |= dict.fromkeys((one.id for one in side.models), (False, None))
        for place, one in enumerate(said):
            at = f"fates.{token}[{place}]"
            model = side.find(_text(one, "who", at))
            if model is None:
                raise Refusal(
                    f"{shown(one['who'])} does not fight here.", field=f"{at}.who"
                )
            found[model.id] = True, _by(by_entry, one.get("by"), f"{at}.by")
    return found


def _text(said: NamedValues, key: str, at: str) -> str:
    """Return a text of what is said. Raises Refusal for anything else."""
    value = said.get(key)
    if not isinstance(value, str):
        raise Refusal(f"{key} must be a text.", field=f"{at}.{key}")
    return value


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
    kept: JsonObject = {key: dict(value) for key, value in fixture.told.items()}
    if told.objectives is not None:
        _keep(kept, keys, "objectives", _checked_taken(keys, told.objectives))
    if told.objective_by is not None:
        _keep(kept, keys, "objective_by", _checked_takers(keys, told.objective_by))
    return kept


def _keep(kept: JsonObject, keys: TextByKey, name: str, told: NamedValues) -> None:
    """Put what is told by entry beside what a fixture keeps of each of its sides."""
    # A report tells of all sides: one that it leaves out took nothing.
    for token, key in keys.items():
        kept[key] = {**kept.get(key, {}), name: told.get(token)}


def _checked_taken(
    keys: TextByKey, told: Mapping[str, NamedValues]
) -> dict[str, dict[str, Any]]:
    """Return what each entry took. Raises Refusal for what cannot be kept."""
    for token, taken in told.items():
        if token not in keys:
            words = f"{shown(token)} does not play in this game."
            raise Refusal(words, field="objectives")
        check_objectives(taken)
    return {token: dict(taken) for token, taken in told.items()}


def _checked_takers(keys: TextByKey, told: Sequence[str]) -> dict[str, list[str]]:
    """Return the warriors of each entry who took an objective. Raises Refusal."""
    check_told(told, "objective_by")
    found: dict[str, list[str]] = {token: [] for token in keys}
    for place, one in enumerate(told):
        entry, _, warrior = one.partition("/")
        if entry not in keys or not warrior or len(warrior) > OBJECTIVE_MAX:
            raise Refusal(
                f"{shown(one)} names no unit here: write <entry>/w1.",
                field=f"objective_by[{place}]",
            )
        found[entry].append(warrior)
    return found


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
