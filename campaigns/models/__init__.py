"""The rows of this app, by subject. No rules here: see `operations`, which alone writes them."""

from battles.models import new_battle_key  # named by a published migration
from campaigns.models.growth import (
    CampaignWarband,
    GrowthRow,
    GrowthRowKind,
)
from campaigns.models.leagues import (
    ENTRIES_MAX,
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    SCORE_MAX,
    SEED_MAX,
    TABLES_MAX,
    CalendarEdition,
    ClubEvent,
    DiscordWebhook,
    Entry,
    EntryStatus,
    EventKind,
    EventLog,
    EventStatus,
    EventVisibility,
    HallScreen,
    MissedRound,
    OddNumber,
    PairingMethod,
    Season,
)
from campaigns.models.rounds import (
    SHOWN,
    Decision,
    Fixture,
    FixtureStatus,
    ListCheck,
    ListLock,
    Presence,
    Round,
    RoundStatus,
    Waiver,
)
