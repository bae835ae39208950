"""What a list handed in for a round is checked by: what the round agrees on, the event's policy,
the core before it.

No rows are read or written here. What the system finds is kept as it is; levels and waivers are
laid over it whenever it is told, so that a waiver given later, or taken back, changes what is said
and never what was brought.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast, get_args

from django.utils import timezone

from accounts.errors import Refusal
from battles.combatants import sheet_lineup
from campaigns.models import EntryStatus, ListLock, Round, RoundStatus
from campaigns.models.rounds import SharedTerms, limit_of, scenarios_of
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
from engine.records import (
    Fields,
    NamedValues,
    NumberByKey,
    TextByKey,
    Texts,
    frozen_dataclass,
)
from engine.roster import Roster, RosterEntry, in_force
from engine.types.lists import Army
from engine.types.systems import Scenario, System
from rulesdata import registry
from warbands import rulebook
from warbands.checks import check_roster
from warbands.exchange.document import shown
from warbands.sheet.build import sheet_of_check, with_findings
from warbands.sheet.frozen import SnapshotMismatch, from_json, to_json
from warbands.sheet.structure import RosterSheet


class RoundTerms(SharedTerms, Protocol):
    """What an event agrees on, of its row or of its record."""

    @property
    def system(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def house_rules(self) -> Mapping[str, bool]: ...
    @property
    def ruling_layers(self) -> NamedValues: ...
    @property
    def levels(self) -> NamedValues: ...


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

    def policy(self, allowed: Iterable[Allowance] = ()) -> Policy:
        """The event's levels with the waivers of one entry."""
        return Policy(self.levels, tuple(allowed))


@frozen_dataclass
class CheckedList:
    """A list as it would be handed in: its roster and sheet, and ``found`` before levels and
    waivers.
    """

    roster: Roster
    sheet: RosterSheet
    found: tuple[Finding, ...]


def load_terms(event: RoundTerms, round_row: Round) -> AgreedTerms:
    """What holds in a round. One query where its only scenario is a person's own, else none."""
    pool = scenarios_of(round_row, event)
    scenario = rulebook.load_scenario(event.system, pool[0]) if len(pool) == 1 else None
    limit = limit_of(round_row, event)
    system, held = registry.system_of(event), in_force(event.ruling_layers)
    return AgreedTerms(system, limit, scenario, event.house_rules, event.levels, held)


class ListPlayer(Protocol):
    """Who brings a list, of an entry's row or of its record."""

    @property
    def name(self) -> str: ...
    @property
    def joined(self) -> int: ...
    @property
    def status(self) -> str: ...


@frozen_dataclass
class ListSubmission:
    """A list that somebody wants to hand in: for which round, and what is there of theirs.

    ``is_over``: the event is. ``runs``: the one who hands it in is an organiser.
    """

    entry: ListPlayer
    round: Round
    lock: ListLock | None
    has_one_list: bool
    is_over: bool
    runs: bool

    @property
    def is_free(self) -> bool:
        """Whether the deadline binds nobody here.

        It binds no organiser, nobody whose list was unlocked, and nobody who came after the one
        deadline of the event and has handed in no list yet.
        """
        has_list = self.lock is not None and self.lock.snapshot_id is not None
        is_late = self.has_one_list and self.entry.joined > 1 and not has_list
        return any((self.runs, self.lock and self.lock.is_unlocked, is_late))


def list_refusal(asked: ListSubmission) -> Refusal | None:
    """Why a list is taken no more, and who can change that; None where it is."""
    name, row = asked.entry.name, asked.round
    is_closed = row.status == RoundStatus.CLOSED and not asked.has_one_list
    revealed = f"The lists of {row} are already revealed. Ask an organiser to unlock yours."
    # When the lists of a round were due; "" while there is time.
    due = row.lists_due_at
    if due is None or due > timezone.now():
        overdue = ""
    else:
        told = f"{timezone.localtime(due):%-d %B %Y, %H:%M}"
        overdue = f"Lists for {row} were due on {told}. Ask an organiser to unlock yours."
    reasons = (
        (asked.is_over, "round", "This event is finished and takes no more lists."),
        (
            asked.entry.status == EntryStatus.DROPPED,
            "entry",
            f"{name} dropped out. Rejoin first, then hand in a list.",
        ),
        (is_closed, "round", f"{row} is closed and takes no more lists."),
        (asked.is_free, "", ""),
        (row.lists_published_at is not None, "round", revealed),
        (bool(overdue), "round", overdue),
    )
    field, words = next(((at, said) for holds, at, said in reasons if holds), ("", ""))
    return Refusal(words, field=field) if words else None


class SystemTerms(Protocol):
    """What an event is played by, of its row or of its record."""

    @property
    def system(self) -> str: ...
    @property
    def variant(self) -> str: ...


def is_of_system(roster: Roster, event: SystemTerms) -> bool:
    """Whether a roster is of the system that an event plays, in its variant."""
    return (roster.system, roster.variant or "") == (event.system, event.variant)


def check_list(
    roster: Roster,
    agreed: AgreedTerms,
    allowed: Iterable[Allowance] = (),
    before: RosterSheet | None = None,
) -> CheckedList:
    """The roster under what the round agrees on.

    Raises Refusal for one of nobody, or of more than fit on a side.
    """
    taken = apply_terms(roster, agreed)
    system, army = registry.load_ruleset(taken)
    # The event's levels and waivers come last, so no scenario waives anything here.
    checked = check_roster(taken, system, army)
    found = checked.findings
    sheet = sheet_of_check(replace(checked, scenario=agreed.scenario))
    if not sheet.models:
        raise Refusal(
            f"{sheet.name} has no models. Add some, then hand it in.", field="warband"
        )
    with refused_at("warband"):
        sheet_lineup("a", sheet, army)
    # The core is compared with the list as it was handed in, not with the warband of today.
    if before is not None:
        found = (
            *found,
            *core_changed(Core(list_entries(before), list_entries(sheet))),
        )
    told = judged(found, agreed.scenario, agreed.policy(allowed))
    return CheckedList(taken, with_findings(sheet, told), found)


def apply_terms(roster: Roster, agreed: AgreedTerms) -> Roster:
    """The roster with the round's limit, house rules, rulings and scenario instead of its own."""
    return replace(
        roster,
        points_limit=roster.points_limit if agreed.limit is None else agreed.limit,
        scenario=agreed.scenario.key if agreed.scenario else None,
        house_rules={**roster.house_rules, **agreed.house_rules},
        rulings=agreed.rulings,
    )


def list_entries(sheet: RosterSheet) -> list[ListEntry]:
    """The entries of a sheet as the core looks at them."""
    return [
        ListEntry(one.id, one.profile_key, one.name or one.title, one.count)
        for one in sheet.warriors
    ]


def findings_to_json(found: Iterable[Finding]) -> list[Fields]:
    """Findings as a row keeps them; their fixes are for a warband that can still be changed."""
    return [to_json(replace(finding, fixes=())) for finding in found]


def findings_from_json(data: Sequence[Any]) -> tuple[Finding, ...]:
    """What a row keeps, those left out that this release cannot read any more."""
    found = []
    for one in data:
        try:
            found.append(from_json(one, Finding))
        except SnapshotMismatch:
            continue
    return tuple(found)


LEVELS: Texts = get_args(SetLevel)
# The kind of guideline that one warrior alone breaks and more warriors put right.
MENDED_BY_MORE = "total_under_limit"


@frozen_dataclass
class PolicyFault:
    """Why no list can meet a policy and what to do about it, and the field to do it in."""

    sentence: str
    field: str


def checked_levels(system: System, levels: Mapping[str, str]) -> TextByKey:
    """The levels an event sets anew.

    Raises Refusal for an unknown guideline or level, and for an army list's own.
    """
    known = {guideline.code: guideline for guideline in guidelines_of(system)}
    for code, level in levels.items():
        if code not in known:
            raise Refusal(
                f"{system.full_name} has no guideline {shown(code)}.", field="levels"
            )
        if level not in LEVELS:
            raise Refusal(
                f"{shown(level)} is no level; they are {', '.join(LEVELS)}.", field="levels"
            )
        if not known[code].is_waivable and level != known[code].level:
            title = known[code].title or code
            raise Refusal(
                f"“{title}” is a rule of the army lists and cannot be changed.",
                field="levels",
            )
    return {code: level for code, level in levels.items() if level != known[code].level}


def policy_fault(
    system: System, limit: int | None, levels: Mapping[str, str]
) -> PolicyFault | None:
    """What makes it impossible to bring any list without an error, or None.

    Reads the packs only, no database.

    The smallest lists are tried, one profile each. A policy passes as soon as one of them has no
    error.
    """
    policy = Policy(cast(Mapping[str, SetLevel], levels))
    codes: set[str] | None = None
    for army, roster in _smallest(system, limit):
        errors = {
            one.code
            for one in check(roster, system, army, policy=policy)
            if _counts(system, one)
        }
        if not errors:
            return None
        codes = errors if codes is None else codes & errors
    return None if codes is None else _fault_words(system, limit, codes)


def _smallest(system: System, limit: int | None) -> Iterator[tuple[Army, Roster]]:
    """Every list of one profile alone, of one model and of as many as a unit needs.

    What an army gives away with something else is left out, where others have a price.
    """
    # A guideline may ask for a unit of several, so one model alone may be in error.
    sizes = sorted(
        {1, *(g.parameters["minimum"] for g in system.guidelines if g.kind == "unit_small")}
    )
    for key in registry.armies_of(system.key):
        army = registry.load_army(system.key, key, system.variant)
        has_prices = any(profile.points for profile in army.profiles.values())
        hired = [
            key
            for key, profile in army.profiles.items()
            if profile.points or not has_prices
        ]
        for profile in hired:
            for size in sizes:
                alone = RosterEntry(profile, count=size, is_leader=bool(system.leader_name))
                yield (
                    army,
                    Roster(
                        system.key,
                        key,
                        points_limit=limit,
                        variant=system.variant,
                        warriors=(alone,),
                    ),
                )


def _counts(system: System, finding: Finding) -> bool:
    kinds = {guideline.code: guideline.kind for guideline in system.guidelines}
    return finding.level == "error" and kinds.get(finding.code) != MENDED_BY_MORE


def _fault_words(system: System, limit: int | None, codes: set[str]) -> PolicyFault:
    """What is wrong in words. ``codes`` are the errors that every list has."""
    broken = [guideline for guideline in system.guidelines if guideline.code in codes]
    kinds = {guideline.kind: guideline for guideline in broken}
    if outside := kinds.get("limit_outside"):
        low, high = outside.parameters["minimum"], outside.parameters["maximum"]
        sentence = (
            f"No list can meet this: “{outside.title}” is an error here and asks for a limit "
            f"from {low} to {high} "
            f"points, not {limit:,}. Change the limit, or make that guideline a warning."
        )
        return PolicyFault(sentence, "points_limit")
    if "total_over_limit" in kinds:
        cannot = f"the cheapest unit costs more than {limit:,}"
        sentence = f"No list can meet this: {cannot}. Raise the limit, or leave it empty."
        return PolicyFault(sentence, "points_limit")
    if not broken:
        sentence = (
            "No list can meet this: the rules exclude each other. Raise the limit, or set some "
            "rules to warnings."
        )
        return PolicyFault(sentence, "levels")
    names = " and ".join(f"“{guideline.title}”" for guideline in broken)
    return PolicyFault(
        f"No list can meet this: every list breaks {names}. Make that a warning.", "levels"
    )
