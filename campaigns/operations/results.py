"""The result of a game: its battle set up, who fights, what its players report of it, and what
organisers accept.

Events are locked before battles and battles before fixtures, as the steps of a result lock them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from accounts.errors import NotFound, Refusal, WrongState
from accounts.owner import Owner
from battles.access import BattleCall
from battles.intake import rules_of
from battles.models import MODELS_MAX, Battle, BattleSide, BattleStatus, ResultVerb
from battles.operations.results import confirm_by_silence, report_after_battle, take_step
from battles.queries.battles import build_result, find_battle
from battles.result_rules import Claim
from campaigns.fixture_totals import BEFORE, UNDONE_MOST, entries_by_side, side_keys
from campaigns.growth.operations.ledger import check_grows_on
from campaigns.growth.operations.results import (
    EVERYBODY,
    FieldChoice,
    after_battle_report,
    merge_objectives,
)
from campaigns.growth.queries.ledger import load_ledger
from campaigns.models import (
    ENTRIES_MAX,
    SCORE_MAX,
    SHOWN,
    ClubEvent,
    Entry,
    Fixture,
    FixtureStatus,
)
from campaigns.operations.fixture_battles import create_fixture_battle
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    check_organises,
    idempotent,
    organised_event,
    readable_event,
)
from campaigns.operations.rounds import close_locked_round
from campaigns.operations.rows import organised_round, playable_fixture
from campaigns.queries.fixture_page import find_obstacle
from campaigns.queries.records import Outcome
from engine.growth.differences import GrowthDifference, difference
from engine.records import Fields, NumberByKey, frozen_dataclass, is_int_within
from engine.text import join_words
from rulesdata import registry
from warbands.exchange.document import shown
from warbands.operations import transaction as request_keys

DESTROYED_MAX = 100_000


def open_fixture(
    request: ChangeRequest, fixture: str, *, sizes: NumberByKey | None = None
) -> str:
    """The battle of a fixture, set up if there is none yet; returns its token.

    Each side is the list handed in for the round, else the warband as it is now, else a quick side
    of so many models (``sizes``, by the entry's token). By those who play it and by organisers.
    Raises NotFound, NotAllowed, Refusal.
    """
    with readable_event(request) as change:
        row = playable_fixture(change, fixture)
        return _ensure_battle(change, row, sizes or {}).token


@idempotent("field_fixture", answer="battle")
def field_fixture(change: LockedEvent, fixture: str, choice: FieldChoice) -> str:
    """Lock the battle of a campaign's game with those who fight; returns its token.

    By those who play it and by organisers. Raises WrongState where it is locked already, NotFound,
    NotAllowed, Stale, Refusal naming the field.
    """
    row = playable_fixture(change, fixture)
    if not change.event.growth_position:
        raise NotFound("growth")
    check_grows_on(change)
    change.request.check_position(change.event)
    if row.battle is not None:
        raise WrongState("The battle is locked already: those who fight stay.")
    return _ensure_battle(change, row, {}, choice).token


@frozen_dataclass
class ReportedResult:
    """What a report came to: the ``battle`` that holds the result, its status, and how many steps
    there are.

    ``is_repeat``: the same result was reported before, so nothing was added.
    """

    battle: str
    status: str
    number: int
    is_repeat: bool = False


def report_result(request: ChangeRequest, fixture: str, outcome: Outcome) -> ReportedResult:
    """How a fixture ended, by an ending of its battle's rules.

    A player's report waits for the opponent to confirm, an organiser's who does not play in it is
    final. A second report corrects the first, for a reason; the same one again confirms it where
    the actor may, and else changes nothing. The version expected is the fixture's. Raises NotFound,
    NotAllowed, Refusal naming the field, Stale, KeyReused.
    """
    actor, reason = request.actor, request.reason
    # Fingerprints are stored for a week: what goes into one, and in which order, stays.
    fingerprint = request_keys.fingerprint(
        "report_result",
        request.token,
        fixture,
        outcome.winner,
        outcome.how,
        outcome.figures,
        reason,
        request.expected,
        *([repr(outcome.growth)] * outcome.tells_growth),
    )
    with readable_event(request) as change:
        row = playable_fixture(change, fixture)
        # The lock comes first: of the same report sent twice at once, the second finds the answer.
        stored = request_keys.stored_answer(actor, request.key, fingerprint)
        if stored is not None:
            return ReportedResult(**stored)
        if not outcome.how:
            rules = registry.rules_of(change.event)
            how = rules.usual_ending(has_winner=bool(outcome.winner))
            outcome = replace(outcome, how=how)
        if row.battle and _is_reported(row, outcome) and not outcome.tells_growth:
            return _confirm_same(actor, row.battle)
        request.check_version(row)
        keys = side_keys(row)
        if outcome.winner and outcome.winner not in keys:
            raise Refusal(
                f"{shown(outcome.winner)} does not play in this game.", field="winner"
            )
        battle = _ensure_battle(change, row, {})
        _write_typed(row, battle, outcome)
        claim = Claim(keys.get(outcome.winner), outcome.how, reason)
        call = BattleCall(actor, battle.token)
        if outcome.fates is None:
            is_first = battle.status == BattleStatus.OPEN
            verb = ResultVerb.PROPOSE if is_first else ResultVerb.CORRECT
            step = take_step(call, verb, claim)
        else:
            report = after_battle_report(
                row, battle, outcome.fates, claim.winner, outcome.how
            )
            # Whoever may report the fixture may say who went out, whoever set the battle up.
            step = report_after_battle(replace(call, key=battle.key), report, reason)
        answer: Fields = {
            "battle": battle.token,
            "status": step.status,
            "number": step.results_count,
        }
        request_keys.store_answer(actor, request.key, fingerprint, answer)
    return ReportedResult(**answer)


def preview_result(
    request: ChangeRequest, fixture: str, outcome: Outcome
) -> GrowthDifference:
    """What a report would change in a campaign whose warbands grow. Nothing is written.

    Raises as `report_result`, and NotFound where warbands do not grow.
    """
    with readable_event(request) as change:
        before = load_ledger(change.event)
        # What is reported is thrown away with everything that followed from it.
        report_result(replace(request, key=""), fixture, outcome)
        after = load_ledger(change.event)
        transaction.set_rollback(True)
    return difference(before.state, after.state)


def _write_typed(row: Fixture, battle: Battle, outcome: Outcome) -> None:
    """Write what was typed in beside what was before each step, which an undo puts back.

    Raises Refusal naming the field and its limit.
    """
    previous = dict(row.told)
    history = previous.pop(BEFORE, [])
    reported = dict(previous)
    keys, entries = side_keys(row), entries_by_side(row)
    rows = BattleSide.objects.filter(battle=battle) if outcome.figures else ()
    sides = {side.key: side for side in rows}
    for token, figures in outcome.figures.items():
        if token not in keys:
            raise Refusal(f"{shown(token)} does not play in this game.", field="figures")
        key = keys[token]
        others = [side for other, side in sides.items() if other != key]
        _check_figures(row.round.event, entries[key], sides[key], others, figures)
        reported[key] = {**reported.get(key, {}), **figures}
    if outcome.objectives is not None or outcome.objective_by is not None:
        reported = merge_objectives(reported, keys, outcome)
    if reported != previous:
        # Whoever takes a step locks the battle before its fixture.
        locked = Battle.objects.select_for_update().get(pk=battle.pk)
        # Silence that is due is a step of its own, and comes first.
        confirm_by_silence(locked, timezone.now())
        before = {"step": locked.results_count + 1, "told": previous}
        row.told = {**reported, BEFORE: [*history, before][-UNDONE_MOST:]}
        Fixture.objects.filter(pk=row.pk).update(told=row.told)


REPORTED = (BattleStatus.PROPOSED, BattleStatus.CONFIRMED)


def _is_reported(fixture: Fixture, outcome: Outcome) -> bool:
    """Whether a fixture has this very result already: winner, ending, and figures typed in."""
    battle = fixture.battle
    if battle is None or battle.status not in REPORTED or fixture.decision:
        return False
    keys = side_keys(fixture)
    winner = keys.get(outcome.winner) if outcome.winner else ""
    if (battle.winner, battle.how) != (winner, outcome.how.replace("-", "_")):
        return False
    for token, figures in outcome.figures.items():
        # An empty figure is as good as none.
        stored = fixture.told.get(keys.get(token, ""), {})
        if token not in keys or any(
            stored.get(name) != value for name, value in figures.items()
        ):
            return False
    return True


def _confirm_same(actor: Owner, battle: Battle) -> ReportedResult:
    """The same result a second time: whoever may confirm it does; else it stays as it is."""
    rows = find_battle(actor, battle.token)
    if rows is not None and build_result(rows, rules_of(battle)).may["confirm"]:
        step = take_step(BattleCall(actor, battle.token), ResultVerb.CONFIRM)
        return ReportedResult(battle.token, step.status, step.results_count)
    return ReportedResult(battle.token, battle.status, battle.results_count, is_repeat=True)


def _ensure_battle(
    change: LockedEvent,
    fixture: Fixture,
    sizes: NumberByKey,
    choice: FieldChoice = EVERYBODY,
) -> Battle:
    """The battle of a fixture that was locked with its event.

    Raises WrongState where it cannot be played or reported now.
    """
    obstacle = find_obstacle(change.event, fixture.round, fixture, fixture.sides)
    if obstacle:
        raise WrongState(obstacle)
    # Whoever comes second records in the battle that the first one set up.
    if fixture.battle is None:
        fixture.battle = create_fixture_battle(change, fixture, sizes, choice)
        Fixture.objects.filter(pk=fixture.pk).update(battle=fixture.battle)
    return fixture.battle


def _check_figures(
    event: ClubEvent,
    entry: Entry,
    side: BattleSide,
    others: Sequence[BattleSide],
    figures: Mapping[str, int | None],
) -> None:
    """Raise Refusal for more models out, points destroyed or scored than there can be."""
    # Points are a limit only where every model on the other sides has a price.
    prices = [other.points for other in others if other.points is not None]
    is_priced = len(prices) == len(others)
    most = {
        # A quick side may have lost more models than it was set up with.
        "out": MODELS_MAX if side.is_quick else side.size,
        "destroyed": sum(prices) if is_priced else DESTROYED_MAX,
    }
    names = {
        "out": f"The models {entry.name} lost",
        "destroyed": f"The points {entry.name} destroyed",
    }
    if event.score_name:
        most["score"] = SCORE_MAX if event.score_max is None else event.score_max
        names["score"] = f"{event.score_name} of {entry.name}"
    for name, value in figures.items():
        if name not in most:
            raise Refusal(
                f"The figures are {join_words(list(most))}, not {shown(name)}.",
                field="figures",
            )
        if value is not None and not is_int_within(value, 0, most[name]):
            raise Refusal(
                f"{names[name]} must be a whole number from 0 to {most[name]:,}.",
                field=f"{name}_{side.key}",
            )


# An organiser accepts reported results: one, or all of a round, which may then be closed.
#
# Accepting does what confirming does: it is the same step of a result, taken for no side.
# A disputed result is accepted by itself, so that somebody looks at it. What silence has
# confirmed already is written down as such, and nothing is added to it.


def accept_result(request: ChangeRequest, fixture: str) -> None:
    """Confirm the reported result of a game, a disputed one too; by organisers.

    The version expected is the fixture's. What is confirmed already stays so. Raises NotFound,
    NotAllowed, Refusal where nothing was reported, Stale.
    """
    with readable_event(request) as change:
        check_organises(change)
        row = playable_fixture(change, fixture)
        # Two organisers may accept at once: the second one finds it done.
        if row.status == FixtureStatus.FINAL and not row.decision:
            return
        request.check_version(row)
        if row.status not in (FixtureStatus.WAITING, FixtureStatus.DISPUTED):
            raise WrongState(f"{row.title} has no reported result to accept.")
        _accept(change, row)


def accept_round(request: ChangeRequest, number: int, *, closes: bool = False) -> int:
    """Confirm every reported result of a round that is not disputed; by organisers.

    Returns how many.

    With ``closes`` the round is closed too, or nothing is accepted.

    Raises Refusal naming the games that keep it open, NotFound, NotAllowed, Stale.
    """
    with organised_round(request, number) as (change, row):
        if row.status not in SHOWN:
            raise WrongState(f"{row} is not published yet.")
        waiting = Fixture.objects.filter(round=row, status=FixtureStatus.WAITING)
        fixtures = list(waiting.select_related("battle").order_by("position"))
        for fixture in fixtures:
            _accept(change, fixture)
        if closes:
            close_locked_round(change, row)
        return len(fixtures)


@frozen_dataclass
class RoundReport:
    """What an organiser says of one game of a round, as they saw it at this version.

    Without an ``outcome`` they accept what was reported.
    """

    fixture: str
    version: int | None
    outcome: Outcome | None = None
    reason: str = ""


Reported = ReportedResult | Refusal | NotFound | None


def report_round(
    request: ChangeRequest, number: int, reports: Sequence[RoundReport]
) -> list[Reported]:
    """Report games of a round, each by itself: what is refused holds up no other.

    By organisers. Returns what each came to, None for one that was accepted. Raises NotFound,
    NotAllowed, Refusal for too many.
    """
    if len(reports) > ENTRIES_MAX:
        raise Refusal(f"Send at most {ENTRIES_MAX} results at once.", field="results")
    with organised_event(request) as event_change:
        rows = Fixture.objects.filter(round__event=event_change.event, round__number=number)
        tokens = set(rows.values_list("token", flat=True))
    answers: list[Reported] = []
    for report in reports:
        change = replace(request, expected=report.version, reason=report.reason)
        try:
            if report.fixture not in tokens:
                raise NotFound("fixture")
            if report.outcome is None:
                accept_result(change, report.fixture)
                answers.append(None)
            else:
                answers.append(report_result(change, report.fixture, report.outcome))
        except (Refusal, NotFound) as error:
            answers.append(error)
    return answers


def _accept(change: LockedEvent, row: Fixture) -> None:
    """One more step of the result, which silence may be due to take instead."""
    battle = Battle.objects.select_for_update().get(fixture=row)
    if not confirm_by_silence(battle, timezone.now()):
        call = BattleCall(change.actor, battle.token)
        take_step(call, ResultVerb.CONFIRM, Claim(reason=change.request.reason))
