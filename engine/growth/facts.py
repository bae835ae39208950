"""What a roster shows of its campaign: the state of a warband as facts of its entries and head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.growth.dues import INJURY
from engine.growth.log import CampaignLog, EnlargeAct, FixtureResult, RecruitAct
from engine.growth.rules import CampaignRules
from engine.growth.state import CampaignState, WarbandGrowth
from engine.growth.tables import CharacteristicEffects, RolledRow, RowEffect
from engine.growth.warriors import GrownWarrior
from engine.records import TextPairs, Texts, frozen_dataclass
from engine.roster import ChangedFigure, EntryGrowth, HiredUnit, RosterGrowth
from engine.types.lists import Army

LASTING = ("lower", "old_wound")
"""Verbs whose rows stay with a warrior as injuries."""


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
    rules = facts.rules
    return RosterGrowth(
        campaign=facts.name,
        rules=rules.name,
        rating=grown.rating,
        treasury=tuple(
            (one.name, grown.treasury.get(one.id, 0)) for one in rules.currencies
        ),
        stash=tuple(
            piece_name(piece.id, rules, facts.armies.get(grown.id)) for piece in grown.stash
        ),
        territories=grown.territories,
        models_most=rules.limits.models,
        recruits=_recruits(facts, grown.id),
        recruits_most=rules.limits.recruits_after_battle,
        has_leader=any(one.is_leader and not one.gone for one in grown.warriors.values()),
        hired=tuple(_hired(rules, grown)),
        kinds_most=tuple(_kinds_most(rules)),
        dues=sum(due.warband == grown.id for due in facts.state.open),
        aside=_count_aside(facts.state, grown.id),
    )


def _kinds_most(rules: CampaignRules) -> Iterator[tuple[str, int]]:
    """Yield the name of each kind that has a limit, with that limit."""
    for kind in rules.kinds.values():
        if kind.most is not None:
            yield kind.name, kind.most


def _count_aside(state: CampaignState, warband: str) -> int:
    """Return how many answers and acts of a warband were set aside."""
    answers = sum(owner == warband for owner, _ in state.aside)
    return answers + sum(act.warband == warband for act in state.acts_aside)


def _hired(rules: CampaignRules, grown: WarbandGrowth) -> Iterator[HiredUnit]:
    """Yield the hired swords of a warband, once each; arms are those of the rules of now."""
    gear = {one.id: one.gear for one in rules.hired}
    names = {one.id: one.name for one in rules.hired}
    joiners = {
        one.joined.profile: one.joined
        for one in grown.warriors.values()
        if one.joined.is_hired and not one.gone
    }
    for key, joiner in joiners.items():
        name = names.get(key, joiner.name)
        stats = tuple(joiner.stats.items())
        yield HiredUnit(key, name, joiner.price, stats, gear.get(key, ()))


def entry_growth(facts: CampaignFacts, grown: WarbandGrowth, key: str) -> EntryGrowth:
    """Return what a sheet shows of one of a warband's warriors."""
    rules, one = facts.rules, grown.warriors[key]
    kind = rules.kinds[one.kind]
    return EntryGrowth(
        kind=kind.name,
        experience=one.experience,
        steps=kind.steps,
        changed=tuple(
            ChangedFigure(stat, one.joined.stats[stat], now)
            for stat, now in grown.stats[key].items()
            if now != one.joined.stats[stat]
        ),
        skills=_named(one.skills, rules.skills),
        injuries=tuple(
            row.name + _rolled_for(row.effect)
            for row in lasting_injuries(facts.state, grown.id, one.key)
        ),
        goods=_named([piece.id for piece in one.gear], rules.trade.goods),
        misses=one.misses,
        captor=facts.warbands.get(one.captor, "") if one.captor else "",
        old_wound=_old_wound(one),
    )


def _old_wound(one: GrownWarrior) -> str:
    """Return the roll that keeps a warrior from a battle; the fold rolls for one wound only."""
    if not one.old_wounds:
        return ""
    wound = one.old_wounds[0]
    return _wound_roll(wound.dice, wound.at_most)


def lasting_injuries(state: CampaignState, warband: str, key: str) -> Iterator[RolledRow]:
    """Yield the rows that hurt a warrior, or a model of a group, for good, as they were rolled.

    A void game asks for no rolls, so nothing of it is left here.
    """
    for (owner, due), row in state.rolled.items():
        if owner != warband or row.effect.verb not in LASTING:
            continue
        # A model of a group has a number behind the group's key.
        parts = [part.partition("#")[0] for part in due.split("/")]
        if parts[1:3] == [INJURY, key]:
            yield row


# Pieces of the facts


def _named(ids: Texts | list[str], known: Mapping[str, CharacteristicEffects]) -> TextPairs:
    """Return the names and words of skills or goods; what the rules do not know is left out."""
    return tuple((known[one].name, known[one].words) for one in ids if one in known)


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


def _rolled_for(effect: RowEffect) -> str:
    """Return what an old wound does before each battle, in brackets; "" for other injuries."""
    if effect.verb != "old_wound":
        return ""
    return f" ({old_wound_words(effect)})"


def old_wound_words(effect: RowEffect) -> str:
    """Return what is rolled before each battle, and on what it keeps its bearer away."""
    return f"misses a battle on a {_wound_roll(effect.dice, effect.number)}"


def _wound_roll(dice: str, most: int) -> str:
    """Return the roll on which an old wound keeps its bearer away."""
    return f"{dice} of {most} or less"


def _recruits(facts: CampaignFacts, warband: str) -> int:
    """Return how many models have joined since the warband's last battle."""
    joined = 0
    # Battles count where they were first told, as in the fold.
    for row in facts.log.rows:
        entry = row.entry
        if isinstance(entry, FixtureResult) and warband in entry.sides:
            joined = 0
        elif isinstance(entry, RecruitAct | EnlargeAct) and entry.warband == warband:
            joined += _models_of(entry) if _counts(facts, entry.number) else 0
    return joined


def _models_of(act: RecruitAct | EnlargeAct) -> int:
    """Return how many models an act recruits; hired swords are none of them."""
    if isinstance(act, EnlargeAct):
        return act.count
    return 0 if act.joiner.is_hired else act.joiner.count


def _counts(facts: CampaignFacts, number: int) -> bool:
    """Return whether an act brought somebody: not taken back, set aside or without a find."""
    outcome = facts.state.acts.get(number)
    return outcome is not None and not outcome.why and outcome.is_found
