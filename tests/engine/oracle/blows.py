"""Hits, blows and shots: the steps of one attack in order, then Wounds and injuries from all dice
together.
"""

from fractions import Fraction

from tests.engine.oracle.spreads import bind, certain, chance, die, faces
from tests.engine.oracle.texts import to_hit, to_save, to_wound

DOWN, STUNNED, OUT = 1, 2, 3
NAMES = ("", "knocked_down", "stunned", "out_of_action")
INJURY = {"standard": (0, 1, 1, 2, 2, 3, 3), "stun_2_4": (0, 1, 2, 2, 2, 3, 3)}
CRITICAL = {
    "two_wounds": lambda face: (2, "none", 0),
    "draft_table": lambda face: ((1, "none", 0), (2, "each", 0), (2, "none", 2))[
        (face - 1) // 2
    ],
    "page_table": lambda face: ((2, "first", 0), (2, "none", 0), (2, "none", 2))[
        (face - 1) // 2
    ],
}


# One hit


def one_hit(book, strength, toughness, save, may_crit=True, kills=False, poisoned=False):
    """(bonuses of the unsaved wounds, whether it was critical, whether it killed) for one hit that
    landed.
    """
    need, save = to_wound(strength, toughness), to_save(book, save, strength)
    if need is None and not poisoned:
        return certain(((), False, False))
    rolls_for_more = not poisoned or book["poison_auto_wound_may_crit"]
    needs_six = need in (None, 6)
    kills = (
        kills
        and need is not None
        and rolls_for_more
        and (book["killing_blow_if_six_needed"] or not needs_six)
    )
    barred = needs_six and not book["critical_if_six_needed"]
    if poisoned:
        barred = (barred and book["poison_respects_critical_bar"]) or not rolls_for_more

    def outcome(face):
        if face == 6 and kills:
            return certain(((), False, True))
        if face == 6 and may_crit and not barred:
            return {
                ((bonus,) * n, True, False): c
                for (n, bonus), c in critical(book, need, save).items()
            }
        if not poisoned and face < need:
            return certain(((), False, False))
        return {((0,) * n, False, False): c for n, c in unsaved(1, save).items()}

    return bind(die(6), outcome)


def unsaved(count, save):
    """How many of so many wounds get through their saves, one die each."""
    fails = Fraction(1) if save is None else Fraction(save - 1, 6)
    spread = certain(0)
    for _ in range(count):
        spread = bind(
            spread, lambda n: {n + 1: fails, n: 1 - fails} if fails < 1 else {n + 1: fails}
        )
    return spread


def critical(book, need, save):
    """(unsaved wounds, bonus of injury) of a critical hit."""

    def row(face):
        wounds, saves, bonus = CRITICAL[book["critical_mode"]](face)
        found = certain(wounds)
        if book["critical_double"] == "hits" and book["critical_mode"] == "two_wounds":
            again = Fraction(0) if need is None else Fraction(7 - need, 6)
            found = {2: again, 1: 1 - again}
        if saves == "each":
            found = bind(found, lambda n: unsaved(n, save))
        if saves == "first":
            found = bind(
                found, lambda n: {n * kept: c for kept, c in unsaved(1, save).items()}
            )
        return {(n, bonus): c for n, c in found.items()}

    return bind(die(6), row)


def hits_of_one(book, kinds, strength, toughness, save, may_crit=True, kills=False):
    """(bonuses, whether it killed) for hits by one attacker in one phase; ``kinds`` tells which are
    poisoned.
    """
    state = certain(((), may_crit, False))
    for poisoned in kinds:

        def more(so_far, poisoned=poisoned):
            bonuses, may, killed = so_far
            if killed:
                return certain(so_far)
            hit = one_hit(book, strength, toughness, save, may, kills, poisoned)
            found = {}
            for (new, was_critical, now_killed), c in hit.items():
                still = may and not (was_critical and book["critical_limit"] == 1)
                after = ((*bonuses, *new), still, now_killed)
                found[after] = found.get(after, 0) + c
            return found

        state = bind(state, more)
    return bind(state, lambda so_far: certain((so_far[0], so_far[2])))


# Wounds and injuries


def suffer(book, wounds, injury, bonuses, killed=False, table="standard"):
    """(Wounds left, injury) after unsaved wounds: a die for the one that brings Wounds to 0 and for
    each after.
    """
    first = max(wounds - 1, 0)
    spread = certain(injury)
    for bonus in bonuses[first:]:

        def roll(worst, bonus=bonus):
            if worst == OUT:
                return certain(OUT)
            rolled = {face: INJURY[table][min(face + bonus, 6)] for face in die(6)}
            now = {
                face: max(worst, state) if book["injury_worst_stands"] else state
                for face, state in rolled.items()
            }
            return bind(die(6), lambda face: certain(now[face]))

        spread = bind(spread, roll)
    left = max(wounds - len(bonuses), 0)
    if killed:
        return certain((left, OUT))
    return {(left, worst): c for worst, c in spread.items()}


def put_on_helmet(book, after):
    left, injury = after
    saved = DOWN if book["helmet_turns_stunned_into"] == "knocked_down" else 0
    return (
        {(left, saved): Fraction(1, 2), (left, STUNNED): Fraction(1, 2)}
        if injury == STUNNED
        else certain(after)
    )


def named(after, wounds, prefix=""):
    """The name of (Wounds left, injury) for a model that had so many Wounds."""
    left, injury = after
    return prefix + (
        NAMES[injury] if injury else "unhurt" if left == wounds else f"wounded_{left}_left"
    )


# Calls


def hit(
    book, strength, toughness, wounds=1, save=None, hits=1, critical_available=True, injury_table="standard",
    helmet=False,
):  # fmt: skip
    landed = hits_of_one(
        book, [False] * hits, strength, toughness, save, critical_available
    )
    after = bind(landed, lambda found: suffer(book, wounds, 0, *found, table=injury_table))
    if helmet:
        after = bind(after, lambda found: put_on_helmet(book, found))
    return bind(after, lambda found: certain(named(found, wounds)))


def dice_of(attacker):
    """How many dice to hit: frenzy doubles the Attacks, but not what a second weapon adds."""
    attacks = attacker.get("attacks", 1)
    return (
        attacks + attacks * attacker.get("frenzy", False) + attacker.get("extra_attacks", 0)
    )


def swing(book, attacker, defender, parry_free):
    """(bonuses, killed, whether the parry is still free) for all attacks of one warrior on one who
    stands.

    A parry is tried against the highest hit unless that is a 6; by the page's rule a 6 that was
    needed is met by a 6. Where one may be, poisoned hits are settled first.
    """
    need = to_hit(attacker["ws"], defender["ws"], attacker.get("to_hit_bonus", 0))
    parry = attacker.get("parry")
    rolls = 0
    if parry and parry_free and book["parry"] is not None:
        page = book["parry"] in ("page", "strict")
        rolls = 2 if parry.get("reroll") and page else 1
        if page and attacker["strength"] >= 2 * parry["defender_strength"]:
            rolls = 0

    def landed(thrown):
        scored = sorted(face for face in thrown if face >= need)
        poisons = attacker.get("poison", False)
        whole = tuple(poisons and face == 6 for face in thrown if face >= need)
        if rolls or attacker.get("hatred"):
            whole = tuple(sorted(whole, reverse=True))
        is_met = book["parry"] == "page" and need == 6
        if not (rolls and scored) or (scored[-1] == 6 and not is_met):
            return {(whole, parry_free): Fraction(1)}
        fails = Fraction(min(scored[-1], 5), 6) ** rolls
        return {(whole, False): fails, (whole[:-1], False): 1 - fails}

    def struck(found):
        kinds, free = found
        hits = hits_of_one(
            book, kinds, attacker["strength"], defender["toughness"], defender.get("save"), True,
            attacker.get("killing_blow", False),
        )  # fmt: skip
        return {(bonuses, killed, free): c for (bonuses, killed), c in hits.items()}

    law = die(6)
    if attacker.get("hatred"):
        law = bind(law, lambda face: certain(face) if face >= need else die(6))
    return bind(bind(faces(dice_of(attacker), law), landed), struck)


def sequence(book, attackers, defender):
    """(Wounds left, injury) of a model that stood when the phase began, after several attackers in
    turn.
    """
    state = certain((defender.get("wounds", 1), 0, True))
    for attacker in attackers:

        def turn(so_far, attacker=attacker):
            left, injury, free = so_far
            if injury == OUT:
                return certain(so_far)
            finishes = book["same_phase_finish_by_second_model"]
            if injury == STUNNED and book["attack_stunned"] == "down_at_start":
                finishes = False
            if injury and finishes:
                done = downed(book, attacker, defender, injury)
                return {(left, OUT, free): done, (left, injury, free): 1 - done}
            found = {}
            for (bonuses, killed, still), c in swing(
                book, attacker, defender, free
            ).items():
                for (after, worst), more in suffer(
                    book, left, injury, bonuses, killed
                ).items():
                    found[after, worst, still] = (
                        found.get((after, worst, still), 0) + c * more
                    )
            return found

        state = bind(state, turn)
    return bind(state, lambda so_far: certain(so_far[:2]))


def melee(book, attacker, defender):
    return melee_sequence(book, [attacker], defender)


def melee_sequence(book, attackers, defender):
    found = sequence(book, attackers, defender)
    return bind(found, lambda after: certain(named(after, defender.get("wounds", 1))))


def downed(book, attacker, defender, injury):
    """The chance that all attacks of one warrior take out a model that is down."""
    attacks = dice_of(attacker)
    if injury == STUNNED:
        return Fraction(1) if attacks else Fraction(0)
    if book["attack_knocked_down"] == "roll_to_hit":
        need = to_hit(attacker["ws"], defender["ws"], attacker.get("to_hit_bonus", 0))
        misses = Fraction(need - 1, 6) ** (2 if attacker.get("hatred") else 1)
        return 1 - misses**attacks
    save = (
        None if book["attack_knocked_down"] == "auto_hit_no_save" else defender.get("save")
    )
    kills = attacker.get("killing_blow", False)
    landed = hits_of_one(
        book,
        [False] * attacks,
        attacker["strength"],
        defender["toughness"],
        save,
        True,
        kills,
    )
    return chance(landed, lambda found: found[0] or found[1])


def attack_downed(book, attacker, defender, target_state="knocked_down"):
    done = downed(book, attacker, defender, NAMES.index(target_state))
    return {"out_of_action": done, target_state: 1 - done}


def aim(book, bs, modifiers):
    """The chance that a shot hits: on 7 - BS less the modifiers; a 1 misses; above 6 only with a
    second roll.
    """
    need = 7 - bs - sum(modifiers)
    if need <= 6:
        return Fraction(7 - max(need, 2 if book["natural_1_misses"] else 1), 6)
    second = need - 3
    return (
        Fraction(7 - second, 36)
        if book["seven_plus_to_hit"] and second <= 6
        else Fraction(0)
    )


def shoot(book, bs, strength, toughness, modifiers=(), wounds=1, save=None):
    hits = aim(book, bs, modifiers)
    found = hit(book, strength, toughness, wounds, save)
    return {
        name: found.get(name, 0) * hits + (1 - hits if name == "unhurt" else 0) for name in {*found, "unhurt"}
    }  # fmt: skip


def swarm_hits(book, strength, toughness, wounds=1, hits=1, save=None):
    landed = hits_of_one(book, [False] * hits, strength, toughness, save)
    left = bind(landed, lambda found: certain(max(wounds - len(found[0]), 0)))
    return {f"wounds_left_{n}" if n else "removed": c for n, c in left.items()}


def cavalry_hit(book, strength, toughness, save=None):
    killed = chance(one_hit(book, strength, toughness, save), lambda found: found[0])
    return {"mount_killed_rider_unhurt": killed, "unhurt": 1 - killed}


CALLS = {
    "hit": hit, "melee": melee, "melee_sequence": melee_sequence, "attack_downed": attack_downed, "shoot": shoot,
    "swarm_hits": swarm_hits, "cavalry_hit": cavalry_hit,
}  # fmt: skip
