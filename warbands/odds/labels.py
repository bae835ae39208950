"""The words of the test calculator: topics, and a label and a help for each input of the engine's calls."""

from __future__ import annotations

TOPICS = (
    (
        "Nerve",
        ("rout_test", "leadership_test", "all_alone", "stupidity", "leadership_table"),
    ),
    (
        "Agility, jumps and falls",
        (
            "initiative_test",
            "initiative_table",
            "jump_down",
            "diving_charge",
            "fall",
            "fall_003a",
            "fall_from_edge",
        ),
    ),
    ("Regiments", ("break_test", "pursuit", "combat_result", "unit_attacks", "volley")),
    (
        "Rounds and casualties",
        (
            "casualty_test",
            "big_casualty_test",
            "affordable_bonus_dice",
            "action_points_at_least",
            "round_length",
        ),
    ),
    ("Opposed rolls", ("duel_ranged", "duel_melee", "ranged_then_casualty")),
    (
        "Blows and shots",
        ("hit", "melee", "melee_sequence", "attack_downed", "shoot", "swarm_hits", "cavalry_hit"),
    ),
)

TITLES = {
    "leadership_test": "Leadership: rallying, Panic and the like",
    "initiative_test": "Initiative: climbing and the like",
    "all_alone": "All Alone",
    "fall_003a": "A fall that tests may soften",
}

LABELS: dict[str, tuple[str, str]] = {
    "leadership": ("Leadership", ""),
    "loser_leadership": ("The loser's Leadership", "Needed unless it is a draw."),
    "reroll_failed": ("A failed test is rolled again", ""),
    "initiative": ("Initiative", ""),
    "values": ("Values", "Numbers with commas between."),
    "force_size": ("Models at the start", ""),
    "out_of_action": ("Out of action or fled", ""),
    "leader": ("The leader", ""),
    "others": ("Others who could lend Leadership", "Leave a line empty where there is nobody."),
    "state": ("State", ""),
    "turns": ("Turns", ""),
    "opponents": (
        "Strengths of the opponents",
        "One number for each opponent, with commas between; two or more.",
    ),
    "toughness": ("Toughness", ""),
    "strength": ("Strength", ""),
    "wounds": ("Wounds", ""),
    "save": ("Armour save", "5 for 5+; empty for none."),
    "height": ("Height in inches", ""),
    "attacker": ("The attacker", ""),
    "attackers": ("The attackers in turn", "Leave a line empty where there is nobody."),
    "defender": ("The defender", ""),
    "ws": ("Weapon Skill", ""),
    "bs": ("Ballistic Skill", ""),
    "ws_attacker": ("The attackers' Weapon Skill", ""),
    "ws_defender": ("The defenders' Weapon Skill", ""),
    "attacks": ("Attacks", ""),
    "hits": ("Hits", ""),
    "shots": ("Shots", ""),
    "to_hit_bonus": ("Added to hit", ""),
    "killing_blow": ("Killing blow", ""),
    "poison": ("Poison", ""),
    "parry": ("The defender parries", ""),
    "defender_strength": ("The defender's Strength", ""),
    "reroll": ("With sword and buckler", ""),
    "critical_available": ("May strike critically", ""),
    "injury_table": ("Injury table", ""),
    "helmet": ("Wears a helmet", ""),
    "target_state": ("The target is", ""),
    "modifiers": (
        "Modifiers to hit",
        "Numbers with commas between, such as -1, -2; empty for none.",
    ),
    "armour": ("Armour", ""),
    "mounted": ("Mounted", ""),
    "target": ("Carries a target", ""),
    "defended_obstacle": ("Behind a defended obstacle", ""),
    "at_least": ("At least so many casualties", "Empty where that is not asked."),
    "weapon_save_modifier": (
        "The weapon's own save modifier",
        "2 for -2; empty where it has none.",
    ),
    "unit_size": (
        "Models in the target unit",
        "For its Panic test; empty where that is not asked.",
    ),
    "side_a": ("One side", ""),
    "side_b": ("The other side", ""),
    "wounds_caused": ("Wounds caused", ""),
    "rank": ("Ranks behind the first", ""),
    "standard": ("A standard", ""),
    "high_ground": ("Uphill", ""),
    "flank": ("In the flank", ""),
    "rear": ("In the rear", ""),
    "outnumber": ("Outnumbers the other", ""),
    "lost_by": ("Lost by", ""),
    "pursuer_dice": ("Pursuers' dice", "Two on foot, three mounted."),
    "fleer_dice": ("Fleers' dice", "Two on foot, three mounted."),
    "attack_modifier": ("Modifier of the attack", ""),
    "defence_modifier": ("Modifier of the defence", "Cover and armour counted in."),
    "attack_bonus_dice": ("Bonus dice on the attack", ""),
    "defence_bonus_dice": ("Bonus dice on the defence", ""),
    "casualty_bonus_dice": ("Bonus dice on the casualty test", ""),
    "bonus_dice": ("Bonus dice", ""),
    "mode": ("Price of bonus dice", ""),
    "points": ("Action points", ""),
}

# What a form shows before anybody typed: an ordinary case of each.
EXAMPLES = {
    "leadership": "7",
    "initiative": "3",
    "values": "1, 2, 3, 4, 5, 6",
    "force_size": "12",
    "out_of_action": "3",
    "opponents": "3, 3",
    "toughness": "3",
    "strength": "3",
    "height": "4",
    "ws": "3",
    "bs": "3",
    "ws_attacker": "3",
    "ws_defender": "3",
    "lost_by": "2",
    "points": "6",
    "turns": "3",
    "leader.leadership": "8",
    "attacker.ws": "3",
    "attacker.strength": "3",
    "defender.ws": "3",
    "defender.toughness": "3",
    "side_a.wounds_caused": "3",
    "side_b.wounds_caused": "1",
    "loser_leadership": "7",
    "defender_strength": "3",
    "attackers.0.ws": "3",
    "attackers.0.strength": "3",
    "attackers.1.ws": "3",
    "attackers.1.strength": "3",
}
GROUPS_ON = frozenset({"leader"})


def label_of(name: str) -> str:
    """What an input is called."""
    return LABELS[name][0] if name in LABELS else name.replace("_", " ").capitalize()


def help_of(name: str) -> str:
    return LABELS[name][1] if name in LABELS else ""


def title_of(call: str, printed: str) -> str:
    """What a call is called in the calculator."""
    return TITLES.get(call, printed)
