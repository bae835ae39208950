"""What each kind of guideline may say and needs: the fields of its sentence, its figures. A new kind is added here."""

from __future__ import annotations

FIELDS_OF_KINDS: dict[str, set[str]] = {
    "total_over_limit": {"total", "limit", "over"},
    "limit_outside": {"limit", "minimum", "maximum"},
    "total_under_limit": {"total", "limit", "left"},
    "leader_missing": set(),
    "leader_many": {"count"},
    "leader_outranked": {"leader", "leadership", "names", "highest"},
    "leader_category": {"leader", "category"},
    "wizard_level": {"names", "level", "maximum"},
    "wizard_count": {"count", "maximum"},
    "magic_items": {"count", "names"},
    "models_max": {"count", "maximum"},
    "unit_small": {"name", "count", "minimum"},
    "stats_missing": {"name", "stats"},
    "troop_type": {"count", "names"},
    "category": {"count", "names"},
    "command": {"count", "names"},
    "special_character": {"count", "names"},
    "incomplete": {"names", "reasons"},
    "army_max": {"name", "count", "maximum"},
    "option_conflict": {"name", "reason"},
    "option_requirement": {"name", "reason"},
    "option_unknown": {"name", "option"},
    "difficult_weapon": {"name", "weapon", "others"},
    "armour_only_for": {"name", "armour", "only_for"},
    "unpriced": {"count", "names", "options"},
    "profile_unknown": {"profile"},
}
NUMBERS = {"total", "limit", "over", "left", "minimum", "maximum", "count", "highest", "level"}
PARAMETERS_OF_KINDS: dict[str, tuple[set[str], set[str]]] = {
    "limit_outside": ({"minimum", "maximum"}, set()),
    "total_under_limit": ({"part"}, set()),
    "leader_category": ({"categories"}, set()),
    "wizard_level": ({"maximum"}, set()),
    "wizard_count": ({"maximum"}, set()),
    "magic_items": ({"maximum"}, set()),
    "models_max": ({"maximum"}, set()),
    "unit_small": ({"minimum"}, set()),
    "stats_missing": ({"flags", "stats"}, set()),
    "troop_type": (set(), {"types", "flags", "mounted", "mounts"}),
    "category": ({"categories"}, set()),
    "command": (set(), {"commands", "options", "rules"}),
    "difficult_weapon": (set(), {"items"}),
    "armour_only_for": (set(), {"armies", "words"}),
}
