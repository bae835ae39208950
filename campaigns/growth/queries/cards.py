"""Cards of a battle's dues: what is to be rolled or chosen, and what was answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

import re2
from django.db.models import Q

from accounts.models import display_name_of
from campaigns.growth.queries.presenter import CampaignPresenter, kind_of_due
from campaigns.models import GrowthRow, GrowthRowKind
from campaigns.queries.records import Choices
from engine.growth import dues
from engine.growth.dues import Due, DueKey
from engine.records import Numbers, TextPairs, Texts, frozen_dataclass

NAMELESS = ("done", "promoted")
"""Choices without a name of their own: the row that was rolled says what they do."""
_ADVANCE = re2.compile(rf"{dues.ADVANCE}/([^/]+)/(\d{{1,3}})")
_NO_ANCHOR = re2.compile("[^A-Za-z0-9]")


@frozen_dataclass
class AnswerNote:
    """Who answered a due last, when, and whether the dice were typed."""

    author: str
    is_typed: bool
    at: datetime
    position: int


@frozen_dataclass
class DueCard:
    """A roll or a choice of a warband, as its page shows it.

    ``who`` is the unit ("" for the warband), ``what`` what is asked. ``row`` is what was rolled and
    ``does`` what that does; ``chosen`` what was taken. ``meanings`` says what some choices do.
    ``blocked`` are choices of the row that are at their maximum. ``rows`` are for an organiser's
    ruling: the least roll of each, with its name. ``is_offer``: nobody need throw it.
    ``is_superseded``: nothing asks for it now.
    """

    key: str
    kind: str
    who: str
    what: str
    dice: str = ""
    faces: Numbers = ()
    row: str = ""
    does: str = ""
    chosen: str = ""
    choices: Choices = ()
    meanings: TextPairs = ()
    blocked: Texts = ()
    rows: Choices = ()
    note: AnswerNote | None = None
    is_open: bool = False
    is_offer: bool = False
    is_superseded: bool = False
    is_taken_back: bool = False
    is_ruled: bool = False

    @property
    def is_roll(self) -> bool:
        """Whether dice are thrown for it now."""
        return self.is_open and bool(self.dice) and not self.choices

    @property
    def is_choice(self) -> bool:
        """Whether something is chosen now."""
        return self.is_open and bool(self.choices)

    @property
    def anchor(self) -> str:
        """The card's place on its page."""
        return build_anchor(self.key)

    @property
    def title(self) -> str:
        """What the card is about in one phrase."""
        return f"{self.what} of {self.who}" if self.who else self.what


def build_anchor(due: str) -> str:
    """Return the place of a due on its page."""
    return f"due-{_NO_ANCHOR.sub('-', due[:200])}"


def load_answer_notes(
    event_id: int, warbands: Iterable[str], wanted: Q
) -> dict[DueKey, AnswerNote]:
    """Return who answered the dues of some warbands that ``wanted`` names. One query."""
    rows = GrowthRow.objects.filter(
        wanted,
        event_id=event_id,
        kind=GrowthRowKind.ANSWER,
        warband__token__in=list(warbands),
    )
    columns = rows.order_by("position").values_list(
        "warband__token", "due", "is_typed", "author_id", "author__name", "at", "position"
    )
    notes: dict[DueKey, AnswerNote] = {}
    for warband, due, is_typed, person, name, at, position in columns:
        # Each roll is made once: a choice that came later repeats its faces, typed or not.
        before = notes.get((warband, due))
        is_typed |= before is not None and before.is_typed
        author = display_name_of(person, name)
        notes[warband, due] = AnswerNote(author, is_typed, at, position)
    return notes


def build_open_card(
    campaign: CampaignPresenter, due: Due, note: AnswerNote | None
) -> DueCard:
    """Return the card of an open due."""
    key = due.warband, due.key
    previous, faces = campaign.ledger.answers.get(key), due.faces
    # Dice that were taken back count again when asked for.
    is_taken_back = not faces and previous is not None and previous.is_off
    if previous and is_taken_back:
        faces = previous.faces
    card = DueCard(
        due.key,
        due.kind,
        *campaign.due(*key),
        dice=due.dice,
        faces=faces,
        row=due.words,
        choices=_list_choices(campaign, due),
        meanings=_list_meanings(campaign, due),
        rows=campaign.ruling_rows(*key),
        note=note,
        is_open=True,
        is_offer=due in campaign.state.offers,
        is_taken_back=is_taken_back,
    )
    rolled = campaign.state.rolled.get(key)
    if not due.faces or rolled is None:
        return card
    # The dice lie there and leave something to choose.
    offered = {choice for choice, _ in due.choices}
    names = rolled.effect.names if rolled.effect.verb == "raise" else ()
    # What is at its maximum stays in sight, unless the row's other effect is what is offered.
    if offered.isdisjoint(names):
        names = ()
    return replace(
        card,
        row=rolled.name,
        does=campaign.effect(rolled.effect),
        blocked=tuple(name for name in names if name not in offered),
    )


def build_answered_card(
    campaign: CampaignPresenter, key: DueKey, note: AnswerNote | None
) -> DueCard:
    """Return the card of a due that was answered, whether it counts or nothing asks for it."""
    warband, due = key
    answer = campaign.ledger.answers[key]
    rolled = campaign.rolled_rows(*key)
    choice = answer.choice
    # What was the only possibility was taken without an answer.
    if advance := _ADVANCE.fullmatch(due):
        warrior = campaign.find_warrior(warband, advance[1])
        choice = (warrior.took.get(int(advance[2])) if warrior else "") or choice
    if choice in NAMELESS:
        choice = ""
    return DueCard(
        due,
        kind_of_due(due),
        *campaign.due(*key),
        faces=answer.faces,
        row=", ".join(row.name for row in rolled),
        does=". ".join(filter(None, (campaign.effect(row.effect) for row in rolled))),
        chosen=campaign.choice(warband, due, choice) if choice else "",
        rows=campaign.ruling_rows(*key),
        note=note,
        # Whatever neither counts nor waits for a choice is not called for now.
        is_superseded=campaign.state.answers.get(key) not in (dues.COUNTS, dues.CHOICE),
        is_ruled=answer.row is not None,
    )


def _list_choices(campaign: CampaignPresenter, due: Due) -> Choices:
    """Return what may be chosen, with names for people.

    Ids stay as they are: they are what an answer sends back.
    """
    holders: dict[str, str] = {}
    # What is claimed from somebody says so.
    if due.kind == dues.CLAIM:
        for token, grown in campaign.state.warbands.items():
            holder = f" (held by {campaign.warband(token)})"
            holders |= dict.fromkeys(grown.territories, holder)
    return tuple(
        (key, campaign.choice(due.warband, due.key, key, name) + holders.get(key, ""))
        for key, name in due.choices
    )


def _list_meanings(campaign: CampaignPresenter, due: Due) -> TextPairs:
    """Return what the choices of a due do, where their names do not say it: skills, territories."""
    ground = campaign.rules.territories
    if due.kind == dues.CLAIM and ground and ground.amount:
        pay = f"+{campaign.rules.amount(ground.amount, ground.currency)} after each battle"
        return ((f"Each {ground.word.lower()}", pay),)
    skills = (campaign.rules.skills.get(key) for key, _ in due.choices)
    return tuple((skill.name, skill.words) for skill in skills if skill and skill.words)
