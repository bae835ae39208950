"""Free acts: what a warband does between its battles, each a small function.

An act that cannot be where it stands does nothing and is set aside with a reason; nothing is paid
for it then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.growth import warriors
from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.happenings import DISBANDED, DISMISSED, ENLARGED, JOINED
from engine.growth.log import (
    STASH,
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    DisbandAct,
    DismissAct,
    EnlargeAct,
    GiveAct,
    GrowthAct,
    RecruitAct,
    SearchAct,
    SellAct,
    UnfoughtAct,
)
from engine.growth.money import pay_unfought, recruit_price, sale_price
from engine.growth.tables import roll_of
from engine.growth.warriors import GearPiece, GrownWarrior
from engine.records import frozen_dataclass

CLOSED = "The warband is disbanded."
NOT_THERE = "{who} is not in the warband by then."
TOO_FEW = "{who} has fewer than {count} models by then."
NO_PIECE = "{who} does not have it by then."
GROUP = "{who} is a group: its pieces stay with it."
NOT_SOLD = "Nobody sells it by then."
RARE = "It is rare: somebody must look for it."


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
    # A game that was not fought is nobody's act: it pays whoever was to play it.
    if warband.is_closed and not isinstance(act, UnfoughtAct):
        return ActOutcome(act.number, act.warband, CLOSED)
    return ACTS[type(act)](play, warband, act)


def _recruit(play: CampaignInPlay, warband: WarbandInPlay, act: RecruitAct) -> ActOutcome:
    """Let somebody new join, and take the price of all their models with their gear.

    Somebody rare has to be found first; a search that finds nobody counts, and costs nothing.
    """
    missed = _missed(play, warband, act, act.rarity)
    if missed is not None:
        return missed
    one = play.enlist(warband, act.joiner)
    play.tell(warband.id, JOINED, one.key, models=one.count)
    return _paid(play, warband, act, one.worth)


def _enlarge(play: CampaignInPlay, warband: WarbandInPlay, act: EnlargeAct) -> ActOutcome:
    """Let models join a group.

    Each pays the group's price, and something for the experience it will share.
    """
    group = warband.find_present(act.into)
    if group is None:
        return _aside(act, NOT_THERE, who=act.into)
    price = recruit_price(play.rules, group, act.count)
    warband.put(warriors.add_models(group, act.count))
    play.tell(warband.id, ENLARGED, group.key, models=act.count)
    return _paid(play, warband, act, price)


def _buy(play: CampaignInPlay, warband: WarbandInPlay, act: BuyAct) -> ActOutcome:
    """Buy something at its price for each model.

    What is rare has to be found first.
    """
    good = play.rules.trade.goods.get(act.item)
    if good and good.rare:
        return _aside(act, RARE)
    return _hand_over(play, warband, act, act.price)


def _search(play: CampaignInPlay, warband: WarbandInPlay, act: SearchAct) -> ActOutcome:
    """Look for something rare by a roll, and buy it where the roll finds it.

    A search that finds nothing counts, and costs nothing.
    """
    good = play.rules.trade.goods.get(act.item)
    # What an army list sells is written down with its price, and with how rare it was.
    price = good.price if good and act.price is None else act.price
    rarity = (good.rare or 0) if good else act.rarity
    if price is None or not (good or rarity):
        return _aside(act, NOT_SOLD)
    return _found(play, warband, act, (price, rarity))


def _found(
    play: CampaignInPlay, warband: WarbandInPlay, act: SearchAct, sold: tuple[int, int]
) -> ActOutcome:
    """Look for something of a price and a rarity, and hand it over where it is found."""
    price, rarity = sold
    if act.bearer != STASH and not warband.find_present(act.bearer):
        return _aside(act, NOT_THERE, who=act.bearer)
    missed = _missed(play, warband, act, rarity)
    return _hand_over(play, warband, act, price) if missed is None else missed


def _missed(
    play: CampaignInPlay, warband: WarbandInPlay, act: SearchAct | RecruitAct, rarity: int
) -> ActOutcome | None:
    """Return what became of a search that finds nothing, None for one that finds something."""
    # What is not rare is there for everybody, and needs nobody to find it.
    if not rarity:
        return None
    seeker = warband.find_present(act.seeker)
    if seeker is None:
        return _aside(act, NOT_THERE, who=act.seeker)
    # Rules of later may throw other dice, or none.
    dice = play.rules.trade.search
    if dice and roll_of(dice, act.faces) + _luck(play, seeker) < rarity:
        return ActOutcome(act.number, act.warband, is_found=False)
    return None


def _luck(play: CampaignInPlay, seeker: GrownWarrior) -> int:
    """Return what the skills of a seeker add to the roll."""
    known = (play.rules.skills.get(skill) for skill in seeker.skills)
    return sum(skill.search for skill in known if skill)


def _hand_over(
    play: CampaignInPlay, warband: WarbandInPlay, act: BuyAct | SearchAct, price: int
) -> ActOutcome:
    """Give what was bought to its bearer, or put it into the stash, and take the price."""
    # A group buys one for each of its models, and each piece keeps the price of one.
    piece = GearPiece(act.item, price)
    if act.bearer == STASH:
        warband.stash.append(piece)
        return _paid(play, warband, act, price)
    bearer = warband.find_present(act.bearer)
    if bearer is None:
        return _aside(act, NOT_THERE, who=act.bearer)
    warband.put(warriors.add_gear(bearer, piece))
    return _paid(play, warband, act, price * bearer.count)


def _sell(play: CampaignInPlay, warband: WarbandInPlay, act: SellAct) -> ActOutcome:
    """Take the first such piece away, and pay a share of what it cost."""
    piece, why = _take_piece(warband, act.source, act.item)
    if piece is None:
        return _aside(act, why, who=act.source)
    _remove(warband, act.source, piece)
    amount = sale_price(play.rules, piece.paid)
    play.move(warband, play.rules.prices.currency, amount, "sale")
    return ActOutcome(act.number, act.warband)


def _give(_play: CampaignInPlay, warband: WarbandInPlay, act: GiveAct) -> ActOutcome:
    """Let a piece change hands between single warriors and the stash.

    The pieces of a group stay with all its models.
    """
    piece, why = _take_piece(warband, act.source, act.item)
    if piece is None:
        return _aside(act, why, who=act.source)
    if act.bearer == STASH:
        _remove(warband, act.source, piece)
        warband.stash.append(piece)
        return ActOutcome(act.number, act.warband)
    bearer = warband.find_present(act.bearer)
    if bearer is None:
        return _aside(act, NOT_THERE, who=act.bearer)
    if bearer.count > 1:
        return _aside(act, GROUP, who=act.bearer)
    _remove(warband, act.source, piece)
    # Read again: it may be the one the piece was taken from.
    warband.put(warriors.add_gear(warband.warriors[bearer.key], piece))
    return ActOutcome(act.number, act.warband)


def _dismiss(play: CampaignInPlay, warband: WarbandInPlay, act: DismissAct) -> ActOutcome:
    """Let models go; what they carried stays where the rules say so."""
    one = warband.find_present(act.who)
    if one is None:
        return _aside(act, NOT_THERE, who=act.who)
    if one.count < act.count:
        return _aside(act, TOO_FEW, who=act.who, count=act.count)
    play.lose(warband, one, act.count, warriors.GONE)
    play.tell(warband.id, DISMISSED, one.key, models=act.count)
    return ActOutcome(act.number, act.warband)


def _disband(play: CampaignInPlay, warband: WarbandInPlay, act: DisbandAct) -> ActOutcome:
    """Close the warband's ledger, and free its ground for others."""
    warband.is_closed = True
    play.tell(warband.id, DISBANDED)
    for name in list(play.territories_of(warband.id)):
        del play.claims[name]
    return ActOutcome(act.number, act.warband)


def _adjust_money(
    play: CampaignInPlay, warband: WarbandInPlay, act: AdjustMoneyAct
) -> ActOutcome:
    """Put a treasury right, as an organiser has decided."""
    play.move(warband, act.currency, act.amount, "adjusted")
    return ActOutcome(act.number, act.warband)


def _adjust_experience(
    _play: CampaignInPlay, warband: WarbandInPlay, act: AdjustExperienceAct
) -> ActOutcome:
    """Put somebody's experience right, as an organiser has decided."""
    one = warband.find_present(act.who)
    if one is None:
        return _aside(act, NOT_THERE, who=act.who)
    warband.put(warriors.learn(one, act.experience))
    return ActOutcome(act.number, act.warband)


def _unfought(play: CampaignInPlay, warband: WarbandInPlay, act: UnfoughtAct) -> ActOutcome:
    """Pay for a game that nobody fought."""
    pay_unfought(play, warband, act.word)
    return ActOutcome(act.number, act.warband)


ACTS: Mapping[
    type[GrowthAct], Callable[[CampaignInPlay, WarbandInPlay, Any], ActOutcome]
] = {
    RecruitAct: _recruit,
    EnlargeAct: _enlarge,
    BuyAct: _buy,
    SearchAct: _search,
    SellAct: _sell,
    GiveAct: _give,
    DismissAct: _dismiss,
    DisbandAct: _disband,
    AdjustMoneyAct: _adjust_money,
    AdjustExperienceAct: _adjust_experience,
    UnfoughtAct: _unfought,
}
"""Every act, by the class of its row."""


def _paid(
    play: CampaignInPlay,
    warband: WarbandInPlay,
    act: RecruitAct | EnlargeAct | BuyAct | SearchAct,
    price: int,
) -> ActOutcome:
    """Take what was paid when it was bought, or today's price where nothing was written down."""
    paid = price if act.paid is None else act.paid
    play.pay_points(warband, paid)
    return ActOutcome(act.number, act.warband, paid=paid)


def _aside(act: GrowthAct, why: str, **words: object) -> ActOutcome:
    """Return an act that cannot be, with the reason in words."""
    return ActOutcome(act.number, act.warband, why.format(**words))


def _take_piece(
    warband: WarbandInPlay, source: str, item: str
) -> tuple[GearPiece | None, str]:
    """Return the first such piece of a single warrior or of the stash, or None and why not."""
    if source == STASH:
        held: list[GearPiece] = warband.stash
    else:
        owner = warband.find_present(source)
        if owner is None:
            return None, NOT_THERE
        if owner.count > 1:
            return None, GROUP
        held = list(owner.gear)
    piece = next((one for one in held if one.id == item), None)
    return piece, NO_PIECE


def _remove(warband: WarbandInPlay, source: str, piece: GearPiece) -> None:
    """Take a piece that is known to be there from a warrior or from the stash."""
    if source == STASH:
        warband.stash.remove(piece)
    else:
        owner: GrownWarrior = warband.warriors[source]
        warband.put(warriors.remove_gear(owner, piece))
