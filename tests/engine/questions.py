"""Legal questions for every call: made up at random but always the same ones, and the awkward
corners written out.

Few dice each, so that a slow answer is quick enough.
"""

from itertools import product

from engine.calls import CALLS, available, question
from engine.errors import Refusal
from tests.engine.combat_rules import RETYPED_KEY, SYSTEMS, rules

PAIRS = [(system, call) for system in SYSTEMS for call in available(rules(system))]
# Version C is the draft retyped: one mapping, so one of the two is enough for a fold of dice.
DISTINCT_PAIRS = [pair for pair in PAIRS if pair[0] != RETYPED_KEY]
FEW = {
    "attacks": 3, "extra_attacks": 1, "hits": 3, "shots": 4, "wounds": 3, "turns": 4,
    "force_size": 14, "out_of_action": 4,
    "at_least": 5, "unit_size": 20,
    "lost_by": 8, "attack_modifier": 6, "defence_modifier": 6, "pursuer_dice": 3, "fleer_dice": 3,
    "attack_bonus_dice": 3, "defence_bonus_dice": 3,
}  # fmt: skip
HEIGHTS = (0.5, 1, 1.5, 2, 3, 3.5, 4, 5, 5.75, 6)
DEEP = (7, 9.5, 10, 12, 40)


def made_up(system, call, source):
    """Inputs out of the call's own ranges, some of them left out; no parry where nobody parries,
    no frenzy where it is not played.
    """
    inputs, melee = _group(CALLS[call].inputs, source), rules(system).melee
    several = inputs.get("attackers", [])
    for attacker in several:
        attacker["attacks"] = min(attacker.get("attacks", 1), 2)
    for attacker in (*several, inputs.get("attacker", {})):
        if melee and not melee.parry:
            attacker.pop("parry", None)
        if melee and not melee.frenzy_and_hatred:
            attacker.pop("frenzy", None)
            attacker.pop("hatred", None)
        if attacker.get("frenzy"):
            attacker["attacks"] = min(attacker.get("attacks", 1), 2)
    return inputs


def _group(fields, source):
    found = {}
    for field in fields:
        if not field.is_required and source.random() < 0.45:
            continue
        found[field.name] = (
            None
            if field.default is None and source.random() < 0.1
            else _value(field, source)
        )
    return found


def _value(field, source):
    high = min(field.high, FEW.get(field.name, field.high))
    several = range(source.randint(field.least, min(field.most, max(field.least, 3))))
    match field.kind:
        case "number" if field.name in ("strength", "toughness") and source.random() < 0.5:
            return source.randint(2, 5)
        case "number" if field.name in ("wounds", "shots") and source.random() < 0.5:
            return 1
        case "number":
            return source.randint(max(field.low, -high), high)
        case "height":
            return source.choice(HEIGHTS + (DEEP if source.random() < 0.5 else ()))
        case "flag":
            return source.random() < 0.5
        case "choice":
            return source.choice(field.choices)
        case "numbers":
            return [source.randint(max(field.low, -4), field.high) for _ in several]
        case "group":
            return _group(field.fields, source)
        case "groups":
            return [_group(field.fields, source) for _ in several]
    raise AssertionError(field.kind)


def fits(system, call, inputs, rulings=None):
    """Whether the inputs go together in this system: no parry where nobody parries, bonus dice with
    one shot only.
    """
    try:
        return bool(question(rules(system).with_rulings(rulings or {}), call, inputs))
    except Refusal:
        return False


# The awkward corners


def every(**choices):
    """A mapping for each way to choose one of each; None leaves the name out."""
    return [
        {
            name: value
            for name, value in zip(choices, chosen, strict=True)
            if value is not None
        }
        for chosen in product(*choices.values())
    ]


SAVES = (None, 6, 5, 3, 2, 1)
ARMOUR = ("none", "light", "heavy", "cuirassier")
PARRY, TWICE = {"defender_strength": 3}, {"defender_strength": 3, "reroll": True}
MAN, FIERCE = {"ws": 3, "strength": 3}, {"ws": 5, "strength": 4, "attacks": 2}
STATES = ("standing", "fleeing", "knocked_down", "stunned", "out_of_action")
ATTACKERS = every(
    ws=(3,), strength=(3, 6), attacks=(1, 2), to_hit_bonus=(None, -2), killing_blow=(None, True), poison=(None, True),
    parry=(None, PARRY, TWICE),
)  # fmt: skip
FURIOUS = every(
    ws=(3,), strength=(3,), attacks=(0, 2), extra_attacks=(None, 1), frenzy=(None, True), hatred=(None, True),
    poison=(None, True), parry=(None, TWICE),
)  # fmt: skip
TARGETS = [
    {"ws": 4, "toughness": 3},
    {"ws": 3, "toughness": 5, "wounds": 2},
    {"ws": 5, "toughness": 4, "wounds": 3, "save": 3},
    {"ws": 3, "toughness": 7, "wounds": 2},
]
SIDES = every(
    wounds_caused=(0, 3),
    rank=(None, 2, 5),
    standard=(None, 1),
    flank=(None, True),
    rear=(None, True),
)
DUELS = every(
    attack_modifier=(None, 2), defence_modifier=(None, 1, -3), attack_bonus_dice=(None, 2),
    defence_bonus_dice=(None, 1), shots=(None, 3),
)  # fmt: skip

CORNERS = {
    "hit": every(strength=range(3, 11), toughness=(3, 6), save=SAVES)
    + every(strength=(3, 4), toughness=(3, 5), wounds=(1, 2, 3), save=(None, 5), hits=(0, 2, 3))
    + every(
        strength=(3,), toughness=(3, 5), hits=(1, 2), wounds=(1, 2), critical_available=(None, False),
        helmet=(None, True), injury_table=(None, "stun_2_4"),
    ),
    "melee": every(attacker=ATTACKERS, defender=TARGETS) + every(attacker=FURIOUS, defender=TARGETS[:2]),
    "melee_sequence": every(
        attackers=[
            [MAN, MAN], [MAN, FIERCE], [FIERCE, MAN], [MAN, MAN, MAN], [{**MAN, "attacks": 0}, FIERCE],
            [{**FIERCE, "killing_blow": True}, {**MAN, "poison": True}],
            [{**MAN, "parry": PARRY}, {**FIERCE, "parry": TWICE}],
            [{**MAN, "parry": PARRY, "hatred": True}, {**MAN, "parry": PARRY, "hatred": True, "frenzy": True}],
        ],
        defender=every(ws=(3,), toughness=(3, 5), wounds=(1, 2, 3), save=(None, 4)),
    ),
    "attack_downed": every(
        attacker=every(
            ws=(2, 6), strength=(3, 6), attacks=(0, 1, 3), to_hit_bonus=(None, 2), killing_blow=(None, True)
        ),
        defender=every(ws=(3,), toughness=(3, 6), save=(None, 5, 2)),
        target_state=(None, "stunned"),
    )
    + every(
        attacker=[{**MAN, "frenzy": True, "hatred": True}], defender=TARGETS[:1]
    ),
    "shoot": every(
        bs=(1, 3, 6, 10), modifiers=([], [-1], [-1, -2], [-4], [2, 1]), strength=(3, 6), toughness=(3,),
        wounds=(None, 2), save=(None, 4),
    ),
    "swarm_hits": every(strength=(3, 5), toughness=(3, 6), wounds=(None, 2, 5), hits=(0, 1, 3), save=(None, 4)),
    "cavalry_hit": every(strength=range(1, 11), toughness=(3, 5), save=(None, 1, 2, 5)),
    "fall": every(height=HEIGHTS + DEEP, toughness=(2, 3, 5), wounds=(None, 2, 3)),
    "fall_from_edge": every(initiative=(1, 3, 6), height=HEIGHTS + DEEP, toughness=(3, 5), state=(None, "stunned")),
    "fall_003a": every(height=HEIGHTS + DEEP, initiative=(1, 3, 6), toughness=(3, 4), wounds=(None, 2)),
    "jump_down": every(height=(*HEIGHTS, 7), initiative=(1, 4, 6), toughness=(3, 4), wounds=(None, 2)),
    "diving_charge": every(
        height=(1, 2, 3.5, 6, 9.5), initiative=(2, 6),
        attacker=[MAN, FIERCE, {"ws": 2, "strength": 9, "to_hit_bonus": 3}],
        defender=TARGETS,
    ),
    "all_alone": every(
        leadership=(7,), opponents=([3, 3], [3, 5], [2, 3, 6]), toughness=(3, 4), wounds=(None, 2, 3),
        save=(None, 4),
    ),
    "initiative_test": every(initiative=range(1, 11)),
    "initiative_table": [{"values": list(range(1, 11))}, {"values": [3, 3, 1]}],
    "leadership_test": every(leadership=range(1, 11), reroll_failed=(None, True)),
    "leadership_table": [{"values": list(range(1, 11))}],
    "rout_test": every(force_size=(1, 4, 12, 13, 14), out_of_action=(0, 1, 3), turns=(None, 2, 3))
    + every(
        force_size=(13,), out_of_action=(4,), leader=every(leadership=(9,), state=STATES), turns=(None, 3),
        others=(
            [], [{"leadership": 6}], [{"leadership": 8, "state": "stunned"}, {"leadership": 5, "state": "fleeing"}]
        ),
    ),
    "stupidity": every(leadership=range(1, 11)),
    "unit_attacks": every(
        attacks=(0, 5), ws_attacker=(2, 5), ws_defender=(3,), strength=(4, 10), toughness=(3, 9), armour=ARMOUR,
        mounted=(None, True), target=(None, True), defended_obstacle=(None, True), at_least=(2,),
    ),
    "volley": every(
        shots=(6,), bs=(2, 8), modifiers=([], [-1, -2]), strength=(3, 5), toughness=(3,), armour=ARMOUR,
        weapon_save_modifier=(None, 0, 2), mounted=(None, True), unit_size=(None, 5),
    ),
    "combat_result": every(side_a=SIDES, side_b=SIDES[:12], loser_leadership=(7,)),
    "break_test": every(leadership=(5, 8), lost_by=(0, 3, 7), reroll_failed=(None, True)),
    "pursuit": every(pursuer_dice=(None, 1, 3), fleer_dice=(None, 1, 3)),
    "duel_ranged": DUELS,
    "duel_melee": [duel for duel in DUELS if "shots" not in duel],
    "casualty_test": every(bonus_dice=(None, 1, 3, 6)),
    "big_casualty_test": every(bonus_dice=(None, 1, 3, 6)),
    "ranged_then_casualty": [{**duel, **more} for duel in DUELS for more in ({}, {"casualty_bonus_dice": 2})],
    "affordable_bonus_dice": every(mode=(None, "table", "flat")),
    "action_points_at_least": every(points=range(1, 21)),
    "round_length": every(turns=(1, 3, 7)),
}  # fmt: skip
