"""Rosters and warbands for programs."""

from warbands.api import lists, rosters

urlpatterns = [*rosters.urlpatterns, *lists.urlpatterns]
