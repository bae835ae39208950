"""Campaigns in which warbands grow: each battle leaves its marks, and the log of it is folded."""
