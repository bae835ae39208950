"""R27 of a fixture, and the quickest ways to say how one ended.

A round is put up by its rows: no draw is needed.
"""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from accounts.owner import Owner
from battles.combatants import from_locked
from battles.models import Battle, BattleStatus
from battles.results import ResultStep, fold_result
from campaigns.models import Decision, Fixture, FixtureStatus, Round, RoundStatus
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import ReportedResult, report_result
from campaigns.queries.records import Outcome
from tests.battles.ledger import faults as battle_faults
from tests.battles.steps import confirm_result
from tests.campaigns.leagues import League, player_of

WON = "conceded"
DREW = "drawn"
STATUS = {
    BattleStatus.OPEN: FixtureStatus.OPEN,
    BattleStatus.PROPOSED: FixtureStatus.WAITING,
    BattleStatus.CONFIRMED: FixtureStatus.FINAL,
    BattleStatus.DISPUTED: FixtureStatus.DISPUTED,
    BattleStatus.VOID: FixtureStatus.VOID,
}


def put_up(
    league: League, number: int, pairs: Sequence[Sequence[str]], **columns: Any
) -> list[Fixture]:
    """A published round of these fixtures by name: one is a bye, three are a table of three."""
    row, _ = Round.objects.get_or_create(event=league.event, number=number)
    Round.objects.filter(pk=row.pk).update(
        status=RoundStatus.PUBLISHED, published_at=timezone.now()
    )
    made = []
    for position, names in enumerate(pairs, 1):
        ids = [league.entry(name).pk for name in names] + [None] * (3 - len(names))
        sides = dict(zip(("one_id", "other_id", "third_id"), ids, strict=True))
        status = FixtureStatus.FINAL if len(names) == 1 else FixtureStatus.OPEN
        made.append(
            Fixture.objects.create(
                round=row, position=position, status=status, **sides, **columns
            )
        )
    return made


def report(
    league: League, fixture: Fixture, winner: str, *, by: Owner | None = None, **fields: Any
) -> ReportedResult:
    """How a fixture ended, told by the organiser or ``by``; without a winner a draw."""
    token = league.entry(winner).token if winner else ""
    fields.setdefault("how", WON if winner else DREW)
    asked = ChangeRequest(
        by or league.organiser,
        league.token,
        fields.pop("expected", None),
        fields.pop("reason", ""),
        fields.pop("request_key", ""),
    )
    return report_result(asked, fixture.token, Outcome(winner=token, **fields))


def agree(league: League, fixture: Fixture, winner: str, **fields: Any) -> None:
    """One of the two reports it and the other one confirms."""
    row = fresh(fixture)
    done = report(league, row, winner, by=player_of(row.one), **fields)
    assert row.other is not None
    confirm_result(player_of(row.other), done.battle)


def fresh(fixture: Fixture) -> Fixture:
    return Fixture.objects.select_related("one", "other", "third", "battle", "winner").get(
        pk=fixture.pk
    )


def faults(fixture: Fixture) -> list[str]:
    """Every stored total of a fixture that is not what its battle or its decision comes to; empty
    when all is well.
    """
    row = fresh(fixture)
    stored = (
        row.status,
        row.winner_id,
        row.how,
        row.waits_until,
        (row.out_one, row.out_other, row.destroyed_one, row.destroyed_other),
        row.played_at is not None,
    )
    wanted = _wanted(row)
    found = battle_faults(row.battle) if row.battle else []
    return found + ([] if stored == wanted else [f"{row}: {stored} and not {wanted}"])


def _wanted(row: Fixture) -> tuple[Any, ...]:
    nothing = (0, 0, 0, 0)
    if row.other_id is None or row.decision == Decision.UNPLAYED:
        return (FixtureStatus.FINAL, None, "", None, nothing, False)
    if row.decision == Decision.WALKOVER:
        return (FixtureStatus.FINAL, row.decided_for_id, "", None, nothing, False)
    if row.battle is None or not row.battle.results.exists():
        return (FixtureStatus.OPEN, None, "", None, nothing, False)
    standing = fold_result([_entry(step) for step in row.battle.results.order_by("number")])
    if standing.status == BattleStatus.OPEN:
        return (FixtureStatus.OPEN, None, "", None, nothing, False)
    entry = {"a": row.one_id, "b": row.other_id, "c": row.third_id}
    winner = entry.get(standing.winner)
    figures = _figures(row, row.battle)
    return (
        STATUS[BattleStatus(standing.status)], winner, standing.how, standing.confirm_by,
        figures, True,
    )  # fmt: skip


def _figures(row: Fixture, battle: Battle) -> tuple[int, int, int, int]:
    """Counted from the combatants' rows, or from what was typed in where none of them is out."""
    points = {
        one.id: one.points for side in from_locked(battle.locked) for one in side.fighters
    }
    gone = {
        key: list(battle.combatants.filter(side__key=key, is_out=True)) for key in "abc"
    }
    told = {key: row.told.get(key, {}) for key in "ab"}
    is_recorded = any(gone.values())
    priced = {side.key: side.points is not None for side in battle.sides.all()}
    out = {
        key: len(gone[key]) if is_recorded else told[key].get("out") or 0 for key in "ab"
    }
    destroyed = {}
    for key, other in (("a", "b"), ("b", "a")):
        worth = sum(points[one.key] for one in gone[other])
        destroyed[key] = (
            worth if is_recorded and priced[other] else told[key].get("destroyed") or 0
        )
    return (out["a"], out["b"], destroyed["a"], destroyed["b"])


def _entry(step: Any) -> ResultStep:
    names = ("verb", "side", "winner", "how", "reason", "confirm_by", "at")
    return ResultStep(**{name: getattr(step, name) for name in names})
