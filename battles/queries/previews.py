"""What a step of the result would change, told before it is taken: the result, both records, each
warrior's career.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from accounts.errors import NotFound, Refusal, StaleResult
from accounts.owner import Owner
from battles import access, results
from battles.combatants import LockedCombatant, from_locked
from battles.hooks import Member, battle_follower
from battles.intake import classify_events, with_verdict
from battles.models import Battle, BattleSide, BattleStatus, ResultVerb
from battles.queries.battles import BattleRows, find_battle
from battles.queries.careers import (
    counted_sides,
    totals_of_outcome,
    totals_of_side,
    totals_of_warriors,
)
from battles.replay import log_of, rules_of, stored_state, totals_of
from battles.results import Claim, ResultState
from battles.tallies import CareerTotals, Consequences, LaterBattle, TallyChange
from engine.battles.rules import BattleRules

LATER_MAX = 20


def preview_consequences(
    actor: Owner,
    token: str,
    key: str = "",
    *,
    verb: str,
    winner: str | None = None,
    how: str = "",
    reason: str = "",
    side: str = "",
    events: Sequence[Any] = (),
    expected: int | None = None,
) -> Consequences:
    """Everything this step would change, without taking it; the arguments are those of the
    operation.

    A fixed number of queries: eight, two more about a club, three more for a battle that counts in
    one of its events. Raises what the operation would raise.
    """
    now = timezone.now()
    found = find_battle(actor, token, key, now)
    if found is None:
        raise NotFound("battle")
    if expected is not None and expected != found.battle.results_count:
        raise StaleResult(found.battle.results_count, expected)
    rules = rules_of(found.battle)
    # A preview may be asked for before the reason is written.
    claim = results.checked_claim(verb, Claim(winner, how, reason or "-", side))
    entry = results.plan(verb, found.table, claim)
    before, after = _states(found, events)
    if verb in (ResultVerb.PROPOSE, ResultVerb.CORRECT):
        said = (winner, how) if how else results.recorded_outcome(after)
        won, how = results.checked_outcome(rules, [row.key for row in found.sides], *said)
        entry = replace(entry, winner=won, how=how)
    old = found.table.standing
    new = results.after(old, entry)
    changes = _Changes(actor, found, (old, before), (new, after))
    warbands, warriors = changes.of_warbands(), changes.of_warriors()
    return Consequences(
        verb=verb,
        before=_result_facts(old),
        after=_result_facts(new),
        sentences=(_result_sentence(found, rules, old, new), *_sentences(new, warbands, warriors)),
        warbands=warbands,
        warriors=warriors,
        later=_later_battles(actor, found),
        confirm_by=new.confirm_by,
        standings=battle_follower().preview(actor, found.battle, new, after),
    )


def _states(
    found: BattleRows, events: Sequence[Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The stored state, and what it would be with these events.

    Raises Refusal for one that would be refused.
    """
    if not events:
        return found.battle.state, found.battle.state
    log = log_of(found.battle)
    batch = classify_events(log, events, found.table.now)
    state = log.state_with(batch.fresh)
    for place, answer in enumerate(with_verdict(answer, state) for answer in batch.answers):
        if answer.outcome == "refused":
            raise Refusal(
                f"Event {place + 1} would be refused: {answer.reason}", field=f"events[{place}]"
            )
    return found.battle.state, stored_state(state)


def _result_facts(standing: ResultState) -> tuple[str, str | None, str]:
    return str(standing.status), standing.winner or None, standing.how


class _Changes:
    """The records as they are, less what this battle adds to them now, and with what it would add."""

    def __init__(
        self,
        actor: Owner,
        found: BattleRows,
        before: tuple[ResultState, Mapping[str, Any]],
        after: tuple[ResultState, Mapping[str, Any]],
    ) -> None:
        self.sides = [row for row in found.sides if row.warband_id is not None]
        self.lineups = {lineup.key: lineup for lineup in from_locked(found.battle.locked)}
        self.before, self.after = before, after
        counted = counted_sides(
            actor, [row.warband_id for row in self.sides if row.warband_id], found.table.now
        )
        self.records: dict[int, CareerTotals] = {}
        for side in counted:
            pk = side.warband_id or 0
            self.records[pk] = self.records.get(pk, CareerTotals()) + totals_of_side(side)
        self.careers = totals_of_warriors(counted)

    def of_warbands(self) -> tuple[TallyChange, ...]:
        changes = []
        for row in self.sides:
            old = self.records.get(row.warband_id or 0, CareerTotals())
            new = old - self._adds(row, self.before) + self._adds(row, self.after)
            changes.append(TallyChange(row.key, row.name, old, new))
        return tuple(change for change in changes if change.before != change.after)

    def of_warriors(self) -> tuple[TallyChange, ...]:
        changes = []
        for row in self.sides:
            members = self.careers.get(row.warband_id or 0, {})
            for fighter in self.lineups[row.key].fighters:
                if fighter.warrior_id is None:
                    continue
                member: Member = (fighter.warrior_id, fighter.number)
                old = members.get(member, CareerTotals())
                new = (
                    old
                    - self._adds_one(row, fighter, self.before)
                    + self._adds_one(row, fighter, self.after)
                )
                changes.append(TallyChange(row.key, fighter.name, old, new, fighter.warrior_id))
        return tuple(change for change in changes if change.before != change.after)

    def _adds(self, row: BattleSide, moment: tuple[ResultState, Mapping[str, Any]]) -> CareerTotals:
        standing, state = moment
        if not standing.stands:
            return CareerTotals()
        totals = totals_of(state)
        ones = [totals[fighter.id] for fighter in self.lineups[row.key].fighters]
        extra = CareerTotals(
            kills=sum(one["kills"] for one in ones), out=sum(one["is_out"] for one in ones)
        )
        return totals_of_outcome(standing.winner, row.key) + extra

    def _adds_one(
        self,
        row: BattleSide,
        fighter: LockedCombatant,
        moment: tuple[ResultState, Mapping[str, Any]],
    ) -> CareerTotals:
        standing, state = moment
        if not standing.stands:
            return CareerTotals()
        one = totals_of(state)[fighter.id]
        return totals_of_outcome(standing.winner, row.key) + CareerTotals(
            kills=one["kills"], out=int(one["is_out"])
        )


def _result_sentence(
    found: BattleRows, rules: BattleRules, old: ResultState, new: ResultState
) -> str:
    return f"Result: {_words(found, rules, new)} instead of {_words(found, rules, old)}."


def _sentences(
    new: ResultState, warbands: Sequence[TallyChange], warriors: Sequence[TallyChange]
) -> list[str]:
    words = []
    if new.status == BattleStatus.PROPOSED:
        words.append("The other side is asked to confirm it.")
    words += [
        f"{change.name}: {change.after.words} instead of {change.before.words}."
        for change in warbands
    ]
    if warriors:
        count = len(warriors)
        words.append(f"{count} warrior{'' if count == 1 else 's'}: career changed.")
    elif not warbands:
        words.append("No record and no career changes.")
    return words


def _words(found: BattleRows, rules: BattleRules, standing: ResultState) -> str:
    """A result in a phrase: "confirmed, Night Watch won (Conceded)"."""
    status = str(BattleStatus(standing.status).label).lower()
    if standing.status in (BattleStatus.OPEN, BattleStatus.VOID):
        return status
    ending = rules.endings.get(standing.how)
    won = f"{found.table.name(standing.winner)} won" if standing.winner else "nobody won"
    return f"{status}, {won} ({ending.name if ending else standing.how})"


def _later_battles(actor: Owner, found: BattleRows) -> tuple[LaterBattle, ...]:
    """Later battles of the same warbands: what they locked stays as it is. Two queries."""
    sides: dict[int | None, str] = {
        row.warband_id: row.key for row in found.sides if row.warband_id
    }
    visible = Battle.objects.filter(access.listed_to(actor), pk__gt=found.battle.pk)
    rows = BattleSide.objects.filter(warband__in=list(sides), battle__in=visible)
    later = list(
        rows.select_related("battle")
        .defer("battle__locked", "battle__state")
        .order_by("battle_id")[:LATER_MAX]
    )
    names: dict[int, list[str]] = {}
    others = BattleSide.objects.filter(battle__in=[row.battle_id for row in later]).order_by(
        "battle_id", "position"
    )
    for battle_id, name in others.values_list("battle_id", "name"):
        names.setdefault(battle_id, []).append(name)
    return tuple(
        LaterBattle(
            side=sides.get(row.warband_id, ""),
            token=row.battle.token,
            title=" against ".join(names.get(row.battle_id, ())),
            fought_date=row.battle.fought_date,
        )
        for row in later
    )
