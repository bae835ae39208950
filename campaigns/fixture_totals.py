"""What a fixture comes to: worked out anew from its battle, or from what an organiser decided.

Pure: no database.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from battles.combatants import SIDE_KEYS, from_locked
from battles.intake import combatant_totals
from battles.models import Battle, BattleStatus
from campaigns.models import Decision, Entry, Fixture, FixtureStatus
from engine.battles.battle_summary import summary
from engine.battles.rules import BattleRules
from engine.battles.types import Event, Field
from engine.records import Fields, NamedValues, frozen_dataclass

STATUSES = {
    BattleStatus.OPEN: FixtureStatus.OPEN,
    BattleStatus.PROPOSED: FixtureStatus.WAITING,
    BattleStatus.CONFIRMED: FixtureStatus.FINAL,
    BattleStatus.DISPUTED: FixtureStatus.DISPUTED,
    BattleStatus.VOID: FixtureStatus.VOID,
}
BEFORE = "before"
"""Beside what was typed in of each side: what was before each step of the result that changed it."""
UNDONE_MOST = 20
"""How many of these steps are kept."""
OUT, DESTROYED, SCORE = (
    tuple(f"{figure}_{place}" for place in ("one", "other", "third"))
    for figure in ("out", "destroyed", "score")
)
"""The columns of each side's figures, in the order of sides."""
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
    return dict(zip(SIDE_KEYS, fixture.ids, strict=False))


def entries_by_side(fixture: Fixture) -> dict[str, Entry]:
    """The sides of a fixture's battle, and the entry on each."""
    return dict(zip(SIDE_KEYS, fixture.sides, strict=False))


def side_keys(fixture: Fixture) -> dict[str, str]:
    """The entries of a fixture by their tokens, and the side of its battle that each one is on."""
    return {entry.token: key for key, entry in entries_by_side(fixture).items()}


def fixture_columns(
    fixture: Fixture, battle: Battle | None, reported_at: datetime | None, dice: Faces
) -> Fields:
    """The columns of a fixture that hold totals.

    ``reported_at`` is when its result was reported first, ``dice`` what ``thrown_faces`` makes of its
    events.
    """
    columns: Fields = {
        "status": FixtureStatus.FINAL,
        "waits_until": None,
        "winner_id": None,
        "how": "",
        **dict.fromkeys(chain(OUT, DESTROYED), 0),
        **dict.fromkeys(SCORE),
        "dice": {},
        "played_at": None,
    }
    if fixture.other_id is None or fixture.decision == Decision.UNPLAYED:
        return columns
    if fixture.decision == Decision.WALKOVER:
        return columns | {"winner_id": fixture.decided_for_id}
    if battle is None and fixture.status == FixtureStatus.ASKED:
        return columns | {"status": FixtureStatus.ASKED}
    if battle is None or battle.status == BattleStatus.OPEN:
        return columns | {"status": FixtureStatus.OPEN}
    figures = side_figures(battle, fixture.told)
    for key, *names in zip(figures, OUT, DESTROYED, SCORE, strict=False):
        side = figures[key]
        scored = fixture.told.get(key, {}).get("score")
        columns.update(zip(names, (side.out, side.destroyed, scored), strict=True))
    return columns | {
        "status": STATUSES[BattleStatus(battle.status)],
        "waits_until": battle.confirm_by,
        "winner_id": side_entries(fixture).get(battle.winner),
        "how": battle.how,
        "dice": dice,
        "played_at": battle.ended_at or reported_at,
    }


def side_figures(battle: Battle, reported: NamedValues) -> dict[str, SideFigures]:
    """Each side's figures: as its battle recorded them, or as they were typed in where nobody
    recorded who went out.

    Points are what the models put out are worth; where the other side's have no price, and of
    three sides, what was typed in.
    """
    totals = combatant_totals(battle.state)
    lineups = from_locked(battle.locked)
    typed, out = {}, {}
    unpriced = set()
    # Of three sides nobody knows who put out whom.
    knows_who = len(lineups) == 2
    for side in lineups:
        if side.points is None or not knows_who:
            unpriced.add(side.key)
        typed[side.key] = _typed_figures(reported.get(side.key, {}))
        out[side.key] = [model for model in side.fighters if totals[model.id]["is_out"]]
    # Where the record has nobody out, the players counted on the table instead.
    if not any(out.values()):
        return typed
    worth = {key: sum(model.points for model in models) for key, models in out.items()}
    recorded = {}
    for key, models in out.items():
        destroyed = sum(worth.values()) - worth[key]
        if unpriced - {key}:
            destroyed = typed[key].destroyed
        recorded[key] = SideFigures(len(models), destroyed, is_recorded=True)
    return recorded


def _typed_figures(figures: NamedValues) -> SideFigures:
    """What was typed in of a side; nothing is 0."""
    return SideFigures(int(figures.get("out") or 0), int(figures.get("destroyed") or 0))


def thrown_faces(rules: BattleRules, field: Field, log: Sequence[Event]) -> Faces:
    """The faces thrown in tests that pass or fail, by whoever threw them: side to die to face to
    how often.

    A die is written by its sides, "-" where low was good and "+" where high was.
    """
    counts: Faces = {}
    signs = {"at_most": "-", "at_least": "+"}
    for test in summary(rules, field, log).tests:
        sign = signs.get(rules.tests[test.test].passes)
        if sign is None:
            continue
        for face, sides in zip(test.dice, test.sides, strict=True):
            faces = counts.setdefault(test.thrower, {}).setdefault(f"{sides}{sign}", {})
            faces[str(face)] = faces.get(str(face), 0) + 1
    return counts
