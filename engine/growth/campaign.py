"""A campaign while its log is folded: the only values here that change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from engine.growth.dues import AnswerBook
from engine.growth.happenings import DISMISSED, Happening
from engine.growth.rules import CampaignRules, GrowthKind, SaleRule
from engine.growth.warriors import (
    GONE,
    STASH,
    GearPiece,
    GrownWarrior,
    Joiner,
    enlist,
    lose_models,
)
from engine.records import Texts, frozen_dataclass

OUTSIDE, WENT_OUT_WOUNDED = "outside", "wounded"


@frozen_dataclass
class GrowthNote:
    """Something that nobody need answer: a warrior in a battle it should not have fought.

    ``why``: ``outside`` was not in the warband by then and earns nothing; ``wounded`` fought
    though an old wound said no.
    """

    warband: str
    warrior: str
    fixture: str
    why: str


class MoneyMove(NamedTuple):
    """An amount that came into a treasury or left it, at a position of the log, and why."""

    position: int
    warband: str
    currency: str
    amount: int
    why: str


class BattleLesson(NamedTuple):
    """What somebody learned in a battle: how much there was before, and each award with its sum.

    The underdog's bonus has the name "".
    """

    warband: str
    warrior: str
    before: int
    awards: tuple[tuple[str, int], ...]

    @property
    def amount(self) -> int:
        """All that was learned."""
        return sum(amount for _, amount in self.awards)

    @property
    def after(self) -> int:
        """How much there was then."""
        return self.before + self.amount


class BattleOutcome(NamedTuple):
    """What a battle that counts did: at which position of the log, and for which fixture.

    ``ratings`` are by warband what it was worth before the battle, and right after it.
    """

    position: int
    fixture: str
    lessons: tuple[BattleLesson, ...]
    ratings: Mapping[str, tuple[int, int]]


@dataclass(slots=True)
class WarbandInPlay:
    """A warband as it stands. ``former`` are fallen warriors whose key a later one bears.

    ``stood``: who fought in its last battle and was not put out.
    ``sold``: at which position each currency was sold last, ``searched``: at which each warrior
    looked for something, ``last_battle`` that of its last battle. ``veterans``: how much experience
    may join its groups until the next one.
    """

    id: str
    army: str
    money: dict[str, int]
    warriors: dict[str, GrownWarrior] = field(default_factory=dict)
    stash: list[GearPiece] = field(default_factory=list)
    former: list[GrownWarrior] = field(default_factory=list)
    stood: list[str] = field(default_factory=list)
    sold: dict[str, int] = field(default_factory=dict)
    searched: dict[str, int] = field(default_factory=dict)
    last_battle: int = 0
    veterans: int = 0
    is_closed: bool = False

    def put(self, warrior: GrownWarrior) -> None:
        """Write a warrior down as it is now."""
        self.warriors[warrior.key] = warrior

    def change(self, warrior: GrownWarrior, **fields: Any) -> None:
        """Write a warrior down with other values of some fields."""
        self.put(replace(warrior, **fields))

    def add(self, warrior: GrownWarrior) -> None:
        """Write somebody new down; whoever bore the key before is among the former."""
        if warrior.key in self.warriors:
            self.former.append(self.warriors[warrior.key])
        self.put(warrior)

    def present(self) -> list[GrownWarrior]:
        """Return who is there, without captives and those who are gone."""
        return [warrior for warrior in self.warriors.values() if warrior.is_free]

    def alive(self) -> list[GrownWarrior]:
        """Return who is not gone, captives too."""
        return [warrior for warrior in self.warriors.values() if not warrior.gone]

    def find_present(self, key: str) -> GrownWarrior | None:
        """Return somebody who is there, or None."""
        warrior = self.warriors.get(key)
        return warrior if warrior and warrior.is_free else None

    def find_pieces(self, source: str, item: str) -> list[GearPiece]:
        """Return such pieces of a warrior or of the stash."""
        pieces = self.stash if source == STASH else self.warriors[source].gear
        return [piece for piece in pieces if piece.id == item]

    def hand_over(self, piece: GearPiece, bearer: str) -> None:
        """Give a warrior another piece, the last in their order, or put it into the stash."""
        if bearer == STASH:
            self.stash.append(piece)
        else:
            unit = self.warriors[bearer]
            self.change(unit, gear=(*unit.gear, piece))

    def remove(self, source: str, piece: GearPiece) -> None:
        """Take a piece that is known to be there from a warrior or from the stash."""
        gear = self.stash if source == STASH else [*self.warriors[source].gear]
        # Of several alike the first: two of a kind that cost the same are no different.
        gear.remove(piece)
        if source != STASH:
            self.change(self.warriors[source], gear=tuple(gear))

    def list_traits(self) -> Iterator[tuple[str, str]]:
        """Yield what may change a throw after a battle, behind its bearer.

        Pieces of the stash and of who is there; skills and marks of who stood.
        """
        yield from ((STASH, piece.id) for piece in self.stash)
        for unit in self.present():
            ids = [piece.id for piece in unit.gear]
            if unit.key in self.stood:
                ids += (*unit.skills, *unit.mark_ids)
            yield from ((unit.key, key) for key in ids)


@dataclass(slots=True)
class CampaignInPlay:
    """The whole campaign as it stands at a position of its log."""

    rules: CampaignRules
    book: AnswerBook
    warbands: dict[str, WarbandInPlay] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)
    notes: list[GrowthNote] = field(default_factory=list)
    moves: list[MoneyMove] = field(default_factory=list)
    battles: list[BattleOutcome] = field(default_factory=list)
    story: list[Happening] = field(default_factory=list)
    position: int = 0

    def move(self, warband: WarbandInPlay, currency: str, amount: int, why: str) -> None:
        """Add an amount to a treasury: the one place where money changes."""
        if amount:
            warband.money[currency] += amount
            self.moves.append(MoneyMove(self.position, warband.id, currency, amount, why))

    def tell(self, warband: str, what: str, warrior: str = "", **more: Any) -> None:
        """Write down what befell a warband, for whoever reads of this round."""
        self.story.append(Happening(self.position, warband, what, warrior, **more))

    def get_kind(self, warrior: GrownWarrior) -> GrowthKind:
        """Return the kind of a warrior by the rules of now."""
        return self.rules.kinds[warrior.kind]

    def territories_held_by(self, warband: str) -> Iterator[str]:
        """Yield the places that a warband holds."""
        return (name for name, owner in self.claims.items() if owner == warband)

    def found(
        self, warband: str, army: str, late_rounds: int, purse: int = 0
    ) -> WarbandInPlay:
        """Begin a warband with the purse of those who join so many rounds late."""
        begun = WarbandInPlay(warband, army, {})
        self.warbands[warband] = begun
        self.add_purses(begun)
        currency = self.rules.prices.currency
        self.move(begun, currency, max(0, purse - begun.money[currency]), "start")
        if self.rules.late and late_rounds:
            late = self.rules.late
            self.move(begun, late.currency, late.purse(late_rounds), "late")
        return begun

    def add_purses(self, warband: WarbandInPlay) -> None:
        """Give a warband what each currency starts with, where it has none of it yet."""
        for currency in self.rules.currencies:
            if currency.id not in warband.money:
                warband.money[currency.id] = 0
                self.move(warband, currency.id, currency.start, "start")

    def enlist(self, warband: WarbandInPlay, joiner: Joiner) -> GrownWarrior:
        """Let somebody join: their kind is the first that matches them."""
        warrior = enlist(joiner, find_kind(self.rules, joiner))
        warband.add(warrior)
        return warrior

    def pay_points(self, warband: WarbandInPlay, points: int) -> None:
        """Take the price of so many points."""
        prices = self.rules.prices
        self.move(warband, prices.currency, -prices.of(points), "price")

    def lose(
        self,
        warband: WarbandInPlay,
        warrior: GrownWarrior,
        count: int,
        why: str,
        *,
        is_dismissed: bool = False,
    ) -> None:
        """Take models away; what they carried goes to the stash where the rules say so.

        Who is hired keeps its own where the rules of the dismissed are others.
        """
        rules = self.rules
        is_dismissed = is_dismissed and not warrior.joined.is_hired
        is_kept = rules.is_dismissed_gear_kept if is_dismissed else rules.is_gear_kept
        if is_kept and why == GONE:
            warband.stash += [piece for piece in warrior.loose for _ in range(count)]
        warband.put(lose_models(warrior, count, why))

    def may_sell(self, warband: WarbandInPlay, sale: SaleRule) -> bool:
        """Return whether a warband may sell a currency now: freely, or once after each battle."""
        last = warband.sold.get(sale.currency, 0)
        return not sale.once or warband.last_battle > last

    def list_searchers(self, warband: WarbandInPlay) -> Texts:
        """Return who has looked for something, and may not again before the next battle."""
        searched, last = warband.searched, warband.last_battle
        is_limited = self.rules.trade.search_once
        return tuple(key for key in searched if is_limited and searched[key] > last)

    def dismiss(self, warband: WarbandInPlay, warrior: GrownWarrior, count: int) -> None:
        """Let models go; what they carried stays where the rules say so."""
        self.lose(warband, warrior, count, GONE, is_dismissed=True)
        self.tell(warband.id, DISMISSED, warrior.key, models=count)


def find_kind(rules: CampaignRules, joiner: Joiner) -> GrowthKind:
    """Return the first kind that matches somebody."""
    # A club's list has headings of its own, whose keys the rules cannot know.
    names = {name.casefold() for name in (joiner.category, *joiner.headings)}
    return next(
        kind
        for kind in rules.kinds.values()
        if kind.match.is_everybody
        or (kind.match.leader and joiner.is_leader)
        or (kind.match.hired and joiner.is_hired)
        or not names.isdisjoint(map(str.casefold, kind.match.categories))
        or joiner.troop_type in kind.match.troop_types
        or joiner.profile in kind.match.profiles
    )
