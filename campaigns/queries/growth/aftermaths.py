"""The page after a battle of a growing campaign: eight sections for each of its sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from django.db.models import Q

from accounts.owner import Owner
from campaigns.queries.fixture_page import FixturePage, load_fixture
from campaigns.queries.growth.cards import (
    AnswerNote,
    DueCard,
    answered_card,
    kind_of,
    load_answer_notes,
    open_card,
)
from campaigns.queries.growth.names import (
    WHY,
    CampaignNames,
    awards_words,
    load_campaign_names,
)
from campaigns.queries.records import Choices
from engine.growth import dues
from engine.growth.campaign import (
    OUTSIDE,
    WENT_OUT_WOUNDED,
    BattleTold,
    MoneyMove,
)
from engine.growth.dues import DueKey
from engine.growth.log import COUNTED, FixtureResult
from engine.growth.rules import CampaignCurrency
from engine.records import Texts, frozen_dataclass

_PARTS = re.compile(r"\d+|\D+")
NOTES: Mapping[str, str] = {
    OUTSIDE: "{who} fought, but is not in the warband by then: earns nothing.",
    WENT_OUT_WOUNDED: "{who} fought, though the old wound said no.",
}
"""What is said of somebody who should not have fought, by the reason."""
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
class LessonLine:
    """What a unit learned: "came back 1, put out 2", and its experience before and after."""

    name: str
    awards: str
    before: int
    after: int


@frozen_dataclass
class SumLine:
    """An amount of money with its reason."""

    why: str
    amount: int
    currency: str


@frozen_dataclass
class ObjectiveLine:
    """How many of an objective a side took; ``key`` names it in a form."""

    key: str
    name: str
    taken: int


@frozen_dataclass
class AfterTables:
    """What a battle was worth to a side.

    ``figures`` are the rating and each currency, before the game and after it.
    """

    name: str
    lessons: tuple[LessonLine, ...] = ()
    income: tuple[SumLine, ...] = ()
    figures: tuple[tuple[str, int, int], ...] = ()


@frozen_dataclass
class AfterSide:
    """One side after a battle. What is hidden from the reader is empty.

    ``treasury`` and ``rating`` are those of now, ``later`` counts the warband's games since.
    ``aside`` are answers that nothing asks for now, ``notes`` tell who fought and should not have.
    """

    warband: str
    entry: str
    name: str
    is_mine: bool
    may_act: bool
    is_hidden: bool
    tables: AfterTables
    out: Texts = ()
    objectives: tuple[ObjectiveLine, ...] = ()
    takers: Choices = ()
    took: Texts = ()
    cards: Mapping[str, tuple[DueCard, ...]] = field(default_factory=dict)
    treasury: Texts = ()
    rating: int = 0
    held: Texts = ()
    aside: tuple[DueCard, ...] = ()
    notes: Texts = ()
    later: int = 0

    @property
    def reverse_form(self) -> str:
        """The id of the form that reverses an answer, "" for a reader who may not."""
        return f"reverse-{self.entry}" if self.may_act else ""

    @property
    def open(self) -> int:
        """How many rolls and choices are open."""
        return sum(card.is_open for cards in self.cards.values() for card in cards)

    @property
    def to_roll(self) -> int:
        """How many of them are rolls."""
        return sum(card.is_roll for cards in self.cards.values() for card in cards)

    def card(self, due: str) -> DueCard | None:
        """Return the card of a due."""
        found = (card for cards in self.cards.values() for card in cards)
        return next((card for card in found if card.key == due), None)

    def takes_answer(self, due: str, *, is_ruling: bool) -> bool:
        """Return whether the page has a place for the answer to a due, or for a ruling on it."""
        card = self.card(due)
        return card is not None and (card.is_open or (is_ruling and bool(card.rows)))

    def dice_of(self, due: str) -> str:
        """Return the dice of an open due, "" where none are thrown."""
        card = self.card(due)
        return card.dice if card else ""

    def title_of(self, due: str) -> str:
        """Return what a due is about."""
        card = self.card(due)
        return card.title if card else "Answer"

    def words_of(self, due: str, row: int | None, reason: str) -> str:
        """Return an organiser's ruling in words, "" for any other answer."""
        card = self.card(due)
        named = dict(card.rows).get(str(row), "") if card and row is not None else ""
        return f"Counts as: {named}. {reason}".strip() if named else ""

    @property
    def injuries(self) -> tuple[DueCard, ...]:
        """The cards of section 2."""
        return self.cards.get("injuries", ())

    @property
    def advances(self) -> tuple[DueCard, ...]:
        """The cards of section 4."""
        return self.cards.get("advances", ())

    @property
    def rolls(self) -> tuple[DueCard, ...]:
        """The cards of section 5: income and further rolls."""
        return self.cards.get("income", ())

    @property
    def ground(self) -> tuple[DueCard, ...]:
        """The cards of section 6."""
        return self.cards.get("ground", ())


@frozen_dataclass
class AfterPage:
    """A game of a growing campaign after it was played.

    ``is_told``: a result is known. ``counts``: it counts in the campaign now.
    """

    fixture: FixturePage
    position: int
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
    names = load_campaign_names(page.event, rosters=False)
    result = result_of(names, fixture)
    sides: tuple[AfterSide, ...] = ()
    # The page opens as soon as either side has told the result.
    if result is not None:
        scene = _Scene(page, names, result)
        notes = scene.load_notes()
        found = [scene.side(one, notes) for one in result.sides]
        sides = tuple(sorted(found, key=lambda side: not side.is_mine))
    return AfterPage(
        fixture=page,
        position=names.ledger.position,
        is_told=result is not None,
        counts=result is not None and result.status == COUNTED,
        sides=sides,
        territory_word=names.territory_word or "Territories",
    )


def result_of(names: CampaignNames, fixture: str) -> FixtureResult | None:
    """Return what a game came to, as the campaign was told last, None before it was told.

    The last row of a fixture replaces what earlier ones said.
    """
    entries = (row.entry for row in reversed(names.ledger.log.rows))
    return next(
        (
            one
            for one in entries
            if isinstance(one, FixtureResult) and one.fixture == fixture
        ),
        None,
    )


class _Scene:
    """A game with its result, for drawing up its sides.

    All of it comes from one fold of the campaign, so that no side asks the database again.
    """

    def __init__(
        self,
        page: FixturePage,
        names: CampaignNames,
        result: FixtureResult,
    ) -> None:
        """Keep what the eight sections read, with the battle of this result if it counts."""
        self.page, self.names, self.result = page, names, result
        self.state = names.ledger.state
        played = [one for one in self.state.battles if one.fixture == result.fixture]
        # None where the result does not count now: it is void, or disputed.
        self.battle = played[0] if played else None
        self.entries = {side.entry.token: side.entry for side in page.sides}

    def load_notes(self) -> Mapping[DueKey, AnswerNote]:
        """Return who answered what of this game. One query."""
        game = self.result.fixture
        first = self.battle.position if self.battle else 0
        standing = Q(due__startswith=f"{dues.ADVANCE}/")
        standing |= Q(due__startswith=f"{dues.SUCCESSION}/")
        wanted = Q(due__startswith=f"{game}/") | Q(due__startswith=f"{dues.RANSOM}/{game}/")
        # Advances name no game: those of this one were answered after it.
        wanted |= standing & Q(position__gt=first)
        event = self.page.event.id
        return load_answer_notes(event, self.result.sides, wanted)

    def side(self, warband: str, notes: Mapping[DueKey, AnswerNote]) -> AfterSide:
        """Return a side."""
        row = self.names.rows[warband]
        entry = self.entries.get(row.entry.token)
        is_mine = entry is not None and entry.is_mine
        event = self.page.event
        head = AfterSide(
            warband=warband,
            entry=row.entry.token,
            name=row.entry.name,
            is_mine=is_mine,
            may_act=(is_mine or event.may_organise) and not event.is_archived,
            is_hidden=event.hides(row.entry.token),
            tables=AfterTables(row.entry.name),
            objectives=self._objectives(warband),
        )
        if head.is_hidden:
            return head
        cards, aside = self._cards(warband, notes)
        return replace(
            head,
            tables=AfterTables(
                row.entry.name,
                self._lessons(warband),
                self._income(warband),
                self._figures(warband),
            ),
            out=self._out(warband),
            takers=self._takers(warband),
            took=tuple(one for side, one in self.result.objective_by if side == warband),
            cards=cards,
            treasury=self.names.money(self.state.warbands[warband].treasury),
            rating=self.state.warbands[warband].rating,
            held=self.names.held_by(warband),
            aside=aside,
            notes=self._notes(warband),
            later=len(self._later(warband)),
        )

    def _out(self, warband: str) -> Texts:
        """Return who was put out, each with who did it where that is known."""
        found = []
        for one in self.result.out.get(warband, ()):
            name = self.names.unit(warband, one.who)
            # Who did it is of the other side, whose roster may be secret.
            enemy = self.names.rows.get(one.by[0]) if one.by else None
            is_told = enemy is not None and not self.page.event.hides(enemy.entry.token)
            by = f", by {self.names.unit(*one.by)}" if is_told and one.by else ""
            found.append(f"{name}{by}")
        return tuple(found)

    def _notes(self, warband: str) -> Texts:
        """Return who fought and should not have, each in a sentence."""
        game = warband, self.result.fixture
        own = [one for one in self.state.notes if (one.warband, one.fixture) == game]
        return tuple(
            NOTES[one.why].format(who=self.names.unit(warband, one.warrior)) for one in own
        )

    def _objectives(self, warband: str) -> tuple[ObjectiveLine, ...]:
        """Return the objectives that pay, with how many a side took."""
        taken = self.result.objectives.get(warband, {})
        lines = [one for one in self.names.rules.income if one.when == "objective"]
        return tuple(
            ObjectiveLine(
                one.objective,
                one.name or one.objective.replace("-", " ").capitalize(),
                taken.get(one.objective, 0),
            )
            for one in lines
        )

    def _takers(self, warband: str) -> Choices:
        """Return who fought and may have taken an objective, where that teaches anybody."""
        if not any(one.when == "objective" for one in self.names.rules.experience):
            return ()
        fielded = self.result.fielded.get(warband, ())
        return tuple((key, self.names.unit(warband, key)) for key in fielded)

    def _cards(
        self, warband: str, notes: Mapping[DueKey, AnswerNote]
    ) -> tuple[dict[str, tuple[DueCard, ...]], tuple[DueCard, ...]]:
        """Return the cards of a side by section, and those that nothing asks for now."""
        found = {card.key: card for card in self._open(warband, notes)}
        for card in self._answered(warband, notes):
            found.setdefault(card.key, card)
        ordered = sorted(found.values(), key=lambda card: natural(card.key))
        sections: dict[str, list[DueCard]] = {}
        for card in ordered:
            name = "aside" if card.is_aside else SECTIONS.get(card.kind, "income")
            sections.setdefault(name, []).append(card)
        aside = tuple(sections.pop("aside", ()))
        return {name: tuple(cards) for name, cards in sections.items()}, aside

    def _open(self, warband: str, notes: Mapping[DueKey, AnswerNote]) -> Iterable[DueCard]:
        """Yield the cards of what a side owes here; what belongs to no game is asked everywhere."""
        for due in self.state.open:
            is_here = due.fixture in ("", self.result.fixture)
            if due.warband == warband and is_here:
                yield open_card(self.names, due, notes.get((warband, due.key)))

    def _answered(
        self, warband: str, notes: Mapping[DueKey, AnswerNote]
    ) -> Iterable[DueCard]:
        """Yield the cards of what a side answered, before its next battle."""
        later = self._later(warband)
        until = later[0].position if later else self.names.ledger.position
        for key, note in notes.items():
            # Beside a game that does not count stands only what it asked itself.
            is_later = self.battle is None or note.position > until
            is_later &= kind_of(key[1]) in dues.STANDING
            if key[0] == warband and not is_later:
                yield answered_card(self.names, key, note)

    def _later(self, warband: str) -> list[BattleTold]:
        """Return the battles of a warband that count after this one."""
        first = self.battle.position if self.battle else self.names.ledger.position
        return [one for one in self.state.battles_of(warband) if one.position > first]

    def _lessons(self, warband: str) -> tuple[LessonLine, ...]:
        """Return what each unit learned."""
        learned = self.battle.lessons if self.battle else ()
        own = (one for one in learned if one.warband == warband)
        return tuple(
            LessonLine(
                name=self.names.unit(warband, one.warrior),
                awards=awards_words(one.awards),
                before=one.before,
                after=one.before + one.amount,
            )
            for one in own
        )

    def _moves(self, warband: str) -> list[MoneyMove]:
        """Return all that went through the treasury of a warband, up to this battle with it."""
        last = self.battle.position if self.battle else 0
        own = (one for one in self.state.moves if one.warband == warband)
        return [one for one in own if one.position <= last]

    def _income(self, warband: str) -> tuple[SumLine, ...]:
        """Return each amount of the game with its reason."""
        last = self.battle.position if self.battle else 0
        return tuple(
            SumLine(
                WHY.get(one.why, one.why), one.amount, self.names.currency(one.currency)
            )
            for one in self._moves(warband)
            if one.position == last
        )

    def _figures(self, warband: str) -> tuple[tuple[str, int, int], ...]:
        """Return the rating and each currency, before the game and after it."""
        if self.battle is None:
            return ()
        before, after = self.battle.ratings[warband]
        moves = self._moves(warband)
        sums = [self._sums(moves, one) for one in self.names.rules.currencies]
        return (("Rating", before, after), *sums)

    def _sums(
        self, moves: Sequence[MoneyMove], currency: CampaignCurrency
    ) -> tuple[str, int, int]:
        """Return what there was of a currency before this battle, and after it."""
        own = [one for one in moves if one.currency == currency.id]
        last = self.battle.position if self.battle else 0
        before = sum(one.amount for one in own if one.position < last)
        after = sum(one.amount for one in own)
        return currency.name.capitalize(), before, after


def natural(key: str) -> list[tuple[int, str]]:
    """Return a key for sorting in which numbers rise: w2 before w10."""
    return [
        (int(part), "") if part.isdigit() else (0, part) for part in _PARTS.findall(key)
    ]
