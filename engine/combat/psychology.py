"""Tests of Initiative and Leadership, and what hangs on them: Rout, All Alone, rallying, stupidity."""

from collections.abc import Iterable, Sequence

from engine.combat.fighters import Attacker, CasualtyCount, Target, outcome_of
from engine.combat.hits import Strike, hit_with, strike_with
from engine.dice import Dice, Meaning, as_series, at_most, changes_of
from engine.records import Texts, frozen_dataclass
from engine.rules import CombatRules

STATES = (
    "standing", "hidden", "fleeing", "rallied_this_turn", "stood_up_this_turn", "knocked_down", "stunned",
    "out_of_action", "left_table",
)  # fmt: skip
GONE = ("stunned", "out_of_action", "left_table")
HELPLESS = ("fleeing", "knocked_down", *GONE)


@frozen_dataclass
class NerveState:
    """A model as tests of nerve see it."""

    leadership: int
    state: str = "standing"


@frozen_dataclass
class InitiativeTest:
    """A D6 at or below Initiative, several at once if need be: all must pass.

    ``six_fails``: ruling C14.

    Source: Mordheim draft, CHARGE!; Mordheim rulings, Glossary; ruling G05.
    """

    initiative: int
    six_fails: bool
    count: int = 1

    @property
    def most(self) -> int:
        """The highest face that passes: a model of Initiative 6 always does where a 6 may pass."""
        return min(self.initiative, 5 if self.six_fails else 6)

    def play(self, dice: Dice, state: None) -> bool:
        faces = dice.pool(self.count, 6, at_most(self.most, "Initiative test"))
        return all(face <= self.most for face in faces)


@frozen_dataclass
class LeadershipTest:
    """Dice at or below Leadership; ``reroll`` throws a failed test once more (Royal Standard).

    Source: Warhammer Skirmish, ALL ALONE; English Civil War, PANIC, GENERAL AND BATTLE STANDARD;
    ruling C22.
    """

    leadership: int
    dice_thrown: int
    reroll: bool = False
    why: str = "Leadership test"

    def play(self, dice: Dice, state: None) -> bool:
        return self._passes(dice, self.why) or (
            self.reroll and self._passes(dice, f"{self.why}, second roll")
        )

    def _passes(self, dice: Dice, why: str) -> bool:
        thrown = (6,) * self.dice_thrown
        return dice.total(thrown, at_most(self.leadership, why)) <= self.leadership


def initiative_rule(rules: CombatRules, initiative: int, count: int = 1) -> InitiativeTest:
    """Initiative tests of a system that has them."""
    return InitiativeTest(initiative, bool(rules.tests.natural_6_fails_initiative), count)


def leadership_rule(
    rules: CombatRules,
    leadership: int,
    *,
    reroll: bool = False,
    why: str = "Leadership test",
) -> LeadershipTest:
    """A Leadership test with the system's dice."""
    return LeadershipTest(leadership, rules.tests.leadership_dice, reroll, why)


def rout_due(rules: CombatRules, size: int, out: int) -> bool:
    """Whether a side of ``size`` starting models tests with ``out`` of them out of action or fled
    off the table.

    Source: Warhammer Skirmish, THE ROUT TEST; ruling G20. A system without the test never calls
    one.
    """
    # The part is compared as products: a quarter of seven models is no whole number.
    rout = rules.morale.rout_played if rules.morale else None
    return rout is not None and rout.denominator * out >= rout.numerator * size


def may_test_voluntarily(rules: CombatRules, out: int) -> bool:
    """Whether a side may ask for a Rout test that is not due.

    Source: Mordheim rulings, The phases; ruling C23.
    """
    morale = rules.morale
    rout = morale.rout_played if morale else None
    return bool(
        morale and rout and morale.voluntary_rout_test and out >= rout.voluntary_from
    )


def rout_leadership(
    rules: CombatRules, leader: NerveState | None, others: Iterable[NerveState]
) -> int | None:
    """The Leadership of a Rout test: the leader's, or the best of the others, or None where nobody
    can lend it.

    Only a stunned leader, or one who is out or off the table, lends nothing; one who is down or
    flees still does (G19). Source: Warhammer Skirmish, THE ROUT TEST; rulings G18, G19.
    """
    barred = GONE if rules.morale.leader_down_lends else HELPLESS
    if leader is not None and leader.state not in barred:
        return leader.leadership
    return max(
        (other.leadership for other in others if other.state not in GONE), default=None
    )


@frozen_dataclass
class RoutTests:
    """So many Rout tests, each at the start of an own turn; the first failed one ends the game."""

    test: LeadershipTest
    tests: int

    def play(self, dice: Dice, state: None) -> str:
        """Return "fight_on" if every test is passed, else "rout"."""
        return (
            "fight_on"
            if all(dice.run(self.test, None) for _ in range(self.tests))
            else "rout"
        )


def rout_tests(rules: CombatRules, leadership: int, turns: int) -> RoutTests:
    """The Rout tests of so many turns without new losses: one in each, or only the first (ruling
    G21).
    """
    tests = turns if rules.morale.rout_every_turn else 1
    return RoutTests(leadership_rule(rules, leadership, why="Rout test"), tests)


@frozen_dataclass
class AllAlone:
    """Alone among enemies: a test, and if it fails one hit by each opponent as the model turns to
    run.

    The hits land at once, on a model that stands; a critical each, as far as the system goes
    (ruling G17). Who is still up flees, wounded or not. Source: Warhammer Skirmish, ALL ALONE;
    Mordheim rulings, Panic!
    """

    test: LeadershipTest
    hits: tuple[Strike, ...]
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        """Return "holds", "flees", or the injury from the hits as the model runs."""
        if dice.run(self.test, None):
            return "holds"
        hits = as_series(PartingHit(hit) for hit in self.hits)
        tally = dice.series(hits, CasualtyCount(self.wounds))
        return outcome_of(tally, self.wounds) if tally.injury else "flees"


@frozen_dataclass
class PartingHit:
    """One opponent's automatic hit on a model that breaks off."""

    strike: Strike

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        return dice.run(self.strike, tally)._replace(critical_used=False)


def all_alone_rule(
    rules: CombatRules, leadership: int, opponents: Sequence[int], target: Target
) -> AllAlone:
    """All Alone against opponents of these Strengths.

    Their hits land at once; where it matters whose wound takes the last Wound, the strongest
    opponent's counts first.
    """
    criticals = rules.morale.parting_criticals
    hits = (
        hit_with(rules, Attacker(1, strength), target, critical_available=criticals)
        for strength in sorted(opponents, reverse=True)
    )
    test = leadership_rule(rules, leadership, why="All Alone test")
    return AllAlone(test, tuple(strike_with(rules, hit) for hit in hits), target.wounds)


@frozen_dataclass
class Stupidity:
    """A stupid model outside combat: a test, and if it fails a D6 for what it does instead.

    Source: Mordheim rulings, The phases (Stupidity test).
    """

    test: LeadershipTest
    instead: Texts

    def play(self, dice: Dice, state: None) -> str:
        """Return "acts_normally", or what a failed test makes the model do instead."""
        if dice.run(self.test, None):
            return "acts_normally"
        rows = self.instead
        cuts = changes_of(rows)
        names = tuple(rows[face - 1].replace("_", " ") for face in (1, *cuts))
        return (
            rows[dice.roll(6, Meaning("stupidity", cuts, names)) - 1] if cuts else rows[0]
        )


def stupidity_rule(rules: CombatRules, leadership: int) -> Stupidity:
    """The stupidity test of a system that has one."""
    assert rules.morale.stupidity is not None
    test = leadership_rule(rules, leadership, why="stupidity test")
    return Stupidity(test, rules.morale.stupidity)
