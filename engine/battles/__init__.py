"""Battles: a set of recorded events, folded by a system's own tables into one state."""
