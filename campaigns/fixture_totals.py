"""What a fixture comes to: worked out anew from its battle, or from what an organiser decided.

Pure: no database.
"""

from collections.abc import Sequence
from datetime import datetime

from battles.combatants import LockedCombatant, SideLineup, from_locked
from battles.intake import totals_of
from battles.models import Battle, BattleStatus
from campaigns.models import Decision, Entry, Fixture, FixtureStatus
from engine.battles.battle_summary import summary
from engine.battles.rules import BattleRules
from engine.battles.types import Event, Field
from engine.records import Fields, NamedValues, frozen_dataclass

SIDES = ("a", "b", "c")
STATUSES = {
    BattleStatus.OPEN: FixtureStatus.OPEN,
    BattleStatus.PROPOSED: FixtureStatus.WAITING,
    BattleStatus.CONFIRMED: FixtureStatus.FINAL,
    BattleStatus.DISPUTED: FixtureStatus.DISPUTED,
    BattleStatus.VOID: FixtureStatus.VOID,
}
Faces = dict[str, dict[str, dict[str, int]]]


@frozen_dataclass
class SideFigures:
    """What one side lost and destroyed.

    ``is_recorded``: its battle knows, so nothing that was typed in counts.
    """

    out: int = 0
    destroyed: int = 0
    is_recorded: bool = False


def side_entries(fixture: Fixture) -> dict[str, int]:
    """The sides of a fixture's battle, and the id of the entry on each."""
    return dict(zip(SIDES, fixture.side_ids, strict=False))


def entries_by_side(fixture: Fixture) -> dict[str, Entry]:
    """The sides of a fixture's battle, and the entry on each."""
    return dict(zip(SIDES, fixture.sides, strict=False))


def side_keys(fixture: Fixture) -> dict[str, str]:
    """The entries of a fixture by their tokens, and the side of its battle that each one is on."""
    return {entry.token: key for key, entry in entries_by_side(fixture).items()}


def fixture_columns(
    fixture: Fixture, battle: Battle | None, first_told: datetime | None, dice: Faces
) -> Fields:
    """The columns of a fixture that hold totals.

    ``first_told`` is when its result was told first, ``dice`` what ``thrown_faces`` makes of its
    events.
    """
    nothing: Fields = {
        "waits_until": None,
        "winner_id": None,
        "how": "",
        "out_one": 0,
        "out_other": 0,
        "destroyed_one": 0,
        "destroyed_other": 0,
        "dice": {},
        "played_at": None,
    }
    if fixture.other_id is None or fixture.decision == Decision.UNPLAYED:
        return {**nothing, "status": FixtureStatus.FINAL}
    if fixture.decision == Decision.WALKOVER:
        return {
            **nothing,
            "status": FixtureStatus.FINAL,
            "winner_id": fixture.decided_for_id,
        }
    if battle is None:
        status = (
            FixtureStatus.ASKED
            if fixture.status == FixtureStatus.ASKED
            else FixtureStatus.OPEN
        )
        return {**nothing, "status": status}
    if battle.status == BattleStatus.OPEN:
        return {**nothing, "status": FixtureStatus.OPEN}
    figures = side_figures(battle, fixture.told)
    return {
        "status": STATUSES[BattleStatus(battle.status)],
        "waits_until": battle.confirm_by,
        "winner_id": side_entries(fixture).get(battle.winner),
        "how": battle.how,
        "out_one": figures["a"].out,
        "out_other": figures["b"].out,
        "destroyed_one": figures["a"].destroyed,
        "destroyed_other": figures["b"].destroyed,
        "dice": dice,
        "played_at": battle.ended_at or first_told,
    }


def side_figures(battle: Battle, told: NamedValues) -> dict[str, SideFigures]:
    """Each side's figures: as its battle recorded them, or as they were typed in where nobody
    recorded who went out.

    Points are what the models put out are worth; where the other side's have no price, what was
    typed in.
    """
    totals = totals_of(battle.state)
    lineups = from_locked(battle.locked)
    # What was typed in counts only where the record says nothing.
    typed = {side.key: _typed_figures(told.get(side.key, {})) for side in lineups}
    out = {side.key: _gone(side, totals) for side in lineups}
    # Where the record has nobody out, the players counted on the table instead.
    if not any(out.values()):
        return typed
    worth = {key: sum(one.points for one in gone) for key, gone in out.items()}
    unpriced = {side.key for side in lineups if side.points is None}
    found = {}
    for key, gone in out.items():
        destroyed = sum(worth.values()) - worth[key]
        if unpriced - {key}:
            destroyed = typed[key].destroyed
        found[key] = SideFigures(len(gone), destroyed, is_recorded=True)
    return found


def _gone(side: SideLineup, totals: NamedValues) -> list[LockedCombatant]:
    """Those of a side who were put out of action."""
    return [one for one in side.fighters if totals[one.id]["is_out"]]


def _typed_figures(typed: NamedValues) -> SideFigures:
    return SideFigures(int(typed.get("out") or 0), int(typed.get("destroyed") or 0))


def thrown_faces(rules: BattleRules, field: Field, log: Sequence[Event]) -> Faces:
    """The faces thrown in tests that pass or fail, by whoever threw them: side to die to face to
    how often.

    A die is told by its sides, "-" where low was good and "+" where high was.
    """
    found: Faces = {}
    for test in summary(rules, field, log).tests:
        passes = rules.tests[test.test].passes
        if passes not in ("at_most", "at_least"):
            continue
        for face, most in zip(test.dice, test.sides, strict=True):
            die = f"{most}{'-' if passes == 'at_most' else '+'}"
            faces = found.setdefault(test.thrower, {}).setdefault(die, {})
            faces[str(face)] = faces.get(str(face), 0) + 1
    return found
