"""What the builder offers: the army list and how it is searched, what a profile is like, one
warrior's options, who could lead.

No database here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from accounts.errors import NotFound
from engine.choices import Choice, ChoiceGroup, change_with, picker
from engine.findings.case import Case, Fix
from engine.findings.checks import check_case
from engine.option_rules import build_buyer, first_count, listed_on_purchase
from engine.records import (
    Fields,
    TextByKey,
    TextPairs,
    Texts,
    copy_fields,
    frozen_dataclass,
)
from engine.roster import RosterEntry
from engine.selection import ReceiptLine, Selection, points_over, select, select_all
from engine.stat_lines import stat_lines
from engine.text import capital
from engine.types.lists import Army, Category, Currency, Profile
from engine.types.systems import System
from odds.fight_modes import effects, yardstick_words
from rulesdata import registry
from rulesdata.queries.units import UnitView
from rulesdata.text import flag_words, item_name, key_words, troop_name
from warbands.queries.records import WarbandRecord
from warbands.sheet.build import stat_cells

LISTS_KEPT = 400
PLAYERS_WORDS: Mapping[str, str] = {
    "wizard": "mage magician sorcerer caster spellcaster magic user",
    "great weapon": "two-handed double-handed 2h greatsword",
    "additional hand weapon": "two weapons dual",
    "hand weapon": "sword axe mace club",
    "handgun": "gun rifle firearm",
    "pistol": "gun firearm",
    "musket": "gun firearm",
    "arquebus": "gun firearm",
    "bow": "archer missile shooter ranged",
    "crossbow": "missile shooter ranged",
    "javelin": "missile ranged thrown",
    "sling": "missile ranged",
    "throwing": "missile ranged",
    "cavalry": "mounted rider horse",
    "horse": "mounted cavalry rider",
    "warhorse": "knight",
    "flies": "flyer flying wings",
    "fly": "flyer flying wings",
    "shield": "armour",
    "barding": "armour",
    "war machine": "artillery cannon gun engine",
    "standard bearer": "banner flag",
    "musician": "drummer hornblower",
    "undead": "zombie skeleton",
    "poison": "poisoned attacks",
}
FIRST = ("hero", "core", "special", "rare", "lord")
"""Where a list has these categories, they stand in this order: a warband is made of heroes and
core.
"""


@frozen_dataclass
class PickerProfile:
    """A line of the army list in the builder.

    ``points`` buys the ``miniatures`` an entry begins with and what they must list; ``over`` is too
    many then, unless they are paid ``is_beside`` the limit.
    """

    key: str
    name: str
    category: str
    points: int
    is_beside: bool
    miniatures: int
    stats: TextPairs
    is_offered: bool
    is_leader: bool
    why_not: str
    over: int
    text: str


PickerCategory = tuple[Category, tuple[PickerProfile, ...]]
"""A category of an army list with its lines."""


def load_picker(record: WarbandRecord) -> tuple[PickerCategory, ...]:
    """The army list for this warband: heroes and core first, what is not offered last in each."""
    roster = record.roster
    profiles: dict[str, list[PickerProfile]] = {}
    edition = registry.get_edition(roster.army)
    for line in _army_lines(roster.system, roster.army, roster.variant, edition):
        paid = 0 if line.is_beside else line.points
        over = points_over(roster.points_limit, record.points + paid)
        profiles.setdefault(line.category, []).append(
            replace(line, over=over) if over else line
        )
    categories = registry.printed_army(roster.system, roster.army).categories
    # Sorting is stable: the categories that are not named stay in the order of the list.
    order = sorted(
        categories, key=lambda c: FIRST.index(c.key) if c.key in FIRST else len(FIRST)
    )
    return tuple(
        (category, tuple(sorted(profiles[category.key], key=lambda p: not p.is_offered)))
        for category in order
        if category.key in profiles
    )


@lru_cache(LISTS_KEPT)
def _army_lines(
    system_key: str, army_key: str, variant: str | None, edition: str
) -> tuple[PickerProfile, ...]:
    """The lines of an army list; ``edition`` tells one text of a club's list from the next."""
    system = registry.load_system(system_key, variant)
    army = registry.load_army(system_key, army_key, variant)
    lines = []
    for profile in army.listed:
        bought = select(army, _first_entry(profile, army, system))
        figures = stat_lines(bought, army)
        # Everything a search looks through, in small letters, each word once.
        text = " ".join(filter(None, _names(profile, army))).lower().replace("-", " ")
        synonyms = (more for name, more in PLAYERS_WORDS.items() if name in text)
        line = copy_fields(
            PickerProfile,
            profile,
            points=bought.points,
            is_beside=bought.is_beside,
            miniatures=bought.miniatures,
            stats=stat_cells(figures[0], system) if figures else (),
            why_not="" if profile.is_offered else profile.not_offered_because,
            over=0,
            text=" ".join(dict.fromkeys(" ".join((text, *synonyms)).split())),
        )
        lines.append(line)
    return tuple(lines)


def _names(profile: Profile, army: Army) -> Iterator[str]:
    """Yield every name that a profile may be looked for by.

    That is what it is called, how the list sorts it, what it carries without buying it, its rules
    and traits by name, its lores, and what it may buy. The search puts them into one text, so the
    order does not count, and an empty name does no harm.
    """
    yield from (profile.name, profile.model_name, profile.faction)
    yield from (profile.category, troop_name(profile.troop_type))
    yield from (kind.name for kind in army.categories if kind.key == profile.category)
    yield from (item_name(army, key) for key in profile.default_items)
    yield from (*profile.default_upgrades, *profile.special_rules, *profile.mount_rules)
    yield from flag_words(profile)
    yield from profile.lores
    yield "wizard" if profile.is_wizard or profile.wizard_level else ""
    yield "barding" if profile.is_barded else ""
    # An option and the items it holds often differ in name: "Halberds" gives a halberd.
    for option in profile.all_options:
        yield option.name
        yield from (item_name(army, key) for key in option.items)
        yield from (key_words(option.mount), *map(key_words, option.grants))
    # Players look for a champion by its title and by the word.
    if profile.champion:
        yield from (profile.champion.name, "champion")
    yield "musician" if profile.musician_points is not None else ""
    yield "standard bearer" if profile.standard_bearer_points is not None else ""


def _first_entry(profile: Profile, army: Army, system: System) -> RosterEntry:
    """As many as an entry begins with, and what they must list."""
    count = first_count(profile, army, system)
    return RosterEntry(profile.key, count=count, options=listed_on_purchase(profile))


# One warrior's options


@frozen_dataclass
class WarriorChoices:
    """The option picker of one warrior; ``magic`` are magic items by the name of their type.

    ``total`` is what the warband comes to now, ``limit`` its points limit, ``currency`` what its
    list counts both in.
    """

    warrior_id: int
    selection: Selection
    groups: tuple[ChoiceGroup, ...]
    magic: tuple[tuple[str, tuple[Choice, ...]], ...]
    total: int
    limit: int | None
    currency: Currency

    @property
    def lores(self) -> Texts:
        """The lores of magic to choose from."""
        profile = self.selection.profile
        return profile.lores if profile and self.selection.is_wizard else ()


def choices_for(record: WarbandRecord, warrior_id: int) -> WarriorChoices | None:
    """Everything one warrior may take, or None where the warband has no such warrior."""
    index = record.index_of(warrior_id)
    if index is None:
        return None
    roster = record.roster
    army = registry.load_army(roster.system, roster.army, roster.variant)
    selection = select(army, roster.warriors[index], index)
    return WarriorChoices(
        warrior_id,
        selection,
        groups=picker(selection, army),
        magic=_magic(selection, army),
        total=record.points,
        limit=record.roster.points_limit,
        currency=army.currency,
    )


def _magic(selection: Selection, army: Army) -> tuple[tuple[str, tuple[Choice, ...]], ...]:
    """Magic items by type for those who may carry any, and for those who carry some all the same."""
    profile = selection.profile
    # Who carries items without an allowance must be able to put them away.
    if profile is None or not (profile.magic_allowance or selection.magic_items):
        return ()
    left = (profile.magic_allowance or 0) - selection.magic_spent
    buyer = build_buyer(selection, profile, army)
    groups: dict[str, list[Choice]] = {}
    for item in sorted(
        army.magic_items.values(), key=lambda each: (-each.points, each.name)
    ):
        times = selection.bought.get(item.option_key, 0)
        choice = Choice(item.option_key, item.name, item.points, bool(times), times)
        if not times:
            above, unit = item.points - left, army.currency.name
            too_much = f"{above} {unit} above what it may spend on magic."
            line = ReceiptLine(item.option_key, item.name, item.points)
            why_not = too_much if above > 0 else ""
            choice = replace(choice, why_not=why_not, change=change_with(line, buyer))
        groups.setdefault(item.type, []).append(choice)
    return tuple((key_words(key), tuple(groups[key])) for key in sorted(groups))


def fix_fields(record: WarbandRecord, fix: Fix) -> TextByKey:
    """The hidden fields of a form that applies a fix; its warrior is named by id, not by place."""
    warrior = record.roster.warriors[fix.warrior].id if fix.warrior is not None else None
    fields = {
        "action": fix.action,
        "warrior": "" if warrior is None else str(warrior),
        "option": fix.option,
        "instead": fix.instead,
        "value": "" if fix.value is None else str(fix.value),
    }
    return {name: value for name, value in fields.items() if value}


def load_about(record: WarbandRecord, profile_key: str) -> Fields:
    """What is told of a profile of this warband's list, of its first one where none is named.

    Its page in the rule book, its rules by name, and the options whose dice say something, each
    with the odds without and with it against an opponent. Raises NotFound.
    """
    roster = record.roster
    system, army = registry.load_ruleset(roster)
    profile = army.profiles.get(profile_key or next(iter(army.profiles), ""))
    if profile is None:
        raise NotFound(f"{army.name} has no such unit.")
    entry, unit = _first_entry(profile, army, system), UnitView(system, army, profile)
    groups = picker(select(army, entry), army)
    lines = effects(system, roster.army, entry, groups)
    # Command models change figures too, but they are no options of the list and are left out.
    options = {option.key: option for option in profile.all_options}
    rules = dict.fromkeys((*profile.special_rules, *map(capital, unit.traits)))
    # The figure of a rule is part of its name: "Tough (1)".
    rule_names = {rule.partition(" (")[0] for rule in rules}
    return {
        "unit": unit,
        "rules": list(rules),
        "notes": [note for note in system.notes if not rule_names.isdisjoint(note.rules)],
        "odds": [(options[key], line) for key, line in lines.items() if key in options],
        "against": yardstick_words(system) if lines else "",
    }


def legal_profiles(record: WarbandRecord) -> Texts:
    """The offered profiles of which one more brings no new error."""
    system, army = registry.load_ruleset(record.roster)
    # A roster without the options that its list does not have. They are as wrong whoever
    # else is there, and a file may bring thousands of them.
    selections = select_all(army, record.roster.warriors)
    warriors = list(map(_without_unknown, selections))
    leading = {rule.code for rule in system.guidelines if rule.kind.startswith("leader_")}

    def list_errors(*more: RosterEntry) -> set[str]:
        # But for that nobody leads it: who is added may lead.
        roster = replace(record.roster, warriors=(*warriors, *more))
        case = Case(roster, select_all(army, roster.warriors), system, army)
        return {
            finding.message
            for finding in check_case(case, record.scenario_record)
            if finding.level == "error" and finding.code not in leading
        }

    present = list_errors()
    offered = [profile for profile in army.profiles.values() if profile.is_offered]
    return tuple(
        profile.key
        for profile in offered
        if list_errors(_first_entry(profile, army, system)) <= present
    )


def _without_unknown(selection: Selection) -> RosterEntry:
    unknown = set(selection.unknown)
    options = tuple(key for key in selection.entry.options if key not in unknown)
    return replace(selection.entry, options=options)
