"""The rows of this app, by subject. No rules here: see `operations`, which alone writes them."""

from battles.models import new_battle_key
from campaigns.models.growth import (
    CampaignWarband,
    GrowthRow,
    GrowthRowKind,
)
from campaigns.models.leagues import (
    ENTRIES_MAX,
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    SEED_MAX,
    TABLES_MAX,
    CalendarEdition,
    ClubEvent,
    Entry,
    EntryStatus,
    EventKind,
    EventLog,
    EventStatus,
    EventVisibility,
    OddNumber,
    PairingMethod,
)
from campaigns.models.rounds import (
    SHOWN,
    Decision,
    Fixture,
    FixtureStatus,
    ListLock,
    Presence,
    Round,
    RoundStatus,
    Waiver,
)

__all__ = [
    "ENTRIES_MAX",
    "EVENT_NAME_MAX",
    "ROUNDS_MAX",
    "SEED_MAX",
    "SHOWN",
    "TABLES_MAX",
    "CalendarEdition",
    "CampaignWarband",
    "ClubEvent",
    "Decision",
    "Entry",
    "EntryStatus",
    "EventKind",
    "EventLog",
    "EventStatus",
    "EventVisibility",
    "Fixture",
    "FixtureStatus",
    "GrowthRow",
    "GrowthRowKind",
    "ListLock",
    "OddNumber",
    "PairingMethod",
    "Presence",
    "Round",
    "RoundStatus",
    "Waiver",
    "new_battle_key",  # named by a published migration
]
