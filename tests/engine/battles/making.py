"""Battles made up at random: several devices that see one another's events late, undo, repeat, err
and lie about time.

What is made is legal often enough to get somewhere and wrong often enough to meet every refusal.
"""

import random
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from engine.battles.rules import BattleRules
from engine.battles.types import Combatant, Event, Field, Side
from rulesdata import registry

Made = tuple[BattleRules, Field, list[Event]]
START = datetime(2026, 3, 1, 19, 30)


def all_rules() -> list[BattleRules]:
    return [
        registry.battle_rules(system.key, system.variant) for system in registry.rulesets()
    ]


def battles(seed: int, count: int) -> Iterator[Made]:
    """So many logs, the same for the same seed, the systems in turn."""
    chance = random.Random(seed)
    rules = all_rules()
    for number in range(count):
        yield battle(chance, rules[number % len(rules)])


def battle(chance: random.Random, rules: BattleRules, most: int = 200) -> Made:
    """One log of up to so many events, in the order in which they happened to arrive."""
    field = made_field(chance)
    events = log(chance, rules, field, chance.randint(0, most))
    chance.shuffle(events)
    return rules, field, events + chance.sample(events, len(events) // 10)


def made_field(chance: random.Random) -> Field:
    """Two sides, now and then three: rosters with a leader, without one, and quick sides."""
    return Field(tuple(_side(chance, key) for key in "abc"[: chance.choice((2, 2, 2, 3))]))


def _side(chance: random.Random, key: str) -> Side:
    count = chance.randint(1, 8)
    is_quick, has_leader = chance.random() < 0.2, chance.random() < 0.8
    combatants = tuple(
        Combatant(
            id=f"{key}{n}",
            side=key,
            name=f"{key.upper()} {n}",
            wounds=None if is_quick else chance.choice((None, 1, 1, 3)),
            leadership=None if is_quick else chance.choice((None, 6, 7, 7, 8, 9)),
            is_leader=has_leader and not is_quick and n == 1,
            models=chance.choice((1, 1, 6, 12)),
            kinds=chance.choice(((), ("small", "soldier"), ("big", "vehicle"))),
        )
        for n in range(1, count + 1)
    )
    leadership = chance.choice((None, 7)) if is_quick else None
    return Side(key, f"Side {key.upper()}", count, leadership, combatants)


def log(chance: random.Random, rules: BattleRules, field: Field, count: int) -> list[Event]:
    """So many events of up to three devices, each of which counts on from the last seq it happened
    to have seen.
    """
    devices = ["phone 1", "phone 2", "tablet"][: chance.randint(1, 3)]
    days = {device: timedelta(days=chance.choice((-1, 0, 0, 1))) for device in devices}
    seen = dict.fromkeys(devices, 0)
    events: list[Event] = []
    for number in range(count):
        device = chance.choice(devices)
        if chance.random() < 0.7:
            seen[device] = max(seen.values())
        seen[device] += 1
        kind = chance.choice(
            (
                "turn", "phase", "wounds", "mark", "counter", "test", "test", "undo",
                "note", *("state",) * 6,
            )
        )  # fmt: skip
        if chance.random() < 0.005:
            kind = "end"
        payload = _payload(chance, rules, field, kind, events)
        at = (START + days[device] + timedelta(seconds=20 * number)).isoformat() + "Z"
        id_ = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        events.append(Event(id_, device, seen[device], at, kind, payload))
    return events


def _payload(
    chance: random.Random, rules: BattleRules, field: Field, kind: str, events: list[Event]
) -> dict[str, Any]:
    combatants = [one for side in field.sides for one in side.combatants]
    combatant, side = chance.choice(combatants), chance.choice(field.sides)
    by = {"by": chance.choice(combatants).id} if chance.random() < 0.4 else {}
    forced = {"forced": True, "note": "Agreed."} if chance.random() < 0.1 else {}
    if chance.random() < 0.02:
        return chance.choice(
            (
                {},
                {"combatant": "nobody"},
                {"to": "nowhere", "combatant": combatant.id},
                {"x": 1},
            )
        )
    match kind:
        case "turn":
            return {"number": chance.randint(1, 6)} | (
                {"side": side.id} if chance.random() < 0.9 else {}
            )
        case "phase":
            return {"phase": chance.choice(rules.phases).id}
        case "state":
            to = chance.choice([step.after for step in rules.steps])
            return {"combatant": combatant.id, "to": to, **by, **forced}
        case "wounds":
            return {
                "combatant": combatant.id,
                "to": chance.randint(0, combatant.wounds or 1),
                **by,
            }
        case "mark":
            mark = chance.choice([*rules.marks, "no_mark"])
            return {"combatant": combatant.id, "mark": mark, "on": chance.random() < 0.7}
        case "counter":
            return _counter(chance, rules, combatant, side, by)
        case "test":
            return _test(chance, rules, combatant, side) | by | forced
        case "note":
            return {"text": "x" * chance.randint(0, 600)}
        case "end":
            ending = chance.choice(list(rules.endings))
            return {"how": ending, "winner": None if chance.random() < 0.3 else side.id}
        case _:
            target = chance.choice(events).id if events else "none"
            recent = [event.id for event in events[-6:] if event.kind == "undo"]
            return {
                "event": chance.choice(recent)
                if recent and chance.random() < 0.5
                else target
            }


def _counter(
    chance: random.Random,
    rules: BattleRules,
    combatant: Combatant,
    side: Side,
    by: dict[str, Any],
) -> dict[str, Any]:
    rule = chance.choice(list(rules.counters.values()) or [None])
    if rule is None:
        return {"side": side.id, "counter": "models", "to": 1}
    if rule.of == "side":
        return {
            "side": side.id,
            "counter": rule.id,
            "to": chance.randint(0, rule.most or 6),
        }
    return {
        "combatant": combatant.id,
        "counter": rule.id,
        "to": chance.randint(0, combatant.models),
        **by,
    }


def _test(
    chance: random.Random, rules: BattleRules, combatant: Combatant, side: Side
) -> dict[str, Any]:
    rule = chance.choice(list(rules.tests.values()))
    if rules.rout and chance.random() < 0.3:
        rule = rules.tests[rules.rout.test]
    whose = {"side": side.id} if rule.of == "side" else {"combatant": combatant.id}
    said: dict[str, Any] = {"test": rule.id, **whose}
    is_told = rule.passes in ("at_most", "at_least")
    if is_told and chance.random() < 0.2:
        return said | {"passed": chance.random() < 0.5}
    sides = [*rule.dice, *(rule.dice if rule.rerolls and chance.random() < 0.3 else ())]
    sides += [rule.extra] * chance.choice((0, rule.extra_most))
    said |= {
        "dice": [chance.randint(1, most) for most in sides],
        "source": chance.choice(("app", "typed")),
    }
    if is_told and chance.random() < 0.5:
        said["need"] = chance.randint(3, 10)
    if is_told and chance.random() < 0.1:
        said["passed"] = chance.random() < 0.5
    if chance.random() < 0.2:
        said["modifier"] = chance.randint(-2, 2)
    return said
