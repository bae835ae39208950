"""Leagues, club nights and campaigns for programs."""

from campaigns.api import games, growth, lists, rounds, views

# Addresses that end in the word of a step come last: they would take any other word for one.
urlpatterns = [
    *lists.urlpatterns,
    *games.urlpatterns,
    *growth.urlpatterns,
    *views.urlpatterns,
    *rounds.urlpatterns,
    *views.step_patterns,
]
