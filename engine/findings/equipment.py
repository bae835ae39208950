"""Equipment: options that clash, are unknown or unpriced, and forbidden arms."""

from engine import option_rules
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
)
from engine.selection import Selection
from engine.stat_lines import carried_items
from engine.types.lists import Army
from engine.types.mechanics import Guideline


@kind(fields={"name": str, "option": str})
def option_unknown(case: Case, guideline: Guideline) -> Occurrences:
    """Find options that the army list does not know."""
    for s in case.selections:
        # Of an unknown profile every option is unknown, and profile_unknown says that once.
        for key in s.unknown if s.profile else ():
            fix = Fix(f"Remove {key}", "remove_option", s.index, key)
            yield Occurrence({"name": s.label, "option": key}, (s.index,), (fix,))


@kind(fields={"name": str, "reason": str})
def option_conflict(case: Case, guideline: Guideline) -> Occurrences:
    """Find options that may not stand together, and too many of one."""
    bearers = option_rules.count_bearers(case.selections)
    for s in case.selections:
        for fault in option_rules.conflicts(s, case.army, bearers):
            yield _hit(s, fault, case.army)


@kind(fields={"name": str, "reason": str})
def option_requirement(case: Case, guideline: Guideline) -> Occurrences:
    """Find options that need another, and groups of which one must be taken."""
    for s in case.selections:
        for fault in option_rules.missing(s, case.army):
            yield _hit(s, fault, case.army)


def _hit(selection: Selection, fault: option_rules.OptionFault, army: Army) -> Occurrence:
    fields = {"name": selection.label, "reason": fault.reason}
    profile = selection.profile
    assert profile is not None
    names = {
        key: option_rules.find_name(key, profile, army)
        for key in (*fault.add, *fault.remove)
    }
    index = selection.index
    adds = [Fix(f"Add {names[key]}", "add_option", index, key) for key in fault.add]
    removed = fault.remove[:FIXES_SHOWN]
    removes = [Fix(f"Remove {names[key]}", "remove_option", index, key) for key in removed]
    return Occurrence(fields, (selection.index,), (*adds, *removes))


@kind(fields={"name": str, "weapon": str, "others": str}, may=(Parameter.ITEMS,))
def difficult_weapon(case: Case, guideline: Guideline) -> Occurrences:
    """Find a difficult weapon beside another; items (a hand weapon) do not count."""
    ignored = set(guideline.parameters.get("items", ()))
    for s in case.selections:
        army = case.army
        keys = army.weapons.keys() - ignored
        arms = [army.weapons[key] for key in carried_items(s) if key in keys]
        difficult = next(
            (weapon for weapon in arms if weapon.traits.get("difficult")), None
        )
        if difficult and len(arms) > 1:
            others = [weapon.name.lower() for weapon in arms if weapon is not difficult]
            fields = {
                "name": s.label,
                "weapon": difficult.name.lower(),
                "others": " and ".join(others),
            }
            yield Occurrence(
                fields, (s.index,), _without(s, {weapon.key for weapon in arms})
            )


@kind(
    fields={"name": str, "armour": str, "only_for": str},
    may=(Parameter.ARMIES, Parameter.WORDS),
)
def armour_only_for(case: Case, guideline: Guideline) -> Occurrences:
    """Find armour that is kept for armies, or for words of a profile's name."""
    for s in case.selections:
        if _may_wear(s, guideline):
            continue
        for key in carried_items(s):
            piece = case.army.armour.get(key)
            if piece and piece.traits.get("only_for"):
                fields = {
                    "name": s.label,
                    "armour": piece.name.lower(),
                    "only_for": piece.traits["only_for"],
                }
                yield Occurrence(fields, (s.index,), _without(s, {piece.key}))


def _may_wear(selection: Selection, guideline: Guideline) -> bool:
    """Return whether a warrior is of the people that the armour is kept for.

    An unknown profile carries nothing and counts as one of them.
    """
    profile = selection.profile
    if profile is None or profile.army in guideline.parameters.get("armies", ()):
        return True
    called = f"{profile.name} {profile.model_name}".lower().split()
    return any(word.lower() in called for word in guideline.parameters.get("words", ()))


@kind(fields={"count": int, "names": str, "options": str})
def unpriced(case: Case, guideline: Guideline) -> Occurrences:
    """Find options of the system itself whose text prints no price."""
    keys = {option.key for option in case.system.options if not option.points}
    matching = []
    listed: dict[str, None] = {}
    for s in case.selections:
        options = [option for option in s.options if option.key in keys]
        if options:
            matching.append(s)
            listed |= dict.fromkeys(option.name.lower() for option in options)
    if matching:
        fields = {
            "count": count(matching),
            "names": names(matching),
            "options": ", ".join(listed),
        }
        yield Occurrence(fields, indexes(matching))


def _without(selection: Selection, items: set[str]) -> tuple[Fix, ...]:
    """Return the remedies: to leave one of the options that brought these items."""
    options = (*selection.options, *selection.champions_options)
    bringing = [option for option in options if items.intersection(option.items)]
    return tuple(
        Fix(
            f"{selection.label} without {o.name.lower()}",
            "remove_option",
            selection.index,
            o.key,
        )
        for o in bringing
    )
