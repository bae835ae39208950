"""What a campaign has come to: values that leave the fold, what a roster shows of it, what
a round has to tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field

from engine.growth.acts import ActOutcome, EnlargeAct, RecruitAct
from engine.growth.campaign import (
    BattleOutcome,
    CampaignInPlay,
    GrowthNote,
    MoneyMove,
    WarbandInPlay,
)
from engine.growth.dues import INJURY, RULING, Due, DueKey
from engine.growth.effects import LASTING, describe_mark
from engine.growth.happenings import Happening
from engine.growth.log import CampaignLog, FixtureResult
from engine.growth.money import calculate_rating, changed_stats, count_models, counts_for
from engine.growth.rules import EVERYBODY, CampaignRules
from engine.growth.tables import CharacteristicEffects, RolledRow
from engine.growth.warriors import GearPiece, GrownWarrior
from engine.records import (
    JsonObject,
    NumberByKey,
    Numbers,
    TextPairs,
    Texts,
    frozen_dataclass,
)
from engine.roster import ChangedFigure, EntryGrowth, HiredUnit, RosterGrowth
from engine.types.lists import Army

# What a campaign has come to: values that leave the fold, and their JSON.


@frozen_dataclass
class WarbandGrowth:
    """A warband as its campaign has made it.

    ``stats`` are the changed characteristics of each warrior. A closed warband has no rating.
    ``veterans``: how much experience may join its groups now; None: any. ``sales`` are the
    currencies that it may sell now, with the prices of one, two and so on of each.
    ``searchers`` have looked for something since the last battle, where the rules limit that.
    """

    id: str
    treasury: NumberByKey
    rating: int
    warriors: Mapping[str, GrownWarrior]
    stats: Mapping[str, NumberByKey]
    stash: tuple[GearPiece, ...] = ()
    territories: Texts = ()
    former: tuple[GrownWarrior, ...] = ()
    veterans: int | None = None
    sales: Mapping[str, Numbers] = field(default_factory=dict)
    searchers: Texts = ()
    is_closed: bool = False

    @property
    def models(self) -> int:
        """Return how many models it has. Captives count, for they are of it still."""
        return self.count_models(EVERYBODY)

    def count_models(self, kinds: Texts) -> int:
        """Return how many models of some kinds it has; who is gone is none."""
        units = self.warriors.values()
        return sum(unit.count for unit in units if counts_for(kinds, unit))

    def to_json(self) -> JsonObject:
        """Return the state as the API tells it; what is empty is left out of a warrior."""
        others = {} if self.veterans is None else {"veterans": self.veterans}
        others |= {"closed": True} if self.is_closed else {}
        return {
            "treasury": dict(self.treasury),
            "rating": self.rating,
            "stash": [piece.id for piece in self.stash],
            "territories": list(self.territories),
            **others,
            "warriors": {
                key: warrior_json(warrior, self.stats[key])
                for key, warrior in self.warriors.items()
            },
        }


@frozen_dataclass
class CampaignState:
    """What a log comes to.

    ``superseded`` are answers that nothing asks for now, ``answers`` what became of each, ``acts`` of
    each act that was not taken back. ``moves`` are all that went through treasuries, in order;
    ``rolled`` the rows of tables that answers came to. ``battles`` are those that count, with what
    was learned in them and what their warbands were worth; ``happenings`` what there is to tell of
    the warbands, in the order in which it took effect. ``offers`` are throws that may be made again.
    """

    position: int
    warbands: Mapping[str, WarbandGrowth]
    open: tuple[Due, ...]
    answers: Mapping[DueKey, str]
    superseded: tuple[DueKey, ...]
    acts: Mapping[int, ActOutcome]
    notes: tuple[GrowthNote, ...]
    moves: tuple[MoneyMove, ...]
    rolled: Mapping[DueKey, RolledRow] = field(default_factory=dict)
    battles: tuple[BattleOutcome, ...] = ()
    happenings: tuple[Happening, ...] = ()
    offers: tuple[Due, ...] = ()

    @property
    def superseded_acts(self) -> tuple[ActOutcome, ...]:
        """The acts that could not be where they stand."""
        return tuple(act for act in self.acts.values() if act.why)

    def list_battles(self, warband: str) -> list[BattleOutcome]:
        """Return the battles that count for a warband, in the order in which they were told."""
        return [battle for battle in self.battles if warband in battle.ratings]

    def find_due(self, warband: str, key: str) -> Due | None:
        """Return a due that is open or offered, or None."""
        dues = (due for due in (*self.open, *self.offers) if due.warband == warband)
        return next((due for due in dues if due.key == key), None)


def warband_state(play: CampaignInPlay, warband: WarbandInPlay) -> WarbandGrowth:
    """Return a warband as it stands, for whoever reads it."""
    return WarbandGrowth(
        id=warband.id,
        treasury=dict(warband.money),
        rating=0 if warband.is_closed else calculate_rating(play.rules, warband),
        warriors=dict(warband.warriors),
        stats={
            key: changed_stats(play.rules, warrior)
            for key, warrior in warband.warriors.items()
        },
        stash=tuple(warband.stash),
        territories=tuple(sorted(play.territories_held_by(warband.id))),
        former=tuple(warband.former),
        veterans=warband.veterans if play.rules.recruits.pool else None,
        sales={
            sale.currency: sale.prices(
                warband.money[sale.currency], count_models(sale.kinds, warband)
            )
            for sale in play.rules.sales
            if play.may_sell(warband, sale)
        },
        searchers=play.list_searchers(warband),
        is_closed=warband.is_closed,
    )


def warrior_json(warrior: GrownWarrior, stats: NumberByKey) -> JsonObject:
    """Return a warrior as the API tells it."""
    values = {
        "gone": warrior.gone,
        "captive_of": warrior.captor,
        # The fallen keep the flag, so that a successor's due knows whom it is about.
        "leader": warrior.is_leader and not warrior.gone,
        "stats": dict(stats),
        "skills": list(warrior.skills),
        "misses": list(warrior.misses),
        # Lasting injuries by the plurals of their verbs, as old_wounds; marks by their names.
        **Counter(f"{mark.verb}s" for mark in warrior.marks if mark.verb != "mark"),
        "marks": warrior.mark_ids,
        "gear": [piece.id for piece in warrior.gear],
    }
    return {
        "kind": warrior.kind,
        "count": warrior.count,
        "experience": warrior.experience,
        **{key: value for key, value in values.items() if value},
    }


def list_lineup(
    warband: WarbandGrowth,
    absent: Collection[str] = (),
    fielded: Collection[str] = (),
) -> tuple[str, ...]:
    """Return who fights: everybody there, without those who miss the battle.

    ``absent`` are left out, ``fielded`` taken though they should miss it.
    """
    return tuple(
        key
        for key, warrior in warband.warriors.items()
        if warrior.is_free and key not in absent and (warrior.fit or key in fielded)
    )


# What a roster shows of its campaign: the state of a warband as facts of its entries and
# head.


@frozen_dataclass
class CampaignFacts:
    """A campaign that was folded, and the names of its event and its warbands.

    ``armies`` are the army lists of the warbands, as far as they are there still.
    """

    name: str
    rules: CampaignRules
    log: CampaignLog
    state: CampaignState
    warbands: Mapping[str, str]
    armies: Mapping[str, Army]


def roster_growth(facts: CampaignFacts, grown: WarbandGrowth) -> RosterGrowth:
    """Return the head of a warband's roster."""
    rules, state = facts.rules, facts.state
    superseded = [owner for owner, _ in state.superseded]
    superseded += [act.warband for act in state.superseded_acts]
    return RosterGrowth(
        campaign=facts.name,
        rules=rules.name,
        rating=grown.rating,
        treasury=tuple(
            (currency.name, grown.treasury.get(currency.id, 0))
            for currency in rules.currencies
        ),
        stash=tuple(
            piece_name(piece.id, rules, facts.armies.get(grown.id)) for piece in grown.stash
        ),
        territories=grown.territories,
        models_most=find_models_most(rules, facts.log, grown),
        models_of=tuple(rules.kind_name(kind) for kind in rules.limits.kinds),
        recruits=_recruits(facts, grown.id),
        recruits_most=rules.limits.recruits_after_battle,
        has_leader=any(
            warrior.is_leader and not warrior.gone for warrior in grown.warriors.values()
        ),
        hired=tuple(_hired(rules, grown)),
        kinds_most=tuple(
            (kind.name, kind.most) for kind in rules.kinds.values() if kind.most is not None
        ),
        dues=sum(due.warband == grown.id for due in state.open),
        aside=superseded.count(grown.id),
    )


def find_models_most(
    rules: CampaignRules, log: CampaignLog, grown: WarbandGrowth
) -> int | None:
    """Return how many models the rules advise a warband to have; hired swords give it no race."""
    units = (warrior.joined for warrior in grown.warriors.values())
    races = {unit.race for unit in units if not unit.is_hired}
    return rules.limits.models_most(log.find_army(grown.id), races)


def _hired(rules: CampaignRules, grown: WarbandGrowth) -> Iterator[HiredUnit]:
    """Yield the hired swords of a warband, once each; arms are those of the rules of now."""
    swords = {sword.id: sword for sword in rules.hired}
    joiners = {
        warrior.joined.profile: warrior.joined
        for warrior in grown.warriors.values()
        if warrior.joined.is_hired and not warrior.gone
    }
    for key, joiner in joiners.items():
        sword = swords.get(key)
        name, gear = (sword.name, sword.gear) if sword else (joiner.name, ())
        yield HiredUnit(key, name, joiner.price, tuple(joiner.stats.items()), gear)


def entry_growth(facts: CampaignFacts, grown: WarbandGrowth, key: str) -> EntryGrowth:
    """Return what a sheet shows of one of a warband's warriors."""
    rules, warrior = facts.rules, grown.warriors[key]
    kind, stats = rules.kinds[warrior.kind], warrior.joined.stats
    wounds = warrior.old_wounds
    injuries = [
        name_injury(row, describe_mark(rules, row.effect))
        for row in lasting_injuries(facts.state, grown.id, key)
    ]
    return EntryGrowth(
        kind=kind.name,
        experience=warrior.experience,
        steps=kind.steps if warrior.joined.learns else (),
        changed=tuple(
            ChangedFigure(stat, stats[stat], figure)
            for stat, figure in grown.stats[key].items()
            if figure != stats[stat]
        ),
        skills=_named(warrior.skills, rules.skills),
        injuries=tuple(injuries),
        goods=_named([piece.id for piece in warrior.gear], rules.trade.goods),
        misses=warrior.misses,
        captor=facts.warbands.get(warrior.captor, "") if warrior.captor else "",
        # Each is rolled for; the first says how.
        old_wound=f"{wounds[0].dice} of {wounds[0].number} or less" if wounds else "",
    )


def name_injury(row: RolledRow, effect: str) -> str:
    """Return the name of an injury with its effect, but for what repeats the name."""
    more = effect.removeprefix(row.name).removeprefix(": ")
    return f"{row.name} ({more})" if more else row.name


def lasting_injuries(state: CampaignState, warband: str, key: str) -> Iterator[RolledRow]:
    """Yield the rows that hurt a warrior, or a model of a group, for good, as they were rolled.

    A void game asks for no rolls, so nothing of it is left here.
    """
    for (owner, due), row in state.rolled.items():
        if owner != warband or row.effect.verb not in LASTING:
            continue
        first, second, bearer, *_ = due.split("/")
        # A model of a group has a number behind the group's key.
        is_theirs = bearer.partition("#")[0] == key
        if is_theirs and (first == RULING or second == INJURY):
            yield row


def _named(ids: Iterable[str], rules: Mapping[str, CharacteristicEffects]) -> TextPairs:
    """Return the names and words of skills or goods; what the rules do not know is left out."""
    return tuple((rules[key].name, rules[key].words) for key in ids if key in rules)


def piece_name(item: str, rules: CampaignRules, army: Army | None) -> str:
    """Return the name of something bought, of the rules or of the army list.

    What neither has any more is named by its key.
    """
    good = rules.trade.goods.get(item)
    if good is not None:
        return good.name
    for profile in army.profiles.values() if army else ():
        for option in profile.all_options:
            if option.key == item:
                return option.name
    return item.replace("-", " ")


def _recruits(facts: CampaignFacts, warband: str) -> int:
    """Return how many models have joined since the warband's last battle."""
    joined = 0
    # Battles count where they were first told, as in the fold.
    for entry in facts.log.entries:
        if isinstance(entry, FixtureResult) and warband in entry.sides:
            joined = 0
        elif isinstance(entry, RecruitAct | EnlargeAct) and entry.warband == warband:
            # One that was taken back, set aside or without a find brought nobody.
            outcome = facts.state.acts.get(entry.number)
            if outcome is None or outcome.why or not outcome.is_found:
                continue
            if isinstance(entry, EnlargeAct):
                joined += entry.count
            elif not entry.joiner.is_hired:
                joined += entry.joiner.count
    return joined
