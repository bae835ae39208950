"""The pages of clubs. They stand here because a club's page shows leagues, battles and warbands."""
