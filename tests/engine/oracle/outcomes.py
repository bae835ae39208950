"""What follows from an act that counts, as the texts have it."""

from tests.engine.oracle.turns import LYING

INJURIES = {"injury": (1, 1, 2, 2, 3, 3), "injury_blunt": (1, 2, 2, 2, 3, 3)}
RANKS = {"up": 0, "fleeing": 0, "down": 1, "stunned": 2, "out": 3}


def faults(game, event, state):
    """The row and heading of each thing that does not follow in the state after an act."""
    payload, key = event.payload, event.payload.get("combatant")
    if not key:
        return []
    (old, *more), (new, *_) = game.words(key), game.words(key, state)
    man, past, text = game.men[key], game.past[key], game.text
    before, now = game.state.combatants[key], state.combatants[key]
    expected = []
    if payload.get("test") in INJURIES:
        rolled = INJURIES[payload["test"]][max(payload["dice"]) - 1]
        is_worst = RANKS[new] == max(rolled, RANKS[old])
        expected.append(("T1", "RESOLVING INJURIES; Multiple Wounds (C10, G14)", is_worst))
    if (
        event.kind == "wounds"
        and old == "up"
        and before.wounds
        and not now.wounds
        and text in "SDABC"
    ):
        expected.append(("T12", "RESOLVING INJURIES; INJURIES", now.asks == "injury"))
    if past.flees and old in LYING and new not in (*LYING, "out") and text in "SADC":
        expected.append(("T13", "THE RECOVERY PHASE (G16)", new == "fleeing"))
    was_hidden = "hidden" in more or "hidden" in before.marks
    if (
        text == "S"
        and was_hidden
        and payload.get("mark") in ("has_shot", "has_cast", "ran", "charged")
    ):
        is_seen = "hidden" not in now.marks and "hidden" not in game.words(key, state)
        expected.append(("T7", "HIDING", is_seen))
    if text == "A" and "frenzy" in getattr(man, "traits", ()) and new in LYING:
        expected.append(("T15", "Hand to Hand combat", "frenzy_lost" in now.marks))
    return [(row, heading) for row, heading, holds in expected if not holds]
