"""What the readers of events hand out: frozen values that know nothing of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from campaigns.models import EntryStatus, EventKind, EventStatus
from engine.tournament.types import Scoring
from engine.types import System
from rulesdata import registry
from warbands.queries.lists import system_name
from warbands.queries.records import RowsPage


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """Somebody in an event.

    ``warband`` is the token of what they mean to bring where the reader may open it, or "".

    ``user_id`` None is a guest. ``is_mine``: it is the reader's own.
    """

    id: int
    token: str
    name: str
    user_id: int | None
    status: str
    joined: int
    dropped: int | None
    play_off: int | None
    warband: str
    warband_name: str
    army_name: str
    is_mine: bool

    @property
    def is_guest(self) -> bool:
        return self.user_id is None

    @property
    def is_dropped(self) -> bool:
        return self.status == EntryStatus.DROPPED


@dataclass(frozen=True, slots=True)
class ClubEventRecord:
    """An event with what it agrees on, and what the reader is in it.

    ``mine`` is the token of the reader's own entry, "" for none; ``is_playing``: they have not
    dropped out.
    """

    id: int
    token: str
    club_id: int
    club_name: str
    club_slug: str
    name: str
    description: str
    place: str
    kind: str
    method: str
    legs: int
    rounds_planned: int
    odd: str
    tables: int
    visibility: str
    status: str
    system: str
    variant: str
    points_limit: int | None
    house_rules: Mapping[str, bool]
    scenarios: tuple[str, ...]
    levels: Mapping[str, str]
    needs_list: bool
    is_secret: bool
    has_core: bool
    steps: Mapping[str, Any]
    scoring: Scoring
    tie_breaks: tuple[str, ...]
    confirm_days: int
    version: int
    created_at: datetime
    updated_at: datetime
    is_archived: bool
    is_member: bool
    may_organise: bool
    mine: str
    is_playing: bool

    @property
    def kind_name(self) -> str:
        return str(EventKind(self.kind).label)

    @property
    def status_name(self) -> str:
        return str(EventStatus(self.status).label)

    @property
    def system_name(self) -> str:
        """The rule system with its variant, in words."""
        return system_name(self.system, self.variant)

    @property
    def is_finished(self) -> bool:
        return self.status == EventStatus.FINISHED

    def load_system(self) -> System:
        """The rule system it is played by, in its variant.

        Raises `registry.UnknownKey` where no pack knows it.
        """
        return registry.load_system(self.system, self.variant or None)


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event as lists show it.

    ``entries`` are those who have not dropped out; ``round`` the latest published.
    """

    token: str
    name: str
    kind: str
    kind_name: str
    status: str
    status_name: str
    club_name: str
    club_slug: str
    system_name: str
    points_limit: int | None
    visibility: str
    entries: int
    round: int
    rounds_planned: int
    is_archived: bool
    is_mine: bool
    may_organise: bool
    updated_at: datetime


EventPage = RowsPage[EventRow]
