"""The forms of warbands, and of lists that come from other tools."""
