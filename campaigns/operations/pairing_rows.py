"""Pairings of the engine as fixtures of a round: their rows, scenarios by name, and tables as far
as there are any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from battles.models import REASON_MAX
from campaigns.models import TABLES_MAX, ClubEvent, Entry, Fixture, Round
from engine.tournament.types import Pairing
from warbands import rulebook


def scenario_pool(event: ClubEvent, row: Round) -> Sequence[str]:
    """The scenarios a round draws from: its own, else the event's."""
    return tuple(row.scenarios or event.scenarios)


def scenario_names(event: ClubEvent, keys: Iterable[str]) -> dict[str, str]:
    """What each is called; "" for one that is gone. A person's own take a query each."""
    found = {key: rulebook.load_scenario(event.system, key) for key in set(keys) if key}
    return {key: one.name if one else "" for key, one in found.items()}


def last_table(event: ClubEvent) -> int:
    """The number of the last table."""
    return event.tables or TABLES_MAX


def assign_tables(
    pairings: Iterable[Pairing], taken: Iterable[int | None], most: int
) -> list[Pairing]:
    """Each game at the lowest table that is free, up to ``most``; past that at none, which an
    organiser is told.
    """
    used = {table for table in taken if table is not None}
    free = iter([number for number in range(1, most + 1) if number not in used])
    return [one if one.is_bye else replace(one, table=next(free, None)) for one in pairings]


def kept_pairing(fixture: Fixture) -> Pairing:
    """A fixture that stays, as the engine takes it."""
    one, *more = (str(pk) for pk in fixture.side_ids)
    return Pairing(
        one,
        more[0] if more else None,
        third=more[1] if len(more) > 1 else None,
        attacker=str(fixture.attacker_id) if fixture.attacker_id else None,
        scenario=fixture.scenario or None,
        reason=fixture.reason,
        is_rematch=fixture.is_rematch,
        is_kept=True,
        table=fixture.table,
    )


def insert_pairings(
    event: ClubEvent,
    row: Round,
    pairings: Sequence[Pairing],
    entries: Mapping[int, Entry],
    first: int = 1,
) -> list[Fixture]:
    """A fixture of each, in this order from position ``first`` on. One statement."""
    names = scenario_names(event, (one.scenario or "" for one in pairings))
    rows = [
        Fixture(
            round=row,
            position=position,
            table=one.table,
            one=entries[int(one.one)],
            other=entries[int(one.other)] if one.other else None,
            third=entries[int(one.third)] if one.third else None,
            attacker_id=int(one.attacker) if one.attacker else None,
            scenario=one.scenario or "",
            scenario_name=names.get(one.scenario or "", ""),
            reason=one.reason[:REASON_MAX],
            is_rematch=one.is_rematch,
            is_kept=one.is_kept,
        )
        for position, one in enumerate(pairings, start=first)
    ]
    return Fixture.objects.bulk_create(rows)
