"""The only readers of battles: a fixed number of queries each, frozen values out."""

from campaigns.queries.careers import career_of
from campaigns.queries.consequences import preview_consequences
from campaigns.queries.lists import (
    battles_of,
    club_battles,
    current_battles,
    public_battles,
    waiting_for,
)
from campaigns.queries.loading import is_key_of, load_battle, load_events, load_state
from campaigns.queries.records import (
    BattlePage,
    BattleRecord,
    BattleRow,
    BattleSideRecord,
    EventRecord,
    ResultRecord,
    ResultStepRecord,
    RowSide,
)
from campaigns.queries.sheets import load_sheets
from campaigns.queries.tallies import (
    Career,
    CareerBattle,
    CareerTotals,
    Consequences,
    HeadToHead,
    LaterBattle,
    TallyChange,
    WarriorCareer,
)

__all__ = [
    "BattlePage",
    "BattleRecord",
    "BattleRow",
    "BattleSideRecord",
    "Career",
    "CareerBattle",
    "CareerTotals",
    "Consequences",
    "EventRecord",
    "HeadToHead",
    "LaterBattle",
    "ResultRecord",
    "ResultStepRecord",
    "RowSide",
    "TallyChange",
    "WarriorCareer",
    "battles_of",
    "career_of",
    "club_battles",
    "current_battles",
    "is_key_of",
    "load_battle",
    "load_events",
    "load_sheets",
    "load_state",
    "preview_consequences",
    "public_battles",
    "waiting_for",
]
