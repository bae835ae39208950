"""The page after a battle of a growing campaign: the steps of each of its sides, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import re2
from django.db.models import Q

from accounts.owner import Owner
from campaigns.growth.queries.cards import (
    AnswerNote,
    DueCard,
    build_answered_card,
    build_open_card,
    load_answer_notes,
)
from campaigns.growth.queries.phrases import MONEY, NOTES
from campaigns.growth.queries.presenter import (
    CampaignPresenter,
    award_words,
    kind_of_due,
    load_campaign,
)
from campaigns.growth.queries.shops import list_sales
from campaigns.queries.fixture_page import FixturePage, load_fixture
from engine.growth import dues
from engine.growth.campaign import BattleLesson, BattleOutcome
from engine.growth.dues import DueKey
from engine.growth.log import COUNTED, FixtureResult
from engine.growth.money import counts_for
from engine.records import Fields
from engine.text import capital

SECTIONS: Mapping[str, str] = {
    dues.INJURY: "injuries",
    dues.OLD_WOUND: "injuries",
    dues.ADVANCE: "advances",
    dues.SUCCESSION: "advances",
    dues.RULING: "advances",
    dues.INCOME: "income",
    dues.ROLL: "rolls",
    dues.VETERANS: "trade",
    dues.CLAIM: "ground",
    dues.RANSOM: "ground",
    dues.UPKEEP: "income",
}
"""In which section of the page a due stands, by its kind."""
_PARTS = re2.compile(r"\d+|\D+")


# The page


class AfterPage:
    """A game of a growing campaign after it was played; no ``result`` before it is known.

    ``may_tell``: the reader may say which objectives were taken; once the result is final,
    organisers alone may. ``mine`` is the reader's own side.
    """

    def __init__(
        self, fixture: FixturePage, result: FixtureResult | None, sides: list[AfterSide]
    ) -> None:
        self.fixture, self.result = fixture, result
        self.sides = sorted(sides, key=lambda side: not side.is_mine)
        self.counts = result is not None and result.status == COUNTED
        is_open = fixture.record.status != "final" or fixture.event.may_organise
        self.may_tell = is_open and any(side.may_act and side.objectives for side in sides)
        self.mine = next((side for side in sides if side.is_mine), None)


def load_after_page(actor: Owner, token: str, fixture: str) -> AfterPage:
    """Return the page after a battle as this person may read it.

    At most ten queries, however much was answered. Raises NotFound, also where no warband grows.
    """
    page = load_fixture(actor, token, fixture)
    campaign = load_campaign(page.event, rosters=False)
    # The last row of a fixture replaces the ones before.
    result = None
    for entry in campaign.ledger.log.entries:
        if isinstance(entry, FixtureResult) and entry.fixture == fixture:
            result = entry
    sides = []
    # The page opens as soon as either side has told the result.
    if result is not None:
        battle = _find_battle(campaign, fixture)
        standing = Q(due__startswith=f"{dues.ADVANCE}/")
        standing |= Q(due__startswith=f"{dues.SUCCESSION}/")
        wanted = Q(due__startswith=f"{fixture}/")
        for kind in (dues.RANSOM, dues.UPKEEP):
            wanted |= Q(due__startswith=f"{kind}/{fixture}/")
        # Advances name no game: those of this one were answered after it.
        wanted |= standing & Q(position__gt=battle.position if battle else 0)
        notes = load_answer_notes(page.event.id, result.sides, wanted)
        sides = [AfterSide(page, campaign, result, side, notes) for side in result.sides]
    return AfterPage(page, result, sides)


def _find_battle(campaign: CampaignPresenter, fixture: str) -> BattleOutcome | None:
    """Return a game's battle, None where its result does not count now."""
    battles = campaign.state.battles
    return next((battle for battle in battles if battle.fixture == fixture), None)


class AfterSide:
    """One side after a battle. What is hidden from the reader is empty.

    All of it comes from one fold of the campaign, so that no side asks the database again.

    ``objectives`` are those that pay: the key in a form, the name, and how many were taken.
    ``cards`` are those of each section; "superseded" are answers that nothing asks for now.
    ``steps`` are the sections in their order, ``sales`` what may be sold before the next battle.
    ``lessons`` are units with what they learned and for what, ``income`` reasons with sums.
    ``figures`` are the rating and each currency, before the game and after it.
    ``treasury`` and ``rating`` are those of now, ``later`` are the warband's battles since.
    ``notes`` tell who fought and should not have. ``reverse_form`` is the id of the form that
    reverses an answer, "" for a reader who may not.
    """

    def __init__(
        self,
        page: FixturePage,
        campaign: CampaignPresenter,
        result: FixtureResult,
        warband: str,
        notes: Mapping[DueKey, AnswerNote],
    ) -> None:
        """``notes`` say who answered what of this game."""
        self.page, self.campaign, self.result = page, campaign, result
        event, row, state = page.event, campaign.rows[warband], campaign.state
        self.warband, self.entry, self.name = warband, row.entry.token, row.entry.name
        self.is_mine = any(
            side.entry.is_mine for side in page.sides if side.entry.token == self.entry
        )
        # After the end organisers alone answer, and nothing is reversed or traded.
        self.may_act = (self.is_mine and not event.is_over) or (
            event.may_organise and not event.is_archived
        )
        is_open = self.may_act and not event.is_over
        self.reverse_form = f"reverse-{self.entry}" if is_open else ""
        self.objectives = list(self._list_objectives())
        self.takers: list[tuple[str, str, int]] = []
        self.cards: dict[str, list[DueCard]] = {}
        self.steps: list[Fields] = []
        self.later: list[BattleOutcome] = []
        self.is_hidden = event.hides(self.entry)
        if self.is_hidden:
            return
        self.lessons: list[tuple[str, BattleLesson, str]] = []
        self.income: list[tuple[str, int, str]] = []
        self.figures: list[tuple[str, int, int]] = []
        self.battle = _find_battle(campaign, result.fixture)
        if self.battle:
            position = self.battle.position
            battles = state.list_battles(warband)
            self.later = [battle for battle in battles if battle.position > position]
            self._sum_battle(self.battle)
        self.cards = self._build_cards(notes)
        self.treasury = campaign.money(state.warbands[warband].treasury)
        self.rating = state.warbands[warband].rating
        self.captives = campaign.held_by(warband)
        self.steps = list(self._list_steps())
        self._tell_who_fought()

    def _list_steps(self) -> Iterator[Fields]:
        """Yield the steps that the rules have, in the order in which they are taken.

        Each has its cards, and how many are open; ``may_act``: nobody need do anything, and may.
        """
        rules, place = self.campaign.rules, self.campaign.territory_word
        sales = list_sales(self.campaign, self.warband) if self.reverse_form else ()
        self.sales = list(sales)
        rolls = [roll.name for roll in rules.rolls]
        captives = "captives" * bool(rules.captives)
        ground = capital(" and ".join(filter(None, (place, captives))))
        titles = (
            ("injuries", "Injuries"),
            ("experience", "Experience"),
            ("advances", "Advances"),
            ("rolls", "Further rolls" if rolls[1:] else "".join(rolls)),
            ("income", "Income and upkeep"),
            ("sales", "Sell treasure" if rules.sales else ""),
            ("ground", ground),
            ("trade", "Trade and recruit"),
        )
        may_act = {"sales": bool(self.sales), "trade": bool(self.reverse_form)}
        for key, title in titles:
            # Cards of earlier rules are shown all the same.
            cards = self.cards.get(key, [])
            if title or cards:
                yield {
                    "key": key,
                    "title": title or key.capitalize(),
                    "cards": cards,
                    "open": sum(card.is_open and not card.is_offer for card in cards),
                    "may_act": may_act.get(key),
                }

    def _tell_who_fought(self) -> None:
        """Name who was put out, who took an objective, and who should not have fought."""
        campaign, warband, result = self.campaign, self.warband, self.result
        self.out: list[str] = []
        for model in result.out.get(warband, ()):
            line = campaign.unit(warband, model.who)
            # Who did it is of the other side, whose roster may be secret.
            enemy = campaign.rows.get(model.by[0]) if model.by else None
            if enemy and model.by and not self.page.event.hides(enemy.entry.token):
                line += f", by {campaign.unit(*model.by)}"
            self.out.append(line)
        self.takers = list(self._list_takers())
        self.notes = [
            NOTES[note.why].format(who=campaign.unit(warband, note.warrior))
            for note in campaign.state.notes
            if (note.warband, note.fixture) == (warband, result.fixture)
        ]

    def _list_takers(self) -> Iterator[tuple[str, str, int]]:
        """Yield who fought and learns of objectives, with how many they took."""
        campaign, warband, result = self.campaign, self.warband, self.result
        awards = [a for a in campaign.rules.experience if a.when == "objective"]
        for key in result.fielded.get(warband, ()):
            warrior = campaign.find_warrior(warband, key)
            if warrior is None or not warrior.joined.learns:
                continue
            if any(counts_for(award.kinds, warrior) for award in awards):
                objectives = result.objective_by.count((warband, key))
                yield key, campaign.unit(warband, key), objectives

    def _list_objectives(self) -> Iterator[tuple[str, str, int]]:
        """Yield the objectives that the rules pay for."""
        counts = self.result.objectives.get(self.warband, {})
        for line in self.campaign.rules.income:
            if line.when == "objective":
                key = line.objective
                name = line.name or key.replace("-", " ").capitalize()
                yield key, name, counts.get(key, 0)

    @property
    def open(self) -> int:
        """How many rolls and choices are open."""
        return sum(step["open"] for step in self.steps)

    @property
    def to_roll(self) -> int:
        """How many of them are rolls."""
        cards = chain(*self.cards.values())
        return sum(card.is_roll and not card.is_offer for card in cards)

    def find_card(self, due: str) -> DueCard | None:
        """Return the card of a due that is called for."""
        cards = (card for card in chain(*self.cards.values()) if not card.is_superseded)
        return next((card for card in cards if card.key == due), None)

    def _build_cards(self, notes: Mapping[DueKey, AnswerNote]) -> dict[str, list[DueCard]]:
        """Return the cards by section."""
        campaign, game = self.campaign, self.result.fixture
        cards: dict[str, DueCard] = {}
        for due in (*campaign.state.open, *campaign.state.offers):
            # What belongs to no game is asked everywhere.
            if due.warband == self.warband and due.fixture in ("", game):
                note = notes.get((self.warband, due.key))
                cards[due.key] = build_open_card(campaign, due, note)
        # Answers before the warband's next battle; beside a game that does not count stands
        # only what it asked itself.
        until = self.later[0].position if self.later else campaign.ledger.position
        for (warband, key), note in notes.items():
            is_later = self.battle is None or note.position > until
            # What the game asked itself stands beside it, however late it was answered.
            is_later &= kind_of_due(key) in dues.STANDING
            if warband == self.warband and not is_later and key not in cards:
                cards[key] = build_answered_card(campaign, (warband, key), note)
        sections: dict[str, list[DueCard]] = {}
        for card in sorted(cards.values(), key=lambda card: _natural(card.key)):
            name = SECTIONS.get(card.kind, "income")
            sections.setdefault("superseded" if card.is_superseded else name, []).append(
                card
            )
        return sections

    def _sum_battle(self, battle: BattleOutcome) -> None:
        """Tell what each unit learned, each amount with its reason, and the figures."""
        campaign, warband = self.campaign, self.warband
        for lesson in battle.lessons:
            if lesson.warband == warband:
                name = campaign.unit(warband, lesson.warrior)
                self.lessons.append((name, lesson, award_words(lesson.awards)))
        for move in campaign.state.moves:
            if (move.warband, move.position) == (warband, battle.position):
                currency = campaign.currency(move.currency, move.amount)
                self.income.append((MONEY[move.why], move.amount, currency))
        self.figures.append(("Rating", *battle.ratings[warband]))
        for unit in campaign.rules.currencies:
            before = after = 0
            for move in campaign.state.moves:
                if (move.warband, move.currency) == (warband, unit.id):
                    before += move.amount * (move.position < battle.position)
                    after += move.amount * (move.position <= battle.position)
            self.figures.append((unit.name.capitalize(), before, after))


def _natural(key: str) -> list[tuple[int, str]]:
    """Return a key for sorting in which numbers rise: w2 before w10."""
    return [
        (int(part), "") if part.isdigit() else (0, part) for part in _PARTS.findall(key)
    ]
