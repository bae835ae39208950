"""R27 of a battle: what is stored, against the same worked out anew by nothing but the log and the
entries.
"""

from battles.combatants import build_field, from_locked
from battles.intake import to_event
from battles.models import Battle, BattleCombatant
from battles.results import ResultStep, fold_result
from engine.battles.event_fold import fold
from rulesdata import registry


def faults(battle: Battle) -> list[str]:
    """Every stored total that is not what the events and the result come to; empty when all is
    well.
    """
    battle = Battle.objects.get(pk=battle.pk)
    log = [to_event(e) for e in battle.events.all()]
    field = build_field(from_locked(battle.locked))
    state = fold(registry.battle_rules(battle.system, battle.variant or None), field, log)
    found = [
        f"{row.key}: {totals} and not {wanted}"
        for row in BattleCombatant.objects.filter(battle=battle)
        if (totals := (row.state, row.is_out, row.kills, row.put_out_by))
        != (
            wanted := (
                (one := state.combatants[row.key]).state,
                one.is_out,
                one.kills,
                one.put_out_by or "",
            )
        )
    ]
    data = state.to_json()
    del data["verdicts"]
    standing = fold_result([_entry(row) for row in battle.results.order_by("number")])
    for name, stored, wanted in (
        ("state", battle.state, data),
        ("turn", battle.turn, state.turn),
        ("phase", battle.phase, state.phase),
        ("ended", battle.ended_at is not None, state.end is not None),
        ("events", battle.events_count, len(log)),
        (
            "positions",
            sorted(battle.events.values_list("position", flat=True)),
            list(range(1, len(log) + 1)),
        ),
        ("results", battle.results_count, battle.results.count()),
        ("status", battle.status, standing.status),
        ("winner", (battle.winner, battle.how), (standing.winner, standing.how)),
        ("proposed by", battle.proposed_by, standing.side),
        ("confirm by", battle.confirm_by, standing.confirm_by),
    ):
        if stored != wanted:
            found.append(f"{name}: {stored} and not {wanted}")
    return found


def _entry(row: object) -> ResultStep:
    names = ("verb", "side", "winner", "how", "reason", "confirm_by", "at")
    return ResultStep(**{name: getattr(row, name) for name in names})
