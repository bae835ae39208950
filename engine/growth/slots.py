"""A battle's slot in the fold: wounds, injuries, experience, money, claims, further rolls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.growth.campaign import (
    OUTSIDE,
    WENT_OUT_WOUNDED,
    BattleLesson,
    BattleOutcome,
    CampaignInPlay,
    GrowthNote,
    WarbandInPlay,
)
from engine.growth.dues import CLAIM, INCOME, INJURY, OLD_WOUND, ROLL, VETERANS, Due
from engine.growth.effects import EffectContext, happen, resolve, throw_final
from engine.growth.happenings import CLAIMED
from engine.growth.log import FixtureResult, ModelPutOut
from engine.growth.money import calculate_ratings, counts_for, find_underdog
from engine.growth.rules import (
    CampaignRules,
    DicePool,
    ExtraRoll,
    IncomeLine,
    UnderdogRow,
)
from engine.growth.tables import sum_faces
from engine.growth.warriors import GrownWarrior
from engine.records import Texts

NONE = "none"
"""The choice of a winner who claims nothing."""
Awards = tuple[tuple[str, int], ...]
"""What somebody earned: each award by its name, with its sum."""


def fold_slot(play: CampaignInPlay, result: FixtureResult) -> None:
    """Let a battle happen to its warbands."""
    sides = [BattleSide(play, result, play.warbands[key]) for key in result.sides]
    # Before anything of this battle has changed them.
    ratings = calculate_ratings(play, [side.warband for side in sides])
    for side in sides:
        side.prepare()
    for side in sides:
        side.injure()
    lessons: list[BattleLesson] = []
    for side in sides:
        bonus = find_underdog(play.rules, side.warband.id, ratings)
        lessons += side.learn(bonus)
        side.pay(bonus)
    for side in sides:
        if side.warband.id == result.winner:
            side.claim()
    # Last, so that what is found here is not taken by this battle's upkeep.
    for side in sides:
        side.roll_further()
        side.roll_veterans()
        side.warband.last_battle = play.position
    after = calculate_ratings(play, [side.warband for side in sides])
    worth = {key: (before, after[key]) for key, before in ratings.items()}
    # Advances and purchases of later move the rating on; this is what the battle alone did.
    play.battles.append(BattleOutcome(play.position, result.fixture, tuple(lessons), worth))


@dataclass(slots=True)
class BattleSide:
    """A warband in a battle; ``fought`` are those of the fielded who are in it by then."""

    play: CampaignInPlay
    result: FixtureResult
    warband: WarbandInPlay
    fought: list[str] = field(default_factory=list)

    def _due(self, kind: str, *parts: str, **more: Any) -> Due:
        """Return a due of this battle."""
        key = self.result.due_key(kind, *parts)
        return Due(key, self.warband.id, kind, fixture=self.result.fixture, **more)

    def _note(self, key: str, why: str) -> None:
        note = GrowthNote(self.warband.id, key, self.result.fixture, why)
        self.play.notes.append(note)

    def prepare(self) -> None:
        """See who fights, roll old wounds, and count down misses.

        Whoever still waits for an upkeep has left.
        """
        for warrior in self.warband.present():
            if warrior.unpaid:
                self.play.dismiss(self.warband, warrior, warrior.count)
        for key in self.result.fielded.get(self.warband.id, ()):
            if self.warband.find_present(key):
                self.fought.append(key)
            else:
                self._note(key, OUTSIDE)

        present = self.warband.present()
        for warrior in present:
            stays_away = self._roll_wounds(warrior)
            # What was fielded stays as it was.
            if stays_away and warrior.key in self.fought:
                self._note(warrior.key, WENT_OUT_WOUNDED)
        for warrior in present:
            if warrior.misses:
                misses = tuple(left - 1 for left in warrior.misses if left > 1)
                self.warband.change(warrior, misses=misses)

    def _roll_wounds(self, warrior: GrownWarrior) -> bool:
        """Return whether an old wound keeps somebody away; each is rolled for."""
        stays_away = False
        for number, wound in enumerate(warrior.old_wounds, start=1):
            # The first roll has the plain key; a further one its number behind it.
            parts = (warrior.key,) if number == 1 else (warrior.key, str(number))
            # Rows of an older edition asked for the first wound alone.
            if number > 1 and self.play.position < self.play.book.since:
                break
            due = self._due(OLD_WOUND, *parts, warrior=warrior.key, dice=wound.dice)
            throw = self.play.book.throw(due)
            if throw and sum_faces(wound.dice, throw.faces) <= wound.number:
                stays_away = True
        return stays_away

    def injure(self) -> None:
        """Roll an injury for each model that was put out, in the order of their keys."""
        casualties = self.result.out.get(self.warband.id, ())
        out = {casualty.warrior for casualty in casualties}
        self.warband.stood = [key for key in self.fought if key not in out]
        self.play.book.end_offers(self.warband.id)
        for casualty in sorted(casualties, key=lambda model: model.place):
            warrior = self.warband.warriors.get(casualty.warrior)
            if not warrior or warrior.gone:
                continue
            table = self.play.get_kind(warrior).injuries
            if table:
                due = self._due(INJURY, casualty.who, warrior=warrior.key)
                captor = self._captor(casualty)
                context = EffectContext(self.play, self.warband, due, warrior.key, captor)
                resolve(context, table)

    def _captor(self, casualty: ModelPutOut) -> str:
        """Return who would hold a captive.

        Who put it out, else the only opponent, else the winner.
        """
        others = [key for key in self.result.sides if key != self.warband.id]
        if casualty.by and casualty.by[0] in others:
            return casualty.by[0]
        if len(others) == 1:
            return others[0]
        return self.result.winner if self.result.winner in others else ""

    def learn(self, bonus: UnderdogRow | None) -> list[BattleLesson]:
        """Give experience to those who fought and are not gone.

        Return what each of them learned. A captive of this battle earned it too.
        """
        warband, result = self.warband, self.result
        # Once for each model that was put out, so a name may stand there several times.
        put_out = result.put_out_by(warband.id)
        lessons = []
        for key in self.fought:
            warrior = warband.warriors[key]
            if warrior.gone or not warrior.joined.learns:
                continue
            # Games of older logs know whether any objective was taken.
            objectives = result.objective_by.count((warband.id, key))
            is_old = self.play.position < self.play.book.since
            deeds = {
                "fought": 1,
                "put_out": put_out.count(key),
                "leader_won": int(warrior.is_leader and result.winner == warband.id),
                "objective": min(1, objectives) if is_old else objectives,
                result.word_for(warband.id): 1,
            }
            awards = _awards(self.play.rules, warrior, deeds)
            if bonus and bonus.experience and counts_for(bonus.kinds, warrior):
                # The bonus of an underdog has no name.
                awards = (*awards, ("", bonus.experience))
            if awards:
                lesson = BattleLesson(warband.id, key, warrior.experience, awards)
                lessons.append(lesson)
                warband.change(warrior, experience=lesson.after)
        return lessons

    def pay(self, bonus: UnderdogRow | None) -> None:
        """Pay the warband for the battle, and let it pay its upkeep."""
        play, warband, rules = self.play, self.warband, self.play.rules
        throws = 0
        for line in rules.income:
            throws += line.when == "dice"
            play.move(warband, line.currency, self._income(line, throws), line.when)
        ground = rules.territories
        if ground and ground.amount:
            count = sum(1 for _ in play.territories_held_by(warband.id))
            play.move(warband, ground.currency, ground.amount * count, "territories")
        if bonus:
            play.move(warband, rules.prices.currency, bonus.amount, "underdog")
        upkeep, currency = 0, rules.upkeep_currency
        if rules.upkeep:
            models = sum(warrior.count for warrior in warband.present())
            upkeep = max(0, models - rules.upkeep.free_models) * rules.upkeep.each
        # What is not there is forgiven, so upkeep alone never makes a debt.
        there = max(0, warband.money[currency])
        for unit in filter(None, map(warband.find_present, self.fought)):
            price = unit.joined.upkeep
            if rules.is_unpaid_gone and price and upkeep + price > there:
                warband.change(unit, unpaid=self.result.fixture)
            else:
                upkeep += price
        play.move(warband, currency, -min(there, upkeep), "upkeep")

    def _income(self, line: IncomeLine, number: int) -> int:
        """Return what a line of income pays; with dice nothing while its due is open."""
        side, result = self.warband.id, self.result
        if line.when == "result":
            return line.amounts.get(result.word_for(side), 0)
        if line.when == "objective":
            count = result.objectives.get(side, {}).get(line.objective, 0)
            return line.each * (count if line.most is None else min(line.most, count))
        if line.when != "dice":
            return 0
        # The first throw has the plain key; a further one its number behind it.
        parts = () if number == 1 else (str(number),)
        due = self._due(INCOME, *parts, dice=line.dice, words=line.name)
        throw = self.play.book.throw(due)
        return sum_faces(line.dice, throw.faces) * line.times if throw else 0

    def claim(self) -> None:
        """Let the winner choose a place that is free or a loser's."""
        play, warband, rule = self.play, self.warband, self.play.rules.territories
        if not rule:
            return
        count = sum(1 for _ in play.territories_held_by(warband.id))
        losers = {"", *self.result.sides} - {warband.id}
        free = [name for name in rule.names if play.claims.get(name, "") in losers]
        names = free if count < rule.most else []
        due = self._due(CLAIM, choices=((NONE, NONE), *((name, name) for name in names)))
        choice = play.book.choose(due)
        if choice in names:
            fixture, before = self.result.fixture, play.claims.get(choice, "")
            play.tell(warband.id, CLAIMED, fixture=fixture, choice=choice, other=before)
            play.claims[choice] = warband.id
        elif choice and choice != NONE:
            play.book.leave_choice(due)

    def roll_further(self) -> None:
        """Ask for the further rolls of the rules: of the warband, or of those who still stand."""
        for roll in self.play.rules.rolls:
            if roll.pool:
                self._roll_pool(roll, roll.pool)
                continue
            for key in self._standing(roll.kinds) if roll.kinds else [""]:
                due = self._due(ROLL, roll.id, *filter(None, [key]), warrior=key)
                resolve(EffectContext(self.play, self.warband, due, key), roll.table)

    def roll_veterans(self) -> None:
        """Throw for the experience that may join, where a group has any."""
        play, pool = self.play, self.play.rules.recruits.pool
        groups = [w for w in self.warband.present() if play.get_kind(w).is_group]
        self.warband.veterans = 0
        if pool and any(group.learned for group in groups):
            throw = play.book.throw(self._due(VETERANS, dice=pool))
            self.warband.veterans = sum_faces(pool, throw.faces) if throw else 0

    def _standing(self, kinds: Texts) -> list[str]:
        """Return who of some kinds fought and was not put out."""
        units = self.warband.warriors
        return [key for key in self.warband.stood if units[key].kind in kinds]

    def _roll_pool(self, roll: ExtraRoll, pool: DicePool) -> None:
        """Throw the dice of a pool: their sum is a row, and faces that are alike are another."""
        play, won = self.play, self.result.winner == self.warband.id
        number = min(len(self._standing(pool.each)) + won * pool.won, pool.most)
        if not number:
            return
        dice = pool.die if number == 1 else f"{number}{pool.die}"
        due = self._due(ROLL, roll.id, dice=dice)
        context = EffectContext(play, self.warband, due)
        resolve(context, roll.table)
        throw = throw_final(context, due, play.rules.tables[roll.table])
        table, face = roll.find_alike(throw.faces) if throw and throw.faces else ("", 0)
        if table:
            # Nothing is thrown for it: the face is the roll.
            below = replace(due, key=f"{due.key}/{table}", dice="")
            row = play.rules.tables[table].find_row(face)
            play.book.rolled[below.warband, below.key] = row
            happen(replace(context, due=below, table=table), row)


def earned_so_far(rules: CampaignRules, warrior: GrownWarrior, put_out: int) -> Awards:
    """Return what somebody who fights has earned, whoever wins."""
    deeds = {"fought": 1, "put_out": put_out} if warrior.joined.learns else {}
    return _awards(rules, warrior, deeds)


def _awards(
    rules: CampaignRules, warrior: GrownWarrior, deeds: Mapping[str, int]
) -> Awards:
    """Return what somebody earned with these deeds."""
    awards = [award for award in rules.experience if counts_for(award.kinds, warrior)]
    earned = []
    for award in awards:
        amount = deeds.get(award.when, 0) * award.amount
        amount = amount if award.most is None else min(award.most, amount)
        if amount:
            earned.append((award.name, amount))
    return tuple(earned)
