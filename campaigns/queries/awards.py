"""What is given out beside the first place: kills, leaders and dice out of the battles that count.

Two queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet

from battles.models import BattleCombatant
from campaigns.fixture_totals import SIDES
from campaigns.models import Fixture
from campaigns.queries.records import EntryRecord, FixtureRecord
from campaigns.queries.standings import StandingsRecord
from engine.tournament.awards import DiceRecord, WarriorRecord, awards
from engine.tournament.types import Standing

NAMED_MOST = 3
SHORT = 12


@dataclass(frozen=True, slots=True)
class Honour:
    """One award: its name, who has it, and why."""

    key: str
    name: str
    winners: str
    why: str

    @property
    def is_short(self) -> bool:
        """Whether the reason is a figure that fits on the line."""
        return len(self.why) <= SHORT


def load_honours(table: StandingsRecord, played: Sequence[FixtureRecord]) -> tuple[Honour, ...]:
    """The awards there are grounds for. Two queries; none before a battle counts."""
    entries = {row.entry.id: row.entry for row in table.rows}
    sides = _sides(played, entries)
    if not sides:
        return _of_table(table)
    battles = Fixture.objects.filter(round__event_id=table.event.id, battle__isnull=False)
    warriors = _warriors(battles, sides)
    names = {one.id: f"{one.entry}’s {one.name}" for one in warriors}
    told = [
        Honour(
            one.key,
            one.name,
            _listed([names.get(winner, winner) for winner in one.winners]),
            one.why,
        )
        for one in awards(warriors, _dice(battles, sides))
    ]
    return (*_of_table(table), *told)


def _sides(
    played: Sequence[FixtureRecord], entries: Mapping[int, EntryRecord]
) -> dict[tuple[int, str], EntryRecord]:
    """Battle and side to whose it is, for the battles that count."""
    return {
        (one.battle_id, key): entries[pk]
        for one in played
        if one.battle_id is not None and one.counts and not one.decision
        for key, pk in zip(SIDES, one.ids, strict=False)
    }


def _warriors(
    battles: QuerySet[Fixture], sides: Mapping[tuple[int, str], EntryRecord]
) -> list[WarriorRecord]:
    """Everybody who led or put somebody out; models without a list have no name to be honoured by.

    One query.
    """
    rows = BattleCombatant.objects.filter(
        Q(is_leader=True) | Q(kills__gt=0),
        battle__in=battles.values("battle"),
        warrior_id__isnull=False,
    ).order_by("battle_id", "position")
    columns = (
        "battle_id",
        "side__key",
        "warrior_id",
        "number",
        "name",
        "is_leader",
        "kills",
        "is_out",
    )
    found: dict[str, WarriorRecord] = {}
    for battle, side, warrior, number, name, is_leader, kills, is_out in rows.values_list(*columns):
        entry = sides.get((battle, side))
        if entry is None:
            continue
        key = f"{entry.id}/{warrior}/{number}"
        old = found.get(key) or WarriorRecord(key, name, entry.name, 0)
        found[key] = replace(
            old,
            name=name,
            battles=old.battles + 1,
            kills=old.kills + kills,
            out=old.out + int(is_out),
            is_leader=old.is_leader or is_leader,
        )
    return list(found.values())


def _dice(
    battles: QuerySet[Fixture], sides: Mapping[tuple[int, str], EntryRecord]
) -> list[DiceRecord]:
    """The dice of tests that pass or fail, as the fixtures counted them. One query."""
    rows = battles.exclude(dice={}).order_by("pk")
    return [
        DiceRecord(
            entry=sides[battle, side].name,
            sides=int(die[:-1]),
            faces={int(face): count for face, count in faces.items()},
            is_low_good=die.endswith("-"),
        )
        for battle, dice in rows.values_list("battle_id", "dice")
        for side, kinds in dice.items()
        if (battle, side) in sides
        for die, faces in kinds.items()
    ]


def _of_table(table: StandingsRecord) -> tuple[Honour, ...]:
    """What the table itself says: who put most out, and of those who played at least half as often
    as anybody who lost fewest.
    """
    rows = [row.standing for row in table.rows if row.standing.played]
    most = max((row.put_out for row in rows), default=0)
    if not most:
        return ()
    first = [row.name for row in rows if row.put_out == most]
    least, fewest = _fewest_lost(rows)
    return (
        Honour("most_put_out", "Most put out", _listed(first), _models(most)),
        Honour("fewest_lost", "Fewest lost", _listed(fewest), _models(least)),
    )


def _fewest_lost(rows: Sequence[Standing]) -> tuple[int, list[str]]:
    games = max(row.played for row in rows)
    steady = [row for row in rows if 2 * row.played >= games]
    least = min(row.models_lost for row in steady)
    return least, [row.name for row in steady if row.models_lost == least]


def _models(count: int) -> str:
    return f"{count} model{'' if count == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED_MOST:
        return f"{', '.join(names[:NAMED_MOST])} and {len(names) - NAMED_MOST} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
