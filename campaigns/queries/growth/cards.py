"""Dues as cards of a page: what is asked, what was thrown and by whom, and what may be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

import re2
from django.db.models import Q

from accounts.models import display_name_of
from campaigns.models import GrowthRow, GrowthRowKind
from campaigns.queries.growth.names import CampaignNames
from campaigns.queries.records import Choices
from engine.growth import dues
from engine.growth.advances import PAY
from engine.growth.dues import Due, DueKey
from engine.growth.slots import NONE
from engine.records import Numbers, TextPairs, Texts, frozen_dataclass

_ADVANCE = re2.compile(rf"{dues.ADVANCE}/([^/]+)/(\d{{1,3}})")
NAMELESS = ("done", "promoted")
_NO_ANCHOR = re2.compile("[^A-Za-z0-9]")


# What a card shows


@frozen_dataclass
class AnswerNote:
    """Who answered a due last, when, and whether the dice were typed."""

    author: str
    author_id: int | None
    is_typed: bool
    at: datetime
    position: int


@frozen_dataclass
class DueCard:
    """A roll or a choice of a warband, as its page shows it.

    ``who`` is the unit ("" for the warband), ``what`` what is asked. ``row`` is what was rolled and
    ``does`` what that does; ``chosen`` what was taken. ``meanings`` says what some choices do.
    ``blocked`` are choices of the row that are at their maximum. ``rows`` are for an organiser's
    ruling: the least roll of each, with its name.
    """

    key: str
    kind: str
    who: str
    what: str
    dice: str
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
    is_aside: bool = False
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
        return anchor_of(self.key)

    @property
    def title(self) -> str:
        """What the card is about in one phrase."""
        return f"{self.what} of {self.who}" if self.who else self.what

    @property
    def faces_words(self) -> str:
        """The faces as they lay there."""
        return ", ".join(map(str, self.faces))


def anchor_of(due: str) -> str:
    """Return the place of a due on its page."""
    return f"due-{_NO_ANCHOR.sub('-', due[:200])}"


# Cards of what is open, and of what was answered


def load_answer_notes(
    event_id: int, warbands: Iterable[str], wanted: Q
) -> Mapping[DueKey, AnswerNote]:
    """Return who answered the dues of some warbands that ``wanted`` names. One query."""
    rows = GrowthRow.objects.filter(
        wanted,
        event_id=event_id,
        kind=GrowthRowKind.ANSWER,
        warband__token__in=list(warbands),
    )
    columns = rows.order_by("position").values_list(
        "warband__token",
        "due",
        "is_typed",
        "author_id",
        "author__name",
        "at",
        "position",
    )
    found: dict[DueKey, AnswerNote] = {}
    for token, due, typed, person, name, at, position in columns:
        before = found.get((token, due))
        # Each roll is made once: a choice that came later repeats its faces, typed or not.
        is_typed = typed or (before is not None and before.is_typed)
        author = display_name_of(person, name)
        found[token, due] = AnswerNote(author, person, is_typed, at, position)
    return found


def open_card(names: CampaignNames, due: Due, note: AnswerNote | None) -> DueCard:
    """Return the card of an open due."""
    who, what = names.due(due.warband, due.key)
    card = DueCard(
        key=due.key,
        kind=due.kind,
        who=who,
        what=what,
        dice=due.dice,
        row=due.words,
        choices=choices_of(names, due),
        meanings=_meanings(names, due),
        rows=rows_of(names, due.warband, due.key),
        note=note,
        is_open=True,
    )
    # Dice that were thrown leave a choice open, or were taken back and count again when asked for.
    if due.faces:
        return _with_throw(names, card, due)
    kept = names.ledger.answers.get((due.warband, due.key))
    if kept and kept.is_off:
        return replace(card, faces=kept.faces, is_taken_back=True)
    return card


def _with_throw(names: CampaignNames, card: DueCard, due: Due) -> DueCard:
    """Return the card of a due whose dice lie there and leave something to choose."""
    rolled = names.ledger.state.rolled[due.warband, due.key]
    offered = {key for key, _ in due.choices}
    named = rolled.effect.names if rolled.effect.verb == "raise" else ()
    # What is at its maximum stays in sight, unless the row's other effect is what is offered.
    is_raise = bool(offered & set(named))
    return replace(
        card,
        faces=due.faces,
        row=rolled.name,
        does=names.effect(rolled.effect),
        blocked=tuple(name for name in named if is_raise and name not in offered),
    )


def answered_card(names: CampaignNames, key: DueKey, note: AnswerNote | None) -> DueCard:
    """Return the card of a due that was answered, whether it counts or nothing asks for it."""
    warband, due = key
    who, what = names.due(warband, due)
    kept = names.ledger.answers[key]
    rolled = names.ledger.state.rolled.get(key)
    state = names.ledger.state.answers.get(key)
    # Whatever neither counts nor waits for a choice is not called for now.
    return DueCard(
        key=due,
        kind=kind_of(due),
        who=who,
        what=what,
        dice="",
        faces=kept.faces,
        row=rolled.name if rolled else "",
        does=names.effect(rolled.effect) if rolled else "",
        chosen=_chosen(names, warband, due),
        rows=rows_of(names, warband, due),
        note=note,
        is_aside=state not in (dues.COUNTS, dues.CHOICE),
        is_ruled=kept.row is not None,
    )


# What a due asks, and what may be chosen


def kind_of(due: str) -> str:
    """Return the kind of a due by its key.

    Standing ones begin with it, those of a game with the game.
    """
    first, _, rest = due.partition("/")
    return first if first in dues.STANDING else rest.partition("/")[0]


def rows_of(names: CampaignNames, warband: str, due: str) -> Choices:
    """Return the rows of the table that a due is rolled on, for a ruling."""
    table = names.table_of(warband, due)
    return tuple((str(row.least), row.name) for row in table.rows) if table else ()


def choices_of(names: CampaignNames, due: Due) -> Choices:
    """Return what may be chosen, with names for people.

    Ids stay as they are: they are what an answer sends back.
    """
    held = _holders(names) if due.kind == dues.CLAIM else {}
    return tuple(
        (key, choice_name(names, due.warband, due.key, key, name) + held.get(key, ""))
        for key, name in due.choices
    )


def _holders(names: CampaignNames) -> dict[str, str]:
    """Return whose each territory is: what is claimed from somebody says so."""
    found: dict[str, str] = {}
    for token, grown in names.ledger.state.warbands.items():
        found |= dict.fromkeys(grown.territories, f" (held by {names.warband(token)})")
    return found


def _meanings(names: CampaignNames, due: Due) -> TextPairs:
    """Return what the choices of a due do, where their names do not say it: skills, territories."""
    ground = names.rules.territories
    if due.kind == dues.CLAIM and ground and ground.amount:
        pay = f"+{ground.amount} {names.currency(ground.currency)} after each battle"
        return ((f"Each {ground.word.lower()}", pay),)
    known = (names.rules.skills.get(key) for key, _ in due.choices)
    return tuple((skill.name, skill.words) for skill in known if skill and skill.words)


def choice_name(
    names: CampaignNames, warband: str, due: str, key: str, name: str = ""
) -> str:
    """Return what a choice of a due is called."""
    kind = kind_of(due)
    # The choices of a ransom carry their sums as names; an answer of before has none.
    if kind == dues.RANSOM:
        money = names.currency(names.rules.prices.currency)
        if key == PAY:
            return f"Pay {name} {money}" if name else "Paid"
        return "Refuse: lose this unit" if name else "Refused"
    if kind == dues.SUCCESSION:
        return names.unit(warband, key)
    if kind == dues.CLAIM:
        return "Claim nothing" if key == NONE else key
    if key in names.rules.skills:
        return names.skill(key)
    return f"+1 {key}" if key else ""


def _chosen(names: CampaignNames, warband: str, due: str) -> str:
    """Return what was taken: by choice, or as the only possibility there was."""
    found = _ADVANCE.fullmatch(due)
    one = names.ledger.state.warbands[warband].warriors.get(found[1]) if found else None
    choice = one.took.get(int(found[2]), "") if one and found else ""
    choice = choice or names.ledger.answers[warband, due].choice
    # What left nothing to choose has no name of its own: its row says what it does.
    if not choice or choice in NAMELESS:
        return ""
    return choice_name(names, warband, due, choice)
