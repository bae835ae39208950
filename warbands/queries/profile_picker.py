"""What the builder offers: the army list and how it is searched, what a profile is like, one
warrior's options, who could lead.

No database here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from accounts.errors import NotFound
from engine.choices import Choice, change_with, picker
from engine.findings.case import Case, Fix
from engine.findings.checks import check_case
from engine.option_rules import Buyer, buyer_of, first_count, listed_on_purchase
from engine.records import TextByKey, Texts, copy_fields, frozen_dataclass, grouped
from engine.roster import Roster, RosterEntry
from engine.selection import ReceiptLine, Selection, points_over, select, select_all
from engine.stat_lines import stat_lines
from engine.types.lists import Army, MagicItem, Option, Profile
from engine.types.systems import System
from engine.words import capital
from odds.fight_modes import effects, yardstick_words
from rulesdata import registry
from rulesdata.queries.units import UnitView
from rulesdata.text import flag_words, item_name, key_words, troop_name
from warbands.queries.records import (
    MagicChoices,
    PickerCategory,
    PickerProfile,
    WarbandRecord,
    WarriorChoices,
)
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


def load_picker(record: WarbandRecord) -> tuple[PickerCategory, ...]:
    """The army list for this warband: heroes and core first, what is not offered last in each."""
    roster = record.roster
    found: dict[str, list[PickerProfile]] = {}
    edition = registry.edition_of(roster.army)
    for line in _army_lines(roster.system, roster.army, roster.variant, edition):
        over = points_over(roster.points_limit, record.points + line.points)
        found.setdefault(line.category, []).append(
            replace(line, over=over) if over else line
        )
    printed = registry.printed_army(roster.system, roster.army).categories
    # Sorting is stable: the categories that are not named stay in the order of the list.
    order = sorted(
        printed, key=lambda one: FIRST.index(one.key) if one.key in FIRST else len(FIRST)
    )
    return tuple(
        PickerCategory(
            one.key,
            one.plural,
            tuple(sorted(found[one.key], key=lambda line: not line.is_offered)),
            one.is_character,
        )
        for one in order
        if one.key in found
    )


@lru_cache(LISTS_KEPT)
def _army_lines(
    system_key: str, army_key: str, variant: str | None, edition: str
) -> tuple[PickerProfile, ...]:
    """The lines of an army list; ``edition`` tells one text of a club's list from the next."""
    system = registry.load_system(system_key, variant)
    army = registry.load_army(system_key, army_key, variant)
    return tuple(_line(profile, system, army) for profile in army.profiles.values())


def _line(profile: Profile, system: System, army: Army) -> PickerProfile:
    count = first_count(profile, army, system)
    entry = RosterEntry(profile.key, count=count, options=listed_on_purchase(profile))
    bought = select(army, entry)
    lines = stat_lines(bought, army)
    return copy_fields(
        PickerProfile,
        profile,
        points=bought.points,
        miniatures=bought.miniatures,
        stats=stat_cells(lines[0], system) if lines else (),
        why_not="" if profile.is_offered else profile.not_offered_because,
        over=0,
        text=search_text(profile, army),
    )


def search_text(profile: Profile, army: Army) -> str:
    """Everything a search looks through, in small letters, each word once."""
    told = " ".join(filter(None, _names(profile, army))).lower().replace("-", " ")
    further = (words for word, words in PLAYERS_WORDS.items() if word in told)
    return " ".join(dict.fromkeys(" ".join((told, *further)).split()))


def _names(profile: Profile, army: Army) -> Iterator[str]:
    """Yield every name that a profile may be looked for by.

    That is what it is called, how the list sorts it, what it carries without buying it, its rules
    and traits by name, its lores, and what it may buy. The search puts them into one text, so the
    order does not count, and an empty name does no harm.
    """
    yield from (profile.name, profile.model_name, profile.faction)
    yield from (profile.category, troop_name(profile.troop_type))
    yield from (one.name for one in army.categories if one.key == profile.category)
    yield from (item_name(army, key) for key in profile.default_items)
    yield from (*profile.default_upgrades, *profile.special_rules, *profile.mount_rules)
    yield from flag_words(profile)
    yield from profile.lores
    yield "wizard" if profile.is_wizard or profile.wizard_level else ""
    yield "barding" if profile.is_barded else ""
    yield from _of_options(profile.all_options, army)
    yield from _command(profile)


def _of_options(options: Iterable[Option], army: Army) -> Iterator[str]:
    """Yield what options are called, what they hold, and what they let a profile ride or do.

    An option and the items it holds often differ in name: "Halberds" gives a halberd.
    """
    for option in options:
        yield option.name
        yield from (item_name(army, key) for key in option.items)
        yield from (key_words(option.mount), *map(key_words, option.grants))


def _command(profile: Profile) -> Iterator[str]:
    """Yield the command models that a unit may have, by their name and by their kind.

    Players look for a champion by its title and by the word.
    """
    if profile.champion:
        yield from (profile.champion.name, "champion")
    yield "musician" if profile.musician_points is not None else ""
    yield "standard bearer" if profile.standard_bearer_points is not None else ""


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


def _magic(selection: Selection, army: Army) -> tuple[MagicChoices, ...]:
    """Magic items by type for those who may carry any, and for those who carry some all the same."""
    profile = selection.profile
    # Who carries items without an allowance must be able to put them away.
    if profile is None or not (profile.magic_allowance or selection.magic_items):
        return ()
    left = (profile.magic_allowance or 0) - selection.magic_spent
    items = army.magic_items.values()
    buyer = buyer_of(selection, profile, army)
    groups = grouped((item.type, _magic_choice(item, buyer, left)) for item in items)
    for found in groups.values():
        found.sort(key=lambda choice: (-choice.points, choice.name))
    return tuple(
        MagicChoices(key.replace("-", " ").capitalize(), tuple(found))
        for key, found in sorted(groups.items())
    )


def _magic_choice(item: MagicItem, buyer: Buyer, left: int) -> Choice:
    times = buyer.selection.bought.get(item.option_key, 0)
    choice = Choice(item.option_key, item.name, item.points, bool(times), times)
    if times:
        return choice
    above = item.points - left
    unit = buyer.army.currency.name
    why_not = f"{above} {unit} above what it may spend on magic." if above > 0 else ""
    line = ReceiptLine(item.option_key, item.name, item.points)
    return replace(choice, why_not=why_not, change=change_with(line, buyer))


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


@frozen_dataclass
class OptionEffect:
    """An option whose dice say something: what it costs, and the odds without and with it."""

    name: str
    points: int
    line: str


@frozen_dataclass
class ProfileAbout:
    """A profile of the army list. ``odds`` are measured against ``against``."""

    unit: UnitView
    points: int
    odds: tuple[OptionEffect, ...]
    against: str

    @property
    def rules(self) -> Texts:
        """Its special rules by name, and what the figures of its record say."""
        profile = self.unit.profile
        traits = tuple(map(capital, self.unit.traits))
        return tuple(dict.fromkeys((*profile.special_rules, *traits)))


def load_about(record: WarbandRecord, profile_key: str) -> ProfileAbout:
    """What is told of a profile of this warband's list, of its first one where none is named.

    Raises NotFound.
    """
    roster = record.roster
    system, army = registry.load_ruleset(roster)
    profile = army.profiles.get(profile_key or next(iter(army.profiles), ""))
    if profile is None:
        raise NotFound(f"{army.name} has no such unit.")
    entry = RosterEntry(
        profile.key,
        count=first_count(profile, army, system),
        options=listed_on_purchase(profile),
    )
    selection = select(army, entry)
    told = effects(system, roster.army, entry, picker(selection, army))
    return ProfileAbout(
        UnitView(system, army, profile),
        selection.points,
        _effects_of(profile, told),
        yardstick_words(system) if told else "",
    )


def _effects_of(profile: Profile, told: TextByKey) -> tuple[OptionEffect, ...]:
    """Return the options that change a figure of the odds, with their prices.

    Command models change figures too, but they are no options of the list and are left out.
    """
    known = {option.key: option for option in profile.all_options}
    return tuple(
        OptionEffect(known[key].name, known[key].points, line)
        for key, line in told.items()
        if key in known
    )


def legal_profiles(record: WarbandRecord) -> Texts:
    """The offered profiles of which one more brings no new error."""
    system, army = registry.load_ruleset(record.roster)
    # A roster without the options that its list does not have. They are as wrong whoever
    # else is there, and a file may bring thousands of them.
    selections = select_all(army, record.roster.warriors)
    roster = replace(record.roster, warriors=tuple(map(_known_entry, selections)))
    before = set(_errors(roster, record))
    found = []
    for profile in army.profiles.values():
        entry = RosterEntry(
            profile.key,
            count=first_count(profile, army, system),
            options=listed_on_purchase(profile),
        )
        more = replace(roster, warriors=(*roster.warriors, entry))
        if profile.is_offered and before.issuperset(_errors(more, record)):
            found.append(profile.key)
    return tuple(found)


def _known_entry(selection: Selection) -> RosterEntry:
    unknown = set(selection.unknown)
    options = tuple(key for key in selection.entry.options if key not in unknown)
    return replace(selection.entry, options=options)


def _errors(roster: Roster, record: WarbandRecord) -> Texts:
    """The errors of a roster, but for that nobody leads it: who is added may lead."""
    system, army = registry.load_ruleset(roster)
    case = Case(roster, select_all(army, roster.warriors), system, army)
    leading = {one.code for one in system.guidelines if one.kind.startswith("leader_")}
    found = check_case(case, record.scenario_record)
    return tuple(
        one.message for one in found if one.level == "error" and one.code not in leading
    )
