"""What the force is made of: wizards, magic, numbers, troop types, categories, command, and single profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.findings.cases import Case, Fix, Occurrence, count, indexes, names, removals
from engine.selection import Selection, stat_lines
from engine.types import MUSICIAN, STANDARD_BEARER, Guideline


def wizard_level(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    most = guideline.parameters["maximum"]
    above = [s for s in case.selections if s.is_wizard and (s.wizard_level or 0) > most]
    if above:
        level = max(s.wizard_level or 0 for s in above)
        fixes = []
        for s in above:
            for option in s.options:
                if option.kind == "magic-level":
                    fixes.append(
                        Fix(
                            f"{s.label} without {option.name}, −{option.points}",
                            "remove_option",
                            s.index,
                            option.key,
                        )
                    )
        yield Occurrence(
            {"names": names(above), "level": level, "maximum": most},
            indexes(above),
            tuple(fixes) or removals(above),
        )


def wizard_count(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    wizards = [s for s in case.selections if s.is_wizard]
    if count(wizards) > guideline.parameters["maximum"]:
        yield Occurrence(
            {"count": count(wizards), "maximum": guideline.parameters["maximum"]},
            indexes(wizards),
            removals(wizards[1:]),
        )


def magic_items(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    bearers = [s for s in case.selections if s.magic_items]
    items = [item for s in bearers for item in s.magic_items]
    carried = sum(
        s.bought[item.option_key] * s.entry.count for s in bearers for item in s.magic_items
    )
    if carried > guideline.parameters["maximum"]:
        fixes = tuple(
            Fix(
                f"{s.label} without {item.name}, −{item.points}",
                "remove_option",
                s.index,
                item.option_key,
            )
            for s in bearers
            for item in s.magic_items
        )
        listed = ", ".join(dict.fromkeys(item.name for item in items))
        yield Occurrence({"count": carried, "names": listed}, indexes(bearers), fixes)


def models_max(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    models, most = sum(s.miniatures for s in case.selections), guideline.parameters["maximum"]
    if models > most:
        yield Occurrence({"count": models, "maximum": most})


def unit_small(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Units of fewer models than a rule asks for; characters stand alone and are no units."""
    least = guideline.parameters["minimum"]
    for s in case.selections:
        if s.profile is None or s.profile.category in case.army.characters or s.miniatures >= least:
            continue
        enough = -(-least // s.profile.miniatures)
        fix = Fix(
            f"{s.label}: {enough} instead of {s.entry.count}", "set_count", s.index, value=enough
        )
        yield Occurrence(
            {"name": s.label, "count": s.miniatures, "minimum": least}, (s.index,), (fix,)
        )


def stats_missing(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Warriors of the named flags whose stat line leaves one of the named figures open; options may fill them in."""
    flags, stats = set(guideline.parameters["flags"]), guideline.parameters["stats"]
    for s in case.selections:
        if s.profile is None or not flags & s.profile.flags:
            continue
        lines = stat_lines(s)
        open_stats = [stat for stat in stats if not lines or lines[0].stats.get(stat) is None]
        if open_stats:
            names = [
                next((c.name for c in case.system.stats if c.key == stat), stat)
                for stat in open_stats
            ]
            filling = [
                o
                for o in s.profile.options
                if set(open_stats) <= set(o.effect) and not s.has(o.key)
            ]
            fixes = tuple(
                Fix(f"{s.label}: {o.name}", "add_option", s.index, o.key) for o in filling[:3]
            )
            yield Occurrence(
                {"name": s.label, "stats": ", ".join(names).lower()},
                (s.index,),
                fixes or removals([s]),
            )


def troop_type(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Warriors of the named types or flags; with ``mounted`` any rider, with ``mounts`` what is ridden counts too."""
    wanted = guideline.parameters
    types, flags = set(wanted.get("types", ())), set(wanted.get("flags", ()))

    def is_one(s: Selection) -> bool:
        if s.profile is None:
            return False
        if s.profile.troop_type in types or flags & s.profile.flags:
            return True
        if wanted.get("mounted") and s.is_mounted:
            return True
        if not (wanted.get("mounts") and s.mount):
            return False
        return s.mount.troop_type in types or bool(flags & s.mount.flags)

    found = [s for s in case.selections if is_one(s)]
    if found:
        yield Occurrence(
            {"count": count(found), "names": names(found)},
            indexes(found),
            _type_fixes(found, wanted),
        )


def _type_fixes(found: list[Selection], wanted: Mapping[str, Any]) -> tuple[Fix, ...]:
    fixes = []
    types = set(wanted.get("types", ()))
    for s in found[:3]:
        mount = next((o for o in s.options if o.mount), None)
        assert s.profile is not None
        if mount and s.profile.troop_type not in types:
            fixes.append(
                Fix(
                    f"{s.label} without {mount.name}, −{mount.points}",
                    "remove_option",
                    s.index,
                    mount.key,
                )
            )
        else:
            fixes.extend(removals([s]))
    return tuple(fixes)


def category(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Warriors of the named categories; the leader's faction counts as the General's."""
    wanted = set(guideline.parameters["categories"])
    found = [s for s in case.selections if category_of(s, case.leader_faction) in wanted]
    if found:
        yield Occurrence(
            {"count": count(found), "names": names(found)}, indexes(found), removals(found)
        )


def category_of(selection: Selection, leader_faction: str) -> str:
    """The category under this leader: the list's own unless it prints another for a General of that faction."""
    profile = selection.profile
    if profile is None:
        return ""
    if leader_faction:
        for other, generals in profile.category_when:
            if any(leader_faction in general.lower() for general in generals):
                return other
    return profile.category


def command(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Bearers of the named command models or options, and profiles whose special rules make them one."""
    keys = (*guideline.parameters.get("commands", ()), *guideline.parameters.get("options", ()))
    rules = set(guideline.parameters.get("rules", ()))
    bearers = [
        s
        for s in case.selections
        if s.profile
        and (
            any(s.has(k) and k not in s.unknown for k in keys)
            or rules & set(s.profile.special_rules)
        )
    ]
    if bearers:
        fixes = []
        for s in bearers:
            for line in s.receipt:
                if line.key in keys:
                    what = {MUSICIAN: "musician", STANDARD_BEARER: "standard"}.get(
                        line.key, line.label.lower()
                    )
                    fixes.append(
                        Fix(
                            f"{s.title} without {what}, −{line.points}",
                            "remove_option",
                            s.index,
                            line.key,
                        )
                    )
        yield Occurrence(
            {"count": count(bearers), "names": names(bearers)}, indexes(bearers), tuple(fixes)
        )


def special_character(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    found = [s for s in case.selections if s.profile and s.profile.is_special_character]
    if found:
        yield Occurrence(
            {"count": count(found), "names": names(found)}, indexes(found), removals(found)
        )


def incomplete(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    found: list[Selection] = []
    reasons: dict[str, None] = {}
    for s in case.selections:
        if s.profile is None:
            continue
        if s.profile.incomplete:
            found.append(s)
            reasons.update(dict.fromkeys(s.profile.incomplete))
        elif s.is_wizard and s.wizard_level is None:
            found.append(s)
            reasons["the wizard level is not stated"] = None
    if found:
        yield Occurrence({"names": names(found), "reasons": "; ".join(reasons)}, indexes(found))


def army_max(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    entries: dict[str, list[Selection]] = {}
    for s in case.selections:
        if s.profile and s.profile.army_max is not None:
            entries.setdefault(s.profile.key, []).append(s)
    for found in entries.values():
        profile = found[0].profile
        assert profile is not None
        assert profile.army_max is not None
        if len(found) > profile.army_max:
            yield Occurrence(
                {"name": profile.name, "count": len(found), "maximum": profile.army_max},
                indexes(found),
            )


def profile_unknown(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    for s in case.selections:
        if s.profile is None:
            fix = Fix(f"Remove {s.entry.profile}", "remove_warrior", s.index)
            yield Occurrence({"profile": s.entry.profile}, (s.index,), (fix,))
