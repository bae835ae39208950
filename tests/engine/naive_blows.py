"""The blows of the texts once more, written another way: every die of every attack, one branch for each face.

It shares nothing with the engine but the charts, so that a slip in one of the two shows. Slow, and only for few dice.
"""

from collections import Counter
from fractions import Fraction

from tests.engine.combat_rules import MELEE, WOUND

D6 = [(face, Fraction(1, 6)) for face in range(1, 7)]
FATES = ["unhurt", "knocked_down", "stunned", "out_of_action"]
ROWS = {
    "two": dict.fromkeys(range(1, 7), (2, "none", 0)),
    "draft": {face: [(1, "none", 0), (2, "each", 0), (2, "none", 2)][(face - 1) // 2] for face in range(1, 7)},
    "page": {face: [(2, "first", 0), (2, "none", 0), (2, "none", 2)][(face - 1) // 2] for face in range(1, 7)},
}


def bind(spread, step):
    """The step made on each value of a spread."""
    found = Counter()
    for value, chance in spread.items():
        for after, more in step(value).items():
            found[after] += chance * more
    return found


def failed_saves(count, save):
    spread = Counter({0: Fraction(1)})
    for _ in range(count):
        miss = Fraction(1) if save is None else Fraction(save - 1, 6)
        spread = bind(spread, lambda n, miss=miss: Counter({n + 1: miss, n: 1 - miss}))
    return spread


def one_hit(strength, toughness, save, table, may_crit):
    """The dice of injury, as bonuses, that one hit leads to; and whether it was critical."""
    need = WOUND[strength][toughness - 1]
    found = Counter()
    if need is None:
        return Counter({((), False): Fraction(1)})
    for face, chance in D6:
        if face == 6 and may_crit:
            for row, more in D6:
                wounds, saves, bonus = ROWS[table][row]
                if saves == "none":
                    found[((bonus,) * wounds, True)] += chance * more
                elif saves == "each":
                    for n, odds in failed_saves(wounds, save).items():
                        found[((bonus,) * n, True)] += chance * more * odds
                else:
                    for n, odds in failed_saves(1, save).items():
                        found[((bonus,) * (wounds * n), True)] += chance * more * odds
        elif face >= need:
            for n, odds in failed_saves(1, save).items():
                found[((0,) * n, False)] += chance * odds
        else:
            found[((), False)] += chance
    return found


def hits(count, strength, toughness, wounds, save, table, limited, barred):
    """All dice of injury of so many hits by one attacker, then the worst of them."""
    need = WOUND[strength][toughness - 1]
    spread = Counter({((), False): Fraction(1)})
    for _ in range(count):

        def more(state):
            bonuses, used = state
            may = not (used and limited) and not (barred and need == 6)
            found = one_hit(strength, toughness, save, table, may)
            return _sum(((bonuses + new, used or critical), chance) for (new, critical), chance in found.items())

        spread = bind(spread, more)
    return bind(spread, lambda state: fate(state[0], wounds))


def fate(bonuses, wounds):
    """Wounds come off; from the last one on each is a die, and the worst stands."""
    if len(bonuses) < wounds:
        left = wounds - len(bonuses)
        return Counter({"unhurt" if not bonuses else f"wounded_{left}_left": Fraction(1)})
    worst = Counter({0: Fraction(1)})
    for bonus in bonuses[wounds - 1 :]:
        worst = bind(worst, lambda w, bonus=bonus: _sum((max(w, (min(face + bonus, 6) + 1) // 2), c) for face, c in D6))
    return _sum((FATES[w], c) for w, c in worst.items())


def _sum(pairs):
    found = Counter()
    for value, chance in pairs:
        found[value] += chance
    return found


def melee(ws, enemy_ws, attacks, parry_rolls=0, **blow):
    """All attacks of one warrior, less a parry of the highest hit with so many rolls."""
    need = MELEE[ws][enemy_ws - 1]
    faces = Counter({(): Fraction(1)})
    for _ in range(attacks):
        faces = bind(faces, lambda thrown: Counter({(*thrown, face): chance for face, chance in D6}))
    landed = Counter()
    for thrown, chance in faces.items():
        found = [face for face in thrown if face >= need]
        parried = 1 - Fraction(max(found, default=6), 6) ** parry_rolls if parry_rolls and found else Fraction(0)
        landed[len(found)] += chance * (1 - parried)
        if parried:
            landed[len(found) - 1] += chance * parried
    return bind(landed, lambda count: hits(count, **blow))
