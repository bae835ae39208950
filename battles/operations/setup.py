"""Setting a battle up: who meets whom, each side locked as it is now.

A side without a list is taken by the player who brings one before anything is recorded.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from itertools import chain
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import is_club_member
from accounts.errors import Fault, FaultyDocument, NotFound, Refusal, WrongState
from accounts.owner import NOBODY, Owner
from accounts.queries.clubs import load_club_rulings
from battles import access
from battles.access import BattleCall
from battles.combatants import (
    SIDE_KEYS,
    SideLineup,
    field_of,
    from_locked,
    quick_lineup,
    sheet_lineup,
    to_locked,
)
from battles.hooks import battle_follower
from battles.models import (
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    SIDES_LEAST,
    SIDES_MOST,
    Battle,
    BattleCombatant,
    BattleSide,
    BattleVisibility,
    Snapshot,
)
from battles.operations.ownership import check_visibility, purge_when_due
from battles.operations.snapshots import check_not_archived, check_system, keep_snapshot
from battles.operations.transaction import lock_recordable_battle, write_battle
from battles.replay import rules_of, stored_state, totals_of
from engine.agreement import EDITION, in_force, layered
from engine.battles.event_fold import fold
from engine.battles.rules import BattleRules
from engine.records import (
    Fields,
    NamedValues,
    TextByKey,
    frozen_dataclass,
    is_int_within,
    named_values,
)
from engine.roster import Roster
from engine.types.systems import PART, Scenario, System
from rulesdata import registry
from rulesdata.agreements import checked_rulings
from warbands import rulebook
from warbands.exchange.document import clean_text, parse, shown, to_document
from warbands.operations import request_keys
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband, sheet_of_roster
from warbands.sheet.structure import RosterSheet

EARLIEST = date(1980, 1, 1)
# Columns of rows that have the names of what is locked.
_SIDE = ("key", "name", "army", "army_name", "is_quick", "size", "leadership", "points")
_COMBATANT = (
    *("name", "profile", "title", "warrior_id", "number"),
    *("wounds", "leadership", "is_leader", "points"),
)


@frozen_dataclass
class WarbandSide:
    """A warband that the actor may open, by its token."""

    token: str


@frozen_dataclass
class RosterSide:
    """A roster document, stored nowhere else."""

    document: Any


@frozen_dataclass
class QuickSide:
    """So many models without a roster, and their leader's Leadership where it is known."""

    name: str
    models: int
    leadership: int | None = None


SideChoice = WarbandSide | RosterSide | QuickSide


@frozen_dataclass
class OpenedBattle:
    """A battle that was set up. ``key`` lets its holder record."""

    token: str
    key: str
    is_repeat: bool = False


@frozen_dataclass
class LockedSide:
    """A side as it will be stored, with the warband and the sheet it came from, or the ``snapshot``
    taken before.

    ``owner`` is whose it is where that does not follow from the warband.
    """

    lineup: SideLineup
    warband: WarbandRecord | None = None
    roster: Roster | None = None
    sheet: RosterSheet | None = None
    snapshot: Snapshot | None = None
    owner: Owner | None = None


@frozen_dataclass
class BattleTerms:
    """What the sides of a battle agree on: rulings in their layers, and house rules."""

    rulings: NamedValues
    house_rules: Mapping[str, bool]


@frozen_dataclass
class BattleDraft:
    """A battle to be set up, as somebody asks for it.

    ``attacker`` and ``first`` are places in ``sides``; ``fought_date`` None is today.
    ``ruling_choices`` are the rulings of the battle alone.
    """

    system: str
    sides: Sequence[SideChoice]
    variant: str | None = None
    scenario: str | None = None
    attacker: int | None = None
    first: int | None = None
    house_rules: Mapping[str, bool] = field(default_factory=dict)
    ruling_choices: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    visibility: str = BattleVisibility.LINK
    club_id: int | None = None
    fought_date: date | None = None
    confirm_days: int = CONFIRM_DAYS


def open_battle(actor: Owner, draft: BattleDraft, *, request_key: str = "") -> OpenedBattle:
    """Set up a battle of two to eight sides, each locked as it is now.

    Nobody in particular may set one up too: whoever holds its key looks after it. Raises Refusal
    naming field and limit, NotFound for a warband the actor may not open, FaultyDocument for a
    roster document that cannot be read, KeyReused. The same ``request_key`` gives the same battle
    (not to nobody, who cannot be told from others).
    """
    sides = draft.sides
    system = recorded_system(draft.system, draft.variant)
    if not SIDES_LEAST <= len(sides) <= SIDES_MOST:
        raise Refusal(
            f"A battle has {SIDES_LEAST} to {SIDES_MOST} sides, not {len(sides)}.",
            field="sides",
        )
    _check_once(sides)
    columns = _checked_columns(actor, system, draft)
    terms = BattleTerms(columns["ruling_layers"], columns["house_rules"])
    # All who have no session would share their keys, and get battles of others.
    key = "" if actor.is_nobody else request_key
    printed = request_keys.fingerprint(
        "open_battle",
        {**columns, "fought_date": str(draft.fought_date)},
        [repr(side) for side in sides],
    )
    read = _lock_what_was_sent(actor, system, sides, terms)
    try:
        with transaction.atomic():
            if (earlier := request_keys.stored_answer(actor, key, printed)) is not None:
                return _repeat_answer(earlier["token"])
            lineups = [
                read.get(place) or _lock(actor, system, place, choice, terms)
                for place, choice in enumerate(sides)
            ]
            battle = insert_battle(actor, columns, number_same_names(lineups))
            request_keys.store_answer(actor, key, printed, {"token": battle.token})
    except IntegrityError:
        # The same request came twice at once and the other one was first.
        if (earlier := request_keys.stored_answer(actor, key, printed)) is None:
            raise
        return _repeat_answer(earlier["token"])
    # After the transaction: a purge that fails must not undo the battle.
    purge_when_due()
    return OpenedBattle(battle.token, battle.key)


def _checked_columns(actor: Owner, system: System, draft: BattleDraft) -> Fields:
    """Return the columns of the battle's row. Raises Refusal naming field and limit."""
    count = len(draft.sides)
    return {
        "system": system.key,
        "variant": system.variant or "",
        "note": clean_text("note", draft.note, NOTE_MAX, many_lines=True),
        "house_rules": checked_rules(system, draft.house_rules),
        "ruling_layers": layered(
            club=load_club_rulings(draft.club_id, system.address),
            battle=checked_rulings(system, draft.ruling_choices),
        ),
        "attacker": _checked_place("attacker", draft.attacker, count),
        "first": _checked_place("first", draft.first, count),
        "fought_date": _checked_date(draft.fought_date),
        "confirm_days": checked_days(draft.confirm_days),
        **_checked_scenario(actor, system, draft.scenario),
        **_checked_sharing(actor, draft.visibility, draft.club_id),
    }


def _repeat_answer(token: str) -> OpenedBattle:
    battle = Battle.objects.filter(token=token).only("token", "key").first()
    if battle is None:
        raise NotFound("battle")
    return OpenedBattle(battle.token, battle.key, is_repeat=True)


# Reading the sides


def _lock(
    actor: Owner, system: System, place: int, choice: SideChoice, terms: BattleTerms
) -> LockedSide:
    """One side as it is now, under what the battle agrees on.

    Every refusal names the place of the side, from 0.
    """
    path = f"sides[{place}]"
    try:
        if isinstance(choice, QuickSide):
            return LockedSide(
                quick_lineup(
                    SIDE_KEYS[place], choice.name, choice.models, choice.leadership
                )
            )
        if isinstance(choice, WarbandSide):
            record = _warband_to_lock(actor, system, choice.token)
            return lock_roster(place, record.roster, record, terms)
        return lock_roster(place, _roster_to_lock(system, choice.document), None, terms)
    except FaultyDocument as error:
        raise FaultyDocument(
            [
                Fault(f"{path}.roster.{f.path}".rstrip("."), f"{path}.roster: {f.message}")
                for f in error.faults
            ]
        ) from None
    except Refusal as refusal:
        # A lineup knows no places: it says "sides" for itself, and its own fields without a path.
        field = refusal.field.removeprefix("sides")
        raise Refusal(refusal.message, field=f"{path}.{field}" if field else path) from None


def _lock_what_was_sent(
    actor: Owner, system: System, sides: Sequence[SideChoice], terms: BattleTerms
) -> dict[int, LockedSide]:
    """Lock the sides that came with the request, by place.

    Before the transaction, for a document may be long and faulty; warbands are read within it.
    """
    return {
        place: _lock(actor, system, place, choice, terms)
        for place, choice in enumerate(sides)
        if not isinstance(choice, WarbandSide)
    }


def _warband_to_lock(actor: Owner, system: System, token: str) -> WarbandRecord:
    record = load_warband(actor, token)
    if record is None:
        raise Refusal(
            "There is no such warband, or it is not shared with you.", field="warband"
        )
    check_not_archived(record)
    check_system(system, record.roster, record.display_name, "warband")
    return record


def _roster_to_lock(system: System, document: Any) -> Roster:
    roster = parse(document)
    check_system(system, roster, "The roster", "roster.system")
    return roster


def lock_roster(
    place: int, roster: Roster, record: WarbandRecord | None, terms: BattleTerms
) -> LockedSide:
    """The side of a roster at that place, with the warband it is of, under what the battle agrees
    on: what the warband chose for itself does not count here.

    Raises Refusal for a roster of nobody.
    """
    # The sheet that is locked tells and prints what both sides agreed on.
    agreed = in_force(terms.rulings)
    roster = replace(roster, rulings=agreed, house_rules=dict(terms.house_rules))
    sheet = sheet_of_roster(roster)
    _, army = registry.load_ruleset(roster)
    return LockedSide(sheet_lineup(SIDE_KEYS[place], sheet, army), record, roster, sheet)


def _check_once(sides: Sequence[SideChoice]) -> None:
    """A warband stands on one side only, or its career would count the battle twice."""
    seen: set[str] = set()
    for place, side in enumerate(sides):
        if isinstance(side, WarbandSide):
            if side.token in seen:
                raise Refusal(
                    "This warband is already on another side.",
                    field=f"sides[{place}].warband",
                )
            seen.add(side.token)


def number_same_names(sides: Sequence[LockedSide]) -> list[LockedSide]:
    """The sides, numbered where two have the same name."""
    names = [side.lineup.name for side in sides]
    told = []
    for place, side in enumerate(sides):
        name = side.lineup.name
        if names.count(name) > 1:
            # Room for the number within the 200 characters of the column.
            name = f"{name[:190]} ({names[: place + 1].count(name)})"
        told.append(replace(side, lineup=replace(side.lineup, name=name)))
    return told


# Writing


def insert_battle(
    actor: Owner, columns: NamedValues, sides: Sequence[LockedSide]
) -> Battle:
    """The rows of a new battle whose columns were checked already. Call it within a transaction."""
    lineups = _with_parts(sides, str(columns["system"]), str(columns.get("scenario", "")))
    columns = {**columns, "rules_edition": EDITION}
    # A system without a recorder has tables for results alone, which is enough to set up.
    rules: BattleRules = registry.rules_of(Battle(**columns))
    state = fold(rules, field_of(lineups), [])
    stored = stored_state(state)
    battle = Battle.objects.create(
        **columns,
        owner_id=actor.user_id,
        owner_key=actor.key,
        locked=to_locked(lineups),
        state=stored,
        turn=state.turn,
        phase=state.phase,
    )
    rows = BattleSide.objects.bulk_create(
        BattleSide(battle=battle, position=place, **side_columns(side))
        for place, side in enumerate(sides)
    )
    BattleCombatant.objects.bulk_create(
        chain.from_iterable(
            combatant_rows(battle, row, lineup, stored)
            for row, lineup in zip(rows, lineups, strict=True)
        )
    )
    return battle


def _with_parts(
    sides: Sequence[LockedSide], system: str, scenario: str
) -> list[SideLineup]:
    """The lineups with the part that each plays in the scenario: the one its warband has chosen,
    else the next that is left.
    """
    # People's own scenarios have no rules of their own, so no parts either.
    found = registry.load_base(system).scenarios.get(scenario)
    if found is None:
        return [side.lineup for side in sides]
    chosen = _first_of_each([_chosen_part(side, found) for side in sides])
    parts = (str(side.get("id", "")) for side in found.sides)
    left = iter([part for part in parts if not part or part not in chosen])
    return [
        replace(side.lineup, part=part or next(left, ""))
        for side, part in zip(sides, chosen, strict=True)
    ]


def _first_of_each(parts: Sequence[str]) -> list[str]:
    """The parts, empty where one before has it already."""
    return [part if parts.index(part) == n else "" for n, part in enumerate(parts)]


def _chosen_part(side: LockedSide, scenario: Scenario) -> str:
    """The side of this scenario that a warband has chosen, or ""."""
    asked = side.roster.scenario if side.roster else None
    name, _, part = (asked or "").partition(PART)
    return part if name == scenario.key and part in scenario.parts else ""


def combatant_rows(
    battle: Battle, row: BattleSide, lineup: SideLineup, stored: NamedValues
) -> Iterator[BattleCombatant]:
    """The rows of a side's combatants, with their totals out of the stored state."""
    totals = totals_of(stored)
    for position, fighter in enumerate(lineup.fighters):
        yield BattleCombatant(
            battle=battle,
            side=row,
            position=position,
            key=fighter.id,
            miniatures=fighter.models,
            **named_values(fighter, *_COMBATANT),
            **totals[fighter.id],
        )


def side_columns(side: LockedSide) -> Fields:
    """The columns of a side's row, but for its battle and place. Keeps its snapshot."""
    warband, snapshot = side.warband, _snapshot(side)
    owner = side.owner or (
        Owner(warband.owner_id, warband.owner_key) if warband else NOBODY
    )
    return {
        "warband_id": warband.id if warband else snapshot.warband_id if snapshot else None,
        "owner_id": owner.user_id,
        "owner_key": owner.key,
        "snapshot": snapshot,
        **named_values(side.lineup, *_SIDE),
    }


def _snapshot(side: LockedSide) -> Snapshot | None:
    """What the side was locked with; None for a quick one."""
    if side.snapshot is not None:
        return side.snapshot
    if side.roster is None or side.sheet is None:
        return None
    warband = side.warband
    return keep_snapshot(
        to_document(side.roster),
        side.sheet,
        warband_id=warband.id if warband else None,
        version=warband.version if warband else 0,
    )


# Taking a side


def take_side(call: BattleCall, side_key: str, warband: str) -> None:
    """Put one of the actor's warbands in the place of a side without a list, which is theirs from
    then on.

    Only before anything is recorded. Raises NotFound, NotAllowed, Refusal, WrongState.
    """
    with transaction.atomic():
        battle = lock_recordable_battle(call)
        if battle.events_count or battle.results_count:
            raise WrongState("The battle has started. You can no longer change its sides.")
        if Battle.objects.filter(battle_follower().is_bound(), pk=battle.pk).exists():
            raise WrongState("The lists of this battle come from its event.")
        sides = list(battle.sides.order_by("position"))
        row = next((one for one in sides if one.key == side_key), None)
        if row is None:
            raise NotFound("side")
        if not row.is_quick or access.is_owned(row):
            raise Refusal("This side already has a list.", field="side")
        _write_side(battle, sides, row, call, warband)


def _write_side(
    battle: Battle, sides: list[BattleSide], row: BattleSide, call: BattleCall, warband: str
) -> None:
    """Lock the warband as it is now, in the place of the quick side, and fold the battle anew.

    The other sides stay as they are, with their names: whoever has the battle open knows them by
    these. Only the side that was taken is numbered where its name is another's already. Rulings and
    house rules are those the battle was set up with. The combatants of the quick side go with their
    totals, which are all of nothing, as nothing was recorded.
    """
    system = registry.load_system(battle.system, battle.variant or None)
    record = _warband_to_lock(call.actor, system, warband)
    if not record.may_change:
        raise Refusal("Choose one of your own warbands.", field="warband")
    if any(one.warband_id == record.id for one in sides):
        raise Refusal("This warband is already on another side.", field="warband")
    terms = BattleTerms(battle.ruling_layers, battle.house_rules)
    taken = lock_roster(row.position, record.roster, record, terms)
    lineups = [LockedSide(lineup) for lineup in from_locked(battle.locked)]
    part = lineups[row.position].lineup.part
    lineups[row.position] = replace(taken, lineup=replace(taken.lineup, part=part))
    numbered = number_same_names(lineups)
    # Only the side that was taken may get another name: the others are known by theirs.
    others = [
        replace(numbered[place], lineup=old.lineup)
        if place != row.position
        else numbered[place]
        for place, old in enumerate(lineups)
    ]
    told = [one.lineup for one in others]
    BattleSide.objects.filter(pk=row.pk).update(**side_columns(others[row.position]))
    row.combatants.all().delete()
    state = fold(rules_of(battle), field_of(told), [])
    stored = stored_state(state)
    BattleCombatant.objects.bulk_create(
        combatant_rows(battle, row, told[row.position], stored)
    )
    write_battle(battle, locked=to_locked(told), state=stored)


# Checking what was agreed


def recorded_system(key: str, variant: str | None) -> System:
    """Return a system whose battles can be recorded, in the variant asked for. Raises Refusal."""
    found = checked_system(key, variant)
    try:
        registry.battle_rules(key, variant)
    except registry.NoBattles as error:
        raise Refusal(str(error), field="system") from None
    return found


def checked_system(key: str, variant: str | None) -> System:
    """Return a system in the variant asked for. Raises Refusal where there is none."""
    try:
        base = registry.load_base(key)
    except registry.UnknownKey:
        known = ", ".join(registry.systems())
        raise Refusal(
            f"There is no rule system {shown(key)}; the systems are {known}.",
            field="system",
        ) from None
    try:
        return registry.load_system(key, variant)
    except registry.UnknownVariant:
        known = (
            f"choose one of {', '.join(base.variant_keys)}"
            if base.variants
            else "it has none"
        )
        asked = "no variant" if variant is None else shown(variant)
        raise Refusal(
            f"{asked} cannot be played with {base.name}; {known}.", field="variant"
        ) from None


def checked_rules(system: System, rules: Mapping[str, bool]) -> dict[str, bool]:
    """House rules of the system, each on or off; Refusal for any other."""
    known = {rule.key for rule in system.house_rules}
    for key, flag in rules.items():
        if key not in known:
            words = (
                f"the house rules are {', '.join(sorted(known))}"
                if known
                else "it has none"
            )
            raise Refusal(
                f"{system.name} has no house rule {shown(key)}; {words}.",
                field="house_rules",
            )
        if not isinstance(flag, bool):
            raise Refusal(
                f"The house rule {shown(key)} must be true or false.", field="house_rules"
            )
    return dict(rules)


def _checked_place(field: str, place: int | None, count: int) -> str:
    if place is None:
        return ""
    if not is_int_within(place, 0, count - 1):
        raise Refusal(
            f"{field} must be the place of a side, from 0 to {count - 1}, or null.",
            field=field,
        )
    return SIDE_KEYS[place]


def _checked_date(day: date | None) -> date:
    today = timezone.localdate()
    if day is None:
        return today
    # A day's grace: where the players are it may be tomorrow already.
    if day < EARLIEST or (day - today).days > 1:
        raise Refusal(
            f"The day of the battle must lie between {EARLIEST.isoformat()} and today.",
            field="fought_date",
        )
    return day


def checked_days(days: int) -> int:
    """The days the other side has to answer; Refusal outside 1 to 60."""
    if not is_int_within(days, 1, CONFIRM_DAYS_MAX):
        raise Refusal(
            f"The days to answer must be a whole number from 1 to {CONFIRM_DAYS_MAX}.",
            field="confirm_days",
        )
    return days


def _checked_scenario(actor: Owner, system: System, key: str | None) -> TextByKey:
    if not key:
        return {}
    # A battle is of the whole scenario; a warband alone plays one side of it.
    if PART in key or not rulebook.may_choose_scenario(actor, system.key, key):
        sentence = (
            f"{system.name} has no scenario {shown(key)}. Choose one of its list, or none."
        )
        raise Refusal(sentence, field="scenario")
    found = rulebook.load_scenario(system.key, key)
    return {"scenario": key, "scenario_name": found.name if found else ""}


def _checked_sharing(actor: Owner, visibility: str, club_id: int | None) -> Fields:
    check_visibility(visibility, is_claimed=actor.is_person)
    if club_id is not None and not is_club_member(actor, club_id):
        raise Refusal("Choose one of the clubs you belong to.", field="club_id")
    return {"visibility": visibility, "club_id": club_id}
