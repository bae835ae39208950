"""What a step of the result would change, told before it is taken: the result, both records, each
warrior's career.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from accounts.errors import NotFound, Refusal
from battles import access, result_rules, results
from battles.access import BattleCall
from battles.combatants import LockedCombatant, build_field
from battles.hooks import battle_follower
from battles.intake import (
    classify_events,
    combatant_totals,
    load_log,
    rules_of,
    stored_state,
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
    ResultState,
    TallyChange,
)
from engine.battles.rules import BattleRules
from engine.records import Fields, NamedValues, grouped, named_values

LATER_MAX = 20


def preview_consequences(
    call: BattleCall, verb: str, claim: Claim = NOTHING_SAID, events: Sequence[Any] = ()
) -> Fields:
    """Everything this step would change, without taking it; the arguments are those of the
    operation.

    ``before`` and ``after`` are status, winner's key or None, and how. ``standings`` is what moves
    in the table of the event it counts in, None where it counts in none that the reader may see;
    ``growth`` what moves in a campaign whose warbands grow, None elsewhere. ``later`` are battles
    of the same warbands, whose snapshots stay as they were locked.

    A fixed number of queries: eight, two more about a club, three more for a battle that counts in
    one of its events, eight more in a campaign whose warbands grow.

    Raises what the operation would raise.
    """
    rows = find_battle(call.actor, call.token, call.key)
    if rows is None:
        raise NotFound("battle")
    call.check_seen(rows.battle)
    rules, old = rules_of(rows.battle), rows.context.standing
    # A preview may be asked for before the reason is written.
    claim = result_rules.checked_claim(verb, replace(claim, reason=claim.reason or "-"))
    entry = result_rules.plan(verb, rows.context, claim)
    before = rows.battle.state
    after = _state_with(rows, events) if events else before
    # What a dispute claims becomes no result, so a preview does not look at it.
    if verb != ResultVerb.DISPUTE:
        sides = [row.key for row in rows.sides]
        entry = result_rules.with_outcome(entry, claim, after, rules=rules, sides=sides)
    new = results.after(old, entry)
    warbands, warriors = _tally_changes(rows, ((old, before), (new, after)))
    result, previous = (_describe(rows, rules, standing) for standing in (new, old))
    before_and_after = [
        {"status": each.status, "winner": each.winner or None, "how": each.how}
        for each in (old, new)
    ]
    change = ", as before" if result == previous else f" (was {previous})"
    follower, step = battle_follower(), (call.actor, rows.battle, new, after)
    return {
        "preview": True,
        "before": before_and_after[0],
        "after": before_and_after[1],
        "sentences": [
            f"Result: {result}{change}.",
            *_sentences(new, warbands, warriors),
        ],
        "warbands": warbands,
        "warriors": warriors,
        "later": _later_battles(rows),
        "confirm_by": new.confirm_by,
        "standings": follower.preview(*step),
        "growth": follower.preview_growth(*step),
    }


def _state_with(rows: BattleRows, events: Sequence[Any]) -> NamedValues:
    """The state that is stored with these events too. Raises Refusal for one that is refused."""
    # What is previewed is folded beside the stored events and never written.
    log = replace(load_log(rows.battle), field=build_field(rows.lineups))
    answers, new = classify_events(log, events, rows.context.now)
    state = log.state_with(new)
    for place, answer in enumerate(with_verdict(answer, state) for answer in answers):
        if answer.outcome == "refused":
            raise Refusal(
                f"Event {place + 1} would be refused: {answer.reason}",
                field=f"events[{place}]",
            )
    return stored_state(state)


Moment = tuple[ResultState, NamedValues]  # a result and the stored state of its battle
Changes = tuple[TallyChange, ...]


def _tally_changes(
    rows: BattleRows, moments: tuple[Moment, Moment]
) -> tuple[Changes, Changes]:
    """The records of warbands, and of warriors, that a step changes; quick models have none."""
    warbands: list[TallyChange] = []
    warriors: list[TallyChange] = []
    sides = [row for row in rows.sides if row.warband_id is not None]
    warband_ids = [row.warband_id or 0 for row in sides]
    counted = counted_sides(rows.context.actor, warband_ids, rows.context.now)
    careers = totals_of_warriors(counted)
    fighters = {lineup.key: lineup.fighters for lineup in rows.lineups}
    for row in sides:
        members = fighters[row.key]
        totals = [
            totals_of_side(side) for side in counted if side.warband_id == row.warband_id
        ]
        before = sum(totals, NO_TOTALS)
        after = _change_totals(before, row.key, members, moments)
        warbands.append(TallyChange(row.key, row.name, before, after))
        career = careers.get(row.warband_id or 0, {})
        for member in members:
            if member.warrior_id is None:
                continue
            before = career.get((member.warrior_id, member.number), NO_TOTALS)
            after = _change_totals(before, row.key, [member], moments)
            change = TallyChange(row.key, member.name, before, after, member.warrior_id)
            warriors.append(change)
    return _drop_unchanged(warbands), _drop_unchanged(warriors)


def _drop_unchanged(changes: Sequence[TallyChange]) -> Changes:
    return tuple(change for change in changes if change.before != change.after)


def _change_totals(
    totals: CareerTotals,
    side: str,
    fighters: Sequence[LockedCombatant],
    moments: tuple[Moment, Moment],
) -> CareerTotals:
    """Return totals less what the battle adds to them now, and with what it would add."""
    (old, before), (new, after) = moments
    return totals - _added(side, fighters, old, before) + _added(side, fighters, new, after)


def _added(
    side: str, fighters: Sequence[LockedCombatant], result: ResultState, state: NamedValues
) -> CareerTotals:
    """Return what a battle adds to the record of its side, or of some combatants of it."""
    if not result.stands:
        return NO_TOTALS
    totals = combatant_totals(state)
    columns = [totals[fighter.id] for fighter in fighters]
    kills, out = (sum(row[name] for row in columns) for name in ("kills", "is_out"))
    return totals_of_outcome(result.winner, side, kills, out)


def _sentences(
    new: ResultState, warbands: Sequence[TallyChange], warriors: Sequence[TallyChange]
) -> list[str]:
    """Return what a step changes in sentences: confirmation, warbands, then models."""
    sentences = [
        f"{change.name}: {change.after.summary} (was {change.before.summary})."
        for change in warbands
        if change.after.summary != change.before.summary
    ]
    if new.status == BattleStatus.PROPOSED:
        sentences.insert(0, "Your opponent must confirm it.")
    if warriors:
        plural = "" if len(warriors) == 1 else "s"
        sentences.append(f"{len(warriors)} battle record{plural} of models changed.")
    elif not warbands:
        sentences.append("No battle records change.")
    return sentences


def _describe(rows: BattleRows, rules: BattleRules, standing: ResultState) -> str:
    """A result in a phrase: "confirmed, Night Watch won, conceded"."""
    status = str(BattleStatus(standing.status).label).lower()
    if standing.status in (BattleStatus.OPEN, BattleStatus.VOID):
        return status
    name = rows.context.name(standing.winner) if standing.winner else ""
    return f"{status}, {results.outcome_words(rules.endings.get(standing.how), name)}"


def _later_battles(rows: BattleRows) -> list[Fields]:
    """Later battles of the same warbands: what they locked stays as it is. Two queries."""
    sides: dict[int | None, str] = {
        row.warband_id: row.key for row in rows.sides if row.warband_id
    }
    visible = Battle.objects.filter(
        access.listed_to(rows.context.actor), pk__gt=rows.battle.pk
    )
    fought = BattleSide.objects.filter(warband__in=list(sides), battle__in=visible)
    later = list(
        fought.select_related("battle")
        .defer("battle__locked", "battle__state")
        .order_by("battle_id")[:LATER_MAX]
    )
    others = BattleSide.objects.filter(
        battle__in=[row.battle_id for row in later]
    ).order_by("battle_id", "position")
    names = grouped(others.values_list("battle_id", "name"))
    return [
        {
            **named_values(row.battle, "token", "fought_date"),
            "side": sides.get(row.warband_id, ""),
            "title": " against ".join(names.get(row.battle_id, ())),
        }
        for row in later
    ]
