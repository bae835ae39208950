"""Answers to what a campaign asks for: dice thrown here or typed, choices, rulings."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.db.models import Q

from accounts.errors import NotAllowed, WrongState
from battles.models import REASON_MAX, BattleSide
from campaigns.growth.operations.ledger import (
    LedgerChange,
    NewRow,
    check_grows_on,
    check_own,
    find_campaign_warband,
    idempotent,
    open_growth,
    row_of,
)
from campaigns.growth.queries.ledger import CampaignLedger
from campaigns.models import CampaignWarband, GrowthRow, GrowthRowKind
from campaigns.models.growth import DUE_MAX
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from campaigns.operations.rows import check_not_archived
from engine.errors import Refusal
from engine.growth.campaign_fold import GrowthDifference, difference
from engine.growth.dues import COUNTS, Due, DueAnswer, KeptAnswer
from engine.growth.log import TakeBack
from engine.growth.tables import are_faces_of, dice_of
from engine.records import Numbers, frozen_dataclass, is_int_within
from engine.text import text_fault
from warbands.exchange.document import clean_text, shown

ANSWERS_MAX = 60
FACES_MOST = 4
FACE_MOST = 20
CHOICE_MAX = 60
NO_SUCH_DUE = "{due} is not asked for now."
NOTHING_TO_CHOOSE = "Nothing can be chosen now. Recruit a unit, or ask an organiser."
ANSWERED = "{due} is answered already. A due is thrown once."
OTHER_FACES = (
    "{due} was thrown already: {faces}. A due is thrown once. "
    "An organiser may rule otherwise."
)


@frozen_dataclass
class GivenAnswer:
    """What somebody answers to a due. Without ``faces`` the site throws where dice are request.

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
        at = f"answers[{place}]"
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
        faces = answer.faces
        if faces is not None and not (
            1 <= len(faces) <= FACES_MOST
            and all(is_int_within(face, 1, FACE_MOST) for face in faces)
        ):
            words = f"Faces are 1 to {FACES_MOST} whole numbers from 1 to {FACE_MOST}."
            raise Refusal(words, field=f"{at}.faces")


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
        self.rows: list[NewRow] = []
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
            words = f"Answered for {entry.name}: {', '.join(dues)}."
            self.growth.change.log("growth_answer", words, subject=entry.token)
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
        faces = self._faces(answer, due, at)
        if due.dice and faces is None:
            return  # a preview, which throws nothing
        self._check_choice(answer, due, at)
        self._add(answer, faces)

    def _check_choice(self, answer: GivenAnswer, due: Due, at: str) -> None:
        """Raise Refusal for a choice that cannot be made, and for one that is missing."""
        choices = [key for key, _ in due.choices]
        # Before the dice are there, nobody knows what they leave to choose.
        is_open = bool(due.dice) and not due.is_answered and not choices
        # An organiser writes down what was chosen at the table; it waits where it cannot be yet.
        if not (is_open or self.is_organiser or answer.choice in (None, *choices)):
            words = f"Choose one of {', '.join(choices)}." if choices else NOTHING_TO_CHOOSE
            raise Refusal(words, field=f"{at}.choice")
        if not due.dice and answer.choice is None:
            words = f"{answer.due} asks for a choice: {', '.join(choices)}."
            raise Refusal(words, field=f"{at}.choice")

    def _faces(self, answer: GivenAnswer, due: Due, at: str) -> Numbers | None:
        """Return the faces that count for a due: those of before, typed ones, or a throw.

        None for a due without dice, and for a preview, which throws nothing. Raises Refusal for
        faces that its dice cannot show.
        """
        if not due.dice:
            if answer.faces is not None:
                raise Refusal(f"{answer.due} asks for no dice.", field=f"{at}.faces")
            return None
        previous = self._previous(answer)
        # Faces that were thrown for other dice do not bind anybody.
        if previous and are_faces_of(due.dice, previous.faces):
            self._check_faces(answer, previous)
            return previous.faces
        if answer.faces is None:
            return None if self.is_preview else throw(due.dice)
        if not are_faces_of(due.dice, answer.faces):
            words = f"{due.dice} cannot show {', '.join(map(str, answer.faces))}."
            raise Refusal(words, field=f"{at}.faces")
        return answer.faces

    def _check_faces(self, answer: GivenAnswer, previous: KeptAnswer) -> None:
        """Raise WrongState for other faces than those that were thrown before."""
        if answer.faces not in (None, previous.faces):
            faces = ", ".join(map(str, previous.faces))
            raise WrongState(OTHER_FACES.format(due=answer.due, faces=faces))

    def _take_unasked(self, answer: GivenAnswer, at: str) -> None:
        """Take what nothing asks for: an organiser's ruling, or faces that wait.

        Raises WrongState for what is answered already, and for players, who answer what is request.
        """
        state = self.ledger.state.answers.get((self.warband.token, answer.due))
        if state == COUNTS:
            if answer.row is None:
                raise WrongState(ANSWERED.format(due=answer.due))
            self._rule(answer, at)
            return
        # Only an organiser writes down evenings whose dues are asked for later.
        if not self.is_organiser or (answer.faces is None and answer.choice is None):
            raise WrongState(NO_SUCH_DUE.format(due=answer.due))
        previous = self._previous(answer)
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

    def _previous(self, answer: GivenAnswer) -> KeptAnswer | None:
        """Return what was answered to a due before."""
        return self.ledger.answers.get((self.warband.token, answer.due))

    def _add(self, answer: GivenAnswer, faces: Numbers | None) -> None:
        """Add the row of an answer that says something new."""
        due, previous = answer.due, self._previous(answer)
        entry = DueAnswer(self.warband.token, due, faces, answer.choice, answer.row)
        # What says nothing new adds no row: an advance without its choice, an answer sent twice.
        if previous and previous.with_answer(entry, previous.position) == previous:
            return
        is_typed = answer.faces is not None
        self.rows.append(row_of(entry, warband=self.warband, due=due, is_typed=is_typed))


ACT_NUMBER_MOST = 10**6


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
    growth, row, new = _checked(change, warband, what)
    growth.append([new], change.asked.reason)
    words = f"Took back for {row.entry.name}: {what.due or f'act {what.act}'}."
    change.log("growth_take_back", words, subject=row.entry.token)
    return True


def preview_take_back(
    request: ChangeRequest, warband: str, what: Withdrawal
) -> GrowthDifference:
    """Return what taking something back would change. Nothing is written."""
    with readable_event(request) as change:
        growth, _, new = _checked(change, warband, what)
        return growth.preview([new])


# What may be taken back, and by whom


def _checked(
    change: LockedEvent, warband: str, what: Withdrawal
) -> tuple[LedgerChange, CampaignWarband, NewRow]:
    """Return the row that takes something back. Raises as `take_back`."""
    clean_text("reason", change.asked.reason, REASON_MAX)
    growth = open_growth(change)
    row = find_campaign_warband(change, warband)
    is_organiser = check_own(growth, row.entry)
    check_grows_on(change)
    if bool(what.due) == (what.act is not None):
        raise Refusal("Name a due or an act, not both.", field="due")
    given = _given(row, what)
    is_own = given.author_id == change.actor.user_id
    if not is_organiser:
        outcome = growth.ledger.state.acts.get(what.act or 0)
        _check_players_own(
            row, given, is_own=is_own, is_aside=outcome is not None and bool(outcome.why)
        )
    elif not is_own and not change.asked.reason.strip():
        raise Refusal("Say why you take it back for somebody else.", field="reason")
    entry = TakeBack(row.token, what.due, what.act)
    return growth, row, row_of(entry, warband=row, due=what.due, act=what.act)


def _given(row: CampaignWarband, what: Withdrawal) -> GrowthRow:
    """Return the row of what is taken back. Raises WrongState for what does not count."""
    rows = GrowthRow.objects.filter(warband=row).order_by("-position")
    if what.act is not None:
        if not is_int_within(what.act, 1, ACT_NUMBER_MOST):
            raise Refusal("An act is named by its number.", field="act")
        wanted = Q(act=what.act)
    else:
        wanted = Q(due=what.due.replace("\0", ""))
    last = rows.filter(wanted).first()
    if last is None:
        raise WrongState(f"Nothing was done that {shown(what.due or str(what.act))} names.")
    # The last row of a due says whether it counts.
    if last.kind == GrowthRowKind.TAKE_BACK:
        raise WrongState("It was taken back already.")
    return last


def _check_players_own(
    row: CampaignWarband, given: GrowthRow, *, is_own: bool, is_aside: bool
) -> None:
    """Raise for what a player may not take back."""
    if not is_own:
        raise WrongState("Somebody else gave this. An organiser takes it back.")
    if is_aside:
        return
    if given.kind == GrowthRowKind.ACT and given.payload.get("act") == "search":
        raise NotAllowed("A search was thrown for. An organiser takes it back.")
    # What was fielded was fielded with it.
    later = BattleSide.objects.filter(
        warband=row.warband_id, battle__created_at__gt=given.at
    )
    if later.exists():
        raise NotAllowed("The next battle has begun since. An organiser takes it back.")


def throw(dice: str) -> Numbers:
    """Return what the site throws."""
    count, sides = dice_of(dice)
    return tuple(secrets.randbelow(sides) + 1 for _ in range(count))
