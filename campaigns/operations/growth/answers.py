"""Answers to what a campaign asks for: dice thrown here or typed, choices, rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from accounts.errors import WrongState
from battles.models import REASON_MAX
from campaigns.models import CampaignWarband
from campaigns.models.growth import DUE_MAX
from campaigns.operations.growth.ledger import (
    LedgerChange,
    NewRow,
    check_grows_on,
    check_own,
    find_campaign_warband,
    open_growth,
    row_of,
)
from campaigns.operations.growth.throws import throw
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from campaigns.operations.rows import check_not_archived
from campaigns.queries.growth.ledger import CampaignLedger
from engine.errors import Refusal
from engine.growth.campaign_fold import GrowthDifference, difference
from engine.growth.dues import COUNTS, Due, DueAnswer, KeptAnswer
from engine.growth.tables import are_faces_of
from engine.records import Numbers, Texts, frozen_dataclass, is_int_within
from engine.text import text_fault
from warbands.exchange.document import clean_text, shown
from warbands.operations import transaction

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


# What is answered


@frozen_dataclass
class GivenAnswer:
    """What somebody answers to a due. Without ``faces`` the site throws where dice are asked.

    ``row`` is an organiser's ruling, for a ``reason``.
    """

    due: str
    faces: Numbers | None = None
    choice: str | None = None
    row: int | None = None
    reason: str = ""


@frozen_dataclass
class _Answering:
    """Answers of one warband on their way into the log, for whoever gives them."""

    growth: LedgerChange
    warband: CampaignWarband
    is_organiser: bool
    is_preview: bool = False
    rows: list[NewRow] = field(default_factory=list)


# Answering


def answer_dues(
    asked: ChangeRequest, warband: str, answers: Sequence[GivenAnswer]
) -> Texts:
    """Answer dues of a warband, all of them or none; returns the keys answered.

    By its player and organisers. Raises Refusal naming the field, WrongState for what nothing asks
    for or what is answered already, NotFound, NotAllowed, KeyReused.
    """
    check_shape(answers)
    printed = transaction.fingerprint(
        "answer_dues", asked.token, warband, [repr(one) for one in answers]
    )
    with readable_event(asked) as change:
        earlier = transaction.stored_answer(asked.actor, asked.key, printed)
        if earlier is not None:
            return tuple(earlier["dues"])
        answering = _open(change, warband)
        _read(answering, answers)
        reason = next((one.reason for one in answers if one.reason), "")
        dues = [one.due for one in answers]
        _write(answering, dues, reason)
        transaction.store_answer(asked.actor, asked.key, printed, {"dues": dues})
        return tuple(dues)


def roll_dues(asked: ChangeRequest, warband: str) -> Texts:
    """Let the site throw every roll that a warband owes, with those that follow from them.

    Choices stay open. Returns the keys answered, at most so many as are sent at once. Raises
    WrongState where there is nothing to roll, NotFound, NotAllowed, KeyReused.
    """
    printed = transaction.fingerprint("roll_dues", asked.token, warband)
    with readable_event(asked) as change:
        earlier = transaction.stored_answer(asked.actor, asked.key, printed)
        if earlier is not None:
            return tuple(earlier["dues"])
        answering = _open(change, warband)
        dues = _throw_all(answering)
        if not dues:
            raise WrongState("There is nothing to roll.")
        _write(answering, dues)
        transaction.store_answer(asked.actor, asked.key, printed, {"dues": dues})
        return tuple(dues)


def _write(answering: _Answering, dues: Sequence[str], reason: str = "") -> None:
    """Append what was answered; what says nothing new writes nothing."""
    if not answering.rows:
        return
    answering.growth.append(answering.rows, reason)
    entry = answering.warband.entry
    words = f"Answered for {entry.name}: {', '.join(dues)}."
    answering.growth.change.log("growth_answer", words, subject=entry.token)


def _throw_all(answering: _Answering) -> list[str]:
    """Throw what is open, then what that opens, until nothing is; return the keys."""
    after, thrown = answering.growth.ledger, list[str]()
    # A roll may open another one: an injury that is rolled twice, a table below a table.
    while fresh := _rolls(after, answering.warband.token, thrown):
        for due in fresh:
            _take(answering, GivenAnswer(due.key), due, "answers")
        thrown += [due.key for due in fresh]
        after = answering.growth.with_rows(answering.rows)
    return thrown


def _rolls(after: CampaignLedger, warband: str, thrown: Sequence[str]) -> list[Due]:
    """Return the rolls that a warband owes besides these, as many as one call may answer."""
    owed = [due for due in after.state.open if due.warband == warband and due.dice]
    fresh = [due for due in owed if not due.is_answered and due.key not in thrown]
    return fresh[: ANSWERS_MAX - len(thrown)]


def preview_answers(
    asked: ChangeRequest, warband: str, answers: Sequence[GivenAnswer]
) -> GrowthDifference:
    """Return what answers would change. Nothing is thrown for it, and nothing written."""
    check_shape(answers)
    with readable_event(asked) as change:
        answering = _open(change, warband, is_preview=True)
        after = _read(answering, answers)
        return difference(answering.growth.ledger.state, after.state)


def _open(change: LockedEvent, warband: str, *, is_preview: bool = False) -> _Answering:
    """Return a warband that may be answered for. Raises NotFound, NotAllowed, WrongState."""
    growth = open_growth(change)
    row = find_campaign_warband(change, warband)
    is_organiser = check_own(growth, row.entry)
    # What a correction asks for after the end is for organisers to answer.
    if is_organiser:
        check_not_archived(change.event)
    else:
        check_grows_on(change)
    return _Answering(growth, row, is_organiser, is_preview)


# Checking an answer


def check_shape(answers: Sequence[GivenAnswer]) -> None:
    """Raise Refusal for what no campaign can take, before anything is locked."""
    if not 1 <= len(answers) <= ANSWERS_MAX:
        raise Refusal(f"Send 1 to {ANSWERS_MAX} answers at once.", field="answers")
    seen = set()
    for place, one in enumerate(answers):
        at = f"answers[{place}]"
        if one.due in seen:
            raise Refusal(f"{shown(one.due)} is answered twice here.", field=f"{at}.due")
        seen.add(one.due)
        for name, text, most in (
            ("due", one.due, DUE_MAX),
            ("choice", one.choice or "", CHOICE_MAX),
        ):
            if fault := text_fault(text, most):
                raise Refusal(f"The {name} {fault}.", field=f"{at}.{name}")
        clean_text(f"{at}.reason", one.reason, REASON_MAX)
        if one.faces is not None and not _are_faces(one.faces):
            words = f"Faces are 1 to {FACES_MOST} whole numbers from 1 to {FACE_MOST}."
            raise Refusal(words, field=f"{at}.faces")


def _are_faces(faces: Numbers) -> bool:
    """Return whether any dice could show these faces."""
    is_count = 1 <= len(faces) <= FACES_MOST
    return is_count and all(is_int_within(face, 1, FACE_MOST) for face in faces)


def _read(answering: _Answering, answers: Sequence[GivenAnswer]) -> CampaignLedger:
    """Make rows of answers, and return the campaign with them.

    One answer may open the due of another: they are taken as they are asked for.
    """
    growth = answering.growth
    # Places stay, so that a refusal names the answer as it was sent.
    left = dict(enumerate(answers))
    after = growth.ledger
    while left:
        taken = {
            place: due
            for place, one in left.items()
            if (due := after.state.find_due(answering.warband.token, one.due))
        }
        for place, due in taken.items():
            _take(answering, left.pop(place), due, f"answers[{place}]")
        # What is left is not asked for, whatever the others open.
        if not taken:
            break
        after = growth.with_rows(answering.rows) if answering.rows else after
    for place, one in left.items():
        _take_unasked(answering, one, f"answers[{place}]")
    return growth.with_rows(answering.rows) if answering.rows else after


def _take(answering: _Answering, given: GivenAnswer, due: Due, at: str) -> None:
    """Take the answer to a due that is open.

    A choice may come with its dice, or later. Raises Refusal naming the field, and WrongState for
    faces that are not those which were thrown before.
    """
    kept = _kept(answering, given.due)
    if given.row is not None:
        _rule(answering, given, at)
        return
    faces = _faces(answering, given, due, kept, at)
    if due.dice and faces is None:
        return  # a preview, which throws nothing
    _check_choice(answering, given, due, at)
    _add(answering, given, faces if due.dice else None)


def _check_choice(answering: _Answering, given: GivenAnswer, due: Due, at: str) -> None:
    """Raise Refusal for a choice that a due does not leave, or that is missing."""
    known = [key for key, _ in due.choices]
    # Before the dice are there, nobody knows what they leave to choose.
    is_open = bool(due.dice) and not due.is_answered and not known
    is_known = is_open or given.choice in (None, *known)
    # An organiser writes down what was chosen at the table; it waits where it cannot be yet.
    if not is_known and not answering.is_organiser:
        words = f"Choose one of {', '.join(known)}." if known else NOTHING_TO_CHOOSE
        raise Refusal(words, field=f"{at}.choice")
    if not due.dice and given.choice is None:
        raise Refusal(
            f"{given.due} asks for a choice: {', '.join(known)}.", field=f"{at}.choice"
        )


def _faces(
    answering: _Answering,
    given: GivenAnswer,
    due: Due,
    kept: KeptAnswer | None,
    at: str,
) -> Numbers | None:
    """Return the faces that count for a due: those of before, typed ones, or a throw.

    None for a due without dice, and for a preview, which throws nothing. Raises Refusal for faces
    that its dice cannot show.
    """
    if not due.dice:
        if given.faces is not None:
            raise Refusal(f"{given.due} asks for no dice.", field=f"{at}.faces")
        return None
    before = kept.faces if kept and are_faces_of(due.dice, kept.faces) else ()
    # Faces that were thrown for other dice do not bind anybody.
    if before:
        if given.faces not in (None, before):
            told = ", ".join(map(str, before))
            raise WrongState(OTHER_FACES.format(due=given.due, faces=told))
        return before
    if given.faces is None:
        return None if answering.is_preview else throw(due.dice)
    if not are_faces_of(due.dice, given.faces):
        raise Refusal(
            f"{due.dice} cannot show {', '.join(map(str, given.faces))}.",
            field=f"{at}.faces",
        )
    return given.faces


def _take_unasked(answering: _Answering, given: GivenAnswer, at: str) -> None:
    """Take what nothing asks for: an organiser's ruling, or faces that wait.

    Raises WrongState for what is answered already, and for players, who answer what is asked.
    """
    kept = _kept(answering, given.due)
    state = answering.growth.ledger.state.answers.get((answering.warband.token, given.due))
    if given.row is not None and state == COUNTS:
        _rule(answering, given, at)
        return
    if state == COUNTS:
        raise WrongState(ANSWERED.format(due=given.due))
    # Only an organiser writes down evenings whose dues are asked for later.
    if not answering.is_organiser or (given.faces is None and given.choice is None):
        raise WrongState(NO_SUCH_DUE.format(due=given.due))
    if kept and kept.faces and given.faces not in (None, kept.faces):
        told = ", ".join(map(str, kept.faces))
        raise WrongState(OTHER_FACES.format(due=given.due, faces=told))
    _add(answering, given, given.faces)


def _rule(answering: _Answering, given: GivenAnswer, at: str) -> None:
    """Take an organiser's ruling: a row in the place of what was thrown.

    The faces stay beside it. Raises Refusal for others, and without a reason.
    """
    if not answering.is_organiser:
        raise Refusal("Organisers alone rule what a roll is.", field=f"{at}.row")
    if not given.reason.strip():
        raise Refusal("Say why you rule so.", field=f"{at}.reason")
    _add(answering, given, given.faces)


def _kept(answering: _Answering, due: str) -> KeptAnswer | None:
    """Return what was answered to a due before."""
    return answering.growth.ledger.answers.get((answering.warband.token, due))


def _add(answering: _Answering, given: GivenAnswer, faces: Numbers | None) -> None:
    """Add the row of an answer that says something new."""
    token, kept = answering.warband.token, _kept(answering, given.due)
    entry = DueAnswer(token, given.due, faces, given.choice, given.row)
    # What says nothing new adds no row: an advance without its choice, an answer sent twice.
    if kept is not None and kept.with_answer(entry, kept.position) == kept:
        return
    row = row_of(
        entry,
        warband=answering.warband,
        due=given.due,
        is_typed=given.faces is not None,
    )
    answering.rows.append(row)
