"""What a campaign has come to: values that leave the fold, and their JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from engine.growth.acts import ActOutcome
from engine.growth.campaign import (
    BattleTold,
    CampaignInPlay,
    GrowthNote,
    MoneyMove,
    WarbandInPlay,
)
from engine.growth.dues import Due, DueKey
from engine.growth.happenings import Happening
from engine.growth.tables import RolledRow
from engine.growth.warriors import GearPiece, GrownWarrior
from engine.growth.worth import changed_stats, rating_of
from engine.records import JsonObject, NumberByKey, Texts, frozen_dataclass


@frozen_dataclass
class WarbandGrowth:
    """A warband as its campaign has made it.

    ``stats`` are the changed characteristics of each warrior. A closed warband has no rating.
    """

    id: str
    treasury: NumberByKey
    rating: int
    warriors: Mapping[str, GrownWarrior]
    stats: Mapping[str, NumberByKey]
    stash: tuple[GearPiece, ...] = ()
    territories: Texts = ()
    former: tuple[GrownWarrior, ...] = ()
    is_closed: bool = False

    @property
    def models(self) -> int:
        """Return how many models it has. Captives count, for they are of it still."""
        return sum(one.count for one in self.warriors.values() if not one.gone)

    def to_json(self) -> JsonObject:
        """Return the state as the API tells it; what is empty is left out of a warrior."""
        told: JsonObject = {
            "treasury": dict(self.treasury),
            "rating": self.rating,
            "stash": [piece.id for piece in self.stash],
            "territories": list(self.territories),
        }
        if self.is_closed:
            told["closed"] = True
        told["warriors"] = {
            key: warrior_json(one, self.stats[key]) for key, one in self.warriors.items()
        }
        return told


@frozen_dataclass
class CampaignState:
    """What a log comes to.

    ``aside`` are answers that nothing asks for now, ``answers`` what became of each, ``acts`` of
    each act that was not taken back. ``moves`` are all that went through treasuries, in order;
    ``rolled`` the rows of tables that answers came to. ``battles`` are those that count, with what
    was learned in them and what their warbands were worth; ``happenings`` what there is to tell of
    the warbands, in the order in which it took effect.
    """

    position: int
    warbands: Mapping[str, WarbandGrowth]
    open: tuple[Due, ...]
    answers: Mapping[DueKey, str]
    aside: tuple[DueKey, ...]
    acts: Mapping[int, ActOutcome]
    notes: tuple[GrowthNote, ...]
    moves: tuple[MoneyMove, ...]
    rolled: Mapping[DueKey, RolledRow] = field(default_factory=dict)
    battles: tuple[BattleTold, ...] = ()
    happenings: tuple[Happening, ...] = ()

    @property
    def acts_aside(self) -> tuple[ActOutcome, ...]:
        """The acts that could not be where they stand."""
        return tuple(act for act in self.acts.values() if act.why)

    def battles_of(self, warband: str) -> list[BattleTold]:
        """Return the battles that count for a warband, in the order in which they were told."""
        return [one for one in self.battles if warband in one.ratings]

    def find_due(self, warband: str, key: str) -> Due | None:
        """Return an open due, or None."""
        owed = (due for due in self.open if due.warband == warband and due.key == key)
        return next(owed, None)


def warband_state(play: CampaignInPlay, warband: WarbandInPlay) -> WarbandGrowth:
    """Return a warband as it stands, for whoever reads it."""
    return WarbandGrowth(
        id=warband.id,
        treasury=dict(warband.money),
        rating=0 if warband.is_closed else rating_of(play.rules, warband),
        warriors=dict(warband.warriors),
        stats={
            key: changed_stats(play.rules, one) for key, one in warband.warriors.items()
        },
        stash=tuple(warband.stash),
        territories=tuple(sorted(play.territories_of(warband.id))),
        former=tuple(warband.former),
        is_closed=warband.is_closed,
    )


def warrior_json(warrior: GrownWarrior, stats: NumberByKey) -> JsonObject:
    """Return a warrior as the API tells it."""
    told: JsonObject = {
        "kind": warrior.kind,
        "count": warrior.count,
        "experience": warrior.experience,
    }
    # The fallen keep the flag, so that a successor's due knows whom it is about.
    is_leader = warrior.is_leader and not warrior.gone
    told |= {
        key: value
        for key, value in (
            ("gone", warrior.gone),
            ("captive_of", warrior.captor),
            ("leader", is_leader),
            ("stats", dict(stats)),
            ("skills", list(warrior.skills)),
            ("misses", list(warrior.misses)),
            ("old_wounds", len(warrior.old_wounds)),
            ("gear", [piece.id for piece in warrior.gear]),
        )
        if value
    }
    return told


def lineup_of(
    warband: WarbandGrowth,
    absent: Collection[str] = (),
    fielded: Collection[str] = (),
) -> tuple[str, ...]:
    """Return who fights: everybody there, without those who miss the battle.

    ``absent`` are left out, ``fielded`` taken though they should miss it.
    """
    return tuple(
        one.key
        for one in warband.warriors.values()
        if one.is_free and one.key not in absent and (one.fit or one.key in fielded)
    )
