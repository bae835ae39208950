"""What each text says, typed from the digests: one mapping a system, changed by rulings of the same
keys.
"""

SHARED = {
    "critical_double": "wounds", "injury_worst_stands": True,
    "poison_respects_critical_bar": True, "poison_auto_wound_may_crit": False,
    "killing_blow_if_six_needed": True, "best_save": 1, "natural_1_misses": True,
    "seven_plus_to_hit": False, "downed_hurt_again": "worse",
    "helmet_turns_stunned_into": "knocked_down", "fall_rounding": "down",
    "fall_003a_initiative_tests": None, "fall_hits": "d3", "leadership_dice": 2,
    "parting_criticals": True, "leader_down_lends": True, "rout_every_turn": True,
    "parry": None, "frenzy_and_hatred": True,
}  # fmt: skip
SKIRMISH = {
    **SHARED,
    "frenzy_and_hatred": False,
    "critical_mode": "two_wounds", "critical_if_six_needed": False, "critical_limit": 1,
    "attack_knocked_down": "auto_hit", "attack_stunned": "always", "same_phase_finish_by_second_model": True,
    "height_test_rounding": "full", "diving_strength": "flat", "natural_6_fails_initiative": True, "rout_test": True,
}  # fmt: skip
DRAFT = {
    **SHARED,
    "critical_mode": "draft_table", "critical_if_six_needed": True, "critical_limit": None,
    "attack_knocked_down": "roll_to_hit", "attack_stunned": "down_at_start", "same_phase_finish_by_second_model": False,
    "height_test_rounding": "full", "diving_strength": "per_full_2_in", "natural_6_fails_initiative": True,
    "rout_test": False,
}  # fmt: skip
PAGE = {
    **SKIRMISH,
    "frenzy_and_hatred": True,
    "critical_mode": "page_table", "parry": "page", "height_test_rounding": "started",
    "natural_6_fails_initiative": False, "fall_003a_initiative_tests": True,
}  # fmt: skip
SUMMARY = {
    **DRAFT, "diving_strength": "flat", "parry": "summary", "frenzy_and_hatred": False
}  # fmt: skip
REGIMENTS = {
    **SHARED,
    "best_save": 2,
    "equal_pursuit_catches": False,
    "weapon_save_adds": False,
}
D10 = {"bonus_dice_cost": "table", "melee_ties": "nothing"}

TEXTS = {
    "warhammer-skirmish": SKIRMISH,
    "english-civil-war": REGIMENTS,
    "mordheim-draft": DRAFT,
    "mordheim-rulings A": PAGE,
    "mordheim-rulings B": SUMMARY,
    "mordheim-rulings C": DRAFT,
    "d10-skirmish": D10,
}


def text(system, rulings):
    """The mapping of a system, or of one of its variants written after a space, under these
    rulings.
    """
    changed = {key: None if value == "none" else value for key, value in rulings.items()}
    return {**TEXTS[system], **changed}


def to_hit(ws, enemy, bonus=0):
    """Better hits on 3, up to twice as good is hit on 4, more on 5; +1 to hit stops at 2+, a
    penalty at 6.
    """
    need = 3 if ws > enemy else 4 if enemy <= 2 * ws else 5
    return min(max(need - bonus, 2), 6)


def to_wound(strength, toughness):
    """4 where both are equal, 1 for each point of difference, never below 2; three points short a
    6, more a dash.
    """
    short = toughness - min(strength, 10)
    if short > 3:
        return None
    return min(max(4 + short, 2), 6)


def to_save(book, printed, strength, weapon=None):
    """Strength above 3 takes off a point each, or the weapon's own note instead.

    Version A takes 6 off for Strength 10, not 7: no save is left either way.
    """
    if printed is None:
        return None
    strength = min(strength, 10)
    takes_off = max(strength - 3, 0)
    if weapon is not None:
        takes_off = weapon + (takes_off if book.get("weapon_save_adds") else 0)
    need = max(max(printed, book["best_save"]) + takes_off, 2)
    return None if need > 6 else need
