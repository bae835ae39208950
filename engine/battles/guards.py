"""Who may do what when: all refusals of the fold, by the packs' guards and by the steps.

An event that the players force is asked for none of it: they agreed on it, and say why.
"""

from engine.battles.guard_rules import Guard
from engine.battles.payloads import Payload
from engine.battles.rout import rout_excuse, rout_losses, rout_state, rout_threshold
from engine.battles.rules import BattleTest, CounterRule, MarkRule
from engine.battles.sentences import LIMITS, message
from engine.battles.state import BattleInPlay, CombatantInPlay, SideInPlay
from engine.text import join_words

Guarded = CombatantInPlay | SideInPlay | None


def refusal(game: BattleInPlay, kind: str, payload: Payload) -> str:
    """Why the rules forbid an act as the battle stands, or ""."""
    man = game.men.get(payload.get("combatant", ""))
    match kind:
        case "state" if man:
            reason = _step_refusal(game, man, payload["to"])
        case "mark" if man and payload.get("on", True):
            reason = _mark_refusal(game, man, game.rules.marks[payload["mark"]])
        case "test":
            rule = game.rules.tests[payload["test"]]
            if rule.loses:
                return _rout_refusal(game, payload)
            reason = ""
            if man:
                reason = (
                    _test_refusal(game, rule, man)
                    or _lender_refusal(game, payload)
                    or _dice_refusal(game, rule, man, payload)
                )
        case "counter" if man is None:
            reason = _price_refusal(game, payload)
        case _:
            reason = ""
    return reason or _guard_refusal(game, kind, payload)


def _guard_refusal(game: BattleInPlay, kind: str, payload: Payload) -> str:
    """What the first guard says that stands against an act, or ""."""
    act = _act_key(game, kind, payload)
    guards = game.tables.guards.get((kind, act))
    if not guards or not payload.get("on", True):
        return ""
    man = game.men.get(payload.get("combatant", ""))
    taker = man or game.flanks.get(payload.get("side", ""))
    if kind == "counter" and taker and payload["to"] <= taker.counters[act]:
        return ""
    for guard in guards:
        if not _is_about(game, guard, man, payload) or _is_open(
            game, guard, taker, payload, act
        ):
            continue
        return f"{taker.name}: {guard.says}" if taker else guard.says
    return ""


def _act_key(game: BattleInPlay, kind: str, payload: Payload) -> str:
    """What guards call an act: its state, mark, test; "next" for a turn with the same number."""
    if kind == "turn" and payload["number"] == game.turn:
        return "next"
    return str(payload.get("to" if kind == "state" else kind, ""))


def _is_open(
    game: BattleInPlay, guard: Guard, taker: Guarded, payload: Payload, act: str
) -> bool:
    """Whether everything holds that a guard asks for."""
    if guard.in_order:
        return _is_in_order(game, payload["phase"])
    if not _is_moment(game, guard, payload, taker.side_id if taker else ""):
        return False
    failed = (flank.failed for flank in game.flanks.values())
    if any(guard.not_failed in tests for tests in failed):
        return False
    if isinstance(taker, CombatantInPlay):
        is_fit = _may(guard, taker, act) and _has_left(game, guard, taker)
        return is_fit and _may_finish(guard, taker, payload)
    return not (guard.once and taker and act in taker.taken)


def _is_about(
    game: BattleInPlay, guard: Guard, man: CombatantInPlay | None, payload: Payload
) -> bool:
    """Whether a guard is about a combatant of this kind in this state and phase.

    What a device was not told, traits and dice, nobody holds against its events.
    """
    if guard.until_row in game.rows or man is None:
        return guard.until_row not in game.rows
    combatant = man.combatant
    traits = () if payload.get("unseen") else combatant.traits
    return (
        (not guard.before or man.state in guard.before)
        and (not guard.during or game.phase in guard.during)
        and (not guard.kinds or not set(guard.kinds).isdisjoint(combatant.kinds))
        and (not guard.traits or not set(guard.traits).isdisjoint(traits))
        and set(guard.others).isdisjoint(combatant.kinds)
    )


def _is_in_order(game: BattleInPlay, phase: str) -> bool:
    """Whether no phase comes again in this turn; before the first turn nobody counts them."""
    phases = [rule.id for rule in game.rules.phases]
    return not game.active or phases.index(phase) >= phases.index(game.phase)


def _is_moment(game: BattleInPlay, guard: Guard, payload: Payload, side: str) -> bool:
    """Whether it is a moment of the guard, by what the recording device showed, if known.

    Before the first turn nobody counts turns.
    """
    if not guard.moments or not game.active:
        return True
    now = payload.get("in_phase", game.phase)
    turn = payload.get("in_turn_of")
    active = (turn,) if turn else game.active
    whose = "own" if side in active else "enemy"
    for moment in guard.moments:
        phase, _, of = moment.partition(".")
        if phase in ("", now) and (not of or of == whose or len(active) > 1 or not side):
            return True
    return False


def _may(guard: Guard, man: CombatantInPlay, act: str) -> bool:
    """Whether states, marks and tests are as a guard asks."""
    return (
        not (guard.never or (guard.once and act in man.phase_taken))
        and not (guard.follow_up and man.asks != act)
        and (not guard.when or man.state in guard.when)
        and man.marks.isdisjoint(guard.not_with)
        and not (guard.needs and man.marks.isdisjoint(guard.needs))
        and guard.untaken not in man.taken
    )


def _has_left(game: BattleInPlay, guard: Guard, man: CombatantInPlay) -> bool:
    """Whether Wounds, counters and how its turn began are as a guard asks."""
    least = guard.least
    return (
        (guard.wounds is None or (man.wounds or 0) <= guard.wounds)
        and (least is None or man.counters[least[0]] >= least[1])
        and (not guard.began or not game.active or man.turn_began in guard.began)
    )


def _may_finish(guard: Guard, man: CombatantInPlay, payload: Payload) -> bool:
    """Whether somebody may be hurt by this hand, by when and how it came to lie."""
    by = payload.get("by")
    match guard.felled:
        case "same":
            return man.fell and (not by or man.felled_by in (None, by))
        case "other":
            return not man.fell or (by is not None and by != man.felled_by)
        case "nobody":
            return not man.fell
        case "anybody":
            return man.fell
        case "earlier":
            return not man.worsened
    return guard.felled != "now" or man.sank


def _step_refusal(game: BattleInPlay, man: CombatantInPlay, to: str) -> str:
    """Why the rules do not lead to a state from this one, or not in this turn, or ""."""
    names, after = game.tables.names, game.tables.after[man.state]
    name, state = man.name, game.state_name(man)
    if (man.state, to) not in game.tables.steps:
        if not after:
            return message("no_way", name=name, state=state)
        choices = join_words((names[key] for key in after), "or")
        return message("no_step", name=name, state=state, known=choices, to=names[to])
    # Why a step would be one too many in this turn, or "".
    if man.side_id not in game.active:
        return ""
    for bar in game.rules.bars:
        if (bar.began, bar.to) == (man.turn_began, to):
            fields = {"began": names[bar.began], "to": names[to]}
            return message("too_far", name=name, **fields)
    return ""


def _mark_refusal(game: BattleInPlay, man: CombatantInPlay, rule: MarkRule) -> str:
    """Why a mark may not be set in this state, or beside another mark, or ""."""
    name = man.name
    if rule.when and man.state not in rule.when and man.state != rule.shown_by:
        return message("no_mark", name=name, mark=rule.name, state=game.state_name(man))
    if other := next((key for key in rule.not_with if key in man.marks), ""):
        other = game.rules.marks[other].name
        return message("mark_barred", name=name, mark=rule.name, other=other)
    return ""


def _test_refusal(game: BattleInPlay, rule: BattleTest, man: CombatantInPlay) -> str:
    """Why a combatant takes no such test as it stands, or ""."""
    name = man.name
    if rule.when and man.state not in rule.when:
        states = join_words((game.tables.names[key] for key in rule.when), "or")
        state = game.state_name(man)
        return message("not_when", name=name, test=rule.name, known=states, state=state)
    if rule.once and rule.id in man.taken:
        return message("once", name=name, test=rule.name)
    # Whoever stands alone is no unit that could be too small.
    if not rule.needs_counter or set(rule.alone) & set(man.combatant.kinds):
        return ""
    counter, least = rule.needs_counter
    value = man.counters[counter]
    if value >= least:
        return ""
    fields = {"least": least, "counter": game.rules.counters[counter].name, "value": value}
    return message("counter_low", name=name, test=rule.name, **fields)


def _dice_refusal(
    game: BattleInPlay, rule: BattleTest, man: CombatantInPlay, payload: Payload
) -> str:
    """Why these dice are not thrown for a test, or ""."""
    is_told = not (man.combatant.is_hidden or payload.get("unseen"))
    if is_told and (reason := _throw_refusal(game, rule, man, payload)):
        return reason
    flank = game.flanks[man.side_id]
    value = flank.counters.get(rule.extra_from, 0)
    if rule.further(payload) > value:
        counter = game.rules.counters[rule.extra_from].name
        return message("spent", side=flank.name, counter=counter, value=value)
    return ""


def _throw_refusal(
    game: BattleInPlay, rule: BattleTest, man: CombatantInPlay, payload: Payload
) -> str:
    """Why a combatant throws other dice than these, or throws them once only, or ""."""
    count, name = len(payload.get("dice", ())), man.name
    due = game.dice_due(rule, man, payload.get("cause"))
    if count and due and count != due:
        return message("dice_other", name=name, test=rule.name, count=due)
    if rule.rerolls_near and count > len(rule.dice):
        men = game.flanks[man.side_id].men
        near = (other for other in men if not game.is_gone(other))
        traits = {trait for other in near for trait in other.combatant.traits}
        if traits.isdisjoint(rule.rerolls_near):
            return message("no_reroll", name=name, test=rule.name)
    return ""


def price(rule: CounterRule, flank: SideInPlay, to: int) -> int:
    """What raising a counter so high costs, with what was bought of it in this turn."""
    bought = flank.bought.get(rule.id, 0)
    total, prices = bought + to - flank.counters[rule.id], (0, *rule.prices)
    # Beyond the printed prices nothing is sold.
    return prices[total] - prices[bought] if total < len(prices) else LIMITS["turn"]


def _price_refusal(game: BattleInPlay, payload: Payload) -> str:
    """Why a side cannot pay for raising a counter, or ""."""
    rule = game.rules.counters[payload["counter"]]
    flank, to = game.flanks[payload["side"]], payload["to"]
    if not rule.pays or to <= flank.counters[rule.id]:
        return ""
    cost, value = price(rule, flank, to), flank.counters[rule.pays]
    if cost <= value:
        return ""
    fields = {"side": flank.name, "counter": rule.name, "to": to, "cost": cost}
    return message("price", **fields, value=value)


def _lender_refusal(game: BattleInPlay, payload: Payload) -> str:
    """Why the leader lends nobody his Leadership as he stands, or ""."""
    lends = game.rules.lends
    if lends is None or "lent_by" not in payload:
        return ""
    lender = game.men[payload["lent_by"]]
    if not game.is_gone(lender) and lender.state not in lends.barred:
        return ""
    return message("lends_not", name=lender.name, state=game.state_name(lender))


def _rout_refusal(game: BattleInPlay, payload: Payload) -> str:
    """Why a side takes no Rout test, or "": a voluntary one is free of moments."""
    flank = game.flanks[payload["side"]]
    rout, name = rout_state(game, flank), flank.name
    if rout.due or rout.may_ask:
        return "" if rout.may_ask else _guard_refusal(game, "test", payload)
    if why := rout_excuse(game, flank):
        return why
    if rout.taken:
        return message("rout_taken", side=name)
    table = game.rules.rout
    out, size = rout_losses(game, flank)
    least = rout_threshold(table, size) if table else None
    return message("rout_not_due", side=name, out=out, size=size, **{"from": least})
