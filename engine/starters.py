"""Starter warbands: a leader and up to three kinds of troops, without errors, near the limit.

The same lists always give the same warband. What a warband should look like is read from the
system's own findings, so that a list of nothing but oddities gets the mildest warband it can have.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, groupby
from operator import itemgetter, mul

from engine.equipment import carried_weapons
from engine.findings.checks import check
from engine.option_rules import cheapest, listed_on_purchase, required_groups
from engine.records import Numbers, frozen_dataclass
from engine.roster import Roster, RosterEntry
from engine.selection import select
from engine.types.lists import Army, Profile
from engine.types.systems import System

MODELS_MAX = 15
KINDS_MAX = 3
TROOPS_LOOKED_AT = 9  # mixtures of three out of nine are 84; more would not be quick
LEADERS_LOOKED_AT = 6
LEADER_SHARE = 0.65  # of the limit: above it too little is left for others
MODELS_MIN = 5
LEADERS_GEAR = ("armour", "shield", "weapon")
NAME = "{army}: border patrol"

FindingCounts = tuple[int, int, int]


@frozen_dataclass
class StarterCandidate:
    """A profile as it would be bought: its entry, its price and what it can do.

    ``blame`` counts the findings of a warband of it alone: errors, warnings, notes.
    """

    profile: Profile
    entry: RosterEntry
    points: int
    leadership: int
    blame: FindingCounts
    shoots: bool


def build_starter(system: System, army: Army, limit: int = 150) -> Roster:
    """Return the list's ready-made warband, or one made within ``limit`` points.

    One that is made has at most 15 miniatures. An army that cannot field any gives an empty roster.
    """
    if ready := army.starter:
        return Roster(
            system.key,
            army.key,
            ready.name,
            ready.limit,
            system.variant,
            warriors=ready.warriors,
        )
    return _StarterBuilder(system, army, limit).best()


class _StarterBuilder:
    """Builds the warbands that a list can begin with, and chooses among them."""

    def __init__(self, system: System, army: Army, limit: int) -> None:
        self.system, self.army, self.limit = system, army, limit
        self.everybody: list[StarterCandidate] = []
        for profile in filter(_is_usable, army.profiles.values()):
            # With what it must buy. A default answers for its group, so only the other groups need
            # a purchase.
            groups = required_groups(profile).values()
            open_groups = (g for g in groups if not any(o.is_default for o in g))
            needed = [cheapest(group).key for group in open_groups]
            options = (*listed_on_purchase(profile), *needed)
            entry = RosterEntry(profile.key, options=options)
            selection = select(army, entry)
            alone = Roster(system.key, army.key, warriors=(replace(entry, is_leader=True),))
            self.everybody.append(
                StarterCandidate(
                    profile=profile,
                    entry=entry,
                    points=selection.points,
                    leadership=selection.leadership or 0,
                    blame=self._blame(alone),
                    shoots=any(arm.is_missile for arm in carried_weapons(selection, army)),
                )
            )

    def best(self) -> Roster:
        """Return the warband with the mildest findings, an empty one where there is none."""
        name = self.army.starter_name or NAME.format(army=self.army.name)
        bare = Roster(self.system.key, self.army.key, name, self.limit, self.system.variant)
        ranked: list[tuple[tuple[object, ...], Roster]] = []
        able = [c for c in self.everybody if not c.blame[0] and c.points < self.limit]
        able.sort(key=lambda c: (c.blame, self._as_leader(c)))
        for leader in able[:LEADERS_LOOKED_AT]:
            roster = self._with_troops(bare, leader)
            if roster:
                models = sum(entry.count for entry in roster.warriors)
                # Cheap models alone may break no guideline, and leave most of the points unspent.
                is_unspent = 2 * self._points(roster) < self.limit
                few = models < MODELS_MIN
                rank = (is_unspent, self._blame(roster), few, *self._as_leader(leader))
                ranked.append((rank, roster))
        # The ranks of two leaders never tie, for they end with the key of the profile.
        return min(ranked, key=itemgetter(0), default=((), bare))[1]

    def _blame(self, roster: Roster) -> FindingCounts:
        levels = [finding.level for finding in check(roster, self.system, self.army)]
        return levels.count("error"), levels.count("warning"), levels.count("note")

    def _as_leader(self, candidate: StarterCandidate) -> tuple[bool, bool, int, int, str]:
        """Return the rank of a leader, smaller is better.

        A hero leads rather than others, then who is not too dear, has most Leadership and costs
        least.
        """
        is_dear = candidate.points > self.limit * LEADER_SHARE
        profile, points = candidate.profile, candidate.points
        return (
            profile.category != "hero",
            is_dear,
            -candidate.leadership,
            points,
            profile.key,
        )

    def _common_troops(self) -> list[StarterCandidate]:
        """Return the troops of which a list allows any number, or all where there are none."""
        characters = self.army.characters
        troops = [c for c in self.everybody if c.profile.category not in characters]
        able = [c for c in troops if not c.blame[0]]
        # What a list allows few of is for those who know the list.
        return [c for c in able if c.profile.army_max is None] or able

    def _with_troops(self, bare: Roster, leader: StarterCandidate) -> Roster | None:
        """Return the leader's warband, None where no troops fit beside the leader."""
        able = [c for c in self._common_troops() if c.leadership <= leader.leadership]
        # Each was counted as a leader, and that it is no character holds for all of them.
        mildest = min((c.blame for c in able), default=None)
        troops = [c for c in able if c.blame == mildest][:TROOPS_LOOKED_AT]
        best = _best_mixture(troops, self.limit - leader.points)
        if best is None:
            return None
        first = replace(leader.entry, is_leader=True)
        others = [replace(troops[place].entry, count=count) for place, count in best[1]]
        return self._with_gear(replace(bare, warriors=(first, *others)), leader.profile)

    def _with_gear(self, roster: Roster, profile: Profile) -> Roster:
        """Return the roster, its leader armed from what is left; no finding gets worse."""
        blame = self._blame(roster)
        gear = [
            option
            for option in profile.options
            if option.points > 0
            and not option.is_trade_only
            and option.kind in LEADERS_GEAR
        ]
        # Armour first, weapons last.
        for option in sorted(gear, key=lambda option: LEADERS_GEAR.index(option.kind)):
            first, *others = roster.warriors
            groups = {
                option.group for option in profile.options if option.key in first.options
            }
            if option.key in first.options or option.group in groups - {""}:
                continue
            armed = replace(first, options=(*first.options, option.key))
            tried = replace(roster, warriors=(armed, *others))
            # Checking is slow, so what costs too much is left aside before.
            if self._points(tried) <= self.limit and self._blame(tried) <= blame:
                roster, blame = tried, self._blame(tried)
        return roster

    def _points(self, roster: Roster) -> int:
        return sum(select(self.army, entry).points for entry in roster.warriors)


def _is_usable(profile: Profile) -> bool:
    """Whether a starter warband may have this profile: priced, complete, ordinary."""
    return (
        profile.is_offered
        # Campaigns alone find and hire.
        and profile.joining.upkeep is None
        and not profile.joining.rarity
        and profile.points > 0
        and not (profile.is_special_character or profile.is_regiment_of_renown)
        and not (profile.incomplete or profile.upgrade_of or profile.requires_army)
        and profile.basis == "model"
    )


TroopMixture = tuple[tuple[bool, int, int], tuple[tuple[int, int], ...]]


def _best_mixture(troops: Sequence[StarterCandidate], left: int) -> TroopMixture | None:
    """Return the best mixture of one to three kinds that fits, None where none does.

    That is well spent, with missiles beside other carried_weapons, of many kinds and in even
    numbers.
    """
    kinds = range(1, min(KINDS_MAX, len(troops)) + 1)
    places = chain.from_iterable(combinations(range(len(troops)), n) for n in kinds)

    def sort(places: Numbers) -> tuple[bool, int]:
        return len({troops[place].shoots for place in places}) < 2, -len(places)

    unspent = None
    # Most mixtures are of a worse sort than the first that is well spent, and never looked at.
    for _, alike in groupby(sorted(places, key=sort), sort):
        best = min(
            chain.from_iterable(_mixtures(troops, p, left) for p in alike), default=None
        )
        if best and not best[0][0]:
            return best
        unspent = unspent or best
    return unspent


def _mixtures(
    troops: Sequence[StarterCandidate], places: Numbers, left: int
) -> Iterator[TroopMixture]:
    """Yield the mixtures of these kinds that fit; the smallest is the best."""
    prices = [troops[place].points for place in places]
    for counts in _counts(prices, left, MODELS_MAX - 1):
        rest = left - sum(map(mul, counts, prices))
        rank = (rest > 10, max(counts) - min(counts), rest)
        yield rank, tuple(zip(places, counts, strict=True))


def _counts(prices: Sequence[int], left: int, models: int) -> Iterator[Numbers]:
    """Yield numbers of each kind, at least one, as many of the last kind as fit."""
    if not prices:
        return
    most = min(models - len(prices) + 1, left // prices[0])
    if len(prices) == 1:
        if most >= 1:
            yield (most,)
        return
    for count in range(1, most + 1):
        for rest in _counts(prices[1:], left - count * prices[0], models - count):
            yield (count, *rest)
