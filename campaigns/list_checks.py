"""What a list handed in for a round is checked by: what the round agrees on, the event's policy,
the core before it.

No row is written here. What the system finds is stored as it is; levels and waivers are
laid over it whenever it is shown, so that a waiver given later, or taken back, changes what is said
and never what was brought.

An event, a round or an entry may be a row or a record here: both have the same fields.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from django.utils import timezone

from accounts.errors import Refusal
from battles.combatants import sheet_lineup
from campaigns.models import EntryStatus, ListLock, Round, RoundStatus
from campaigns.models.rounds import list_deadline, round_limit, round_scenarios
from engine.errors import refused_at
from engine.findings.case import Finding
from engine.findings.checks import (
    Allowance,
    Core,
    ListEntry,
    Policy,
    SetLevel,
    check,
    core_changed,
    guidelines_of,
    judged,
)
from engine.records import Fields, NumberByKey, TextByKey, Texts, frozen_dataclass
from engine.roster import Roster, RosterEntry, in_force
from engine.types.lists import Army
from engine.types.systems import Scenario, System
from rulesdata import registry
from rulesdata.queries.scenarios import load_carried_scenario
from warbands.checks import check_roster
from warbands.exchange.document import shown
from warbands.models import Warband
from warbands.sheet.build import sheet_of_check, with_findings
from warbands.sheet.frozen import SnapshotMismatch, from_json, to_json
from warbands.sheet.structure import RosterSheet


@frozen_dataclass
class AgreedTerms:
    """What a round agrees on.

    ``limit`` None leaves each list its own; ``scenario`` only where there is just one.
    """

    system: System
    limit: int | None
    scenario: Scenario | None
    house_rules: Mapping[str, bool]
    levels: Mapping[str, SetLevel]
    rulings: NumberByKey

    def judge(
        self, findings: Iterable[Finding], allowed: Iterable[Allowance] = ()
    ) -> tuple[Finding, ...]:
        """Findings of a list under the event's levels and the waivers of its entry."""
        return judged(findings, self.scenario, Policy(self.levels, tuple(allowed)))


@frozen_dataclass
class CheckedList:
    """A list as it would be handed in: its roster and sheet, and its findings before levels and
    waivers.
    """

    roster: Roster
    sheet: RosterSheet
    findings: tuple[Finding, ...]


def load_terms(event: Any, round_row: Round) -> AgreedTerms:
    """What holds in a round. One query where its only scenario is a person's own, else none."""
    pool = round_scenarios(round_row, event)
    return AgreedTerms(
        system=registry.system_of(event),
        limit=round_limit(round_row, event),
        scenario=load_carried_scenario(event.system, pool[0]) if len(pool) == 1 else None,
        house_rules=event.house_rules,
        levels=event.levels,
        rulings=in_force(event.ruling_layers),
    )


def list_refusal(
    event: Any, entry: Any, round_row: Round, lock: ListLock | None, *, runs: bool
) -> Refusal | None:
    """Why a list is taken no more, and who can change that; None where it is.

    The deadline binds no organiser (``runs``), nobody whose list was unlocked or sent back, and
    nobody who came after the one deadline of the event and has handed in no list yet.
    """
    if event.is_over:
        return Refusal("This event is finished and takes no more lists.", field="round")
    if entry.status == EntryStatus.DROPPED:
        sentence = f"{entry.name} dropped out. Rejoin first, then hand in a list."
        return Refusal(sentence, field="entry")
    if round_row.status == RoundStatus.CLOSED and not event.has_one_list:
        return Refusal(f"{round_row} is closed and takes no more lists.", field="round")
    if runs or _is_free_of_deadline(event, entry, lock):
        return None
    due = list_deadline(round_row, event)
    if round_row.lists_published_at is not None:
        reason = f"The lists of {round_row} are already revealed."
    elif due is not None and due <= timezone.now():
        moment = timezone.localtime(due)
        reason = f"Lists for {round_row} were due on {moment:%-d %B %Y, %H:%M}."
    else:
        return None
    return Refusal(f"{reason} Ask an organiser to unlock yours.", field="round")


def _is_free_of_deadline(event: Any, entry: Any, lock: ListLock | None) -> bool:
    """Whether a list was unlocked or sent back, or its player came late and has handed in none."""
    if lock and (lock.is_unlocked or lock.is_sent_back):
        return True
    has_list = lock is not None and lock.has_list
    return event.has_one_list and entry.joined > 1 and not has_list


def is_of_system(roster: Roster | Warband, event: Any) -> bool:
    """Whether a roster is of the system that an event plays, in its variant."""
    return (roster.system, roster.variant or "") == (event.system, event.variant)


def check_list(
    roster: Roster,
    agreed: AgreedTerms,
    allowed: Iterable[Allowance],
    previous: RosterSheet | None = None,
) -> CheckedList:
    """The roster with the round's limit, house rules, rulings and scenario instead of its own.

    Raises Refusal for one of nobody, or of more than fit on a side.
    """
    brought = replace(
        roster,
        points_limit=roster.points_limit if agreed.limit is None else agreed.limit,
        scenario=agreed.scenario.key if agreed.scenario else None,
        house_rules={**roster.house_rules, **agreed.house_rules},
        rulings=agreed.rulings,
    )
    system, army = registry.load_ruleset(brought)
    # The event's levels and waivers come last, so no scenario waives anything here.
    checked = check_roster(brought, system, army)
    sheet = sheet_of_check(replace(checked, scenario=agreed.scenario))
    if not sheet.models:
        raise Refusal(
            f"{sheet.name} has no models. Add some, then hand it in.", field="warband"
        )
    with refused_at("warband"):
        sheet_lineup("a", sheet, system, army)
    findings = checked.findings
    # The core is compared with the list as it was handed in, not with the warband of today.
    if previous is not None:
        core = Core(_list_entries(previous), _list_entries(sheet))
        findings = (*findings, *core_changed(core))
    judgement = agreed.judge(findings, allowed)
    return CheckedList(brought, with_findings(sheet, judgement), findings)


def _list_entries(sheet: RosterSheet) -> list[ListEntry]:
    return [
        ListEntry(unit.id, unit.profile_key, unit.name or unit.title, unit.count)
        for unit in sheet.warriors
    ]


def findings_to_json(findings: Iterable[Finding]) -> list[Fields]:
    """Findings as a row keeps them; their fixes are for a warband that can still be changed."""
    return [to_json(replace(finding, fixes=())) for finding in findings]


def findings_from_json(data: Sequence[Any]) -> tuple[Finding, ...]:
    """What a row keeps, those left out that this release cannot read any more."""
    findings = []
    for stored in data:
        try:
            findings.append(from_json(stored, Finding))
        except SnapshotMismatch:
            continue
    return tuple(findings)


# The policy of an event: the levels of guidelines

LEVELS: Texts = get_args(SetLevel)
# The kind of guideline that one warrior alone breaks and more warriors put right.
MENDED_BY_MORE = "total_under_limit"


def checked_levels(system: System, levels: Mapping[str, str]) -> TextByKey:
    """The levels an event sets anew.

    Raises Refusal for an unknown guideline or level, and for an army list's own.
    """
    guidelines = {guideline.code: guideline for guideline in guidelines_of(system)}
    for code, level in levels.items():
        guideline = guidelines.get(code)
        if guideline is None:
            sentence = f"{system.full_name} has no guideline {shown(code)}."
        elif level not in LEVELS:
            sentence = f"{shown(level)} is no level; they are {', '.join(LEVELS)}."
        elif not guideline.is_waivable and level != guideline.level:
            title = guideline.title or code
            sentence = f"“{title}” is a rule of the army lists and cannot be changed."
        else:
            continue
        raise Refusal(sentence, field="levels")
    return {
        code: level for code, level in levels.items() if level != guidelines[code].level
    }


def policy_fault(
    system: System, limit: int | None, levels: Mapping[str, str]
) -> Refusal | None:
    """What makes it impossible to bring any list without an error, or None.

    Reads the packs only, no database.

    The smallest lists are tried, one profile each. A policy passes as soon as one of them has no
    error.
    """
    policy = Policy(cast(Mapping[str, SetLevel], levels))
    mended = {row.code for row in system.guidelines if row.kind == MENDED_BY_MORE}
    codes: set[str] | None = None
    for army, roster in _smallest_lists(system, limit):
        findings = check(roster, system, army, policy=policy)
        errors = {row.code for row in findings if row.level == "error"} - mended
        if not errors:
            return None
        codes = errors if codes is None else codes & errors
    if codes is None:
        return None
    field, reason = _policy_reason(system, limit, codes)
    return Refusal(f"No list can meet this: {reason}", field=field)


def _policy_reason(
    system: System, limit: int | None, codes: Collection[str]
) -> tuple[str, str]:
    """The field to correct and why, by the ``codes`` of the errors that every list has."""
    rules = [row for row in system.guidelines if row.code in codes]
    broken = {row.kind: row for row in rules}
    if outside := broken.get("limit_outside"):
        low, high = outside.parameters["minimum"], outside.parameters["maximum"]
        return "points_limit", (
            f"“{outside.title}” is an error here and asks for a limit from {low} to {high} "
            f"points, not {limit:,}. Change the limit, or make that guideline a warning."
        )
    if "total_over_limit" in broken:
        return "points_limit", (
            f"the cheapest unit costs more than {limit:,}. Raise the limit, or leave it empty."
        )
    if rules:
        names = " and ".join(f"“{guideline.title}”" for guideline in rules)
        return "levels", f"every list breaks {names}. Make that a warning."
    return "levels", (
        "the rules exclude each other. Raise the limit, or set some rules to warnings."
    )


def _smallest_lists(system: System, limit: int | None) -> Iterator[tuple[Army, Roster]]:
    """Every list of one profile alone, of one model and of as many as a unit needs.

    What an army gives away with something else is left out, where others have a price.
    """
    # A guideline may ask for a unit of several, so one model alone may be in error.
    small = [row for row in system.guidelines if row.kind == "unit_small"]
    sizes = sorted({1, *(row.parameters["minimum"] for row in small)})
    for army_key in registry.list_army_keys(system.key):
        army = registry.load_army(system.key, army_key, system.variant)
        has_prices = any(profile.points for profile in army.profiles.values())
        empty = Roster(
            system.key, army_key, points_limit=limit, variant=system.variant, warriors=()
        )
        for key, profile in army.profiles.items():
            if has_prices and not profile.points:
                continue
            for size in sizes:
                unit = RosterEntry(key, count=size, is_leader=bool(system.leader_name))
                yield army, replace(empty, warriors=(unit,))
