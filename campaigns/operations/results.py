"""The result of a game: its battle set up, who fights, and what its players report of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import transaction

from accounts.errors import (
    NotFound,
    Refusal,
    WrongState,
)
from accounts.owner import Owner
from battles.access import BattleCall
from battles.intake import rules_of
from battles.models import (
    MODELS_MAX,
    Battle,
    BattleSide,
    BattleStatus,
    ResultVerb,
)
from battles.operations.results import StepOutcome, report_after_battle, take_step
from battles.queries.battles import find_battle, result_of
from battles.result_rules import Claim
from campaigns.fixture_totals import entries_by_side, side_keys
from campaigns.growth.operations.ledger import check_grows_on
from campaigns.growth.operations.results import (
    EVERYBODY,
    FieldChoice,
    after_battle_report,
    told_objectives,
)
from campaigns.growth.queries.ledger import load_ledger
from campaigns.models import (
    SHOWN,
    ClubEvent,
    Decision,
    Entry,
    Fixture,
    FixtureStatus,
)
from campaigns.operations.fixture_battles import create_fixture_battle
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    readable_event,
)
from campaigns.operations.rows import playable_fixture
from campaigns.queries.records import Outcome
from engine.growth.campaign_fold import GrowthDifference, difference
from engine.records import (
    Fields,
    NumberByKey,
    frozen_dataclass,
    is_int_within,
)
from warbands.exchange.document import shown
from warbands.operations import transaction as request_keys

DESTROYED_MAX = 100_000


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


def open_fixture(
    asked: ChangeRequest, fixture: str, *, sizes: NumberByKey | None = None
) -> str:
    """The battle of a fixture, set up if there is none yet; returns its token.

    Each side is the list handed in for the round, else the warband as it is now, else a quick side
    of so many models (``sizes``, by the entry's token). By those who play it and by organisers.
    Raises NotFound, NotAllowed, Refusal.
    """
    with readable_event(asked) as change:
        row = playable_fixture(change, fixture)
        return ensure_battle(change, row, sizes or {}).token


def field_fixture(asked: ChangeRequest, fixture: str, choice: FieldChoice) -> str:
    """Lock the battle of a campaign's game with those who fight; returns its token.

    By those who play it and by organisers. Raises WrongState where it is locked already, NotFound,
    NotAllowed, Stale, Refusal naming the field.
    """
    printed = request_keys.fingerprint("field_fixture", asked.token, fixture, repr(choice))
    with readable_event(asked) as change:
        earlier = request_keys.stored_answer(asked.actor, asked.key, printed)
        if earlier is not None:
            return str(earlier["battle"])
        row = playable_fixture(change, fixture)
        if not change.event.growth_position:
            raise NotFound("growth")
        check_grows_on(change)
        asked.check_position(change.event)
        if row.battle is not None:
            raise WrongState("The battle is locked already: those who fight stay.")
        token = ensure_battle(change, row, {}, choice).token
        request_keys.store_answer(asked.actor, asked.key, printed, {"battle": token})
        return token


def report_result(asked: ChangeRequest, fixture: str, told: Outcome) -> ReportedResult:
    """How a fixture ended, by an ending of its battle's rules.

    A player's report waits for the opponent to confirm, an organiser's who does not play in it is
    final. A second report corrects the first, for a reason; the same one again confirms it where
    the actor may, and else changes nothing. The version expected is the fixture's. Raises NotFound,
    NotAllowed, Refusal naming the field, Stale, KeyReused.
    """
    actor, reason = asked.actor, asked.reason
    # Fingerprints are stored for a week: what goes into one, and in which order, stays.
    printed = request_keys.fingerprint(
        "report_result",
        asked.token,
        fixture,
        told.winner,
        told.how,
        told.figures,
        reason,
        asked.expected,
        *([repr((told.fates, told.objectives, told.objective_by))] * told.tells_growth),
    )
    with readable_event(asked) as change:
        row = playable_fixture(change, fixture)
        # The lock comes first: of the same report sent twice at once, the second finds the answer.
        if (earlier := request_keys.stored_answer(actor, asked.key, printed)) is not None:
            return ReportedResult(**earlier)
        if _is_reported(row, told) and not told.tells_growth:
            return _agree(actor, row)
        asked.check_version(row)
        winner = _side_of(row, told.winner) or None
        battle = ensure_battle(change, row, {})
        _write_typed_figures(row, battle, told.figures)
        _write_objectives(row, told)
        done = _report(actor, row, battle, told, Claim(winner, told.how, reason))
        answer: Fields = {
            "battle": battle.token,
            "status": done.status,
            "number": done.number,
        }
        request_keys.store_answer(actor, asked.key, printed, answer)
    return ReportedResult(**answer)


def preview_result(asked: ChangeRequest, fixture: str, told: Outcome) -> GrowthDifference:
    """What a report would change in a campaign whose warbands grow. Nothing is written.

    Raises as `report_result`, and NotFound where warbands do not grow.
    """
    with readable_event(asked) as change:
        before = load_ledger(change.event)
        # What is reported is thrown away with everything that followed from it.
        report_result(replace(asked, key=""), fixture, told)
        after = load_ledger(change.event)
        transaction.set_rollback(True)
    return difference(before.state, after.state)


def _report(
    actor: Owner, fixture: Fixture, battle: Battle, told: Outcome, claim: Claim
) -> StepOutcome:
    """Report a result, with the models that were put out where they are told."""
    verb = ResultVerb.PROPOSE if battle.status == BattleStatus.OPEN else ResultVerb.CORRECT
    call = BattleCall(actor, battle.token)
    if told.fates is None:
        return take_step(call, verb, claim)
    report = after_battle_report(fixture, battle, told.fates, claim.winner, told.how)
    # Whoever may report the fixture may say who went out, whoever set the battle up.
    return report_after_battle(replace(call, key=battle.key), report, claim.reason)


def _write_objectives(fixture: Fixture, told: Outcome) -> None:
    """Keep the objectives that were told. Raises Refusal naming the field."""
    if told.objectives is None and told.objective_by is None:
        return
    keys = side_keys(fixture)
    kept = told_objectives(fixture, keys, told)
    Fixture.objects.filter(pk=fixture.pk).update(told=kept)
    fixture.told = kept


REPORTED = (BattleStatus.PROPOSED, BattleStatus.CONFIRMED)


def _is_reported(fixture: Fixture, told: Outcome) -> bool:
    """Whether a fixture has this very result already: winner, ending, and figures typed in."""
    battle = fixture.battle
    if battle is None or battle.status not in REPORTED or fixture.decision:
        return False
    keys = side_keys(fixture)
    return (
        battle.winner == keys.get(told.winner, "" if not told.winner else None)
        and battle.how == told.how.replace("-", "_")
        and all(
            _is_typed(fixture, keys.get(token, ""), typed)
            for token, typed in told.figures.items()
        )
    )


def _is_typed(fixture: Fixture, key: str, typed: Mapping[str, int | None]) -> bool:
    """Whether these figures of a side were typed in before.

    An empty one is as good as none.
    """
    before = fixture.told.get(key, {})
    return bool(key) and all(before.get(name) == value for name, value in typed.items())


def _agree(actor: Owner, fixture: Fixture) -> ReportedResult:
    """The same result a second time: whoever may confirm it does; else it stays as it is."""
    battle = fixture.battle
    assert battle is not None, "what was reported has a battle"
    found = find_battle(actor, battle.token)
    if found is not None and result_of(found, rules_of(battle)).may_confirm:
        done = take_step(BattleCall(actor, battle.token), ResultVerb.CONFIRM)
        return ReportedResult(battle.token, done.status, done.number)
    return ReportedResult(battle.token, battle.status, battle.results_count, is_repeat=True)


def ensure_battle(
    change: LockedEvent,
    fixture: Fixture,
    sizes: NumberByKey,
    choice: FieldChoice = EVERYBODY,
) -> Battle:
    """The battle of a fixture that was locked with its event.

    Raises Refusal where it cannot be played.
    """
    _check_playable(change.event, fixture)
    # Whoever comes second records in the battle that the first one set up.
    if fixture.battle is not None:
        return fixture.battle
    battle = create_fixture_battle(change, fixture, sizes, choice)
    Fixture.objects.filter(pk=fixture.pk).update(battle=battle)
    fixture.battle = battle
    return battle


def _check_playable(event: ClubEvent, fixture: Fixture) -> None:
    """Raise WrongState for a game that cannot be played or reported now."""
    number = fixture.round.number
    if event.archived_at is not None:
        raise WrongState("This event is archived. Restore it first.")
    if fixture.round.status not in SHOWN:
        raise WrongState(f"Round {number} is not published yet. Publish it first.")
    if fixture.other is None:
        raise WrongState(
            "A bye has no result to report. It counts when the round is published."
        )
    if fixture.status == FixtureStatus.ASKED:
        raise WrongState(
            "This challenge is not accepted yet. Wait for the answer, then play."
        )
    if fixture.decision:
        said = str(Decision(fixture.decision).label).lower()
        sentence = f"An organiser has set the result: {said}. Reverse the decision first."
        raise WrongState(sentence)
    # A result that was told may be corrected, whoever has dropped out since.
    is_told = fixture.battle is not None and fixture.battle.status != BattleStatus.OPEN
    if not is_told:
        _check_nobody_gone(fixture)


def _check_nobody_gone(fixture: Fixture) -> None:
    """Raise WrongState where a player dropped out in this round or before it."""
    number = fixture.round.number
    for entry in fixture.sides:
        if entry.dropped is not None and entry.dropped <= number:
            sentence = (
                f"{entry.name} dropped out before this game. Ask an organiser to set the "
                f"result, or to let {entry.name} rejoin."
            )
            raise WrongState(sentence)


def _side_of(fixture: Fixture, winner: str) -> str:
    """Return the winner's side letter, "" for none; raises Refusal for others."""
    if not winner:
        return ""
    found = side_keys(fixture)
    if winner not in found:
        raise Refusal(f"{shown(winner)} does not play in this game.", field="winner")
    return found[winner]


# Figures that were typed in


def _write_typed_figures(
    fixture: Fixture, battle: Battle, figures: Mapping[str, Mapping[str, int | None]]
) -> None:
    """Keep what was typed in, beside what was before.

    Raises Refusal naming the field and its limit.
    """
    if not figures:
        return
    keys, entries = side_keys(fixture), entries_by_side(fixture)
    sides = {side.key: side for side in BattleSide.objects.filter(battle=battle)}
    told: Fields = {key: dict(value) for key, value in fixture.told.items()}
    for token, typed in figures.items():
        if token not in keys:
            raise Refusal(f"{shown(token)} does not play in this game.", field="figures")
        key = keys[token]
        entry = entries[key]
        told[key] = {**told.get(key, {}), **_checked_figures(entry, key, sides, typed)}
    Fixture.objects.filter(pk=fixture.pk).update(told=told)
    fixture.told = told


def _checked_figures(
    entry: Entry, key: str, sides: Mapping[str, BattleSide], typed: Mapping[str, int | None]
) -> dict[str, int | None]:
    """Return models out and points destroyed; raises Refusal for too many.

    The limits are those of `_most_figures`.
    """
    most = _most_figures(
        sides[key], [side for other, side in sides.items() if other != key]
    )
    words = {
        "out": f"The models {entry.name} lost",
        "destroyed": f"The points {entry.name} destroyed",
    }
    for name, value in typed.items():
        if name not in most:
            raise Refusal(
                f"The figures are out and destroyed, not {shown(name)}.", field="figures"
            )
        if value is not None and not is_int_within(value, 0, most[name]):
            sentence = f"{words[name]} must be a whole number from 0 to {most[name]:,}."
            raise Refusal(sentence, field=f"{name}_{key}")
    return dict(typed)


def _most_figures(mine: BattleSide, others: Sequence[BattleSide]) -> dict[str, int]:
    """The most models a side can have lost and points it can have destroyed.

    A quick side may have lost more models than it was set up with.
    """
    # Points are a limit only where every model on the other sides has a price.
    points = [side.points for side in others]
    priced = [one for one in points if one is not None]
    return {
        "out": MODELS_MAX if mine.is_quick else mine.size,
        "destroyed": sum(priced) if len(priced) == len(points) else DESTROYED_MAX,
    }
