"""Free acts: what a warband does between its battles, each a small function.

An act that cannot be where it stands raises `ImpossibleAct` before it has changed anything: it is
set aside with the reason, and nothing is paid for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.growth import warriors
from engine.growth.campaign import CampaignInPlay, WarbandInPlay, find_kind
from engine.growth.dues import RULING, Due
from engine.growth.effects import EffectContext, happen
from engine.growth.happenings import DISBANDED, ENLARGED, JOINED, RELEASED
from engine.growth.log import (
    STASH,
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    CaptiveAct,
    CurrencySaleAct,
    DisbandAct,
    DismissAct,
    EffectAct,
    EnlargeAct,
    GiveAct,
    GrowthAct,
    RecruitAct,
    RenameAct,
    SearchAct,
    SellAct,
    UnfoughtAct,
)
from engine.growth.money import count_models, recruit_price, sale_price
from engine.growth.tables import RolledRow, sum_faces
from engine.growth.warriors import GearPiece, GrownWarrior
from engine.records import frozen_dataclass

CLOSED = "The warband is disbanded."
NOT_THERE = "{who} is not in the warband by then."
TOO_FEW = "{who} has fewer than {count} models by then."
NO_PIECE = "{who} does not have it by then."
BODILY = "It is part of {who}, and stays."
GROUP = "{who} is a group: its pieces stay with it."
FULL = "A group has at most {most} models."
VETERANS = "Recruits with {left} experience in all may join until the next battle."
NOT_SOLD = "Nobody sells it by then."
RARE = "It is rare: somebody must look for it."
SEARCHED = "{who} looks once after each battle."
NOT_BOUGHT = "Nobody buys it by then."
NOT_SO_MANY = "The treasury has fewer by then."
SOLD_ALREADY = "It is sold once after each battle."
NOT_HELD = "The warband does not hold this captive by then."
NOT_HELD_THERE = "The other warband does not hold that unit by then."
NO_PRICE = "The rules do not let a captor name this price."
CANNOT_BE = "This is impossible for them by then."
RULED = "Organiser’s ruling"
"""What stands in the place of a row's name."""


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


class ImpossibleAct(Exception):
    """An act cannot be where it stands; its message says why."""


class NothingFound(Exception):
    """A search counts, and found nothing."""


def do_act(play: CampaignInPlay, act: GrowthAct) -> ActOutcome:
    """Let an act happen where it stands, or say why it does not."""
    warband = play.warbands[act.warband]
    outcome = ActOutcome(act.number, act.warband)
    # A game that was not fought is nobody's act: it pays whoever was to play it.
    if warband.is_closed and not isinstance(act, UnfoughtAct):
        return replace(outcome, why=CLOSED)
    try:
        paid = ACTS[type(act)](play, warband, act)
    except ImpossibleAct as error:
        return replace(outcome, why=str(error))
    except NothingFound:
        return replace(outcome, is_found=False)
    return replace(outcome, paid=paid)


def _recruit(play: CampaignInPlay, warband: WarbandInPlay, act: RecruitAct) -> int:
    """Let somebody new join, and take the price of all their models with their gear."""
    if find_kind(play.rules, act.joiner).is_group:
        _check_group(play, act.joiner.count)
    _search_for(play, warband, act, act.rarity)
    warrior = play.enlist(warband, act.joiner)
    play.tell(warband.id, JOINED, warrior.key, models=warrior.count)
    return _pay(play, warband, act, warrior.worth)


def _enlarge(play: CampaignInPlay, warband: WarbandInPlay, act: EnlargeAct) -> int:
    """Let models join a group.

    Each pays the group's price, and something for the experience it will share.
    """
    group = _present(warband, act.into)
    _check_group(play, group.count + act.count)
    learned = group.learned * act.count
    if play.rules.recruits.pool:
        if learned > warband.veterans:
            raise ImpossibleAct(VETERANS.format(left=warband.veterans))
        warband.veterans -= learned
    warband.put(warriors.add_models(group, act.count))
    play.tell(warband.id, ENLARGED, group.key, models=act.count)
    return _pay(play, warband, act, recruit_price(play.rules, group, act.count))


def _check_group(play: CampaignInPlay, models: int) -> None:
    """Raise ImpossibleAct for a group of more models than the rules allow."""
    most = play.rules.recruits.group_most
    if most is not None and models > most:
        raise ImpossibleAct(FULL.format(most=most))


def _buy(play: CampaignInPlay, warband: WarbandInPlay, act: BuyAct) -> int:
    """Buy something at its price for each model; what is rare has to be found first."""
    good = play.rules.trade.goods.get(act.item)
    if good and good.rare:
        raise ImpossibleAct(RARE)
    return _hand_over(play, warband, act, act.price)


def _search(play: CampaignInPlay, warband: WarbandInPlay, act: SearchAct) -> int:
    """Look for something rare by a roll, and buy it where the roll finds it."""
    good = play.rules.trade.goods.get(act.item)
    # What an army list sells is written down with its price, and with how rare it was.
    price = good.price if good and act.price is None else act.price
    rarity = (good.rare or 0) if good else act.rarity
    if price is None or not (good or rarity):
        raise ImpossibleAct(NOT_SOLD)
    if act.bearer != STASH:
        _present(warband, act.bearer)
    _search_for(play, warband, act, rarity)
    return _hand_over(play, warband, act, price)


def _search_for(
    play: CampaignInPlay, warband: WarbandInPlay, act: SearchAct | RecruitAct, rarity: int
) -> None:
    """Raise NothingFound for a roll that finds nothing; it counts, and costs nothing."""
    # What is not rare is there for everybody, and needs nobody to find it.
    if not rarity:
        return
    seeker = _present(warband, act.seeker)
    if seeker.key in play.list_searchers(warband):
        raise ImpossibleAct(SEARCHED.format(who=seeker.key))
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
    piece = GearPiece(act.item, price, act.bodily)
    if act.bearer == STASH:
        warband.stash.append(piece)
        return _pay(play, warband, act, price)
    bearer = _present(warband, act.bearer)
    warband.put(warriors.add_gear(bearer, piece))
    return _pay(play, warband, act, price * bearer.count)


def _sell(play: CampaignInPlay, warband: WarbandInPlay, act: SellAct) -> None:
    """Take the first such piece away, and pay a share of what it cost."""
    piece = _find_piece(warband, act.source, act.item)
    warband.remove(act.source, piece)
    amount = sale_price(play.rules, act.price if piece.is_found else piece.paid)
    play.move(warband, play.rules.prices.currency, amount, "sale")


def _sell_currency(
    play: CampaignInPlay, warband: WarbandInPlay, act: CurrencySaleAct
) -> None:
    """Sell so many of a currency, by the size of the warband; once after each battle or freely."""
    sale = play.rules.find_sale(act.currency)
    if sale is None:
        raise ImpossibleAct(NOT_BOUGHT)
    if warband.money[act.currency] < act.count:
        raise ImpossibleAct(NOT_SO_MANY)
    if not play.may_sell(warband, sale):
        raise ImpossibleAct(SOLD_ALREADY)
    warband.sold[act.currency] = play.position
    price = sale.price(act.count, count_models(sale.kinds, warband))
    play.move(warband, act.currency, -act.count, "sale")
    play.move(warband, sale.paid_in, price, "sale")


def _give(_play: CampaignInPlay, warband: WarbandInPlay, act: GiveAct) -> None:
    """Let a piece change hands between single warriors and the stash.

    The pieces of a group stay with all its models.
    """
    piece = _find_piece(warband, act.source, act.item)
    if act.bearer == STASH:
        warband.remove(act.source, piece)
        warband.stash.append(piece)
        return
    bearer = _single(warband, act.bearer)
    warband.remove(act.source, piece)
    # Read again: it may be the one the piece was taken from.
    warband.put(warriors.add_gear(warband.warriors[bearer.key], piece))


def _dismiss(play: CampaignInPlay, warband: WarbandInPlay, act: DismissAct) -> None:
    """Let models go; what they carried stays where the rules say so."""
    warrior = _present(warband, act.who)
    if warrior.count < act.count:
        raise ImpossibleAct(TOO_FEW.format(who=act.who, count=act.count))
    play.dismiss(warband, warrior, act.count)


def _free_captive(play: CampaignInPlay, warband: WarbandInPlay, act: CaptiveAct) -> None:
    """Let a captive go, or name the price for which it goes."""
    owner, rule = play.warbands.get(act.owner), play.rules.captives
    captive = owner.warriors.get(act.who) if owner else None
    if owner is None or captive is None or captive.captor != warband.id:
        raise ImpossibleAct(NOT_HELD)
    if act.exchange:
        _exchange(play, warband, owner, act)
    elif not act.price:
        _release(play, owner, captive)
    elif rule and rule.is_named and act.price >= rule.least:
        owner.put(replace(captive, demand=act.price))
    else:
        raise ImpossibleAct(NO_PRICE)


def _exchange(
    play: CampaignInPlay, warband: WarbandInPlay, owner: WarbandInPlay, act: CaptiveAct
) -> None:
    """Let two captives go at once where both captors want it; else one of them waits for that."""
    captive, unit = owner.warriors[act.who], warband.warriors.get(act.exchange)
    if unit is None or unit.captor != owner.id:
        raise ImpossibleAct(NOT_HELD_THERE)
    if unit.exchange == f"{captive.captured_in}/{captive.key}":
        _release(play, owner, captive)
        _release(play, warband, unit)
    else:
        owner.put(replace(captive, exchange=f"{unit.captured_in}/{unit.key}"))


def _release(play: CampaignInPlay, owner: WarbandInPlay, captive: GrownWarrior) -> None:
    """Let a captive go."""
    owner.put(warriors.set_free(captive))
    play.tell(owner.id, RELEASED, captive.key, other=captive.captor)


def _rename(_play: CampaignInPlay, warband: WarbandInPlay, act: RenameAct) -> None:
    """Give a unit another name, also one that is held captive."""
    unit = warband.warriors.get(act.who)
    if unit is None or unit.gone:
        raise ImpossibleAct(NOT_THERE.format(who=act.who))
    warband.put(replace(unit, joined=replace(unit.joined, name=act.name)))


def _disband(play: CampaignInPlay, warband: WarbandInPlay, act: DisbandAct) -> None:
    """Close the warband's ledger, and free its ground for others."""
    warband.is_closed = True
    play.tell(warband.id, DISBANDED)
    for name in list(play.territories_held_by(warband.id)):
        del play.claims[name]


def _adjust_money(
    play: CampaignInPlay, warband: WarbandInPlay, act: AdjustMoneyAct
) -> None:
    """Put a treasury right, as an organiser has decided."""
    play.move(warband, act.currency, act.amount, "adjusted")


def _adjust_experience(
    _play: CampaignInPlay, warband: WarbandInPlay, act: AdjustExperienceAct
) -> None:
    """Put somebody's experience right, as an organiser has decided."""
    warband.put(warriors.learn(_present(warband, act.who), act.experience))


def _effect(play: CampaignInPlay, warband: WarbandInPlay, act: EffectAct) -> None:
    """Let something befall somebody as a row of a table would, with the dues that it asks for."""
    if act.who:
        _present(warband, act.who)
    due = Due(act.due, warband.id, RULING, warrior=act.who)
    row = RolledRow(0, 0, RULED, act.effect)
    if happen(EffectContext(play, warband, due, act.who), row) == "":
        raise ImpossibleAct(CANNOT_BE)
    play.book.rolled[warband.id, due.key] = row


def _unfought(play: CampaignInPlay, warband: WarbandInPlay, act: UnfoughtAct) -> None:
    """Pay for a game that nobody fought: a bye or a walkover."""
    for line in play.rules.income:
        if line.when == "unfought":
            play.move(warband, line.currency, line.amounts.get(act.word, 0), line.when)


ACTS: Mapping[
    type[GrowthAct], Callable[[CampaignInPlay, WarbandInPlay, Any], int | None]
] = {
    RecruitAct: _recruit,
    EnlargeAct: _enlarge,
    BuyAct: _buy,
    SearchAct: _search,
    SellAct: _sell,
    CurrencySaleAct: _sell_currency,
    GiveAct: _give,
    DismissAct: _dismiss,
    CaptiveAct: _free_captive,
    RenameAct: _rename,
    DisbandAct: _disband,
    AdjustMoneyAct: _adjust_money,
    AdjustExperienceAct: _adjust_experience,
    EffectAct: _effect,
    UnfoughtAct: _unfought,
}
"""Every act, by the class of its row; it returns what was paid in points."""


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


def _single(warband: WarbandInPlay, key: str) -> GrownWarrior:
    """Return a single warrior who is there. Raises ImpossibleAct."""
    warrior = _present(warband, key)
    if warrior.count > 1:
        raise ImpossibleAct(GROUP.format(who=key))
    return warrior


def _find_piece(warband: WarbandInPlay, source: str, item: str) -> GearPiece:
    """Return the first such piece of a single warrior or of the stash. Raises ImpossibleAct."""
    if source != STASH:
        _single(warband, source)
    alike = warband.find_pieces(source, item)
    loose = next((piece for piece in alike if not piece.bodily), None)
    if loose is None:
        raise ImpossibleAct((BODILY if alike else NO_PIECE).format(who=source))
    return loose
