"""What tables are made of: the fixtures of published rounds, and what of them counts.

One query for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from campaigns.models import Decision, Fixture, FixtureStatus, RoundStatus
from campaigns.queries.records import EntryRecord
from engine.tournament.types import Entrant, Result

SHOWN = (RoundStatus.PUBLISHED, RoundStatus.CLOSED)
COLUMNS = (
    "token",
    "round__number",
    "table",
    "one_id",
    "other_id",
    "third_id",
    "scenario_name",
    "status",
    "waits_until",
    "winner_id",
    "how",
    "decision",
    "out_one",
    "out_other",
    "destroyed_one",
    "destroyed_other",
    "is_friendly",
    "is_rematch",
    "battle_id",
    "played_at",
    "attacker_id",
    "scenario",
)


@dataclass(frozen=True, slots=True)
class FixtureRecord:
    """A fixture of a published round.

    ``one``, ``other`` and ``third`` are ids of entries, ``winner`` of one of them.

    ``status`` has silence heard: a waiting result whose time is over is final, and a bye always
    was.
    """

    token: str
    round: int
    table: int | None
    one: int
    other: int | None
    third: int | None
    scenario_name: str
    status: str
    waits_until: datetime | None
    winner: int | None
    how: str
    decision: str
    out_one: int
    out_other: int
    destroyed_one: int
    destroyed_other: int
    is_friendly: bool
    is_rematch: bool
    battle: int | None
    played_at: datetime | None
    attacker: int | None = None
    scenario: str = ""

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(one for one in (self.one, self.other, self.third) if one is not None)

    @property
    def is_bye(self) -> bool:
        return self.other is None

    @property
    def is_final(self) -> bool:
        return self.status == FixtureStatus.FINAL

    @property
    def counts(self) -> bool:
        """Whether tables count it."""
        return self.is_final and not self.is_friendly and self.third is None

    @property
    def is_game(self) -> bool:
        """Whether two met, or one of them had it without a battle."""
        return self.other is not None and self.decision != Decision.UNPLAYED

    def result(self) -> Result:
        """The same as the engine counts it; only of one that ``counts``."""
        one, other = str(self.one), None if self.other is None else str(self.other)
        return Result(
            round=self.round,
            one=one,
            other=other,
            winner=None if self.winner is None else str(self.winner),
            is_unplayed=self.decision == Decision.UNPLAYED,
            points={one: self.destroyed_one, **({other: self.destroyed_other} if other else {})},
            out={one: self.out_one, **({other: self.out_other} if other else {})},
        )


def load_fixture_records(event_id: int, now: datetime) -> tuple[FixtureRecord, ...]:
    """Every fixture of the event's published rounds, in the order of rounds and tables.

    One query.
    """
    rows = Fixture.objects.filter(round__event_id=event_id, round__status__in=SHOWN)
    return tuple(
        _fixture_record(row, now)
        for row in rows.order_by("round__number", "position").values_list(*COLUMNS)
    )


def _fixture_record(row: tuple[object, ...], now: datetime) -> FixtureRecord:
    values = dict(zip(FixtureRecord.__dataclass_fields__, row, strict=True))
    is_bye = values["other"] is None
    waits_until = cast(datetime | None, values["waits_until"])
    values["status"] = status_now(str(values["status"]), waits_until, now, is_bye=is_bye)
    return FixtureRecord(**values)  # type: ignore[arg-type]


def status_now(
    status: str, waits_until: datetime | None, now: datetime, *, is_bye: bool = False
) -> str:
    """The status a fixture of a published round has now, silence heard."""
    is_silent = status == FixtureStatus.WAITING and waits_until is not None and waits_until <= now
    return FixtureStatus.FINAL if is_silent or is_bye else status


def results_of(played: Iterable[FixtureRecord]) -> list[Result]:
    """What of it counts, as the engine takes it."""
    return [one.result() for one in played if one.counts]


def entrants_of(entries: Sequence[EntryRecord]) -> list[Entrant]:
    """Everybody in the event as the engine takes them; their id is the key of their row in words."""
    return [
        Entrant(str(one.id), one.name, one.is_dropped, one.play_off, one.joined) for one in entries
    ]
