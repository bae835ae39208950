"""The odds of warriors of warbands: of one pair, under every system that it fits, and of everybody
in one warband against everybody in another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product
from types import ModuleType
from typing import Any

from engine.errors import Refusal
from engine.records import Fields, NamedValues, Texts, frozen_dataclass, grouped
from engine.roster import EntryGrowth
from engine.rules import CombatRules
from engine.types.lists import POINTS, Option
from engine.types.systems import System
from odds.circumstances import (
    PART,
    Circumstance,
    Encounter,
    flag,
    read,
    ruled,
    switches,
)
from odds.combat_profiles import CombatProfile
from odds.exhibits import OutcomeChance, percent
from odds.fight_modes import UnknownSubject, find_fight_mode, ruleset
from rulesdata import registry
from warbands.queries.odds_subjects import (
    OddsSubject,
    OddsWarband,
    load_army,
    load_outs,
    members,
    own_load_outs,
    profile_under_system,
)

NOT_COUNTED = {
    "frenzy": "frenzy",
    "hatred": "hatred",
    "causes_fear": "fear",
    "causes_terror": "terror",
    "regeneration": "regeneration",
    "ethereal": "being ethereal",
}
_PLAYED = {"frenzy", "hatred"}


def _as_played(system: System, *subjects: OddsSubject | OddsWarband) -> System:
    """The system as the first of them plays it that was made for it."""
    for subject in subjects:
        if subject.book == system.address:
            return registry.load_system(system.key, system.variant, subject.agreed)
    return system


def pair_under(first: OddsSubject, second: OddsSubject, system: System) -> Encounter | str:
    """The pair under a system, or a sentence why it cannot be."""
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    mode = find_fight_mode(rules)
    if mode is None:
        return f"{system.full_name} has no odds for two models."
    attacker = profile_under_system(first, system)
    target = profile_under_system(second, system)
    if attacker is None or target is None:
        return "One of the two is not in its army list, so we have no figures."
    lack = mode.lacks(attacker, target)
    return lack or Encounter(mode, system, rules, attacker, target, {})


def build_page(
    first: OddsSubject,
    second: OddsSubject,
    sent: Mapping[str, str],
    sets: Sequence[Texts | None] = (),
    *,
    is_asked: bool,
) -> Fields:
    """The odds of two warriors as a form asked for them, with the attacker's own ``sets`` of gear.

    Its ``parts`` are the circumstances under their headings, with whether they are folded: behind a
    summary while none of them is on. ``beside`` are the few chances that sum the pair up, under
    every system that can read it. Raises UnknownSubject where no system can read them both.
    """
    # Under every system: the page shows the pair beside itself in the others.
    pairs: dict[str, Encounter] = {}
    lack = ""
    for printed in registry.rulesets():
        pair = pair_under(first, second, _as_played(printed, first, second))
        if isinstance(pair, Encounter):
            pairs[printed.address] = pair
        elif printed.address == first.book:
            lack = pair
    if not pairs:
        message = "We cannot compare these two: their stat lines have nothing in common."
        raise UnknownSubject(lack or message)
    faults: list[Refusal] = []
    chosen = pairs[_choose("book", pairs, sent, faults, first.book)]
    circumstances, settings, wrong = _read(chosen, sent, is_asked=is_asked)
    rules = ruled(chosen.system, chosen.rules, chosen.mode.SECTIONS, settings)
    encounter = chosen._replace(rules=rules, settings=settings)
    columns = own_load_outs(encounter, first, sets)
    army = load_army(encounter, first)
    return {
        "first": first,
        "second": second,
        "encounter": encounter,
        "books": [(address, pair.system.full_name) for address, pair in pairs.items()],
        "parts": _parts(circumstances, settings),
        "exhibits": encounter.mode.exhibits(encounter),
        "beside": _beside(pairs, encounter),
        "notes": _notes(encounter, first, second),
        "faults": (*faults, *wrong, *(c["fault"] for c in columns if c["fault"])),
        "load_outs": load_outs(encounter, first),
        "currency": army.currency if army else POINTS,
        "columns": columns,
        "option_rows": _option_rows(columns),
    }


def _option_rows(columns: Sequence[Fields]) -> list[tuple[Option, list[Any]]]:
    """Each option that the columns choose from, with whether each of them has it."""
    return [
        (row[0][0], [(place, tick) for place, (_, tick) in enumerate(row, 1)])
        for row in zip(*(column["ticks"] for column in columns), strict=True)
    ]


def _parts(
    circumstances: tuple[Circumstance, ...], settings: NamedValues
) -> list[tuple[str, list[Any], bool]]:
    parts = grouped((each.part, (each, settings[each.name])) for each in circumstances)
    return [
        (title, pairs, title == PART and not any(value for _, value in pairs))
        for title, pairs in parts.items()
    ]


def _beside(
    pairs: Mapping[str, Encounter], encounter: Encounter
) -> tuple[tuple[System, tuple[OutcomeChance, ...]], ...]:
    # The same circumstances under another system, as far as that system has them.
    same = {
        name: str(int(value)) if isinstance(value, bool | int) else value
        for name, value in encounter.settings.items()
        if value is not None and not name.startswith("play-")
    }
    beside = []
    for address, pair in pairs.items():
        met = encounter
        if address != encounter.system.address:
            met = pair._replace(settings=_read(pair, same, is_asked=False)[1])
        measured = ((name, met.measured(key)) for key, name in met.mode.HEADLINES)
        chances = (
            OutcomeChance(name, chance) for name, chance in measured if chance is not None
        )
        beside.append((pair.system, tuple(chances)))
    return tuple(beside)


_LABELS = {"book": "Rules", "measure": "Chance of"}


def _choose(
    field: str,
    choices: Mapping[str, Any],
    sent: Mapping[str, str],
    faults: list[Refusal],
    usual: str = "",
) -> str:
    """The choice that was sent, else the usual one, else the first; adds a fault for one there is
    not.
    """
    wanted = sent.get(field) or ""
    if wanted in choices:
        return wanted
    if wanted:
        names = ", ".join(choices)
        faults.append(Refusal(f"{_LABELS[field]}: give one of {names}.", field=field))
    return usual if usual in choices else next(iter(choices))


def _read(
    pair: Encounter, sent: Mapping[str, str], *, is_asked: bool
) -> tuple[tuple[Circumstance, ...], dict[str, Any], list[Refusal]]:
    """The circumstances of a pair with their values, the weapons among them."""
    mode, system, rules, attacker, target, _ = pair
    circumstances = (
        *mode.circumstances(system, rules, attacker, target),
        *switches(system, rules, mode.SECTIONS),
    )
    settings, faults = read(circumstances, sent, is_asked=is_asked)
    settings |= {
        name: sent.get(name, "")[:100] for name in ("weapon", "against", "missile")
    }
    return circumstances, settings, faults


def _notes(encounter: Encounter, first: OddsSubject, second: OddsSubject) -> Texts:
    """What is not counted, and whose figures these are."""
    attacker, target = encounter.attacker, encounter.target
    notes, melee = [], encounter.rules.melee
    is_played = melee is not None and melee.frenzy_and_hatred
    # Dice are worked out up to the armour save.
    if target.save.ward:
        notes.append(f"The ward save of {target.title} is not counted.")
    for fighter in (attacker, target):
        flags = fighter.flags - (_PLAYED if is_played else set())
        rules = [text for flag, text in NOT_COUNTED.items() if flag in flags]
        if rules:
            notes.append(f"Not counted for {fighter.title}: {', '.join(rules)}.")
    if attacker.address != encounter.system.address:
        notes.append(
            f"The figures are those of {ruleset(first.book).full_name}; these rules have no "
            "such list."
        )
    notes = list(dict.fromkeys(notes))
    notes += _note_gains(attacker.title, first.entry.growth)
    notes += _note_gains(target.title, second.entry.growth)
    return *notes, encounter.mode.LEFT_OUT


def _note_gains(title: str, growth: EntryGrowth | None) -> list[str]:
    """What a campaign gave in words, which no dice count; its figures are counted."""
    gains = (*growth.skills, *growth.goods) if growth else ()
    texts = [f"{name} ({text.removesuffix('.')})" for name, text in gains if text]
    return [f"Not counted for {title}: {', '.join(texts)}."] if texts else []


MOST_KINDS = 200
STEPS = 5
_TRIED = 5


@frozen_dataclass
class WarriorKind:
    """Those of a warband who are alike to the dice, as many as ``profile.count``.

    ``key`` names the first of them.
    """

    key: str
    profile: CombatProfile


def _offer_circumstances(
    mode: ModuleType, rules: CombatRules, attackers: Sequence[WarriorKind]
) -> tuple[Circumstance, ...]:
    if mode.CALL != "melee":
        return ()
    charging = flag("charging", "The attackers charge", "Attacker")
    is_frenzied = any("frenzy" in kind.profile.flags for kind in attackers)
    if not is_frenzied or not rules.melee.frenzy_and_hatred:
        return (charging,)
    label = "The frenzied strike in frenzy"
    return charging, flag("frenzy", label, "Attacker", default=True)


def build_match_up(
    first: OddsWarband, second: OddsWarband, sent: Mapping[str, str], *, is_asked: bool
) -> Fields:
    """The table of two warbands: a row for each attacker, with a target's key, the chance in words
    and its heat in each cell.

    Heat is 0 to 5 among all figures of the table. ``left_out`` are kinds there was no room for.
    Raises Refusal where no rules can read them both.
    """
    played = [_as_played(system, first, second) for system in registry.rulesets()]
    # Any of the first few of one who can fight any of the other's.
    few = list(product(members(first)[:_TRIED], members(second)[:_TRIED]))
    systems = {
        system.address: system
        for system in played
        if any(isinstance(pair_under(*pair, system), Encounter) for pair in few)
    }
    if not systems:
        raise Refusal(
            "No rules can read both warbands: their stat lines have nothing in common, or "
            "one is empty."
        )
    faults: list[Refusal] = []
    system = systems[_choose("book", systems, sent, faults, first.book)]
    rules = registry.combat_rules(system.key, system.variant, system.agreed)
    mode = find_fight_mode(rules)
    assert mode is not None
    measure = _choose("measure", dict(mode.MEASURES), sent, faults)
    attackers, targets = kinds(members(first), system), kinds(members(second), system)
    circumstances = _offer_circumstances(mode, rules, attackers)
    settings, wrong = read(circumstances, sent, is_asked=is_asked)
    left_out = max(0, len(attackers) + len(targets) - MOST_KINDS)
    # The shorter list whole if it fits a half.
    half = MOST_KINDS // 2
    attackers, targets = (
        attackers[: max(half, MOST_KINDS - len(targets))],
        targets[: max(half, MOST_KINDS - len(attackers))],
    )
    chances = [
        [
            mode.measured(
                Encounter(mode, system, rules, a.profile, t.profile, settings), measure
            )
            for t in targets
        ]
        for a in attackers
    ]
    return {
        "system": system,
        "measures": mode.MEASURES,
        "measure": measure,
        "measured": dict(mode.MEASURES)[measure],
        "settings": [(each, settings[each.name]) for each in circumstances],
        "columns": targets,
        "rows": _heat_rows(attackers, targets, chances),
        "left_out": left_out,
        "faults": (*faults, *wrong),
    }


def _heat_rows(
    attackers: Sequence[WarriorKind],
    targets: Sequence[WarriorKind],
    chances: Sequence[Sequence[Fraction | None]],
) -> list[tuple[WarriorKind, list[Fields | None]]]:
    # Heat goes by the best chance of the whole table: chances of one system may all be small.
    most = max(filter(None, chain.from_iterable(chances)), default=Fraction(0))
    rows = []
    for attacker, row in zip(attackers, chances, strict=True):
        cells: list[Fields | None] = []
        for target, chance in zip(targets, row, strict=True):
            cell = None
            if chance is not None:
                heat = round(STEPS * chance / most) if most else 0
                cell = {"target": target.key, "percent": percent(chance), "heat": heat}
            cells.append(cell)
        rows.append((attacker, cells))
    return rows


def kinds(subjects: Sequence[OddsSubject], system: System) -> tuple[WarriorKind, ...]:
    """The kinds among warriors, in order; those without figures are left out."""
    kinds: dict[tuple[str, frozenset[str]], WarriorKind] = {}
    for subject in subjects:
        entry = subject.entry
        alike = entry.profile, frozenset(entry.options)
        if alike in kinds:
            kind = kinds[alike]
            profile = replace(kind.profile, count=kind.profile.count + entry.count)
            kinds[alike] = replace(kind, profile=profile)
        elif fighter := profile_under_system(subject, system):
            kinds[alike] = WarriorKind(subject.key, fighter)
    return tuple(kinds.values())
