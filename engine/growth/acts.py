"""Free acts: what a warband does between its battles, each with what becomes of it.

An act that cannot be where it stands raises `ImpossibleAct` before it has changed anything: it is
set aside with the reason, and nothing is paid for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, TypeVar, dataclass_transform

from engine.growth.campaign import CampaignInPlay, WarbandInPlay, find_kind
from engine.growth.dues import RULING, WARBAND, Due
from engine.growth.effects import EffectContext, happen
from engine.growth.happenings import DISBANDED, ENLARGED, JOINED, RELEASED
from engine.growth.money import count_models, recruit_price, sale_price
from engine.growth.tables import RolledRow, RowEffect, sum_faces
from engine.growth.warriors import STASH, GearPiece, GrownWarrior, Joiner
from engine.records import Numbers, frozen_dataclass

NOT_THERE = "{who} is not in the warband by then."
ActType = TypeVar("ActType", bound="GrowthAct")


class ImpossibleAct(Exception):
    """An act cannot be where it stands; its message says why."""


class NothingFound(Exception):
    """A search counts, and found nothing."""


@frozen_dataclass
class GrowthAct:
    """Something that a warband does by itself. ``number`` names it within the campaign.

    ``verb`` is its name in stored rows, ``phrase`` what a ledger tells of it. ``paid`` is in
    points, and None until the fold has said what it comes to.
    """

    verb: ClassVar[str]
    phrase: ClassVar[str]
    number: int
    warband: str

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> int | None:
        """Return what was paid in points. Raises ImpossibleAct, NothingFound."""
        raise NotImplementedError


ACTS: dict[str, type[GrowthAct]] = {}
"""Every act by its verb."""


@dataclass_transform(frozen_default=True)
def act(verb: str, phrase: str) -> Callable[[type[ActType]], type[ActType]]:
    """Declare an act."""

    def declare(act_class: type[ActType]) -> type[ActType]:
        declared = frozen_dataclass(act_class)
        declared.verb, declared.phrase = verb, phrase
        ACTS[verb] = declared
        return declared

    return declare


@act("recruit", "Recruited {joiner}{several}")
class RecruitAct(GrowthAct):
    """Somebody new joins; one of a ``rarity`` only where the roll of a ``seeker`` finds them."""

    joiner: Joiner
    paid: int | None = None
    rarity: int = 0
    seeker: str = ""
    faces: Numbers = ()

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> int:
        """Take the price of all their models with their gear."""
        if find_kind(play.rules, self.joiner).is_group:
            _check_group(play, self.joiner.count)
        _search_for(play, warband, self, self.rarity)
        warrior = play.enlist(warband, self.joiner)
        play.tell(warband.id, JOINED, warrior.key, models=warrior.count)
        return _pay(play, warband, self, warrior.worth)


@act("enlarge", "{count} more for {into}")
class EnlargeAct(GrowthAct):
    """So many models join a group."""

    into: str
    count: int = 1
    paid: int | None = None

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> int:
        """Let models join a group.

        Each pays the group's price, and something for the experience it will share.
        """
        group = _present(warband, self.into)
        _check_group(play, group.count + self.count)
        learned = group.learned * self.count
        if play.rules.recruits.pool:
            if learned > warband.veterans:
                raise ImpossibleAct(
                    f"Recruits with {warband.veterans} experience in all may join until the "
                    "next battle."
                )
            warband.veterans -= learned
        warband.change(group, count=group.count + self.count)
        play.tell(warband.id, ENLARGED, group.key, models=self.count)
        return _pay(play, warband, self, recruit_price(play.rules, group, self.count))


@act("buy", "Bought {item} for {bearer}")
class BuyAct(GrowthAct):
    """Something is bought for a warrior, or for the stash, at a price for each model.

    What is ``bodily`` becomes part of its bearer.
    """

    item: str
    bearer: str
    price: int
    paid: int | None = None
    bodily: bool = False

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> int:
        """Buy something at its price for each model; what is rare has to be found first."""
        good = play.rules.trade.goods.get(self.item)
        if good and good.rare:
            raise ImpossibleAct("It is rare: somebody must look for it.")
        return _hand_over(play, warband, self, self.price)


@act("search", "{seeker} looked for {item} ({faces})")
class SearchAct(GrowthAct):
    """A warrior looks for a rare thing; it is bought where the roll finds it.

    ``rarity`` is that of an army list; the rules say how rare their own goods are.
    """

    item: str
    bearer: str
    seeker: str
    faces: Numbers
    price: int | None = None
    paid: int | None = None
    rarity: int = 0
    bodily: bool = False

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> int:
        """Look for something rare by a roll, and buy it where the roll finds it."""
        good = play.rules.trade.goods.get(self.item)
        # What an army list sells is written down with its price, and with how rare it was.
        price = good.price if good and self.price is None else self.price
        rarity = (good.rare or 0) if good else self.rarity
        if price is None or not (good or rarity):
            raise ImpossibleAct("Nobody sells it by then.")
        if self.bearer != STASH:
            _present(warband, self.bearer)
        _search_for(play, warband, self, rarity)
        return _hand_over(play, warband, self, price)


@act("sell", "Sold {item} from {source}")
class SellAct(GrowthAct):
    """A piece of a warrior or of the stash is sold; ``price`` is what one costs that was found."""

    item: str
    source: str
    price: int = 0

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Take the first such piece away, and pay a share of what it cost."""
        piece = _find_piece(warband, self.source, self.item)
        warband.remove(self.source, piece)
        amount = sale_price(play.rules, self.price if piece.is_found else piece.paid)
        play.move(warband, play.rules.prices.currency, amount, "sale")


@act("sell_currency", "Sold {count} {currency}")
class CurrencySaleAct(GrowthAct):
    """So many of a currency are sold for another."""

    currency: str
    count: int

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Sell them by the size of the warband, once after each battle or freely."""
        sale = play.rules.find_sale(self.currency)
        if sale is None:
            raise ImpossibleAct("Nobody buys it by then.")
        if warband.money[self.currency] < self.count:
            raise ImpossibleAct("The treasury has fewer by then.")
        if not play.may_sell(warband, sale):
            raise ImpossibleAct("It is sold once after each battle.")
        warband.sold[self.currency] = play.position
        price = sale.price(self.count, count_models(sale.kinds, warband))
        play.move(warband, self.currency, -self.count, "sale")
        play.move(warband, sale.paid_in, price, "sale")


@act("give", "Gave {item} from {source} to {bearer}")
class GiveAct(GrowthAct):
    """A piece changes hands."""

    item: str
    source: str
    bearer: str

    def happen(self, _play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Let a piece change hands between single warriors and the stash.

        The pieces of a group stay with all its models.
        """
        piece = _find_piece(warband, self.source, self.item)
        if self.bearer != STASH:
            _check_single(warband, self.bearer)
        warband.remove(self.source, piece)
        warband.hand_over(piece, self.bearer)


@act("dismiss", "Dismissed {count} of {who}")
class DismissAct(GrowthAct):
    """Models leave."""

    who: str
    count: int = 1

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Let models go; what they carried stays where the rules say so."""
        warrior = _present(warband, self.who)
        if warrior.count < self.count:
            message = f"{self.who} has fewer than {self.count} models by then."
            raise ImpossibleAct(message)
        play.dismiss(warband, warrior, self.count)


@act("captive", "Ransom of {who}: {price}")
class CaptiveAct(GrowthAct):
    """A captor lets a captive go, or names its ``price``; 0: it is free.

    With ``exchange`` it goes for a unit of the captor, once its owner wants the same.
    """

    owner: str
    who: str
    price: int = 0
    exchange: str = ""

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Let a captive go, or name the price for which it goes."""
        owner, rule = play.warbands.get(self.owner), play.rules.captives
        captive = owner.warriors.get(self.who) if owner else None
        if owner is None or captive is None or captive.captor != warband.id:
            raise ImpossibleAct("The warband does not hold this captive by then.")
        if self.exchange:
            _exchange(play, warband, owner, self)
        elif not self.price:
            _release(play, owner, captive)
        elif rule and rule.is_named and self.price >= rule.least:
            owner.change(captive, demand=self.price)
        else:
            raise ImpossibleAct("The rules do not let a captor name this price.")


@act("rename", "Another name: {name}")
class RenameAct(GrowthAct):
    """A unit gets another name, "" that of the army list."""

    who: str
    name: str

    def happen(self, _play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Give a unit another name, also one that is held captive."""
        unit = warband.warriors.get(self.who)
        if unit is None or unit.gone:
            raise ImpossibleAct(NOT_THERE.format(who=self.who))
        warband.change(unit, joined=replace(unit.joined, name=self.name))


@act("disband", "Disbanded")
class DisbandAct(GrowthAct):
    """The warband's ledger is closed."""

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Close the warband's ledger, and free its ground for others."""
        warband.is_closed = True
        play.tell(warband.id, DISBANDED)
        for name in list(play.territories_held_by(warband.id)):
            del play.claims[name]


@act("adjust_money", "Organiser’s adjustment: {amount:+} {currency}")
class AdjustMoneyAct(GrowthAct):
    """An organiser adds to a treasury, or takes from it."""

    currency: str
    amount: int

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Put a treasury right, as an organiser has decided."""
        play.move(warband, self.currency, self.amount, "adjusted")


@act("adjust_experience", "Organiser’s adjustment: {experience:+} experience for {who}")
class AdjustExperienceAct(GrowthAct):
    """An organiser adds to somebody's experience, or takes from it."""

    who: str
    experience: int

    def happen(self, _play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Put somebody's experience right, as an organiser has decided."""
        unit = _present(warband, self.who)
        warband.change(unit, experience=unit.experience + self.experience)


@act("effect", "Organiser’s ruling for {who}: {effect}")
class EffectAct(GrowthAct):
    """An organiser lets something befall somebody, or the warband ("")."""

    who: str
    effect: RowEffect

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Let it befall them as a row of a table would, with the dues that it asks for."""
        if self.who:
            _present(warband, self.who)
        key = "/".join((RULING, str(self.number), self.who or WARBAND))
        due = Due(key, warband.id, RULING, warrior=self.who)
        row = RolledRow(0, 0, "Organiser’s ruling", self.effect)
        if happen(EffectContext(play, warband, due, self.who), row) == "":
            raise ImpossibleAct("This is impossible for them by then.")
        play.book.rolled[warband.id, due.key] = row


@act("unfought", "Game not fought: {word}")
class UnfoughtAct(GrowthAct):
    """A game that was not fought pays: ``word`` is bye or walkover."""

    word: str

    def happen(self, play: CampaignInPlay, warband: WarbandInPlay) -> None:
        """Pay for a game that nobody fought: a bye or a walkover."""
        for line in play.rules.income:
            if line.when == "unfought":
                play.move(warband, line.currency, line.amounts.get(self.word, 0), line.when)


Purchase = RecruitAct | EnlargeAct | BuyAct | SearchAct


@frozen_dataclass
class ActOutcome:
    """What became of an act: why it was set aside ("" where it counts), and what was paid.

    ``paid`` are points; None where nothing was bought. ``is_found`` is False for a search that
    found nothing.
    """

    number: int
    warband: str
    why: str = ""
    paid: int | None = None
    is_found: bool = True


def do_act(play: CampaignInPlay, act: GrowthAct) -> ActOutcome:
    """Let an act happen where it stands, or say why it does not."""
    warband = play.warbands[act.warband]
    outcome = ActOutcome(act.number, act.warband)
    # A game that was not fought is nobody's act: it pays whoever was to play it.
    if warband.is_closed and not isinstance(act, UnfoughtAct):
        return replace(outcome, why="The warband is disbanded.")
    try:
        return replace(outcome, paid=act.happen(play, warband))
    except ImpossibleAct as error:
        return replace(outcome, why=str(error))
    except NothingFound:
        return replace(outcome, is_found=False)


def _check_group(play: CampaignInPlay, models: int) -> None:
    """Raise ImpossibleAct for a group of more models than the rules allow."""
    most = play.rules.recruits.group_most
    if most is not None and models > most:
        raise ImpossibleAct(f"A group has at most {most} models.")


def _search_for(
    play: CampaignInPlay, warband: WarbandInPlay, act: SearchAct | RecruitAct, rarity: int
) -> None:
    """Raise NothingFound for a roll that finds nothing; it counts, and costs nothing."""
    # What is not rare is there for everybody, and needs nobody to find it.
    if not rarity:
        return
    seeker = _present(warband, act.seeker)
    if seeker.key in play.list_searchers(warband):
        raise ImpossibleAct(f"{seeker.key} looks once after each battle.")
    warband.searched[seeker.key] = play.position
    skills = (play.rules.skills.get(skill) for skill in seeker.skills)
    luck = sum(skill.search for skill in skills if skill)
    # Rules of later may throw other dice, or none.
    dice = play.rules.trade.search
    if dice and sum_faces(dice, act.faces) + luck < rarity:
        raise NothingFound


def _hand_over(
    play: CampaignInPlay, warband: WarbandInPlay, act: BuyAct | SearchAct, price: int
) -> int:
    """Give what was bought to its bearer, or put it into the stash, and take the price."""
    # A group buys one for each of its models, and each piece keeps the price of one.
    count = 1 if act.bearer == STASH else _present(warband, act.bearer).count
    warband.hand_over(GearPiece(act.item, price, act.bodily), act.bearer)
    return _pay(play, warband, act, price * count)


def _exchange(
    play: CampaignInPlay, warband: WarbandInPlay, owner: WarbandInPlay, act: CaptiveAct
) -> None:
    """Let two captives go at once where both captors want it; else one of them waits for that."""
    captive, unit = owner.warriors[act.who], warband.warriors.get(act.exchange)
    if unit is None or unit.captor != owner.id:
        raise ImpossibleAct("The other warband does not hold that unit by then.")
    if unit.exchange == f"{captive.captured_in}/{captive.key}":
        _release(play, owner, captive)
        _release(play, warband, unit)
    else:
        owner.change(captive, exchange=f"{unit.captured_in}/{unit.key}")


def _release(play: CampaignInPlay, owner: WarbandInPlay, captive: GrownWarrior) -> None:
    """Let a captive go."""
    owner.change(captive, captor="")
    play.tell(owner.id, RELEASED, captive.key, other=captive.captor)


def _pay(play: CampaignInPlay, warband: WarbandInPlay, act: Purchase, price: int) -> int:
    """Take what was paid when it was bought, or today's price where nothing was written down."""
    paid = price if act.paid is None else act.paid
    play.pay_points(warband, paid)
    return paid


def _present(warband: WarbandInPlay, key: str) -> GrownWarrior:
    """Return somebody who is there. Raises ImpossibleAct."""
    warrior = warband.find_present(key)
    if warrior is None:
        raise ImpossibleAct(NOT_THERE.format(who=key))
    return warrior


def _check_single(warband: WarbandInPlay, key: str) -> None:
    """Raise ImpossibleAct for who is no single warrior that is there."""
    if _present(warband, key).count > 1:
        raise ImpossibleAct(f"{key} is a group: its pieces stay with it.")


def _find_piece(warband: WarbandInPlay, source: str, item: str) -> GearPiece:
    """Return the first such piece of a single warrior or of the stash. Raises ImpossibleAct."""
    if source != STASH:
        _check_single(warband, source)
    alike = warband.find_pieces(source, item)
    if alike and all(piece.bodily for piece in alike):
        raise ImpossibleAct(f"It is part of {source}, and stays.")
    if not alike:
        raise ImpossibleAct(f"{source} does not have it by then.")
    return next(piece for piece in alike if not piece.bodily)
