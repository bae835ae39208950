"""What one event does to the battle as it stands: a function for each kind, which answers "" or why
it does nothing.

Every payload that comes here was read and is sound by itself; what it may still break is the rules
of the moment.
"""

from engine.battles.guards import price, refusal
from engine.battles.payloads import Payload
from engine.battles.rout import rout_is_reached, rout_losses, rout_state
from engine.battles.rules import BattleTest, HurtRule
from engine.battles.sentences import message
from engine.battles.state import (
    BattleInPlay,
    CombatantInPlay,
    SideInPlay,
    TestResult,
    is_exempt,
)
from engine.battles.types import Combatant, End, Event, RoutState


def apply(game: BattleInPlay, event: Event, payload: Payload) -> str:
    """Let an event count, or say why it is set aside and do nothing."""
    if game.end is not None and event.kind != "note":
        return message("ended")
    if event.kind in _OF_ACTIVE and (reason := _inactive_reason(game, event, payload)):
        return reason
    if not payload.get("forced") and (reason := refusal(game, event.kind, payload)):
        return reason
    return APPLY[event.kind](game, payload)


def _apply_turn(game: BattleInPlay, payload: Payload) -> str:
    """Begin a turn: the one before ends for its sides, then the number changes."""
    number, side = payload["number"], payload.get("side")
    active = (side,) if side is not None else tuple(game.flanks)
    is_next = number != game.turn
    if not is_next and active == game.active:
        return ""
    is_round = is_next or not game.active
    # The order counts: states change before marks and counters lapse, and both before the new turn.
    game.moment("turn_end", game.flanks if game.active else ())
    game.moment("own_turn_end", game.active)
    if is_next:
        game.moment("turn_change", game.flanks)
        game.lapse("round", "turn", "phase")
    else:
        game.lapse("turn", "phase")
    game.turn, game.active, game.side = number, active, side
    game.begin_phase(game.rules.round_phase if is_round else game.rules.turn_phase)
    # Keep only the tests since the latest turn of anybody began, and those owed for longer.
    takers: list[CombatantInPlay | SideInPlay] = [*game.flanks.values(), *game.men.values()]
    for taker in takers:
        taker.taken.clear()
    for man in game.men.values():
        # Few owe a test at all, so the rules are looked up for them alone.
        if man.asks and game.rules.tests[man.asks].lapses:
            man.asks = None
    _start_turn(game)
    return ""


def _start_turn(game: BattleInPlay) -> None:
    """Begin the turn of the active sides: see who owes a Rout test, note all states."""
    game.moment("own_turn_start", game.active)
    for key in game.active:
        flank = game.flanks[key]
        flank.rout_taken, flank.rout_owed = False, rout_is_reached(game, flank)
        for man in flank.men:
            man.turn_began, man.worsened = man.state, False


def _apply_phase(game: BattleInPlay, payload: Payload) -> str:
    if payload["phase"] != game.phase:
        game.lapse("phase")
        game.begin_phase(payload["phase"])
    return ""


def _inactive_reason(game: BattleInPlay, event: Event, payload: Payload) -> str:
    """Why a combatant, or a side, takes no part in an act whatever the rules say, or ""."""
    if "combatant" not in payload:
        flank = game.flanks[payload["side"]]
        return message("side_routed", side=flank.name) if flank.has_routed else ""
    man = game.men[payload["combatant"]]
    flank = game.flanks[man.side_id]
    if flank.has_routed:
        return message("routed", name=man.name, side=flank.name)
    if event.kind != "state":
        key = "is_out" if game.is_gone(man) else ""
    else:
        # Some rules lead from a state to itself; only without such a step it is nothing new.
        is_new = payload["to"] != man.state or game.legal(man, man.state)
        key = "" if is_new else "already"
    return message(key, name=man.name, state=game.state_name(man)) if key else ""


def _apply_state(game: BattleInPlay, payload: Payload) -> str:
    """Move a combatant to the state told."""
    man, to = game.men[payload["combatant"]], payload["to"]
    step = game.tables.steps.get((man.state, to))
    game.before, game.step_source = man.state, step.source if step else ""
    game.move(man, to, payload.get("by"))
    return ""


def _apply_wounds(game: BattleInPlay, payload: Payload) -> str:
    """Set the Wounds left; at 0 the test of the last Wound is asked for."""
    man, rule = game.men[payload["combatant"]], game.rules.last_wound_test
    before, left = man.wounds or 0, payload["to"]
    kinds = man.combatant.kinds
    if any(
        _apply_hurt(game, hurt, man, payload)
        for hurt in game.rules.hurts
        if not set(hurt.kinds).isdisjoint(kinds)
    ):
        return ""
    man.wounds = left
    if rule is None:
        return ""
    if man.wounds and man.asks == rule.id:
        man.asks = None
    # Whoever lies as an injury left it has been decided on already.
    is_decided = any(row.to == man.state for row in rule.rows)
    if before and not man.wounds and not is_decided:
        man.asks = rule.id
    return ""


def _apply_hurt(
    game: BattleInPlay, hurt: HurtRule, man: CombatantInPlay, payload: Payload
) -> bool:
    """Let the first Wound take a mount, or the last one a swarm; return whether it did."""
    before, left = man.wounds or 0, payload["to"]
    if hurt.mark and left < before and hurt.mark not in man.marks:
        man.marks.add(hurt.mark)
        return True
    if not hurt.to or left or not before:
        return False
    man.wounds, game.before, game.step_source = 0, man.state, hurt.source
    game.move(man, hurt.to, payload.get("by"))
    return True


def _apply_mark(game: BattleInPlay, payload: Payload) -> str:
    """Set or take off a mark. Setting one ends the marks and states that it names.

    Taking off a mark that a state shows brings the combatant to the state battles begin in.
    """
    man, rule = game.men[payload["combatant"]], game.rules.marks[payload["mark"]]
    is_on = payload.get("on", True)
    ended = set(rule.ends) if is_on else {rule.id, rule.shown_by}
    man.marks -= ended
    if man.state in ended:
        game.before = man.state
        game.move(man, game.rules.begins)
    if is_on:
        man.marks.add(rule.id)
    return ""


def _apply_counter(game: BattleInPlay, payload: Payload) -> str:
    """Set a counter; a combatant that reaches ``out_at`` moves to ``out_to``."""
    rule = game.rules.counters[payload["counter"]]
    if rule.of == "side":
        flank = game.flanks[payload["side"]]
        more = payload["to"] - flank.counters[rule.id]
        if rule.pays and more > 0:
            cost = price(rule, flank, payload["to"])
            flank.counters[rule.pays] = max(0, flank.counters[rule.pays] - cost)
            flank.bought[rule.id] = flank.bought.get(rule.id, 0) + more
        flank.counters[rule.id] = payload["to"]
        return ""
    man = game.men[payload["combatant"]]
    man.counters[rule.id] = payload["to"]
    if rule.out_to and payload["to"] == rule.out_at:
        game.before, game.step_source = man.state, rule.source
        game.move(man, rule.out_to, payload.get("by"))
    return ""


def _apply_test(game: BattleInPlay, payload: Payload) -> str:
    """Record a combatant's test and what follows."""
    rule = game.rules.tests[payload["test"]]
    if rule.of == "side":
        return _apply_side_test(game, rule, payload)
    man = game.men[payload["combatant"]]
    need = payload.get("need", rule.needs)
    if need is None:
        need = game.ground.own_figure(rule, payload)
    game.result = result = _test_result(rule, payload, need)
    _record_test_taken(man, rule)
    man.phase_taken.add(rule.id)
    if not result.passed:
        man.marks.update(rule.leaves)
    if further := rule.further(payload):
        counters = game.flanks[man.side_id].counters
        counters[rule.extra_from] = max(0, counters[rule.extra_from] - further)
    if result.row:
        game.rows.add(result.row.name)
    if man.asks == rule.id:
        man.asks = None
    to, asks = _test_consequence(rule, result, man.combatant)
    if rule.worsens and game.tables.rank(to) < game.tables.rank(man.state):
        to = ""
    if to and game.legal(man, to):
        game.before, game.step_source = man.state, game.tables.steps[(man.state, to)].source
        game.move(man, to, payload.get("by"))
    if asks:
        man.asks = asks
    return ""


def _record_test_taken(taker: CombatantInPlay | SideInPlay, rule: BattleTest) -> None:
    if rule.id not in taker.taken:
        taker.taken.append(rule.id)


def _test_result(rule: BattleTest, payload: Payload, need: int | None) -> TestResult:
    """What the dice, or the word that stands for them, come to."""
    dice, modifier = payload.get("dice", ()), payload.get("modifier", 0)
    score = rule.score(dice) if dice else None
    if rule.passes == "table":
        return TestResult(score, None, row=rule.row(dice, modifier))
    if rule.passes == "none":
        return TestResult(score, None)
    if dice and need is not None:
        return TestResult(score, need, rule.is_passed(dice, need, modifier))
    return TestResult(score, need, payload.get("passed"))


def _test_consequence(
    rule: BattleTest, result: TestResult, combatant: Combatant
) -> tuple[str, str]:
    """The state a test leads to, and the test that must follow; "" for none."""
    if result.row:
        return result.row.to, ""
    if result.passed:
        return rule.passes_to, ""
    if result.passed is None:
        return "", ""
    is_moved = rule.fails_to and not is_exempt(rule, combatant)
    return (rule.fails_to, "") if is_moved else ("", rule.asks)


def _apply_side_test(game: BattleInPlay, rule: BattleTest, payload: Payload) -> str:
    """Record a side's test, which may set a counter; pass on a Rout test."""
    flank = game.flanks[payload["side"]]
    if rule.loses:
        return _apply_rout_test(game, rule, flank, payload)
    game.result = result = _test_result(rule, payload, payload.get("need", rule.needs))
    _record_test_taken(flank, rule)
    if result.passed is False:
        flank.failed.add(rule.id)
    if rule.sets and result.score is not None:
        flank.counters[rule.sets] = result.score if result.score >= rule.sets_from else 0
    return ""


def _apply_rout_test(
    game: BattleInPlay, rule: BattleTest, flank: SideInPlay, payload: Payload
) -> str:
    """Count a Rout test, once in each turn of its side."""
    rout = rout_state(game, flank)
    result = _test_result(rule, payload, payload.get("need", rout.leadership))
    if reason := _rout_fault(flank, rout, payload, result):
        return reason
    if result.need is None:
        result = TestResult(result.score, None, bool(payload.get("passed")))
    game.result = result
    _record_test_taken(flank, rule)
    flank.rout_taken, flank.rout_passed = True, result.passed
    flank.rout_losses, _ = rout_losses(game, flank)
    if not result.passed:
        game.lose(flank)
    return ""


def _rout_fault(
    flank: SideInPlay, rout: RoutState, payload: Payload, result: TestResult
) -> str:
    """Return why what the payload says of the test cannot be, or ""."""
    if result.need is None:
        # With nobody to lend a Leadership the test fails, unless the players say otherwise.
        is_claimed = payload.get("passed") and not payload.get("forced")
        return rout.why if is_claimed and flank.side.has_figure else ""
    if result.passed == payload.get("passed", result.passed):
        return ""
    name, word = flank.name, "passed" if result.passed else "failed"
    return message(
        "rout_disagree", side=name, score=result.score, need=result.need, result=word
    )


# A note changes nothing, and counts even after the end.
def _apply_note(game: BattleInPlay, payload: Payload) -> str:
    return ""


def _apply_end(game: BattleInPlay, payload: Payload) -> str:
    """End the battle with its winner; a loser is named only where two sides fought."""
    winner = payload.get("winner")
    others = [key for key in game.flanks if key != winner]
    loser = others[0] if winner is not None and len(others) == 1 else None
    game.end = End(winner, payload["how"], loser, game.event)
    return ""


# Kinds that only those may record who have not routed; of them only "state" is for who is gone.
_OF_ACTIVE = frozenset({"state", "wounds", "mark", "counter", "test"})
APPLY = {
    "turn": _apply_turn,
    "phase": _apply_phase,
    "state": _apply_state,
    "wounds": _apply_wounds,
    "mark": _apply_mark,
    "counter": _apply_counter,
    "test": _apply_test,
    "note": _apply_note,
    "end": _apply_end,
}
