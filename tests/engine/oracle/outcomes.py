"""What follows from an act that counts, as the texts have it."""

from tests.engine.oracle.turns import LYING

INJURIES = {"injury": (1, 1, 2, 2, 3, 3), "injury_blunt": (1, 2, 2, 2, 3, 3)}
RANKS = {"up": 0, "fleeing": 0, "down": 1, "stunned": 2, "out": 3}
SHOWING = ("has_shot", "has_cast", "ran", "charged", "fell_short", "fell")
OF_PHASE = {"has_shot", "has_cast", "critical_used"}
OF_TURN = {"ran", "charged", "fell_short", "marched", "reformed", "fell"}


def faults(game, event, state):
    """The row and heading of each thing that does not follow in the state after an act."""
    key = event.payload.get("combatant")
    if key:
        expected = [*of_wounds(game, event, state), *of_states(game, event, state)]
    else:
        expected = [*of_charges(game, event, state), *of_time(game, event, state)]
    return [(row, heading) for row, heading, holds in expected if not holds]


def of_wounds(game, event, state):
    """Wounds lost: by the last one an injury roll is due, but of mounts and swarms there is none."""
    key, payload = event.payload["combatant"], event.payload
    (old, *_), (new, *_) = game.words(key), game.words(key, state)
    before, now, facts = game.state.combatants[key], state.combatants[key], game.facts(key)
    if payload.get("test") in INJURIES:
        rolled = INJURIES[payload["test"]][max(payload["dice"]) - 1]
        is_worst = RANKS[new] == max(rolled, RANKS[old])
        yield "T1", "RESOLVING INJURIES; Multiple Wounds (C10, G14)", is_worst
    if event.kind != "wounds":
        return
    is_last = before.wounds and not payload["to"] and game.text in "SDABC"
    if "in the saddle" in facts:
        is_spared = now.wounds == before.wounds and "on_foot" in now.marks
        yield "T3", "INJURING CAVALRY MODELS (House Rule)", is_spared
    elif is_last and "swarm" in facts:
        yield "T3", "SWARMS (House Rule)", new == "out"
    elif is_last and old == "up":
        yield "T12", "RESOLVING INJURIES; INJURIES", now.asks == "injury"


def of_states(game, event, state):
    """Flight goes on after lying, hiding ends by acts that show, frenzy by a fall."""
    key, text = event.payload["combatant"], game.text
    (old, *more), (new, *later) = game.words(key), game.words(key, state)
    before, now = game.state.combatants[key], state.combatants[key]
    if game.past[key].flees and old in LYING and new not in (*LYING, "out"):
        yield "T13", "THE RECOVERY PHASE (G16)", new == "fleeing" or text == "B"
    was_hidden = "hidden" in more or "hidden" in before.marks
    if text == "S" and was_hidden and event.payload.get("mark") in SHOWING:
        yield "T7", "HIDING", "hidden" not in now.marks and "hidden" not in later
    if text in "ADC" and "frenzy" in game.men[key].traits and old == "up" and new in LYING:
        yield "T15", "Hand to Hand combat", "frenzy_lost" in now.marks


def of_charges(game, event, state):
    """Who charged counts as charging in the combat that follows, and no longer."""
    if game.text != "E" or event.payload.get("phase") != "close-combat":
        return
    for key, past in game.past.items():
        word, *more = game.words(key, state)
        if word == "up":
            is_charging = past.charges_until >= game.turns
            yield "T5", "CHARGE AND REACTIONS; PURSUIT", ("charged" in more) == is_charging


def of_time(game, event, state):
    if event.kind not in ("phase", "turn"):
        return
    is_turn = event.kind == "turn" and game.state.side is not None
    over = OF_PHASE | (OF_TURN if is_turn else set())
    for key, now in state.combatants.items():
        _, *words = game.words(key, state)
        is_over = over.isdisjoint(now.marks)
        yield "T7", "THE SHOOTING PHASE; CHARGE!; RUNNING; MARCHING", is_over
        if is_turn and game.men[key].side == game.state.side:
            is_free = not {"risen", "eased"} & {*words}
            yield "T1", "KNOCKED DOWN; THE RECOVERY PHASE; BREAK AND FLEE", is_free
        if is_turn and game.men[key].side == state.side:
            yield "T17", "Activate models (G40)", "done" not in words
