"""The sides of a battle: each roster and its sheet locked as it is now, in a row that
never changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from accounts.errors import Fault, FaultyDocument, NotFound, Refusal, WrongState
from accounts.owner import NOBODY, Owner
from battles import access
from battles.access import BattleCall
from battles.combatants import (
    SIDE_KEYS,
    SideLineup,
    build_field,
    from_locked,
    quick_lineup,
    sheet_lineup,
    to_locked,
)
from battles.hooks import battle_follower
from battles.intake import combatant_totals, rules_of, stored_state
from battles.models import Battle, BattleCombatant, BattleSide, Snapshot
from battles.operations.log import charge_setup, lock_recordable_battle, write_battle
from engine.battles.event_fold import fold
from engine.records import Fields, NamedValues, frozen_dataclass, named_values
from engine.roster import Roster, in_force
from engine.types.systems import System
from rulesdata import registry
from warbands.exchange.document import parse, to_document
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband, sheet_of_roster
from warbands.sheet.frozen import sha256_of, to_json
from warbands.sheet.structure import RosterSheet

# A roster and its sheet as one row that never changes: what a battle locks, and what is
# handed in for a round.


def check_system(
    system: System, roster: Roster, name: str, field: str, what: str = "battle"
) -> None:
    """Raises Refusal where the roster is of another system or variant than this ``what``."""
    if (roster.system, roster.variant) != (system.key, system.variant):
        theirs = registry.system_of(roster).full_name
        raise Refusal(
            f"{name} is for {theirs}, and this {what} is {system.full_name}.", field=field
        )


def check_not_archived(warband: WarbandRecord) -> None:
    """Raises Refusal for a warband in the archive."""
    if warband.is_archived:
        raise Refusal(
            f"{warband.display_name} is archived. Restore it first.", field="warband"
        )


def keep_snapshot(
    document: NamedValues,
    sheet: RosterSheet,
    *,
    warband_id: int | None,
    version: int,
) -> Snapshot:
    """The roster document and its sheet as they are now; the row there is where this warband was
    frozen just so before.

    Whose it is and when it was printed are no part of it, and no part of its hash.
    """
    frozen = to_json(sheet)
    values = {
        "version": version,
        "document": dict(document),
        "sheet": frozen,
        "points": sheet.points,
        "miniatures": sheet.models,
    }
    printed = sha256_of(dict(document), frozen)
    if warband_id is None:
        return Snapshot.objects.create(hash=printed, **values)
    return Snapshot.objects.get_or_create(
        warband_id=warband_id, hash=printed, defaults=values
    )[0]


# The sides of a battle: each locked as it is now.
#
# A side without a list is taken by the player who brings one before anything is recorded.

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


# Locking


def lock_side(
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
        roster = parse(choice.document)
        check_system(system, roster, "The roster", "roster.system")
        return lock_roster(place, roster, None, terms)
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


def _warband_to_lock(actor: Owner, system: System, token: str) -> WarbandRecord:
    """Return a warband that the actor may open. Raises Refusal naming it."""
    record = load_warband(actor, token)
    if record is None:
        raise Refusal(
            "There is no such warband, or it is not shared with you.", field="warband"
        )
    check_not_archived(record)
    check_system(system, record.roster, record.display_name, "warband")
    return record


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
    lineup = sheet_lineup(SIDE_KEYS[place], sheet, *registry.load_ruleset(roster))
    return LockedSide(lineup, record, roster, sheet)


def number_same_names(sides: Sequence[LockedSide]) -> list[LockedSide]:
    """The sides, numbered where two have the same name."""
    names = [side.lineup.name for side in sides]
    return [
        replace(side, lineup=replace(side.lineup, name=_numbered_name(names, place)))
        for place, side in enumerate(sides)
    ]


def _numbered_name(names: Sequence[str], place: int) -> str:
    """The name of a side, with a number where another has the same."""
    name = names[place]
    if names.count(name) == 1:
        return name
    # Room for the number within the 200 characters of the column.
    return f"{name[:190]} ({names[: place + 1].count(name)})"


# Rows


def combatant_rows(
    battle: Battle, row: BattleSide, lineup: SideLineup, stored: NamedValues
) -> Iterator[BattleCombatant]:
    """The rows of a side's combatants, with their totals out of the stored state."""
    totals = combatant_totals(stored)
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
    warband, snapshot, owner = side.warband, side.snapshot, side.owner or NOBODY
    warband_id = snapshot.warband_id if snapshot else None
    version = 0
    if warband:
        warband_id, version = warband.id, warband.version
        owner = side.owner or Owner(warband.owner_id, warband.owner_key)
    if snapshot is None and side.roster and side.sheet:
        document = to_document(side.roster)
        snapshot = keep_snapshot(
            document, side.sheet, warband_id=warband_id, version=version
        )
    return {
        "warband_id": warband_id,
        "owner_id": owner.user_id,
        "owner_key": owner.key,
        "snapshot": snapshot,
        **named_values(side.lineup, *_SIDE),
    }


# Taking a side


def take_side(call: BattleCall, side_key: str, warband: str) -> None:
    """Put one of the actor's warbands in the place of a side without a list, which is theirs from
    then on.

    Only before anything is recorded. Raises NotFound, NotAllowed, Refusal, WrongState, ShareUsed,
    NoRoom.
    """
    with transaction.atomic():
        battle = lock_recordable_battle(call)
        if battle.events_count or battle.results_count:
            raise WrongState("The battle has started. You can no longer change its sides.")
        if Battle.objects.filter(battle_follower().is_bound(), pk=battle.pk).exists():
            raise WrongState("The lists of this battle come from its event.")
        sides = list(battle.sides.order_by("position"))
        row = next((side for side in sides if side.key == side_key), None)
        if row is None:
            raise NotFound("side")
        if not row.is_quick or access.is_owned(row):
            raise Refusal("This side already has a list.", field="side")
        _write_side(battle, sides, row, call, warband)
        charge_setup(battle, call.address)


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
    if any(other.warband_id == record.id for other in sides):
        raise Refusal("This warband is already on another side.", field="warband")
    terms = BattleTerms(battle.ruling_layers, battle.house_rules)
    side = lock_roster(row.position, record.roster, record, terms)
    lineups, place = list(from_locked(battle.locked)), row.position
    lineup = replace(side.lineup, part=lineups[place].part)
    names = [lineup.name if n == place else old.name for n, old in enumerate(lineups)]
    # Only the side that was taken may get another name: the others are known by theirs.
    lineups[place] = lineup = replace(lineup, name=_numbered_name(names, place))
    columns = side_columns(replace(side, lineup=lineup))
    BattleSide.objects.filter(pk=row.pk).update(**columns)
    row.combatants.all().delete()
    stored = stored_state(fold(rules_of(battle), build_field(lineups), []))
    BattleCombatant.objects.bulk_create(combatant_rows(battle, row, lineup, stored))
    write_battle(battle, locked=to_locked(lineups), state=stored)
