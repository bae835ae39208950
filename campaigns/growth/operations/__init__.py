"""What changes campaigns in which warbands grow: each appends to the log, and folds all of it."""
