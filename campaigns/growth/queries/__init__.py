"""What campaigns made of their warbands: the log as it is stored, and what is told of it."""
