"""Answers to what a campaign asks for: dice thrown here or typed, choices, rulings.

What was answered or done may be taken back: it does not count any more, and nothing is forgotten.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.db.models import Q

from accounts.errors import NotAllowed, WrongState
from battles.models import REASON_MAX, BattleSide
from campaigns.growth.operations.ledger import (
    LedgerChange,
    build_row,
    check_funds,
    check_grows_on,
    check_own,
    find_campaign_warband,
    open_growth,
)
from campaigns.growth.queries.ledger import CampaignLedger
from campaigns.models import CampaignWarband, GrowthRow, GrowthRowKind
from campaigns.models.growth import DUE_MAX
from campaigns.operations.log import ChangeRequest, LockedEvent, idempotent, readable_event
from campaigns.operations.rows import check_not_archived
from engine.errors import Refusal
from engine.growth.campaign_fold import PAY
from engine.growth.differences import GrowthDifference, difference
from engine.growth.dues import COUNTS, RANSOM, UPKEEP, Due, DueAnswer, StoredAnswer
from engine.growth.log import TakeBack
from engine.growth.tables import can_show, parse_dice
from engine.records import Numbers, frozen_dataclass, is_int_within
from engine.text import text_fault
from warbands.exchange.document import clean_text, shown

ANSWERS_MAX = 60
FACES_MOST = 9
FACE_MOST = 20
CHOICE_MAX = 60
ACT_NUMBER_MOST = 10**6


@frozen_dataclass
class GivenAnswer:
    """What somebody answers to a due. Without ``faces`` the site throws where dice are asked for.

    ``row`` is an organiser's ruling, for a ``reason``.
    """

    due: str
    faces: Numbers | None = None
    choice: str | None = None
    row: int | None = None
    reason: str = ""


# Answering


@idempotent("answer_dues", answer="dues")
def answer_dues(
    change: LockedEvent, warband: str, answers: Sequence[GivenAnswer]
) -> Sequence[str]:
    """Answer dues of a warband, all of them or none; returns the keys answered.

    By its player and organisers. Raises Refusal naming the field, WrongState for what nothing asks
    for or what is answered already, NotFound, NotAllowed, KeyReused.
    """
    check_shape(answers)
    answering = _Answering(change, warband)
    answering.read(answers)
    reason = next((answer.reason for answer in answers if answer.reason), "")
    return answering.write([answer.due for answer in answers], reason)


@idempotent("roll_dues", answer="dues")
def roll_dues(change: LockedEvent, warband: str) -> Sequence[str]:
    """Let the site throw every roll that a warband owes, with those that follow from them.

    Choices stay open. Returns the keys answered, at most so many as are sent at once. Raises
    WrongState where there is nothing to roll, NotFound, NotAllowed, KeyReused.
    """
    answering = _Answering(change, warband)
    thrown: list[str] = []
    # A roll may open another one: an injury that is rolled twice, a table below a table.
    while dues := [
        due
        for due in answering.after().state.open
        if due.warband == warband
        and due.dice
        and not due.is_answered
        and due.key not in thrown
    ][: ANSWERS_MAX - len(thrown)]:
        for due in dues:
            answering.take(GivenAnswer(due.key), due, "answers")
        thrown += [due.key for due in dues]
    if not thrown:
        raise WrongState("There is nothing to roll.")
    return answering.write(thrown)


def preview_answers(
    request: ChangeRequest, warband: str, answers: Sequence[GivenAnswer]
) -> GrowthDifference:
    """Return what answers would change. Nothing is thrown for it, and nothing written."""
    check_shape(answers)
    with readable_event(request) as change:
        answering = _Answering(change, warband, is_preview=True)
        answering.read(answers)
        return difference(answering.ledger.state, answering.after().state)


def check_shape(answers: Sequence[GivenAnswer]) -> None:
    """Raise Refusal for what no campaign can take."""
    if not 1 <= len(answers) <= ANSWERS_MAX:
        raise Refusal(f"Send 1 to {ANSWERS_MAX} answers at once.", field="answers")
    seen = set()
    for place, answer in enumerate(answers):
        at, faces = f"answers[{place}]", answer.faces
        if answer.due in seen:
            raise Refusal(f"{shown(answer.due)} is answered twice here.", field=f"{at}.due")
        seen.add(answer.due)
        for name, text, most in (
            ("due", answer.due, DUE_MAX),
            ("choice", answer.choice or "", CHOICE_MAX),
        ):
            if fault := text_fault(text, most):
                raise Refusal(f"The {name} {fault}.", field=f"{at}.{name}")
        clean_text(f"{at}.reason", answer.reason, REASON_MAX)
        if faces is not None and not (
            1 <= len(faces) <= FACES_MOST
            and all(is_int_within(face, 1, FACE_MOST) for face in faces)
        ):
            message = f"Faces are 1 to {FACES_MOST} whole numbers from 1 to {FACE_MOST}."
            raise Refusal(message, field=f"{at}.faces")


def throw(dice: str) -> Numbers:
    """Return what the site throws."""
    count, sides = parse_dice(dice)
    return tuple(secrets.randbelow(sides) + 1 for _ in range(count))


class _Answering:
    """Answers of one warband on their way into the log, for whoever gives them."""

    def __init__(
        self, change: LockedEvent, warband: str, *, is_preview: bool = False
    ) -> None:
        """Open a warband that may be answered for. Raises NotFound, NotAllowed, WrongState."""
        self.growth = open_growth(change)
        self.ledger, self.is_preview = self.growth.ledger, is_preview
        self.warband = find_campaign_warband(change, warband)
        self.is_organiser = check_own(self.growth, self.warband.entry)
        self.rows: list[GrowthRow] = []
        # What a correction asks for after the end is for organisers to answer.
        if self.is_organiser:
            check_not_archived(change.event)
        else:
            check_grows_on(change)

    def after(self) -> CampaignLedger:
        """Return the campaign with what was taken so far."""
        return self.growth.with_rows(self.rows) if self.rows else self.ledger

    def write(self, dues: list[str], reason: str = "") -> list[str]:
        """Append what was answered; what says nothing new writes nothing."""
        if self.rows:
            self.growth.append(self.rows, reason)
            entry = self.warband.entry
            message = f"Answered for {entry.name}: {', '.join(dues)}."
            self.growth.change.log("growth_answer", message, subject=entry.token)
        return dues

    def read(self, answers: Sequence[GivenAnswer]) -> None:
        """Make rows of answers.

        One answer may open the due of another: they are taken as they are asked for.
        """
        # Places stay, so that a refusal names the answer as it was sent.
        left = dict(enumerate(answers))
        while left:
            state = self.after().state
            dues = {
                place: due
                for place, answer in left.items()
                if (due := state.find_due(self.warband.token, answer.due))
            }
            for place, due in dues.items():
                self.take(left.pop(place), due, f"answers[{place}]")
            # What is left is not asked for, whatever the others open.
            if not dues:
                break
        for place, answer in left.items():
            self._take_unasked(answer, f"answers[{place}]")

    def take(self, answer: GivenAnswer, due: Due, at: str) -> None:
        """Take the answer to a due that is open.

        A choice may come with its dice, or later. Raises Refusal naming the field, and WrongState
        for faces that are not those which were thrown before.
        """
        if answer.row is not None:
            self._rule(answer, at)
            return
        faces = self._find_faces(answer, due, at)
        if due.dice and faces is None:
            return  # a preview, which throws nothing
        self._check_choice(answer, due, f"{at}.choice")
        if answer.choice == PAY and due.kind in (RANSOM, UPKEEP):
            rules, (_, price) = self.ledger.rules, due.choices[0]
            is_upkeep = due.kind == UPKEEP
            currency = rules.upkeep_currency if is_upkeep else rules.prices.currency
            check_funds(self.after(), self.warband, currency, int(price), f"{at}.choice")
        self._add(answer, faces)

    def _check_choice(self, answer: GivenAnswer, due: Due, field: str) -> None:
        """Raise Refusal for a choice that is not there, or is missing."""
        choices = [key for key, _ in due.choices]
        # Before the dice are there, nobody knows what they leave to choose.
        is_open = bool(due.dice) and not due.is_answered and not choices
        # An organiser writes down what was chosen at the table; it waits where it cannot be yet.
        if not (is_open or self.is_organiser or answer.choice in (None, *choices)):
            message = "Nothing can be chosen now. Recruit a unit, or ask an organiser."
            if choices:
                message = f"Choose one of {', '.join(choices)}."
            raise Refusal(message, field=field)
        if not due.dice and answer.choice is None:
            message = f"{answer.due} asks for a choice: {', '.join(choices)}."
            raise Refusal(message, field=field)

    def _find_faces(self, answer: GivenAnswer, due: Due, at: str) -> Numbers | None:
        """Return the faces that count for a due: those of before, typed ones, or a throw.

        None for a due without dice, and for a preview, which throws nothing. Raises Refusal for
        faces that its dice cannot show.
        """
        if not due.dice:
            if answer.faces is not None:
                raise Refusal(f"{answer.due} asks for no dice.", field=f"{at}.faces")
            return None
        previous = self._find_previous(answer)
        # Faces that were thrown for other dice do not bind anybody.
        if previous and can_show(due.dice, previous.faces):
            self._check_faces(answer, previous)
            return previous.faces
        if answer.faces is None:
            return None if self.is_preview else throw(due.dice)
        if not can_show(due.dice, answer.faces):
            message = f"{due.dice} cannot show {', '.join(map(str, answer.faces))}."
            raise Refusal(message, field=f"{at}.faces")
        return answer.faces

    def _check_faces(self, answer: GivenAnswer, previous: StoredAnswer) -> None:
        """Raise WrongState for other faces than those that were thrown before."""
        if answer.faces not in (None, previous.faces):
            faces = ", ".join(map(str, previous.faces))
            raise WrongState(
                f"{answer.due} was thrown already: {faces}. A due is thrown once. "
                "An organiser may rule otherwise."
            )

    def _take_unasked(self, answer: GivenAnswer, at: str) -> None:
        """Take what nothing asks for: an organiser's ruling, or faces that wait.

        Raises WrongState for what is answered already, and for players, who answer what is asked for.
        """
        state = self.ledger.state.answers.get((self.warband.token, answer.due))
        if state == COUNTS:
            if answer.row is None:
                message = f"{answer.due} is answered already. A due is thrown once."
                raise WrongState(message)
            self._rule(answer, at)
            return
        # Only an organiser writes down evenings whose dues are asked for later.
        if not self.is_organiser or (answer.faces is None and answer.choice is None):
            raise WrongState(f"{answer.due} is not asked for now.")
        previous = self._find_previous(answer)
        if previous and previous.faces:
            self._check_faces(answer, previous)
        self._add(answer, answer.faces)

    def _rule(self, answer: GivenAnswer, at: str) -> None:
        """Take an organiser's ruling: a row in the place of what was thrown.

        The faces stay beside it. Raises Refusal for others, and without a reason.
        """
        if not self.is_organiser:
            raise Refusal("Organisers alone rule what a roll is.", field=f"{at}.row")
        if not answer.reason.strip():
            raise Refusal("Say why you rule so.", field=f"{at}.reason")
        self._add(answer, answer.faces)

    def _find_previous(self, answer: GivenAnswer) -> StoredAnswer | None:
        """Return what was answered to a due before."""
        return self.ledger.answers.get((self.warband.token, answer.due))

    def _add(self, answer: GivenAnswer, faces: Numbers | None) -> None:
        """Add the row of an answer that says something new."""
        due, previous = answer.due, self._find_previous(answer)
        entry = DueAnswer(self.warband.token, due, faces, answer.choice, answer.row)
        # What says nothing new adds no row: an advance without its choice, an answer sent twice.
        if not previous or previous.with_answer(entry, previous.position) != previous:
            is_typed = answer.faces is not None
            row = build_row(entry, warband=self.warband, due=due, is_typed=is_typed)
            self.rows.append(row)


# Taking back


@frozen_dataclass
class Withdrawal:
    """What is taken back: the answer to a due, or an act by its number."""

    due: str = ""
    act: int | None = None


@idempotent("take_back", answer="done")
def take_back(change: LockedEvent, warband: str, what: Withdrawal) -> bool:
    """Let an answer or an act of a warband not count.

    By who gave it, until the warband's next battle is locked; by organisers at any time, for a
    reason. Raises Refusal, WrongState, NotFound, NotAllowed, KeyReused.
    """
    growth, row, new = _check_withdrawal(change, warband, what)
    growth.append([new], change.request.reason)
    message = f"Took back for {row.entry.name}: {what.due or f'act {what.act}'}."
    change.log("growth_take_back", message, subject=row.entry.token)
    return True


def preview_take_back(
    request: ChangeRequest, warband: str, what: Withdrawal
) -> GrowthDifference:
    """Return what taking something back would change. Nothing is written."""
    with readable_event(request) as change:
        growth, _, new = _check_withdrawal(change, warband, what)
        return growth.preview([new])


def _check_withdrawal(
    change: LockedEvent, warband: str, what: Withdrawal
) -> tuple[LedgerChange, CampaignWarband, GrowthRow]:
    """Return the row that takes something back. Raises as `take_back`."""
    clean_text("reason", change.request.reason, REASON_MAX)
    growth = open_growth(change)
    row = find_campaign_warband(change, warband)
    is_organiser = check_own(growth, row.entry)
    check_grows_on(change)
    if bool(what.due) == (what.act is not None):
        raise Refusal("Name a due or an act, not both.", field="due")
    last = _find_last(row, what)
    is_own = last.author_id == change.actor.user_id
    if is_organiser and not is_own and not change.request.reason.strip():
        raise Refusal("Say why you take it back for somebody else.", field="reason")
    if not is_organiser:
        if not is_own:
            raise WrongState("Somebody else gave this. An organiser takes it back.")
        outcome = growth.ledger.state.acts.get(what.act or 0)
        # What does not count now may be left out at any time.
        if outcome is None or not outcome.why:
            _check_in_time(row, last)
    entry = TakeBack(row.token, what.due, what.act)
    return growth, row, build_row(entry, warband=row, due=what.due, act=what.act)


def _find_last(row: CampaignWarband, what: Withdrawal) -> GrowthRow:
    """Return the row of what is taken back. Raises WrongState for what does not count."""
    wanted = Q(due=what.due.replace("\0", ""))
    if what.act is not None:
        if not is_int_within(what.act, 1, ACT_NUMBER_MOST):
            raise Refusal("An act is named by its number.", field="act")
        wanted = Q(act=what.act)
    rows = GrowthRow.objects.filter(wanted, warband=row)
    last = rows.order_by("-position").first()
    if last is None:
        raise WrongState(f"Nothing was done that {shown(what.due or str(what.act))} names.")
    # The last row of a due says whether it counts.
    if last.kind == GrowthRowKind.TAKE_BACK:
        raise WrongState("It was taken back already.")
    return last


def _check_in_time(row: CampaignWarband, last: GrowthRow) -> None:
    """Raise NotAllowed for what a player may not take back, or not any more."""
    if last.kind == GrowthRowKind.ACT and last.payload.get("act") == "search":
        raise NotAllowed("A search was thrown for. An organiser takes it back.")
    # What was fielded was fielded with it.
    later = BattleSide.objects.filter(
        warband=row.warband_id, battle__created_at__gt=last.at
    )
    if later.exists():
        raise NotAllowed("The next battle has begun since. An organiser takes it back.")
