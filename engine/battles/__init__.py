"""Battles: a set of recorded events, folded by a system's own tables into one state."""

from engine.battles.checks import check_event
from engine.battles.folding import fold
from engine.battles.summaries import Summary, summary

__all__ = ["Summary", "check_event", "fold", "summary"]
