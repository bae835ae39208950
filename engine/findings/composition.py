"""Composition of the force: wizards, magic, numbers, types, categories, command, profiles."""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from engine.findings.case import (
    FIXES_SHOWN,
    Case,
    Fix,
    Occurrence,
    Occurrences,
    Parameter,
    count,
    indexes,
    kind,
    names,
    removals,
    without,
)
from engine.records import Texts, grouped
from engine.selection import Selection, total_models
from engine.stat_lines import armour_values, stat_lines
from engine.types.lists import MUSICIAN, STANDARD_BEARER, Army, Profile
from engine.types.mechanics import Guideline


@kind(fields={"names": str, "level": int, "maximum": int}, needs=(Parameter.MAXIMUM,))
def wizard_level(case: Case, guideline: Guideline) -> Occurrences:
    """Find wizards above the highest level allowed."""
    most = guideline.parameters["maximum"]
    above = [s for s in case.selections if s.is_wizard and (s.wizard_level or 0) > most]
    if above:
        fields = {
            "names": names(above),
            "level": max(s.wizard_level or 0 for s in above),
            "maximum": most,
        }
        fixes = tuple(_level_fixes(above, case.army)) or removals(above)
        yield Occurrence(fields, indexes(above), fixes)


def _level_fixes(wizards: Sequence[Selection], army: Army) -> Iterator[Fix]:
    for s in wizards:
        for option in s.options:
            if option.kind == "magic-level":
                yield without(army, s, (s.label, option.name), option.key)


def _is_found(number: int, guideline: Guideline) -> bool:
    """Return whether a number is above the maximum, and within ``up_to`` where that is given."""
    parameters = guideline.parameters
    return int(parameters["maximum"]) < number <= int(parameters.get("up_to", number))


@kind(
    fields={"count": int, "maximum": int},
    needs=(Parameter.MAXIMUM,),
    may=(Parameter.UP_TO,),
)
def wizard_count(case: Case, guideline: Guideline) -> Occurrences:
    """Find more wizards than are allowed, and of more than up_to nothing."""
    wizards = [s for s in case.selections if s.is_wizard]
    most, number = guideline.parameters["maximum"], count(wizards)
    if _is_found(number, guideline):
        # The first wizard may stay, so only the others are offered for removal.
        yield Occurrence(
            {"count": number, "maximum": most}, indexes(wizards), removals(wizards[1:])
        )


@kind(
    fields={"count": int, "names": str}, needs=(Parameter.MAXIMUM,), may=(Parameter.UP_TO,)
)
def magic_items(case: Case, guideline: Guideline) -> Occurrences:
    """Find more magic items than are allowed over all warriors, and of more than up_to nothing."""
    bearers = [s for s in case.selections if s.magic_items]
    listed: dict[str, None] = {}
    fixes: list[Fix] = []
    carried = 0
    for s in bearers:
        for item in s.magic_items:
            carried += s.bought[item.option_key] * s.entry.count
            listed[item.name] = None
            label = (s.label, item.name)
            fixes.append(without(case.army, s, label, item.option_key))
    if _is_found(carried, guideline):
        yield Occurrence(
            {"count": carried, "names": ", ".join(listed)}, indexes(bearers), tuple(fixes)
        )


@kind(fields={"count": int, "maximum": int}, needs=(Parameter.MAXIMUM,))
def models_max(case: Case, guideline: Guideline) -> Occurrences:
    """Find more miniatures than are allowed."""
    models, most = total_models(case.selections), guideline.parameters["maximum"]
    if models > most:
        yield Occurrence({"count": models, "maximum": most})


@kind(fields={"name": str, "count": int, "minimum": int}, needs=(Parameter.MINIMUM,))
def unit_small(case: Case, guideline: Guideline) -> Occurrences:
    """Find units of fewer models than a rule asks for; characters are exempt."""
    least = guideline.parameters["minimum"]
    for s in case.selections:
        if (
            s.profile is None
            or s.profile.category in case.army.characters
            or s.miniatures >= least
        ):
            continue
        enough = -(-least // s.profile.miniatures)
        label = f"{s.label}: {enough} instead of {s.entry.count}"
        fix = Fix(label, "set_count", s.index, value=enough)
        yield Occurrence(
            {"name": s.label, "count": s.miniatures, "minimum": least}, (s.index,), (fix,)
        )


@kind(fields={"name": str, "stats": str}, needs=(Parameter.FLAGS, Parameter.STATS))
def stats_missing(case: Case, guideline: Guideline) -> Occurrences:
    """Find warriors of the flags whose stat line leaves one of the stats open."""
    flags = set(guideline.parameters["flags"])
    for s in case.selections:
        if s.profile and flags & s.profile.flags:
            army = case.army
            stats = guideline.parameters["stats"]
            lines = stat_lines(s, army)
            figures = lines[0].stats if lines else {}
            missing = [stat for stat in stats if figures.get(stat) is None]
            if missing:
                names = {column.key: column.name for column in case.system.stats}
                fields = {
                    "name": s.label,
                    "stats": ", ".join(names.get(stat, stat) for stat in missing).lower(),
                }
                fixes = tuple(_filling_fixes(s, s.profile, case.army, set(missing)))
                yield Occurrence(fields, (s.index,), fixes[:FIXES_SHOWN] or removals([s]))


def _filling_fixes(
    selection: Selection, profile: Profile, army: Army, stats: Set[str]
) -> Iterator[Fix]:
    """Yield the options that give all the stats at once, by themselves or by what they bring."""
    for option in profile.options:
        pieces = [army.armour[key] for key in option.items if key in army.armour]
        stats_of_armour = (
            set(army.value_stats) if any(map(armour_values, pieces)) else set()
        )
        changed = option.effect.keys() | stats_of_armour
        if stats <= changed and not selection.has(option.key):
            label = f"{selection.label}: {option.name}"
            yield Fix(label, "add_option", selection.index, option.key)


@kind(
    fields={"count": int, "names": str},
    may=(
        Parameter.TYPES,
        Parameter.FLAGS,
        Parameter.WORDS,
        Parameter.MOUNTED,
        Parameter.MOUNTS,
    ),
)
def troop_type(case: Case, guideline: Guideline) -> Occurrences:
    """Find warriors of types, flags or words (Troll), any rider (mounted), mounts too (mounts)."""
    parameters = guideline.parameters
    wanted = _WantedTypes(
        set(parameters.get("types", ())),
        set(parameters.get("flags", ())),
        set(parameters.get("words", ())),
        parameters.get("mounted", False),
        parameters.get("mounts", False),
    )
    matching = [s for s in case.selections if wanted.holds(s)]
    army = case.army
    fixes: list[Fix] = []
    for s in matching[:FIXES_SHOWN]:
        assert s.profile is not None
        mount = next((option for option in s.options if option.mount), None)
        if mount and s.profile.troop_type not in wanted.types:
            fixes.append(without(army, s, (s.label, mount.name), mount.key))
        else:
            fixes.extend(removals([s]))
    yield from _counted(matching, tuple(fixes))


class _WantedTypes(NamedTuple):
    """Troop types and flags looked for, in riders and mounts too where these count."""

    types: Set[str]
    flags: Set[str]
    model_names: Set[str]
    mounted: bool
    mounts: bool

    def holds(self, selection: Selection) -> bool:
        """Return whether a warrior is one of those looked for."""
        profile, mount = selection.profile, selection.mount
        if profile is None:
            return False
        if self._is_one(profile) or (self.mounted and selection.is_mounted):
            return True
        return self.mounts and mount is not None and self._is_one(mount)

    def _is_one(self, profile: Profile) -> bool:
        if profile.troop_type in self.types or profile.model_name in self.model_names:
            return True
        return not profile.flags.isdisjoint(self.flags)


@kind(fields={"count": int, "names": str}, needs=(Parameter.CATEGORIES,))
def category(case: Case, guideline: Guideline) -> Occurrences:
    """Find warriors of the categories; the leader's faction counts as the General's."""
    wanted, faction = set(guideline.parameters["categories"]), case.leader_faction
    matching = [s for s in case.selections if find_category(s, faction) in wanted]
    yield from _counted(matching, removals(matching))


def _counted(matching: Sequence[Selection], fixes: tuple[Fix, ...]) -> Occurrences:
    """Yield the warriors found with their number and their names, if there are any."""
    if matching:
        yield Occurrence(
            {"count": count(matching), "names": names(matching)}, indexes(matching), fixes
        )


def find_category(selection: Selection, leader_faction: str) -> str:
    """Return the category under this leader, empty for an unknown profile.

    It is the list's own unless the list prints another for a General of that faction.
    """
    profile = selection.profile
    if profile is None:
        return ""
    if leader_faction:
        for other, generals in profile.category_when:
            if any(leader_faction in general.lower() for general in generals):
                return other
    return profile.category


@kind(
    fields={"count": int, "names": str},
    may=(Parameter.COMMANDS, Parameter.OPTIONS, Parameter.RULES, Parameter.MAXIMUM),
)
def command(case: Case, guideline: Guideline) -> Occurrences:
    """Find bearers of command models or options, and profiles of special rules, above a maximum."""
    keys = (
        *guideline.parameters.get("commands", ()),
        *guideline.parameters.get("options", ()),
    )
    rules = set(guideline.parameters.get("rules", ()))
    bearers = [
        s
        for s in case.selections
        if s.profile
        and (
            any(s.has(key) and key not in s.unknown for key in keys)
            or not rules.isdisjoint(s.profile.special_rules)
        )
    ]
    # Where models stand alone, every one of an entry has what it bought.
    if count(bearers) > guideline.parameters.get("maximum", 0):
        yield from _counted(bearers, tuple(_command_fixes(bearers, keys, case.army)))


@kind(fields={"name": str, "roles": str, "count": int}, needs=(Parameter.COMMANDS,))
def command_shared(case: Case, guideline: Guideline) -> Occurrences:
    """Find entries with more command models than models."""
    keys = guideline.parameters["commands"]
    for s in case.selections:
        posts = [key for key in keys if s.has(key) and key not in s.unknown]
        if s.profile and len(posts) > s.miniatures:
            roles = " and ".join(key.replace("-", " ") for key in posts)
            fields = {"name": s.label, "roles": roles, "count": s.miniatures}
            yield Occurrence(
                fields, (s.index,), tuple(_command_fixes([s], posts, case.army))
            )


_COMMAND_NAMES = {MUSICIAN: "musician", STANDARD_BEARER: "standard"}


def _command_fixes(
    bearers: Sequence[Selection], keys: Sequence[str], army: Army
) -> Iterator[Fix]:
    """Yield the fixes that take one of these command options off its bearers."""
    for s in bearers:
        for line in s.receipt:
            if line.key in keys:
                what = _COMMAND_NAMES.get(line.key, line.label.lower())
                yield without(army, s, (s.title, what), line.key)


@kind(fields={"count": int, "names": str})
def special_character(case: Case, guideline: Guideline) -> Occurrences:
    """Find special characters."""
    matching = [s for s in case.selections if s.profile and s.profile.is_special_character]
    yield from _counted(matching, removals(matching))


@kind(fields={"names": str, "reasons": str})
def incomplete(case: Case, guideline: Guideline) -> Occurrences:
    """Find profiles whose source leaves something open."""
    matching = [s for s in case.selections if open_points(s)]
    if matching:
        listed: dict[str, None] = {}
        for s in matching:
            # They end the sentence of the guideline, which has a full stop.
            listed |= dict.fromkeys(point.removesuffix(".") for point in open_points(s))
        yield Occurrence(
            {"names": names(matching), "reasons": "; ".join(listed)}, indexes(matching)
        )


def open_points(selection: Selection) -> Texts:
    """Return what the sources of a warrior's profile leave open."""
    if selection.profile is None:
        return ()
    if selection.profile.incomplete:
        return selection.profile.incomplete
    is_open = selection.is_wizard and selection.wizard_level is None
    return ("the wizard level is not stated",) if is_open else ()


@kind(fields={"name": str, "count": int, "maximum": int})
def army_max(case: Case, guideline: Guideline) -> Occurrences:
    """Find a profile with more than its list allows, in units or else in models."""
    entries = grouped(
        (s.profile.key, s)
        for s in case.selections
        if s.profile and s.profile.army_max is not None
    )
    for group in entries.values():
        profile = group[0].profile
        assert profile is not None
        assert profile.army_max is not None
        # A regiment is one unit, but two characters in one entry are two.
        is_unit = case.system.regiments and profile.category not in case.army.characters
        number = len(group) if is_unit else count(group)
        if number > profile.army_max:
            fields = {"name": profile.name, "count": number, "maximum": profile.army_max}
            yield Occurrence(fields, indexes(group))


@kind(fields={"profile": str})
def profile_unknown(case: Case, guideline: Guideline) -> Occurrences:
    """Find entries whose profile is not in the army list."""
    for s in case.selections:
        if s.profile is None:
            fix = Fix(f"Remove {s.entry.profile}", "remove_warrior", s.index)
            yield Occurrence({"profile": s.entry.profile}, (s.index,), (fix,))
