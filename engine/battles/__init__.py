"""Battles: a set of recorded events, folded by a system's own tables into one state."""

from engine.battles.battle_summary import Summary, summary
from engine.battles.checks import check_event
from engine.battles.event_fold import BattleLog, fold

__all__ = ["BattleLog", "Summary", "check_event", "fold", "summary"]
