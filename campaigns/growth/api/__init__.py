"""Campaigns in which warbands grow, for programs."""
