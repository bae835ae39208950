"""Engine values in the words of the rule book pages. Pure: no database, no HTTP.

Ranges are inches, prices points.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import re2

from engine.equipment import REACHES, armour_gives, carried_weapon
from engine.option_rules import find_name
from engine.records import NamedValues, Texts, frozen_dataclass
from engine.text import capital, join_words
from engine.types.lists import Armour, Army, Figure, Option, PriceCase, Profile, Weapon
from engine.types.mechanics import Guideline

_HYPHEN, _MINUS = re2.compile("([a-z])-"), re2.compile(r"(^|[^\pL\pN_.-])-(\d)")
_CATEGORY_PLURALS = {"lord": "Lords", "hero": "Heroes", "mount": "Mounts"}
FIGURES = {
    "natural_armour": "natural armour {}+",
    "armour_save": "armour save {}+",
    "ward_save": "ward save {}+",
    "magic_resistance": "magic resistance {}",
    "unit_strength": "Unit Strength {}",
    "impact_hits": "{} impact hits",
}
STRENGTHS = {
    "must": "Rule",
    "should": "Advice",
    "may": "Permission",
    "ours": "Muster Roll’s own check",
}
_WEAPON_EXTRAS = {"reaches_over": "reaches over {} model", "armour_save": "armour save {}+"}
_ARMOUR_TRAITS = {
    "improves_vs_missiles": "{} better against missiles",
    "save_vs_missiles": "{}+ against missiles",
    "improves_with_hand_weapon_on_foot": "{} more with a hand weapon, on foot, in close combat",
    "fireproof": "fireproof",
    "casts_spells": "a wizard may cast in it",
    "initiative": "Initiative {}",
    "save_against_stunned": "{}+ against being stunned",
    "parry": "parries",
    "only_for": "for {} only",
    "rule": "{}",
}
_NUMBER_WORDS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
)  # fmt: skip


# Every word is looked for in every entry.
WORDS_MAX = 8


def folded(text: str) -> str:
    """Small letters, accents and zero-width characters gone, every run of other signs one space."""
    plain = (
        unicodedata.normalize("NFKD", text).casefold().replace("’", "'").replace("'", "")
    )
    signs = (
        sign for sign in plain if sign.isprintable() and not unicodedata.combining(sign)
    )
    return " ".join("".join(sign if sign.isalnum() else " " for sign in signs).split())


def folded_words(text: str) -> Texts:
    """The folded words of a search, each once, at most WORDS_MAX."""
    return tuple(dict.fromkeys(folded(text).split()))[:WORDS_MAX]


@frozen_dataclass
class Bearer:
    """Who carries a thing: with which Strength, and whether mounted; None where it is not known."""

    strength: Figure = None
    is_mounted: bool | None = None


ANYBODY = Bearer()


def category_name(key: str) -> str:
    """Of one: Lord, Hero, Core."""
    return key.capitalize()


def category_label(profile: Profile, army: Army) -> str:
    """Its category as its list names one of it: Officer, Small model."""
    names = {category.key: category.name for category in army.categories}
    return names.get(profile.category) or category_name(profile.category)


def category_plural(key: str) -> str:
    """As a heading: Lords, Heroes, Core."""
    return _CATEGORY_PLURALS.get(key, key.capitalize())


def key_words(key: str) -> str:
    """A key as words: ``war-machine`` gives War machine."""
    return capital(key.replace("-", " ").replace("_", " "))


def magic_plural(key: str) -> str:
    """A type of magic items as a heading: Enchanted items."""
    # "armour" has no plural; of "helmet or shield" every word gets one.
    phrases = " ".join(
        word if word in ("or", "armour") else f"{word}s" for word in key.split("-")
    )
    if " or " not in phrases:
        phrases = key.replace("-", " ") + ("" if key.endswith("armour") else "s")
    return capital(phrases)


def troop_name(key: str) -> str:
    """The kind of troops; what fits none is Other."""
    return "Other" if key == "unit-of-other" else key_words(key)


def number_word(number: int) -> str:
    """Small numbers as words."""
    return _NUMBER_WORDS[number] if 0 <= number < len(_NUMBER_WORDS) else str(number)


def price_words(profile: Profile, army: Army) -> str:
    """What one entry pays and for what: ``5 points each``, ``60 points for a machine``."""
    unit = "point" if profile.points == 1 else "points"
    for_what = "each" if profile.basis == "model" else f"for a {profile.basis}"
    phrases = [army.currency.amounts_in(f"{profile.points} {unit} {for_what}")]
    phrases += [price_case_words(case, profile, army) for case in profile.base_terms.cases]
    if army.second_price and profile.base_terms.second:
        phrases.append(f"{army.second_price.name} {profile.base_terms.second}")
    return ", ".join(phrases)


def flag_words(profile: Profile) -> Texts:
    """Its flags in words, but the one that its page says in a better place."""
    flags = sorted(profile.flags - {"special_character"})
    return tuple(key_words(flag).lower() for flag in flags)


def figures(profile: Profile) -> Texts:
    """Figures beside the stat line, such as a ward save, in words."""
    return tuple(
        FIGURES.get(k, f"{key_words(k).lower()} {{}}").format(v)
        for k, v in profile.figures.items()
    )


def armour_words(armour: Armour) -> str:
    """What a piece of armour does: ``save 6+``, ``save 1 better``."""
    phrases = []
    if armour.save:
        phrases.append(f"save {armour.save}+")
    if armour.improves:
        phrases.append(f"save {armour.improves} better")
    traits = armour.traits
    # A parry or a helmet is told of below in the words of this page.
    figures = {key: traits[key] for key in ("defence", "armour_values") if key in traits}
    phrases += filter(None, [armour_gives(replace(armour, traits=figures))])
    phrases += [
        text.format(traits[key]) for key, text in _ARMOUR_TRAITS.items() if traits.get(key)
    ]
    if "move" in traits:
        phrases.append(minus(f"Move {traits['move']}"))
    return ", ".join(phrases)


def weapon_notes(weapon: Weapon, bearer: Bearer = ANYBODY) -> Texts:
    """What a weapon's line prints beside range and Strength, for a bearer of that Strength where it
    is known.

    Of a bearer who may ride or not, both are told of, each by name.
    """
    if bearer.is_mounted is None:
        foot = carried_weapon(weapon, bearer.strength).notes
        mounted = carried_weapon(weapon, bearer.strength, is_mounted=True).notes
        notes = [note if note in mounted else f"{note} on foot" for note in foot]
        notes += [f"{note} mounted" for note in mounted if note not in foot]
    else:
        carried = carried_weapon(weapon, bearer.strength, is_mounted=bearer.is_mounted)
        notes = list(carried.notes)
    traits: NamedValues = weapon.traits
    notes += [
        text.format(traits[key]) for key, text in _WEAPON_EXTRAS.items() if key in traits
    ]
    notes += [f"{stat} +{value}" for stat, value in traits.get("bonus", {}).items()]
    if modes := traits.get("modes"):
        notes.append(" or ".join(modes))
    rules = [traits["rule"]] if "rule" in traits else []
    return tuple(dict.fromkeys([*map(_plain_note, notes), *rules]))


def _plain_note(note: str) -> str:
    """Keys inside a note as words, and a true minus before a figure."""
    note = re2.sub(r"-(\d)", lambda match: f"−{match[1]}", note)
    return _HYPHEN.sub(
        lambda match: f"{match[1]} " if note[match.end() :][:1].islower() else match[0],
        note,
    )


def true_minus(text: str) -> str:
    """A text with a true minus before a figure, as print sets it."""
    return _MINUS.sub(lambda match: f"{match[1]}−{match[2]}", text)


def weapon_words(weapon: Weapon, bearer: Bearer = ANYBODY) -> str:
    """A weapon in one line: range, Strength where it is more than the bearer's, and its notes."""
    phrases = []
    if weapon.range is not None:
        reach = REACHES.get(str(weapon.range), f"range: {weapon.range}")
        phrases.append(f'range {weapon.range}"' if isinstance(weapon.range, int) else reach)
    if weapon.strength not in (None, "user"):
        phrases.append(f"S {carried_weapon(weapon, bearer.strength).strength}")
    return ", ".join((*phrases, *weapon_notes(weapon, bearer)))


def item_name(army: Army, key: str) -> str:
    """The printed name of a weapon or armour, or the key as words."""
    piece = army.weapons.get(key) or army.armour.get(key)
    return piece.name if piece else key_words(key)


def item_words(army: Army, key: str, bearer: Bearer = ANYBODY) -> str:
    """What an item does, or an empty text for one the list knows by name only."""
    if key in army.weapons:
        return weapon_words(army.weapons[key], bearer)
    return armour_words(army.armour[key]) if key in army.armour else ""


def option_words(
    option: Option, profile: Profile, army: Army, bearer: Bearer = ANYBODY
) -> str:
    """What an option brings, needs and rules out, in one line."""
    phrases = [text for key in option.items if (text := item_words(army, key, bearer))]
    phrases += [f"{stat} {minus(value)}" for stat, value in option.effect.items()]
    if option.level:
        phrases.append(f"wizard of Level {option.level}")
    if option.grants:
        phrases.append(f"gives {join_words(option.grants)}")
    if option.takes_away:
        phrases.append(f"loses {join_words(option.takes_away)}")
    if option.adds_lines:
        phrases.append(f"adds {join_words(line.name for line in option.adds_lines)}")
    phrases += _conditions(option, profile, army)
    return "; ".join(dict.fromkeys(phrases))


def _sale_words(option: Option) -> list[str]:
    """For how many models a price stands, and where else than in a list it is sold."""
    phrases = []
    if option.per == "unit":
        phrases.append("printed as one price for a regiment: one model pays it in full")
    elif option.per == "each":
        phrases.append(f"each, up to {option.maximum}" if option.maximum else "each")
    if option.is_trade_only:
        phrases.append("sold in campaigns only")
    if option.rarity:
        phrases.append(f"rare in campaigns: found on {option.rarity} or more")
    return phrases


def _conditions(option: Option, profile: Profile, army: Army) -> list[str]:
    """How it is sold, what it needs and what it rules out."""

    def either(keys: Iterable[str]) -> str:
        return _or(find_name(key, profile, army) for key in keys)

    phrases = _sale_words(option)
    if option.requires:
        needed = join_words(find_name(key, profile, army) for key in option.requires)
        phrases.append(f"needs {needed}")
    if option.requires_any:
        phrases.append(f"needs {either(option.requires_any)}")
    # A list prints an exclusion at one of the two options; it holds for both.
    others = [other.key for other in profile.all_options if option.key in other.excludes]
    if excluded := dict.fromkeys([*option.excludes, *others]):
        phrases.append(f"not with {either(excluded)}")
    if option.requires_army:
        phrases.append(f"only in {_or(option.requires_army)}")
    return phrases + [price_case_words(case, profile, army) for case in option.terms.cases]


def price_case_words(case: PriceCase, profile: Profile, army: Army) -> str:
    """Another price and when it is paid: "3 with Shield", "5 without Pistol"."""
    names = partial(map, lambda key: find_name(key, profile, army))
    phrases = [f"with {join_words(names(case.bought))}"] if case.bought else []
    phrases += [f"without {_or(names(case.not_bought))}"] if case.not_bought else []
    return f"{case.points} {' and '.join(phrases)}"


def _or(phrases: Iterable[str]) -> str:
    return join_words(phrases, "or")


def chance_words(score: Figure) -> str:
    """How often one D6 reaches a score: ``4 in 6``, never where nothing succeeds; empty without a
    plain answer.
    """
    if score is None:
        return "never"
    return f"{7 - score} in 6" if isinstance(score, int) and 2 <= score <= 6 else ""


def score_words(score: Figure) -> str | None:
    """A score to reach, as people write it: ``3+``; None where nothing succeeds."""
    return f"{minus(score)}+" if isinstance(score, int) else score


def modifier_words(figure: Figure) -> str | None:
    """A modifier with its sign: ``−1``, ``+1``, ``0``."""
    if figure is None:
        return None
    return f"+{figure}" if isinstance(figure, int) and figure > 0 else minus(figure)


def minus(figure: Figure) -> str:
    """A figure with a true minus sign."""
    return str(figure).replace("-", "−")


def strength_words(guideline: Guideline) -> str:
    """How strongly the text says what a guideline says; of one of ours with a source, that it
    follows from it.
    """
    if guideline.strength == "ours" and guideline.source:
        return "Muster Roll’s own check, after the rules"
    return STRENGTHS.get(guideline.strength, guideline.strength)


def guideline_words(guideline: Guideline) -> str:
    """What a guideline asks, in words, from its figures."""
    p = guideline.parameters
    phrases = [_range_words(p)] if p.keys() & {"minimum", "maximum"} else []
    value_lists = [
        p.get(key) for key in ("categories", "types", "commands", "options", "flags")
    ]
    phrases += [_or(map(key_words, values)).lower() for values in value_lists if values]
    if p.get("mounted"):
        phrases.append("any mounted model")
    if "part" in p:
        part = "tenth" if p["part"] == 10 else f"part of {p['part']}"
        phrases.append(f"more than a {part} unspent")
    return ", ".join(phrases)


def _range_words(parameters: NamedValues) -> str:
    """Return the numbers a rule allows, such as "1 to 3", "at least 1" or "none"."""
    low, high = parameters.get("minimum"), parameters.get("maximum")
    if low is not None and high is not None:
        return f"{low} to {high}"
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if high else "none"
