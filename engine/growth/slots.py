"""A battle's slot in the fold: wounds, injuries, experience, money, claims, further rolls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.growth import warriors
from engine.growth.campaign import (
    OUTSIDE,
    WENT_OUT_WOUNDED,
    BattleLesson,
    BattleTold,
    CampaignInPlay,
    GrowthNote,
    WarbandInPlay,
)
from engine.growth.dues import CLAIM, INJURY, OLD_WOUND, ROLL, Due
from engine.growth.effects import EffectContext, resolve
from engine.growth.happenings import CLAIMED
from engine.growth.log import FixtureResult, ModelPutOut
from engine.growth.money import counts_for, pay_battle, ratings_of, underdog_of
from engine.growth.rules import CampaignRules, ExperienceAward, UnderdogRow
from engine.growth.tables import roll_of
from engine.growth.warriors import GrownWarrior

NONE = "none"
"""The choice of a winner who claims nothing."""
UNDERDOG = ""
"""Stands for the bonus of an underdog among the names of awards."""


def fold_slot(play: CampaignInPlay, result: FixtureResult) -> None:
    """Let a battle happen to its warbands."""
    sides = [play.warbands[key] for key in result.sides]
    # Before anything of this battle has changed them.
    ratings = ratings_of(play, sides)
    fought = {side.id: _prepare(play, result, side) for side in sides}
    for side in sides:
        _injure(play, result, side)
    lessons: list[BattleLesson] = []
    for side in sides:
        bonus = underdog_of(play.rules, side.id, ratings)
        lessons += _learn(play, result, side, fought[side.id], bonus)
        pay_battle(play, result, side, bonus, _hired_upkeep(side, fought[side.id]))
    if result.winner in fought:
        _claim(play, result, play.warbands[result.winner])
    # Last, so that what is found here is not taken by this battle's upkeep.
    for side in sides:
        _roll_further(play, result, side, fought[side.id])
    after = ratings_of(play, sides)
    worth = {key: (before, after[key]) for key, before in ratings.items()}
    # Advances and purchases of later move the rating on; this is what the battle alone did.
    play.battles.append(BattleTold(play.position, result.fixture, tuple(lessons), worth))


def _hired_upkeep(side: WarbandInPlay, fought: Sequence[str]) -> int:
    """Return what those who fought and are still there cost for the battle."""
    return sum(side.warriors[key].joined.upkeep for key in fought if side.find_present(key))


# Before the first blow


def _prepare(
    play: CampaignInPlay, result: FixtureResult, side: WarbandInPlay
) -> Sequence[str]:
    """Roll old wounds, count down misses, and return who of the fielded is in the warband."""
    fielded = result.fielded.get(side.id, ())
    fought = [key for key in fielded if side.find_present(key)]
    for key in fielded:
        if key not in fought:
            play.notes.append(GrowthNote(side.id, key, result.fixture, OUTSIDE))
    present = side.present()
    for one in present:
        if one.old_wounds:
            _roll_wound(play, result, side, one, fought)
    for one in present:
        if one.misses:
            side.put(warriors.count_down_misses(one))
    return fought


def _roll_wound(
    play: CampaignInPlay,
    result: FixtureResult,
    side: WarbandInPlay,
    one: GrownWarrior,
    fought: Sequence[str],
) -> None:
    """Roll for an old wound, and note whoever fought against it."""
    wound = one.old_wounds[0]
    due = Due(
        result.key_of(OLD_WOUND, one.key),
        side.id,
        OLD_WOUND,
        warrior=one.key,
        fixture=result.fixture,
        dice=wound.dice,
    )
    throw = play.book.throw(due)
    stays_away = throw is not None and roll_of(wound.dice, throw.faces) <= wound.number
    if stays_away and one.key in fought:
        # What was fielded stays as it was.
        play.notes.append(GrowthNote(side.id, one.key, result.fixture, WENT_OUT_WOUNDED))


# Injuries


def _injure(play: CampaignInPlay, result: FixtureResult, side: WarbandInPlay) -> None:
    """Roll an injury for each model that was put out, in the order of their keys."""
    casualties = sorted(result.out.get(side.id, ()), key=lambda one: one.place)
    for casualty in casualties:
        one = side.warriors.get(casualty.warrior)
        table = play.kind_of(one).injuries if one and not one.gone else ""
        if one and table:
            key = result.key_of(INJURY, casualty.who)
            due = Due(key, side.id, INJURY, warrior=one.key, fixture=result.fixture)
            captor = _captor(result, side.id, casualty)
            resolve(EffectContext(play, side, due, one.key, captor), table)


def _captor(result: FixtureResult, side: str, casualty: ModelPutOut) -> str:
    """Return who would hold a captive: who put it out, else the only opponent, else the winner."""
    others = [key for key in result.sides if key != side]
    if casualty.by and casualty.by[0] in others:
        return casualty.by[0]
    if len(others) == 1:
        return others[0]
    return result.winner if result.winner in others else ""


# Experience


def _learn(
    play: CampaignInPlay,
    result: FixtureResult,
    side: WarbandInPlay,
    fought: Sequence[str],
    bonus: UnderdogRow | None,
) -> list[BattleLesson]:
    """Give experience to those who fought and are not gone; a captive earned it too.

    Return what each of them learned.
    """
    # Once for each model that was put out, so a name may stand there several times.
    put_out = result.put_out_by(side.id)
    lessons = []
    for key in fought:
        one = side.warriors[key]
        # Who was taken captive in this battle still learned from it.
        if one.gone:
            continue
        deeds = _deeds(result, one, side.id, put_out.count(key))
        awards = _awards(play, one, deeds, bonus)
        if awards:
            lesson = BattleLesson(side.id, key, one.experience, awards)
            lessons.append(lesson)
            side.put(warriors.learn(one, lesson.amount))
    return lessons


def _awards(
    play: CampaignInPlay,
    one: GrownWarrior,
    deeds: Mapping[str, int],
    bonus: UnderdogRow | None,
) -> tuple[tuple[str, int], ...]:
    """Return what somebody earned with these deeds: each award by its name, with its sum."""
    awards = [award for award in play.rules.experience if counts_for(award.kinds, one)]
    told = [(award.name, _earned(award, deeds)) for award in awards]
    if bonus and counts_for(bonus.kinds, one):
        told.append((UNDERDOG, bonus.experience))
    return tuple((name, amount) for name, amount in told if amount)


def earned_so_far(
    rules: CampaignRules, one: GrownWarrior, put_out: int
) -> tuple[tuple[str, int], ...]:
    """Return what somebody who fights has earned, whoever wins: each award with its sum."""
    deeds = {"fought": 1, "put_out": put_out}
    own = [award for award in rules.experience if counts_for(award.kinds, one)]
    told = [(award.name, _earned(award, deeds)) for award in own]
    return tuple((name, amount) for name, amount in told if amount)


def _deeds(
    result: FixtureResult, one: GrownWarrior, side: str, put_out: int
) -> dict[str, int]:
    """Return how often somebody who fought did what awards are given for."""
    has_won = result.winner == side
    return {
        "fought": 1,
        "put_out": put_out,
        "leader_won": int(one.is_leader and has_won),
        "objective": int((side, one.key) in result.objective_by),
        result.word_for(side): 1,
    }


def _earned(award: ExperienceAward, deeds: Mapping[str, int]) -> int:
    """Return what an award gives for deeds, up to its most."""
    earned = deeds.get(award.when, 0) * award.amount
    return earned if award.most is None else min(award.most, earned)


# Claims and further rolls


def _claim(play: CampaignInPlay, result: FixtureResult, side: WarbandInPlay) -> None:
    """Let the winner choose a place that is free or a loser's."""
    rule = play.rules.territories
    if not rule:
        return
    held = sum(1 for _ in play.territories_of(side.id))
    losers = {"", *result.sides} - {side.id}
    free = [name for name in rule.names if play.claims.get(name, "") in losers]
    names = free if held < rule.most else []
    choices = ((NONE, NONE), *((name, name) for name in names))
    key = result.key_of(CLAIM)
    due = Due(key, side.id, CLAIM, fixture=result.fixture, choices=choices)
    choice = play.book.choose(due)
    if choice in names:
        fixture, before = result.fixture, play.claims.get(choice, "")
        play.tell(side.id, CLAIMED, fixture=fixture, choice=choice, other=before)
        play.claims[choice] = side.id
    elif choice and choice != NONE:
        play.book.leave_choice(due)


def _roll_further(
    play: CampaignInPlay, result: FixtureResult, side: WarbandInPlay, fought: Sequence[str]
) -> None:
    """Ask for the further rolls of the rules."""
    out = {casualty.warrior for casualty in result.out.get(side.id, ())}
    for roll in play.rules.rolls:
        standing = [one for one in fought if one not in out]
        if not roll.kinds:
            rollers = [""]
        else:
            rollers = [key for key in standing if side.warriors[key].kind in roll.kinds]
        for key in rollers:
            parts = (ROLL, roll.id, key) if key else (ROLL, roll.id)
            due = Due(
                result.key_of(*parts), side.id, ROLL, warrior=key, fixture=result.fixture
            )
            resolve(EffectContext(play, side, due, key), roll.table)
