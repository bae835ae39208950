"""The page after a battle of a growing campaign: eight sections for each of its sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from datetime import datetime

import re2
from django.db.models import Q

from accounts.models import display_name_of
from accounts.owner import Owner
from campaigns.growth.queries.phrases import MONEY, NOTES
from campaigns.growth.queries.presenter import (
    CampaignPresenter,
    award_words,
    kind_of_due,
    load_campaign,
)
from campaigns.models import GrowthRow, GrowthRowKind
from campaigns.queries.fixture_page import FixturePage, load_fixture
from campaigns.queries.records import Choices
from engine.growth import dues
from engine.growth.campaign import BattleLesson, BattleTold, MoneyMove
from engine.growth.dues import Due, DueKey
from engine.growth.log import COUNTED, FixtureResult
from engine.records import Numbers, TextPairs, Texts, frozen_dataclass

_PARTS = re2.compile(r"\d+|\D+")
SECTIONS: Mapping[str, str] = {
    dues.INJURY: "injuries",
    dues.OLD_WOUND: "injuries",
    dues.ADVANCE: "advances",
    dues.SUCCESSION: "advances",
    dues.INCOME: "income",
    dues.ROLL: "income",
    dues.CLAIM: "ground",
    dues.RANSOM: "ground",
}
"""In which section of the page a due stands, by its kind."""


# What the page shows


@frozen_dataclass
class AfterTables:
    """What a battle was worth to a side.

    ``lessons`` are units with what they learned and for what, ``income`` reasons with sums.
    ``figures`` are the rating and each currency, before the game and after it.
    """

    name: str
    lessons: tuple[tuple[str, BattleLesson, str], ...] = ()
    income: tuple[tuple[str, int, str], ...] = ()
    figures: tuple[tuple[str, int, int], ...] = ()


@frozen_dataclass
class AfterSide:
    """One side after a battle. What is hidden from the reader is empty.

    ``objectives`` are those that pay: the key in a form, the name, and how many were taken.
    ``cards`` are those of the page's sections, with "aside" for answers that nothing asks for now.
    ``treasury`` and ``rating`` are those of now, ``later`` counts the warband's games since.
    ``notes`` tell who fought and should not have.
    ``is_over``: the event is, so that nothing is reversed or traded.
    """

    warband: str
    entry: str
    name: str
    is_mine: bool
    may_act: bool
    is_hidden: bool
    is_over: bool
    tables: AfterTables
    objectives: tuple[tuple[str, str, int], ...]
    out: Texts = ()
    takers: Choices = ()
    took: Texts = ()
    cards: Mapping[str, list[DueCard]] = field(default_factory=dict)
    treasury: Texts = ()
    rating: int = 0
    captives: Texts = ()
    notes: Texts = ()
    later: int = 0

    @property
    def reverse_form(self) -> str:
        """The id of the form that reverses an answer, "" for a reader who may not."""
        return f"reverse-{self.entry}" if self.may_act and not self.is_over else ""

    @property
    def open(self) -> int:
        """How many rolls and choices are open."""
        return sum(card.is_open for cards in self.cards.values() for card in cards)

    @property
    def to_roll(self) -> int:
        """How many of them are rolls."""
        return sum(card.is_roll for cards in self.cards.values() for card in cards)

    def find_card(self, due: str) -> DueCard | None:
        """Return the card of a due that is called for."""
        sections = (cards for name, cards in self.cards.items() if name != "aside")
        return next((card for cards in sections for card in cards if card.key == due), None)


@frozen_dataclass
class AfterPage:
    """A game of a growing campaign after it was played.

    ``is_told``: a result is known. ``counts``: it counts in the campaign now.
    """

    fixture: FixturePage
    is_told: bool
    counts: bool
    sides: tuple[AfterSide, ...]
    territory_word: str

    @property
    def may_tell(self) -> bool:
        """Whether the reader may say which objectives were taken.

        Once the result is final, organisers alone may.
        """
        return any(side.may_act and side.objectives for side in self.sides) and (
            self.fixture.record.status != "final" or self.fixture.event.may_organise
        )

    @property
    def own(self) -> AfterSide | None:
        """The reader's own side."""
        return next((side for side in self.sides if side.is_mine), None)

    def find(self, warband: str) -> AfterSide | None:
        """Return the side of a warband."""
        return next((side for side in self.sides if side.warband == warband), None)


# Loading


def load_after_page(actor: Owner, token: str, fixture: str) -> AfterPage | None:
    """Return the page after a battle as this person may read it, None where there is none.

    At most ten queries, however much was answered.
    """
    page = load_fixture(actor, token, fixture)
    if page is None or not page.event.growth_position:
        return None
    campaign = load_campaign(page.event, rosters=False)
    # The last row of a fixture replaces what earlier ones said.
    entries = (row.entry for row in reversed(campaign.ledger.log.rows))
    results = (entry for entry in entries if isinstance(entry, FixtureResult))
    result = next((result for result in results if result.fixture == fixture), None)
    sides: list[AfterSide] = []
    # The page opens as soon as either side has told the result.
    if result is not None:
        builder = _SideBuilder(page, campaign, result)
        notes = builder.load_notes()
        sides = [builder.build(warband, notes) for warband in result.sides]
    return AfterPage(
        fixture=page,
        is_told=result is not None,
        counts=result is not None and result.status == COUNTED,
        sides=tuple(sorted(sides, key=lambda side: not side.is_mine)),
        territory_word=campaign.territory_word or "Territories",
    )


class _SideBuilder:
    """Draws up the sides of a game with a result.

    All of it comes from one fold of the campaign, so that no side asks the database again.
    """

    def __init__(
        self, page: FixturePage, campaign: CampaignPresenter, result: FixtureResult
    ) -> None:
        """Keep what the eight sections read, with the battle of this result if it counts."""
        self.page, self.campaign, self.result = page, campaign, result
        self.state = campaign.state
        battles = (
            battle for battle in self.state.battles if battle.fixture == result.fixture
        )
        # None where the result does not count now: it is void, or disputed.
        self.battle: BattleTold | None = next(battles, None)
        self.position = self.battle.position if self.battle else 0
        self.entries = {side.entry.token: side.entry for side in page.sides}

    def load_notes(self) -> Mapping[DueKey, AnswerNote]:
        """Return who answered what of this game. One query."""
        game = self.result.fixture
        standing = Q(due__startswith=f"{dues.ADVANCE}/")
        standing |= Q(due__startswith=f"{dues.SUCCESSION}/")
        wanted = Q(due__startswith=f"{game}/") | Q(due__startswith=f"{dues.RANSOM}/{game}/")
        # Advances name no game: those of this one were answered after it.
        wanted |= standing & Q(position__gt=self.position)
        return load_answer_notes(self.page.event.id, self.result.sides, wanted)

    def build(self, warband: str, notes: Mapping[DueKey, AnswerNote]) -> AfterSide:
        """Return a side."""
        row = self.campaign.rows[warband]
        entry = self.entries.get(row.entry.token)
        is_mine = entry is not None and entry.is_mine
        event, result = self.page.event, self.result
        side = AfterSide(
            warband=warband,
            entry=row.entry.token,
            name=row.entry.name,
            is_mine=is_mine,
            # After the end organisers alone answer.
            may_act=(is_mine and not event.is_over)
            or (event.may_organise and not event.is_archived),
            is_hidden=event.hides(row.entry.token),
            is_over=event.is_over,
            tables=AfterTables(row.entry.name),
            objectives=self._list_objectives(warband),
        )
        if side.is_hidden:
            return side
        grown, later = self.state.warbands[warband], self._later_battles(warband)
        return replace(
            side,
            tables=self._tables(warband, row.entry.name),
            out=self._out(warband),
            takers=self._takers(warband),
            took=tuple(unit for token, unit in result.objective_by if token == warband),
            cards=self._cards(warband, notes, later),
            treasury=self.campaign.money(grown.treasury),
            rating=grown.rating,
            captives=self.campaign.held_by(warband),
            notes=tuple(
                NOTES[note.why].format(who=self.campaign.unit(warband, note.warrior))
                for note in self.state.notes
                if (note.warband, note.fixture) == (warband, result.fixture)
            ),
            later=len(later),
        )

    def _list_objectives(self, warband: str) -> tuple[tuple[str, str, int], ...]:
        """Return the objectives that pay, each with how many of it a warband took."""
        taken_counts = self.result.objectives.get(warband, {})
        return tuple(
            (
                line.objective,
                line.name or line.objective.replace("-", " ").capitalize(),
                taken_counts.get(line.objective, 0),
            )
            for line in self.campaign.rules.income
            if line.when == "objective"
        )

    def _out(self, warband: str) -> Texts:
        """Return who was put out, each with who did it where that is known."""
        lines = []
        for model in self.result.out.get(warband, ()):
            line = self.campaign.unit(warband, model.who)
            # Who did it is of the other side, whose roster may be secret.
            enemy = self.campaign.rows.get(model.by[0]) if model.by else None
            if enemy and model.by and not self.page.event.hides(enemy.entry.token):
                line += f", by {self.campaign.unit(*model.by)}"
            lines.append(line)
        return tuple(lines)

    def _takers(self, warband: str) -> TextPairs:
        """Return who fought and may have taken an objective, where that teaches anybody."""
        if not any(award.when == "objective" for award in self.campaign.rules.experience):
            return ()
        fielded = self.result.fielded.get(warband, ())
        return tuple((key, self.campaign.unit(warband, key)) for key in fielded)

    def _cards(
        self,
        warband: str,
        notes: Mapping[DueKey, AnswerNote],
        later: list[BattleTold],
    ) -> dict[str, list[DueCard]]:
        """Return the cards of a side by section, and under "aside" those nothing asks for now."""
        cards: dict[str, DueCard] = {}
        for due in self.state.open:
            # What belongs to no game is asked everywhere.
            if due.warband == warband and due.fixture in ("", self.result.fixture):
                note = notes.get((warband, due.key))
                cards[due.key] = build_open_card(self.campaign, due, note)
        # Answers before the warband's next battle; beside a game that does not count stands
        # only what it asked itself.
        until = later[0].position if later else self.campaign.ledger.position
        for (token, key), note in notes.items():
            is_later = self.battle is None or note.position > until
            is_later &= kind_of_due(key) in dues.STANDING
            if token == warband and not is_later and key not in cards:
                cards[key] = build_answered_card(self.campaign, (token, key), note)
        sections: dict[str, list[DueCard]] = {}
        for card in sorted(cards.values(), key=lambda card: natural(card.key)):
            name = "aside" if card.is_aside else SECTIONS.get(card.kind, "income")
            sections.setdefault(name, []).append(card)
        return sections

    def _later_battles(self, warband: str) -> list[BattleTold]:
        """Return the battles of a warband that count after this one."""
        first = self.position or self.campaign.ledger.position
        return [
            battle for battle in self.state.battles_of(warband) if battle.position > first
        ]

    def _tables(self, warband: str, name: str) -> AfterTables:
        """Return what each unit learned, each amount with its reason, and the figures."""
        if self.battle is None:
            return AfterTables(name)
        campaign, last = self.campaign, self.position
        # All that went through the treasury up to this battle.
        moves = [
            move
            for move in self.state.moves
            if move.warband == warband and move.position <= last
        ]
        return AfterTables(
            name,
            tuple(
                (campaign.unit(warband, lesson.warrior), lesson, award_words(lesson.awards))
                for lesson in self.battle.lessons
                if lesson.warband == warband
            ),
            tuple(
                (MONEY[move.why], move.amount, campaign.currency(move.currency))
                for move in moves
                if move.position == last
            ),
            (("Rating", *self.battle.ratings[warband]), *self._sum_currencies(moves)),
        )

    def _sum_currencies(self, moves: list[MoneyMove]) -> Iterator[tuple[str, int, int]]:
        """Yield each currency with its sum before the game and after it.

        ``moves`` are those of a warband up to this battle.
        """
        for currency in self.campaign.rules.currencies:
            in_currency = [move for move in moves if move.currency == currency.id]
            before = sum(
                move.amount for move in in_currency if move.position < self.position
            )
            after = sum(move.amount for move in in_currency)
            yield currency.name.capitalize(), before, after


def natural(key: str) -> list[tuple[int, str]]:
    """Return a key for sorting in which numbers rise: w2 before w10."""
    return [
        (int(part), "") if part.isdigit() else (0, part) for part in _PARTS.findall(key)
    ]


_ADVANCE = re2.compile(rf"{dues.ADVANCE}/([^/]+)/(\d{{1,3}})")
NAMELESS = ("done", "promoted")
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
    ruling: the least roll of each, with its name.
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
    notes: dict[DueKey, AnswerNote] = {}
    for token, due, typed, person, name, at, position in columns:
        before = notes.get((token, due))
        # Each roll is made once: a choice that came later repeats its faces, typed or not.
        is_typed = typed or (before is not None and before.is_typed)
        author = display_name_of(person, name)
        notes[token, due] = AnswerNote(author, is_typed, at, position)
    return notes


def build_open_card(
    campaign: CampaignPresenter, due: Due, note: AnswerNote | None
) -> DueCard:
    """Return the card of an open due."""
    key = due.warband, due.key
    card = DueCard(
        due.key,
        due.kind,
        *campaign.due(*key),
        dice=due.dice,
        row=due.words,
        choices=_choices(campaign, due),
        meanings=_meanings(campaign, due),
        rows=campaign.ruling_rows(*key),
        note=note,
        is_open=True,
    )
    if not due.faces:
        # Dice that were taken back count again when asked for.
        previous = campaign.ledger.answers.get(key)
        is_taken_back = previous is not None and previous.is_off
        faces = previous.faces if previous and is_taken_back else ()
        return replace(card, faces=faces, is_taken_back=is_taken_back)
    # The dice lie there and leave something to choose.
    rolled = campaign.state.rolled[key]
    offered = {choice for choice, _ in due.choices}
    names = rolled.effect.names if rolled.effect.verb == "raise" else ()
    # What is at its maximum stays in sight, unless the row's other effect is what is offered.
    is_raise = bool(offered & set(names))
    return replace(
        card,
        faces=due.faces,
        row=rolled.name,
        does=campaign.effect(rolled.effect),
        blocked=tuple(name for name in names if is_raise and name not in offered),
    )


def build_answered_card(
    campaign: CampaignPresenter, key: DueKey, note: AnswerNote | None
) -> DueCard:
    """Return the card of a due that was answered, whether it counts or nothing asks for it."""
    answer = campaign.ledger.answers[key]
    rolled = campaign.state.rolled.get(key)
    return DueCard(
        key[1],
        kind_of_due(key[1]),
        *campaign.due(*key),
        faces=answer.faces,
        row=rolled.name if rolled else "",
        does=campaign.effect(rolled.effect) if rolled else "",
        chosen=_chosen(campaign, *key),
        rows=campaign.ruling_rows(*key),
        note=note,
        # Whatever neither counts nor waits for a choice is not called for now.
        is_aside=campaign.state.answers.get(key) not in (dues.COUNTS, dues.CHOICE),
        is_ruled=answer.row is not None,
    )


def _choices(campaign: CampaignPresenter, due: Due) -> Choices:
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


def _meanings(campaign: CampaignPresenter, due: Due) -> TextPairs:
    """Return what the choices of a due do, where their names do not say it: skills, territories."""
    ground = campaign.rules.territories
    if due.kind == dues.CLAIM and ground and ground.amount:
        pay = f"+{ground.amount} {campaign.currency(ground.currency)} after each battle"
        return ((f"Each {ground.word.lower()}", pay),)
    skills = (campaign.rules.skills.get(key) for key, _ in due.choices)
    return tuple((skill.name, skill.words) for skill in skills if skill and skill.words)


def _chosen(campaign: CampaignPresenter, warband: str, due: str) -> str:
    """Return what was taken: by choice, or as the only possibility there was."""
    choice = ""
    if advance := _ADVANCE.fullmatch(due):
        warrior = campaign.find_warrior(warband, advance[1])
        choice = warrior.took.get(int(advance[2]), "") if warrior else ""
    choice = choice or campaign.ledger.answers[warband, due].choice
    # What left nothing to choose has no name of its own: its row says what it does.
    if not choice or choice in NAMELESS:
        return ""
    return campaign.choice(warband, due, choice)
