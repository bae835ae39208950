"""What a step of the result would change, told before it is taken: the result, both records, each
warrior's career.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from accounts.errors import NotFound, Refusal
from battles import access, result_rules, results
from battles.access import BattleCall
from battles.combatants import LockedCombatant, field_of
from battles.hooks import battle_follower
from battles.intake import (
    classify_events,
    log_of,
    rules_of,
    stored_state,
    totals_of,
    with_verdict,
)
from battles.models import Battle, BattleSide, BattleStatus, ResultVerb
from battles.queries.battles import BattleRows, find_battle
from battles.queries.careers import (
    counted_sides,
    totals_of_outcome,
    totals_of_side,
    totals_of_warriors,
)
from battles.result_rules import NOTHING_SAID, Claim
from battles.results import (
    NO_TOTALS,
    CareerTotals,
    Consequences,
    LaterBattle,
    ResultState,
    TallyChange,
)
from engine.battles.rules import BattleRules
from engine.records import NamedValues, copy_fields, grouped

LATER_MAX = 20


def preview_consequences(
    call: BattleCall, verb: str, claim: Claim = NOTHING_SAID, events: Sequence[Any] = ()
) -> Consequences:
    """Everything this step would change, without taking it; the arguments are those of the
    operation.

    A fixed number of queries: eight, two more about a club, three more for a battle that counts in
    one of its events, eight more in a campaign whose warbands grow.

    Raises what the operation would raise.
    """
    found = find_battle(call.actor, call.token, call.key, timezone.now())
    if found is None:
        raise NotFound("battle")
    call.check_seen(found.battle)
    rules, old = rules_of(found.battle), found.table.standing
    # A preview may be asked for before the reason is written.
    claim = result_rules.checked_claim(verb, replace(claim, reason=claim.reason or "-"))
    entry = result_rules.plan(verb, found.table, claim)
    before, after = _states(found, events)
    # What a dispute claims becomes no result, so a preview does not look at it.
    if verb != ResultVerb.DISPUTE:
        sides = [row.key for row in found.sides]
        entry = result_rules.with_outcome(entry, claim, after, rules=rules, sides=sides)
    new = results.after(old, entry)
    changes = _Changes(found, (old, before), (new, after))
    warbands, warriors = changes.of_warbands(), changes.of_warriors()
    return Consequences(
        verb=verb,
        before=(old.status, old.winner or None, old.how),
        after=(new.status, new.winner or None, new.how),
        sentences=(
            _result_sentence(_words(found, rules, old), _words(found, rules, new)),
            *_sentences(new, warbands, warriors),
        ),
        warbands=warbands,
        warriors=warriors,
        later=_later_battles(found),
        confirm_by=new.confirm_by,
        standings=battle_follower().preview(call.actor, found.battle, new, after),
        growth=battle_follower().preview_growth(call.actor, found.battle, new, after),
    )


def _states(found: BattleRows, events: Sequence[Any]) -> tuple[NamedValues, NamedValues]:
    """The stored state, and what it would be with these events.

    Raises Refusal for one that would be refused.
    """
    if not events:
        return found.battle.state, found.battle.state
    # What is previewed is folded beside the stored events and never written.
    log = replace(log_of(found.battle), field=field_of(found.lineups))
    batch = classify_events(log, events, found.table.now)
    state = log.state_with(batch.fresh)
    for place, answer in enumerate(with_verdict(answer, state) for answer in batch.answers):
        if answer.outcome == "refused":
            raise Refusal(
                f"Event {place + 1} would be refused: {answer.reason}",
                field=f"events[{place}]",
            )
    return found.battle.state, stored_state(state)


Moment = tuple[ResultState, NamedValues]  # a result and the stored state of its battle


class _Changes:
    """The records as they are, less what this battle adds to them now, and with what it would add."""

    def __init__(self, found: BattleRows, before: Moment, after: Moment) -> None:
        """Keep both moments, and load the sides that count now."""
        table = found.table
        self.sides = [row for row in found.sides if row.warband_id is not None]
        self.fighters = {side.key: side.fighters for side in found.lineups}
        self.before, self.after = before, after
        warbands = [row.warband_id or 0 for row in self.sides]
        self.counted = counted_sides(table.actor, warbands, table.now)

    def of_warbands(self) -> tuple[TallyChange, ...]:
        """Return the warbands whose record changes."""
        records: dict[int | None, CareerTotals] = {}
        for side in self.counted:
            old = records.get(side.warband_id, NO_TOTALS)
            records[side.warband_id] = old + totals_of_side(side)
        changes = [
            self._change(
                row,
                row.name,
                records.get(row.warband_id, NO_TOTALS),
                self.fighters[row.key],
            )
            for row in self.sides
        ]
        return tuple(change for change in changes if change.before != change.after)

    def of_warriors(self) -> tuple[TallyChange, ...]:
        """Return the warriors whose record changes; quick models have none."""
        changes = []
        careers = totals_of_warriors(self.counted)
        for row in self.sides:
            members = careers.get(row.warband_id or 0, {})
            for fighter in self.fighters[row.key]:
                if fighter.warrior_id is not None:
                    old = members.get((fighter.warrior_id, fighter.number), NO_TOTALS)
                    change = self._change(row, fighter.name, old, (fighter,))
                    changes.append(replace(change, warrior_id=fighter.warrior_id))
        return tuple(change for change in changes if change.before != change.after)

    def _change(
        self,
        row: BattleSide,
        name: str,
        old: CareerTotals,
        fighters: Sequence[LockedCombatant],
    ) -> TallyChange:
        """Return what the step makes of a record that these combatants of a side add to."""
        added, adds = (
            _added(row.key, fighters, moment) for moment in (self.before, self.after)
        )
        return TallyChange(row.key, name, old, old - added + adds)


def _added(side: str, fighters: Sequence[LockedCombatant], moment: Moment) -> CareerTotals:
    """Return what a battle adds to the record of its side, or of some combatants of it."""
    standing, state = moment
    if not standing.stands:
        return NO_TOTALS
    totals = totals_of(state)
    ones = [totals[fighter.id] for fighter in fighters]
    kills, out = (sum(one[column] for one in ones) for column in ("kills", "is_out"))
    return totals_of_outcome(standing.winner, side, kills, out)


def _sentences(
    new: ResultState, warbands: Sequence[TallyChange], warriors: Sequence[TallyChange]
) -> list[str]:
    """Return what a step changes in sentences: confirmation, warbands, then models."""
    words = []
    if new.status == BattleStatus.PROPOSED:
        words.append("Your opponent must confirm it.")
    words += [
        f"{change.name}: {change.after.words} (was {change.before.words})."
        for change in warbands
        if change.after.words != change.before.words
    ]
    if warriors:
        count = len(warriors)
        words.append(f"{count} battle record{'' if count == 1 else 's'} of models changed.")
    elif not warbands:
        words.append("No battle records change.")
    return words


def _result_sentence(old: str, new: str) -> str:
    """Return what the result becomes, and what it was where that is something else."""
    return f"Result: {new}, as before." if new == old else f"Result: {new} (was {old})."


def _words(found: BattleRows, rules: BattleRules, standing: ResultState) -> str:
    """A result in a phrase: "confirmed, Night Watch won, conceded"."""
    status = str(BattleStatus(standing.status).label).lower()
    if standing.status in (BattleStatus.OPEN, BattleStatus.VOID):
        return status
    name = found.table.name(standing.winner) if standing.winner else ""
    return f"{status}, {results.outcome_words(rules.endings.get(standing.how), name)}"


def _later_battles(found: BattleRows) -> tuple[LaterBattle, ...]:
    """Later battles of the same warbands: what they locked stays as it is. Two queries."""
    sides: dict[int | None, str] = {
        row.warband_id: row.key for row in found.sides if row.warband_id
    }
    visible = Battle.objects.filter(
        access.listed_to(found.table.actor), pk__gt=found.battle.pk
    )
    rows = BattleSide.objects.filter(warband__in=list(sides), battle__in=visible)
    later = list(
        rows.select_related("battle")
        .defer("battle__locked", "battle__state")
        .order_by("battle_id")[:LATER_MAX]
    )
    others = BattleSide.objects.filter(
        battle__in=[row.battle_id for row in later]
    ).order_by("battle_id", "position")
    names = grouped(others.values_list("battle_id", "name"))
    return tuple(
        copy_fields(
            LaterBattle,
            row.battle,
            side=sides.get(row.warband_id, ""),
            title=" against ".join(names.get(row.battle_id, ())),
        )
        for row in later
    )
