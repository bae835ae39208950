"""Which step of a result may be taken next, by whom, and what it writes.

Pure: no database, no clock of its own.

The side that reports proposes; another one confirms, or disputes with a reason; silence confirms
when the time is over. Where nobody else is there to agree, it stands at once. An organiser of the
club may accept it instead, and does where the event says so. Afterwards it can be corrected, made
void and restored: nothing is taken away, every step adds an entry.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from accounts.access import owns
from accounts.errors import NotAllowed, Refusal, WrongState
from accounts.owner import Owner
from battles import access
from battles.models import (
    REASON_MAX,
    Battle,
    BattleSide,
    BattleStatus,
    Confirmation,
    ResultVerb,
)
from battles.results import ResultState, ResultStep
from engine.battles.rules import BattleRules
from engine.records import (
    NamedValues,
    Texts,
    copy_fields,
    frozen_dataclass,
)
from warbands.exchange.document import clean_text, shown

TAKES_EVENTS = (ResultVerb.PROPOSE, ResultVerb.CORRECT)
"""Steps that say who won, where they do not as the events have it."""
NEEDS_REASON = (
    ResultVerb.DISPUTE,
    ResultVerb.CORRECT,
    ResultVerb.VOID,
    ResultVerb.UNDO,
)


@frozen_dataclass
class ResultContext:
    """A battle, its result so far and who acts: what the rules below look at.

    ``may_organise`` is about ``actor``.
    """

    actor: Owner
    key: str
    battle: Battle
    sides: tuple[BattleSide, ...]
    standing: ResultState
    may_organise: bool
    now: datetime

    @property
    def voices(self) -> Texts:
        return access.sides_spoken_for(self.actor, self.battle, self.sides, self.key)

    @property
    def takes_part(self) -> bool:
        return access.may_record(self.actor, self.battle, self.sides, self.key)

    @property
    def is_neutral(self) -> bool:
        """Whether none of the sides is the actor's own."""
        return not any(owns(self.actor, side) for side in self.sides)

    @property
    def may_accept(self) -> bool:
        """Whether the actor confirms as an organiser.

        Where players confirm each other's reports, nobody accepts the result of their own game.
        """
        is_players_own = self.battle.confirmation == Confirmation.PLAYERS
        return self.is_organiser and (self.is_neutral or not is_players_own)

    @property
    def is_organiser(self) -> bool:
        return self.battle.club_id is not None and self.may_organise

    @property
    def is_referee(self) -> bool:
        """Whether the actor runs the battle's club and plays no side: their word is final."""
        return self.is_neutral and self.is_organiser

    @property
    def awaits_organiser(self) -> bool:
        """Whether an organiser alone confirms."""
        return self.battle.confirmation == Confirmation.ORGANISER

    def name(self, key: str) -> str:
        """How a sentence calls a side."""
        return next((side.name or side.key for side in self.sides if side.key == key), key)


@frozen_dataclass
class Claim:
    """What somebody says of a result.

    ``winner`` None or "" is nobody; ``side`` for whom they speak, "" unsaid.

    Without ``how`` a proposal takes both from the events, and a dispute has no version of its own.
    """

    winner: str | None = None
    how: str = ""
    reason: str = ""
    side: str = ""


NOTHING_SAID = Claim()


def propose(context: ResultContext, step: ResultStep) -> ResultStep:
    """A first report, final from an organiser of the club who takes no part.

    Raises Refusal once there is one, NotAllowed for everybody else who takes no part.
    """
    if context.standing.status != BattleStatus.OPEN:
        raise WrongState(
            f"This battle already has a result: {_status(context)}. Correct the result instead."
        )
    return step if context.is_referee and not step.side else _ask_others(context, step)


def confirm(context: ResultContext, step: ResultStep) -> ResultStep:
    """Another side agrees, also after it has objected, or an organiser accepts it.

    Raises Refusal, NotAllowed.
    """
    if context.standing.status not in (BattleStatus.PROPOSED, BattleStatus.DISPUTED):
        raise WrongState(f"There is no result to confirm: {_status(context)}.")
    side = step.side
    is_acceptance = context.may_accept and not side
    if context.awaits_organiser:
        if not is_acceptance:
            raise NotAllowed("Only an organiser of the club can accept this result.")
    elif not is_acceptance or _list_answering(context):
        side = _find_answering_side(context, side)
    return replace(step, winner="", how="", side=side)


def dispute(context: ResultContext, step: ResultStep) -> ResultStep:
    """Another side disagrees, with its reason and, if it likes, its own version."""
    if context.standing.status != BattleStatus.PROPOSED:
        raise WrongState(
            "Only a result that waits for confirmation can be disputed. "
            f"This one: {_status(context)}."
        )
    return replace(step, side=_find_answering_side(context, step.side))


def correct(context: ResultContext, step: ResultStep) -> ResultStep:
    """Another version: a new proposal by those who take part, final from whoever decides."""
    status = context.standing.status
    if status in (BattleStatus.OPEN, BattleStatus.VOID):
        hint = "Report one" if status == BattleStatus.OPEN else "Restore the result"
        raise WrongState(f"There is no result to correct. {hint} first.")
    # Without a club whoever set the battle up decides a dispute only when no side in it is theirs.
    is_settled = status == BattleStatus.CONFIRMED or (
        status == BattleStatus.DISPUTED and context.is_neutral
    )
    is_final = context.is_referee or (context.battle.club_id is None and is_settled)
    # An organiser who speaks for no side decides; everybody else only proposes.
    if context.may_organise and not step.side and is_final:
        return step
    if status == BattleStatus.CONFIRMED and not context.is_organiser:
        raise NotAllowed(_ONLY_ORGANISERS)
    return _ask_others(context, step)


def void(context: ResultContext, step: ResultStep) -> ResultStep:
    """The battle leaves every record: by those who take part until it is confirmed."""
    if context.standing.status == BattleStatus.VOID:
        raise WrongState("This battle is already void.")
    side = _find_voiding_side(context, context.standing, step.side)
    return replace(step, winner="", how="", side=side)


def restore(context: ResultContext, step: ResultStep) -> ResultStep:
    """What a void took away is back."""
    back = context.standing.previous
    if context.standing.status != BattleStatus.VOID or back is None:
        raise WrongState("This battle is not void, so it needs no restoring.")
    side = _find_voiding_side(context, back, step.side)
    return _step_back(context, back, replace(step, side=side))


def undo(context: ResultContext, step: ResultStep) -> ResultStep:
    """What was before the last step is back: by an organiser who plays no side."""
    if not context.is_referee:
        raise NotAllowed(
            "Only an organiser of the club who does not play in this game can undo a step."
        )
    if context.standing.previous is None:
        raise WrongState("There is no result to undo.")
    return _step_back(context, context.standing.previous, step)


def _step_back(context: ResultContext, back: ResultState, step: ResultStep) -> ResultStep:
    """The step to an earlier result; one that waited for an answer waits from now on again."""
    is_waiting = back.status == BattleStatus.PROPOSED
    confirm_by = _deadline(context) if is_waiting and not context.awaits_organiser else None
    return replace(step, winner="", how="", confirm_by=confirm_by)


def checked_claim(verb: str, claim: Claim) -> Claim:
    """The claim with its reason cleaned.

    Raises Refusal where a reason is missing or cannot be shown.
    """
    reason = clean_text("reason", claim.reason, REASON_MAX)
    if not reason and verb in NEEDS_REASON:
        raise Refusal("Give a reason. The other players read it.", field="reason")
    return replace(claim, reason=reason)


def checked_outcome(
    rules: BattleRules, sides: Sequence[str], winner: str | None, how: str
) -> tuple[str, str]:
    """Who won ("" nobody) and how, as an entry keeps it.

    Raises Refusal naming the field and what is known.
    """
    ending = rules.endings.get(how.replace("-", "_"))
    if ending is None:
        fault = f"not {shown(how)}" if how else "and none is given"
        raise Refusal(
            f"how must be one of {', '.join(rules.endings)}, {fault}.", field="how"
        )
    if winner and winner not in sides:
        raise Refusal(
            f"winner must be one of {', '.join(sides)}, or null, not {shown(winner)}.",
            field="winner",
        )
    if ending.has_winner and not winner:
        raise Refusal(
            f"Choose the winner. With the ending {ending.name}, one side wins.",
            field="winner",
        )
    if winner and not ending.has_winner:
        raise Refusal(f"winner must be null: {ending.name} has no winner.", field="winner")
    return winner or "", ending.id


def with_outcome(
    entry: ResultStep,
    claim: Claim,
    stored: NamedValues,
    *,
    rules: BattleRules,
    sides: Sequence[str],
) -> ResultStep:
    """The entry with who won and how, as claimed or else as the events have it, checked.

    ``sides`` are their keys. Raises Refusal as `checked_outcome`, and where neither says how.
    """
    if entry.verb not in TAKES_EVENTS and not (
        entry.verb == ResultVerb.DISPUTE and claim.how
    ):
        return entry
    winner, how, end = claim.winner, claim.how, stored.get("end")
    if winner and not how and not end:
        how = rules.usual_ending(has_winner=True)
    if not how:
        if not end:
            raise Refusal(
                "The battle has not ended. Record its end, or choose who won and how.",
                field="how",
            )
        winner, how = end["winner"], end["how"]
    winner, how = checked_outcome(rules, sides, winner, how)
    return replace(entry, winner=winner, how=how)


def plan(verb: str, context: ResultContext, claim: Claim) -> ResultStep:
    """The entry of one step, as the rule of its verb lets it be written.

    Raises NotAllowed for those who have no part in the battle, else as the step itself.
    """
    if not context.takes_part and not context.may_organise:
        raise NotAllowed(
            "Only the players of this battle, and people with its code, can settle its result."
        )
    step = copy_fields(
        ResultStep,
        claim,
        verb=verb,
        winner=claim.winner or "",
        confirm_by=None,
        at=context.now,
        author_id=context.actor.user_id,
        author_key=context.actor.key,
    )
    return PLANS[verb](context, step)


PLANS: dict[str, Callable[[ResultContext, ResultStep], ResultStep]] = {
    ResultVerb.PROPOSE: propose,
    ResultVerb.CONFIRM: confirm,
    ResultVerb.DISPUTE: dispute,
    ResultVerb.CORRECT: correct,
    ResultVerb.VOID: void,
    ResultVerb.RESTORE: restore,
    ResultVerb.UNDO: undo,
}

_ONLY_ORGANISERS = (
    "The result is confirmed. Only an organiser of its club can change it or, without a club, the "
    "person who created the battle."
)


def waiting(sides: Iterable[BattleSide], side: str, proposer: Owner) -> Texts:
    """The sides whose word is still missing when ``side`` (or somebody without one) has spoken.

    A quick side that nobody owns has nobody to ask; nor has somebody who owns several sides to ask
    themselves.
    """
    return tuple(
        other.key
        for other in sides
        if (access.is_owned(other) or not other.is_quick)
        and other.key != side
        and not owns(proposer, other)
    )


def _ask_others(context: ResultContext, step: ResultStep) -> ResultStep:
    """An entry that others are asked about, or one that stands where there is nobody to ask."""
    if not context.takes_part:
        raise NotAllowed(
            "The players report the result. An organiser can correct it when it is disputed."
        )
    side = _find_reporting_side(context, step.side)
    if context.awaits_organiser:
        return replace(step, side=side, awaits_organiser=True)
    # Where only one's own sides and quick ones are left, there is nobody to wait for.
    is_asked = waiting(context.sides, side, context.actor)
    return replace(step, side=side, confirm_by=_deadline(context) if is_asked else None)


def _find_reporting_side(context: ResultContext, side: str) -> str:
    """The side a report is made for: the one named, else the actor's own, else none."""
    if not side:
        return next((row.key for row in context.sides if owns(context.actor, row)), "")
    if side not in context.voices:
        raise NotAllowed(f"You cannot report for the side {shown(side)}.", field="side")
    return side


def _find_answering_side(context: ResultContext, side: str) -> str:
    """The side that answers a proposal: another one than proposed it, and another person where
    persons are known.
    """
    able = _list_answering(context)
    names = " or ".join(map(context.name, _list_asked(context))) or "another side"
    who = f"Waiting for your opponent: {names}."
    if side and side not in able:
        raise NotAllowed(
            f"You cannot answer for the side {shown(side)}. {who}", field="side"
        )
    if not able:
        raise NotAllowed(who)
    return side or able[0]


def _list_asked(context: ResultContext) -> Texts:
    """The sides whose answer to the report is missing."""
    standing = context.standing
    key = "" if standing.owner_id else standing.owner_key
    return waiting(context.sides, standing.side, Owner(standing.owner_id, key))


def _list_answering(context: ResultContext) -> list[str]:
    """Those of them that the actor speaks for."""
    # Nobody answers themselves, whichever of their sides they speak for.
    if not context.actor.is_nobody and owns(context.actor, context.standing):
        return []
    return [voice for voice in context.voices if voice in _list_asked(context)]


def _find_voiding_side(context: ResultContext, standing: ResultState, side: str) -> str:
    """The side that makes void or restores, "" for whoever decides."""
    if standing.status == BattleStatus.CONFIRMED:
        if not context.may_organise:
            raise NotAllowed(_ONLY_ORGANISERS)
        return ""
    if not context.takes_part:
        return ""  # an organiser's
    return _find_reporting_side(context, side)


def _deadline(context: ResultContext) -> datetime:
    return context.now + timedelta(days=context.battle.confirm_days)


def _status(context: ResultContext) -> str:
    return str(BattleStatus(context.standing.status).label).lower()
