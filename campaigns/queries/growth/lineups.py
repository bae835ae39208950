"""Who of a campaign's warbands stands on the table of a battle, and under which keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from battles.models import Battle, BattleCombatant, BattleSide
from battles.replay import Totals
from campaigns.models import CampaignWarband
from engine.records import Texts, frozen_dataclass


@frozen_dataclass
class FieldedModel:
    """A model of a campaign warband in a battle. ``who`` is w1, or w3#2 in a group."""

    id: str
    side: str
    warrior: str
    who: str
    name: str
    is_out: bool
    put_out_by: str


@frozen_dataclass
class FieldedSide:
    """A side of a battle that is a campaign's warband, with its models in their order."""

    key: str
    row: CampaignWarband
    models: tuple[FieldedModel, ...]

    @property
    def warriors(self) -> Texts:
        """The keys of the warriors who fight, once each."""
        return tuple(dict.fromkeys(one.warrior for one in self.models))

    def with_totals(self, totals: Totals) -> FieldedSide:
        """Return the side with its models as these totals of a state have them."""
        models = tuple(
            replace(
                one,
                is_out=totals.get(one.id, {}).get("is_out", False),
                put_out_by=totals.get(one.id, {}).get("put_out_by", ""),
            )
            for one in self.models
        )
        return replace(self, models=models)

    def find(self, who: str) -> FieldedModel | None:
        """Return a model by its key; one alone may be named with a number too."""
        known = {one.who: one for one in self.models}
        return known.get(who) or known.get(who.removesuffix("#1"))

    def of_warrior(self, warrior: str) -> FieldedModel | None:
        """Return the model that stands for a warrior or a group: one that is not out, if any."""
        own = [one for one in self.models if one.warrior == warrior]
        return next((one for one in own if not one.is_out), own[0] if own else None)


def load_fielded_sides(battle: Battle) -> dict[str, FieldedSide]:
    """Return the sides of a battle that are a campaign's warbands, by their keys. Three queries."""
    sides = BattleSide.objects.filter(battle=battle).order_by("position")
    warbands = {side.key: side.warband_id for side in sides}
    wanted = {pk for pk in warbands.values() if pk is not None}
    rows = CampaignWarband.objects.filter(warband__in=wanted).select_related("entry")
    # By the copy that fought: an entry may have founded anew since.
    by_warband = {row.warband_id: row for row in rows}
    combatants = BattleCombatant.objects.filter(battle=battle).order_by("position", "id")
    by_side: dict[str, list[BattleCombatant]] = {}
    for one in combatants.select_related("side"):
        by_side.setdefault(one.side.key, []).append(one)
    return {
        key: FieldedSide(
            key, by_warband[pk], tuple(_models(key, by_warband[pk], by_side.get(key, ())))
        )
        for key, pk in warbands.items()
        if pk in by_warband
    }


def _models(
    side: str, row: CampaignWarband, combatants: Iterable[BattleCombatant]
) -> list[FieldedModel]:
    """Return the models of a side whose warriors the campaign knows.

    Their keys are those under which dues name them: w1, and w3#2 in a group.
    """
    keys: Mapping[int, str] = {pk: key for key, pk in row.rows.items()}
    known = [one for one in combatants if one.warrior_id in keys]
    # A model alone is called by its warrior's key, those of a group by their number too.
    sizes = Counter(one.warrior_id for one in known)
    found = []
    for one in known:
        warrior = keys[one.warrior_id or 0]
        who = warrior if sizes[one.warrior_id] == 1 else f"{warrior}#{one.number}"
        found.append(
            FieldedModel(one.key, side, warrior, who, one.name, one.is_out, one.put_out_by)
        )
    return found
