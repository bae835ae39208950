"""Rosters and warbands for programs."""

from warbands.api import lists, rosters, warbands

urlpatterns = [*rosters.urlpatterns, *lists.urlpatterns, *warbands.urlpatterns]
