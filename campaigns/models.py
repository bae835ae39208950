"""Battles, leagues and campaigns. Nothing is kept here yet."""
