"""Whole campaigns by chance, played as people would: everything answered, everything spent.

Eight equal warbands, rounds of random pairs, strength that counts with its third power: the play
behind the bound on snowballing. It writes a log row by row and asks the engine for each state.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from engine.growth.acts import BuyAct, EnlargeAct, RecruitAct
from engine.growth.campaign_fold import fold
from engine.growth.dues import Due, DueAnswer
from engine.growth.log import CampaignLog, FixtureResult, Founding, LogEntry, ModelPutOut
from engine.growth.money import recruit_price
from engine.growth.rules import CampaignRules
from engine.growth.state import CampaignState, WarbandGrowth, list_lineup
from engine.growth.tables import parse_dice
from engine.growth.warriors import GearPiece, GrownWarrior, Joiner

STATS = ("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld")
STRENGTH_COUNTS = 3.0


def joiner(key: str, stats: list[int], price: int, **others: object) -> Joiner:
    line = dict(zip(STATS, stats, strict=True))
    return Joiner(key, "someone", price, line, **others)  # type: ignore[arg-type]


def roster() -> tuple[Joiner, ...]:
    return (
        joiner(
            "w1",
            [4, 5, 4, 4, 4, 2, 4, 3, 8],
            60,
            category="hero",
            is_leader=True,
            gear=(GearPiece("blade", 6),),
        ),
        joiner("w2", [4, 4, 4, 3, 3, 2, 3, 2, 7], 50, category="hero"),
        joiner("w3", [4, 3, 3, 3, 3, 1, 3, 1, 7], 7, category="core", count=6),
        joiner("w4", [4, 3, 3, 3, 3, 1, 3, 1, 7], 8, category="core", count=4),
    )


def begun(rules: CampaignRules, warbands: int) -> CampaignLog:
    foundings = [Founding(f"b{number}", "x", roster()) for number in range(warbands)]
    return CampaignLog(rules).with_entries(*foundings)


@dataclass
class Table:
    """A campaign that is being played."""

    chance: random.Random
    log: CampaignLog
    wins: dict[str, int] = field(default_factory=dict)
    fought: int = 0
    acts: int = 0

    def write(self, *entries: LogEntry) -> CampaignState:
        self.log = self.log.with_entries(*entries)
        return fold(self.log)

    def play_round(self) -> None:
        state = fold(self.log)
        names = list(state.warbands)
        self.chance.shuffle(names)
        for pair in zip(names[::2], names[1::2], strict=True):
            state = self.write(self.result(state, pair))
            state = self.answer_all(state)
            for name in pair:
                spent = list(self.spending(state.warbands[name]))
                state = self.write(*spent) if spent else state

    def result(self, state: CampaignState, pair: tuple[str, str]) -> FixtureResult:
        """A battle: the stronger wins oftener, and the losers lose more."""
        self.fought += 1
        one, other = (strength(state.warbands[name]) ** STRENGTH_COUNTS for name in pair)
        winner = pair[0] if self.chance.random() < one / (one + other) else pair[1]
        self.wins[winner] = self.wins.get(winner, 0) + 1
        fielded = {name: list_lineup(state.warbands[name]) for name in pair}
        out = {}
        for name, foe in (pair, pair[::-1]):
            share = 0.25 if name == winner else 0.38
            out[name] = tuple(self.casualties(state, name, share, (foe, fielded[foe])))
        return FixtureResult(
            fixture=f"n{self.fought}",
            sides=pair,
            winner=winner,
            fielded=fielded,
            out=out,
            objectives={name: {"loot": self.chance.randint(0, 2)} for name in pair},
            objective_by=tuple(
                (n, self.chance.choice(who)) for n, who in fielded.items() if who
            ),
        )

    def casualties(
        self,
        state: CampaignState,
        name: str,
        share: float,
        foes: tuple[str, tuple[str, ...]],
    ) -> Iterator[ModelPutOut]:
        foe, killers = foes
        weights = [_weight(state.warbands[foe].warriors[key]) for key in killers]
        for key in list_lineup(state.warbands[name]):
            one = state.warbands[name].warriors[key]
            chance = share * (0.6 if one.kind == "hero" else 1)
            for model in range(1, one.count - len(one.misses) + 1):
                if killers and self.chance.random() < chance:
                    [by] = self.chance.choices(killers, weights)
                    yield ModelPutOut(f"{key}#{model}" if one.count > 1 else key, (foe, by))

    def answer_all(self, state: CampaignState) -> CampaignState:
        for _ in range(12):
            answers = [self.answer(state, due) for due in state.open]
            if not answers:
                return state
            state = self.write(*answers)
        raise AssertionError(state.open)

    def answer(self, state: CampaignState, due: Due) -> DueAnswer:
        if due.dice and not due.is_answered:
            count, sides = parse_dice(due.dice)
            faces = tuple(self.chance.randint(1, sides) for _ in range(count))
            return DueAnswer(due.warband, due.key, faces)
        ids = [key for key, _ in due.choices]
        if due.kind == "ransom":
            return DueAnswer(due.warband, due.key, choice="pay")
        if due.kind == "claim":
            free = [key for key in ids if key != "none" and _is_free(state, key)]
            return DueAnswer(due.warband, due.key, choice=free[0] if free else "none")
        if due.kind == "succession":
            people = state.warbands[due.warband].warriors
            best = max(ids, key=lambda k: (people[k].kind == "hero", people[k].experience))
            return DueAnswer(due.warband, due.key, choice=best)
        return DueAnswer(due.warband, due.key, choice=self.chance.choice(ids))

    def spending(self, warband: WarbandGrowth) -> Iterator[LogEntry]:
        """Everybody spends what there is: models first, up to 15, then gear."""
        purse = warband.treasury["crowns"]
        here = [one for one in warband.warriors.values() if one.is_free]
        models = sum(one.count for one in here)
        groups = [one for one in here if one.kind == "soldier"]
        into = min(groups, key=lambda one: one.experience) if groups else None
        for _ in range(3):
            price = recruit_price(self.log.rules, into, 1) if into else 7
            if models >= 15 or purse < price + 10:
                break
            self.acts += 1
            models, purse = models + 1, purse - price
            if into:
                yield EnlargeAct(self.acts, warband.id, into.key, 1)
            else:
                key = f"r{self.acts}"
                recruit = joiner(key, [4, 3, 3, 3, 3, 1, 3, 1, 7], 7, category="core")
                yield RecruitAct(self.acts, warband.id, recruit)
        heroes = [one for one in here if one.kind == "hero"]
        if purse >= 60 and heroes:
            self.acts += 1
            yield BuyAct(self.acts, warband.id, "charm", heroes[0].key, 15)


def strength(warband: WarbandGrowth) -> float:
    """What a warband puts on the table: price and experience of those able to fight."""
    here = [one for one in warband.warriors.values() if one.is_free]
    return max(1.0, sum(_strength(one) for one in here))


def _strength(one: GrownWarrior) -> float:
    each = one.joined.price + one.experience * 0.8
    return each * max(0, one.count - len(one.misses))


def _weight(one: GrownWarrior) -> int:
    return 3 if one.kind == "hero" else one.count


def _is_free(state: CampaignState, place: str) -> bool:
    return all(place not in one.territories for one in state.warbands.values())


def long_log(
    chance: random.Random, rules: CampaignRules, battles: int, warbands: int
) -> CampaignLog:
    """A log of so many battles with every due answered: a few rounds, then their like again."""
    table = Table(chance, begun(rules, warbands))
    while table.fought < min(battles, 2 * warbands):
        table.play_round()
    state = fold(table.log)
    while table.fought < battles:
        entries: list[LogEntry] = []
        names = chance.sample(list(state.warbands), 2)
        result = table.result(state, (names[0], names[1]))
        entries.append(result)
        for side in names:
            entries += _guessed(chance, state, result, side)
        table.log = table.log.with_entries(*entries)
    return table.log


def _guessed(
    chance: random.Random, state: CampaignState, result: FixtureResult, side: str
) -> Iterator[LogEntry]:
    for casualty in result.out[side]:
        kind = state.warbands[side].warriors[casualty.warrior].kind
        dice = 2 if kind == "hero" else 1
        faces = (4, 4) if dice == 2 else (chance.randint(2, 6),)
        yield DueAnswer(side, result.due_key("injury", casualty.who), faces)
    yield DueAnswer(side, result.due_key("income"), (chance.randint(1, 6),))
    if result.winner == side:
        yield DueAnswer(side, result.due_key("claim"), choice="none")


def corrected_first(log: CampaignLog) -> CampaignLog:
    results = [row.entry for row in log.rows if isinstance(row.entry, FixtureResult)]
    first = results[0]
    [other] = [side for side in first.sides if side != first.winner]
    return log.with_entries(replace(first, winner=other))


def ratings(state: CampaignState) -> Mapping[str, int]:
    return {key: one.rating for key, one in state.warbands.items()}
