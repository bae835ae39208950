"""Leagues, club nights and campaigns for programs."""

from campaigns.api import games, rounds, views

# Addresses that end in the word of a step come last: they would take any other word for one.
urlpatterns = [
    *games.urlpatterns,
    *rounds.urlpatterns,
    *views.urlpatterns,
    *views.step_patterns,
]
